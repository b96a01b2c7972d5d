"""Changes of whole lines as one change of the text: which lines are selected, what to put where."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playhead.ui.editor.code_editor import CodeEditor


def selected_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The first and the last line, from 0, that a selection touches."""
    first = text.count("\n", 0, start)
    last = first + text.count("\n", start, end)
    if last > first and text[end - 1] == "\n":
        last -= 1
    return first, last


def replacement(text: str, first: int, count: int, lines: Sequence[str]) -> tuple[int, int, str]:
    """Where to put what so that `lines` take the place of `count` lines from `first` on."""
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
    """Change the selected lines, or that of the cursor, as one step; False: no such change."""
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
