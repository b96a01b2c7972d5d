"""The text of a model, cut anywhere: prose, `<think>` reasoning, and code in fences."""

from __future__ import annotations

from collections.abc import Callable

from playhead.domain.text.fences import Fence, may_open, opening_fence
from playhead.providers.parser.message_writer import MessageWriter

Canonical = Callable[[str], str | None]
"""Gives the offered language that a word names (`py` → `python`), or None."""

_NEVER_CODE = {"text", "txt", "json", "output", "console", "diff"}
_LONGEST_HELD = 300
"""No fence has such a line; held back it would grow with each piece."""

_WINDOW = 4_096
"""Characters that are looked at at once: each line is cut off what is left of them."""

_THINK_START = "<think>"
_THINK_END = "</think>"


class ProseParser:
    """Decides line by line; holds back only what may turn out to be a fence or a tag."""

    def __init__(self, writer: MessageWriter, canonical: Canonical, *, are_fences_code: bool):
        self._writer = writer
        self._canonical = canonical
        self.are_fences_code = are_fences_code
        self._is_line_start = True
        self._is_thinking = False
        self._has_line_end = False  # of the code's last line: it counts only if more code comes
        self._held: list[str] = []
        self._fence: Fence | None = None
        self._language: str | None = None  # of the open fence; None: it is prose

    @property
    def has_open_code(self) -> bool:
        """Return whether a fence of code has no closing line yet."""
        fence = self._fence
        if fence is None or self._language is None:
            return False
        return not fence.closes("".join(self._held))

    def feed(self, text: str) -> None:
        """Take a piece of the text."""
        if not (self._is_line_start or self._is_thinking or "\n" in text):
            self._write(text)  # inside a line, where nothing can begin or end
            self._writer.cut()
            return
        for start in range(0, len(text), _WINDOW):
            window, position = text[start : start + _WINDOW], 0
            while position < len(window):
                position += self._step(window[position:])
        self._writer.cut()

    def finish(self) -> None:
        """End the text and what is open in it."""
        if self._fence is not None and self._fence.closes("".join(self._held)):
            self._close_fence("")
        elif self._is_thinking:
            self._writer.write("".join(self._held), "reasoning")
            self._held.clear()
        self._release()
        self._writer.close()
        self._fence = None
        self._has_line_end = self._is_thinking = False
        self._is_line_start = True

    def _step(self, text: str) -> int:
        """Handle the beginning of the text; how much of it is done."""
        if self._is_thinking:
            return self._think(text)
        part = text[: text.find("\n") + 1] or text
        if not self._is_line_start:
            self._write(part)
        elif self._fence is not None:
            self._begin_fenced_line(part)
        else:
            return self._begin_line(part)
        return len(part)

    def _begin_line(self, part: str) -> int:
        line = "".join(self._held) + part
        bare = line.lstrip()
        if bare.startswith(_THINK_START):
            self._held.clear()
            self._is_thinking = True
            return len(part) - (len(bare) - len(_THINK_START))
        fence = opening_fence(line) if line.endswith("\n") else None
        if fence is not None:
            self._open_fence(part, fence)
        elif len(line) <= _LONGEST_HELD and _may_be_special(line, bare):
            self._held.append(part)
        else:
            self._release()
            self._write(part)
        return len(part)

    def _open_fence(self, part: str, fence: Fence) -> None:
        words = fence.info.strip("{}.").split()
        self._fence = fence
        self._language = self._language_of(words[0]) if words and self.are_fences_code else None
        if self._language is None:
            self._release()
            self._write(part)
        else:
            self._held.clear()
            self._writer.close()
        self._is_line_start = True

    def _language_of(self, word: str) -> str | None:
        return None if word.lower() in _NEVER_CODE else self._canonical(word.lower())

    def _begin_fenced_line(self, part: str) -> None:
        fence = self._fence
        assert fence is not None  # noqa: S101 - the caller looked
        line = "".join(self._held) + part
        if line.endswith("\n") and fence.closes(line):
            self._close_fence(part)
        elif len(line) <= _LONGEST_HELD and fence.may_close(line):
            self._held.append(part)
        else:
            self._unindent(part, fence)

    def _unindent(self, part: str, fence: Fence) -> None:
        """Remove as many spaces from a line of code as precede its fence."""
        if self._language is not None and fence.indent:
            line = "".join(self._held) + part
            spaces = len(line) - len(line.lstrip(" "))
            part = line[min(spaces, fence.indent) :]
            self._held.clear()
        self._release()
        self._write(part)

    def _close_fence(self, part: str) -> None:
        if self._fence is not None and self._language is None:
            self._release()
            self._write(part)
        else:
            self._writer.close()
            self._held.clear()
        self._fence = None
        self._has_line_end = False
        self._is_line_start = True

    def _release(self) -> None:
        """Write the pieces that were held back unchanged, because they are plain text."""
        for piece in self._held:
            self._write(piece)
            self._writer.cut()
        self._held.clear()

    def _write(self, part: str) -> None:
        fence = self._fence
        if not part:
            return
        self._is_line_start = part.endswith("\n")
        if fence is None or self._language is None:
            self._writer.write(part, "message")
            return
        if self._has_line_end:
            part = "\n" + part
        self._has_line_end = self._is_line_start
        code = part.removesuffix("\n") if self._has_line_end else part
        self._writer.write(code, "code", self._language)

    def _think(self, text: str) -> int:
        whole = "".join(self._held) + text
        self._held.clear()
        end = whole.find(_THINK_END)
        if end >= 0:
            self._writer.write(whole[:end], "reasoning")
            self._writer.close()
            self._is_thinking, self._is_line_start = False, True
            return len(text) - (len(whole) - end - len(_THINK_END))
        kept = _tag_beginning(whole)
        self._writer.write(whole[: len(whole) - kept], "reasoning")
        if kept:
            self._held.append(whole[-kept:])
        return len(text)


def _may_be_special(line: str, bare: str) -> bool:
    """Return whether the beginning of a line can still become a fence or a tag."""
    is_tag = _THINK_START.startswith(bare) and not line.endswith("\n")
    return is_tag or may_open(line)


def _tag_beginning(text: str) -> int:
    """Return how many characters at the end of the text may begin the closing tag."""
    for length in range(min(len(_THINK_END) - 1, len(text)), 0, -1):
        if text.endswith(_THINK_END[:length]):
            return length
    return 0
