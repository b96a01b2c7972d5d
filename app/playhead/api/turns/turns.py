"""Turns that programs ask for: which conversation each continues, found by hashes of its history,
and who may decide.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from playhead.api.turns import request_decisions
from playhead.api.turns.api_sessions import ApiSessions
from playhead.api.turns.api_turn import ApiTurn, ChunkSink
from playhead.api.turns.client_request import ApiPolicy, ClientRequest, links_after
from playhead.api.turns.model_state import Health, ModelState
from playhead.api.turns.response_store import ResponseStore
from playhead.api.turns.session_lifetimes import MAX_IDLE, TemporarySessions, ThreadKernels
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import MoveTo
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.domain.execution import Approve, Decision, Deny
from playhead.domain.text import policies
from playhead.errors import RequestError, StorageError
from playhead.formats.wire.entry import Entry
from playhead.session.code_ports import Sandbox
from playhead.session.code_runs import open_calls
from playhead.session.ports import Records
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.session.turn_settings import TurnOptions

V = TypeVar("V")

INDEX_KEPT_S = 3600.0
"""Time in which an answer can be continued (docs/wire-formats.md)."""
INDEX_LIMIT = 20_000
"""Histories that are remembered at most; the oldest go first."""


class ConversationPosition(Struct, frozen=True):
    """The position in a conversation at the end of a history; `is_end` False is inside an
    answer.
    """

    conversation_id: str
    leaf_id: str | None
    is_end: bool = True


class ConversationIndex:
    """Holds hashes, never texts; a history is given by the hashes of its beginnings.

    `now` is a monotonic clock in seconds.
    """

    def __init__(
        self, now: Callable[[], float] = time.monotonic, kept_s: float = INDEX_KEPT_S
    ) -> None:
        self._now = now
        self._kept_s = kept_s
        self._places: OrderedDict[bytes, tuple[float, ConversationPosition]] = OrderedDict()
        self._code: OrderedDict[bytes, tuple[float, None]] = OrderedDict()
        self._approved: OrderedDict[bytes, tuple[float, None]] = OrderedDict()
        self._declined: OrderedDict[bytes, tuple[float, None]] = OrderedDict()

    def remember(
        self,
        asked: Sequence[bytes],
        answered: Sequence[str],
        end: ConversationPosition,
    ) -> None:
        """Keep the history `asked` and the messages `answered`; a known one now means the newest
        place.

        The end of an answer stays one in its conversation: another decision may be made there.
        """
        chain = [asked[-1], *links_after(asked[-1], answered)]
        inside = ConversationPosition(end.conversation_id, end.leaf_id, is_end=False)
        for link in chain[:-1]:
            _, known = self._places.get(link, (0.0, inside))
            is_end = known.is_end and known.conversation_id == end.conversation_id
            self._put(self._places, link, known if is_end else inside)
        self._put(self._places, chain[-1], end)
        self._approved.pop(chain[-1], None)  # what it proposes is proposed again

    def matches(self, links: Sequence[bytes]) -> Iterator[tuple[int, ConversationPosition]]:
        """Yield every known beginning of a history, the longest first: its length and position."""
        self._forget(self._places)
        for count in range(len(links) - 1, 0, -1):
            if (known := self._places.get(links[count])) is not None:
                yield count, known[1]

    def remember_code(self, language: str, code: str) -> None:
        """Remember that this server proposed the code."""
        self._put(self._code, _code_hash(language, code), None)

    def has_proposed(self, language: str, code: str) -> bool:
        """Return whether this server proposed exactly this code within the last hour."""
        self._forget(self._code)
        return _code_hash(language, code) in self._code

    def remember_decisions(self, history: bytes | None, decisions: Mapping[str, Decision]) -> None:
        """Remember what a client has decided about the code at the end of a history, by its ids.

        A session's name stands for its history: there is None then.
        """
        for message_id, decision in decisions.items():
            self._declined.pop(message_id.encode(), None)
            if isinstance(decision, Deny):
                self._put(self._declined, message_id.encode(), None)
            elif isinstance(decision, Approve) and history is not None:
                self._put(self._approved, history, None)

    def was_declined(self, message_id: str) -> bool:
        """Return whether a client declined this code within the last hour, and nobody since."""
        self._forget(self._declined)
        return message_id.encode() in self._declined

    def was_approved(self, history: bytes | None) -> bool:
        """Return whether the code at the end of this history was approved in the last hour."""
        self._forget(self._approved)
        return history in self._approved

    def forget_code(self, language: str, code: str) -> None:
        """Forget that this server proposed the code, because it was approved."""
        self._code.pop(_code_hash(language, code), None)

    def drop(self, conversation_id: str) -> None:
        """Forget all places of a conversation that is gone."""
        gone = [k for k, (_, p) in self._places.items() if p.conversation_id == conversation_id]
        for link in gone:
            del self._places[link]

    def _put(self, known: OrderedDict[bytes, tuple[float, V]], link: bytes, value: V) -> None:
        known.pop(link, None)
        known[link] = (self._now(), value)
        self._forget(known)

    def _forget(self, known: OrderedDict[bytes, tuple[float, V]]) -> None:
        oldest = self._now() - self._kept_s
        while known and (len(known) > INDEX_LIMIT or next(iter(known.values()))[0] < oldest):
            known.popitem(last=False)


def _code_hash(language: str, code: str) -> bytes:
    text = f"{language}\n{code.strip()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


_OTHER_PROCESS_NOTE = (
    "The code in the earlier messages of this conversation ran in another process: its names, "
    "imports and data do not exist here. Run again what you need."
)


class _Continuation(Struct, frozen=True):
    """The point where a request continues: `count` of its entries are known there."""

    session: Session
    count: int
    is_known: bool


class Turns:
    """Begins, cancels and remembers turns. Lives in the core's thread; owned by `bootstrap`."""

    def __init__(
        self, sessions: Sessions, models: ModelState, policy: ApiPolicy, records: Records
    ) -> None:
        self._sessions = sessions
        self.storage = sessions.storage
        self._models = models
        self._policy = policy
        self._known = ConversationIndex()
        self._temporary_sessions = TemporarySessions(sessions, self._known.drop)
        self.responses = ResponseStore(records)
        self.session_verbs = ApiSessions(sessions, policy, self._known.drop, records)
        self._began = time.monotonic()
        self._running: set[ApiTurn] = set()
        self._kernels = ThreadKernels()
        self._last_failure = ""

    async def begin(self, incoming: ClientRequest, outbox: ChunkSink) -> ApiTurn:
        """Start what the request wants; its chunks go to `outbox`.

        Raises RequestError for what is malformed or not allowed, SessionError (`session_busy`).
        """
        self._check_auto_run(incoming)
        # A client with its own `execute` decides, whatever else it says. The window's permission
        # to run code unasked covers only questions that are asked in the window.
        auto_run = incoming.options.auto_run is True and not incoming.is_call_clients
        is_answered = incoming.answers_input and self._policy.may_approve()
        has_input = self._policy.has_window or is_answered  # there somebody may type
        choice = replace(incoming.options.choice, retries=0)  # its client asks again by itself
        # Nor does the policy run what the holder of this token could not approve.
        follows_policy = self._policy.may_approve() and not incoming.is_call_clients
        options = replace(
            incoming.options,
            auto_run=auto_run,
            has_input=has_input,
            choice=choice,
            follows_policy=follows_policy,
        )
        incoming = replace(incoming, options=options)
        if incoming.session_id and self._sessions.is_kept(incoming.session_id):
            await self.storage.expect_room(_size_bytes(incoming.entries))
        found = await self._find(incoming)
        added = incoming.entries[found.count :]
        self._expect_stored(found.session)
        turn = ApiTurn(found.session, outbox, incoming, self._policy, self._on_end)
        try:
            await self._start(turn, found, added)
        except BaseException:
            turn.give_up()
            if not found.is_known:
                self._temporary_sessions.drop(found.session)
            raise
        if self._sessions.is_kept(found.session.conversation.id):
            found.session.client = incoming.client or "a program"  # as long as it works
        turn.incoming = replace(incoming, entries=_deciding(incoming.entries))
        self._running.add(turn)
        self._temporary_sessions.use(found.session)
        return turn

    def follow(self, session: Session, incoming: ClientRequest, outbox: ChunkSink) -> ApiTurn:
        """Return a turn that receives the chunks of a turn which another decision continued."""
        turn = ApiTurn(session, outbox, incoming, self._policy, self._on_end)
        turn.is_open = True
        self._running.add(turn)
        return turn

    def cancel(self, turn: ApiTurn) -> None:
        """Stop the turn and its code, because the client has disconnected."""
        if not turn.has_ended:
            turn.cut()
            turn.session.stop()

    def remember(self, turn: ApiTurn, keys: Sequence[str]) -> None:
        """Recognise later requests that continue this answer, whose messages have `keys`."""
        conversation = turn.session.conversation
        end = ConversationPosition(conversation.id, turn.leaf_id)
        self._known.remember(turn.incoming.links, [key for key in keys if key], end)
        if (pending := turn.session.pending) is not None:
            self._known.remember_code(pending.language, pending.code)

    async def health(self) -> Health:
        """Return the model of the settings and whether it can be asked."""
        return await self._models.health(self._last_failure)

    async def models(self) -> list[str]:
        """Return the models that a request may name, as far as they are known."""
        return await self._models.models()

    def instances(self) -> dict[str, int]:
        """Return how many conversations are in memory, and how many may rest there."""
        return {"active": len(self._sessions.open_sessions), "max": MAX_IDLE}

    def detail(self) -> dict[str, Any]:
        """Return the uptime and the current activity."""
        sessions = self._sessions.open_sessions
        temporary = [s for s in sessions if not self._sessions.is_kept(s.conversation.id)]
        kept = [row for row in self._sessions.summaries if not row.client]
        return {
            "uptime_s": round(time.monotonic() - self._began, 1),
            "sessions": {
                "active": sum(not session.is_idle for session in sessions),
                "total": len(kept) + len(temporary),
            },
            "kernels": {"running": sum(s.kernel.state != "none" for s in sessions)},
            "sandbox": _sandbox(self._sessions.sandbox),
        }

    async def close(self) -> None:
        """End all turns that programs began."""
        for turn in tuple(self._running):
            self.cancel(turn)
        self._temporary_sessions.close()
        self._kernels.close()

    def _on_end(self, turn: ApiTurn) -> None:
        self._running.discard(turn)
        self._last_failure = turn.failure.code if turn.failure else ""
        self._temporary_sessions.use(turn.session)
        if self._sessions.is_kept(turn.session.conversation.id):
            self._kernels.use(turn.session)

    def _check_auto_run(self, incoming: ClientRequest) -> None:
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

    def _expect_stored(self, session: Session) -> None:
        problem = self.storage.problem
        if problem is not None and self._sessions.is_kept(session.conversation.id):
            raise problem

    async def _find(self, incoming: ClientRequest) -> _Continuation:
        """Return the conversation that the request continues: named, recognised or new."""
        if incoming.session_id:
            return _Continuation(await self._named(incoming.session_id), 0, is_known=True)
        places = [n for n, entry in enumerate(incoming.entries) if entry.key]
        # The longest may end inside an answer to the same words in an older conversation.
        for match in self._known.matches(incoming.links):
            if (session := self._recognised(incoming, match, places)) is not None:
                return _Continuation(session, places[match[0] - 1] + 1, is_known=True)
        session = self._sessions.new(is_kept=False, client=incoming.client or "a program")
        if incoming.folder:
            session.set_folder(incoming.folder)
        return _Continuation(session, 0, is_known=False)

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
        self,
        incoming: ClientRequest,
        match: tuple[int, ConversationPosition],
        places: Sequence[int],
    ) -> Session | None:
        """Return the session of a known history, if its new messages can be added there."""
        count, place = match
        session = self._sessions.get(place.conversation_id)
        added = incoming.entries[places[count - 1] + 1 :]
        if session is None or not (place.is_end or request_decisions.is_edited(added)):
            return None
        if place.leaf_id is not None and session.conversation.message(place.leaf_id) is None:
            return None  # it was deleted in the window
        if request_decisions.has_decision(added) and not request_decisions.has_code(
            incoming.entries
        ):
            return None  # it knows of no code, whatever became of its question here
        decides = request_decisions.decides(incoming, added)
        if not session.is_idle and session.pending is None and not decides:
            return None  # it works on another request: this one gets its own conversation
        has_moved = session.conversation.leaf_id != place.leaf_id
        if session.is_idle and has_moved and self._belongs_to(session, place, added, decides):
            session.conversation.change(MoveTo(place.leaf_id))
        return session

    def _belongs_to(
        self, session: Session, place: ConversationPosition, added: Sequence[Entry], decides: bool
    ) -> bool:
        """Return whether these messages continue from an earlier place; a decision is about what
        is now, or about what a client declined there.
        """
        if not decides:
            return True
        code = _open_code(session.conversation.path_to(place.leaf_id))
        if code:
            return all(map(self._known.was_declined, code))
        return not request_decisions.has_decision(added)  # a yes to something else

    async def _start(self, turn: ApiTurn, found: _Continuation, added: Sequence[Entry]) -> None:
        session = found.session
        if not found.is_known:
            await self._begin_fresh(turn)
        elif session.pending is not None and request_decisions.decides(turn.incoming, added):
            await self._decide(turn, added)
        elif self._decides_late(turn, added):
            await self._decide_late(turn, added)
        elif turn.incoming.session_id and (code := request_decisions.proposed_by(added)):
            session.propose_code(*code, options=turn.incoming.options)
            turn.is_open = True
        else:
            if session.pending is not None and _declines(turn):
                self._withdraw(turn)
                await session.stopped()  # the client continues with something else
            await self._take(turn, request_decisions.imported_chunks(added))

    async def _decide(self, turn: ApiTurn, added: Sequence[Entry]) -> None:
        """Settle the waiting code; its turn continues and now belongs to this request."""
        session, messages = turn.session, turn.session.conversation.messages
        waiting = session.pending
        assert waiting is not None  # noqa: S101 - the caller has looked
        self._check_approval(turn)
        decisions = request_decisions.decisions_on_waiting(
            turn.incoming.entries, added, waiting, messages
        )
        await session.add_slowly(request_decisions.tool_results(added))
        if not session.decide(decisions):
            raise request_decisions.already_decided()
        self._remember_decisions(turn, decisions)
        turn.is_open = True  # before the turn continues: that takes a step of the loop

    def _decides_late(self, turn: ApiTurn, added: Sequence[Entry]) -> bool:
        """Return whether these messages decide about code that no turn waits with any more."""
        if request_decisions.has_decision(added):
            return not request_decisions.has_new_question(added)
        code = _open_code(turn.session.conversation.messages)
        is_declined = bool(code) and all(map(self._known.was_declined, code))
        return is_declined and request_decisions.decides(turn.incoming, added)

    def _withdraw(self, turn: ApiTurn) -> None:
        """Remember that a client goes on with something else than the code that waits."""
        code = _open_code(turn.session.conversation.messages)
        self._remember_decisions(turn, dict.fromkeys(code, Deny()))

    def _remember_decisions(self, turn: ApiTurn, decisions: Mapping[str, Decision]) -> None:
        history, _ = request_decisions.split_history(turn.incoming.entries)
        self._known.remember_decisions(_link(turn.incoming, history), decisions)
        for message_id, decision in decisions.items():
            message = turn.session.conversation.message(message_id)
            if isinstance(decision, Approve) and message is not None:
                self._known.forget_code(message.format or "", message.text)

    async def _decide_late(self, turn: ApiTurn, added: Sequence[Entry]) -> None:
        """Decide about code that no turn waits with any more: it was declined, or cancelled."""
        session = turn.session
        if not session.is_idle:
            raise request_decisions.already_decided()
        if request_decisions.is_approval(added) or not request_decisions.has_decision(added):
            self._check_approval(turn)
        if turn.incoming.session_id:
            self._reopen(session)
        try:
            decisions = request_decisions.decisions_on_history(
                added, session.conversation.messages, turn.incoming.entries
            )
        except RequestError as error:
            raise request_decisions.already_decided() from error
        self._remember_decisions(turn, decisions)
        await session.add_slowly(request_decisions.tool_results(added))
        session.resume(decisions, turn.incoming.options)
        turn.is_open = True

    def _reopen(self, session: Session) -> None:
        """Go back to the last proposal of a turn if a client declined it: it now decides again."""
        for message in reversed(session.conversation.messages):
            if message.role == "user":
                return
            if isinstance(proposal := message.content, Proposal):
                if self._known.was_declined(proposal.message_id):
                    session.conversation.change(MoveTo(message.id))
                return

    async def _begin_fresh(self, turn: ApiTurn) -> None:
        """Begin with a foreign history, or with the first message of a new conversation."""
        incoming, session = turn.incoming, turn.session
        history, added = request_decisions.split_history(incoming.entries)
        is_yes = self._is_yes(incoming)
        if is_yes or request_decisions.is_approval(added):
            self._check_approval(turn)
            if self._known.was_approved(_link(incoming, history)):
                raise request_decisions.already_decided()
        await session.add_slowly(request_decisions.imported_chunks(history))
        if is_yes and incoming.proposed is not None:
            session.add(request_decisions.code_message(*incoming.proposed))
            self._known.forget_code(*incoming.proposed)
        elif not request_decisions.has_decision(added) or request_decisions.has_new_question(added):
            await self._take(turn, request_decisions.imported_chunks(added))
            return
        decisions = request_decisions.decisions_on_history(added, session.conversation.messages)
        if any(entry.call_id for entry in added):  # only a repetition names the same call
            self._remember_decisions(turn, decisions)
        await session.add_slowly(request_decisions.tool_results(added))
        session.resume(decisions, _with_note(turn))
        turn.is_open = True

    def _is_yes(self, incoming: ClientRequest) -> bool:
        """Return whether the last message approves code that this server has proposed."""
        if incoming.proposed is None or incoming.is_call_clients:
            return False
        return incoming.entries[-1].is_yes and self._known.has_proposed(*incoming.proposed)

    async def _take(self, turn: ApiTurn, chunks: Sequence[Chunk]) -> None:
        """Add a client's messages, of many all but the last in slices, and begin."""
        session, options = turn.session, _with_note(turn)
        asked = (place for place, chunk in enumerate(chunks) if chunk.role == "user")
        last = max(asked, default=0)
        await session.add_slowly(chunks[:last])
        session.take(chunks[last:], options)
        turn.is_open = True


