"""Encode an answer's chunks as the events of an Assistants run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Proposal, RunReport, Usage
from playhead.domain.model import EXECUTE
from playhead.domain.text.run_ends import run_end_as_output
from playhead.formats.wire.assistants.objects import RunFacts, RunStatus, run_wire
from playhead.formats.wire.assistants.steps import CallStep, Ids, MessageStep, event
from playhead.formats.wire.chat_completions.encode import CallWriter
from playhead.formats.wire.chat_completions.objects import UsageCounter, failure_text
from playhead.formats.wire.codec import TRUNCATED, Pieces, Wire
from playhead.formats.wire.native.encode import is_extended


class RunWriter:
    """Opens and ends the steps; see `Encoder` for the switches."""

    def __init__(
        self,
        run: RunFacts,
        ids: Ids,
        *,
        is_call_clients: bool,
        has_tools: bool,
        file_id: Callable[[Chunk], str | None] | None,
    ) -> None:
        self._run = run
        self._ids = ids
        self._is_call_clients = is_call_clients
        self._has_tools = has_tools
        self._file_id = file_id
        self._writer = CallWriter(run.id.removeprefix("run_"))
        self._message: MessageStep | None = None
        self._is_message_whole = False
        self._functions: CallStep | None = None
        self._codes: CallStep | None = None
        self._to_run: list[int] = []
        self._running: int | None = None
        self._proposal: Proposal | None = None
        self._result_id: str | None = None

    @property
    def required(self) -> list[Wire]:
        """Return the calls that wait for their client."""
        return self._writer.unsettled

    @property
    def waiting(self) -> list[Wire]:
        """Return the steps of these calls."""
        return [self._functions.stands()] if self._functions and self.required else []

    def feed(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        before = self._released(chunk)
        if self._is_message_whole and chunk.type != "citation":
            before += self.end_message()
        match chunk.role:
            case "assistant":
                return [*before, *self._of_assistant(chunk)]
            case "computer":
                return [*before, *self._of_computer(chunk)]
            case _:
                return before

    def end_message(self, *, is_cut: bool = False) -> list[Wire]:
        """End the message, which is whole, or `is_cut` by the limit of its length."""
        message, self._message, self._is_message_whole = self._message, None, False
        return message.end(why="max_tokens" if is_cut else "") if message else []

    def finish(self) -> list[Wire]:
        """End all steps except one whose calls wait for their client."""
        events = [*self._released(), *self.end_message(), *self._end_codes()]
        return [*events, *([] if self.required else self._end_functions())]

    def fail(self, status: str, why: str, error: Wire | None = None) -> list[Wire]:
        """End everything that is open with this status; incomplete texts stay incomplete.

        A message that ended just before gets the same status: a failure ends what it cuts off.
        """
        self._writer.drop()
        message, self._message = self._message, None
        events = message.end(status, why, error) if message else []
        for step in (self._functions, self._codes):
            events += step.end(status, error) if step else []
        self._functions = self._codes = None
        return events

    def _of_assistant(self, chunk: Chunk) -> list[Wire]:
        match chunk.type:
            case "message":
                return self._on_message(chunk)
            case "citation" if isinstance(chunk.content, Citation) and self._message:
                return self._message.cite(chunk.content)
            case "code" if self._is_call_clients:
                return self._on_call(chunk, EXECUTE)
            case "code":
                return self._on_code(chunk)
            case "tool_call" if self._has_tools and chunk.format != EXECUTE:
                return self._on_call(chunk, chunk.format or "unknown")
            case _:
                return []

    def _of_computer(self, chunk: Chunk) -> list[Wire]:
        if isinstance(chunk.content, Proposal):
            self._proposal, self._running = chunk.content, None
        elif isinstance(chunk.content, RunReport) and chunk.content.state == "started":
            return self._run_of_output()[2] if self._proposal or self._to_run else []
        elif chunk.type == "console" and chunk.format != "active_line":
            return self._on_output(chunk)
        elif chunk.type == "tool_result":
            return self._on_result(chunk)
        elif chunk.type == "image" and not is_extended(chunk) and isinstance(chunk.content, str):
            return self._on_image(chunk)
        return []

    def _on_message(self, chunk: Chunk) -> list[Wire]:
        if chunk.start:
            ended = [*self._end_codes(), *([] if self.required else self._end_functions())]
            self._message = MessageStep(self._run, self._ids, chunk.id)
            return [*ended, *self._message.begin()]
        self._is_message_whole = chunk.end
        if self._message is None or not isinstance(chunk.content, str):
            return []
        return self._message.write(chunk.content)

    def _on_call(self, chunk: Chunk, name: str) -> list[Wire]:
        """Encode a call of a function, its arguments split where the model split them."""
        is_code = chunk.type == "code"
        if isinstance(chunk.content, str):
            piece = self._writer.code if is_code else self._writer.arguments
            return self._piece(piece(chunk.content))
        if chunk.end:
            if is_code:
                self._writer.end_code()
            else:
                self._writer.end()
            return []
        if is_code:
            first = self._writer.begin_code(chunk.format or "", chunk.id)
        else:
            first = self._writer.begin(name, chunk.id)
        return [*self._open_functions(), *self._first(first)]

    def _open_functions(self) -> list[Wire]:
        if self._functions is not None:
            return []
        self._functions = CallStep(self._run, self._ids, first=self._writer.count - 1)
        return self._functions.begin()

    def _first(self, delta: Wire) -> list[Wire]:
        call = delta["tool_calls"][0]
        function = call["function"]
        step = self._functions
        return (
            step.add_function(call["id"], function["name"], function["arguments"]) if step else []
        )

    def _piece(self, delta: Wire) -> list[Wire]:
        call, step = delta["tool_calls"][0], self._functions
        if step is None:
            return []
        return step.add_arguments(call["index"] - step.first, call["function"]["arguments"])

    def _released(self, chunk: Chunk | None = None) -> list[Wire]:
        return [made for delta in self._writer.release(chunk) for made in self._piece(delta)]

    def _on_code(self, chunk: Chunk) -> list[Wire]:
        """Encode code that runs here."""
        if chunk.start:
            ended = self._end_codes() if self._running is not None else []
            return [*ended, *self._add_code(chunk.format or "", chunk.id)]
        if self._codes is None or not isinstance(chunk.content, str):
            return []
        return self._codes.add_input(self._codes.count - 1, chunk.content)

    def _add_code(self, language: str, call_id: str | None = None) -> list[Wire]:
        begun: list[Wire] = []
        if self._codes is None:
            self._codes = CallStep(self._run, self._ids)
            begun = self._codes.begin()
        self._to_run.append(self._codes.count)
        return [*begun, *self._codes.add_code(call_id or self._ids.new("call"), language)]

    def _on_output(self, chunk: Chunk) -> list[Wire]:
        step, place, begun = self._run_of_output()
        if isinstance(chunk.content, str):
            begun += step.add_logs(place, chunk.content)
        return begun

    def _on_image(self, chunk: Chunk) -> list[Wire]:
        file_id = self._file_id(chunk) if self._file_id else None
        if file_id is None:
            return []
        step, place, begun = self._run_of_output()
        return [*begun, *step.add_image(place, file_id)]

    def _run_of_output(self) -> tuple[CallStep, int, list[Wire]]:
        """Return the call whose code prints; a call of an earlier stream gets a new step here."""
        begun: list[Wire] = []
        if self._running is None or self._codes is None:
            proposal, self._proposal = self._proposal, None
            if proposal is not None:
                self._writer.settle_code()
            if not self._to_run:
                begun = self._add_code(proposal.language if proposal else "")
                if self._codes and proposal and proposal.code:
                    begun += self._codes.add_input(self._codes.count - 1, proposal.code)
            self._running = self._to_run.pop(0)
        assert self._codes is not None  # noqa: S101 - what is to run has a step
        return self._codes, self._running, begun

    def _on_result(self, chunk: Chunk) -> list[Wire]:
        """Encode the result of a function that the server itself answered."""
        if chunk.start:
            self._result_id = chunk.id
            self._writer.settle(chunk.id)
        elif isinstance(chunk.content, str) and self._functions is not None:
            found = (p for p, c in enumerate(self._functions.wires) if c["id"] == self._result_id)
            place = next(found, None)
            if place is not None:
                return self._functions.add_output(place, chunk.content)
        return []

    def _end_codes(self) -> list[Wire]:
        step, self._codes = self._codes, None
        self._to_run, self._running = [], None
        return step.end() if step else []

    def _end_functions(self) -> list[Wire]:
        step, self._functions = self._functions, None
        return step.end() if step else []


EXPIRED = "expired"
"""The code of the failure that ends a run on which no one decided."""


class Encoder:
    """Makes events `{event, data}`; `begin()` makes the first ones, as the run exists before.

    With `is_call_clients` code is sent as calls of the function `execute`, else as code that runs
    here. Other calls are sent only with `has_tools`. `opened` is the thread if that is new too.
    `resumed` are the steps whose outputs have come, in their current state. `file_id` returns the
    id of a picture that clients can fetch, or None. The start of a message may carry the id to use.
    `spent` is the usage of the run's earlier streams.
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
        prompt_tokens: int = 0,
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
        self._cost = UsageCounter(prompt_tokens)
        self._has_begun = False
        self._is_over = False
        self._last = run_wire(run, "queued", ids.now_s())
        self.failure: Failure | None = None
        """The failure that ended the run, if any."""

    def begin(self) -> list[Wire]:
        """Return the events that precede those of the model; [] at the second call."""
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
        """Return the events that are certain after this chunk."""
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
        """Return the last events; a stream that ended without its last chunk failed."""
        if self._is_over:
            return []
        return self.encode(Chunk(role="server", type="error", content=TRUNCATED))

    def answer(self) -> Wire:
        """Return the run in its current state."""
        return self._last

    def waiting(self) -> list[Wire]:
        """Return the steps whose calls wait for their outputs, in their current state."""
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
        error = {"code": code, "message": failure_text(failure)}
        cut = self._writer.fail("failed", "run_failed", error)
        return [*cut, *self._ends("failed", error=error)]

    def _stands(self, status: RunStatus) -> list[Wire]:
        self._last = run_wire(self._run, status, self._ids.now_s())
        return [event(f"thread.run.{status}", self._last)]

    @property
    def _usage(self) -> Wire:
        """Return the usage of the whole run."""
        return {name: count + self._spent.get(name, 0) for name, count in self._cost.wire.items()}

    def _ends(
        self,
        status: RunStatus,
        *,
        required: Sequence[Wire] = (),
        error: Wire | None = None,
        is_cut: bool = False,
    ) -> list[Wire]:
        """Return the last event of the run, and of the stream."""
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
