"""Code of a conversation: questions about it, open calls, blocks that ran, runs of the kernel.

What an earlier process left unfinished is closed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from playhead.domain.access import Access, missing_access
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    Failure,
    Frame,
    InputRequest,
    Proposal,
    RowOrder,
    RunEnd,
    RunReport,
    Table,
)
from playhead.domain.execution import (
    CodePlace,
    Completions,
    Description,
    LineValue,
    PauseVerb,
    Variable,
)
from playhead.errors import ExecutionError
from playhead.session.code_ports import CodeReader, Executor

if TYPE_CHECKING:
    pass

LIVE_FIRST_S = 0.1
"""The time that an idle kernel has to answer first."""
_SENT_LIMIT = 50_000


class CodeQuestions:
    """Asks about variables and code: the idle kernel, and who reads code that has not run.

    `where` returns the folder and the interpreter of the code. The kernel gets one question at a
    time, of those that wait only the newest.
    """

    def __init__(
        self,
        executor: Executor,
        reader: CodeReader | None,
        conversation_id: str,
        where: Callable[[], tuple[str, str]],
    ) -> None:
        self._executor = executor
        self._reader = reader
        self._conversation_id = conversation_id
        self._where = where
        self._asking = asyncio.Lock()
        self._newest = 0

    async def variables(self, frames: Sequence[Frame] = ()) -> list[Variable]:
        """Return the variables of the idle kernel, or of the frames of its last failure.

        Raises ExecutionError.
        """
        return await self._executor.variables(self._conversation_id, frames)

    async def table(
        self, name: str, first_row: int, rows: int, order: RowOrder | None = None
    ) -> Table:
        """Return a page of a variable that is a table. Raises ExecutionError."""
        return await self._executor.table(self._conversation_id, name, first_row, rows, order)

    async def completions(
        self, place: CodePlace, *, is_asked: bool
    ) -> AsyncGenerator[Completions, None]:
        """Yield what can follow Python code, then what else can; `is_asked`: by a key."""
        live = asyncio.create_task(self._live_completions(place, is_asked))
        read = asyncio.create_task(self._read_completions(place, is_asked))
        waiting = {live, read}
        found = Completions()
        try:
            await asyncio.wait([live], timeout=LIVE_FIRST_S)
            while waiting:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in [one for one in (live, read) if one in waiting and one.done()]:
                    waiting.discard(task)
                    new = _without(task.result(), found)
                    found = Completions(new.length, found.candidates + new.candidates)
                    if new.candidates:
                        yield new
            if not found.candidates:
                yield found
        finally:
            live.cancel()
            read.cancel()

    async def describe(self, place: CodePlace, *, is_call: bool) -> Description:
        """Return what is known of the end of Python code, or of the call that it is in."""
        live = asyncio.create_task(self._live_description(place, is_call))
        try:
            await asyncio.wait([live], timeout=LIVE_FIRST_S)
            if self._reader is None or (live.done() and live.result().name):
                return await live
            read = await self._reader.describe(place, *self._where(), is_call=is_call)
            return read if read.name else await live
        finally:
            live.cancel()

    async def _live_completions(self, place: CodePlace, is_asked: bool) -> Completions:
        code = place.before[-_SENT_LIMIT:]
        with contextlib.suppress(ExecutionError):  # a busy kernel is no news while one types
            async with self._turn() as is_newest:
                if is_newest():
                    return await self._executor.complete(
                        self._conversation_id, code, is_asked=is_asked
                    )
        return Completions()

    async def _live_description(self, place: CodePlace, is_call: bool) -> Description:
        code = place.before[-_SENT_LIMIT:]
        with contextlib.suppress(ExecutionError):
            async with self._turn() as is_newest:
                if is_newest():
                    return await self._executor.describe(
                        self._conversation_id, code, is_call=is_call
                    )
        return Description()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncGenerator[Callable[[], bool], None]:
        """Wait for the question before; what it gives says whether none has come after this one."""
        self._newest += 1
        number = self._newest
        async with self._asking:
            yield lambda: number == self._newest

    async def _read_completions(self, place: CodePlace, is_asked: bool) -> Completions:
        if self._reader is None:
            return Completions()
        return await self._reader.complete(place, *self._where(), is_asked=is_asked)


def _without(new: Completions, known: Completions) -> Completions:
    """Return new candidates that are not known, if they replace the same text as those."""
    if not known.candidates:
        return new
    texts = {one.text for one in known.candidates}
    fitting = new.candidates if new.length == known.length else ()
    return Completions(known.length, tuple(one for one in fitting if one.text not in texts))


_READ_CHARACTERS = 20_000


class CodeAccess:
    """Gives a conversation's code what it does not get of the desktop and the environment."""

    def __init__(self, executor: Executor, conversation: Conversation) -> None:
        self._executor = executor
        self._conversation = conversation

    def known(self, access: Access) -> tuple[str, ...]:
        """Return the names of variables that code gets only if that is allowed."""
        return self._executor.left_out(None, access)

    def left_out(self, access: Access) -> tuple[str, ...]:
        """Return those of them that the code does not get."""
        return self._executor.left_out(self._conversation.id, access)

    def allow(self, access: Access, is_on: bool = True) -> None:
        """Give the code a kind of access until the program ends, or take it back."""
        self._executor.allow(self._conversation.id, access, is_on)

    def missing(self) -> Access | None:
        """Return the kind of access that the code that ran last would have needed."""
        found = missing_access(printed_last(self._conversation.messages))
        return found if found and self.left_out(found) else None


