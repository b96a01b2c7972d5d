"""The colouring service gives spans in characters."""

from __future__ import annotations

import sys

import pytest

from playhead.ui.editor.code.code_colourer import CodeColourer


def named(code: str, spans: list[tuple[int, int, str]]) -> list[tuple[str, str]]:
    return [(code[start : start + length], name) for start, length, name in spans]


def test_python_is_told_apart(qapp: object) -> None:
    code = 'def trend(x):\n    return x + 1.5  # slope\ns = "text"\n'
    spans = named(code, CodeColourer().spans("python", code))
    assert ("def", "keyword") in spans
    assert ("trend", "function") in spans
    assert ("1.5", "number") in spans
    assert ("# slope", "comment") in spans
    assert ('"text"', "string") in spans


def test_spans_count_characters_where_bytes_are_more(qapp: object) -> None:
    code = 'größe = "äöü€𝄞"  # Maß\nreturn'
    spans = named(code, CodeColourer().spans("python", code))
    assert ('"äöü€𝄞"', "string") in spans
    assert ("# Maß", "comment") in spans
    assert ("return", "keyword") in spans


def test_languages_can_alternate(qapp: object) -> None:
    colouring = CodeColourer()
    assert ("import", "keyword") in named("import x", colouring.spans("py", "import x"))
    assert ("fi", "keyword") in named("if x; fi", colouring.spans("bash", "if x; fi"))
    assert ("import", "keyword") in named("import x", colouring.spans("python", "import x"))


def test_an_unknown_language_and_no_code_are_plain(qapp: object) -> None:
    assert CodeColourer().spans("klingon", "import x") == []
    assert CodeColourer().spans("python", "") == []


def test_without_the_binding_all_code_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playhead.ui.editor.code.scintilla_editor", None)
    assert CodeColourer().spans("python", "import x") == []
