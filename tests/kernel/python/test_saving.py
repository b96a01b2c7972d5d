"""What of a namespace a kernel saves, and another gets back: 120 kinds of objects, and names."""

from __future__ import annotations

import ast
import builtins
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.kernel.python.saving.touched_names import TouchedNames, within_reach
from tests.kernel.conftest import Talk

_BEFORE = """\
import abc, array, ast, asyncio, bisect, collections, contextlib, contextvars, copy, csv, ctypes
import dataclasses, datetime, decimal, enum, fractions, functools, hashlib, heapq, inspect, io
import ipaddress, itertools, json, logging, math, operator, os, pathlib, queue, random, re, secrets
import socket, sqlite3, statistics, string, subprocess, tempfile, threading, types, typing, uuid
import weakref, xml.etree.ElementTree as tree, zipfile, zlib, zoneinfo
import numpy as np, pandas as pd, polars as pl, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

class Plain:
    kind = "plain"
    def __init__(self, x=1): self.x = x
    def twice(self): return 2 * self.x
class Child(Plain):
    __slots__ = ("extra",)
@dataclasses.dataclass(frozen=True)
class Data:
    x: int
class Named(typing.NamedTuple):
    a: int = 1
class Colour(enum.Enum):
    RED = 1
class Flags(enum.Flag):
    A = 1; B = 2
class Base(abc.ABC):
    @abc.abstractmethod
    def go(self): ...
class Own(Base):
    def go(self): return "gone"
class Typed(typing.TypedDict):
    a: int
class Failed(Exception): pass
class Refuses:
    def __reduce__(self): raise TypeError("no")
Point = collections.namedtuple("Point", "x y")
def add(a, b=2, *, c=3): return a + b + c
def outer():
    n = [0]
    def inner():
        n[0] += 1
        return n[0]
    return inner
def fact(n): return 1 if n < 2 else n * fact(n - 1)
@functools.wraps(add)
def wrapped(*args): return add(*args)
def maker():
    class Local: pass
    return Local()
def stream():
    yield 1
async def later(): return 1
"""
_KEPT = {
    # name: (expression, check on the value as `v`)
    "none": ("None", "v is None"),
    "truth": ("True", "v is True"),
    "integer": ("7", "v == 7"),
    "huge": ("10 ** 500", "v == 10 ** 500"),
    "real": ("1.5", "v == 1.5"),
    "infinite": ("float('inf')", "v == float('inf')"),
    "imaginary": ("1 + 2j", "v == 1 + 2j"),
    "text": ("'ä' * 5000", "v == 'ä' * 5000"),
    "raw": ("b'x' * 9000", "v == b'x' * 9000"),
    "mutable_raw": ("bytearray(b'ab')", "v == bytearray(b'ab')"),
    "items": ("[1, [2, 'x']]", "v == [1, [2, 'x']]"),
    "pair": ("(1, [2])", "v == (1, [2])"),
    "table": ("{'a': [1], 2: None}", "v == {'a': [1], 2: None}"),
    "unique": ("{1, 'a'}", "v == {1, 'a'}"),
    "frozen": ("frozenset({1})", "v == frozenset({1})"),
    "span": ("range(1, 9, 2)", "v == range(1, 9, 2)"),
    "cut": ("slice(1, 2)", "v == slice(1, 2)"),
    "dots": ("...", "v is ..."),
    "refused": ("NotImplemented", "v is NotImplemented"),
    "loops": ("[1]; loops.append(loops)", "v[1] is v"),
    "ordered": ("collections.OrderedDict(a=1)", "v == {'a': 1} and type(v).__name__[0] == 'O'"),
    "default": ("collections.defaultdict(list, a=[1])", "v['b'] == [] and v['a'] == [1]"),
    "counts": ("collections.Counter('aab')", "v['a'] == 2"),
    "ring": ("collections.deque([1], maxlen=3)", "v.maxlen == 3 and list(v) == [1]"),
    "chain": ("collections.ChainMap({'a': 1})", "v['a'] == 1"),
    "point": ("Point(1, 2)", "v.y == 2 and type(v) is Point"),
    "named": ("Named(4)", "v.a == 4"),
    "typed": ("Typed(a=1)", "v == {'a': 1}"),
    "numbers": ("array.array('d', [1.0])", "v[0] == 1.0"),
    "exact": ("decimal.Decimal('1.10')", "str(v) == '1.10'"),
    "part": ("fractions.Fraction(1, 3)", "v == fractions.Fraction(1, 3)"),
    "day": ("datetime.date(2020, 1, 2)", "v.day == 2"),
    "moment": ("datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc)", "v.tzinfo"),
    "length": ("datetime.timedelta(1)", "v.days == 1"),
    "zone": ("zoneinfo.ZoneInfo('UTC')", "v.key == 'UTC'"),
    "ident": ("uuid.UUID(int=5)", "v.int == 5"),
    "path": ("pathlib.PurePosixPath('/a/b')", "v.name == 'b'"),
    "here": ("pathlib.Path('x')", "v.name == 'x'"),
    "address": ("ipaddress.ip_address('::1')", "v.is_loopback"),
    "pattern": ("re.compile('a+', re.I)", "v.match('AA')"),
    "colour": ("Colour.RED", "v is Colour.RED"),
    "flags": ("Flags.A | Flags.B", "v == Flags.A | Flags.B"),
    "space": ("types.SimpleNamespace(a=[1])", "v.a == [1]"),
    "error": ("ValueError('bad', 3)", "v.args == ('bad', 3)"),
    "own_error": ("Failed('x')", "type(v) is Failed"),
    "dice": ("random.Random(4)", "v.random() == random.Random(4).random()"),
    "node": ("tree.fromstring('<a><b/></a>')", "v[0].tag == 'b'"),
    "syntax": ("ast.parse('x = 1')", "v.body[0].value.value == 1"),
    "words": ("string.Template('$a')", "v.substitute(a=1) == '1'"),
    "logger": ("logging.getLogger('mine')", "v is logging.getLogger('mine')"),
    "memory_text": ("io.StringIO('abc')", "v.getvalue() == 'abc'"),
    "memory_raw": ("io.BytesIO(b'abc')", "v.getvalue() == b'abc'"),
    "bound": ("functools.partial(add, 1)", "v(c=0) == 3"),
    "cached": ("functools.lru_cache(maxsize=5)(fact)", "v(4) == 24"),
    "getter": ("operator.itemgetter(1)", "v('ab') == 'b'"),
    "builtin": ("len", "v is len"),
    "library": ("json.dumps", "v is json.dumps"),
    "method": ("Plain(3).twice", "v() == 6"),
    "kind": ("int", "v is int"),
    "generic": ("list[int]", "v == list[int]"),
    "union": ("typing.Optional[int]", "v == typing.Optional[int]"),
    "counter": ("itertools.count(5)", "next(v) == 5"),
    "plain": ("Plain([1])", "v.x == [1] and type(v) is Plain and v.kind == 'plain'"),
    "child": ("Child(2)", "v.twice() == 4"),
    "data": ("Data(4)", "v == Data(4)"),
    "abstract": ("Own()", "v.go() == 'gone' and isinstance(v, Base)"),
    "nested": ("[Plain(Plain(1))]", "v[0].x.x == 1"),
    "function": ("add", "v(1) == 6"),
    "closure": ("outer(); closure()", "v() == 2"),
    "recursive": ("fact", "v(5) == 120"),
    "decorated": ("wrapped", "v(1) == 6 and v.__name__ == 'add'"),
    "short": ("lambda text, n=3: text[:n]", "v('abcdef') == 'abc'"),
    "functions": ("{'a': lambda: 1, 'b': add}", "v['a']() == 1 and v['b'](1) == 6"),
    "asynchronous": ("later", "inspect.iscoroutinefunction(v)"),
    "generating": ("stream", "list(v()) == [1]"),
    "module": ("math", "v is math"),
    "vector": ("np.arange(5.0)", "v.sum() == 10"),
    "matrix": ("np.ones((200, 300))", "v.shape == (200, 300) and v.flags.writeable"),
    "fortran": ("np.asfortranarray(np.ones((20, 30)))", "v.flags.f_contiguous"),
    "strided": ("np.arange(900)[::3]", "v[1] == 3 and len(v) == 300"),
    "reversed_": ("np.arange(900)[::-1]", "v[0] == 899"),
    "strings": ("np.array(['a', 'bc'])", "v[1] == 'bc'"),
    "objects": ("np.array([Plain(1), None], dtype=object)", "v[0].x == 1"),
    "records": ("np.zeros(3, dtype=[('a', 'i4')])", "v['a'].sum() == 0"),
    "masked": ("np.ma.array([1, 2], mask=[0, 1])", "v.sum() == 1"),
    "times": ("np.array(['2020-01-01'], dtype='M8[D]')", "str(v[0]) == '2020-01-01'"),
    "fixed": ("np.arange(3); fixed.flags.writeable = False", "v.sum() == 3"),
    "scalar": ("np.float64(1.5)", "v == 1.5 and type(v) is np.float64"),
    "dtype": ("np.dtype('int32')", "v == np.dtype('int32')"),
    "rng": ("np.random.default_rng(3)", "v.random() == np.random.default_rng(3).random()"),
    "poly": ("np.polynomial.Polynomial([1, 2])", "v(1) == 3"),
    "ufunc": ("np.sin", "v is np.sin"),
    "frame": ("pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})", "v.b[1] == 'y'"),
    "series": ("pd.Series([1, 2], name='s')", "v.name == 's' and v.sum() == 3"),
    "index": ("pd.Index([1, 2], name='i')", "v.name == 'i'"),
    "days": ("pd.date_range('2020', periods=3)", "str(v.freq) == '<Day>'"),
    "levels": (
        "pd.DataFrame(1, pd.MultiIndex.from_product([[1], list('ab')]), ['x'])",
        "v.x.sum() == 2",
    ),
    "category": ("pd.Categorical(['a', 'b', 'a'])", "list(v.codes) == [0, 1, 0]"),
    "stamp": ("pd.Timestamp('2020-01-01', tz='UTC')", "v.year == 2020"),
    "gap": ("pd.NA", "v is pd.NA"),
    "grouped": ("pd.DataFrame({'a': [1, 1], 'b': [2, 3]}).groupby('a')", "v.b.sum()[1] == 5"),
    "arrow_like": ("pl.DataFrame({'a': [1, 2]})", "v['a'].sum() == 3"),
    "column": ("pl.Series('s', [1, 2])", "v.sum() == 3"),
    "lazy": ("pl.DataFrame({'a': [1]}).lazy()", "v.collect()['a'][0] == 1"),
    "formula": ("pl.col('a') + 1", "pl.DataFrame({'a': [1]}).select(v)['a'][0] == 2"),
    "figure": ("plt.figure(); figure.add_subplot().plot([1, 2])", "len(v.axes[0].lines) == 1"),
    "picture": ("Image.new('RGB', (4, 3), 'red')", "v.size == (4, 3)"),
    "random_state": ("np.random.RandomState(3)", "v.rand() == np.random.RandomState(3).rand()"),
    "sparse_like": ("pd.arrays.SparseArray([0, 0, 1])", "v.sum() == 1"),
    "interval": ("pd.Interval(0, 1)", "0.5 in v"),
    "holder": ("{'frame': pd.DataFrame({'a': [1]}), 'f': lambda: 1}", "v['f']() == 1"),
}
_LOST = {
    "generator": ("stream()", "again", "generator"),
    "expression": ("(n for n in 'ab')", "again", "generator"),
    "opened": ("open('log.txt', 'w')", "again", "file"),
    "lock": ("threading.Lock()", "again", "lock"),
    "held_lock": ("{'lock': threading.RLock()}", "again", "lock"),
    "sock": ("socket.socket()", "again", "socket"),
    "database": ("sqlite3.connect(':memory:')", "again", "connection"),
    "thread": ("threading.Thread(target=len)", "again", "thread"),
    "window": ("memoryview(b'ab')", "again", "view"),
    "waiting": ("queue.Queue()", "again", "lock"),
    "weak": ("weakref.ref(Plain)", "lost", "reference"),
    "local": ("maker()", "lost", "local_class"),
    "refusing": ("Refuses()", "lost", "unpicklable"),
    "key": ("'sk-' + 'abcd1234' * 4", "lost", "secret"),
    "settings": ("{'url': 'x', 'token': 'ghp_' + 'a1' * 18}", "lost", "secret"),
    "password": ("'correct horse'", "lost", "secret"),
}
_SAVE = {"known": [], "limit": 10**9, "most_forked": 10**9, "seconds": 60, "is_whole": False}


