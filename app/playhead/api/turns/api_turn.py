"""One turn as the client that asked for it receives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from playhead.api.turns.client_request import ApiPolicy, ClientRequest
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Echo, Failure, InputRequest, Waiting
from playhead.errors import AppError, ProviderError, phrase
from playhead.formats.wire.codec import ProposedCode
from playhead.session.session import Session, SessionEvent


class ChunkSink(Protocol):
    """The destination of a turn's chunks; another thread may read it."""

    def put(self, chunk: Chunk) -> bool:
        """Take a chunk; return False if the reader is too far behind."""
        ...

    def close(self) -> None:
        """Mark the end: nothing follows."""
        ...


class ApiTurn:
    """One turn as its client receives it; made by `Turns.begin`, for the core's thread only.

    `is_call_clients` says whether the client decides about calls of `execute`.
    """

    def __init__(
        self,
        session: Session,
        outbox: ChunkSink,
        incoming: ClientRequest,
        policy: ApiPolicy,
        on_end: Callable[[ApiTurn], None],
    ) -> None:
        self.session = session
        self.incoming = incoming
        self.may_approve = policy.may_approve() and not incoming.is_from_own_code
        self.is_call_clients = incoming.is_call_clients and self.may_approve
        self.leaf_id: str | None = None
        self.has_ended = False
        self.is_open = False
        """Whether the conversation's events already belong to this turn."""
        self.failure: Failure | None = None
        self._is_input_answered = incoming.options.has_input
        sends_calls = self.is_call_clients or incoming.wire_format in _CODE_IS_CALLS
        self._proposed_code = ProposedCode() if sends_calls else None
        self._code_id: str | None = None
        self._outbox = outbox
        self._on_end = on_end
        self._unsubscribe = [
            session.conversation.subscribe(self._on_message),
            session.subscribe(self._on_session),
        ]

    def cut(self) -> None:
        """Send nothing more, because the client is gone."""
        self._end()

    def give_up(self) -> None:
        """Give up a turn that never began."""
        self.has_ended = True
        self._leave()

    def _on_message(self, event: ConversationEvent) -> None:
        chunk = event.chunk
        if not self.is_open or self.has_ended or chunk is None or chunk.role == "user":
            return
        if isinstance(chunk.content, (Waiting, Echo)):  # of no use to a program
            return
        if self._proposed_code is None:
            self._put(chunk, event.message_id)
            return
        for message_id, one in self._proposed_code.feed(chunk, event.message_id):
            self._put(one, message_id)

    def _put(self, chunk: Chunk, message_id: str) -> None:
        """Send a chunk, and act on what it means for the turn."""
        if self.has_ended:
            return
        if self.incoming.names_messages and message_id:
            chunk = _with_message_id(chunk, message_id)
        if self._is_half_sent(chunk):
            self.session.stop()
            self._fail(_cut_off())
        elif not self._outbox.put(chunk):
            self.session.stop()
            self._end()
        elif chunk.role == "server":
            self._end_with(chunk)
        elif isinstance(chunk.content, InputRequest) and not self._is_input_answered:
            self.session.stop()  # it would wait for ever
            self._fail(_unanswered(chunk.content))

    def _end_with(self, chunk: Chunk) -> None:
        """End the turn if the chunk is the last of one."""
        if isinstance(chunk.content, Failure):
            self.failure = chunk.content
            self._end()
        elif chunk.type == "status":
            self._end()

    def _is_half_sent(self, chunk: Chunk) -> bool:
        """Return whether a client has half a call whose result only the model is to see."""
        if chunk.start and chunk.type in ("code", "tool_result"):
            before, self._code_id = self._code_id, chunk.id if chunk.type == "code" else None
            is_half = chunk.type == "tool_result" and chunk.id is not None and chunk.id == before
            return is_half and self.is_call_clients and self.incoming.wire_format in _STREAMS_CALLS
        if chunk.type == "confirmation":
            self._code_id = None
        return False

    def _on_session(self, event: SessionEvent) -> None:
        if self.has_ended or not self.is_open:
            return
        pending = self.session.pending
        if event.kind == "pending" and pending is not None and self.may_approve:
            self._outbox.put(Chunk(role="server", type="status", content="awaiting_approval"))
            self._end()
        elif event.kind == "error" and event.error is not None and self.session.is_idle:
            self._fail(event.error)
        elif event.kind == "state" and self.session.is_idle:
            self._expect_end()

    def _expect_end(self) -> None:
        """Fail the turn if it does not report its end: its client must not wait forever."""
        asyncio.get_running_loop().call_soon(self._fail_unless_ended)

    def _fail_unless_ended(self) -> None:
        if not self.has_ended:
            self._fail(AppError("Something in Playhead itself went wrong."))

    def _fail(self, error: AppError) -> None:
        self.failure = Failure(
            code=error.code, title=error.title, detail=error.detail, remedy=error.remedy
        )
        self._outbox.put(Chunk(role="server", type="error", content=self.failure))
        self._end()

    def _end(self) -> None:
        if self.has_ended:
            return
        self.has_ended = True
        self.leaf_id = self.session.conversation.leaf_id
        self._leave()
        self._outbox.close()
        self._on_end(self)

    def _leave(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()


_CODE_IS_CALLS = frozenset({"assistants", "kernel", "responses"})
"""Formats with a shape of their own for code, whoever decides about it."""


_STREAMS_CALLS = frozenset({"chat", "cohere", "responses"})
"""Formats that have no word to take back a call that was sent in part."""


def _cut_off() -> ProviderError:
    return ProviderError(
        "The answer broke off in the middle of code.",
        detail="The call was incomplete.",
        remedy="Try again.",
        code="upstream_truncated",
    )


def _with_message_id(chunk: Chunk, message_id: str) -> Chunk:
    is_start = chunk.start and (chunk.role, chunk.type) == ("assistant", "message")
    is_picture = chunk.type == "image" and not chunk.start and not chunk.end
    return replace(chunk, id=message_id) if is_start or is_picture else chunk


def _unanswered(request: InputRequest) -> AppError:
    prompt = request.prompt.strip()
    return AppError(
        "The code asks for input, and there is no one to answer.",
        detail=phrase("It asked “{prompt}”.", prompt=prompt) if prompt else "",
        remedy="Have it take what it needs in another way.",
        code="input_unanswered",
    )
