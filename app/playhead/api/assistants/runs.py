"""Runs of threads: begun, decided about, cancelled, expired, followed; core's thread only."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from playhead.api.assistants.assistant_store import BUILT_IN, AssistantStore
from playhead.api.assistants.threads import (
    NewMessage,
    RunHost,
    RunParameters,
    RunState,
    StartedRun,
    Threads,
    ThreadState,
    keep_new_messages,
    now_s,
)
from playhead.api.turns.api_turn import ApiTurn, ChunkSink
from playhead.api.turns.client_request import ClientRequest, resolve_tool_choice
from playhead.api.turns.session_lifetimes import ThreadKernels
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.domain.execution import Approve
from playhead.domain.model import EXECUTE, ModelParameters, merge_parameters, named_model
from playhead.errors import RequestError
from playhead.formats.wire.assistants.encode import EXPIRED
from playhead.formats.wire.assistants.objects import (
    RunFacts,
    answered_step,
    run_wire,
    thread_messages,
)
from playhead.formats.wire.assistants.requests import (
    output_entries,
    read_outputs,
    read_tool_choice,
    read_tools,
)
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.entry import Entry
from playhead.session.code_runs import open_calls
from playhead.session.session import Session, SessionEvent
from playhead.session.turn_settings import TurnOptions

DECISION_TIMEOUT_S = 600
"""Time that a run waits for a decision (docs/wire-formats.md)."""
_IN_WINDOW = "Decided in Playhead's window."
_EXPIRED = Chunk(
    role="server", type="error", content=Failure(code=EXPIRED, title="Nobody decided in time.")
)


class TurnStarter(Protocol):
    """The turns, as runs use them."""

    async def begin(self, incoming: ClientRequest, outbox: ChunkSink) -> ApiTurn:
        """Start what a request wants."""
        ...

    def follow(self, session: Session, incoming: ClientRequest, outbox: ChunkSink) -> ApiTurn:
        """Return a turn that receives the chunks of a turn under way."""
        ...

    def cancel(self, turn: ApiTurn) -> None:
        """End a turn and its code."""
        ...


class Runs:
    """Manages one run at a time in each thread; its events update the run's state."""

    def __init__(
        self,
        turns: TurnStarter,
        threads: Threads,
        store: AssistantStore,
        waits_s: float = DECISION_TIMEOUT_S,
    ) -> None:
        self._turns = turns
        self._threads = threads
        self._store = store
        self.waits_s = waits_s
        self._kernels = ThreadKernels()

    async def create(
        self, thread_id: str, asked: RunParameters, line: RunHost, opened: Wire | None = None
    ) -> StartedRun:
        """Begin a run. Raises RequestError and SessionError; no run exists then."""
        thread = await self._threads.open(thread_id)
        assistant = await self._store.get(asked.assistant_id)
        self._expect_rest(thread)
        _expect_messages(thread, asked.messages)
        run = self._new_run(thread, asked, assistant)
        run.line = line
        before = thread.session.conversation.length
        thread.runs[run.id] = run
        try:
            entries = tuple(message.entry for message in asked.messages)
            started = await self._begin(thread, run, entries)
        except BaseException:
            del thread.runs[run.id]
            run.end("failed")
            raise
        keep_new_messages(thread, before, asked.messages)
        thread.keep_run(run)
        return replace(started, opened=opened)

    async def create_with_thread(
        self,
        messages: Sequence[NewMessage],
        metadata: Mapping[str, str],
        tool_resources: Mapping[str, Any],
        asked: RunParameters,
        line: RunHost,
    ) -> StartedRun:
        """Begin a run in a new thread, which is deleted if the run cannot begin."""
        await self._store.get(asked.assistant_id)
        thread = await self._threads.create(messages, metadata, tool_resources)
        try:
            return await self.create(thread.id, asked, line, thread.wire)
        except BaseException:
            await self._threads.forget(thread)
            raise

    async def submit(
        self, thread_id: str, run_id: str, raw: object, line: RunHost, *, is_from_own_code: bool
    ) -> StartedRun:
        """Give a waiting run the outputs of all its calls. Raises RequestError."""
        thread, run = await self._threads.run(thread_id, run_id)
        if run.status != "requires_action":
            raise _invalid_state(f"Runs in status {run.status!r} do not accept tool outputs.")
        is_waiting = thread.session.pending is not None
        outputs = read_outputs(raw, run.required)
        entries = output_entries(outputs, run.required)
        asked = run.asked or RunParameters(
            assistant_id=run.wire["assistant_id"], tools=run.wire["tools"]
        )
        if run.facts is None:  # an earlier process began it
            await self._restore(thread, run, asked)
        run.asked = replace(asked, is_from_own_code=is_from_own_code)
        run.line = line
        waited, run.wire = run.wire, {**run.wire, "status": "queued", "required_action": None}
        try:
            started = await self._begin(thread, run, entries)
        except BaseException:
            run.wire = waited
            self._arm(thread, run)
            raise
        if is_waiting and any(isinstance(entry.decision, Approve) for entry in entries):
            _repeat_code(run)
        return replace(started, resumed=self._answered(thread, run, outputs))

    async def cancel(self, thread_id: str, run_id: str) -> Wire:
        """End a run: at once where it waits, else as soon as its turn has ended."""
        thread, run = await self._threads.run(thread_id, run_id)
        if not run.is_active:
            raise _invalid_state(f"Cannot cancel run with status {run.status!r}.")
        if run.status == "requires_action":
            self._end(thread, run, "cancelled")
        else:
            run.wire = {**run.wire, "status": "cancelling"}
            thread.session.stop()
        return run.wire

    def close(self) -> None:
        """Wait for nothing more; the turns' owner ends those."""
        self._kernels.close()
        for run in self._threads.active_runs():
            self._release(run)

    def abandon(self, started: StartedRun) -> None:
        """Abandon a run whose client disconnected before it got the answer."""
        thread = self._threads.known(started.conversation_id)
        run = thread.runs.get(started.facts.id) if thread is not None else None
        if thread is not None and run is not None and run.is_active:
            run.end("cancelled")
            thread.keep_run(run)

    async def delete_thread(self, thread_id: str) -> Wire:
        """Delete a thread with its conversation; its active run ends."""
        thread = await self._threads.open(thread_id)
        if (run := thread.active) is not None:
            if run.turn is not None:
                self._turns.cancel(run.turn)
            run.end("cancelled")
        await thread.session.stopped()
        return await self._threads.forget(thread)

    def record(self, conversation_id: str, run_id: str, event: Wire) -> None:
        """Take over what an event says of a run, its steps and its messages."""
        thread = self._threads.known(conversation_id)
        run = thread.runs.get(run_id) if thread is not None else None
        if thread is None or run is None or not run.is_active:
            return
        name, data = event["event"], event["data"]
        if name.startswith("thread.run.step."):
            run.steps[data["id"]] = data
        elif name.startswith("thread.run."):
            self._record_run(thread, run, data)
        elif name.startswith("thread.message."):
            names = ("run_id", "assistant_id", "incomplete_details", "metadata")
            thread.kept[data["id"]] = {field: data[field] for field in names}
            thread.keep_message(data["id"])

    def _record_run(self, thread: ThreadState, run: RunState, data: Wire) -> None:
        is_cancelling = run.status == "cancelling"
        if is_cancelling and data["status"] in ("queued", "in_progress"):
            return
        run.wire = {**data, "metadata": run.wire["metadata"]}
        if not run.is_active:
            run.settle()
            self._kernels.use(thread.session)
        elif run.status == "requires_action":
            self._arm(thread, run)
        elif run.status == "queued":
            return
        thread.keep_run(run)

    def _new_run(self, thread: ThreadState, asked: RunParameters, assistant: Wire) -> RunState:
        facts = self._facts(thread, asked, assistant)
        run = RunState(wire=run_wire(facts, "queued", now_s()), facts=facts, asked=asked)
        run.options = _options(asked, assistant, facts)
        return run

    async def _restore(self, thread: ThreadState, run: RunState, asked: RunParameters) -> None:
        """Restore what was lost with the process that began the run, as far as its fields allow."""
        assistant = {**run.wire, "instructions": ""}
        asked = replace(asked, instructions=run.wire["instructions"])
        facts = self._facts(thread, asked, assistant)
        run.facts = replace(facts, id=run.id, created_at=run.wire["created_at"])
        run.options = _options(asked, assistant, run.facts)

    def _facts(self, thread: ThreadState, asked: RunParameters, assistant: Wire) -> RunFacts:
        instructions = asked.instructions
        if instructions is None:
            instructions = assistant["instructions"] or ""
        parts = [instructions, asked.more_instructions]
        return RunFacts(
            id=f"run_{uuid.uuid4().hex}",
            thread_id=thread.id,
            assistant_id=asked.assistant_id,
            model=asked.model or assistant["model"],
            created_at=now_s(),
            instructions="\n\n".join(filter(None, parts)),
            tools=assistant["tools"] if asked.tools is None else asked.tools,
            metadata=asked.metadata,
            waits_s=int(self.waits_s),
            settings=asked.settings,
        )

    async def _begin(
        self, thread: ThreadState, run: RunState, entries: tuple[Entry, ...]
    ) -> StartedRun:
        assert run.line is not None and run.asked is not None and run.facts is not None  # noqa: PT018, S101 - set by who begins it
        outbox = run.line.outbox()
        incoming = self._incoming(thread, run, entries)
        self._release(run)
        run.is_deciding = True
        self._watch(thread, run)
        try:
            run.turn = await self._turns.begin(incoming, outbox)
        finally:
            run.is_deciding = False
        run.outbox = outbox
        return StartedRun(
            conversation_id=thread.conversation_id,
            facts=run.facts,
            wire=run.wire,
            turn=run.turn,
            outbox=outbox,
            spent=run.wire["usage"],
        )

    def _incoming(
        self, thread: ThreadState, run: RunState, entries: tuple[Entry, ...]
    ) -> ClientRequest:
        asked = run.asked
        assert asked is not None  # noqa: S101 - set by who begins it
        has_own = any(tool.name == EXECUTE for tool in run.options.tools)
        return ClientRequest(
            wire_format="assistants",
            entries=entries,
            options=run.options,
            session_id=thread.conversation_id,
            client=asked.client,
            is_call_clients=has_own or not asked.auto_run,
            is_from_own_code=asked.is_from_own_code,
            names_messages=True,
        )

    def _watch(self, thread: ThreadState, run: RunState) -> None:
        run.releases.append(thread.session.subscribe(lambda event: self._on_session(run, event)))

    def _release(self, run: RunState) -> None:
        releases, run.releases = run.releases, []
        for release in releases:
            release()

    def _on_session(self, run: RunState, event: SessionEvent) -> None:
        """React to a decision, or to code that begins to wait."""
        thread = self._threads.known(run.wire["thread_id"].partition("_")[2])
        if event.kind != "pending" or thread is None or not run.is_active:
            return
        if thread.session.pending is not None:
            run.proposal = thread.session.pending
            self._arm(thread, run)
        elif not run.is_deciding and (run.turn is None or run.turn.has_ended):
            self._follow(thread, run)
        else:
            self._release(run)
            self._watch(thread, run)

    def _follow(self, thread: ThreadState, run: RunState) -> None:
        """Follow a run that the window's decision continues; clients see it by polling."""
        if run.line is None or run.facts is None:
            return
        outbox, incoming = run.line.outbox(), self._incoming(thread, run, ())
        waiting = [c for c in open_calls(thread.session.conversation.messages) if c.type == "code"]
        outputs = dict.fromkeys((call["id"] for call in run.required), _IN_WINDOW)
        turn = run.turn = self._turns.follow(thread.session, incoming, outbox)
        if len(waiting) > 1:  # its client saw them as one action: the rest of it is the window's
            turn.may_approve = False
        run.outbox = outbox
        _repeat_code(run)
        run.wire = {**run.wire, "status": "in_progress", "required_action": None}
        resumed = self._answered(thread, run, outputs)
        spent = run.wire["usage"]
        run.line.start_soon(
            StartedRun(
                conversation_id=thread.conversation_id,
                facts=run.facts,
                wire=run.wire,
                turn=turn,
                outbox=outbox,
                resumed=resumed,
                spent=spent,
            )
        )

    def _answered(
        self, thread: ThreadState, run: RunState, outputs: Mapping[str, str]
    ) -> tuple[Wire, ...]:
        """Return the steps whose calls now have their outputs."""
        waiting = [step for step in run.steps.values() if step["status"] == "in_progress"]
        answered = tuple(answered_step(step, outputs, now_s()) for step in waiting)
        run.steps.update({step["id"]: step for step in answered})
        thread.keep_run(run)
        return answered

    def _arm(self, thread: ThreadState, run: RunState) -> None:
        """Start the time limit of the run's wait for a decision."""
        timer = asyncio.get_running_loop().call_later(self.waits_s, self._expire, thread, run)
        self._release(run)
        self._watch(thread, run)
        run.releases.append(timer.cancel)

    def _expire(self, thread: ThreadState, run: RunState) -> None:
        if run.status == "requires_action":
            self._end(thread, run, "expired")
        elif run.turn is not None and run.turn.has_ended:  # the word of that is on its way
            self._arm(thread, run)
        elif run.turn is not None and run.outbox is not None and thread.session.pending:
            run.outbox.put(_EXPIRED)
            self._turns.cancel(run.turn)

    def _end(self, thread: ThreadState, run: RunState, status: Any) -> None:
        """End a run that waits, and what waits in the window with it."""
        run.end(status)
        thread.keep_run(run)
        if thread.session.pending is not None:
            thread.session.stop()

    def _expect_rest(self, thread: ThreadState) -> None:
        if (run := thread.active) is not None:
            raise RequestError(
                f"Thread {thread.id} already has an active run {run.id}.",
                remedy="Wait until it has ended, or cancel it.",
                code="invalid_state",
                param="thread_id",
            )


