"""Turns that programs ask for: which conversation each goes on in, and who may decide."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from playhead.api import deciding
from playhead.api.api_turn import ApiTurn, Outbox
from playhead.api.continuing import Continuations, Place
from playhead.api.incoming import Incoming, Policy
from playhead.api.model_state import Health, ModelState
from playhead.api.session_verbs import SessionVerbs
from playhead.api.thread_kernels import ThreadKernels
from playhead.api.visitors import Visitors
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.payloads import RunReport
from playhead.errors import RequestError, StorageError
from playhead.formats.wire.entry import Entry
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.session.turn_settings import TurnOptions

_SLICE = 200
"""Chunks of a history that are taken at once: about 4 ms."""

_ELSEWHERE = (
    "The code in the earlier messages of this conversation ran in another process: its names, "
    "imports and data do not exist here. Run again what you need."
)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a request goes on: `count` of its entries are known there."""

    session: Session
    count: int
    is_known: bool


class Turns:
    """Begins, cancels and remembers turns. Lives in the core's thread; owned by `bootstrap`."""

    def __init__(self, sessions: Sessions, models: ModelState, policy: Policy) -> None:
        self._sessions = sessions
        self._models = models
        self._policy = policy
        self._known = Continuations()
        self._visitors = Visitors(sessions, self._known.drop)
        self.session_verbs = SessionVerbs(sessions, policy, self._known.drop)
        self._began = time.monotonic()
        self._running: set[ApiTurn] = set()
        self._kernels = ThreadKernels()
        self._last_failure = ""

    async def begin(self, incoming: Incoming, outbox: Outbox) -> ApiTurn:
        """Start what the request wants; its chunks go to `outbox`.

        Raises RequestError for what is malformed or not allowed, SessionError (`session_busy`).
        """
        self._check_auto_run(incoming)
        # Its own tool: it decides, whatever else it says. And what the window lets run unasked in
        # a conversation is what is asked there.
        auto_run = incoming.options.auto_run is True and not incoming.is_call_clients
        is_answered = incoming.answers_input and self._policy.may_approve()
        has_input = self._policy.has_window or is_answered  # there somebody may type
        choice = replace(incoming.options.choice, retries=0)  # its client asks again by itself
        options = replace(incoming.options, auto_run=auto_run, has_input=has_input, choice=choice)
        incoming = replace(incoming, options=options)
        found = await self._find(incoming)
        told = incoming.entries[found.count :]
        turn = ApiTurn(
            found.session, outbox, incoming, _keys(incoming.entries), self._policy, self._on_end
        )
        try:
            await self._set_going(turn, found, told)
        except BaseException:
            turn.give_up()
            if not found.is_known:
                self._visitors.leaves(found.session)
            raise
        if self._sessions.is_kept(found.session.conversation.id):
            found.session.client = incoming.client or "a program"  # as long as it works
        self._running.add(turn)
        self._visitors.came(found.session)
        return turn

    def follow(self, session: Session, incoming: Incoming, outbox: Outbox) -> ApiTurn:
        """Hear a turn that goes on: somebody else decided what it waited for."""
        turn = ApiTurn(session, outbox, incoming, (), self._policy, self._on_end)
        turn.is_open = True
        self._running.add(turn)
        return turn

    def cancel(self, turn: ApiTurn) -> None:
        """The client has gone: end the turn and its code."""
        if not turn.has_ended:
            turn.cut()
            turn.session.stop()

    def remember(self, turn: ApiTurn, keys: Sequence[str]) -> None:
        """Recognise later requests that go on after this answer, whose messages have `keys`."""
        conversation = turn.session.conversation
        end = Place(conversation.id, turn.leaf_id)
        self._known.remember(turn.incoming.dialect, turn.asked, [key for key in keys if key], end)
        if (pending := turn.session.pending) is not None:
            self._known.remember_code(pending.language, pending.code)

    async def health(self) -> Health:
        """The model of the settings and whether it can be asked."""
        return await self._models.health(self._last_failure)

    async def models(self) -> list[str]:
        """The models that a request may name, as far as they are known."""
        return await self._models.models()

    def detail(self) -> dict[str, Any]:
        """How long it runs, and how much is going on."""
        sessions = self._sessions.open_sessions
        visitors = [s for s in sessions if not self._sessions.is_kept(s.conversation.id)]
        kept = [row for row in self._sessions.summaries if not row.client]
        return {
            "uptime_s": round(time.monotonic() - self._began, 1),
            "sessions": {
                "active": sum(not session.is_idle for session in sessions),
                "total": len(kept) + len(visitors),
            },
            "kernels": {"running": sum(s.kernel.state != "none" for s in sessions)},
        }

    async def close(self) -> None:
        """End all turns that programs began."""
        for turn in tuple(self._running):
            self.cancel(turn)
        self._visitors.close()
        self._kernels.close()

    def _on_end(self, turn: ApiTurn) -> None:
        self._running.discard(turn)
        self._last_failure = turn.failure.code if turn.failure else ""
        self._visitors.came(turn.session)
        if self._sessions.is_kept(turn.session.conversation.id):
            self._kernels.came(turn.session)

    def _check_auto_run(self, incoming: Incoming) -> None:
        if incoming.options.auto_run and (
            incoming.is_from_own_code or not self._policy.may_auto_run()
        ):
            raise RequestError(
                "Code is not run without asking over the API.",
                remedy=f"Leave auto_run out, or switch on {self._policy.auto_run_switch}.",
                code="auto_run_forbidden",
                param="auto_run",
            )

    def _check_approval(self, turn: ApiTurn) -> None:
        if turn.may_approve:
            return
        if turn.incoming.is_from_own_code:
            raise RequestError(
                "Code that Playhead runs cannot approve code.", code="approval_forbidden"
            )
        raise RequestError(
            "Code is approved in Playhead's window only.",
            remedy="Decide there about the code that waits, or switch on "
            f"{self._policy.approve_switch}.",
            code="approval_forbidden",
        )

    async def _find(self, incoming: Incoming) -> _Found:
        """The conversation that the request goes on in: named, recognised, or a fresh one."""
        if incoming.session_id:
            return _Found(await self._named(incoming.session_id), 0, is_known=True)
        places = [n for n, entry in enumerate(incoming.entries) if entry.key]
        keys = _keys(incoming.entries)
        # The longest may lie amid an answer to the same words in an older conversation.
        for match in self._known.matches(incoming.dialect, keys):
            if (session := self._recognised(incoming, match, places)) is not None:
                return _Found(session, places[match[0] - 1] + 1, is_known=True)
        session = self._sessions.new(is_kept=False, client=incoming.client or "a program")
        if incoming.folder:
            session.set_folder(incoming.folder)
        return _Found(session, 0, is_known=False)

    async def _named(self, session_id: str) -> Session:
        try:
            return await self._sessions.open(session_id)
        except StorageError as error:
            if error.code != "not_found":
                raise
            raise RequestError(
                f"There is no session {session_id!r}.", code="not_found", param="session_id"
            ) from error

    def _recognised(
        self, incoming: Incoming, match: tuple[int, Place], places: Sequence[int]
    ) -> Session | None:
        """The session of a known history, if what comes after it can go on there."""
        count, place = match
        session = self._sessions.get(place.conversation_id)
        told = incoming.entries[places[count - 1] + 1 :]
        if session is None or not (place.is_end or deciding.is_edited(told)):
            return None
        decides = deciding.decides(incoming, told)
        if not session.is_idle and session.pending is None and not decides:
            return None  # it works on another request: this one gets its own conversation
        has_moved = session.conversation.leaf_id != place.leaf_id
        if session.is_idle and has_moved and not decides:  # a decision is about what is now
            session.conversation.change(MoveTo(place.leaf_id))
        return session

    async def _set_going(self, turn: ApiTurn, found: _Found, told: Sequence[Entry]) -> None:
        session = found.session
        if not found.is_known:
            await self._begin_fresh(turn)
        elif session.pending is not None and deciding.decides(turn.incoming, told):
            self._decide(turn, told)
        elif deciding.has_decision(told) and not deciding.asks_on(told):
            self._decide_late(turn, told)
        else:
            if session.pending is not None and not turn.incoming.session_id:
                await session.stopped()  # the client goes on with something else
            self._take(turn, deciding.imported(told))

    def _decide(self, turn: ApiTurn, told: Sequence[Entry]) -> None:
        """Settle what waits; its turn goes on and is this one's now."""
        session, messages = turn.session, turn.session.conversation.messages
        waiting = session.pending
        assert waiting is not None  # noqa: S101 - the caller has looked
        self._check_approval(turn)
        decisions = deciding.about_waiting(turn.incoming.entries, told, waiting, messages)
        if not session.decide(decisions):
            raise deciding.already_decided()
        session.add(deciding.results(told))
        turn.is_open = True  # before the turn goes on: that takes a step of the loop

    def _decide_late(self, turn: ApiTurn, told: Sequence[Entry]) -> None:
        """A decision about code that no turn waits with: that one may have been cancelled."""
        session = turn.session
        if not session.is_idle:
            raise deciding.already_decided()
        if deciding.is_approval(told):
            self._check_approval(turn)
        try:
            decisions = deciding.about_history(told, session.conversation.messages)
        except RequestError as error:
            raise deciding.already_decided() from error
        session.add(deciding.results(told))
        session.resume(decisions, turn.incoming.options)
        turn.is_open = True

    async def _begin_fresh(self, turn: ApiTurn) -> None:
        """A history from elsewhere, or the first message of a new one."""
        incoming, session = turn.incoming, turn.session
        history, told = deciding.split(incoming.entries)
        is_yes = self._is_yes(incoming)
        if is_yes or deciding.is_approval(told):
            self._check_approval(turn)
        await _add_in_slices(session, deciding.imported(history))
        if is_yes and incoming.proposed is not None:
            session.add(deciding.code_message(*incoming.proposed))
        elif not deciding.has_decision(told) or deciding.asks_on(told):
            self._take(turn, deciding.imported(told))
            return
        decisions = deciding.about_history(told, session.conversation.messages)
        session.add(deciding.results(told))
        session.resume(decisions, _with_note(turn))
        turn.is_open = True

    def _is_yes(self, incoming: Incoming) -> bool:
        """Whether the last word approves code that this server did propose."""
        if incoming.proposed is None or incoming.is_call_clients:
            return False
        return incoming.entries[-1].is_yes and self._known.has_proposed(*incoming.proposed)

    def _take(self, turn: ApiTurn, chunks: Sequence[Chunk]) -> None:
        turn.session.take(chunks, _with_note(turn))
        turn.is_open = True


async def _add_in_slices(session: Session, chunks: Sequence[Chunk]) -> None:
    """A history may be very long: the core, which may be a window's, has other things to do."""
    for start in range(0, len(chunks), _SLICE):
        session.add(chunks[start : start + _SLICE])
        await asyncio.sleep(0)


def _with_note(turn: ApiTurn) -> TurnOptions:
    """The options; the model is told of code whose names were never in this kernel."""
    options, messages = turn.incoming.options, turn.session.conversation.messages
    has_run_here = any(isinstance(message.content, RunReport) for message in messages)
    if has_run_here or not any(message.type == "console" for message in messages):
        return options
    told = "\n\n".join(part for part in (options.instructions, _ELSEWHERE) if part)
    return replace(options, instructions=told)


def _keys(entries: Sequence[Entry]) -> list[str]:
    return [entry.key for entry in entries if entry.key]