def _with_note(turn: ApiTurn) -> TurnOptions:
    """Return the options; the model is informed of code whose variables this kernel lacks."""
    options, messages = turn.incoming.options, turn.session.conversation.messages
    has_run_here = any(isinstance(message.content, RunReport) for message in messages)
    if has_run_here or not any(message.type == "console" for message in messages):
        return options
    instructions = "\n\n".join(part for part in (options.instructions, _OTHER_PROCESS_NOTE) if part)
    return replace(options, instructions=instructions)


def _declines(turn: ApiTurn) -> bool:
    """Return whether another message declines the code that waits: its client asked for it."""
    incoming = turn.incoming
    asks_in_text = incoming.wire_format in _ASKING and not incoming.is_call_clients
    return not incoming.session_id or (asks_in_text and bool(turn.session.client))


_ASKING = frozenset({"chat", "responses"})
"""Formats that ask in the text whether code is to run."""


def _open_code(messages: Sequence[Message]) -> list[str]:
    """Return the ids of the code that has no result yet."""
    return [call.id for call in open_calls(messages) if call.type == "code"]


def _sandbox(sandbox: Sandbox | None) -> dict[str, Any]:
    """Return what the boundary test found on this machine."""
    if sandbox is None:
        return {"status": "none"}
    report = sandbox.report
    made = policies.made_attempts(report)
    tested_at = datetime.fromtimestamp(report.tested_at, UTC).isoformat(timespec="seconds")
    found = {
        "status": report.status,
        "tested_at": tested_at.replace("+00:00", "Z") if report.tested_at else None,
        "attempts": len(made),
        "through": [one.name for one in made if one.outcome == "through"],
        "gaps": list(report.gaps),
        "problem": report.problem,
        "remedy": report.remedy,
    }
    return {name: value for name, value in found.items() if value or name == "attempts"}


def _size_bytes(entries: Sequence[Entry]) -> int:
    texts = (chunk.content for entry in entries for chunk in entry.chunks)
    return sum(len(text) for text in texts if isinstance(text, str))


def _deciding(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the last entries that are decisions: the rest is in the conversation."""
    start = len(entries)
    while start and entries[start - 1].decision is not None:
        start -= 1
    return tuple(entries[start:])


def _link(incoming: ClientRequest, history: Sequence[Entry]) -> bytes | None:
    """Return the hash of the first entries of a request, None if they have no keys."""
    count = sum(bool(entry.key) for entry in history)
    return incoming.links[count] if count else None
