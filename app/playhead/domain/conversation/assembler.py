"""Fold chunks into messages; record which line of code printed which line of output.

Chunks in a wrong order are refused.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.left_out import printed_lines
from playhead.domain.conversation.message import Message, MessageState
from playhead.domain.conversation.payloads import OutputTail, PrintedLines

FIRST_KEPT, LAST_KEPT = 1_000, 3_000
"""Changes of the line that are kept of long output; those in between are left out."""
_UNKNOWN = 0


class PrintedRecorder:
    """Follows one console: `move()` with the running line, `grow()` with what is printed."""

    def __init__(self, line: int | None = None) -> None:
        self.line = line
        self._at = 0.0
        self._marked_line: int | None = None
        self._first: list[tuple[float, int]] = []
        self._last: deque[tuple[float, int]] = deque(maxlen=LAST_KEPT)
        self._gap: float | None = None

    def move(self, line: int | None) -> None:
        """Set the current line of the code; None if it is not in any."""
        self.line = line

    def grow(self, text: str) -> None:
        """Add text that was printed while the current line ran."""
        self._mark_at(self._at)
        self._at = int(self._at) + printed_lines(text) + (0.0 if text.endswith("\n") else 0.5)

    def follow(self, tail: OutputTail) -> None:
        """Look at the last lines of what is not added before its end."""
        self._mark_at(int(self._at) + tail.lines + tail.text.count("\n"))

    def taken(self) -> PrintedLines | None:
        """Return the lines known so far; None if there are none."""
        gap = [] if self._gap is None else [(self._gap, _UNKNOWN)]
        marks = [*self._first, *gap, *self._last]
        if not any(line for _start, line in marks):
            return None
        return PrintedLines(tuple(at for at, _line in marks), tuple(line for _at, line in marks))

    def _mark_at(self, at: float) -> None:
        """Record the line if it moved; within one line of output, as a progress bar's, the last."""
        marks = self._last or self._first
        if self.line == self._marked_line or (marks and marks[-1][0] > at):
            return
        self._marked_line = self.line
        line = self.line or _UNKNOWN
        if marks and marks[-1][0] == at:
            marks[-1] = (at, line)
        elif len(self._first) < FIRST_KEPT:
            self._first.append((at, line))
        else:
            if len(self._last) == LAST_KEPT and self._gap is None:
                self._gap = self._last[0][0]
            self._last.append((at, line))


class ChunkOrderError(ValueError):
    """A chunk that the grammar of messages does not allow here: a defect of its source."""


class Assembler:
    """Holds the one message that is open.

    `new_id` and `now` (seconds since the epoch) are replaceable so that folds can be repeated.
    """

    def __init__(
        self,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._new_id = new_id
        self._now = now
        self._open: Message | None = None
        self._pieces: list[str] = []
        self._printed = PrintedRecorder()
        self.tail: OutputTail | None = None
        """The last lines of the open console that are not part of its text yet."""

    @property
    def open_message(self) -> Message | None:
        """Return the message that is streaming, with its text so far."""
        if self._open is None:
            return None
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return replace(self._open, content=self._pieces[0] if self._pieces else None)

    @property
    def open_id(self) -> str | None:
        """Return the id of the streaming message; cheaper than `open_message`."""
        return self._open.id if self._open else None

    @property
    def printed(self) -> PrintedLines | None:
        """Return the lines of code that printed the open console, or the last one."""
        return self._printed.taken()

    def start(self, chunk: Chunk, parent_id: str | None, at: float | None = None) -> Message:
        """Open a message below `parent_id`, of the time `at` if that is not now.

        Raises ChunkOrderError if one is open.
        """
        if self._open is not None:
            raise ChunkOrderError(
                f"{_name(chunk)} starts inside {self._open.role}/{self._open.type}"
            )
        self._open = Message(
            id=self._new_id(),
            parent_id=parent_id,
            role=chunk.role,
            type=chunk.type,
            format=chunk.format,
            call_id=chunk.id,
            recipient=chunk.recipient,
            created_at=self._now() if at is None else at,
            state="streaming",
        )
        self._pieces, self.tail = [], None
        if chunk.type == "console":  # the line keeps running over the pictures between two consoles
            self._printed = PrintedRecorder(self._printed.line)
        return self._open

    def grow(self, chunk: Chunk) -> str:
        """Add content to the open message; return its id. Raises ChunkOrderError if it cannot."""
        message = self._expect_open(chunk)
        if chunk.format == "active_line":
            self._printed.move(chunk.content if isinstance(chunk.content, int) else None)
            return message.id
        if isinstance(chunk.content, OutputTail):
            self.tail = chunk.content
            self._printed.follow(chunk.content)
            return message.id
        if not isinstance(chunk.content, str) or not chunk.content:
            raise ChunkOrderError(f"{_name(chunk)} carries no text")
        self.tail = None
        self._pieces.append(chunk.content)
        if message.type == "console":
            self._printed.grow(chunk.content)
        return message.id

    def end(self, chunk: Chunk, state: MessageState = "complete") -> Message:
        """Close the open message; the whole of it. Raises ChunkOrderError if it is another one."""
        message = self._expect_open(chunk)
        self._open = None
        text = "".join(self._pieces)
        self._pieces, self.tail = [], None
        return replace(message, content=text, state=state)

    def single(self, chunk: Chunk, parent_id: str | None, at: float | None = None) -> Message:
        """Return a message made of one chunk. Raises ChunkOrderError if a message is open."""
        message = self._standalone(chunk, parent_id, at)
        return replace(message, content=chunk.content, call_id=chunk.id)

    def beside(self, chunk: Chunk, parent_id: str) -> Message:
        """Return a note kept beside a message, in the form of one; others may be open meanwhile."""
        return Message(
            id=self._new_id(),
            parent_id=parent_id,
            role=chunk.role,
            type=chunk.type,
            format=chunk.format,
            content=chunk.content,
            created_at=self._now(),
        )

    def _standalone(self, chunk: Chunk, parent_id: str | None, at: float | None) -> Message:
        message = self.start(chunk, parent_id, at)
        self._open = None
        return replace(message, state="complete")

    def _expect_open(self, chunk: Chunk) -> Message:
        if self._open is None:
            raise ChunkOrderError(f"{_name(chunk)} outside a message")
        if self._open.role != chunk.role or self._open.type != chunk.type:
            raise ChunkOrderError(f"{_name(chunk)} inside {self._open.role}/{self._open.type}")
        return self._open


def _name(chunk: Chunk) -> str:
    return f"{chunk.role}/{chunk.type}"
