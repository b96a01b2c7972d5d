"""An answer on its way to a client: as a stream of events, or whole; imports aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from typing import Final

import msgspec
from aiohttp import web
from msgspec import Struct

from playhead.api.server.errors import DEFECT, TurnFailed, http_error_of_failure
from playhead.api.server.outbox import Outbox
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.domain.text.unicode import whole_characters
from playhead.formats.wire.codec import Encoder, Wire

LONGEST_LINE = 1_000_000
"""The Cohere client fails at 1 MiB."""
_WRITE_BYTES = 262_144
"""More than this is not encoded ahead of a client that does not read."""

_CANCELLED = Failure(code="internal_error", title="The turn was cancelled before it had an answer")
_log = logging.getLogger(__name__)


def to_json(event: object) -> bytes:
    """Return JSON as UTF-8 on one line; lone surrogates become U+FFFD."""
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        return whole_characters(text).encode()


def data_line(event: Wire) -> bytes:
    """Return one server-sent event without a name."""
    return b"data: %b\n\n" % to_json(event)


def frame_named_event(event: Wire) -> bytes:
    """Return a server-sent event that is named by its type."""
    name = str(event.get("type", "error")).encode()
    return b"event: %b\ndata: %b\n\n" % (name, to_json(event))


class StreamFormat(Struct, frozen=True, kw_only=True):
    """The format of a stream's events; `ending` follows the last one."""

    content_type: str = "text/event-stream; charset=utf-8"
    longest_line: int = LONGEST_LINE
    frame: Callable[[Wire], bytes] = data_line
    ping: bytes = b": ping\n\n"
    ending: bytes = b""


SSE: Final = StreamFormat()


class StreamTiming(Struct, frozen=True):
    """Seconds: of silence before a ping, and before a status with nothing to follow it yet; and
    how long a client that was given up may take to read what waits for it."""

    ping_s: float = 15.0
    status_s: float = 20.0
    overrun_s: float = 30.0


class OpenAnswers:
    """The answers on their way, so that the server can end them when it stops."""

    def __init__(self) -> None:
        self._cancels: dict[object, Callable[[], object]] = {}

    def cancel_all(self) -> None:
        """Stop every turn; the streams then end by themselves, in the words of their format."""
        while self._cancels:
            self._cancels.popitem()[1]()

    @contextlib.contextmanager
    def opened(self, cancel: Callable[[], object]) -> Generator[None]:
        """Register one answer; call `cancel` unless the block ends normally."""
        key = object()
        self._cancels[key] = cancel
        try:
            yield
        except BaseException:
            if key in self._cancels:
                cancel()
            raise
        finally:
            self._cancels.pop(key, None)


STREAM_TIMING: Final = web.AppKey("pace", StreamTiming)
OPEN_ANSWERS: Final = web.AppKey("answers", OpenAnswers)


async def stream_answer(
    request: web.Request,
    outbox: Outbox,
    encoder: Encoder,
    *,
    cancel: Callable[[], object],
    before_end: Callable[[], object] | None = None,
    form: StreamFormat = SSE,
    opening: Sequence[Wire] = (),
) -> web.StreamResponse:
    """Stream what comes through the outbox until its last chunk.

    The status line waits for the first chunk, or for 20 s of silence; a failure that comes first
    is raised as TurnFailed. With an `opening` it waits for nothing: these events come at once.
    `cancel` is called, in this thread, when the client is gone or the answer cannot be finished;
    `before_end` just before the last bytes are sent.
    """
    pace = request.app[STREAM_TIMING]
    with request.app[OPEN_ANSWERS].opened(cancel):
        first = None if opening else await _first(outbox, pace)
        answer = _AnswerStream(request, encoder, form)
        with answer.patience(outbox):
            await answer.begin(opening)
            try:
                if opening:
                    first = await _taken(outbox, pace)
                await _send_all(answer, _batches(outbox, first, pace), before_end)
            except ConnectionError:
                raise
            except Exception as error:  # noqa: BLE001  # a broken connection would explain nothing
                cancel()
                await answer.fail(error)
            return await answer.end()


async def collect_answer(
    request: web.Request, outbox: Outbox, *, cancel: Callable[[], object]
) -> list[Chunk]:
    """Return all chunks of an answer that is sent whole; raise TurnFailed for a failure."""
    chunks: list[Chunk] = []
    has_run = False
    with request.app[OPEN_ANSWERS].opened(cancel):
        while arrived := await outbox.take():
            for chunk in arrived:
                has_run = has_run or chunk.type == "run"
                _raise_failure(chunk, has_run=has_run)
                chunks.append(chunk)
        if not (chunks and _is_last(chunks[-1])):
            raise TurnFailed(_CANCELLED, has_run=has_run)
    return chunks


async def _first(outbox: Outbox, pace: StreamTiming) -> list[Chunk] | None:
    """Return the first chunks, or None if none came in time."""
    try:
        async with asyncio.timeout(pace.status_s):
            chunks = await outbox.take()
    except TimeoutError:
        return None
    if not chunks:
        raise TurnFailed(_CANCELLED)
    _raise_failure(chunks[0])
    return chunks


