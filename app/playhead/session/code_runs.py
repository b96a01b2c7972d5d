"""Code of a conversation: questions about it, open calls, blocks that ran, runs of the kernel.

What an earlier process left unfinished is closed here.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from playhead.domain.access import Access, missing_access
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    CodeError,
    Coverage,
    Failure,
    FileChanges,
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
from playhead.session.code_ports import CodeReader, Executor, FileEffects
from playhead.session.ports import SessionPorts

if TYPE_CHECKING:
    from playhead.domain.saved_variables import RestoreOffer

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
        return self._executor.known(access)

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


class RunFiles:
    """Takes back what runs of a conversation did to files, and does it again.

    Each is an effect of its own, a message `computer/files` that names the one that it is `of`;
    `effect_states` returns what is left of each. The result names the conflicts. Where nothing was
    done the conversation gets no message. All raise SessionError while a turn is under way, and
    ExecutionError if it cannot be.
    """

    def __init__(
        self,
        files: FileEffects | None,
        conversation: Conversation,
        expect_idle: Callable[[], None],
        on_covered: Callable[[], None],
    ) -> None:
        self._files = files
        self._conversation = conversation
        self._expect_idle = expect_idle
        self._on_covered = on_covered
        self.coverage: Coverage | None = None
        """What of the folder could be put back after a run, as it was found last."""

    async def cover(self, folder: str) -> None:
        """Keep the files of a folder as they are, while a person reads what is to run in it."""
        if self._files is not None:
            self.coverage = await self._files.cover(folder)
            self._on_covered()

    async def undo_run(self, effect_id: str) -> FileChanges:
        """Put back all that a run has created, changed, deleted and moved."""
        return await self._take_back(effect_id, (), "undo")

    async def undo_file(self, effect_id: str, path: str) -> FileChanges:
        """Put back one file of a run."""
        return await self._take_back(effect_id, (path,), "undo")

    async def redo_run(self, undo_id: str, path: str = "") -> FileChanges:
        """Do again what an undo took back, or what it did to one file."""
        return await self._take_back(undo_id, (path,) if path else (), "redo")

    async def keep(self, effect_id: str, path: str) -> FileChanges:
        """Put a file into its place that was set aside."""
        return await self._settle(effect_id, path, is_kept=True)

    async def delete(self, effect_id: str, path: str) -> FileChanges:
        """Delete a file that was set aside."""
        return await self._settle(effect_id, path, is_kept=False)

    async def report_unreported(self) -> None:
        """Add what runs did that ended with the program."""
        if self._files is None:
            return
        contents = [message.content for message in self._conversation.everything]
        known = {one.id for one in contents if isinstance(one, FileChanges)}
        for changes in await self._files.unreported(self._conversation.id):
            if changes.id not in known:
                self._apply(changes)

    async def _take_back(
        self, effect_id: str, paths: Sequence[str], action: Literal["undo", "redo"]
    ) -> FileChanges:
        files, folder = self._place_of(effect_id)
        changes = await files.undo(folder, effect_id, paths)
        return self._apply(replace(changes, action=action))

    async def _settle(self, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        files, folder = self._place_of(effect_id)
        return self._apply(await files.settle(folder, effect_id, path, is_kept=is_kept))

    def _place_of(self, effect_id: str) -> tuple[FileEffects, str]:
        self._expect_idle()
        found = (message.content for message in self._conversation.everything)
        effects = (one for one in found if isinstance(one, FileChanges) and effect_id)
        folder = next((one.folder for one in effects if one.id == effect_id), "")
        if self._files is not None and folder:
            return self._files, folder
        raise ExecutionError(
            "This can no longer be put back.",
            detail="Nothing is kept of the files as they were.",
        )

    def _apply(self, changes: FileChanges) -> FileChanges:
        if changes.listed or changes.set_aside:
            self._conversation.apply(Chunk(role="computer", type="files", content=changes))
        return changes


class KeptVariables:
    """Answers whether a new kernel gets the variables of the one before it."""

    def __init__(self, ports: SessionPorts, conversation_id: str) -> None:
        self._ports = ports
        self._saved = ports.saved_variables
        self._id = conversation_id

    @property
    def offer(self) -> RestoreOffer | None:
        """Return the question that a run waits for, if there is one."""
        return self._ports.executor.status(self._id).offer

    @property
    def saved(self) -> RestoreOffer | None:
        """Return how many a new kernel can get; None for none."""
        return self._saved.saved(self._id) if self._saved is not None else None

    async def survivors(self) -> Callable[[], str]:
        """Return what says what a model gets to know of those from before the kernel."""
        return await self._saved.survivors(self._id) if self._saved is not None else str

    def answer(self, choice: Literal["yes", "no"]) -> None:
        """Have them brought back, or not."""
        if self._saved is not None:
            self._saved.answer(self._id, choice)

    def ask_again(self) -> None:
        """Have none brought back without a question: a person wants a new kernel."""
        if self._saved is not None:
            self._saved.ask_again(self._id)

    async def answer_always(self) -> None:
        """Have them brought back, now and from now on."""
        self.answer("yes")
        settings = self._ports.settings
        await settings.save(replace(settings.current, restores_variables="always"))


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
    """Owner: a session; it follows the conversation by `follow`."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._at = time.time()
        self.after = count_runs(conversation.messages)
        """The number of runs before the kernel that is, or will be, in use."""

    @property
    def has_lost_variables(self) -> bool:
        """Return whether all code that ran here ran in a kernel that no longer exists."""
        return bool(self.after) and self.after == count_runs(self._conversation.messages)

    def renew(self) -> int:
        """Record that the kernel is a new one; return the number of runs before it."""
        self._at = time.time()
        self.after = count_runs(self._conversation.messages)
        return self.after

    def follow(self, event: ConversationEvent) -> None:
        """Follow a conversation's events: a killed kernel loses the variables of all its runs."""
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