def _answer(talk: Talk, command: str, **fields: object) -> dict[str, Any]:
    """Return the answer of a kernel to a question."""
    talk.send(command, ask="1", **fields)
    _, marks = talk.read_until("answer")
    answer: dict[str, Any] = json.loads((talk.spool / marks[-1].text("file")).read_text())
    return answer


def _bring_back(saved: dict[str, Any], source: Talk, target: Talk) -> dict[str, Any]:
    """Give another kernel what one has saved."""
    rows = saved["names"]
    plan = {
        "python": saved["python"],
        "delete": [],
        "rows": [{"source": "", **row} for row in rows],
        "imports": [{**row, "source": ""} for row in rows if row["verdict"] == "import"],
        "classes": [row for row in rows if row["verdict"] == "source"],
        "groups": saved["groups"],
    }
    for group in saved["groups"]:
        shutil.copy(source.spool / group["file"], target.spool / group["file"])
    (target.spool / "plan.json").write_text(json.dumps(plan))
    return _answer(target, "restore", file="plan.json", seconds=60)


@pytest.fixture
def pair(tmp_path: Path) -> Any:
    """Two kernels of this Python."""
    talks: list[Talk] = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        talks.append(Talk(sys.executable, tmp_path / name))
    yield talks
    for talk in talks:
        talk.close()


