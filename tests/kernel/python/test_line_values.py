from __future__ import annotations

import json
from typing import Any

from tests.kernel.marks import of_kind
from tests.kernel.python.test_running_line import COUNT_LOOKS


def values_of(talk: Any, code: str, **options: object) -> dict[tuple[int, str], tuple[Any, ...]]:
    """What the kernel says of the lines of a code that has run: text, kind, values seen."""
    talk.run(code, values=True, **options)
    talk.send("values", ask="1", code=code)
    answer = of_kind(talk.read_until("answer")[1], "answer")[-1]
    rows = json.loads((talk.spool / answer.text("file")).read_text())["values"]
    return {(line, name): (text, kind, seen) for line, _, name, text, kind, seen in rows}


def test_a_statement_has_the_values_that_it_assigned(talk: Any) -> None:
    code = (
        "a = 1\nb, *c = 'text', 2.5, None\na += 41\nd: int = 3\n"
        "e = [a] * 1000\nf = {'k': 1}\ng = lambda: 1"
    )
    found = {place: text for place, (text, kind, _) in values_of(talk, code).items()}
    assert found == {
        (1, "a"): "1",
        (2, "b"): "'text'",
        (2, "c"): "list · 2",
        (3, "a"): "42",
        (4, "d"): "3",
        (5, "e"): "list · 1000",
        (6, "f"): "dict · 1",
    }


def test_a_loop_has_its_last_values_and_some_that_were_seen(talk: Any) -> None:
    talk.run(COUNT_LOOKS)
    code = "total = 0\nfor n in range(3):\n    total += n\n    be_seen(2)\nif n > 5:\n    total = 9"
    found = values_of(talk, code)
    assert found[1, "total"][:2] == ("0", "exact")
    assert found[2, "n"][:2] == ("2", "last")
    text, kind, seen = found[3, "total"]
    assert (text, kind) == ("3", "last")
    assert seen[0] == "0"
    assert set(seen) <= {"0", "1", "3"}
    assert (6, "total") not in found


def test_no_class_of_a_value_is_asked_and_no_secret_is_kept(talk: Any) -> None:
    code = (
        "class Loud:\n    def __repr__(self):\n        print('called')\n        return 'x'\n"
        "    def __len__(self):\n        print('called')\n        return 1\n"
        "    shape = property(lambda self: print('called'))\n"
        "loud = Loud()\nmany = [Loud()]\n"
        "api_key = 'abc'\nfound = 'sk-' + 'a' * 40\nplain = 'b'"
    )
    text, _ = talk.run(code, values=True)
    found = values_of(talk, code)
    assert text == ""
    assert {name: row[0] for (_, name), row in found.items()} == {
        "loud": "Loud",
        "many": "list · 1",
        "plain": "'b'",
    }


def test_values_are_bounded_and_only_kept_if_that_is_wanted(talk: Any) -> None:
    code = "\n".join(f"x{n} = {'9' * 100}" for n in range(600))
    found = values_of(talk, code)
    assert len(found) == 500
    assert max(len(text) for text, _, _ in found.values()) <= 60
    talk.run("y = 1")
    talk.send("values", ask="2", code="y = 1")
    answer = of_kind(talk.read_until("answer")[1], "answer")[-1]
    assert json.loads((talk.spool / answer.text("file")).read_text()) == {"values": []}
