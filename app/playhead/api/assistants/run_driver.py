"""Drive runs, streamed to the client that asked or with no client connected."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from typing import Any

from aiohttp import web

from playhead.api.assistants.runs import Runs
from playhead.api.assistants.threads import RunHost, StartedRun, file_prefix
from playhead.api.server.bridge import Bridge
from playhead.api.server.errors import http_error_of_failure
from playhead.api.server.outbox import Outbox
from playhead.api.server.responder import Services
from playhead.api.server.sse import OpenAnswers, StreamFormat, stream_answer, to_json
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.formats.wire import assistants
from playhead.formats.wire.codec import Wire

_log = logging.getLogger(__name__)
_CANCELLED = Chunk(role="server", type="status", content="cancelled")


def frame_event(event: Wire) -> bytes:
    """Return a server-sent event with its name; the data of the last one is not JSON."""
    data = event.get("data", event)
    told = b"[DONE]" if data == "[DONE]" else to_json(data)
    return b"event: %b\ndata: %b\n\n" % (str(event.get("event", "error")).encode(), told)


ASSISTANT_EVENTS = StreamFormat(frame=frame_event)


class RunDriver:
    """The server's end of all its runs; lives on the server's loop, but for `host`."""

    def __init__(self, services: Services, runs: Runs, answers: OpenAnswers) -> None:
        self._loop = asyncio.get_running_loop()
        self._bridge = services.bridge
        self._turns = services.turns
        self._runs = runs
        self._answers = answers
        self._tasks: set[asyncio.Task[None]] = set()
        self.host = RunHost(lambda: Outbox(self._loop), self._start_soon)

    def _start_soon(self, begun: StartedRun) -> None:
        try:
            self._loop.call_soon_threadsafe(self.start, begun)
        except RuntimeError:  # the server has ended, and its runs with it
            self._bridge.post(self._turns.cancel, begun.turn)

    def start(self, begun: StartedRun) -> None:
        """Drive a run whose client polls it."""
        task = self._loop.create_task(self._drive(begun))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stream(self, request: web.Request, begun: StartedRun) -> web.StreamResponse:
        """Send a run's events as they come; a client that goes away cancels the run."""
        noted = RunRecorder(begun, self._bridge, self._runs)
        try:
            return await stream_answer(
                request,
                begun.outbox,  # pyright: ignore[reportArgumentType]  # made by `outbox`
                noted,
                cancel=lambda: self._cancel(begun),
                form=ASSISTANT_EVENTS,
                opening=noted.begin(),
            )
        finally:
            noted.give_up()

    async def _drive(self, begun: StartedRun) -> None:
        noted = RunRecorder(begun, self._bridge, self._runs)
        noted.begin()
        outbox: Any = begun.outbox
        try:
            with self._answers.opened(lambda: self._cancel(begun)):
                while chunks := await outbox.take():
                    for chunk in chunks:
                        noted.encode(chunk)
        except Exception:  # noqa: BLE001 - the edge: a defect ends this run alone
            _log.exception("a run could not be encoded")
            self._cancel(begun)
        finally:
            noted.give_up()

    def _cancel(self, begun: StartedRun) -> None:
        self._bridge.post(self._turns.cancel, begun.turn)


class RunRecorder:
    """Encodes a run and reports its events, except deltas, to the core before the client."""

    def __init__(self, begun: StartedRun, bridge: Bridge, runs: Runs) -> None:
        self._begun = begun
        self._bridge = bridge
        self._runs = runs
        prefix = file_prefix(begun.conversation_id)
        self._encoder = assistants.Encoder(
            begun.facts,
            assistants.Ids(lambda kind: f"{kind}_{uuid.uuid4().hex}", lambda: int(time.time())),
            is_call_clients=begun.turn.is_call_clients,
            has_tools=bool(begun.turn.incoming.options.tools),
            opened=begun.opened,
            resumed=begun.resumed,
            file_id=lambda chunk: prefix + chunk.id if chunk.id else None,
            prompt_tokens=begun.turn.incoming.estimated_tokens,
            spent=begun.spent,
        )

    def begin(self) -> list[Wire]:
        """Return the events that precede those of the model."""
        return self._told(self._encoder.begin())

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if isinstance(chunk.content, Failure) and chunk.content.code != assistants.EXPIRED:
            told = http_error_of_failure(chunk.content)
            failure = Failure(code=told.code, title=told.message, retry_after_s=told.retry_after_s)
            chunk = Chunk(role="server", type="error", content=failure)
        return self._told(self._encoder.encode(chunk))

    def finish(self) -> list[Wire]:
        """Return the last events."""
        return self._told(self._encoder.finish())

    def give_up(self) -> None:
        """Cancel the run, if it has not ended."""
        self._told(self._encoder.encode(_CANCELLED))

    def _told(self, events: list[Wire]) -> list[Wire]:
        for event in events:
            name = event["event"]
            if name == "thread.run.requires_action":
                for step in self._encoder.waiting():
                    self._note({"event": "thread.run.step.in_progress", "data": step})
            if not name.endswith(".delta") and name not in ("done", "thread.created"):
                self._note(event)
        return events

    def _note(self, event: Wire) -> None:
        begun = self._begun
        self._bridge.post(self._runs.note, begun.conversation_id, begun.facts.id, event)
