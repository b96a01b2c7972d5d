"""Let programs manage conversations besides asking in them; used in the core's thread."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from playhead.api.turns.client_request import ApiPolicy
from playhead.api.turns.code_grants import (
    keep_packages,
    list_grants,
    list_packages,
    make_grant,
    revoke_grant,
)
from playhead.api.turns.code_places import choose_place, list_places, place_wire
from playhead.api.turns.run_effects import (
    Settle,
    SettleReview,
    TakeBack,
    list_effects,
    list_review,
    settle,
    settle_review,
    take_back,
)
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import InputRequest
from playhead.domain.execution import PauseVerb
from playhead.domain.history import ConversationSummary, Record
from playhead.domain.settings import ConversationConfig
from playhead.domain.trust import Policy, PolicyWish
from playhead.errors import AppError, RequestError, SessionError, StorageError
from playhead.formats.wire.codec import Wire
from playhead.session.ports import Records
from playhead.session.session import Session
from playhead.session.sessions import Sessions

_METADATA = "metadata"
"""The id of the record with them."""
_LARGEST_METADATA = 16_384

Change = Callable[[ConversationConfig], ConversationConfig]


class SessionRow(Struct, frozen=True):
    """A conversation as the list has it."""

    summary: ConversationSummary
    is_busy: bool
    policy: Policy | None = None
    paused_line: int = 0
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    place: Wire | None = None


class SessionTranscript(Struct, frozen=True):
    """The messages of a conversation, whether the last of them waits for a decision, its folder."""

    title: str
    messages: tuple[Message, ...]
    is_waiting: bool
    folder: str = ""


class ApiSessions:
    """Lists, begins and deletes conversations for programs. `forget` drops what is cached of a
    deleted conversation; `records` keeps the metadata that programs give them.

    Conversations that programs began without asking to keep them are not listed.
    """

    def __init__(
        self,
        sessions: Sessions,
        policy: ApiPolicy,
        forget: Callable[[str], object],
        records: Records,
    ) -> None:
        self._records = records
        self._sessions = sessions
        self._policy = policy
        self._forget = forget

    async def begin(
        self,
        title: str,
        config: ConversationConfig,
        wish: PolicyWish | None = None,
        metadata: Mapping[str, Any] | None = None,
        place: str | None = None,
    ) -> SessionRow:
        """Begin a conversation, which is listed at once."""
        told = _metadata_text(metadata)
        if wish is not None or place is not None:
            self.expect_choice()
        wants = config if config != ConversationConfig() else None
        session = self._sessions.begin(title, wants)
        if wish is not None or place is not None:
            try:
                if wish is not None:
                    _choose(session, wish)
                if place is not None:
                    await choose_place(session, self._sessions.places, place)
            except RequestError:
                await self._sessions.delete(session.conversation.id)
                raise
        self._keep_metadata(session.conversation.id, told)
        return await self.get(session.conversation.id)

    async def page(self, limit: int, after: str) -> tuple[list[SessionRow], bool]:
        """Return a page of conversations, the last changed first, and whether there are more."""
        rows = [row for row in self._sessions.summaries if not row.client]
        start = 0
        if after:
            places = [place for place, row in enumerate(rows) if row.id == after]
            if not places:
                raise RequestError(
                    f"There is no session {after!r} to go on after.",
                    code="invalid_request",
                    param="after",
                )
            start = places[0] + 1
        page = rows[start : start + limit]
        return [await self._seen(row) for row in page], start + limit < len(rows)

    async def get(self, session_id: str) -> SessionRow:
        """Return one conversation of the list."""
        return await self._seen(self._listed(session_id))

    async def places(self, server: str) -> Wire:
        """Return where code can run; with the name of a server also its kernels."""
        return await list_places(self._sessions.places, server)

    def expect_choice(self, *, is_from_own_code: bool = False) -> None:
        """Raise RequestError unless the client may choose what code may do."""
        if is_from_own_code or not self._policy.may_choose_policy:
            raise RequestError(
                "What code may do is chosen in Playhead's window, or by whom starts the server.",
                remedy="Start it with --sandbox, or with --allow-policy to let clients choose.",
                code="policy_forbidden",
                param="policy",
            )

    async def change(
        self,
        session_id: str,
        title: str | None,
        change: Change | None,
        wish: PolicyWish | None = None,
        metadata: Mapping[str, Any] | None = None,
        place: str | None = None,
    ) -> SessionRow:
        """Give it another title, other settings from its next turn on, another policy or place, and
        other metadata.
        """
        self._listed(session_id)
        told = _metadata_text(metadata)
        if place is not None:
            self.expect_choice()
            await choose_place(await self._open(session_id), self._sessions.places, place)
        if wish is not None:
            self.expect_choice()
            _choose(await self._open(session_id), wish)
        if title is not None:
            self._sessions.rename(session_id, title)
        if change is not None:
            session = await self._open(session_id)
            session.set_config(change(session.config))
        self._keep_metadata(session_id, told)
        return await self.get(session_id)

    async def delete(self, session_id: str) -> None:
        """Delete a conversation that is not busy, permanently."""
        self._listed(session_id)
        session = self._sessions.get(session_id)
        if session is not None and session.pending is not None:
            await session.stopped()
        if session is not None and not session.is_idle:
            raise SessionError(
                "The session is busy with a turn.", remedy="Stop it first.", code="session_busy"
            )
        self._forget(session_id)
        await self._sessions.delete(session_id)

    async def transcript(self, session_id: str) -> SessionTranscript:
        """Return the messages of the branch that is shown."""
        session = await self._open(session_id)
        conversation = session.conversation
        messages = tuple(conversation.messages)
        is_waiting = session.pending is not None
        return SessionTranscript(conversation.title, messages, is_waiting, session.folder)

    async def empty(self, session_id: str) -> None:
        """Take all its messages out and end its kernel."""
        session = await self._open(session_id)
        if session.pending is not None:
            await session.stopped()
        self._forget(session_id)
        await self._sessions.empty(session_id)

    async def stop(self, session_id: str) -> bool:
        """End the turn under way and wait for that; False where none works."""
        session = await self._open(session_id)
        if session.is_idle or session.pending is not None:
            return False
        await session.stopped()
        return True

    async def pause(self, session_id: str, verb: PauseVerb, is_from_own_code: bool) -> bool:
        """Pause its code or have it go on, as the window could; False where none runs."""
        session = await self._open(session_id)
        self._expect_allowed(is_from_own_code, "Running code is paused in Playhead's window only.")
        if session.state not in ("running", "paused"):
            return False
        session.pauses.do(verb)
        return True

    async def answer_input(
        self, session_id: str, input_id: str, text: str, is_from_own_code: bool
    ) -> None:
        """Give the running code the line that it asks for, as the window could."""
        session = await self._open(session_id)
        self._expect_allowed(
            is_from_own_code, "What running code asks for is typed in Playhead's window only."
        )
        asked = _question(session)
        if session.is_idle or asked is None or asked.id != input_id:
            raise RequestError(
                "No code asks for that line.", code="invalid_state", param="messages"
            )
        session.answer_input(input_id, text)

    async def effects(self, session_id: str) -> Wire:
        """Return what its runs did to files, and what of that was undone."""
        return await list_effects(await self._open(session_id))

    async def take_back(
        self,
        session_id: str,
        what: TakeBack | Settle,
        effect_id: str,
        path: str,
        is_from_own_code: bool,
    ) -> Wire:
        """Undo an effect of a run on files, do it again, or settle what was set aside of it."""
        session = await self._open(session_id)
        self._expect_allowed(
            is_from_own_code, "What runs did to files is undone in Playhead's window only."
        )
        if what == "keep" or what == "delete":
            return await settle(session, what, effect_id, path)
        return await take_back(session, what, effect_id, path)

    async def review(self, session_id: str) -> Wire:
        """Return what waits of its runs in a copy of the folder."""
        return await list_review(await self._open(session_id))

    async def settle_review(
        self, session_id: str, what: SettleReview, paths: Sequence[str], is_from_own_code: bool
    ) -> Wire:
        """Apply what waits in the copy, or discard it, as the window could."""
        session = await self._open(session_id)
        self._expect_allowed(
            is_from_own_code, "What runs did in a copy is applied in Playhead's window only."
        )
        return await settle_review(session, what, paths)

    async def grants(self, session_id: str) -> Wire:
        """Return what its code is granted and denied beyond its policy."""
        return list_grants(await self._open(session_id))

    async def grant(self, session_id: str, asked: Mapping[str, Any]) -> Wire:
        """Grant or deny its code something, where the owner lets clients; see `expect_choice`."""
        return make_grant(await self._open(session_id), asked)

    async def revoke(self, session_id: str, grant_id: str) -> Wire:
        """Take a grant or a denial back, where the owner lets clients; see `expect_choice`."""
        return revoke_grant(await self._open(session_id), grant_id)

    async def packages(self, session_id: str) -> Wire:
        """Return the packages of its code in the sandbox that its environment has not."""
        return await list_packages(await self._open(session_id))

    async def keep_packages(self, session_id: str, chosen: Sequence[str], builds: bool) -> Wire:
        """Install these there, where the owner lets clients choose; see `expect_choice`."""
        return await keep_packages(await self._open(session_id), chosen, builds=builds)

    def _expect_allowed(self, is_from_own_code: bool, refusal: str) -> None:
        """Raise RequestError unless the settings let a program approve; our own code never may."""
        if is_from_own_code or not self._policy.may_approve():
            raise RequestError(
                refusal,
                remedy=f"Switch on {self._policy.approve_switch}.",
                code="approval_forbidden",
            )

    def _keep_metadata(self, session_id: str, text: str) -> None:
        if text:
            self._records.put(Record(session_id, _METADATA, text))

    async def _open(self, session_id: str) -> Session:
        self._listed(session_id)
        try:
            return await self._sessions.open(session_id)
        except StorageError as error:
            if error.code == "not_found":
                raise _not_there(session_id) from error
            raise

    def _listed(self, session_id: str) -> ConversationSummary:
        summary = self._sessions.summary(session_id)
        if summary is None or summary.client:
            raise _not_there(session_id)
        return summary

    async def _seen(self, summary: ConversationSummary) -> SessionRow:
        kept = await self._records.of(summary.id)
        text = next((record.content for record in kept if record.id == _METADATA), "{}")
        session = self._sessions.get(summary.id)
        policy = session.policy.current if session is not None else None
        is_busy = self._sessions.state_of(summary.id) != "idle"
        paused = session.kernel.paused_line if session is not None and is_busy else 0
        place = place_wire(session.interpreter) if session is not None else None
        return SessionRow(summary, is_busy, policy, paused, json.loads(text), place)


def _metadata_text(metadata: Mapping[str, Any] | None) -> str:
    """Return metadata as JSON; "" for None. Raises RequestError if they are too large."""
    text = "" if metadata is None else json.dumps(metadata)
    if len(text) > _LARGEST_METADATA:
        raise RequestError(
            f"metadata may have {_LARGEST_METADATA:,} characters as JSON",
            code="invalid_request",
            param="metadata",
        )
    return text


def _choose(session: Session, wish: PolicyWish) -> None:
    """Turn the dials as far as they are named. Raises RequestError."""
    named = {name: value for name, value in asdict(wish).items() if value is not None}
    try:
        session.policy.choose(replace(session.policy.chosen, **named))
    except AppError as error:
        code = "session_busy" if error.code == "session_busy" else "policy_impossible"
        raise RequestError(str(error), code=code, param="policy") from error


def _question(session: Session) -> InputRequest | None:
    """Return the last question that the session's code asked."""
    contents = (message.content for message in reversed(session.conversation.messages))
    return next((each for each in contents if isinstance(each, InputRequest)), None)


def _not_there(session_id: str) -> RequestError:
    return RequestError(
        f"There is no session {session_id[:80]!r}.", code="not_found", param="session_id"
    )
