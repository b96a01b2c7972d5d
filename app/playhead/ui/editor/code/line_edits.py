"""Comment and indent whole lines: as pure text, and in an editor as one change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playhead.ui.editor.code.editor_language import comment_marks

if TYPE_CHECKING:
    from playhead.ui.editor.code.code_editor import CodeEditor

INDENT = "    "
LineChange = Callable[[Sequence[str]], list[str]]


def toggle_comment(lines: Sequence[str], language: str) -> list[str] | None:
    """Return the lines commented out, or back in if all are; None if there are no comments."""
    marks = comment_marks(language)
    if marks is None:
        return None
    opening, closing = marks
    filled = [line for line in lines if line.strip()]
    if filled and all(_is_comment(line, opening, closing) for line in filled):
        return [_uncommented(line, opening, closing) for line in lines]
    # A blank line is commented out only if there is no other line.
    column = min((_depth(line) for line in filled), default=0)
    return [
        _commented(line, column, opening, closing) if line.strip() or not filled else line
        for line in lines
    ]


def indent(lines: Sequence[str]) -> list[str]:
    """Return each line indented by one more step; blank lines are left as they are."""
    return [INDENT + line if line.strip() else line for line in lines]


def unindent(lines: Sequence[str]) -> list[str]:
    """Return each line indented by one step less, as far as it is indented."""
    return [_unindented(line) for line in lines]


def _unindented(line: str) -> str:
    if line.startswith("\t"):
        return line[1:]
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, len(INDENT)) :]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_comment(line: str, opening: str, closing: str) -> bool:
    text = line.strip()
    return text.startswith(opening) and text.endswith(closing)


def _commented(line: str, column: int, opening: str, closing: str) -> str:
    column = min(column, len(line))
    ending = f" {closing}" if closing else ""
    return f"{line[:column]}{opening} {line[column:]}{ending}".rstrip()


def _uncommented(line: str, opening: str, closing: str) -> str:
    if not line.strip():
        return line
    depth = _depth(line)
    text = line[depth:].removeprefix(opening).removeprefix(" ")
    if closing:
        text = text.rstrip().removesuffix(closing).removesuffix(" ")
    return (line[:depth] + text) if text.strip() else ""


def selected_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the first and the last line, from 0, that a selection touches."""
    first = text.count("\n", 0, start)
    last = first + text.count("\n", start, end)
    if last > first and text[end - 1] == "\n":
        last -= 1
    return first, last


def line_replacement(
    text: str, first: int, count: int, lines: Sequence[str]
) -> tuple[int, int, str]:
    """Return the range and the text that replace `count` lines from `first` on by `lines`."""
    all_lines = text.split("\n")
    first = min(first, len(all_lines))
    count = min(count, len(all_lines) - first)
    starts = sum(len(line) + 1 for line in all_lines[:first])
    length = sum(len(line) + 1 for line in all_lines[first : first + count])
    new = "".join(f"{line}\n" for line in lines)
    end = starts + length
    if end > len(text):  # the last line has no line end: take the one before it
        if not first:
            return 0, len(text), new[:-1] if lines else ""
        return starts - 1, len(text), "".join(f"\n{line}" for line in lines)
    return starts, end, new


def change_selected(
    editor: CodeEditor, change: Callable[[Sequence[str]], Sequence[str] | None]
) -> bool:
    """Change the selected lines, or the cursor's, as one step; return whether that is possible."""
    text = editor.display_text()
    start, end = editor.selection()
    first, last = selected_lines(text, start, end)
    lines = text.split("\n")[first : last + 1]
    changed = change(lines)
    if changed is None:
        return False
    if list(changed) == lines or editor.is_cut:
        return True
    begins = sum(len(line) + 1 for line in text.split("\n")[:first])
    old, new = "\n".join(lines), "\n".join(changed)
    editor.replace_spans([(begins, begins + len(old), new)])
    if start == end:  # the cursor stays at its text
        place = max(begins, start + len(new) - len(old))
        editor.select(place, place)
    else:
        editor.select(begins, begins + len(new))
    return True
