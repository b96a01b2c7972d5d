"""Notebooks that give the same again, and notebooks with one planted difference each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from playhead.checking.check_report import CheckReport, difference_words
from playhead.checking.checker import CheckPlan
from playhead.checking.recorded_cells import recording_of
from tests.support.kernels import executor
from tests.support.recorded_exports import checker, exported, recorded

Book = dict[str, Any]


class Sample(NamedTuple):
    """A notebook: the files beside it, and its cells as they ran.

    `plant` then changes the notebook or its folder; `cell` (0: the whole) and `kind` are those of
    the difference that has to be found, and `cause` is in what is said of it. `is_quick` ones are
    in the usual run of the tests.
    """

    name: str
    cells: tuple[str, ...]
    files: Mapping[str, str] = {}
    plant: Callable[[Book, Path], object] = lambda book, folder: None
    cell: int = 0
    kind: str = ""
    cause: str = ""
    is_quick: bool = False


SALES = {"sales.csv": "region,amount\nnorth,10.5\nsouth,7.25\neast,3\nwest,12\nnorth,8\n"}
READ = "import csv\nrows = list(csv.DictReader(open('sales.csv')))\nlen(rows)"
TOTAL = "total = sum(float(row['amount']) for row in rows)\nprint('Total', total)"
PANDAS = "import pandas as pd\nsales = pd.read_csv('sales.csv')\nsales"
PLOT = (
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(4, 3))\n"
    "ax.plot([1, 4, 2, 8, 5], color='{colour}')\nax.set_title('A line')\nplt.show()"
)
SAVE = "with open('out.csv', 'w') as file:\n    file.write('a,b\\n1,2.5\\n')"


def code_cells(book: Book) -> list[Book]:
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def without_cell(number: int) -> Callable[[Book, Path], object]:
    """Delete a code cell, counted from 1."""
    return lambda book, folder: book["cells"].remove(code_cells(book)[number - 1])


def other_source(number: int, old: str, new: str) -> Callable[[Book, Path], object]:
    """Edit the code of a cell and leave its outputs."""

    def plant(book: Book, folder: Path) -> None:
        cell = code_cells(book)[number - 1]
        source = "".join(cell["source"])
        assert old in source
        cell["source"] = source.replace(old, new)

    return plant


def other_output(number: int, old: str, new: str) -> Callable[[Book, Path], object]:
    """Edit what is recorded of a cell."""

    def plant(book: Book, folder: Path) -> None:
        cell = code_cells(book)[number - 1]
        text = json.dumps(cell["outputs"])
        assert old in text
        cell["outputs"] = json.loads(text.replace(old, new))

    return plant


def other_file(name: str, text: str | None) -> Callable[[Book, Path], object]:
    """Change a file beside the notebook, or delete it."""

    def plant(book: Book, folder: Path) -> None:
        if text is None:
            (folder / name).unlink()
        else:
            (folder / name).write_text(text)

    return plant


def swapped(one: int, other: int) -> Callable[[Book, Path], object]:
    """Swap two code cells."""

    def plant(book: Book, folder: Path) -> None:
        cells = book["cells"]
        first, second = (cells.index(code_cells(book)[number - 1]) for number in (one, other))
        cells[first], cells[second] = cells[second], cells[first]

    return plant


PLANTED = (
    Sample("a deleted cell", ("factor = 3", "print(factor * 2)"), plant=without_cell(1),
           cell=1, kind="error", cause="no cell makes factor", is_quick=True),
    Sample("cells in another order", ("x = 1\nx", "x = x + 1\nx", "x = x * 10\nx"),
           plant=swapped(2, 3), cell=2, kind="text", is_quick=True),
    Sample("a cell that had run twice", ("n = 0", "n += 1\nn", "n += 1\nn"),
           plant=without_cell(2), cell=2, kind="text"),
    Sample("code edited after it ran", (READ, TOTAL), SALES,
           plant=other_source(2, "total = sum", "total = 2 * sum"), cell=2, kind="text"),
    Sample("a recorded number that was edited", (READ, TOTAL), SALES,
           plant=other_output(2, "40.75", "41.75"), cell=2, kind="text"),
    Sample("a changed input", (READ, TOTAL), SALES,
           plant=other_file("sales.csv", SALES["sales.csv"].replace("east,3", "east,5")),
           kind="file", cause="another one", is_quick=True),
    Sample("an input that is gone", (READ, TOTAL), SALES, plant=other_file("sales.csv", None),
           kind="file", cause="not there"),
    Sample("random numbers without a seed", ("import random\nprint(random.random())",),
           cell=1, kind="text", cause="without a seed", is_quick=True),
    Sample("a figure of random points", (
        ("import numpy as np\nimport matplotlib.pyplot as plt\n"
        "plt.scatter(np.random.rand(30), np.random.rand(30))\nplt.show()"),),
           cell=1, kind="figure", cause="without a seed"),
    Sample("a figure in another colour", (PLOT.format(colour="green"),),
           plant=other_source(1, "green", "red"), cell=1, kind="figure"),
    Sample("a figure that is not drawn any more", (PLOT.format(colour="green"),),
           plant=other_source(1, "plt.show()", "plt.close(fig)"), cell=1, kind="figure"),
    Sample("a table with another value", (PANDAS,), SALES,
           plant=other_output(1, "7.25", "7.2501"), cell=1, kind="table"),
    Sample("a table with another column", (PANDAS, "sales.assign(double=2 * sales.amount)"), SALES,
           plant=other_source(2, "double=", "twice="), cell=2, kind="table"),
    Sample("a table with another row", (PANDAS,), SALES,
           plant=other_source(1, "'sales.csv')", "'sales.csv').head(4)"),
           cell=1, kind="table"),
    Sample("a file with other contents", (SAVE,), plant=other_source(1, "2.5", "2.6"), kind="file"),
    Sample("a file that is not made any more", ("1 + 1", SAVE), plant=without_cell(2),
           kind="file", cause="not made", is_quick=True),
    Sample("an error that does not come any more", ("value = '7a'\nint(value)",),
           plant=other_source(1, "7a", "7"), cell=1, kind="error"),
    Sample("the time of day as a result", ("import time\nprint('Key', time.time_ns() % 100_000)",),
           cell=1, kind="text"),
    Sample("a set of texts", ("print(set('a tale of two other cities and a dog'.split()))",),
           cell=1, kind="text", cause="order of a set"),
    Sample("a file that was left elsewhere", (
        ("import os, tempfile\nplace = os.path.join(tempfile.gettempdir(), 'playhead-' + 'left')\n"
        "open(place, 'w').write('7')"), "print(open(place).read())\nos.remove(place)"),
           plant=other_source(1, "open(place, 'w').write('7')", "1"),
           cell=2, kind="error", cause="not among the inputs"),
)  # fmt: skip
CLEAN = (
    Sample("numbers and texts", ("x = 2 ** 64\nprint(x, x / 7)", "'ok' * 3"), is_quick=True),
    Sample("functions and classes", (
        "class A:\n    def __init__(self, n): self.n = n\ndef f(a): return a.n + 1", "f(A(4))")),
    Sample("a file that is read", (READ, TOTAL), SALES, is_quick=True),
    Sample("a table", (PANDAS, "sales.groupby('region').amount.sum().reset_index()"), SALES),
    Sample("floating-point numbers in another order", (
        "values = [0.1] * 10\nprint(sum(values), sum(reversed(values)))",)),
    Sample("a figure", (PLOT.format(colour="green"),)),
    Sample("random numbers with a seed", (
        "import random\nrandom.seed(3)\nprint(random.random())",), is_quick=True),
    Sample("a figure of random points with a seed", (
        ("import numpy as np\nimport matplotlib.pyplot as plt\nrng = np.random.default_rng(4)\n"
        "plt.scatter(rng.random(30), rng.random(30))\nplt.show()"),)),
    Sample("addresses of objects", ("object()", "print([lambda: 1, print])"), is_quick=True),
    Sample("measured times", (
        ("import time\nbegan = time.perf_counter()\ntime.sleep(0.01)\n"
        "print(f'took {time.perf_counter() - began:.4f} s')"),), is_quick=True),
    Sample("the date of the run", (
        "from datetime import datetime\nprint('Made', datetime.now())",), is_quick=True),
    Sample("paths of the folder", (
        ("import os, tempfile\nprint(os.path.join(os.getcwd(), 'a.csv'))\n"
        "print(tempfile.mkdtemp())"),)),
    Sample("identifiers", ("import uuid\nprint(uuid.uuid4())",)),
    Sample("an error with its traceback", ("1 / 0", "print('goes on')"), is_quick=True),
    Sample("files that are made", (
        SAVE, "import json\njson.dump({'a': [1, 2]}, open('a.json', 'w'))",
        "import gzip\ngzip.open('a.gz', 'wb').write(b'abc')",
        "import zipfile\nzipfile.ZipFile('a.zip', 'w').writestr('a.txt', 'abc')"), is_quick=True),
    Sample("a figure that is saved", (
        PLOT.format(colour="blue") + "\nfig.savefig('a.png')\nfig.savefig('a.pdf')\n"
        "fig.savefig('a.svg')",)),
    Sample("a module beside it, and files by a pattern", (
        ("import glob\nfrom helpers import double\n"
        "print([double(int(open(name).read())) for name in sorted(glob.glob('part_*.txt'))])"),),
        {"helpers.py": "def double(n): return 2 * n\n", "part_1.txt": "1", "part_2.txt": "2"},
        is_quick=True),
    Sample("a progress bar", (
        "import sys, time\nfor n in range(5):\n    sys.stdout.write(f'\\r{n + 1}/5')\nprint()",)),
    Sample("a database", (
        ("import sqlite3\nbase = sqlite3.connect(':memory:')\nbase.execute('create table t (a)')\n"
        "base.executemany('insert into t values (?)', [(1,), (2,)])\n"
        "base.execute('select sum(a) from t').fetchone()"),)),
    Sample("magics and a shell", ("%pip --version", "!echo from the shell", "%time sum(range(9))")),
)  # fmt: skip


def fill(folder: Path, sample: Sample) -> None:
    """Write the files of a sample."""
    folder.mkdir(parents=True)
    for name, text in sample.files.items():
        path = folder / name
        os.makedirs(path.parent, exist_ok=True)
        path.write_text(text)


async def reports_of(samples: list[Sample], tmp_path: Path) -> list[CheckReport]:
    """Record each sample, plant what it says, and check it."""
    reports: list[CheckReport] = []
    async with executor(tmp_path) as made, checker(tmp_path) as checks:
        for number, sample in enumerate(samples):
            folder = tmp_path / f"sample-{number}"
            fill(folder, sample)
            conversation = await recorded(made, folder, sample.cells)
            book = json.loads(await exported(conversation, folder, "ipynb"))
            sample.plant(book, folder)
            plan = CheckPlan(
                recording=recording_of(json.dumps(book).encode(), "export.ipynb"),
                folder=str(folder),
                interpreter=sys.executable,
                environment="present",
            )
            report = [step async for step in checks.check(plan)][-1]
            assert isinstance(report, CheckReport)
            reports.append(report)
    return reports


def missed(samples: list[Sample], reports: list[CheckReport]) -> list[str]:
    """What was not found, or found where nothing was planted."""
    wrong: list[str] = []
    for sample, report in zip(samples, reports, strict=True):
        words = [difference_words(one) for one in report.differences]
        if sample.kind:
            found = any(
                (one.cell, one.kind) == (sample.cell, sample.kind)
                and sample.cause in f"{one.words} {one.cause}"
                for one in report.differences
            )
            wrong += [] if found else [f"{sample.name}: not found in {words}"]
        elif words:
            wrong.append(f"{sample.name}: {words}")
    return wrong
