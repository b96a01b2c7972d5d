"""One turn: ask the model, propose its code, run what is approved, until the model rests."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Literal

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import FittedRequest, TurnRequest
from playhead.domain.conversation.payloads import (
    Failure,
    InputRequest,
    Proposal,
    RunEnd,
    RunReport,
)
from playhead.domain.execution import (
    PYTHON,
    Answered,
    Approve,
    Decision,
    Deny,
    RunRequest,
    chosen_for,
    is_elsewhere,
    is_place,
    place_of,
)
from playhead.domain.model import EXECUTE
from playhead.domain.text.json_text import read_json
from playhead.domain.text.python_syntax import syntax_fault
from playhead.errors import AppError, ExecutionError, ProviderError, phrase
from playhead.session.code_ports import Executor
from playhead.session.code_runs import RunPauses, printed_last
from playhead.session.ports import Interpreters, Provider
from playhead.session.request_preview import turn_request
from playhead.session.rerun import Rerun
from playhead.session.stops import (
    MAX_BAD_ANSWERS,
    RepeatedFailures,
    bad_calls_error,
    check_budget,
    repeated_failure_error,
    step_limit_error,
)
from playhead.session.trust.approval import Approval
from playhead.session.trust.code_review import CodeReview
from playhead.session.trust.grant_book import ConversationGrants
from playhead.session.turn_settings import TurnSettings

TurnState = Literal["asking", "awaiting_approval", "running", "awaiting_input"]
RunOutcome = Literal["finished", "failed", "declined", "stopped"]

_AFTER_FAILURE = "This code was not run, because the code before it failed."

CONTEXT_TOO_LONG = "context_too_long"
"""A provider's word for a conversation that is longer than its model takes."""


