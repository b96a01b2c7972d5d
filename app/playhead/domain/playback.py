"""The course of a conversation in time, from what is stored of it: when what was said and printed.

Times of messages and of statements are exact. In between is even: a text arrives at one pace, what
a statement printed is spread over the time that it took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    LineTiming,
    PrintedLines,
    Proposal,
    RunReport,
    lines_that_printed,
)

_STREAMED = frozenset({"message", "code", "reasoning", "plan", "tool_call", "tool_result"})
_CHARACTERS_PER_S = 400.0
"""The pace of an answer whose end is not known."""
_PIECE_S = 0.05
_MOST_PIECES = 80
_MOST_PRINTED = 200
_UNTIMED_S = 0.8
"""The time between two messages of which no times are stored, as in imported conversations."""
LONGEST_WAIT_S = 0.8
"""What is left of a wait that is skipped."""


class Moment(Struct, frozen=True, kw_only=True):
    """A chunk at its time, in seconds since the beginning; `message_id` is the stored message's.

    `is_wait`: nothing ran and nothing was said since the moment before.
    """

    at: float
    chunk: Chunk
    message_id: str
    is_wait: bool = False


class Course(Struct, frozen=True):
    """The course of a conversation, whole and without its waits."""

    whole: tuple[Moment, ...]
    short: tuple[Moment, ...]


def course_of(messages: Sequence[Message], printed: Callable[[str], PrintedLines | None]) -> Course:
    """Return the course of these messages; of many in a thread."""
    whole = moments_of(messages, printed)
    return Course(tuple(whole), tuple(without_waits(whole)))


def moments_of(
    messages: Sequence[Message], printed: Callable[[str], PrintedLines | None] = lambda _: None
) -> list[Moment]:
    """Return the course of these messages; `printed` returns the lines that printed a console."""
    return list(_Schedule(messages, printed).moments())


def without_waits(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments with short waits where people thought, and models before they answered."""
    kept: list[Moment] = []
    skipped = before = 0.0
    for one in moments:
        if one.is_wait:
            skipped += max(0.0, one.at - before - LONGEST_WAIT_S)
        before = one.at
        kept.append(replace(one, at=one.at - skipped))
    return kept


