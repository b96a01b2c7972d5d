"""Comment and indent whole lines: pure text in, text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playhead.ui.editor.languages import comment_marks

INDENT = "    "
LineChange = Callable[[Sequence[str]], list[str]]


def toggle_comment(lines: Sequence[str], language: str) -> list[str] | None:
    """The lines commented out, or back in if all of them are; None: there are no comments here."""
    marks = comment_marks(language)
    if marks is None:
        return None
    opening, closing = marks
    filled = [line for line in lines if line.strip()]
    if filled and all(_is_comment(line, opening, closing) for line in filled):
        return [_uncommented(line, opening, closing) for line in lines]
    # A mark on a line that is blank makes sense only where there is nothing else to mark.
    column = min((_depth(line) for line in filled), default=0)
    return [
        _commented(line, column, opening, closing) if line.strip() or not filled else line
        for line in lines
    ]


def indent(lines: Sequence[str]) -> list[str]:
    """Each line a step further in; what is blank stays so."""
    return [INDENT + line if line.strip() else line for line in lines]


def unindent(lines: Sequence[str]) -> list[str]:
    """Each line a step further out, as far as it is indented."""
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
