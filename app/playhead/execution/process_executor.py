"""The executor port on QProcess kernels, one per conversation and language."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QTimer

from playhead.domain.access import Access
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    FileChanges,
    Frame,
    RowOrder,
    RunEnd,
    RunReport,
    Table,
)
from playhead.domain.execution import (
    Completions,
    Description,
    KernelStatus,
    LineValue,
    PauseVerb,
    RunRequest,
    Variable,
    is_elsewhere,
    languages_at,
    place_of,
    runs_at,
)
from playhead.domain.trust import Policy, Reach, is_below
from playhead.errors import ExecutionError, phrase
from playhead.execution import environment
from playhead.execution.languages import HOST_LANGUAGE, KernelLanguage, Languages
from playhead.execution.login_path import LoginPath
from playhead.execution.supervisors.supervisor_process import SpareSupervisor

if TYPE_CHECKING:
    from playhead.execution.environments.place_finder import KernelSpec
    from playhead.execution.far_link import TokenOf
    from playhead.execution.file_watch import FileWatch, RunObservation
    from playhead.execution.keeping.variable_keeper import VariableKeeper
    from playhead.execution.live_kernel import LiveKernel
    from playhead.execution.machines.far_side import FarSide
    from playhead.execution.machines.place_questions import PlaceQuestions
    from playhead.sandbox.sandbox import Confinement, Sandbox

_log = logging.getLogger(__name__)
_MEMORY_PERIOD_MS = 1000
_DPI = 100
"""The default resolution of figures, on a screen whose points are pixels."""

Listener = Callable[[str, KernelStatus], None]


class ProcessExecutor:
    """Owner of all kernels; made and used in the thread of the Qt loop.

    `output_dir` takes images and long outputs, in a folder per conversation named by its id.
    `files` reports what runs change in their folders; without it nobody looks.
    `make_folder` makes a missing working folder, unless that is not for the program to make.
    Kernels get `variables` (by default this process's environment) without those named in `drop`,
    and without secrets and what leads to the desktop, unless `allowed` or `allow` say so. Runs with
    a bounded policy get kernels in the `sandbox`; without one they are refused. `keeper` saves
    their variables and brings them back; without it they end with their kernel. `token_of` is asked
    for what a server wants to see.
    """

    def __init__(
        self,
        output_dir: Path,
        variables: Mapping[str, str] | None = None,
        drop: Collection[str] = (),
        files: FileWatch | None = None,
        make_folder: Callable[[str], bool] = lambda folder: False,
        allowed: Collection[Access] = (),
        sandbox: Sandbox | None = None,
        keeper: VariableKeeper | None = None,
        token_of: TokenOf | None = None,
    ) -> None:
        self._token_of = token_of
        self._sandbox = sandbox
        self._keeper = keeper
        self._allowed = frozenset(allowed)
        self._allowed_in: dict[str, frozenset[Access]] = {}
        self._reach: dict[str, Reach] = {}
        self._output_dir = output_dir
        self._variables = dict(os.environ if variables is None else variables)
        self._drop = frozenset(drop)
        self._make_folder = make_folder
        self._kernels: dict[tuple[str, str], LiveKernel] = {}
        self._folders: dict[tuple[str, str], str] = {}
        self._dpi = 0.0
        self._listeners: list[Listener] = []
        self._emitted: dict[str, KernelStatus] = {}
        self._login = LoginPath(self._variables)
        self._languages = Languages(self._variables.get("PATH"))
        self._files = files
        self._spare = SpareSupervisor(
            environment.supervisor_command, environment.supervisor_environment(self._variables)
        )
        self._clock = QTimer()
        self._clock.setInterval(_MEMORY_PERIOD_MS)
        self._clock.timeout.connect(self._emit_all)

    @cached_property
    def far_side(self) -> FarSide:
        """Return what reaches other machines."""
        from playhead.execution.machines.far_side import FarSide  # not needed for the first paint

        return FarSide(self._kernel_for, self._of, self._output_dir)

    @property
    def place_questions(self) -> PlaceQuestions:
        """Return the questions of what connects to other machines."""
        return self.far_side.questions

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that can be run."""
        return self._languages.offered

    def supervisors(self, folder: str = "") -> tuple[int, ...]:
        """Return the ids of the kernels' parents, which run no code of users.

        With a folder: of the kernels whose code works in it, above or below it.
        """
        return tuple(
            kernel.supervisor
            for key, kernel in self._kernels.items()
            if kernel.supervisor
            and (
                not folder
                or any(_is_near(folder, at) for at in (kernel.status().folder, self._folders[key]))
            )
        )

    def canonical(self, word: str) -> str | None:
        """Return the offered language for a name used by a model, or None."""
        return self._languages.canonical(word)

    def why_not(self, word: str) -> str:
        """Return what a known language needs in order to run here; "" if nothing or unknown."""
        return self._languages.why_not(word)

    def only_shows(self, word: str) -> bool:
        """Return whether blocks of a language are only shown, so that they need no approval."""
        return self._languages.only_shows(word)

    async def prepare(self) -> None:
        """Look for languages, and remove what kernels have left when the program was killed.

        What kernels load is compiled.
        """
        await self._look_for_languages()
        await asyncio.to_thread(_remove_left_spools, self._output_dir)
        await asyncio.to_thread(environment.compile_ahead)

    async def _look_for_languages(self) -> None:
        """Ask the login shell for the PATH of programs, if we were started without it."""
        self._languages.path = await self._login.path() or None

    def expect(self, conversation_id: str, policy: Policy) -> None:
        """Prepare for a run that a person may approve soon; nothing of it is started."""
        if policy.is_bounded and self._sandbox is not None and not self._of(conversation_id):
            self._spare.make_soon(self._sandbox.has_space)

    def set_screen_ratio(self, ratio: float) -> None:
        """Let figures of the next runs be as sharp as the screen is."""
        self._dpi = _DPI * ratio

    async def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the chunks of one run, as described by the port. Raises ExecutionError."""
        request = replace(request, dpi=self._dpi)
        if is_elsewhere(request.interpreter):
            request = replace(request, policy=Policy())  # what holds code here is not there
        kernel = await self._kernel_for(request)
        is_watched = self._files is not None and not kernel.link.is_elsewhere
        look = self._files.look(request) if self._files and is_watched else None
        if self._files is not None and is_watched and kernel.state == "starting":
            self._files.look_ahead(request.folder)  # both take a while
        if not await self._is_ready(kernel, request, look):
            from playhead.execution.run_stream import stopped_before_start

            for chunk in stopped_before_start():
                yield chunk
            return
        began = time.time()
        try:
            async with aclosing(kernel.run(request)) as chunks:
                async for chunk in chunks:
                    if _is_last(chunk) and (found := await _effect(look, kernel, request, began)):
                        yield Chunk(role="computer", type="files", content=found)
                    yield self._with_saved(await _with_refused(kernel, chunk), request)
        finally:
            if look is not None:
                look.give_up()

    async def interrupt(self, conversation_id: str) -> None:
        """Stop the running code; returns immediately, the run's stream reports the end."""
        if self._keeper is not None:
            self._keeper.answer(conversation_id, "stop")
        for kernel in self._of(conversation_id):
            kernel.interrupt()

    async def pause(self, conversation_id: str, verb: PauseVerb, lines: Sequence[int] = ()) -> None:
        """Pause the running code, or have it go on. Raises ExecutionError if it cannot be."""
        for kernel in self._of(conversation_id):
            if kernel.state in ("starting", "busy"):
                kernel.pause(verb, lines)

    async def line_values(self, conversation_id: str, code: str) -> list[LineValue]:
        """Return what lines of a code assigned when it ran last; [] if that is not known."""
        kernel = self._kernels.get((conversation_id, HOST_LANGUAGE))
        return await kernel.line_values(code) if kernel is not None else []

    async def answer_input(self, conversation_id: str, input_id: str, text: str) -> None:
        """Give the running code the line it asked for."""
        for kernel in self._of(conversation_id):
            kernel.answer(input_id, text)

    async def send_text(self, conversation_id: str, text: str, *, is_end: bool = False) -> None:
        """Give a child of the running code text on its standard input, then the end of it."""
        for kernel in self._of(conversation_id):
            kernel.send_text(text, is_end)

    async def variables(self, conversation_id: str, frames: Sequence[Frame] = ()) -> list[Variable]:
        """Return the variables of the idle Python kernel; [] without one. Raises ExecutionError."""
        kernel = self._kernels.get((conversation_id, "python"))
        found = await kernel.variables(frames) if kernel is not None else []
        if self._keeper is None or frames or (kernel and not kernel.language.is_hosts):
            return found
        return await self._keeper.rows(conversation_id, found, has_kernel=kernel is not None)

    async def table(
        self,
        conversation_id: str,
        name: str,
        first_row: int,
        rows: int,
        order: RowOrder | None = None,
    ) -> Table:
        """Return a page of a variable that is a table. Raises ExecutionError."""
        kernel = self._kernels.get((conversation_id, "python"))
        if kernel is None:
            raise ExecutionError("There is no Python kernel.", remedy="Run the code again.")
        return await kernel.table(name, first_row, rows, order)

    async def complete(self, conversation_id: str, code: str, *, is_asked: bool) -> Completions:
        """Return what can follow a code; nothing without a kernel. Raises ExecutionError."""
        kernel = self._kernels.get((conversation_id, "python"))
        return await kernel.complete(code, is_asked=is_asked) if kernel else Completions()

    async def describe(self, conversation_id: str, code: str, *, is_call: bool) -> Description:
        """Return what is known of the end of a code; nothing without a kernel.

        Raises ExecutionError.
        """
        kernel = self._kernels.get((conversation_id, "python"))
        return await kernel.describe(code, is_call=is_call) if kernel else Description()

    async def restart(self, conversation_id: str) -> None:
        """End the conversation's kernels; the next run starts a fresh one."""
        await _shut_down(self._of(conversation_id), RunEnd(kind="restarted"))

    def left_out(self, conversation_id: str | None, access: Access) -> tuple[str, ...]:
        """Return the names of variables that a conversation's code does not get.

        For None: all that code gets only if that is allowed.
        """
        if conversation_id is not None and access in self._allowed_by(conversation_id):
            return ()
        return environment.left_out(self._variables, self._drop)[access]

    def allow(self, conversation_id: str, access: Access, is_on: bool = True) -> None:
        """Give code of a conversation a kind of access, or take it back; Python gets it at once."""
        before = self._allowed_by(conversation_id)
        changed: frozenset[Access] = frozenset({access})
        after = before | changed if is_on else before - changed
        self._allowed_in[conversation_id] = after
        had, has = (
            environment.kernel_environment("", self._variables, self._drop, kinds)
            for kinds in (before, after)
        )
        given = {name: value for name, value in has.items() if had.get(name) != value}
        taken = sorted(had.keys() - has.keys())
        for kernel in self._of(conversation_id):
            if kernel.confinement is None or access == "secrets":
                kernel.set_environment(given, taken)

    def takes(self, conversation_id: str, reach: Reach, policy: Policy | None = None) -> bool:
        """Return whether its kernels can be given this reach, and a policy, as they are."""
        return not self._unable(conversation_id, reach, policy)

    async def set_reach(
        self, conversation_id: str, reach: Reach, policy: Policy | None = None
    ) -> None:
        """Let code of a conversation reach this beyond its policy, and no more: from now on.

        With a `policy` that is another one from now on. A kernel that cannot be given or refused
        it is ended.
        """
        self._reach[conversation_id] = reach
        unable = self._unable(conversation_id, reach, policy)
        await _shut_down(unable, RunEnd(kind="policy_changed"))
        for kernel in self._of(conversation_id):
            inside = kernel.confinement
            if inside is None or self._sandbox is None:
                continue
            wanted = policy or inside.policy
            if inside.reach == reach and _same_network(inside.policy, wanted):
                continue
            if _view_of(inside.reach) == _view_of(reach) and _same_network(inside.policy, wanted):
                bounds = replace(inside, reach=reach)
                self._change_variables(kernel, inside, bounds)
                kernel.confinement = bounds
                continue
            try:
                bounds = await self._sandbox.with_reach(inside, reach, wanted)
                self._change_variables(kernel, inside, bounds)
                await kernel.give(bounds)
            except ExecutionError as error:
                _log.warning("a kernel ends since it cannot be given its reach: %s", error)
                await _shut_down([kernel], RunEnd(kind="policy_changed"))

    def _change_variables(self, kernel: LiveKernel, had: Confinement, has: Confinement) -> None:
        given = self._granted_variables(has.reach)
        taken = (set(had.reach.variables) - given.keys()) | set(has.reach.kept_out)
        if had.network != has.network:
            given |= has.network_variables
            taken |= had.network_variables.keys() - given.keys()
        kernel.set_environment(given, sorted(taken))

    def _unable(
        self, conversation_id: str, reach: Reach, policy: Policy | None
    ) -> list[LiveKernel]:
        """Return the kernels whose view is another; variables are given to a living Python."""
        return [
            kernel
            for kernel in self._of(conversation_id)
            if (inside := kernel.confinement) is not None
            and not self._takes(kernel, inside, reach, policy or inside.policy)
        ]

    def _takes(self, kernel: LiveKernel, inside: Confinement, reach: Reach, policy: Policy) -> bool:
        """Return whether it can be given these as it lives; variables only a Python can be."""
        had, has = inside.reach, inside.policy
        is_same = (had.variables, had.kept_out) == (reach.variables, reach.kept_out)
        takes_variables = is_same or kernel.language.is_hosts
        is_same_view = _view_of(had) == _view_of(reach) and has.files == policy.files
        is_same_view = is_same_view and _same_network(has, policy)
        return takes_variables and (is_same_view or kernel.can_become(reach, policy))

    def _granted_variables(self, reach: Reach) -> dict[str, str]:
        names = (one for one in reach.variables if one not in self._drop)
        return {name: self._variables[name] for name in names if name in self._variables}

    def _allowed_by(self, conversation_id: str) -> frozenset[Access]:
        return self._allowed_in.get(conversation_id, self._allowed)

    def status(self, conversation_id: str) -> KernelStatus:
        """Return the status of the conversation's kernel; of the busy one if there are several."""
        statuses = [kernel.status() for kernel in self._of(conversation_id)]
        statuses.sort(key=lambda status: status.state == "idle")
        if not statuses or self._keeper is None:
            return statuses[0] if statuses else KernelStatus()
        return replace(
            statuses[0],
            offer=self._keeper.offer(conversation_id),
            brought_back=self._keeper.brought_back(conversation_id),
            is_behind=self._keeper.is_behind(conversation_id),
            place=self._keeper.place(conversation_id),
        )

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener(conversation_id, status)` on every change."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def close(self) -> None:
        """End all kernels with their children."""
        if self._keeper is not None:
            await self._keeper.close()
        await self._spare.close()
        await _shut_down(list(self._kernels.values()), RunEnd(kind="closed"))

    def _of(self, conversation_id: str) -> list[LiveKernel]:
        return [kernel for (owner, _), kernel in self._kernels.items() if owner == conversation_id]

    async def _kernel_for(self, request: RunRequest) -> LiveKernel:
        self._check(request)
        key = (request.conversation_id, request.language)
        self._folders[key] = request.folder
        kernel = self._kernels.get(key)
        is_other = kernel is not None and kernel.interpreter != request.interpreter
        if kernel is not None and request.policy.is_bounded:
            await self.set_reach(request.conversation_id, self._reach_of(request), request.policy)
            kernel = self._kernels.get(key)
        if kernel is not None and not _is_under(kernel.confinement, request):
            await _shut_down([kernel], RunEnd(kind="policy_changed"))
            kernel = None
        elif kernel is not None and (is_other or kernel.is_ending):
            await _shut_down([kernel], RunEnd(kind="interpreter_changed"))
            kernel = None
        if kernel is None:
            await self._look_for_languages()
            if request.policy.is_reviewed:  # two cannot work in the same copy
                await _shut_down(self._of(request.conversation_id), RunEnd(kind="other_language"))
            spec = await self._spec_of(request)
            confinement = await self._confine(request, spec)
            while confinement is not None and confinement.reach != self._reach_of(request):
                # It was granted or revoked meanwhile.
                confinement = await self._confine(request, spec)
            # Another run may have started it in the meantime.
            kernel = self._kernels.get(key) or self._start(key, request, confinement, spec)
        return kernel

    async def _confine(self, request: RunRequest, spec: KernelSpec | None) -> Confinement | None:
        """Return what a kernel is kept to; None for a policy without bounds."""
        if not request.policy.is_bounded:
            return None
        if self._sandbox is None:
            raise ExecutionError(
                "There is no sandbox here.", remedy="Let the code of this conversation run without."
            )
        is_hosts = spec is None and request.language == HOST_LANGUAGE
        own = () if is_hosts else (sys.executable,)
        # A shell's `python` is the conversation's, too.
        programs = (
            *((spec.command[0], spec.place.folder) if spec else (request.interpreter,)),
            *own,
            self._languages.program(request.language),
            environment.uv_program(),
        )
        reach = self._reach_of(request)
        if self._sandbox.knows_space:
            self._spare.make(has_space=True)  # both take a while
        found = await self._sandbox.confine(request.policy, request.folder, programs, reach)
        if spec is not None and found is not None and found.availability.landlock:
            raise ExecutionError(
                "The weaker sandbox of this computer cannot hold a kernel of Jupyter.",
                detail="Code in it gets no sockets, which such a kernel is spoken to by.",
                remedy="Choose a Python, or the policy “everything” for this conversation.",
            )
        if found is None or not request.policy.is_reviewed:
            return found
        if self._files is None:
            raise ExecutionError("There is nobody here who keeps a copy of the folder.")
        upper, work = await self._files.copy(found.around.folder, request.conversation_id)
        return found.with_copy(upper, work)

    def _with_saved(self, chunk: Chunk, request: RunRequest) -> Chunk:
        """Return the chunk; the end of a kernel with whether its variables are saved."""
        report = chunk.content
        if not isinstance(report, RunReport) or report.state != "killed":
            return chunk
        if self._keeper is None or not _runs_in_host(request):
            return chunk
        is_saved = self._keeper.saved(request.conversation_id) is not None
        return replace(chunk, content=replace(report, is_saved=is_saved or None))

    async def _is_ready(
        self, kernel: LiveKernel, request: RunRequest, look: RunObservation | None
    ) -> bool:
        """Wait for the kernel, its variables of before and the look at the files.

        Return whether the run is still wanted. Raises ExecutionError.
        """
        try:
            await kernel.ready()
            if not await self._bring_back(kernel, request):
                return False
            if look is not None:
                await look.before()
        except ExecutionError:
            if not kernel.was_stopped:
                raise
            return False
        if self._keeper is not None and _runs_in_host(request):
            await self._keeper.begin(request.conversation_id, request.run_id)
        return True

    async def _bring_back(self, kernel: LiveKernel, request: RunRequest) -> bool:
        """Bring back what an earlier kernel of the conversation had, before its first run.

        Return whether the run is still wanted.
        """
        if self._keeper is None or not kernel.language.is_hosts:
            return True
        if not kernel.is_new:
            return await self._keeper.moved(request.conversation_id)
        is_wanted = await self._keeper.bring_back(request.conversation_id, kernel)
        kernel.is_new = not is_wanted
        return is_wanted

    async def _spec_of(self, request: RunRequest) -> KernelSpec | None:
        """Return how the kernel of another program is started; None for one of ours.

        Raises ExecutionError.
        """
        place = place_of(request.interpreter)
        if place is None:
            return None
        from playhead.execution.environments.place_finder import (
            read_spec,  # not needed for the first paint
        )

        spec = await asyncio.to_thread(read_spec, place)
        if place.kind != "server" or self._token_of is None:
            return spec
        return replace(spec, secret=await self._token_of(place))

    def _reach_of(self, request: RunRequest) -> Reach:
        return self._reach.get(request.conversation_id, Reach())

    def _check(self, request: RunRequest) -> None:
        is_here = self.canonical(request.language) == request.language  # no other is looked for
        if not runs_at(request.interpreter, request.language, is_here=is_here):
            offered = languages_at(request.interpreter, self.languages)
            raise ExecutionError(
                phrase("Code in “{language}” cannot be run.", language=request.language),
                detail=phrase("What can be run: {languages}.", languages=", ".join(offered)),
                remedy=self.why_not(request.language)
                or "Ask for the code in one of these languages.",
            )
        if not Path(request.folder).is_dir() and not self._make_folder(request.folder):
            raise ExecutionError(
                "The working folder no longer exists.",
                detail=request.folder,
                remedy="Choose another folder.",
            )

    def _start(
        self,
        key: tuple[str, str],
        request: RunRequest,
        confinement: Confinement | None,
        spec: KernelSpec | None,
    ) -> LiveKernel:
        from playhead.execution.kernel_process import KernelProcess
        from playhead.execution.live_kernel import LiveKernel
        from playhead.execution.run_output import file_name

        name = spec.place.label if spec else self._languages.name(request.language)
        program = spec.command[0] if spec else self._languages.program(request.language)
        kernel = LiveKernel(
            KernelProcess,
            self._output_dir / file_name(request.conversation_id),
            KernelLanguage(request.language, name, program, spec),
            request.interpreter,
            lambda: self._on_change(key, kernel),
            confinement,
            None if confinement is None else self._spare.take(bool(confinement.staging)),
        )
        kernel.on_question = lambda report: self.far_side.questions.take(name, report, kernel.reply)
        kernel.resume = self.far_side.left.facts(key, request.interpreter) if spec else {}
        self._kernels[key] = kernel
        self._clock.start()
        path = self._languages.path
        base = {**self._variables, "PATH": path} if path else self._variables
        allowed = self._allowed_by(request.conversation_id)
        kind, starter = (spec.place.kind, program) if spec else ("", request.interpreter)
        variables = environment.environment_at(kind, starter, base, self._drop, allowed)
        if confinement is not None:
            secrets = environment.left_out(base, self._drop)["secrets"]
            variables |= self._granted_variables(confinement.reach)
            variables = confinement.variables(
                variables, frozenset(secrets if "secrets" in allowed else ())
            )
        try:
            kernel.launch(variables, request.folder)
        except ExecutionError:
            self._forget(key)  # else the next run would wait for one that never starts
            kernel.kill(RunEnd(kind="closed"))  # its supervisor may be there already
            raise
        finally:
            self._emit(key[0])
        return kernel

    def _on_change(self, key: tuple[str, str], kernel: LiveKernel) -> None:
        if self._keeper is not None and kernel.language.is_hosts:
            self._keeper.follow(key[0], kernel, lambda: self._emit(key[0]))
        if kernel.link.is_elsewhere and kernel.link.has_facts:
            self.far_side.left.put(key, kernel.interpreter, kernel.link.facts)
        if kernel.state == "none" and self._kernels.get(key) is kernel:
            self._forget(key)
        self._emit(key[0])

    def _forget(self, key: tuple[str, str]) -> None:
        self._kernels.pop(key, None)
        if not self._kernels:
            self._clock.stop()

    def _emit_all(self) -> None:
        for conversation_id in {owner for owner, _ in self._kernels}:
            self._emit(conversation_id)

    def _emit(self, conversation_id: str) -> None:
        status = self.status(conversation_id)
        if self._emitted.get(conversation_id, KernelStatus()) == status:
            return
        if status.state == "none":
            self._emitted.pop(conversation_id)
        else:
            self._emitted[conversation_id] = status
        for listener in tuple(self._listeners):
            try:
                listener(conversation_id, status)
            except Exception:  # noqa: BLE001 - a failing listener must not stop the kernel
                _log.exception("a listener of kernel states failed")


def _same_network(one: Policy, other: Policy) -> bool:
    return (one.network, one.hosts) == (other.network, other.hosts)


def _is_under(confinement: Confinement | None, request: RunRequest) -> bool:
    """Return whether what a kernel was started with is what a request wants."""
    wanted = request.policy
    if confinement is None or not wanted.is_bounded:
        return confinement is None and not wanted.is_bounded
    has = confinement.policy
    is_same = has.files == wanted.files and _same_network(has, wanted)
    is_same = is_same and (confinement.copy is not None) == wanted.is_reviewed
    return is_same and confinement.around.folder == os.path.realpath(request.folder)


async def _effect(
    look: RunObservation | None, kernel: LiveKernel, request: RunRequest, began: float
) -> FileChanges | None:
    """Return what a run did to files, and what it wrote to the home of its sandbox."""
    found = await look.after() if look is not None else None
    if (confinement := kernel.confinement) is not None:
        elsewhere, installed = (), ()
        if not confinement.home.is_untouched(began):
            elsewhere, installed = await asyncio.to_thread(confinement.written, began)
        if found is None and (elsewhere or installed):
            found = FileChanges(folder=request.folder)
        return found and replace(
            found,
            is_bounded=True,
            elsewhere=elsewhere,
            installed=installed,
            unwatched=confinement.reach.writable,
        )
    return found


async def _with_refused(kernel: LiveKernel, chunk: Chunk) -> Chunk:
    """Return the last chunk of a run with what was refused to it."""
    report = chunk.content
    if not isinstance(report, RunReport) or report.state == "started":
        return chunk
    refused = await kernel.refused()
    return replace(chunk, content=replace(report, refused=refused)) if refused else chunk


def _runs_in_host(request: RunRequest) -> bool:
    """Return whether a process of ours runs it, as Python."""
    return request.language == HOST_LANGUAGE and place_of(request.interpreter) is None


def _view_of(reach: Reach) -> Reach:
    """Return the part of a reach that is no matter of variables alone."""
    return replace(reach, variables=(), kept_out=())


def _is_near(folder: str, other: str) -> bool:
    """Return whether one folder is, or has inside, the other one."""
    return bool(other) and (is_below(folder, [other]) or is_below(other, [folder]))


def _is_last(chunk: Chunk) -> bool:
    return isinstance(chunk.content, RunReport) and chunk.content.state != "started"


def _remove_left_spools(output_dir: Path) -> None:
    if any(output_dir.glob("*/kernel-*")):  # else nothing is loaded that only runs need
        from playhead.execution.results import remove_left_spools

        remove_left_spools(output_dir)


async def _shut_down(kernels: list[LiveKernel], cause: RunEnd) -> None:
    for kernel in kernels:  # all of them before the first wait: none begins another run
        kernel.end(cause)
    for kernel in kernels:
        await kernel.ended()
