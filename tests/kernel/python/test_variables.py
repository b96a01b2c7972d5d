from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from playhead.kernel.python.variables import Variables
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
    assert marks[-1].text("ask") == "q-1"
    return json.loads((talk.spool / marks[-1].text("file")).read_bytes())


def variables(talk: Any) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in ask(talk, "variables")["variables"]}


def test_a_dict_that_a_thread_fills_meanwhile_is_looked_at_all_the_same() -> None:
    values: dict[str, Any] = {"filled": {"one": 1}}

    def fill(frame: FrameType, event: str, argument: object) -> Any:
        if event == "return" and frame.f_code.co_name == "_ends":
            values["filled"][f"key {len(values['filled'])}"] = 1
        return fill

    known = Variables(values)
    traced = sys.gettrace()
    sys.settrace(fill)
    try:
        known.remember()
    finally:
        sys.settrace(traced)
    assert len(values["filled"]) == 2


def test_names_tell_what_they_are(talk: Any) -> None:
    talk.run(
        "import os, decimal\nnumber = 4\ntext = 'ä\\nb' * 1000\nitems = [1, 'two', [3]]\n"
        "pairs = {'a': 1}\n_private = 1\nprecise = decimal.Decimal('1.10')\n"
        "def f(): pass\nclass A: pass\na = A()"
    )
    found = variables(talk)
    assert list(found) == ["number", "text", "items", "pairs", "precise", "a", "f", "A"]
    assert (found["number"]["type"], found["number"]["value"]) == ("int", "4")
    assert found["items"]["value"] == "[1, 'two', [3]]"
    assert found["items"]["shape"] == "3"
    assert found["pairs"]["value"] == "{'a': 1}"
    assert found["precise"]["value"] == "1.10"
    assert found["a"]["value"] == "<A>"
    assert len(found["text"]["value"]) <= 120
    assert found["text"]["size_bytes"] > 3000
    assert "\n" not in found["text"]["value"]


def test_what_the_last_run_made_or_changed_is_marked(kernel: Any) -> None:
    kernel.run("a = 10 ** 50\nb = [1]\nc = {'x': 1}\nd = 5")
    kernel.run("e = list(range(9999))\nf = dict(zip(e, e))\ng = set(e)\nh = tuple(e)")
    assert [name for name, row in variables(kernel).items() if row["is_changed"]] == [*"efgh"]
    kernel.run("a = 10 ** 51\nb.append(2)\nc['x'] = 2\ne[-1] = f[9998] = None\ng.add('x')")
    assert {name: row["is_changed"] for name, row in variables(kernel).items()} == {
        "a": True,
        "b": True,
        "c": True,
        "d": False,
        "e": True,
        "f": True,
        "g": True,
        "h": False,
    }


