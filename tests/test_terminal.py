"""What a person at a terminal is shown and asked, without the terminal."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from playhead.domain.text.terminal import OutputFilter, visible, without_controls
from playhead.errors import AppError
from playhead.terminal import keyboard
from playhead.terminal.screen import Piece, Prose, Words
from playhead.terminal.terminal_display import CodeLines, TerminalDisplay

Wire = dict[str, Any]


def shown(*chunks: Wire, width: int = 60, is_terminal: bool = False, **environment: str) -> str:
    """What the display writes for these chunks."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        force_terminal=is_terminal,
        force_jupyter=False,
        _environ={"TERM": "xterm-256color", **environment},
    )
    display = TerminalDisplay(console)
    for chunk in chunks:
        display.show(chunk)
    display.close()
    return file.getvalue()


def whole(role: str, kind: str, *pieces: str, **fields: Any) -> list[Wire]:
    head = {"role": role, "type": kind, **fields}
    return [
        {**head, "start": True},
        *({**head, "content": piece} for piece in pieces),
        {**head, "end": True},
    ]


def console(*chunks: Wire) -> list[Wire]:
    head = {"role": "computer", "type": "console"}
    return [
        {**head, "start": True},
        *({**head, **chunk} for chunk in chunks),
        {**head, "end": True},
    ]


def output(text: str) -> Wire:
    return {"format": "output", "content": text}


def line(number: int | None) -> Wire:
    return {"format": "active_line", "content": None if number is None else str(number)}


# Prose


def styled(text: str) -> list[Piece]:
    prose = Prose()
    return [*prose.feed(text), *prose.finish()]


def test_marks_of_markdown_become_styles():
    assert styled("# Title\nsome **bold**, *soft* and `code`\n") == [
        ("Title\n", "bold"),
        ("some ", ""),
        ("bold", "bold"),
        (", ", ""),
        ("soft", "italic"),
        (" and ", ""),
        ("code", "cyan"),
        ("\n", ""),
    ]


@pytest.mark.parametrize(
    "text", ["2 * 3 * 4", "* item\n", "a*b*c", "#hash", "1. item", "`", "**", "####### deep"]
)
def test_what_is_no_mark_loses_no_text(text: str):
    kept = "".join(part for part, _ in styled(text))
    assert kept.replace("*", "").replace("`", "") == text.replace("*", "").replace("`", "")
    if text not in ("`", "**"):
        assert kept == text


def test_a_fence_loses_its_marks_and_nothing_in_it_is_markdown():
    assert styled("```text\na *b* # c\n~~~\n```\nafter") == [
        ("a *b* # c\n~~~\n", "cyan"),
        ("after", ""),
    ]


def test_a_shorter_fence_and_code_in_a_line_open_and_close_no_block():
    assert styled("````\n```\n``` x\n````\nafter") == [("```\n``` x\n", "cyan"), ("after", "")]
    assert styled("```a``` b") == [("a", "cyan"), (" b", "")]


@given(st.text(alphabet="a *`#~\n", max_size=60), st.data())
def test_however_prose_is_split_it_looks_the_same(text: str, data: st.DataObject):
    cut = data.draw(st.integers(0, len(text)))
    prose = Prose()
    pieces = [*prose.feed(text[:cut]), *prose.feed(text[cut:]), *prose.finish()]
    assert _characters(pieces) == _characters(styled(text))


def _characters(pieces: list[Piece]) -> list[Piece]:
    return [(character, style) for text, style in pieces for character in text]


@given(st.text(alphabet="ab \n日", max_size=80), st.integers(4, 12), st.data())
def test_lines_break_between_words_and_nowhere_else(text: str, width: int, data: st.DataObject):
    words, told, column = Words(), "", 0
    rest = text
    while rest:
        length = data.draw(st.integers(1, len(rest)))
        pieces, column = words.feed([(rest[:length], "")], column, width)
        told += "".join(part for part, _ in pieces)
        rest = rest[length:]
    told += "".join(part for part, _ in words.finish(column, width))
    assert told.split() == text.split()
    for line in told.split("\n"):
        assert line.isspace() or cell_len(line) <= width or len(line.split()) == 1


# Safe text


def test_a_program_may_colour_its_output_and_do_nothing_else_to_the_terminal():
    output = OutputFilter()
    text = "\x1b[31mred\x1b[0m \x1b[2J\x1b]52;c;aGk=\x07\x1b]0;title\x1b\\a\x07b\x1b[?1049hc\x08"
    assert output.feed(text) == "\x1b[31mred\x1b[0m abc"