class _Schedule:
    """Puts messages on a line of time."""

    def __init__(
        self, messages: Sequence[Message], printed: Callable[[str], PrintedLines | None]
    ) -> None:
        self._messages = [one for one in messages if one.content is not None]
        self._printed = printed
        self._starts = self._start_times()
        self._run_began = 0.0
        self._statements: list[tuple[float, int, int]] = []

    def _start_times(self) -> list[float]:
        """Return when each message began, never before the one in front of it."""
        first = next((one.created_at for one in self._messages if one.created_at), 0.0)
        times: list[float] = []
        last, length = 0.0, 0.0
        for message in self._messages:
            known = message.created_at - first if message.created_at else last + length
            last = max(last, known)
            times.append(last)
            report = message.content
            if not message.created_at:
                length = report.seconds if isinstance(report, RunReport) else _UNTIMED_S
        return times

    def moments(self) -> Iterator[Moment]:
        """Yield all of them, in order."""
        last = 0.0
        is_running = False
        for index, message in enumerate(self._messages):
            match message.content:
                case RunReport(state="started"):
                    self._begin_run(index)
                case _:
                    pass
            is_first = True
            for at, chunk in self._chunks(index, message):
                last = max(last, at)
                wait = is_first and not is_running
                yield Moment(at=last, chunk=chunk, message_id=message.id, is_wait=wait)
                is_first = False
            if isinstance(message.content, RunReport):
                is_running = message.content.state == "started"

    def _begin_run(self, index: int) -> None:
        """Find when each statement of a run began."""
        self._run_began = began = self._starts[index]
        seconds, rows = 0.0, list[LineTiming]()
        for message in self._messages[index + 1 :]:
            match message.content:
                case LineTiming(share=None) as timing:
                    rows.append(timing)
                case RunReport() as report:
                    seconds = report.seconds
                    break
                case _:
                    pass
        taken = sum(one.seconds for one in rows)
        scale = seconds / taken if taken > seconds > 0 else 1.0
        self._statements = []
        for row in sorted(rows, key=lambda one: one.line):
            self._statements.append((began, row.line, max(row.last_line, row.line)))
            began += row.seconds * scale
        self._statements.append((began, 0, 0))

    def _end(self, index: int) -> float:
        """Return when a message had ended, at the latest: when the next one began."""
        following = range(index + 1, len(self._messages))
        return next(
            (self._starts[one] for one in following if self._messages[one].type != "timing"),
            self._starts[index],
        )

    def _chunks(self, index: int, message: Message) -> Iterator[tuple[float, Chunk]]:
        at = self._starts[index]
        text = message.content
        if isinstance(text, str) and message.type == "console":
            yield from self._console(index, message, text)
        elif isinstance(text, str) and message.role == "assistant" and message.type in _STREAMED:
            yield from self._stream(index, message, text)
        elif isinstance(text, RunReport) and text.state != "started":
            yield max(at, self._run_began + text.seconds), _whole(message)
        else:
            yield from ((at, chunk) for chunk in _chunks_of(message))

    def _stream(self, index: int, message: Message, text: str) -> Iterator[tuple[float, Chunk]]:
        """Yield a text in pieces up to the next message of the same answer."""
        at, pace = self._starts[index], len(text) / _CHARACTERS_PER_S
        room = self._end(index) - at
        following = self._messages[index + 1 : index + 2]
        is_answer = bool(following) and following[0].role != "user"
        length = room if is_answer and room > 0 else min(pace, room) if room > 0 else pace
        length = min(length, 4 * pace + 1)
        pieces = max(1, min(_MOST_PIECES, int(length / _PIECE_S), len(text)))
        head, end = _ends_of(message)
        yield at, head
        for number in range(pieces):
            piece = text[number * len(text) // pieces : (number + 1) * len(text) // pieces]
            if piece:  # a text may be empty
                yield at + length * number / pieces, replace(head, start=False, content=piece)
        yield at + length, end

    def _console(self, index: int, message: Message, text: str) -> Iterator[tuple[float, Chunk]]:
        """Yield an output with the running line; both end with the console."""
        begin, end = self._starts[index], max(self._end(index), self._starts[index])
        open_, close = _ends_of(message)
        yield begin, open_
        line = replace(open_, start=False, id=None, format="active_line")
        output = replace(line, format="output")
        events: list[tuple[float, int, Chunk]] = [
            (at, 0, replace(line, content=number))
            for at, number, _ in self._statements
            if number and begin <= at < max(end, begin + 1e-9)
        ]
        for at, number, piece in self._pieces(message, text, begin, end):
            if number:
                events.append((at, 1, replace(line, content=number)))
            events.append((at, 2, replace(output, content=piece)))
        for at, _, chunk in sorted(events, key=lambda one: one[:2]):
            yield at, chunk
        yield end, replace(line, content=None)
        yield end, close

    def _pieces(
        self, message: Message, text: str, begin: float, end: float
    ) -> Iterator[tuple[float, int, str]]:
        """Yield the lines of an output with the line of code that printed each, 0 if unknown."""
        printed = self._printed(message.id)
        rows = text.splitlines(keepends=True)
        step = max(1, len(rows) // _MOST_PRINTED)
        groups = [
            (number, "".join(rows[number : number + step])) for number in range(0, len(rows), step)
        ]
        placed: dict[tuple[float, float], list[tuple[int, str]]] = {}
        for number, piece in groups:
            lines = lines_that_printed(printed, number) if printed is not None else ()
            by = lines[-1] if lines else 0
            placed.setdefault(self._span(by, begin, end), []).append((by, piece))
        for (first, last), found in placed.items():
            for place, (by, piece) in enumerate(found, 1):
                yield first + (last - first) * place / (len(found) + 1), by, piece

    def _span(self, line: int, begin: float, end: float) -> tuple[float, float]:
        """Return the time in which a line of code ran, within that of its console."""
        for (at, first, last), (until, _, _) in zip(
            self._statements, self._statements[1:], strict=False
        ):
            if first <= line <= last:
                first_at = min(max(at, begin), end)
                return first_at, max(first_at, min(until, end))
        return begin, end


def _whole(message: Message) -> Chunk:
    """Return a message of one chunk."""
    return Chunk(
        role=message.role,
        type=message.type,
        format=message.format,
        content=message.content,
        recipient=message.recipient,
    )


def _chunks_of(message: Message) -> list[Chunk]:
    """Return a message as chunks: texts open and close, what is structured is one."""
    is_streamed = message.type == "console" or message.type in _STREAMED
    if not is_streamed or not isinstance(message.content, str):
        return [_whole(message)]
    head = replace(_whole(message), content=None, start=True, id=message.call_id)
    if message.type == "console":
        head = replace(head, format=None)
    end = replace(head, start=False, id=None, end=True)
    body = [replace(end, end=False, content=message.content)] if message.content else []
    return [head, *body, end]


def _ends_of(message: Message) -> tuple[Chunk, Chunk]:
    """Return the chunks that open and close a text."""
    chunks = _chunks_of(message)
    return chunks[0], chunks[-1]


def with_own_ids(chunk: Chunk, ids: dict[str, str]) -> Chunk:
    """Return a chunk of a copy of a conversation: a proposal names the message of the copy."""
    if not isinstance(chunk.content, Proposal):
        return chunk
    message_id = ids.get(chunk.content.message_id, chunk.content.message_id)
    return replace(chunk, content=replace(chunk.content, message_id=message_id))