async def _batches(
    outbox: Outbox, first: list[Chunk] | None, pace: StreamTiming
) -> AsyncGenerator[Sequence[Chunk], None]:
    """Yield what arrives, batch by batch; an empty batch asks for a ping."""
    chunks = first
    while chunks is None or chunks:
        yield chunks or ()
        chunks = await _taken(outbox, pace)


async def _taken(outbox: Outbox, pace: StreamTiming) -> list[Chunk] | None:
    """Return the next chunks, or None if none came for long enough to send a ping."""
    try:
        async with asyncio.timeout(pace.ping_s):
            return await outbox.take()
    except TimeoutError:
        return None


async def _send_all(
    answer: _AnswerStream,
    batches: AsyncGenerator[Sequence[Chunk], None],
    before_end: Callable[[], object] | None,
) -> None:
    async with contextlib.aclosing(batches):
        async for chunks in batches:
            await answer.send(chunks, before_end)


class _EventTooLong(Exception):
    """One event is longer than a line may be."""


class _AnswerStream:
    """The writing side: all that has come meanwhile is one write."""

    def __init__(self, request: web.Request, encoder: Encoder, form: StreamFormat) -> None:
        self._request = request
        self._encoder = encoder
        self._form = form
        self._is_complete = False
        headers = {
            "Content-Type": form.content_type,
            "Cache-Control": "no-cache",
            "X-Accel-Buffering": "no",
        }
        self._response = web.StreamResponse(headers=headers)

    async def begin(self, opening: Sequence[Wire]) -> None:
        """Send the status line and these events."""
        await self._response.prepare(self._request)
        if opening:
            await self._response.write(b"".join(map(self._framed, opening)))

    async def send(self, chunks: Sequence[Chunk], before_end: Callable[[], object] | None) -> None:
        """Write these chunks, or a ping for none; drains, so that only this client waits."""
        if not chunks:
            await self._response.write(self._form.ping)
            return
        data = bytearray()
        for chunk in chunks:
            data += self._encoded(chunk)
            if len(data) > _WRITE_BYTES:
                await self._response.write(data)
                data = bytearray()
        if _is_last(chunks[-1]):
            data += self._finish()
            if before_end is not None:
                before_end()
        if data:
            await self._response.write(data)

    async def fail(self, error: Exception) -> None:
        """Write to the stream that it cannot continue."""
        if isinstance(error, _EventTooLong):
            failure = Failure(
                code="internal_error", title="A part of the answer is too long to be sent"
            )
        else:
            _log.error("the answer could not be encoded", exc_info=error)
            failure = Failure(code="internal_error", title=DEFECT.message)
        try:
            last_words = self._ended_by(Chunk(role="server", type="error", content=failure))
        except Exception:  # noqa: BLE001  # the encoder is what failed
            self._is_complete = True
            last_words = self._form.frame(http_error_of_failure(failure).body()) + self._form.ending
        await self._response.write(last_words)

    async def end(self) -> web.StreamResponse:
        """Complete the response; if no last chunk came, the turn was cancelled."""
        if not self._is_complete:
            await self._response.write(
                self._ended_by(Chunk(role="server", type="status", content="cancelled"))
            )
        await self._response.write_eof()
        return self._response

    @contextlib.contextmanager
    def patience(self, outbox: Outbox) -> Generator[None]:
        """Limit the time that a client which fell behind has to read the rest; then cut it off."""
        timers: list[asyncio.TimerHandle] = []
        limit_s = self._request.app[STREAM_TIMING].overrun_s

        def count_down() -> None:
            timers.append(asyncio.get_running_loop().call_later(limit_s, self._abort))

        outbox.on_overrun = count_down
        if outbox.is_overrun:
            count_down()
        try:
            yield
        finally:
            outbox.on_overrun = timers.clear
            for timer in timers:
                timer.cancel()

    def _encoded(self, chunk: Chunk) -> bytes:
        return b"".join(map(self._framed, self._encoder.encode(chunk)))

    def _finish(self) -> bytes:
        self._is_complete = True
        return b"".join(map(self._framed, self._encoder.finish())) + self._form.ending

    def _framed(self, event: Wire) -> bytes:
        line = self._form.frame(event)
        if len(line) > self._form.longest_line:
            raise _EventTooLong
        return line

    def _ended_by(self, last: Chunk) -> bytes:
        """Return what closes the open message, says the end and follows it."""
        return self._encoded(last) + self._finish()

    def _abort(self) -> None:
        if (transport := self._request.transport) is not None:
            transport.abort()


def _is_last(chunk: Chunk) -> bool:
    return chunk.role == "server" and chunk.type in ("status", "error")


def _raise_failure(chunk: Chunk, *, has_run: bool = False) -> None:
    if isinstance(chunk.content, Failure):
        raise TurnFailed(chunk.content, has_run=has_run)