@given(st.text(alphabet="\x1b[]m31;ab\x07\\\n", max_size=40), st.data())
def test_however_output_is_split_no_sequence_but_colours_gets_through(
    text: str, data: st.DataObject
):
    cut = data.draw(st.integers(0, len(text)))
    output = OutputFilter()
    through = output.feed(text[:cut]) + output.feed(text[cut:]) + output.finish()
    while "\x1b" in through:
        _, _, after = through.partition("\x1b")
        assert after.startswith("[")
        body, mark, through = after[1:].partition("m")
        assert mark
        assert set(body) <= set("0123456789;:")


def test_code_shows_what_a_terminal_would_hide():
    assert visible("a\x1b[2K\u202eb\r\x00\u200b\U000e0041") == (
        "a\\u001b[2K\\u202eb\\u000d\\u0000\\u200b\\U000e0041"
    )
    assert visible("\tdef f():\n    return 'äé日'") == "\tdef f():\n    return 'äé日'"


def test_prose_has_no_control_characters():
    assert without_controls("a\x1b[8mb\x1b]0;x\x07c\rd\x9b") == "abcd"


def test_hidden_code_cannot_be_proposed():
    written = shown(*whole("assistant", "code", "ok()\x1b[1A\x1b[2K\nbad()", format="python"))
    assert "\\u001b[1A" in written
    assert "\x1b[1A" not in written


# Code


def test_code_comes_with_numbers_line_by_line():
    lines = CodeLines("python")
    assert lines.feed("a = 1\nb =") != []
    assert [text.plain for text in lines.feed(" 2\n\nc")] == ["   2 │ b = 2", "   3 │ "]
    assert [text.plain for text in lines.finish()] == ["   4 │ c"]
    assert lines.finish() == []


def test_long_code_is_numbered_to_its_end():
    lines = CodeLines("python")
    numbered = [text.plain for i in range(160) for text in lines.feed(f"x{i} = {i}\n")]
    assert numbered[158] == " 159 │ x158 = 158"
    assert len(numbered) == 160


def test_a_language_without_colours_is_shown_all_the_same():
    lines = CodeLines("no-such-language")
    assert [text.plain for text in lines.feed("x\n")] == ["   1 │ x"]


# The display


def test_an_answer_with_code_reads_from_top_to_bottom():
    confirmation = {
        "role": "computer",
        "type": "confirmation",
        "format": "execution",
        "content": {"type": "code", "format": "python", "content": "6 * 7"},
    }
    report = {"role": "computer", "type": "run"}
    written = shown(
        *whole("assistant", "message", "Let me ", "see."),
        *whole("assistant", "code", "6", " * 7", format="python"),
        confirmation,
        {**report, "content": {"state": "started"}},
        *console(line(1), output("42\n"), line(None)),
        {**report, "content": {"state": "finished", "seconds": 0.25}},
        *whole("assistant", "message", "It is 42."),
    )
    assert written.splitlines() == [
        "Let me see.",
        "",
        "python",
        "   1 │ 6 * 7",
        "42",
        "ran for 0.2 s",
        "It is 42.",
    ]


def test_the_running_line_is_live_and_leaves_nothing_behind():
    chunks = [
        {
            "role": "computer",
            "type": "confirmation",
            "content": {"format": "python", "content": "one()\ntwo()"},
        },
        *console(line(2), output("out\n"), line(None)),
    ]
    written = shown(*chunks, is_terminal=True)
    assert "▶ 2 two()" in written
    last = written.rpartition("▶")[2]
    assert "\x1b[2K" in last  # it was erased
    assert "▶" not in shown(*chunks)
    assert "▶" not in shown(*chunks, is_terminal=True, TERM="dumb")


def test_a_narrow_terminal_breaks_between_words():
    written = shown(*whole("assistant", "message", "alpha beta gamma delta"), width=12)
    assert all(len(each) <= 20 for each in written.splitlines())
    assert written.split() == ["alpha", "beta", "gamma", "delta"]
    assert len(written.splitlines()) > 1


def test_without_colour_there_is_none():
    chunks = whole("assistant", "code", "print('x')", format="python")
    assert "\x1b[96" in shown(*chunks, is_terminal=True)
    assert "\x1b[96" not in shown(*chunks, is_terminal=True, NO_COLOR="1")
    assert "\x1b" not in shown(*chunks)


def test_a_progress_bar_shows_its_last_state():
    written = shown(*console(output("\r10%\r50%"), output("\r100%\ndone\n")))
    assert written.splitlines()[-2:] == ["100%", "done"]


def test_what_a_terminal_cannot_show_is_named():
    picture = whole("computer", "image", "/home/ada/plot.png", format="path")
    page = whole("computer", "code", "<b>x</b>", format="html")
    written = shown(*picture, *page)
    assert "/home/ada/plot.png" in written
    assert "html, 8 characters (not shown" in written
    assert "<b>" not in written
    named = shown(*whole("computer", "code", "<title>Sa\x1b[8m", "les</title>", format="html"))
    assert named == "html “Sales”, 24 characters (not shown in a terminal)\n"