def _rows(saved: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in saved["names"]}


def test_each_kind_of_object_is_kept_or_says_why_not(pair: list[Talk]) -> None:
    first, second = pair
    made = [f"{name} = {expression}" for name, (expression, *_) in (_KEPT | _LOST).items()]
    text, _ = first.run(_BEFORE + "\n".join(made))
    assert text == ""
    saved = _answer(first, "save", **_SAVE)
    rows = _rows(saved)
    kept = ("kept", "import", "source")
    assert {name: rows[name] for name in _KEPT if rows[name]["verdict"] not in kept} == {}
    found = {name: (rows[name]["verdict"], rows[name]["why"]) for name in _LOST}
    assert found == {name: (verdict, why) for name, (_, verdict, why) in _LOST.items()}
    answer = _bring_back(saved, first, second)
    assert answer["failed"] == []
    checks = {name: check for name, (_, check) in _KEPT.items()}
    code = f"""\
for name, check in {checks!r}.items():
    try:
        if not eval(check, {{**globals(), "v": globals()[name]}}):
            print(name, "is another")
    except Exception as error:
        print(name, repr(error))
"""
    assert second.run(code)[0] == ""
    assert len(_KEPT | _LOST) >= 120


def test_names_that_share_objects_come_back_sharing_them(pair: list[Talk]) -> None:
    first, second = pair
    first.run("""\
import numpy as np, pandas as pd
whole = np.arange(100_000.0)
same, part, few, square = whole, whole[50_000:], whole[5:8], whole.reshape(100, 1000)
inner = [1]
outer, other = [inner], {"inner": inner}
class Node:
    def __init__(self): self.next = None
start, end = Node(), Node()
start.next, end.next = end, start
frame = pd.DataFrame({"x": range(1000), "y": "text"})
columns, alias = frame[["x"]], frame
def count():
    inner.append(len(inner))
    return inner
alone = whole.copy()
""")
    saved = _answer(first, "save", **_SAVE)
    groups = {frozenset(group["names"]) for group in saved["groups"]}
    assert frozenset({"whole", "same", "part", "few", "square"}) in groups
    assert {frozenset({"alone"}), frozenset({"frame", "alias"})} <= groups
    assert sum(group["size"] for group in saved["groups"]) < 2 * 800_000 + 60_000
    assert _bring_back(saved, first, second)["failed"] == []
    text, _ = second.run("""\
print(same is whole, outer[0] is inner, other["inner"] is inner, alias is frame)
print(start.next is end and end.next is start)
few[0] = part[0] = square[0, 0] = -1
print(whole[5], whole[50_000], whole[0], alone[5])
columns.loc[0, "x"] = 7
print(frame.x[0], count() is inner, outer)
""")
    assert text == "True True True True\nTrue\n-1.0 -1.0 -1.0 5.0\n0 True [[1, 1]]\n"


