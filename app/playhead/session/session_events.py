"""The states of a session and the events that report its changes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from playhead.errors import AppError, SessionError

SessionState = Literal[
    "idle", "asking", "awaiting_approval", "running", "paused", "awaiting_input", "stopping"
]
SessionEventKind = Literal[
    "state",
    "pending",
    "kernel",
    "place",
    "config",
    "auto_run",
    "queue",
    "preview",
    "error",
    "policy",
    "grants",
    "files",
    "copy",
    "testing",
]


def expect_idle(state: SessionState) -> None:
    """Raise SessionError while a turn is under way."""
    if state != "idle":
        raise SessionError(
            "This conversation is still busy.",
            remedy="Wait until it has finished, or stop it first.",
            code="session_busy",
        )


class SessionEvent(Struct, frozen=True):
    """A change: read the session's attribute again; `error` comes with kind error."""

    kind: SessionEventKind
    error: AppError | None = None