def test_markdown_results_are_styled_text_and_formulas_stand_as_they_are():
    link = "\x1b[8m- [two](https://example.org)\n\n"
    pieces = ("# Head\n\n- **one**\n", link, "| a | b |\n|---|---|\n| 1 | 2 |")
    written = shown(*whole("computer", "code", *pieces, format="markdown"))
    assert "Head" in written
    assert " • one" in written
    assert "https://example.org" in written
    assert "**" not in written
    assert "|---|" not in written
    assert "\x1b" not in written
    assert max(map(len, written.splitlines())) < 60
    assert shown(*whole("computer", "code", "$x^2$", format="latex")) == "$x^2$\n"


def test_a_stopped_run_says_where(capsys: pytest.CaptureFixture[str]):
    content = {"state": "killed", "line": 3, "seconds": 2.5, "reason": "it did not stop"}
    written = shown({"role": "computer", "type": "run", "content": content})
    words = "■ The kernel ended at line 3 after 2.5 s: it did not stop. Its variables were lost.\n"
    assert written == words


def test_a_status_of_a_run_is_said():
    content = {"state": "finished", "seconds": 0.5, "exit_status": 3}
    written = shown({"role": "computer", "type": "run", "content": content})
    assert written == "ran for 0.5 s. It ended with status 3.\n"
    content = {"state": "finished", "seconds": 0.5}
    content["refused"] = [{"target": "a.example:443", "count": 2}]
    written = shown({"role": "computer", "type": "run", "content": content})
    assert written == "ran for 0.5 s\nRefused: a.example:443 (2×).\n"


def test_a_failure_goes_to_stderr_with_its_remedy(capsys: pytest.CaptureFixture[str]):
    display = TerminalDisplay(Console(file=io.StringIO()))
    display.fail(AppError("It \x1b[8mbroke.", detail="Half way.", remedy="Try again."))
    assert capsys.readouterr().err.split("\n")[:2] == ["✗ It broke.", "Half way. Try again."]


def test_unknown_kinds_are_skipped():
    odd = [{"role": "computer", "type": "hologram", "content": 1}, {"role": "x", "type": "y"}]
    assert shown(*odd, {"role": "computer", "type": "timing", "content": {"line": 1}}) == ""


# Asking


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A script that is the user's editor."""
    path = tmp_path / "an editor"
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f'"{path}" --wait')
    return path


def test_the_users_editor_changes_the_code(editor: Path):
    with editor.open("a") as script:
        script.write('[ "$1" = --wait ] || exit 1\n')
        script.write('case "$2" in *.py) ;; *) exit 1 ;; esac\n')
        script.write("echo ' + 1' >> \"$2\"\n")
    assert keyboard.edit_code("6 * 7", "python") == "6 * 7 + 1"
    assert keyboard.edit_code("6 * 7\n", "python") == "6 * 7\n + 1\n"


def test_the_visual_editor_comes_first():
    assert keyboard.editor_command({"VISUAL": "code -w", "EDITOR": "vi"}) == ["code", "-w"]
    assert keyboard.editor_command({"EDITOR": "nano"}) == ["nano"]
    assert keyboard.editor_command({}) == ["notepad" if os.name == "nt" else "vi"]


def test_without_a_person_nothing_is_decided(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    display = TerminalDisplay(Console(file=io.StringIO()))
    proposal = {"content": {"format": "python", "content": "1"}}
    assert display.decide(proposal) is None
    assert display.ask("Name: ", False) is None


@pytest.mark.parametrize("words", ["y but not yet", "yes, no", "y n"])
def test_only_a_plain_yes_lets_code_run(words: str, monkeypatch: pytest.MonkeyPatch):
    answers = iter([words, "n"])
    monkeypatch.setattr(keyboard, "is_interactive", lambda: True)
    monkeypatch.setattr(keyboard, "take_typed", lambda: "")
    monkeypatch.setattr(keyboard, "ask_line", lambda _: next(answers))
    display = TerminalDisplay(Console(file=io.StringIO()))
    assert display.decide({"content": {"format": "python", "content": "1"}}) == ("reject", "")


@pytest.mark.parametrize(("has_refused", "count"), [(True, 1), (False, 0)])
def test_refused_pictures_are_named_and_other_costs_are_not_shown(has_refused: bool, count: int):
    written = io.StringIO()
    display = TerminalDisplay(Console(file=written))
    usage = {"input_tokens": 1, "output_tokens": 1, "has_refused_images": has_refused}
    display.show({"role": "server", "type": "usage", "content": usage})
    assert written.getvalue().count("takes no pictures") == count
    assert "input_tokens" not in written.getvalue()