def printed_last(messages: Sequence[Message]) -> str:
    """Return what the code that ran last has printed, the end of each output, and its errors."""
    printed: list[str] = []
    for message in reversed(messages):
        match message.content:
            case Proposal():
                break
            case CodeError() as error:
                printed.append(f"{error.name}: {error.message}")
            case str() as text if message.type == "console":
                printed.append(text[-_READ_CHARACTERS:])
            case _:
                pass
    return "\n".join(reversed(printed))


_MOST_CODES = 20


class RunPauses:
    """Pauses the code of a conversation, and keeps the lines to pause before, by the exact code.

    What cannot be done is reported by `start`, which starts each command.
    """

    def __init__(
        self,
        executor: Executor,
        conversation_id: str,
        start: Callable[[Awaitable[None]], None],
    ) -> None:
        self._executor = executor
        self._conversation_id = conversation_id
        self._start = start
        self._lines: dict[str, tuple[int, ...]] = {}
        self.running = ""
        """The code that runs."""

    def do(self, verb: PauseVerb) -> None:
        """Pause the code that runs, or have it go on after a pause."""
        self._start(self._executor.pause(self._conversation_id, verb))

    async def values(self, code: str) -> list[LineValue]:
        """Return what the lines of exactly this code assigned when it ran last."""
        return await self._executor.line_values(self._conversation_id, code)

    def lines(self, code: str) -> tuple[int, ...]:
        """Return the lines of a code to pause before."""
        return self._lines.get(code, ())

    def set_lines(self, code: str, lines: Sequence[int]) -> None:
        """Pause before these lines of a code, also while it runs."""
        self._lines.pop(code, None)
        if lines:
            self._lines[code] = tuple(sorted(lines))
            while len(self._lines) > _MOST_CODES:
                del self._lines[next(iter(self._lines))]
        if code == self.running:
            self._start(
                self._executor.pause(self._conversation_id, "breakpoints", self.lines(code))
            )

    def begin(self, code: str) -> tuple[int, ...]:
        """Return the lines of a code that begins to run."""
        self.running = code
        return self.lines(code)

    def end(self) -> None:
        """Record that the code has ended."""
        self.running = ""


def count_runs(messages: Sequence[Message], until: float = math.inf) -> int:
    """Return the number of code runs begun until a time (in seconds since the epoch)."""
    return sum(
        isinstance(message.content, RunReport)
        and message.content.state == "started"
        and message.created_at <= until
        for message in messages
    )


def has_run_here(messages: Sequence[Message]) -> bool:
    """Return whether code has run on this machine: the blocks of imports have no folder."""
    return any(isinstance(one.content, Proposal) and one.content.folder for one in messages)