def _expect_messages(thread: ThreadState, messages: Sequence[NewMessage]) -> None:
    kept = thread.session.conversation.messages
    if not messages and not any(thread_messages([message], {}) for message in kept):
        raise RequestError(
            f"Thread {thread.id} has no messages to answer.",
            remedy="Add one first.",
            code="invalid_messages",
            param="thread_id",
        )


def _options(asked: RunParameters, assistant: Wire, facts: RunFacts) -> TurnOptions:
    tool_choice = read_tool_choice(asked.tool_choice)
    offering = resolve_tool_choice(read_tools(facts.tools), tool_choice, is_auto_run=asked.auto_run)
    choice = asked.choice
    own = ModelParameters(temperature=assistant["temperature"], top_p=assistant["top_p"])
    parameters = merge_parameters(own, choice.parameters)
    model: str | None = named_model(facts.model)
    if asked.model is None and asked.assistant_id == BUILT_IN:
        model = None  # the settings' own, with all that goes with it
    return TurnOptions(
        choice=replace(choice, model=model, parameters=parameters),
        instructions=facts.instructions,
        tools=offering.tools,
        offers_execute=tool_choice != "none",
        must_call=offering.must_call,
        auto_run=asked.auto_run or None,
        stop_grace_s=asked.stop_grace_s,
    )


def _repeat_code(run: RunState) -> None:
    """Repeat the code that waited for this stream."""
    if run.proposal is not None and run.outbox is not None:
        run.outbox.put(
            Chunk(role="computer", type="confirmation", format="execution", content=run.proposal)
        )


def _invalid_state(title: str) -> RequestError:
    return RequestError(title, code="invalid_state", param="run_id")
