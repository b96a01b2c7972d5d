"""What a session tells its listeners, and the world as it sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playhead.errors import AppError, SessionError
from playhead.session.ports import (
    Catalog,
    Executor,
    Interpreters,
    Keys,
    Provider,
    Settings,
)

SessionState = Literal["idle", "asking", "awaiting_approval", "running", "stopping"]
SessionEventKind = Literal[
    "state", "pending", "kernel", "place", "config", "auto_run", "queue", "outlook", "error"
]


def expect_idle(state: SessionState) -> None:
    """Raises SessionError while a turn is under way."""
    if state != "idle":
        raise SessionError(
            "This conversation is still busy.",
            remedy="Wait until it rests, or stop it first.",
            code="session_busy",
        )


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """What changed: read the session's attribute anew; `error` comes with kind error."""

    kind: SessionEventKind
    error: AppError | None = None


@dataclass(frozen=True, slots=True)
class SessionPorts:
    """The world as every session sees it."""

    provider: Provider
    executor: Executor
    interpreters: Interpreters
    settings: Settings
    keys: Keys
    catalog: Catalog
