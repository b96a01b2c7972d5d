"""The bodies of requests and answers of the Responses format."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from playhead.api.schemas import Address, AutoRun, Count, Key, ModelName, Name
from playhead.domain.model import Temperature, TopP

Items = str | list[Any]
Metadata = dict[str, str]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Unknown fields are ignored; what has its default is left out of answers."""


class _Input(_Wire, frozen=True, kw_only=True):
    """The fields that say what the model is asked."""

    input: Annotated[Items, Meta(description="A text, or items: messages, calls, outputs.")]
    instructions: str | None = None
    previous_response_id: Name | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None
    conversation: Any = None


class InputTokensRequest(_Input, frozen=True, kw_only=True):
    """The body of `POST /v1/responses/input_tokens`."""

    model: ModelName | None = None


class ResponseRequest(_Input, frozen=True, kw_only=True):
    """The body of `POST /v1/responses`."""

    model: ModelName
    stream: bool | None = None
    store: bool | None = None
    background: bool | None = None
    metadata: Metadata | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    max_output_tokens: Count | None = None
    auto_run: AutoRun | None = None
    api_base: Address | None = None
    api_key: Key | None = None
    session_id: Name | None = None


class ResponseUsage(_Wire, frozen=True):
    """Tokens, estimated where the provider gives no numbers."""

    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_tokens_details: dict[str, int]
    output_tokens_details: dict[str, int]


class ResponseObject(_Wire, frozen=True):
    """A response: its items, and how it ended."""

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["in_progress", "completed", "failed", "incomplete", "cancelled"]
    model: str
    output: list[dict[str, Any]]
    parallel_tool_calls: bool
    tool_choice: Any
    tools: list[Any]
    error: dict[str, Any] | None = None
    incomplete_details: dict[str, Any] | None = None
    instructions: str | None = None
    metadata: Metadata | None = None
    previous_response_id: str | None = None
    usage: ResponseUsage | None = None
    background: bool | None = None
    store: bool | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    text: dict[str, Any] | None = None
    truncation: str | None = None


class ResponseEvent(_Wire, frozen=True):
    """One event of a stream; its name is its type, which determines its other fields."""

    type: str
    sequence_number: int
    response: ResponseObject | None = None
    output_index: int | None = None
    item_id: str | None = None
    item: dict[str, Any] | None = None
    delta: str | None = None


class DeletedResponse(_Wire, frozen=True):
    """A response that was deleted."""

    id: str
    object: Literal["response"]
    deleted: bool


class InputItemPage(_Wire, frozen=True):
    """A page of the items that a response answers."""

    object: Literal["list"]
    data: list[dict[str, Any]]
    has_more: bool
    first_id: str | None = None
    last_id: str | None = None


class InputTokens(_Wire, frozen=True):
    """The approximate number of tokens of a request."""

    object: Literal["response.input_tokens"]
    input_tokens: int