class Turn:
    """Drives one conversation until the model rests, a step limit, a failure or a stop.

    `on_state` is called with each change of the turn's state, `is_auto_run` at each proposal,
    `on_fitted` with each request to the model. `review` looks at code before it runs, and knows
    what it may do; `grants` is what it reaches beyond that.
    """

    def __init__(
        self,
        conversation: Conversation,
        provider: Provider,
        executor: Executor,
        interpreters: Interpreters,
        approval: Approval,
        settings: TurnSettings,
        on_state: Callable[[TurnState], None],
        is_auto_run: Callable[[], bool],
        on_fitted: Callable[[FittedRequest], None] = lambda fitted: None,
        review: CodeReview | None = None,
        grants: ConversationGrants | None = None,
        pauses: RunPauses | None = None,
    ) -> None:
        self._conversation = conversation
        self._provider = provider
        self._executor = executor
        self._interpreters = interpreters
        self._approval = approval
        self._settings = settings
        self._on_state = on_state
        self._is_auto_run = is_auto_run
        self._on_fitted = on_fitted
        self._grants = grants
        self._review = review or CodeReview()
        self._review.begin_turn()
        self._pauses = pauses
        self._failures = RepeatedFailures()
        self._is_approved_to_end = False
        self._is_stopped = False
        self._decisions: dict[str, Decision] = {}
        self._unanswered, self._has_error, self._is_bounded = "", False, False
        self._proposals: dict[str, Proposal] = {}
        self._answered: set[str] = set()
        self._seen = 0
        """The messages among which results of calls were looked for."""
        self.is_executing = False
        """Whether a kernel has the code: the code can then be interrupted, and the kernel reports
        its end.
        """
        self.id = uuid.uuid4().hex

    def stop_after_run(self) -> None:
        """Do not ask the model again when the run that is under way has ended."""
        self._is_stopped = True

    def take_answer(self, input_id: str) -> None:
        """Go on running: the question of the code has its answer."""
        if input_id == self._unanswered:
            self._unanswered = ""
            self._on_state("running")

    def decide_ahead(self, decisions: Mapping[str, Decision]) -> None:
        """Take decisions about code messages, by id, before the turn asks for them."""
        self._decisions.update(decisions)

    async def answer(self) -> None:
        """Ask the model and run its code until it is done.

        Failures become messages of the conversation; a cancellation is raised again.
        """
        await self._guarded(self._answer())

    async def resume(self, calls: Sequence[Message]) -> None:
        """Carry out the calls of an earlier answer, then continue as `answer` does."""
        await self._guarded(self._answer(calls))

    async def run_blocks(self, blocks: list[tuple[str, str]]) -> None:
        """Run (language, code) blocks that the user started by their own click, until one fails."""
        self._is_approved_to_end = True
        await self._guarded(self._run_in_order(blocks, "user"))

    async def run_again(self, rerun: Rerun) -> None:
        """Run the blocks that are left of it, each after the messages before it, until one fails.

        The user has started them by their own click.
        """
        try:
            await self._guarded(self._run_again(rerun))
        finally:
            rerun.halt(self._conversation.messages)

    async def _run_again(self, rerun: Rerun) -> None:
        while (step := rerun.next_block(self._conversation)) is not None:
            message_id, block = step
            message = self._conversation.message(message_id)
            if message is None:
                message = self._apply_code(block.language, block.code, "user")
            self._decisions[message.id] = Approve(block.code)
            if await self._propose(message) != "finished" or self._failures.has_failed:
                break
        self._apply_status("cancelled" if self._is_stopped else "complete")

    async def propose_block(self, language: str, code: str) -> None:
        """Put one block up for approval and run it if approved; the model is not asked."""
        await self._guarded(self._run_in_order([(language, code)], "assistant"))

    async def _run_in_order(
        self, blocks: list[tuple[str, str]], role: Literal["user", "assistant"]
    ) -> None:
        for language, code in blocks:
            message = self._apply_code(language, code, role)
            if await self._propose(message) != "finished":
                break
        self._apply_status("cancelled" if self._is_stopped else "complete")

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Leave no message open, and a failure in the conversation."""
        try:
            await work
        except AppError as error:
            self._conversation.close_open()
            self._apply_failure(error)
        except BaseException:
            self._conversation.close_open()
            raise

    async def _answer(self, waiting: Sequence[Message] = ()) -> None:
        bad_answers = 0
        for step in range(self._settings.max_steps):
            # Only once: a model that always had to call would never come to an answer.
            must_call = self._settings.must_call and step == 0
            calls = waiting or await self._ask(must_call=must_call)
            waiting = ()
            code = (c for c in calls if c.type == "code" and not self._has_result(c))
            self._proposals = {c.id: await self._proposal(c) for c in code}
            is_bad = bool(calls)
            for call in calls:
                await asyncio.sleep(0)  # of a client's history they may be very many
                is_bad = await self._handle(call) and is_bad
                if self._is_stopped:
                    self._apply_status("cancelled")
                    return
                if self._failures.is_repeated:
                    raise repeated_failure_error()
            if not calls or self._are_left_to_client(calls):
                self._apply_status("complete")
                return
            bad_answers = bad_answers + 1 if is_bad else 0
            if bad_answers > MAX_BAD_ANSWERS:
                raise bad_calls_error(bad_answers)
        raise step_limit_error(self._settings.max_steps)

    async def _ask(self, *, must_call: bool) -> list[Message]:
        """Stream one answer; the calls in it and the code that it ends with, in order.

        A model that finds the conversation too long after all is asked once more with less of it.
        """
        self._on_state("asking")
        check_budget(self._settings.budget, self._conversation.usages.total)
        request = self._request(must_call)
        fitted = await self._provider.fit(request)
        try:
            return await self._stream(fitted)
        except ProviderError as error:
            if error.code != CONTEXT_TOO_LONG:
                raise
            less = await self._provider.fit(request, 1)
            if less.left_out == fitted.left_out:
                error.code = ProviderError.default_code  # which programs know
                raise
        try:
            return await self._stream(less)
        except ProviderError as error:
            error.code = ProviderError.default_code
            raise

    async def _stream(self, fitted: FittedRequest) -> list[Message]:
        self._on_fitted(fitted)
        ended: list[str] = []
        async with aclosing(self._provider.stream(fitted.request)) as chunks:
            async for chunk in chunks:
                message_id = self._conversation.apply(chunk)
                if chunk.start and chunk.type == "code":
                    self._expect_run()
                if chunk.end and chunk.type in ("code", "tool_call"):
                    ended.append(message_id)
        examples = drafts(self._conversation.messages) if ended else ()
        messages = map(self._conversation.message, (one for one in ended if one not in examples))
        return [message for message in messages if message is not None]

    def _request(self, must_call: bool) -> TurnRequest:
        return turn_request(
            self.id,
            self._conversation.id,
            self._conversation.messages,
            self._settings,
            self._executor.languages,
            self._interpreters.status.interpreter,
            must_call=must_call,
            runs_unasked=self._is_auto_run(),
        )

    async def _handle(self, call: Message) -> bool:
        """Carry out one call; True when it was one that cannot be carried out."""
        if self._has_result(call):  # half of it came; the result says so
            return True
        if call.type == "code":
            outcome = await self._propose(call)
            if outcome == "stopped" or (outcome != "declined" and self._failures.has_failed):
                self._skip_fences()
            return False
        if self._is_clients(call):
            return False
        text = f"There is no tool that can take this call of {call.format or 'a tool'}: "
        text += (
            "the arguments must be a JSON object with the strings language and code, "
            f"and the language one of {', '.join(self._executor.languages)}."
        )
        if why_not := self._executor.why_not(_language_asked_for(call)):
            text += f" {why_not}"
        self._apply_result(call, text)
        return True

    def _has_result(self, call: Message) -> bool:
        """Return whether the call came with its result; code in a fence has no id to find it by."""
        for message in self._conversation.since(self._seen):
            if message.type == "tool_result" and message.call_id:
                self._answered.add(message.call_id)
        self._seen = self._conversation.length
        return call.call_id in self._answered

    def _skip_fences(self) -> None:
        """Have the rest of an answer without calls not run: it builds on what has just failed."""
        for message_id in self._proposals:
            message = self._conversation.message(message_id)
            if message is not None and not message.call_id:
                self._decisions[message_id] = Answered(_AFTER_FAILURE)

    def _is_clients(self, call: Message) -> bool:
        """Return whether the client carries out calls of this tool."""
        if call.type != "tool_call" or call.format == EXECUTE:  # not even a broken call
            return False
        return any(tool.name == call.format for tool in self._settings.tools)

    def _are_left_to_client(self, calls: Sequence[Message]) -> bool:
        """Return whether a call is among them whose result has to come from the client."""
        results = [m for m in self._conversation.messages if m.type == "tool_result"]
        known = {message.call_id for message in results}
        return any(self._is_clients(call) and call.call_id not in known for call in calls)

    async def _propose(self, message: Message) -> RunOutcome:
        """Announce the code, wait for a decision unless it is approved automatically, run it."""
        proposal = await self._proposal(message, self._proposals.pop(message.id, None))
        self._apply_single("confirmation", proposal, "execution")
        try:
            self._expect_language(proposal.language)
            return await self._decide_and_run(message, proposal)
        except ExecutionError as error:  # it never began: the call has no other result
            self._apply_result(message, f"This code was not run: {error}")
            raise

    async def _decide_and_run(self, message: Message, proposal: Proposal) -> RunOutcome:
        policy = self._review.policy_of(proposal)
        if self._grants is not None and policy.is_bounded and policy.ask == "outside":
            await self._grants.wait_for_test()  # where it does not hold any more, it is asked about
        is_free = message.id not in self._decisions and self._runs_unasked(proposal)
        match Approve() if is_free else await self._decision(message, proposal):
            case Deny(reason):
                self._apply_result(message, _refusal(reason))
                return "declined"
            case Answered(text):
                self._apply_result(message, text)
                return "declined"
            case Approve(code, rest_of_turn):
                self._is_approved_to_end = self._is_approved_to_end or rest_of_turn
                proposal = await self._edited(proposal, code)
                if not is_free:
                    self._review.approve(proposal)
        return await self._run(proposal)

    def _expect_language(self, language: str) -> None:
        """Refuse code that would run here, in another language, while code runs elsewhere.

        The rest of an answer that was approved for that machine was not approved for this one.
        """
        place = place_of(self._settings.interpreter)
        if place is None or not place.is_elsewhere or place.language == language:
            return
        if not self._executor.only_shows(language):
            raise ExecutionError(
                phrase("“{place}” runs no {language}.", place=place.label, language=language),
                remedy="Have this conversation run on this computer first.",
            )

    async def _decision(self, message: Message, proposal: Proposal) -> Decision:
        """Return the decision made in advance, else wait for the user's."""
        if (decision := self._decisions.pop(message.id, None)) is not None:
            return decision
        self._on_state("awaiting_approval")
        self._expect_run()
        return await self._approval.decide(proposal, self._later())

    def _expect_run(self) -> None:
        """Have what a first run needs be got ready while its code is written, or read."""
        if not is_elsewhere(self._settings.interpreter):
            self._executor.expect(self._conversation.id, self._review.policy())

    def _runs_unasked(self, proposal: Proposal) -> bool:
        """Return whether code runs without a decision about it: by settings, or by the policy."""
        if self._is_approved_to_end or self._is_auto_run():
            return True
        if self._executor.only_shows(proposal.language) or self._is_as_typed(proposal):
            return True
        return self._settings.follows_policy and not self._review.must_ask(proposal)

    def _later(self) -> tuple[Proposal, ...]:
        """Return the code of the same answer that is to be decided about, too."""
        shows = self._executor.only_shows
        undecided = (p for p in self._proposals.values() if p.message_id not in self._decisions)
        return tuple(p for p in undecided if not shows(p.language))

    def _is_as_typed(self, proposal: Proposal) -> bool:
        """Return whether a person typed just this code, and Python can read it.

        Code that Direct mode made of words is other code, so that it waits for a decision.
        """
        is_same = proposal.language == PYTHON and proposal.code.strip() == self._settings.typed
        return is_same and syntax_fault(proposal.code) is None

    async def _proposal(self, message: Message, known: Proposal | None = None) -> Proposal:
        """Return the proposal of a code message, with what is seen of the code now."""
        managed = self._interpreters.status.interpreter
        proposal = known or Proposal(
            id=uuid.uuid4().hex,
            message_id=message.id,
            language=message.format or PYTHON,
            code=message.text,
            folder=self._settings.folder,
            interpreter=chosen_for(self._settings.interpreter, message.format or PYTHON)
            or (managed.path if managed else ""),
        )
        return await self._review.look(proposal)

    async def _edited(self, proposal: Proposal, code: str | None) -> Proposal:
        """Return the proposal with the user's edit, announced again under the same id."""
        if code is None or code == proposal.code:
            return proposal
        edited = await self._review.look(replace(proposal, code=code))
        self._apply_single("confirmation", edited, "execution")
        return edited

    async def _default_interpreter(self, language: str) -> str:
        """Return the default Python's path; "" if there is none and another language is to run."""
        try:
            return (await self._interpreters.default()).path
        except ExecutionError:
            if language == PYTHON:
                raise
            return ""

    async def _run(self, proposal: Proposal) -> RunOutcome:
        if self._grants is not None and not is_elsewhere(proposal.interpreter):
            await self._grants.wait_for_test()
        self._on_state("running")
        self._unanswered, self._has_error = "", False
        interpreter = proposal.interpreter or await self._default_interpreter(proposal.language)
        await self._check(proposal.language, interpreter)
        if self._grants is not None:
            await self._grants.begin_run()
        policy = self._review.policy_of(proposal)
        self._is_bounded = policy.is_bounded
        request = RunRequest(
            run_id=uuid.uuid4().hex,
            conversation_id=self._conversation.id,
            language=proposal.language,
            code=proposal.code,
            folder=proposal.folder,
            interpreter=interpreter,
            stop_grace_s=self._settings.stop_grace_s,
            limits=self._settings.limits,
            shows_lines=self._settings.shows_lines,
            times_lines=self._settings.times_lines,
            keeps_values=self._settings.keeps_values,
            policy=policy,
            breakpoints=self._pauses.begin(proposal.code) if self._pauses else (),
        )
        end: RunOutcome = "finished"
        has_failed = False
        began = time.monotonic()
        try:
            async with aclosing(self._executor.run(request)) as chunks:
                async for chunk in chunks:
                    if not self.is_executing and not self._settings.has_input:
                        await self._end_input()
                    self.is_executing = True
                    self._apply_of_run(chunk)
                    end = _end_after(chunk, end)
                    has_failed = has_failed or _is_failure(chunk)
        except ExecutionError:
            raise
        except BaseException:
            self._conversation.close_open()
            self._apply_single("run", self._cut_off(time.monotonic() - began))
            raise
        finally:
            self.is_executing = False
            if self._grants is not None:
                self._grants.end_run()
            if self._pauses is not None:
                self._pauses.end()
        self._failures.record(proposal, has_failed=has_failed)
        return end

    def _apply_of_run(self, chunk: Chunk) -> None:
        """Apply a chunk of a run, which may wait for an answer from now on."""
        match chunk.content:
            case InputRequest(id=asked):
                self._unanswered = asked
                self._conversation.apply(chunk)
                self._on_state("awaiting_input")
            case RunReport() as report if report.state != "started":
                unanswered = self._unanswered or report.unanswered
                report = replace(report, unanswered=unanswered, hidden=self._hidden(report))
                self._conversation.apply(replace(chunk, content=report))
            case _:
                self._has_error = self._has_error or chunk.type == "error"
                self._conversation.apply(chunk)

    def _hidden(self, report: RunReport) -> str:
        """Return the path that the sandbox hid from a run that has failed; '' for none."""
        messages = self._conversation.messages
        if self._grants is None or not self._is_bounded:
            return ""
        has_failed = bool(report.exit_status) or self._has_error
        return self._grants.hidden_path(printed_last(messages)) if has_failed else ""

    async def _check(self, language: str, interpreter: str) -> None:
        """Report before a kernel starts that the chosen Python cannot be used."""
        is_needed = language == PYTHON or is_place(interpreter)
        is_needed = is_needed and not is_elsewhere(interpreter)
        is_chosen = is_needed and interpreter == self._settings.interpreter
        if is_chosen and self._executor.status(self._conversation.id).state == "none":
            await self._interpreters.probe(interpreter)

    async def _end_input(self) -> None:
        """End standard input, so that child processes that read it do not wait for ever."""
        await self._executor.send_text(self._conversation.id, "", is_end=True)

    def _cut_off(self, seconds: float) -> RunReport:
        """Return the report on a run that was stopped before it could send its own."""
        if not self.is_executing:
            end = RunEnd(kind="stopped_early")
            return RunReport(state="interrupted", seconds=seconds, end=end)
        end = RunEnd(kind="conversation_ended")
        return RunReport(state="killed", seconds=seconds, end=end, unanswered=self._unanswered)

    def _apply_code(self, language: str, code: str, role: Literal["user", "assistant"]) -> Message:
        apply = self._conversation.apply
        apply(Chunk(role=role, type="code", format=language, start=True))
        if code:
            apply(Chunk(role=role, type="code", format=language, content=code))
        message_id = apply(Chunk(role=role, type="code", format=language, end=True))
        message = self._conversation.message(message_id)
        assert message is not None  # noqa: S101 - it was applied in the line above
        return message

    def _apply_result(self, call: Message, text: str) -> None:
        tool = EXECUTE if call.type == "code" else call.format
        apply = self._conversation.apply
        apply(Chunk(role="computer", type="tool_result", format=tool, start=True, id=call.call_id))
        if text:
            apply(Chunk(role="computer", type="tool_result", format=tool, content=text))
        apply(Chunk(role="computer", type="tool_result", format=tool, end=True))

    def _apply_single(
        self,
        kind: Literal["confirmation", "run"],
        content: Proposal | RunReport,
        format_: str | None = None,
    ) -> None:
        self._conversation.apply(Chunk(role="computer", type=kind, format=format_, content=content))

    def _apply_status(self, text: str) -> None:
        self._conversation.apply(Chunk(role="server", type="status", content=text))

    def _apply_failure(self, error: AppError) -> None:
        wait_s = error.retry_after_s if isinstance(error, ProviderError) else None
        failure = Failure(
            code=error.code,
            title=error.title,
            detail=error.detail,
            remedy=error.remedy,
            retry_after_s=wait_s,
            phrases=error.phrases,
        )
        self._conversation.apply(Chunk(role="server", type="error", content=failure))


def _language_asked_for(call: Message) -> str:
    """Return the language in a call's arguments; "" if it cannot be read."""
    try:
        match read_json(call.text):
            case {"language": str(word)}:
                return word
            case _:
                return ""
    except ValueError:
        return ""


def _end_after(chunk: Chunk, end: RunOutcome) -> RunOutcome:
    if chunk.type == "error":
        return "failed"
    if isinstance(chunk.content, RunReport) and chunk.content.state in ("interrupted", "killed"):
        return "stopped"
    return end


def _is_failure(chunk: Chunk) -> bool:
    """Return whether a chunk is an exception or, in other languages, an exit status not 0."""
    report = chunk.content
    return chunk.type == "error" or (isinstance(report, RunReport) and bool(report.exit_status))


def _refusal(reason: str) -> str:
    told = f" They say: {reason}" if reason else ""
    return f"The user chose not to run this code.{told}"
