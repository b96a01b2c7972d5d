"""The bodies of requests and answers about sessions, as values."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from playhead.api.schemas import (
    AutoRun,
    ChatConfig,
    Count,
    ModelName,
    NativeMessage,
    NativeMessages,
    Temperature,
)

Title = Annotated[str, Meta(max_length=500, description="What the sidebar says.")]
Told = Annotated[str, Meta(max_length=200_000)]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Unknown fields are ignored; what has its default is left out."""


class SessionLlm(_Wire, frozen=True):
    """Holds for all turns of a session; null is what the settings say.

    An address and its key come with each request: they are not kept here.
    """

    model: ModelName | UnsetType | None = UNSET
    temperature: Temperature | UnsetType | None = UNSET
    max_tokens: Count | UnsetType | None = UNSET


class SessionConfig(_Wire, frozen=True):
    """What a session wants otherwise than the settings; null is what those say."""

    llm: SessionLlm | None = None
    system_prompt: Told | UnsetType | None = UNSET
    instructions: Told | UnsetType | None = UNSET


class SessionRequest(_Wire, frozen=True):
    """The body of `POST /v1/sessions` and of `PATCH /v1/sessions/{session_id}`."""

    title: Title | None = None
    config: SessionConfig | None = None


class SessionAnswer(_Wire, frozen=True):
    """A conversation of the list; `created_at` and `updated_at` are ISO 8601 in UTC."""

    session_id: str
    title: str
    created_at: str
    updated_at: str
    busy: bool
    message_count: int


class SessionList(_Wire, frozen=True):
    """Those that changed last come first."""

    sessions: list[SessionAnswer]
    has_more: bool


class SessionMessages(_Wire, frozen=True):
    """What was said, oldest first; code that waits for a decision comes last."""

    messages: list[NativeMessage]


class SessionChatRequest(_Wire, frozen=True):
    """The body of `POST /v1/sessions/{session_id}/messages`: only what is new."""

    messages: NativeMessages
    stream: bool | None = None
    auto_run: AutoRun | None = None
    extended: (
        Annotated[bool, Meta(description="Also send the chunks of the program's own faces.")] | None
    ) = None
    config: ChatConfig | None = None
