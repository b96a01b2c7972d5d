"""One conversation's session: the commands of a user or a program, the events that report it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import Listeners, MoveTo, PutAside, PutBack, Rename, Settle
from playhead.domain.conversation.message import Attachment
from playhead.domain.conversation.payloads import Proposal, RunEnd, RunReport
from playhead.domain.execution import (
    PYTHON,
    Approve,
    Decision,
    Deny,
    GoingOn,
    KernelStatus,
    install_code,
    named_at,
)
from playhead.domain.settings import AppSettings, ConversationConfig
from playhead.domain.text.titles import title_from
from playhead.domain.trust import Policy
from playhead.errors import AppError, SessionError, phrase
from playhead.session.branches import Deletion, deletion_of, place_to_retry
from playhead.session.code_ports import Unsubscribe
from playhead.session.code_runs import (
    CodeAccess,
    CodeQuestions,
    KernelEpoch,
    RunPauses,
    count_runs,
    has_run_here,
    note_missing_answer,
    open_calls,
)
from playhead.session.message_queue import MessageQueue, has_failed
from playhead.session.model_choice import is_auto_run, settings_for
from playhead.session.past.kept_variables import KeptVariables
from playhead.session.past.run_files import RunFiles
from playhead.session.ports import SessionPorts
from playhead.session.request_preview import RequestPreview
from playhead.session.rerun import Rerun, Reruns
from playhead.session.session_events import (
    SessionEvent,
    SessionEventKind,
    SessionState,
    expect_idle,
)
from playhead.session.trust.approval import Approval
from playhead.session.trust.code_review import CodeReview
from playhead.session.trust.copy_review import CopyReview
from playhead.session.trust.grant_book import ConversationGrants, GrantBook
from playhead.session.trust.kept_packages import KeptPackages
from playhead.session.trust.policy_choice import PolicyChoice, bounds_of
from playhead.session.turn import Turn
from playhead.session.turn_settings import TurnOptions, TurnSettings, turn_settings

_RESTARTED = RunEnd(kind="restarted")
_WITH_CODE = ("running", "paused", "awaiting_input", "stopping")
_AT_ONCE = 100
"""Chunks that are added at once: at most some milliseconds."""


class Session:
    """Owns one conversation, at most one turn at a time, and the pending decision.

    Listeners (`subscribe`) receive SessionEvents; changes of the messages are emitted by
    `conversation.subscribe`.
    """

    def __init__(
        self,
        conversation: Conversation,
        ports: SessionPorts,
        folder: str,
        interpreter: str = "",
        client: str = "",
        config: ConversationConfig | None = None,
        *,
        is_stored: bool = False,
        book: GrantBook | None = None,
    ) -> None:
        self.client = client
        """The program that began it, or its turn, over the API; '' for the window's own."""
        self.conversation = conversation
        self.folder = folder or (ports.folders.base if ports.folders is not None else _here())
        self._has_place = bool(folder)
        self.interpreter = interpreter
        self.config = config or ConversationConfig()
        """Its own settings, which override the user's; change them with `set_config`."""
        self.expect_writable: Callable[[], None] = lambda: None
        """Raises StorageError if the conversation is read-only."""
        self._ports = ports
        self.policy, self.grants = self._make_bounds(book or GrantBook())
        """The limits of its code, and the grants that reach beyond them."""
        self.review = CodeReview(ports.risks, self.grants.in_force, self.grants.words)
        self._is_profile_held = is_stored  # code can write where it is stored
        self._auto_run: bool | None = None
        self.is_auto_run_held = False
        self.state: SessionState = "idle"
        self.queue = MessageQueue(self.send, lambda: self.is_idle, lambda: self._emit("queue"))
        self.preview = RequestPreview(
            conversation,
            ports,
            self._turn_settings,
            lambda: self.auto_run,
            lambda: self._emit("preview"),
        )
        self._approval = Approval(lambda: self._emit("pending"))
        self._listeners = Listeners[SessionEvent](f"session {conversation.id}")
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._epoch = KernelEpoch(conversation)
        where = self._place_of_code
        self.questions = CodeQuestions(ports.executor, ports.reader, conversation.id, where)
        self.access = CodeAccess(ports.executor, conversation)
        self.files = RunFiles(ports, conversation, self._expect_idle, lambda: self._emit("files"))
        self.kept_variables = KeptVariables(ports, conversation, self.files, self._expect_idle)
        self.copy = self._make_copy_review()
        self.packages = KeptPackages(ports, where, self.grants, self._expect_idle)
        self._begun_with: str | None = None
        self.reruns = Reruns(conversation, self._expect_idle, self._run_again)
        if is_stored:
            self._hold_auto_run()
        self._unsubscribe_kernel = ports.executor.subscribe(self._on_kernel)

    def _make_bounds(self, book: GrantBook) -> tuple[PolicyChoice, ConversationGrants]:
        policy = PolicyChoice(
            self._ports,
            lambda: self.folder,
            lambda: self.state in _WITH_CODE,
            self._on_policy,
            lambda policy: self.grants.why_not_open(policy),
            lambda: self._ports.settings.current if self._is_profile_held else self.settings,
            lambda: self._emit("testing"),
            lambda: [one.interpreter for one in (self.pending, *self.pending_later) if one],
        )
        return policy, ConversationGrants(
            book,
            self._ports,
            self.conversation.id,
            lambda: self.folder if self._has_place or self._ports.folders is None else "",
            lambda: policy.current,
            self._on_grants,
            policy.wait_for_test,
        )

    @property
    def settings(self) -> AppSettings:
        """Return the user's settings, overridden by the profile and the conversation's own."""
        return settings_for(self._ports.settings.current, self._ports.catalog, self.config)

    @property
    def auto_run(self) -> bool:
        """Return whether its code runs without approval: the last choice, else the settings."""
        if self._auto_run is not None:
            return self._auto_run
        return is_auto_run(self._ports.settings.current, self.config)

    @property
    def pending(self) -> Proposal | None:
        """Return the code that waits for a decision."""
        return self._approval.pending

    @property
    def pending_later(self) -> tuple[Proposal, ...]:
        """Return the code of the same answer that waits behind `pending`; see `decide`."""
        return self._approval.later

    @property
    def kernel(self) -> KernelStatus:
        """Return the conversation's kernel as it is now."""
        return self._ports.executor.status(self.conversation.id)

    @property
    def is_idle(self) -> bool:
        """Return whether no turn is under way."""
        return self.state == "idle"

    @property
    def has_lost_variables(self) -> bool:
        """Return whether all code that ran here ran in a kernel that no longer exists."""
        return self._epoch.has_lost_variables

    @property
    def has_run_here(self) -> bool:
        """Return whether code of this conversation has run on this machine."""
        return has_run_here(self.conversation.messages)

    @cached_property
    def pauses(self) -> RunPauses:
        """Return what pauses its code, and knows the lines to pause before."""
        return RunPauses(self._ports.executor, self.conversation.id, self._start_task)

    def subscribe(self, listener: Callable[[SessionEvent], None]) -> Unsubscribe:
        """Call `listener` at every change; returns what ends that."""
        return self._listeners.add(listener)

    def send(
        self, text: str, attachments: Sequence[Attachment] = (), *, is_typed: bool = False
    ) -> None:
        """Add the user's message and begin a turn. Raises SessionError while one is under way.

        `is_typed`: a person typed it letter for letter; as code for Direct mode it runs at once.
        """
        self._expect_idle()
        if not text.strip() and not attachments:
            raise SessionError("There is nothing to send.", remedy="Type a message first.")
        for attachment in attachments:
            kind = "image" if attachment.kind == "image" else "file"
            self.conversation.apply(
                Chunk(role="user", type=kind, format="path", content=attachment.path)
            )
            self.grants.attach(attachment.path)
        if text.strip():
            self.conversation.apply(Chunk(role="user", type="message", content=text))
        self._name_after(text, attachments)
        self._begin(Turn.answer, TurnOptions(typed=text if is_typed else ""))

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Take whole messages as they are, such as a history that a program brings along."""
        for chunk in chunks:
            self.conversation.apply(chunk)

    async def add_slowly(self, chunks: Sequence[Chunk]) -> None:
        """Take whole messages; of many in slices, and nobody can begin a turn meanwhile.

        Raises SessionError while a turn is under way that nobody has to decide about.
        """
        is_idle = self.pending is None
        if is_idle:
            self._expect_idle()
        if len(chunks) <= _AT_ONCE:
            self.add(chunks)
            return
        self._set_state("asking" if is_idle else self.state)
        try:
            await self._add_in_slices(chunks)
        finally:
            self._set_state("idle" if is_idle else self.state)

    def take(self, chunks: Sequence[Chunk], options: TurnOptions) -> None:
        """Add a program's messages and begin a turn. Raises SessionError while one is under way."""
        self._expect_idle()
        self.add(chunks)
        kind = ("user", "message")
        told = [chunk.content for chunk in chunks if (chunk.role, chunk.type) == kind]
        self._name_after(str(told[-1]) if told else "", ())
        self._begin(Turn.answer, options)

    def resume(self, decisions: Mapping[str, Decision], options: TurnOptions) -> None:
        """Carry out the calls of the last answer that have no result yet, then continue the turn.

        `decisions` maps ids of code messages to decisions; other code waits for the user's
        decision.
        """
        self._expect_idle()
        calls = open_calls(self.conversation.messages)

        async def work(turn: Turn) -> None:
            turn.decide_ahead(decisions)
            await turn.resume(calls)

        self._begin(work, options)

    def decide(self, decisions: Mapping[str, Decision]) -> bool:
        """Decide about code messages, by their ids; False if what waits is not among them."""
        proposal = self.pending
        if proposal is None or self._turn is None or proposal.message_id not in decisions:
            return False
        later = {name: told for name, told in decisions.items() if name != proposal.message_id}
        self._turn.decide_ahead(later)
        return self._approval.settle(proposal.id, decisions[proposal.message_id])

    def approve(
        self, proposal_id: str, code: str | None = None, *, rest_of_turn: bool = False
    ) -> bool:
        """Run the proposal, or `code` in its place; False if that decision was already made."""
        return self._approval.settle(proposal_id, Approve(code, rest_of_turn))

    def reject(self, proposal_id: str, reason: str = "") -> bool:
        """Reject the proposal and give the model the reason; False if it was already decided."""
        return self._approval.settle(proposal_id, Deny(reason.strip()))

    async def stopped(self) -> None:
        """Stop the turn and wait until it has ended."""
        self.stop()
        await self._turn_end()

    def stop(self) -> None:
        """End the turn: close the model's stream, or interrupt the code and then kill it.

        Without a turn, end what goes on computing from earlier code.
        """
        if self._task is None:
            self._stop_what_goes_on(self.kernel.going_on)
            return
        self._set_state("stopping")
        if self._turn is not None and self._turn.is_executing:
            self._turn.stop_after_run()
            self._start_task(self._ports.executor.interrupt(self.conversation.id))
        else:
            self._task.cancel()

    def _stop_what_goes_on(self, going_on: GoingOn) -> None:
        if going_on.main or going_on.threads:
            self.restart_kernel()  # threads end with their process only
        elif going_on:
            self._start_task(self._ports.executor.interrupt(self.conversation.id))

    def retry(self, message_id: str) -> None:
        """Answer again, or continue before a failure; the earlier answer stays as a branch."""
        self._expect_idle()
        place = place_to_retry(self.conversation, message_id)
        self.conversation.change(MoveTo(place.id))
        self.go_on()

    def go_on(self, budget: float | None = None) -> None:
        """Continue a turn that stopped to ask, with another `budget` for the conversation."""
        self._expect_idle()
        if budget is not None:
            self.set_config(replace(self.config, budget=budget))
        calls = open_calls(self.conversation.messages)
        self._begin(lambda turn: turn.resume(calls))

    def go_to(self, message_id: str) -> bool:
        """Have a message on the active path, by changing the branch; False if that cannot be."""
        conversation = self.conversation
        if conversation.message(message_id) is None:
            return False
        if any(message.id == message_id for message in conversation.messages):
            return True
        if self.state != "idle":  # a streaming message stays on its branch
            return False
        conversation.change(MoveTo(conversation.leaf_below(message_id)))
        return True

    def choose_version(self, message_id: str) -> None:
        """Show another version of a question or an answer, as it was when it was left."""
        self._expect_idle(is_change=False)
        if self.conversation.message(message_id) is None:
            raise SessionError("That version was deleted.")
        self.conversation.change(MoveTo(self.conversation.leaf_below(message_id)))

    def delete_turn(self, message_id: str) -> Deletion:
        """Take a question with all below it away; what is changed next makes that final."""
        self._expect_idle()
        deletion = deletion_of(self.conversation, message_id)
        self.conversation.change(PutAside(deletion.message_id))
        return deletion

    def undo_deletion(self) -> None:
        """Put back what was deleted last, if that is not final yet."""
        self._expect_idle()
        self.conversation.change(PutBack())

    def settle_deletion(self) -> None:
        """Make the pending deletion final."""
        self.conversation.change(Settle())

    def edit_and_send(self, message_id: str, text: str) -> None:
        """Send a user's message with another text, as a branch beside it."""
        self._expect_idle()
        message = self.conversation.message(message_id)
        if message is None or (message.role, message.type) != ("user", "message"):
            raise SessionError("Only your own messages can be edited.")
        if not text.strip():
            raise SessionError("There is nothing to send.", remedy="Type a message first.")
        self.conversation.change(MoveTo(message.parent_id))
        self.conversation.apply(Chunk(role="user", type="message", content=text))
        self._begin(Turn.answer)

    def run_code(self, language: str, code: str) -> None:
        """Run what the user clicked on, at once: the click is the approval."""
        self._expect_idle()
        known = self._named(language)
        if known is None:
            raise SessionError(
                phrase("{language} cannot be run here.", language=language)
                if language
                else "This cannot be run here.",
                remedy=self.why_not(language)
                or phrase(
                    "Languages that can: {languages}.",
                    languages=", ".join(self._ports.executor.languages),
                ),
            )
        self._name_after(code, ())
        self._begin(lambda turn: turn.run_blocks([(known, code)]))

    def can_run(self, language: str) -> bool:
        """Return whether code in a language, by any of its names, can be run here."""
        return self._named(language) is not None

    def _named(self, word: str) -> str | None:
        return named_at(self._chosen_interpreter(), word) or self._ports.executor.canonical(word)

    def why_not(self, language: str) -> str:
        """Return in a sentence what a known language needs in order to run here; else ""."""
        return self._ports.executor.why_not(language)

    def propose_install(self, package: str) -> None:
        """Put the code that installs a missing module up for approval."""
        self.propose_code(PYTHON, install_code(package))

    def propose_code(
        self, language: str, code: str, title: str = "", options: TurnOptions | None = None
    ) -> None:
        """Propose code of no model for approval; `title` names an untitled conversation."""
        self._expect_idle()
        if title and not self.conversation.title:
            self.conversation.change(Rename(title))
        self._begin(lambda turn: turn.propose_block(language, code), options)

    def restart_kernel(self) -> None:
        """End the kernel with its names; the next run starts a fresh one."""
        cuts_run = self.state in _WITH_CODE
        if cuts_run and self._turn is not None:
            self._turn.stop_after_run()
            self.queue.hold()
        self.kept_variables.ask_again()
        self._start_task(self._restart(cuts_run))

    def answer_input(self, input_id: str, text: str) -> None:
        """Send the running code the line that it asked for."""
        self._start_task(self._ports.executor.answer_input(self.conversation.id, input_id, text))
        if self._turn is not None:
            self._turn.take_answer(input_id)

    def send_text(self, text: str, *, is_end: bool = False) -> None:
        """Type into what the running code has started, and end its input."""
        self._start_task(self._ports.executor.send_text(self.conversation.id, text, is_end=is_end))

    def set_folder(self, path: str) -> None:
        """Choose the working folder. Raises SessionError if it is not a folder."""
        if not Path(path).is_dir():
            raise SessionError(
                phrase("{path} is not a folder.", path=path), remedy="Choose another one."
            )
        self.folder = str(Path(path).resolve())
        self._has_place = True
        self.grants.follow_place()
        self._emit("place")

    def set_interpreter(self, path: str) -> None:
        """Choose the Python by its absolute path; empty means the managed environment."""
        self.interpreter = path
        self._emit("place")

    def set_auto_run(self, on: bool) -> None:
        """Let code of this conversation run without asking, until the app ends."""
        self._auto_run, self.is_auto_run_held = on, False
        self._emit("auto_run")

    def set_config(self, config: ConversationConfig) -> None:
        """Set the conversation's own settings from its next turn on.

        Another profile resets the choice whether code runs without approval.
        """
        if config.profile != self.config.profile:
            self._auto_run, self.is_auto_run_held = None, False
        self.config, self._is_profile_held = config, False
        self._emit("config")

    async def close(self) -> None:
        """End the turn and the kernel."""
        self.settle_deletion()
        self.grants.close()
        self._epoch.close()
        self.kept_variables.close()
        tasks = [task for task in (self._task, *self._tasks) if task and not task.done()]
        was_asking = self.state == "asking"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if was_asking:
            note_missing_answer(self.conversation)
        await self._ports.executor.restart(self.conversation.id)
        self._unsubscribe_kernel()

    def _make_copy_review(self) -> CopyReview:
        return CopyReview(
            self._ports.files,
            self.conversation,
            lambda: self.folder,
            self._expect_idle,
            lambda: self._restart(False),
            lambda: self._emit("copy"),
        )

    async def _add_in_slices(self, chunks: Sequence[Chunk]) -> None:
        added = 0
        for chunk in chunks:
            self.conversation.apply(chunk)
            added += 1
            if added >= _AT_ONCE and self.conversation.open_id is None:
                await asyncio.sleep(0)
                added = 0

    def _expect_idle(self, *, is_change: bool = True) -> None:
        if is_change:
            self.expect_writable()
        expect_idle(self.state)

    def _begin(
        self, work: Callable[[Turn], Awaitable[None]], options: TurnOptions | None = None
    ) -> None:
        self._take_place()
        self._set_state("asking")
        drive = self._drive(work, options or TurnOptions())
        self._task = asyncio.get_running_loop().create_task(drive)
        self._task.add_done_callback(self._on_turn_ended)

    def _run_again(self, rerun: Rerun) -> None:
        self._begin(lambda turn: turn.run_again(rerun))

    def _take_place(self) -> None:
        """Choose the working folder of a new conversation, which has its title by now."""
        folders = self._ports.folders
        if self._has_place or folders is None:
            return
        self._has_place = True
        self.folder, problem = folders.propose(self.conversation.title)
        self.grants.follow_place()
        self._emit("place")
        if problem is not None:
            self._emit("error", problem)

    async def _drive(self, work: Callable[[Turn], Awaitable[None]], options: TurnOptions) -> None:
        await self._leave_other_python()
        settings = await self._turn_settings(options)
        self._turn = Turn(
            self.conversation,
            self._ports.provider,
            self._ports.executor,
            self._ports.interpreters,
            self._approval,
            settings,
            self._set_state,
            lambda: self.auto_run if options.auto_run is None else options.auto_run,
            self.preview.record,
            self.review,
            self.grants,
            self.pauses,
        )
        await work(self._turn)

    async def _turn_settings(self, options: TurnOptions) -> TurnSettings:
        return await turn_settings(
            self._ports,
            self.config,
            options,
            self.folder,
            self.interpreter,
            lambda: self._epoch.after,
            lambda: self.policy.current,
            await self.kept_variables.survivors(),
        )

    async def _leave_other_python(self) -> None:
        """End the kernel if another Python was chosen, and report that its variables are lost."""
        before, self._begun_with = self._begun_with, self._chosen_interpreter()
        if before not in (None, self._begun_with) and self.kernel.state != "none":
            await self._ports.executor.restart(self.conversation.id)
            self._report_new_kernel(RunEnd(kind="interpreter_changed"))

    def _chosen_interpreter(self) -> str:
        return self.interpreter or self._ports.settings.current.interpreter

    def _hold_auto_run(self) -> None:
        """Have code wait although the conversation's own settings, as stored, let it run.

        Running code can write where they are stored: they count once they are chosen again.
        """
        is_own = self.config.profile is not None or bool(self.config.auto_run)
        self.is_auto_run_held = is_own and self.auto_run
        self._auto_run = False if self.is_auto_run_held else None

    def _place_of_code(self) -> tuple[str, str]:
        """Return the folder and the Python that code would run with; '' while there is none."""
        managed = self._ports.interpreters.status.interpreter
        return self.folder, self._chosen_interpreter() or (managed.path if managed else "")

    def _on_policy(self, before: Policy) -> None:
        """Give the kernel another policy, or end it where it would be the wrong one."""
        self._emit("policy")
        if self.kernel.state == "none":
            return
        if bounds_of(before) != bounds_of(self.policy.current):
            self._start_task(self._restart(False, RunEnd(kind="policy_changed")))
        else:
            self._start_task(self._set_reach())

    def _on_grants(self) -> None:
        """Let the kernel reach what holds now; what was revoked is cut at once."""
        self._emit("grants")
        if self.kernel.state != "none":
            self._start_task(self._set_reach())

    async def _set_reach(self) -> None:
        executor, owner = self._ports.executor, self.conversation.id
        if not executor.takes(owner, self.grants.reach, self.grants.in_force()):
            cuts_run = self.state in _WITH_CODE
            if cuts_run and self._turn is not None:
                self._turn.stop_after_run()
            await self._restart(cuts_run, RunEnd(kind="policy_changed"))
        await executor.set_reach(owner, self.grants.reach, self.grants.in_force())

    async def _restart(self, cuts_run: bool, end: RunEnd = _RESTARTED) -> None:
        had_kernel = self.kernel.state != "none"
        await self._ports.executor.restart(self.conversation.id)
        if cuts_run:  # its report comes first
            await self._turn_end()
        runs = self._epoch.renew()
        await self._turn_end()  # shown when the session is idle, unless the kernel is in use
        if had_kernel and runs == count_runs(self.conversation.messages):
            self._report_new_kernel(end)

    async def _turn_end(self) -> None:
        if self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def _report_new_kernel(self, end: RunEnd) -> None:
        report = RunReport(state="killed", end=end)
        self.conversation.apply(Chunk(role="computer", type="run", content=report))

    def _start_task(self, work: Awaitable[None]) -> None:
        async def run() -> None:
            try:
                await work
            except AppError as error:
                self._emit("error", error)

        task = asyncio.get_running_loop().create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_turn_ended(self, task: asyncio.Task[None]) -> None:
        is_cut = self.state == "stopping" or task.cancelled() or task.exception() is not None
        self._task = self._turn = None
        self._set_state("idle")
        if task.cancelled():
            self.conversation.apply(Chunk(role="server", type="status", content="cancelled"))
        else:
            self._report_end(task)
        self.queue.turn_ended(continues=not (is_cut or has_failed(self.conversation.messages)))

    def _report_end(self, task: asyncio.Task[None]) -> None:
        error = task.exception()
        if isinstance(error, AppError):
            self._emit("error", error)
        elif error is not None:
            context = {"message": "a turn ended by a defect", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)

    def _on_kernel(self, conversation_id: str, _status: KernelStatus) -> None:
        if conversation_id == self.conversation.id:
            if self.state in ("running", "paused"):
                self._set_state("paused" if self.kernel.paused_line else "running")
            self._emit("kernel")

    def _name_after(self, text: str, attachments: Sequence[Attachment]) -> None:
        if not self.conversation.title:
            names = [attachment.name for attachment in attachments]
            self.conversation.change(Rename(title_from(text, names)))

    def _set_state(self, state: SessionState) -> None:
        # A stop that was asked for stays visible until the turn has ended.
        if self.state == "stopping" and state != "idle":
            return
        if state != self.state:
            self.state = state
            if state in ("asking", "running"):
                self.policy.settle(is_run=state == "running")
            self._emit("state")
            if state == "idle" and (self.copy.waiting or self.policy.current.is_reviewed):
                self._start_task(self.copy.look())
            if state == "awaiting_approval":  # a person reads, meanwhile the files can be kept
                self._start_task(self.files.cover(self.folder))

    def _emit(self, kind: SessionEventKind, error: AppError | None = None) -> None:
        self._listeners.emit(SessionEvent(kind, error))


def _here() -> str:
    """Return the folder that the process was started in; the home folder if that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return str(Path.home())
