"""A kernel of one conversation: its start, its runs and their limits, its answers, its end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    Frame,
    Refused,
    RowOrder,
    RunEnd,
    Table,
)
from playhead.domain.execution import (
    Completions,
    Description,
    GoingOn,
    KernelState,
    KernelStatus,
    LineValue,
    PauseVerb,
    RunLimits,
    RunRequest,
    Variable,
)
from playhead.domain.text.run_ends import run_end_reason
from playhead.errors import ExecutionError, phrase
from playhead.execution import environment, processes
from playhead.execution.languages import KernelLanguage
from playhead.execution.processes import LimitWatch
from playhead.execution.results import (
    Questions,
    Results,
    Spool,
    completions_of,
    description_of,
    line_values_of,
    new_spool_name,
    table_of,
    variables_of,
)
from playhead.execution.run_output import RunOutput, file_name
from playhead.execution.run_stream import RunStream, execute_command, no_pause
from playhead.kernel import protocol
from playhead.kernel.output_decoder import Piece

if TYPE_CHECKING:
    from playhead.domain.trust import Policy, Reach
    from playhead.execution.kernel_process import KernelProcess
    from playhead.execution.supervisors.supervisor_process import SupervisorProcess
    from playhead.sandbox.sandbox import Confinement
    from playhead.sandbox.view import View


_Answer = TypeVar("_Answer")
ANSWER_LIMIT_S = 3.0
_FIRST_LOOK_S, _LAST_LOOK_S = 0.005, 0.5
_LATE_LIMIT = 64_000
_LIMIT_GRACE_S = 1.0
"""The grace of a run over a limit is shorter than a user's stop: its memory keeps growing."""


