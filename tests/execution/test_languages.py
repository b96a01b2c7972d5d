from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import pytest

from playhead.execution.languages import Languages
from playhead.kernel.driver import Driver


class Whitespace(Driver):
    word = "whitespace"
    name = "Whitespace"
    aliases = ("ws",)
    programs = ("wspace", "whitespace")
    install: ClassVar = {sys.platform: "Install the package whitespace.", "": "Ask its makers."}


class Elsewhere(Whitespace):
    word = "elsewhere"
    name = "Elsewhere"
    programs = ("elsewhere",)
    install: ClassVar = {"no such system": "Never said."}


def put_program(folder: Path, name: str) -> str:
    program = folder / name
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def known(tmp_path: Path) -> Languages:
    return Languages(str(tmp_path), (Whitespace, Elsewhere))


@pytest.mark.parametrize("word", ["python", "py", "Python", " python3 ", "PY"])
def test_words_for_python_mean_python(word: str) -> None:
    assert Languages(None).canonical(word) == "python"


@pytest.mark.parametrize("word", ["", "text", "json", "output", "pythonic"])
def test_other_words_mean_nothing_that_can_be_run(word: str) -> None:
    languages = Languages(None)
    assert languages.canonical(word) is None
    assert languages.why_not(word) == ""


def test_languages_have_names_for_people() -> None:
    assert Languages(None).name("python") == "Python"
    assert Languages(None).name("cobol") == "cobol"


def test_a_language_is_offered_from_the_moment_its_program_is_there(
    known: Languages, tmp_path: Path
) -> None:
    assert known.offered == ()
    assert known.canonical("ws") is None
    assert known.program("whitespace") == ""
    program = put_program(tmp_path, "whitespace")
    assert known.offered == ("whitespace",)
    assert known.canonical("WS") == "whitespace"
    assert known.program("whitespace") == program
    assert known.why_not("ws") == ""


def test_the_best_program_of_a_language_is_taken(known: Languages, tmp_path: Path) -> None:
    put_program(tmp_path, "whitespace")
    best = put_program(tmp_path, "wspace")
    assert known.program("whitespace") == best


def test_who_asks_for_what_is_missing_is_told_what_to_install(known: Languages) -> None:
    expected = "Whitespace is not installed here. Install the package whitespace."
    assert known.why_not("ws") == expected
    assert known.why_not("elsewhere") == "Elsewhere does not run on this system."


def test_an_alias_of_two_languages_means_the_one_that_can_run(
    known: Languages, tmp_path: Path
) -> None:
    put_program(tmp_path, "elsewhere")
    assert known.canonical("ws") == "elsewhere"
    put_program(tmp_path, "wspace")
    assert known.canonical("ws") == "whitespace"