HOSTILE = {
    "hangs": "import time\n        time.sleep(600)",
    "hangs and catches all": (
        "while True:\n            try:\n                while True: pass\n"
        "            except BaseException: pass"
    ),
    "crashes": "import ctypes\n        ctypes.string_at(0)",
    "raises": "raise ValueError",
    "exits": "raise SystemExit",
    "recurses": "return repr(self)",
    "prints": "print('heard')\n        return 'said'",
    "changes things": "global changed\n        changed = 1\n        return 'said'",
    "is huge": "return 'x' * 50_000_000",
    "kills its process": "import os, signal\n        os.kill(os.getpid(), signal.SIGKILL)",
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_repr_neither_hangs_nor_harms(kernel: Any, body: str) -> None:
    kernel.run(f"class A:\n    def __repr__(self):\n        {body}\nbad = A()\ngood = 7")
    found = variables(kernel)
    assert found["good"]["value"] == "7"
    assert found["bad"]["type"] == "A"
    assert found["bad"]["value"] in {"<A>", "said", "x" * 119 + "…"}
    assert "changed" not in found
    assert kernel.run("good")[0] == "7\n"


def test_what_lies_about_itself_is_not_asked(kernel: Any) -> None:
    kernel.run(
        "import time\n"
        "class Meta(type):\n    def __getattribute__(cls, name): time.sleep(600)\n"
        "class A(metaclass=Meta):\n"
        "    def __getattribute__(self, name): time.sleep(600)\n"
        "    __class__ = property(lambda self: time.sleep(600))\n"
        "    def __len__(self): time.sleep(600)\n"
        "    def __sizeof__(self): time.sleep(600)\n"
        "    def __hash__(self): time.sleep(600)\n"
        "    def __eq__(self, other): time.sleep(600)\n"
        "bad, held = A(), [A()]"
    )
    found = variables(kernel)
    assert found["bad"]["type"] == "A"
    assert found["held"]["value"] == "[<A>]"


def test_a_class_of_the_user_says_its_value_itself(kernel: Any) -> None:
    kernel.run("import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int\np = P(3)")
    assert variables(kernel)["p"]["value"] == "P(x=3)"


def test_a_subclass_of_a_known_type_is_not_trusted(kernel: Any) -> None:
    kernel.run(
        "import time\nclass L(list):\n    def __len__(self): time.sleep(600)\n"
        "    def __iter__(self): time.sleep(600)\n    def __repr__(self): return 'mine'\n"
        "items = L([1])"
    )
    assert variables(kernel)["items"]["value"] == "mine"


def test_frames_tell_their_measures(kernel: Any, new_talk: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(stand_ins.PANDAS)
    talk = new_talk()
    talk.run("import pandas\ndf = pandas.DataFrame({'a': [1, 2], 'b': [3, 4]})")
    row = variables(talk)["df"]
    assert (row["shape"], row["value"], row["is_table"]) == ("2 × 2", "a, b", True)
    page = ask(talk, "table", name="df", first=1, rows=10)
    assert page["rows"] == [[2, 4]]
    assert (page["total_rows"], page["name"]) == (2, "df")


def test_arrays_and_lists_of_dicts_open_as_tables(kernel: Any) -> None:
    pytest.importorskip("numpy")
    kernel.run(
        "import numpy\nm = numpy.arange(6).reshape(2, 3)\nv = numpy.arange(3)\n"
        "r = [{'a': 1}, {'b': 'x'}]\nplain = [1]"
    )
    found = variables(kernel)
    assert [name for name, row in found.items() if row["is_table"]] == ["m", "r"]
    assert (found["m"]["shape"], found["m"]["size_bytes"]) == ("2 × 3", 48)
    assert found["v"]["value"] == "int64 [0, 1, 2]"
    assert ask(kernel, "table", name="m", first=1, rows=1)["rows"] == [[3, 4, 5]]
    records = ask(kernel, "table", name="r", first=0, rows=10)
    assert (records["columns"], records["rows"]) == (["a", "b"], [[1, None], [None, "x"]])


def test_cells_of_a_table_never_run_code_of_the_user(kernel: Any) -> None:
    kernel.run(
        "import time\nclass A:\n    def __repr__(self): time.sleep(600)\nrows = [{'a': A()}]"
    )
    assert ask(kernel, "table", name="rows", first=0, rows=1)["rows"] == [["<A>"]]


@pytest.mark.parametrize("name", ["nowhere", "number"])
def test_what_is_no_table_is_said(kernel: Any, name: str) -> None:
    kernel.run("number = 1")
    assert name in ask(kernel, "table", name=name, first=0, rows=1)["error"] + "number"
    assert "error" in ask(kernel, "table", name=name, first=0, rows=1)


def test_a_table_that_hangs_is_given_up(kernel: Any, new_talk: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(
        "import time\nclass Index: pass\nclass DataFrame:\n    shape = (1, 1)\n"
        "    index = Index()\n    columns = ['a']\n    def __len__(self):\n"
        "        while True:\n            try:\n"
        "                time.sleep(600)\n            except KeyboardInterrupt:\n"
        "                if self.tries: raise\n                self.tries += 1\n    tries = 0"
    )
    talk = new_talk()
    talk.run("import pandas\ndf = pandas.DataFrame()")
    assert ask(talk, "table", name="df", first=0, rows=1) == {"error": "It took too long."}
    assert talk.run("6 * 7")[0] == "42\n"


def test_a_busy_kernel_says_so_at_once(kernel: Any) -> None:
    kernel.begin("input()")
    kernel.read_until("input")
    assert ask(kernel, "variables") == {"error": "The kernel is busy with code."}
    kernel.send("input", run="", id="", text="on")
    assert kernel.read_until("idle")[0] == "'on'\n"


def test_the_variables_of_a_failure_come_with_their_frames(talk: Any) -> None:
    code = "def f(a):\n    class B:\n        c = 1\n        d = a / 0\nnumber = 3\nf(number)"
    _, marks = talk.run(code)
    frames = next(mark for mark in marks if mark.kind == "error").fields["frames"]
    length = next(mark for mark in marks if mark.kind == "traceback").integer("length")
    assert [line for _, line, _ in frames] == [6, 2, 4]
    assert length is not None
    assert length > 100
    rows = ask(talk, "variables", frames=frames)["variables"]
    assert [(row["frame"], row["name"], row["value"]) for row in rows] == [
        (0, "number", "3"),
        (1, "a", "3"),
    ]
    assert "Other code" in ask(talk, "variables", frames=frames[1:])["error"]
    talk.run("1")
    assert "Other code" in ask(talk, "variables", frames=frames)["error"]
