"""One turn of a program over pipes: the session's events as lines, from its begin to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.payloads import Echo, Failure, InputRequest, RunReport, Waiting
from playhead.domain.model import ModelChoice
from playhead.domain.secret import Secret
from playhead.errors import AppError, RequestError
from playhead.formats.wire.native.encode import encode_chunk
from playhead.session.session import Session, SessionEvent
from playhead.session.turn_settings import TurnOptions

STOP_GRACE_S = 1.0
"""As for other clients that are gone: the kill follows the interrupt soon."""

Send = Callable[[Mapping[str, Any]], bool]


def options_of(config: Mapping[str, Any]) -> TurnOptions:
    """What a turn takes from the program's settings. Raises RequestError."""
    key = _text(config, "api_key")
    choice = ModelChoice(
        model=_text(config, "model"),
        api_base=_text(config, "api_base"),
        api_key=Secret(key) if key else None,
        temperature=_number(config, "temperature"),
        max_tokens=_whole_number(config, "max_tokens"),
    )
    return TurnOptions(
        choice=choice,
        instructions=_text(config, "instructions") or "",
        auto_run=config.get("auto_run") is True,
        stop_grace_s=STOP_GRACE_S,
        has_input=config.get("has_input") is not False,
    )


class StdioTurn:
    """Made before the session begins the turn; `is_over` once the program was told its end."""

    def __init__(self, turn_id: str, session: Session, send: Send, has_input: bool) -> None:
        self.id = turn_id
        self._has_input = has_input
        self.is_over = False
        self.runs = 0
        """Number of runs of code that were reported to the program."""
        self._session = session
        self._send = send
        self._has_last = False
        self._has_begun = False
        self._error: AppError | None = None
        self._unsubscribe = (
            session.subscribe(self._on_session),
            session.conversation.subscribe(self._on_message),
        )

    def close(self) -> None:
        """Hear no more."""
        self.is_over = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def _on_message(self, event: ConversationEvent) -> None:
        chunk = event.chunk
        if chunk is None or chunk.role == "user" or not self._has_begun:
            return
        if isinstance(chunk.content, Waiting | Echo):  # of no use to a program
            return
        self._say(chunk)
        if isinstance(chunk.content, InputRequest) and not self._has_input:
            # Now, for the code meets the end of its input at once, and the model would be asked on.
            self._session.stop()
        if chunk.role == "server" and chunk.type in ("status", "error"):
            self._has_last = True
            self._end_at_rest()

    def _on_session(self, event: SessionEvent) -> None:
        if event.kind == "pending" and self._session.pending is not None:
            self._tell({"waits": True})
        elif event.kind == "error":
            self._error = event.error
        elif event.kind == "state" and self._session.state != "idle":
            self._has_begun = True
        elif event.kind == "state":
            # The status of a turn that was cancelled comes right after this.
            asyncio.get_running_loop().call_soon(self._end_at_rest, True)

    def _end_at_rest(self, is_certain: bool = False) -> None:
        """Tell the end when the session can take the next turn."""
        if self.is_over or self._session.state != "idle":
            return
        if not self._has_last:
            if not is_certain:
                return
            self._say(Chunk("server", "error", content=self._failure()))
        self.close()
        self._tell({"ended": True})

    def _failure(self) -> Failure:
        """Why a turn ended without a word of its own."""
        error = self._error or AppError(
            "Something in Playhead itself went wrong.",
            remedy="Its log file has the details. If it keeps happening, please report it.",
        )
        return Failure(error.code, error.title, error.detail, error.remedy)

    def _say(self, chunk: Chunk) -> None:
        wire = encode_chunk(chunk)
        if isinstance(chunk.content, RunReport) and chunk.content.state == "started":
            self.runs += 1
        if isinstance(chunk.content, Failure):  # our own face tells the remedy apart
            words = {"detail": chunk.content.detail, "remedy": chunk.content.remedy}
            wire["error"] = {**wire["error"], **words}
        self._tell({"chunk": wire})

    def _tell(self, message: Mapping[str, Any]) -> None:
        if not self._send({"turn": self.id, **message}):
            self._session.stop()  # nobody reads: nothing shall run unseen


def _text(config: Mapping[str, Any], name: str) -> str | None:
    value = config.get(name)
    if value is None or isinstance(value, str):
        return value
    raise _refused(name, "a text")


def _number(config: Mapping[str, Any], name: str) -> float | None:
    value = config.get(name)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise _refused(name, "a number")


def _whole_number(config: Mapping[str, Any], name: str) -> int | None:
    value = config.get(name)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _refused(name, "a whole number")


def _refused(name: str, wanted: str) -> RequestError:
    return RequestError(f"{name} must be {wanted}.", code="invalid_config", param=name)
