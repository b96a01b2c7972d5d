"""Errors carry finished English texts, and what a translation needs."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

from playhead.errors import AppError, ProviderError, phrase

GONE = phrase("{path} is not a folder.", path="/a {b}")


def test_a_phrase_is_the_finished_text() -> None:
    assert GONE == "/a {b} is not a folder."


def test_an_error_has_plain_texts_and_apart_from_them_the_templates() -> None:
    error = AppError(GONE, detail="It is gone.", remedy=phrase("Make {n} of them.", n=2))
    assert [type(text) for text in (error.title, error.detail, error.remedy)] == [str] * 3
    assert str(error) == "/a {b} is not a folder. It is gone. Make 2 of them."
    assert error.phrases == {
        "title": ("{path} is not a folder.", {"path": "/a {b}"}),
        "remedy": ("Make {n} of them.", {"n": "2"}),
    }


def test_copies_and_other_processes_get_the_whole() -> None:
    error = ProviderError(GONE, remedy="Make it.", code="gone", retry_after_s=2)
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert vars(other) == vars(error)
        assert str(other) == str(error)


def test_a_value_is_said_in_the_text_and_nowhere_else() -> None:
    error = AppError(GONE)
    template, values = error.phrases["title"]
    assert template.format_map(values) == error.title


def test_errors_load_nothing_else() -> None:
    code = "import sys; import playhead; before = set(sys.modules); import playhead.errors; "
    code += "print(set(sys.modules) - before)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "{'playhead.errors'}"