def open_calls(messages: Sequence[Message]) -> list[Message]:
    """Return the code and tool calls since the last question that have no result yet, in order.

    A result names its call. A run belongs to the proposal before it. An output without a run (as
    in imported histories) and a result without a name belong to the first open code. Code that is
    only an example in an answer is no call.
    """
    calls: list[Message] = []
    proposed, has_reports = "", False
    examples = drafts(messages)
    for message in messages:
        match message:
            case Message(role="user"):
                calls, proposed, has_reports = [], "", False
            case Message(role="assistant", type="code" | "tool_call") if message.id not in examples:
                calls.append(message)
            case Message(content=Proposal(message_id=proposed)):
                pass
            case Message(content=RunReport()):
                has_reports = True
                calls = [call for call in calls if call.id != proposed]
            case Message(type="tool_result", call_id=str() as answered):
                calls = [call for call in calls if call.call_id != answered]
            case Message(type="tool_result"):
                calls = _without_first_code(calls)
            case Message(type="console") if not has_reports:
                calls = _without_first_code(calls)
            case _:
                pass
    return calls


def _without_first_code(calls: list[Message]) -> list[Message]:
    first = next((call for call in calls if call.type == "code"), None)
    return [call for call in calls if call is not first]


class KernelEpoch:
    """Knows which runs the kernel of now has seen. Owner: a session, which closes it."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._at = time.time()
        self.after = count_runs(conversation.messages)
        """The number of runs before the kernel that is, or will be, in use."""
        self.close = conversation.subscribe(self._follow)
        """Follow the conversation no more."""

    @property
    def has_lost_variables(self) -> bool:
        """Return whether all code that ran here ran in a kernel that no longer exists."""
        return bool(self.after) and self.after == count_runs(self._conversation.messages)

    def renew(self) -> int:
        """Record that the kernel is a new one; return the number of runs before it."""
        self._at = time.time()
        self.after = count_runs(self._conversation.messages)
        return self.after

    def _follow(self, event: ConversationEvent) -> None:
        """Take up that a killed kernel loses the variables of all its runs."""
        if event.kind in REARRANGED:  # the kernel is the same, but other runs are shown
            self.after = count_runs(self._conversation.messages, self._at)
        report = event.message.content if event.message is not None else None
        if isinstance(report, RunReport) and report.state == "killed":
            self.renew()


_CUT_DECISION = "This code was not run: Playhead ended before the user decided."


def close_unfinished(conversation: Conversation) -> None:
    """Close runs without an end and code without a decision, so that no view waits for ever."""
    open_run: RunReport | None = None
    proposal: Proposal | None = None
    for message in conversation.messages:
        match message.content:
            case RunReport() as report:
                open_run = report if report.state == "started" else None
                proposal = None
            case Proposal() as proposal:
                pass
            case _ if message.type == "tool_result" or message.role == "user":
                proposal = None
            case _:
                pass
    if open_run is not None:
        last = conversation.messages[-1].content
        asked = last.id if isinstance(last, InputRequest) else ""
        report = RunReport(state="killed", end=RunEnd(kind="app_ended"), unanswered=asked)
        conversation.apply(Chunk(role="computer", type="run", content=report))
    elif proposal is not None:
        _refuse(conversation, proposal)


_NO_ANSWER = Failure(
    code="interrupted",
    title="Interrupted: Playhead was closed before an answer came.",
    remedy="Retry asks the model again.",
)


def note_missing_answer(conversation: Conversation) -> None:
    """Record that the answer was interrupted before it began; one that has begun is marked."""
    messages = conversation.messages
    if messages and messages[-1].role != "assistant":
        conversation.apply(Chunk(role="server", type="error", content=_NO_ANSWER))


def _refuse(conversation: Conversation, proposal: Proposal) -> None:
    call = conversation.message(proposal.message_id)
    call_id = call.call_id if call is not None else None
    apply = conversation.apply
    apply(Chunk(role="computer", type="tool_result", format="execute", start=True, id=call_id))
    apply(Chunk(role="computer", type="tool_result", format="execute", content=_CUT_DECISION))
    apply(Chunk(role="computer", type="tool_result", format="execute", end=True))
