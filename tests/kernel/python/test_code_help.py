"""What an idle kernel answers about the code before the cursor; no code of the user runs for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kernel import stand_ins


@pytest.fixture(scope="module")
def module_talk(make_talk: Callable[..., Any]) -> Any:
    return make_talk()


@pytest.fixture
def kernel(module_talk: Any) -> Iterator[Any]:
    yield module_talk
    module_talk.run("list(map(globals().pop, [n for n in dir() if n[:2] != '__']));")


def ask(talk: Any, kind: str, **fields: object) -> dict[str, Any]:
    talk.send(kind, ask="q-1", **fields)
    text, marks = talk.read_until("answer")
    assert text == ""
    return json.loads((talk.spool / marks[-1].text("file")).read_bytes())


def completed(talk: Any, code: str, *, is_asked: bool = True) -> list[str]:
    """Return the codes that the candidates make of a code."""
    found = ask(talk, "complete", code=code, asked=is_asked)
    assert "error" not in found
    start = code[: len(code) - found["length"]]
    return [start + text for text, _kind in found["candidates"]]


def described(talk: Any, code: str, *, is_call: bool = False) -> dict[str, Any]:
    return ask(talk, "describe", code=code, call=is_call)


def test_every_python_completes_and_describes(talk: Any) -> None:
    talk.run(
        "import os\n"
        "class Part:\n    '''A part.'''\n    size = 1\n"
        "    def turn(self, by, *rest, quick=False, **more):\n"
        "        '''Turn it.\n\n          Far.'''\n"
        "part = Part()\npart.own = 2\nparts = {'first one': part}\n"
        "def only(a, b=1, /, c='x', *, d): pass"
    )
    assert completed(talk, "part.") == ["part.own", "part.size", "part.turn"]
    assert completed(talk, "parts['first one'].s") == ["parts['first one'].size"]
    assert completed(talk, "Part().t") == ["Part().turn"]
    assert completed(talk, "os.path.joi") == ["os.path.join"]
    assert completed(talk, "'a'.upp") == ["'a'.upper"]
    assert "part" in completed(talk, "pa")
    assert completed(talk, "contin") == ["continue"]
    assert completed(talk, "isinst") == ["isinstance"]
    assert completed(talk, "local_word = 1; loc")[0] == "local_word = 1; local_word"
    assert completed(talk, "import zipf") == ["import zipfile"]
    assert "from os import path" in completed(talk, "from os import pat")
    told = described(talk, "part.turn(1, 2, qu", is_call=True)
    assert told["parameters"] == ["by", "*rest", "quick = False", "**more"]
    assert (told["name"], told["argument"]) == ("part.turn", 1)
    assert told["documentation"] == "Turn it.\n\nFar."
    assert described(talk, "only(1, 2, d=", is_call=True)["argument"] == 5
    assert described(talk, "only")["parameters"] == ["a", "b = 1", "/", "c = 'x'", "*", "d"]
    assert described(talk, "len([1", is_call=True)["parameters"][0] == "obj"
    assert described(talk, "parts")["value"].startswith("{'first one'")
    assert described(talk, "nothing.known") == {"name": ""}


TRAP = "    def {name}(self, *a): ran.append('{name}')\n"
TRAPS = (
    *("__dir__", "__getattr__", "__getattribute__", "__repr__", "__str__", "__len__", "__iter__"),
    *("__eq__", "__hash__", "__bool__", "__call__", "__getitem__", "__contains__", "__index__"),
    *("__instancecheck__", "__subclasscheck__", "__class_getitem__", "__get__", "keys", "mro"),
)
HOSTILE = (
    "import time, sys\nran = []\n"
    "class Meta(type):\n"
    + "".join(
        TRAP.format(name=name)
        for name in TRAPS
        if name not in ("__hash__", "__eq__", "__call__", "mro")
    )
    + "class Bad(metaclass=Meta):\n"
    + "".join(TRAP.format(name=name) for name in TRAPS if name != "__getattribute__")
    + "    here = 1\n"
    "    @property\n    def costly(self): ran.append('property'); time.sleep(600)\n"
    "    @property\n    def __dict__(self): ran.append('dict'); return {}\n"
    "    __class__ = property(lambda self: ran.append('class') or int)\n"
    "    __doc__ = property(lambda self: ran.append('doc'))\n"
    "    __signature__ = property(lambda self: ran.append('signature'))\n"
    "    def ask(self, value: ran.append('note') and None = 3): pass\n"
    "class Slow(Bad):\n    def __getattribute__(self, name): ran.append(name); time.sleep(600)\n"
    "class Key(str):\n"
    "    def __eq__(self, other): ran.append('key'); return True\n"
    "    def __hash__(self): return hash('first')\n"
    "class Text(str):\n    def __str__(self): ran.append('text'); return ''\n"
    "class List(list):\n    def __iter__(self): ran.append('iter'); return iter(())\n"
    "bad, slow, items = Bad(), Slow(), List([1])\n"
    "keyed = {Key('first'): 1, 'second': bad, Text('third'): 2}\n"
    "def __getattr__(name): ran.append('module'); raise AttributeError\n"
    "class Gone: pass\ngone = Gone()\ndel Gone\n"
    "def plain(one=bad, two=slow): pass\n"
    "plain.__signature__ = bad\nplain.__wrapped__ = bad\n"
    "ran.clear()"
)


def test_no_code_of_the_user_runs_for_an_answer(kernel: Any) -> None:
    kernel.run(HOSTILE)
    assert "bad.here" in completed(kernel, "bad.")
    assert "bad.costly" in completed(kernel, "bad.c")
    assert completed(kernel, "keyed['") == ["keyed['second"]
    for owner in ("bad", "slow", "Bad", "items", "gone", "bad.costly", "keyed['second']", "plain"):
        for code in (f"{owner}.", f"{owner}['", f"{owner}[0].", f"{owner}().", f"{owner}.x("):
            completed(kernel, code)
        described(kernel, owner)
        described(kernel, f"{owner}(", is_call=True)
        described(kernel, f"{owner}.ask(", is_call=True)
    assert described(kernel, "plain(", is_call=True)["parameters"] == [
        "one = <Bad>",
        "two = <Slow>",
    ]
    assert kernel.run("ran")[0] == "[]\n"


def test_a_frame_completes_its_columns(new_talk: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(stand_ins.PANDAS)
    talk = new_talk()
    talk.run(
        "import pandas\ndf = pandas.DataFrame({'price': [1, 2], 'unit price': [3, 4]})\n"
        "class Mine(pandas.DataFrame):\n    columns = property(lambda self: 1 / 0)\n"
    )
    assert completed(talk, "df.pri") == ["df.price"]
    assert completed(talk, "df['") == ["df['price", "df['unit price"]
    assert completed(talk, "df[['price', '") == ["df[['price', 'price", "df[['price', 'unit price"]
    assert completed(talk, "df.sort_values('unit", is_asked=False) == ["df.sort_values('unit price"]
    assert "df['price'].tolist" in completed(talk, "df['price'].to")
    assert described(talk, "df")["type"] == "DataFrame 2 × 2"


def test_files_are_completed_where_a_path_is_written(new_talk: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "measures.csv").touch()
    (tmp_path / "it's.csv").touch()
    talk = new_talk()
    assert completed(talk, "open('da") == ["open('data/"]
    assert completed(talk, "open('da", is_asked=False) == []
    assert completed(talk, "open('data/", is_asked=False) == ["open('data/measures.csv"]
    assert completed(talk, "open('it") == []
    assert completed(talk, f"open('{tmp_path}/data/m") == [f"open('{tmp_path}/data/measures.csv"]
    assert completed(talk, "open('/missing/folder/") == []


def test_a_module_is_not_imported_to_complete_it(new_talk: Any, tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("print('imported')")
    (package / "part.py").touch()
    talk = new_talk()
    assert completed(talk, "import min") == ["import mine"]
    assert completed(talk, "import mine.") == ["import mine.part"]
    assert completed(talk, "from mine import ") == ["from mine import part"]


def test_answers_are_limited(kernel: Any) -> None:
    kernel.run(
        "class A: pass\na = A()\na.__dict__.update({f'name{i}': i for i in range(20_000)})\n"
        "b = {i: 0 for i in range(3_000_000)}\nc = {'x' * 10_000: 1}\n"
        "def f(): pass\nf.__doc__ = 'word ' * 1_000_000"
    )
    assert len(completed(kernel, "a.")) == 2_000
    assert completed(kernel, "b['") == completed(kernel, "c['") == []
    assert len(described(kernel, "f")["documentation"]) <= 4_000


def test_a_busy_kernel_refuses(kernel: Any) -> None:
    run = kernel.begin("while True: pass")
    kernel.read_until("line")
    kernel.send("complete", ask="q", code="ti", asked=True)
    _text, marks = kernel.read_until("answer")
    assert "busy" in (kernel.spool / marks[-1].text("file")).read_text()
    kernel.send("stop", run=run)
    kernel.read_until("idle")
