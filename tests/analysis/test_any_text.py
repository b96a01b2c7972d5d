"""No text makes the reading of code fail, or take more than its length."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.analysis.code_facts import CODE_LIMIT, facts_of
from tests.support.fact_corpus import WHERE, risky

LANGUAGES = ["python", "bash", "javascript", "ruby", "java", "r", ""]
PIECES = [
    *(one.code for one in risky(is_held_back=False)[::7]),
    *"(){}[]\"'`$!%\\\n\t;|&<>=+*/.,:#@~",
    "\x00", "\ud800", "é", "os.remove(", "exec(", "%%bash\n", "!rm ", "<<EOF\n", "f'{", "${", "#{",
    "def f(x):\n", "for a in b:\n ", "lambda:", "await ", "import x\n", "if 1:\n", "\\\n", "$(",
    "'''",
]  # fmt: skip


@given(language=st.sampled_from(LANGUAGES), pieces=st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_text_makes_it_raise(language: str, pieces: list[str]) -> None:
    code = "".join(pieces)
    for fact in facts_of(language, code, WHERE).facts:
        assert fact.line >= 1


@given(language=st.sampled_from(LANGUAGES), code=st.text(max_size=200))
def test_no_characters_make_it_raise(language: str, code: str) -> None:
    facts_of(language, code, WHERE)


DEEP = {
    "python": [
        "x=" + "(" * 5_000, "f(" * 80 + ")" * 80, "a.b()." * 2_000 + "c()", "+".join("a" * 3_000),
        "f'{x}' + " * 2_000 + "'a'", "if 1:\n pass\n" + "elif 1:\n pass\n" * 3_000,
        "a = a + a\n" * 3_000, "def f(x): f(x)\nf(1)\n" * 1_500, "x = [" + "'a'," * 20_000 + "]\n",
        "for a in b:\n os.remove(a)\n" * 2_000, "!x\n" * 5_000, "not " * 3_000 + "x",
        "-" * 9_000 + "1",
    ],
    "bash": ["$(" * 3_000, "{" * 5_000, "a | " * 5_000 + "b", "rm $x\n" * 5_000, '"' * 5_001],
    "javascript": ["[" * 5_000, "a." * 8_000 + "b()", "fs.rm(" * 2_000, "`${" * 3_000],
    "ruby": ["[" * 5_000, "a." * 8_000 + "b()", "#{" * 3_000],
    "java": ["class A {" * 2_000, "a." * 8_000 + "b()", "(" * 5_000],
}  # fmt: skip


@pytest.mark.parametrize("language", DEEP)
def test_deep_and_repeated_code_takes_no_more_than_its_length(language: str) -> None:
    for code in DEEP[language]:
        assert len(code) <= CODE_LIMIT
        began = time.process_time()
        facts_of(language, code, WHERE)
        spent = time.process_time() - began
        # Many times what ordinary code of that length takes: a square of it would take minutes.
        assert spent < 1.0 + len(code) * 50e-6, code[:40]