@pytest.mark.parametrize(
    ("code", "touched"),
    [
        ("print(1 + 1)", ""),
        ("print(numbers, len(items), f'{frame}')", ""),
        ("frame.describe(); frame.x.mean(); frame.head()", ""),
        ("numbers.sum() + 1; total = numbers.mean()", "total"),
        ("count += 1", "count"),
        ("items.append(3)", "items"),
        ("numbers[0] = 3", "numbers"),
        ("frame['z'] = 1", "frame"),
        ("other = items", "items other"),
        ("bump()", "bump count items"),
        ("thing.bump()", "thing count"),
        ("print(kinds[0])", "count"),
        ("def later():\n    items.append(1)", "later"),
        ("for n in items: pass", "n"),
        ("print(rows, rows[0], len(rows[0]), rows.copy())", ""),
        ("print(rows[0].get(1))", "rows"),
        ("other = rows.copy()", "other rows"),
        ("other = items.copy()", "other"),
        ("print(found['a'])", "found"),
        ("print(sum(stream))", "stream"),
        ("print(frame.dropna(**options))", "frame options"),
        ("for row in rows: pass", "row rows"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    count = 3", "e count"),
        ("(got := items)", "got items"),
        ("sorted(items, key=lambda n: numbers.sort())", "items numbers"),
        ("exec('count = 4')", "*"),
        ("globals()['count'] = 4", "*"),
        ("%pwd", "*"),
    ],
)
def test_the_names_that_a_block_may_have_changed(code: str, touched: str) -> None:
    namespace: dict[str, Any] = {}
    exec(_NAMES, namespace)
    found = TouchedNames()
    found.add(ast.parse(code.replace("%pwd", "__playhead__.line('pwd', '')")), namespace)
    known = {name for name in found.names if name not in dir(builtins)}
    assert ("*" if found.all else known) == (touched if touched == "*" else set(touched.split()))


_NAMES = """\
import collections, numpy, pandas
__name__ = "__main__"
count, items, numbers = 0, [1, 2], numpy.arange(3)
frame, rows = pandas.DataFrame({"x": [1]}), [[1]]
found, stream, options = collections.defaultdict(list), iter(items), {"inplace": True}
def bump():
    global count
    count += 1
    items.append(count)
class Thing:
    def bump(self):
        global count
        count += 1
thing = Thing()
kinds = [dict, Thing, list]
"""


_REACHED = """\
import collections, itertools, numpy, functools, weakref
__name__ = "__main__"
class Node:
    def __init__(self, held): self.held = held
    def bump(self): count.append(1)
items, count, apart, text = [1], [2], [3], "x"
inner = {"deep": [items]}
node, numbers = Node(apart), numpy.arange(100_000)
part = numbers[10:20]
rows = [[n] for n in range(5000)]
def make(): yield count.pop()
def opaque(): yield exec("1")
"""


@pytest.mark.parametrize(
    ("expression", "reached"),
    [
        ("(n for n in range(3))", ""),
        ("iter(text)", ""),
        ("iter(items)", "items inner"),
        ("(n for n in inner['deep'])", "inner items"),
        ("make()", "count"),
        ("map(items.append, 'ab')", "items inner"),
        ("zip(apart, [numbers[5:7]])", "apart node numbers part"),
        ("itertools.chain(part)", "numbers part"),
        ("Node((n for n in 'ab'))", "count"),
        ("filter(functools.partial(print, node), 'a')", "node apart count"),
        ("{'back': weakref.ref(node), 'more': make}", "node apart count"),
        ("opaque()", "*"),
        ("numbers.flat", "*"),
        ("[weakref.proxy(node)]", "*"),
        ("iter([numpy.float64(1), numpy.dtype(int)])", ""),
        ("[memoryview(b'a'), numpy.array([items], object)]", "*"),
        ("iter([[n] for n in range(5000)])", "*"),
    ],
)
def test_what_a_value_without_a_save_may_have_changed(expression: str, reached: str) -> None:
    namespace: dict[str, Any] = {}
    exec(_REACHED, namespace)
    names = {name: value for name, value in namespace.items() if name[:2] != "__"}
    found = within_reach([eval(expression, namespace)], names, namespace)
    aside = {"rows", "make"}  # the first is too large to be gone through; a frame has its function
    assert found - aside == (names.keys() - aside if reached == "*" else set(reached.split()))
    assert "rows" in found


def test_only_what_is_new_is_written(pair: list[Talk]) -> None:
    kernel = pair[0]
    kernel.run("large, items, count = list(range(100_000)), [1], 0")
    saved = _answer(kernel, "save", **_SAVE)
    known = [group["key"] for group in saved["groups"]]
    kernel.run("print(len(large))")
    assert _answer(kernel, "save", **{**_SAVE, "known": known}) == {"is_same": True}
    kernel.run("large[0] = 0; count += 1")  # the same content again, and another one
    saved = _answer(kernel, "save", **{**_SAVE, "known": known})
    assert [group["names"] for group in saved["groups"] if group["file"]] == [["count"]]
    kernel.run("del items")
    saved = _answer(kernel, "save", **{**_SAVE, "known": known})
    assert _rows(saved).keys() == {"large", "count"}


def test_who_knows_the_last_state_gets_what_is_not_as_in_it(pair: list[Talk]) -> None:
    kernel = pair[0]
    kernel.run("a, b, c = 1, [2], 3")
    first = _answer(kernel, "save", **_SAVE)
    known = [group["key"] for group in first["groups"]]
    kernel.run("b.append(3); d = 4; del a")
    asked = {**_SAVE, "known": known}
    part = _answer(kernel, "save", **asked, since=first["step"])
    assert (sorted(_rows(part)), part["gone"]) == (["b", "c", "d"], ["a"])
    kernel.run("c = 5")
    whole = _answer(kernel, "save", **asked, since=first["step"])  # which is not the last one
    assert (sorted(_rows(whole)), whole["gone"]) == (["b", "c", "d"], None)


def test_what_was_saved_but_not_fetched_is_deleted_and_answered_again(pair: list[Talk]) -> None:
    kernel = pair[0]
    kernel.run("text, gone = 'x' * 9000, 1")
    known = [group["key"] for group in _answer(kernel, "save", **_SAVE)["groups"]]
    assert list(kernel.spool.glob("*.values"))
    kernel.run("del gone; import math")
    lost = _answer(kernel, "save", **{**_SAVE, "known": known})
    again = _answer(kernel, "save", **{**_SAVE, "known": known, "is_whole": True})
    assert again["names"] == lost["names"]
    assert list(kernel.spool.glob("*.values")) == []


def test_a_class_that_raises_wherever_it_is_asked_does_not_end_its_kernel(
    pair: list[Talk],
) -> None:
    kernel = pair[0]
    kernel.run("""\
class Meta(type):
    def __getattribute__(self, name): raise ZeroDivisionError(name)
class Hostile(metaclass=Meta):
    @property
    def __class__(self): raise ZeroDivisionError
hostile, x = Hostile(), 1
""")
    rows = _rows(_answer(kernel, "save", **_SAVE))
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "Meta": "source",
        "Hostile": "source",
        "hostile": "lost",
        "x": "kept",
    }


def test_what_was_typed_as_a_secret_is_in_no_file(pair: list[Talk]) -> None:
    kernel = pair[0]
    kernel.begin(
        "import getpass\nword = getpass.getpass()\nheader = ['Bearer ' + word]; x = 1\n"
        "class Client:\n    key = 'sk-0123456789abcdefghijklmnop'"
    )
    _, marks = kernel.read_until("input")
    kernel.send("input", run="run-1", id=marks[-1].text("id"), text="opensesame")
    kernel.read_until("idle")
    rows = _rows(_answer(kernel, "save", **_SAVE))
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "getpass": "import",
        "word": "lost",
        "header": "lost",
        "x": "kept",
        "Client": "lost",
    }
    assert rows["Client"].get("source", "") == ""
    assert not any(b"sesame" in file.read_bytes() for file in kernel.spool.glob("*.values"))