class LiveKernel:
    """Joins one process with its current run; `on_change` is called when its state changes."""

    def __init__(
        self,
        make_process: type[KernelProcess],
        output_dir: Path,
        language: KernelLanguage,
        interpreter: str,
        on_change: Callable[[], None],
        confinement: Confinement | None = None,
        supervisor: SupervisorProcess | None = None,
    ) -> None:
        self.language = language
        self.interpreter = interpreter
        self.confinement = confinement
        from playhead.execution.far_link import FarLink  # not needed for the first paint

        self.link = FarLink(language.spec)
        self.resume: dict[str, str | int] = {}
        """What is known of the kernel elsewhere that it comes back to."""
        self.on_question: Callable[[Mapping[str, Any]], None] = lambda report: None
        self.is_new = True
        """Whether nothing has been done with it yet."""
        self._output_dir = output_dir
        self._spool = Spool(output_dir / new_spool_name())
        self._folder = ""
        self._run_began = processes.RunStart()
        self._nonce = protocol.new_nonce()
        self._on_change = on_change
        self._state: KernelState = "starting"
        self._settled = asyncio.Event()  # ready, or ended before it was
        self._ended = asyncio.Event()
        self._run: RunStream | None = None
        self._grace_s = 0.0
        self._chunks: asyncio.Queue[list[Chunk]] = asyncio.Queue()
        self._run_nonce = ""
        self._pause_pipe = 0
        self._is_silent = False
        self._pauses_first = False
        self._end_mark: Piece | None = None  # not believed yet, or children still print
        self._behind: list[Piece] = []  # what has come after it, until it is known where it belongs
        self._awaits_view = self._is_disputed = self._is_clearing = False
        self._clears_end = False
        self._left = GoingOn()
        self._left_processes: list[int] = []
        self._saving_since: processes.RunStart | None = None
        self._between = b""
        self._view: View | None = None
        self._end_cause: RunEnd | None = None
        self._kill_cause: RunEnd | None = None
        self._is_ending = False
        self._process = make_process(
            self._nonce,
            self._on_pieces,
            self._on_tick,
            self._on_end,
            self._on_report,
            supervisor,
        )
        self._limits = LimitWatch(RunLimits(), 0, lambda end: None)
        self.questions = Questions(self._spool, self._process.write)
        self._asking = asyncio.Lock()

    @property
    def state(self) -> KernelState:
        """Return its state; "none" once it has ended."""
        return self._state

    @property
    def supervisor(self) -> int:
        """Return the id of its supervisor; 0 if it has none."""
        return self._process.root_pid if self._process.is_supervised else 0

    @property
    def was_stopped(self) -> bool:
        """Return whether it was ended on purpose."""
        return self._kill_cause is not None

    @property
    def is_ending(self) -> bool:
        """Return whether it takes no more code: it is being shut down, or has ended."""
        return self._is_ending or self._state == "none"

    def status(self) -> KernelStatus:
        """Return the status as the window shows it."""
        is_here = self._state != "none" and not self.link.is_elsewhere
        pid = self._process.pid if is_here else None
        memory = self._process.resident_bytes() if pid else None
        return KernelStatus(
            state=self._state,
            pid=pid,
            memory_bytes=memory,
            language=self.language.word,
            interpreter=self.interpreter,
            is_disputed=self._is_disputed,
            is_silent=self._is_silent,
            folder=self._folder,
            paused_line=self._run.pause.line if self._run and self._state == "busy" else 0,
            link=self.link.state,
            missing=self.link.missing,
            going_on=GoingOn(self._left.main, self._left.threads, len(self._left_processes)),
        )

    def launch(self, variables: Mapping[str, str], folder: str) -> None:
        """Start the process; wait for the result with `ready()`. Raises ExecutionError."""
        try:
            self._spool.make()
        except OSError as error:
            raise ExecutionError(
                "There is no place for the output of code.",
                detail=f"{self._output_dir}: {error.strerror}.",
                remedy="Free disk space or make the folder writable.",
            ) from error
        self._start_process(variables, folder)
        hello = protocol.encode_command(
            "hello",
            secret=self._process.secret,
            nonce=self._nonce,
            spool=str(self._spool.folder),
            language=self.language.word,
            program=self.language.program,
            uv=environment.uv_program(),
            **self.link.hello(self.resume),
        )
        self._process.write(hello)

    def _start_process(self, variables: Mapping[str, str], folder: str) -> None:
        inside, word = self.confinement, self.language.word
        is_place = self.language.spec is not None
        if inside is None:
            if self.link.is_carried:
                command = environment.carrier_command()
            elif is_place:
                command = environment.place_command()
            else:
                command = environment.kernel_command(self.interpreter, word)
            self._process.start(command, variables, folder)
            return
        self._view = view = inside.view(str(self._spool.folder))
        kernel = (
            environment.place_command(is_inside=True)
            if is_place
            else environment.confined_command(self.interpreter, word)
        )
        self._process.start_inside(
            inside.arguments(view, kernel)[1:],
            variables,
            folder,
            lambda pid: inside.misplaced(view, pid),
            inside.steps,
        )

    def can_become(self, reach: Reach, policy: Policy) -> bool:
        """Return whether it can be given another reach and policy while it lives."""
        inside, view = self.confinement, self._view
        return inside is None or (view is not None and inside.can_become(reach, policy, view))

    async def give(self, bounds: Confinement) -> None:
        """Let it reach what these bounds have, and nothing else. Raises ExecutionError."""
        await self._process.ask_supervisor("give", **bounds.living())
        self.confinement = bounds

    async def refused(self) -> tuple[Refused, ...]:
        """Return the connections that were refused since it was asked last."""
        if self._state != "none" and self._process.has_tried_network():
            with suppress(ExecutionError):
                await self._process.ask_supervisor("seen")
        found = self._process.take_refused()
        return tuple(Refused(target=one, count=found[one]) for one in sorted(found))

    async def ready(self) -> None:
        """Wait until code can be run. Raises ExecutionError when it did not come so far."""
        limit_s = self.link.start_limit_s
        try:
            async with asyncio.timeout(limit_s):
                await self._settled.wait()
        except TimeoutError:
            self.kill(RunEnd(kind="start_limit", limit=limit_s))
            await self._ended.wait()
        if self._state == "none":
            raise self._start_error()

    async def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the chunks of one run; closing the generator early kills the kernel."""
        run, queue = self._begin(request)
        try:
            while not (run.is_over and queue.empty()):
                for chunk in await queue.get():
                    yield chunk
        finally:
            self._limits.stop()
            if not run.is_over:
                self.kill(RunEnd(kind="abandoned"))
                await self._ended.wait()

    def interrupt(self, grace_s: float | None = None, cause: RunEnd | None = None) -> None:
        """Stop the run, in the time that its request gives it, or the start of the kernel.

        The report has the cause.

        When none runs, end what goes on from earlier ones: processes alone, threads only with the
        kernel.
        """
        if self._state == "idle" and (self._left.main or self._left.threads):
            self.kill(RunEnd(kind="stopped"))
        elif self._state == "idle" and self._left_processes and self.link.is_elsewhere:
            self._process.write(protocol.encode_command("stop", run=""))
        elif self._state == "idle" and self._left_processes:
            self._process.end_processes(self._left_processes)
        elif self._state == "starting":
            self.kill(RunEnd(kind="stopped_early"))
        elif self.link.is_elsewhere and self._state in ("busy", "stopping") and self._run:
            self._run.is_stopping = True
            self._run.stop_cause = cause
            self._set_state("stopping")
            self._process.write(protocol.encode_command("stop", run=self._run_nonce))
        elif self._state == "busy" and self._run is not None:
            grace_s = self._grace_s if grace_s is None else grace_s
            self._run.stop_cause = cause
            self._run.is_stopping = True
            self._kill_cause = replace(cause or RunEnd(kind="stopped"), grace_s=grace_s)
            self._clears_end = True
            self._set_state("stopping")
            self._process.write(protocol.encode_command("stop", run=self._run_nonce))
            self._process.interrupt(int(grace_s * 1000), self._run_began)

    def pause(self, verb: PauseVerb, lines: Sequence[int] = ()) -> None:
        """Pause the run, or have it go on. Raises ExecutionError where code cannot be paused."""
        if not self.language.is_hosts:
            raise no_pause(self.language.name)
        self._pauses_first = self._state == "starting" and verb == "pause"
        if (run := self._run) is None or self._state != "busy":
            return
        run.pause.is_wanted |= bool(lines) if verb == "breakpoints" else verb != "resume"
        fields = {"lines": [*lines]} if verb == "breakpoints" else {}
        self._process.write(protocol.encode_command(verb, run=self._run_nonce, **fields))
        if verb in ("step", "resume"):
            run.pause.end()

    async def line_values(self, code: str) -> list[LineValue]:
        """Return what the lines of exactly this code assigned when it ran last."""
        if not self.language.is_hosts or self._state not in ("idle", "busy"):
            return []
        return await self.questions.ask(line_values_of, "values", ANSWER_LIMIT_S, code=code)

    def answer(self, input_id: str, text: str) -> None:
        """Give the running code a line."""
        if self._run is not None:
            command = protocol.encode_command("input", run=self._run_nonce, id=input_id, text=text)
            self._process.write(command)

    def send_text(self, text: str, is_end: bool) -> None:
        """Give what runs text on its standard input, then the end of it if `is_end`."""
        if self._run is not None and not self._run.is_over:
            command = protocol.encode_command("text", run=self._run_nonce, text=text, end=is_end)
            self._process.write(command)

    def reply(self, question_id: str, text: str | None) -> None:
        """Answer what connects to another machine; None gives the connection up."""
        self._process.reply(question_id, text)

    def set_environment(self, given: Mapping[str, str], taken: Sequence[str]) -> None:
        """Set variables of its environment, and remove others, from now on."""
        changes = protocol.encode_command("environment", set=dict(given), unset=list(taken))
        self._process.write(changes)

    async def variables(self, frames: Sequence[Frame] = ()) -> list[Variable]:
        """Return the variables of its namespace, or of the frames of its last failure.

        Raises ExecutionError.
        """
        asked = [[frame.file, frame.line, frame.name] for frame in frames]
        return await self._ask(variables_of, "variables", ANSWER_LIMIT_S, frames=asked)

    async def table(
        self, name: str, first_row: int, rows: int, order: RowOrder | None = None
    ) -> Table:
        """Return a page of a variable. Raises ExecutionError."""
        sorting = {} if order is None else {"by": order.column, "falling": order.is_falling}
        limit_s = ANSWER_LIMIT_S if order is None else None
        page = await self._ask(
            table_of, "table", limit_s, name=name, first=first_row, rows=rows, **sorting
        )
        if page is None:
            raise ExecutionError(phrase("“{name}” is not a table.", name=name))
        return page

    async def complete(self, code: str, *, is_asked: bool) -> Completions:
        """Return what can follow a code. Raises ExecutionError."""
        return await self._ask(
            completions_of, "complete", ANSWER_LIMIT_S, code=code, asked=is_asked
        )

    async def describe(self, code: str, *, is_call: bool) -> Description:
        """Return what is known of the end of a code. Raises ExecutionError."""
        return await self._ask(description_of, "describe", ANSWER_LIMIT_S, code=code, call=is_call)

    @property
    def spool_folder(self) -> Path:
        """Return the folder that files for it are put into."""
        return self._spool.folder

    def take_file(self, name: str, target: Path, limit: int) -> bool:
        """Move a file out that it has written (any thread); False if that is not one."""
        return self._spool.take(name, target, limit)

    async def save(
        self, take: Callable[[dict[str, Any]], _Answer], limit_s: float, **fields: object
    ) -> _Answer:
        """Have it write what its last runs changed, without keeping other questions waiting.

        Return what `take` makes of its answer, in a thread. Raises ExecutionError, and what that
        raises.
        """

        def answered(found: dict[str, Any]) -> _Answer:
            self._saving_since = None
            return take(found)

        if self._state != "idle" or self._is_ending:
            raise ExecutionError("The kernel is busy.", remedy="Ask again when the code has ended.")
        self._saving_since = processes.run_start()
        try:
            return await self.questions.ask(answered, "save", limit_s, **fields)
        finally:
            self._saving_since = None

    async def restore(self, file: str, seconds: float, more_s: float) -> dict[str, Any]:
        """Have it read what another kernel has saved. Raises ExecutionError."""
        return await self._ask(dict, "restore", seconds + more_s, file=file, seconds=seconds)

    def kill(self, cause: RunEnd) -> None:
        """Kill it with its children."""
        if self.link.is_elsewhere and self._state not in ("none", "starting"):
            self.end(cause)
        elif self._state != "none":
            self._kill_cause = cause
            self._process.kill_group()

    def end(self, cause: RunEnd, *, leaves: bool = False) -> None:
        """Take no more code, and end: at once if code runs, else so that its exit handlers run.

        A kernel elsewhere is let run if it `leaves`.
        """
        if self._is_ending:
            return  # the first cause is the one that is reported
        if self._state != "idle" and not (self.link.is_elsewhere and self._state != "starting"):
            self.kill(cause)
        else:
            self._kill_cause = cause
            is_restart = cause.kind == "restarted"
            how = "leave" if leaves else "restart" if is_restart else ""
            self._process.end_soon(protocol.encode_command("exit", how=how), self.link.end_grace_ms)
        self._is_ending = True

    async def ended(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    def _start_error(self) -> ExecutionError:
        cause = run_end_reason(self._kill_cause or self._end_cause)
        reason = f"{cause}." + _final_output(self._between)
        if self.link.failure is not None and not self.was_stopped:
            return self.link.failure
        if self.confinement is not None and not self._process.has_begun:
            return ExecutionError(
                "The sandbox could not be made, so nothing was started.",
                detail=reason,
                remedy="Test the sandbox again; it says what is missing.",
            )
        if self.language.is_hosts:
            return ExecutionError(
                "The interpreter could not be started.",
                detail=f"{self.interpreter}: {reason}",
                remedy="Choose another interpreter.",
            )
        return ExecutionError(
            phrase("{language} could not be started.", language=self.language.name),
            detail=f"{self.language.program}: {reason}",
            remedy="See whether it starts in a terminal, or ask for the code in another language.",
        )

    def _begin(self, request: RunRequest) -> tuple[RunStream, asyncio.Queue[list[Chunk]]]:
        if self._state != "idle":
            raise ExecutionError(
                "The kernel is busy with other code.", remedy="Wait for it or stop it first."
            )
        path = self._output_dir / f"{file_name(request.run_id)}.txt"
        output = RunOutput(path, kept=request.limits.output_bytes)
        self._run_nonce = protocol.new_nonce()
        self._run_began = processes.run_start()
        results = Results(self._spool, self._output_dir, request.run_id)
        self._run = run = RunStream(request.run_id, output, results.take, self._run_nonce)
        run.pause.is_wanted = bool(request.breakpoints)
        run.pause.on_change = lambda: self._on_pause(run)
        self._chunks = asyncio.Queue()
        self._kill_cause = None
        self._end_mark, self._behind = None, []
        self._awaits_view = self._is_disputed = self._is_clearing = False
        self._clears_end = False
        self._left, self._left_processes = GoingOn(), []
        earlier, self._between = self._between, b""
        self._push(self._run.start(earlier))
        self._process.begin_run()
        self._process.write(execute_command(request, self._run_nonce))
        self._watch(request)
        self._set_state("busy")
        if self._pauses_first:
            self.pause("pause")
        return self._run, self._chunks

    def _watch(self, request: RunRequest) -> None:
        grace_s = self._grace_s = request.stop_grace_s
        self._limits = LimitWatch(
            request.limits,
            self._process.root_pid,
            lambda end: self.interrupt(min(grace_s, _LIMIT_GRACE_S), end),
        )
        self._limits.start()

    async def _ask(
        self,
        read: Callable[[dict[str, Any]], _Answer],
        command: str,
        limit_s: float | None,
        **fields: object,
    ) -> _Answer:
        async with self._asking:  # the time of one that waits for a sorting has not begun
            is_paused = self._state == "busy" and self._run is not None and self._run.pause.line
            if not (self._state == "idle" or is_paused) or self._is_ending:
                raise ExecutionError(
                    "The kernel is busy.", remedy="Ask again when the code has ended, or stop it."
                )
            return await self.questions.ask(read, command, limit_s, **fields)

    def _on_pause(self, run: RunStream, wait_s: float = _FIRST_LOOK_S) -> None:
        """Let the run's time stand still while its main thread is seen to wait."""
        is_paused = run.pause.line > 0
        if self._run is not run or self._state != "busy":
            return
        if is_paused and self._process.sees_wait(self._pause_pipe) is False:
            if wait_s > _LAST_LOOK_S:
                run.pause.end()  # a forged mark, or it goes on already
                return
            asyncio.get_running_loop().call_later(wait_s, self._on_pause, run, 2 * wait_s)
        else:
            self._limits.count_time(is_on=not is_paused)
        self._on_change()

    def _on_pieces(self, pieces: list[Piece]) -> None:
        pieces = self._without_answers(pieces)
        run = self._run
        if run is None or run.is_over:
            self._on_pieces_between(pieces)
        elif self._awaits_view:
            self._behind += pieces
        else:
            self._feed(run, pieces)

    def _feed(self, run: RunStream, pieces: list[Piece]) -> None:
        """Give a run its pieces up to an end, which is believed when it is seen from outside."""
        place = next((n for n, piece in enumerate(pieces) if self._is_end(piece)), len(pieces))
        if place < len(pieces) and (self._is_disputed or self._is_clearing):
            ends = [piece for piece in pieces if self._is_end(piece)]
            self._end_mark = ends[-1]  # they are all of the same worth
            pieces = [piece for piece in pieces if piece not in ends]
            place = len(pieces)
        self._push(run.feed(pieces[:place]))
        if run.has_held_text:
            self._process.request_tick()
        if place == len(pieces):
            return
        self._end_mark, self._behind = pieces[place], pieces[place + 1 :]
        self._awaits_view = True
        if self._process.sees_rest():
            self._on_report("rests", {})
        else:
            self._process.look()

    def _is_end(self, piece: Piece) -> bool:
        is_mark = isinstance(piece, protocol.Mark)
        return is_mark and piece.kind == "idle" and piece.run == self._run_nonce

    def _on_report(self, kind: str, report: Mapping[str, Any]) -> None:
        """Take what the supervisor has seen."""
        if kind == "left":
            self._on_left(report)
            return
        if kind == "question":
            self.on_question(report)
            return
        if kind == "rests" and (self._is_disputed or any(map(self._is_end, self._behind))):
            self._process.read_now()  # what it has written before it came to its true end
        run = self._run
        if run is None or run.is_over or self._end_mark is None or self._is_clearing:
            return
        behind, self._behind = self._behind, []
        self._awaits_view = False
        self._is_disputed |= kind == "runs"
        if kind == "runs" or self._clears_end:
            self._is_clearing = kind == "rests"
            self._feed(run, behind)
        if kind == "runs":
            self._on_change()
        elif self._clears_end:
            self._stop_signals()
            self._process.end_started(self._run_began, self._on_cleared)
        elif kind == "rests":
            self._end_run(run, self._end_mark, behind)

    def _on_left(self, report: Mapping[str, Any]) -> None:
        """Show what goes on; the main thread may compute an answer to a question of ours."""
        is_main = report["main"] and not self.questions.asked_since_last()
        self._left = GoingOn(is_main, report["threads"])
        spared = (self._process.pid, self._process.spared_pid)
        spared += self._savers() if report["processes"] else ()
        self._left_processes = [pid for pid in report["processes"] if pid not in spared]
        self._on_change()

    def _savers(self) -> tuple[int | None, ...]:
        """Return what has been started since a save began: no code runs, so it is what saves."""
        began = self._saving_since
        if began is None:
            return ()
        return tuple(one.pid for one in processes.started_since(self._process.root_pid, began))

    def _on_cleared(self) -> None:
        if self._run is not None and self._end_mark is not None:
            self._end_run(self._run, self._end_mark, [])

    def _end_run(self, run: RunStream, mark: Piece, behind: list[Piece]) -> None:
        """End a run with a mark, or with the last one behind it."""
        self._end_mark = None
        self._is_disputed = False
        ends = [n for n, piece in enumerate(behind) if self._is_end(piece)]
        if ends:
            mark = behind[ends[-1]]
            self._push(run.feed([p for p in behind[: ends[-1]] if not self._is_end(p)]))
            behind = behind[ends[-1] + 1 :]
        self._push(run.feed([mark]))
        self._folder = mark.text("folder") if isinstance(mark, protocol.Mark) else ""
        self._stop_signals()
        self._set_state("idle")
        self._on_pieces_between(behind)

    def _stop_signals(self) -> None:
        self._process.end_run()
        self._limits.stop()
        self._process.cancel_stop()
        self._kill_cause = None

    def _without_answers(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces that belong to runs; answers settle their questions."""
        rest: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, protocol.Mark) and piece.kind == "answer":
                self.questions.settle(piece)
            elif isinstance(piece, protocol.Mark) and piece.kind == "driver":
                self._spare(piece.integer("pid") or 0)
            elif isinstance(piece, protocol.Mark) and piece.kind == "stopping":
                self._process.signal_now()
            elif isinstance(piece, protocol.Mark) and self.link.take(piece):
                self._on_change()
            else:
                rest.append(piece)
        return rest

    def _spare(self, pid: int) -> None:
        """Take a process for the language's program, if the host itself has started it.

        Code runs below that program, or in the kernel where there is none: it cannot start a child
        of the host.
        """
        kernel = self._process.pid
        if self.confinement is not None and kernel is not None:
            pid = processes.child_inside(kernel, pid)
        is_hosts = sys.platform != "linux" or processes.parent_of(pid) == kernel
        if not self.language.is_hosts and is_hosts:
            self._process.spared_pid = pid

    def _on_pieces_between(self, pieces: list[Piece]) -> None:
        """Keep output between two runs for the next one, or at least its last part."""
        for piece in pieces:
            if isinstance(piece, bytes):
                self._between = (self._between + piece)[-_LATE_LIMIT:]
            elif piece.kind == "ready" and self._state == "starting":
                self._between = b""
                self._process.learn_pipe()
                self._pause_pipe = piece.integer("pauses") or 0
                self._is_silent = not piece.flag("lines")
                self._set_state("idle")
                self._settled.set()

    def _on_tick(self) -> None:
        if self._run is not None and not self._run.is_over:
            self._push(self._run.flush())

    def _on_end(self, end: RunEnd) -> None:
        end = self._end_cause = self.link.end(end)
        self._is_disputed = False
        if self._is_clearing:
            self._on_cleared()
        if self._run is not None and not self._run.is_over:
            self._push(self._run.feed(self._behind))
            cause = self._kill_cause or end
            self._push(self._run.finish("killed", cause, exit_status=cause.exit_status))
        self._limits.stop()
        self._set_state("none")
        self._settled.set()
        self._ended.set()
        self.questions.give_up(run_end_reason(end))
        self._spool.remove()
        if self.confinement is not None:
            self.confinement.clear(str(self._spool.folder))

    def _push(self, chunks: list[Chunk]) -> None:
        if chunks:
            self._chunks.put_nowait(chunks)

    def _set_state(self, state: KernelState) -> None:
        self._state = state
        self._on_change()


def _final_output(output: bytes) -> str:
    words = output[-2000:].decode("utf-8", "backslashreplace").strip()
    return f"\n{words}" if words else ""
