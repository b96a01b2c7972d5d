"""Project messages, code and output onto the single text that a chat client shows."""

from __future__ import annotations

import re

from playhead.domain.conversation.payloads import Proposal

QUESTION = "Do you want to run this code?"
"""Ends an answer whose code waits for a yes."""
OUTPUT = "output"
"""The word of a fence that holds what code printed."""

_TICKS = re.compile("`+")
_FENCE = re.compile(r"(`{3,})([^`\s]*)")


class Projection:
    """Gathers text for `take()`; fences are on lines of their own.

    A fence is longer than any run of backticks in the text known when it opens. Output that has a
    longer run later continues in another fence; such code is written again before the question.
    """

    def __init__(self) -> None:
        self.length = 0
        """Code points written so far."""
        self._out: list[str] = []
        self._tail = ""
        self._needs_gap = False
        self._fence: _Fence | None = None
        self._word = ""
        self._last_code: Proposal | None = None

    def take(self) -> str:
        """Return the text that was written since the last call."""
        text = "".join(self._out)
        self._out.clear()
        return text

    def separate(self) -> None:
        """Separate the next text from what was written before."""
        self._needs_gap = True

    def message(self, text: str) -> None:
        """Write a piece of prose unchanged."""
        self._write_gap()
        self._write(text)

    def begin_fence(self, word: str) -> None:
        """Begin a fence of code or output; it opens with its first text."""
        self._fence = None
        self._word = re.sub(r"[`\s]", "", word)

    def fenced(self, text: str) -> None:
        """Write a piece of the fence's content."""
        if self._fence is not None and self._word == OUTPUT and not self._fence.holds(text):
            self.end_fence()
        if self._fence is None:
            self._fence = _Fence(self._word, text)
            self.separate()
            self._write_gap()
            self._write(f"{self._fence.mark}{self._word}\n")
        self._fence.add(text)
        self._write(text)

    def end_fence(self) -> None:
        """Write the end of the fence, if it has been opened."""
        fence, self._fence = self._fence, None
        if fence is None:
            return
        self._write("" if self._tail.endswith("\n") else "\n")
        self._write(fence.mark)
        self.separate()
        if fence.word != OUTPUT:
            code = "".join(fence.texts) if fence.is_sound else ""
            self._last_code = Proposal(id="", message_id="", language=fence.word, code=code)

    def block(self, text: str) -> None:
        """Write a paragraph."""
        self.separate()
        self.message(text)
        self.separate()

    def ask(self, proposal: Proposal | None) -> None:
        """Write the question whether to run this; its code directly precedes it."""
        if proposal is not None:
            asked = Proposal(id="", message_id="", language=proposal.language, code=proposal.code)
            if asked != self._last_code:
                self.begin_fence(proposal.language)
                self.fenced(proposal.code)
                self.end_fence()
        self.block(QUESTION)

    def _write_gap(self) -> None:
        """Write a blank line before a new part."""
        if self._needs_gap and self.length:
            self._write("\n" * (2 - (len(self._tail) - len(self._tail.rstrip("\n")))))
        self._needs_gap = False

    def _write(self, text: str) -> None:
        self._out.append(text)
        self.length += len(text)
        self._tail = (self._tail + text[-2:])[-2:]


class _Fence:
    """An open fence and its content."""

    def __init__(self, word: str, text: str) -> None:
        self.word = word
        self.mark = "`" * max(3, _longest_run(text) + 1)
        self.texts: list[str] = []
        self.is_sound = True
        self._ticks = 0

    def holds(self, text: str) -> bool:
        """Return whether the text cannot end the fence."""
        return _longest_run("`" * self._ticks + text) < len(self.mark)

    def add(self, text: str) -> None:
        """Take a piece."""
        self.is_sound = self.is_sound and self.holds(text)
        bare = text.rstrip("`")
        self._ticks = len(text) - len(bare) + (self._ticks if not bare else 0)
        if self.word != OUTPUT:
            self.texts.append(text)


def last_proposed_code(text: str) -> tuple[str, str] | None:
    """Return the (language, code) that one of our answers ends with asking about, or None."""
    text = text.rstrip()
    if not text.endswith(QUESTION):
        return None
    lines = text.removesuffix(QUESTION).rstrip().split("\n")
    closing = _FENCE.fullmatch(lines.pop())
    if closing is None or closing[2]:
        return None
    for place in range(len(lines) - 1, -1, -1):
        opening = _FENCE.fullmatch(lines[place])
        if opening is not None and opening[1] == closing[1]:
            is_code = opening[2] and opening[2] != OUTPUT
            return (opening[2], "\n".join(lines[place + 1 :])) if is_code else None
    return None


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
