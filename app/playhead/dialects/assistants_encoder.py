"""An answer's chunks as the events of an Assistants run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from playhead.dialects.assistants_objects import RunFacts, RunStatus, run_wire
from playhead.dialects.assistants_run import RunWriter
from playhead.dialects.assistants_steps import Ids, event
from playhead.dialects.chat_completions_answer import Cost, told_of
from playhead.dialects.codec import TRUNCATED, Wire
from playhead.dialects.pieces import Pieces
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Usage
from playhead.domain.text.summaries import run_end_as_output

EXPIRED = "expired"
"""The code of a failure that is the end of a run nobody decided about."""


class Encoder:
    """Events are `{event, data}`; the first ones come by `begin()`, for the run exists before.

    With `is_call_clients` code goes out as calls of the function `execute`, else as code that runs
    here. Other calls go out only with `has_tools`. `opened` is the thread where that is new too.
    `resumed` are the steps whose outputs have come, as they stand. `file_id` names a picture that
    clients can fetch, or gives None. The start of a message may carry the id it is to have. `spent`
    is the usage of the run's earlier streams.
    """

    def __init__(
        self,
        run: RunFacts,
        ids: Ids,
        *,
        is_call_clients: bool = True,
        has_tools: bool = False,
        opened: Wire | None = None,
        resumed: Sequence[Wire] = (),
        file_id: Callable[[Chunk], str | None] | None = None,
        prompt_characters: int = 0,
        spent: Mapping[str, int] | None = None,
    ) -> None:
        self._run = run
        self._spent = spent or {}
        self._ids = ids
        self._opened = opened
        self._resumed = resumed
        self._pieces = Pieces()
        self._writer = RunWriter(
            run, ids, is_call_clients=is_call_clients, has_tools=has_tools, file_id=file_id
        )
        self._cost = Cost(prompt_characters)
        self._has_begun = False
        self._is_over = False
        self._last = run_wire(run, "queued", ids.now_s())
        self.failure: Failure | None = None
        """Why the run failed."""

    def begin(self) -> list[Wire]:
        """The events before anything of the model's; nothing a second time."""
        if self._has_begun:
            return []
        self._has_begun = True
        events: list[Wire] = []
        if self._opened is not None:
            events.append(event("thread.created", self._opened))
        if self._resumed:
            events += [event("thread.run.step.completed", step) for step in self._resumed]
        else:
            events.append(event("thread.run.created", self._last))
        return [*events, *self._stands("queued"), *self._stands("in_progress")]

    def encode(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk."""
        if self._is_over:
            return []
        events = self.begin()
        if isinstance(chunk.content, Usage):
            self._cost.add(chunk.content)
            is_cut = chunk.content.finish_reason == "length"
            return [*events, *self._writer.end_message(is_cut=is_cut)]
        shown = (chunk, *run_end_as_output(chunk))
        pieces = (piece for one in shown for piece in self._pieces.feed(one))
        return [*events, *(made for piece in pieces for made in self._events(piece))]

    def finish(self) -> list[Wire]:
        """A stream that ended without its last chunk failed."""
        if self._is_over:
            return []
        return self.encode(Chunk("server", "error", content=TRUNCATED))

    def answer(self) -> Wire:
        """The run as it stands."""
        return self._last

    def waiting(self) -> list[Wire]:
        """The steps whose calls wait for their outputs, as they stand."""
        return self._writer.waiting

    def _events(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Failure):
            return self._failed(chunk.content)
        if (chunk.role, chunk.type) == ("server", "status"):
            return self._finished(str(chunk.content))
        if chunk.role == "assistant" and isinstance(chunk.content, str):
            self._cost.count(chunk.content)
        return self._writer.feed(chunk)

    def _finished(self, status: str) -> list[Wire]:
        if status == "cancelled":
            cancelling = self._stands("cancelling")
            cut = self._writer.fail("cancelled", "run_cancelled")
            return [*cancelling, *cut, *self._ends("cancelled")]
        events = self._writer.finish()
        if required := self._writer.required:
            return [*events, *self._ends("requires_action", required=required)]
        is_cut = self._cost.finish_reason == "length"
        return [*events, *self._ends("incomplete" if is_cut else "completed", is_cut=is_cut)]

    def _failed(self, failure: Failure) -> list[Wire]:
        self.failure = failure
        if failure.code == EXPIRED:
            return [*self._writer.fail("expired", "run_expired"), *self._ends("expired")]
        code = "rate_limit_exceeded" if failure.code == "rate_limit_exceeded" else "server_error"
        error = {"code": code, "message": told_of(failure)}
        cut = self._writer.fail("failed", "run_failed", error)
        return [*cut, *self._ends("failed", error=error)]

    def _stands(self, status: RunStatus) -> list[Wire]:
        self._last = run_wire(self._run, status, self._ids.now_s())
        return [event(f"thread.run.{status}", self._last)]

    @property
    def _usage(self) -> Wire:
        """That of the whole run."""
        return {name: count + self._spent.get(name, 0) for name, count in self._cost.wire.items()}

    def _ends(
        self,
        status: RunStatus,
        *,
        required: Sequence[Wire] = (),
        error: Wire | None = None,
        is_cut: bool = False,
    ) -> list[Wire]:
        """The last event of the run, and the stream's."""
        self._is_over = True
        self._last = run_wire(
            self._run,
            status,
            self._ids.now_s(),
            usage=self._usage,
            required=required,
            error=error,
            is_cut=is_cut,
        )
        return [event(f"thread.run.{status}", self._last), event("done", "[DONE]")]
