"""The bodies of requests and answers of the Assistants format, as values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from playhead.api.schemas import Address, AutoRun, Count, Key, ModelName
from playhead.domain.model import Temperature, TopP

Metadata = Annotated[
    dict[Annotated[str, Meta(max_length=64)], Annotated[str, Meta(max_length=512)]],
    Meta(max_length=16, description="Up to 16 texts of your own, by names."),
]
Instructions = Annotated[str, Meta(max_length=256_000)]
Id = Annotated[str, Meta(min_length=1, max_length=200)]
Name = Annotated[str, Meta(max_length=256)]
About = Annotated[str, Meta(max_length=512)]
Tools = Annotated[
    list[Any],
    Meta(max_length=128, description="Functions of yours; code runs here with or without them."),
]
Content = Annotated[
    str | list[Any],
    Meta(description="A text, or parts of type `text` and of type `image_url` with a data URL."),
]
Parts = list[dict[str, Any]]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Unknown fields are ignored; what has its default is left out."""


class _AssistantFields(_Wire, frozen=True):
    """Fields of an assistant besides its model."""

    name: Name | None = None
    description: About | None = None
    instructions: Instructions | None = None
    tools: Tools | None = None
    metadata: Metadata | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    tool_resources: dict[str, Any] | None = None
    file_ids: list[str] | None = None
    response_format: Any = None


class AssistantRequest(_AssistantFields, frozen=True, kw_only=True):
    """The body of `POST /v1/assistants`."""

    model: ModelName


class AssistantChange(_AssistantFields, frozen=True, kw_only=True):
    """Fields of an assistant; those that are missing stay as they are."""

    model: ModelName | None = None


class MessageRequest(_Wire, frozen=True):
    """A message for a thread."""

    role: Literal["user", "assistant"]
    content: Content
    metadata: Metadata | None = None


class ThreadRequest(_Wire, frozen=True):
    """The body of `POST /v1/threads`; all of it may be missing."""

    messages: list[MessageRequest] | None = None
    metadata: Metadata | None = None
    tool_resources: dict[str, Any] | None = None


class ThreadChange(_Wire, frozen=True):
    """Fields of a thread."""

    metadata: Metadata | None = None
    tool_resources: dict[str, Any] | None = None


class MetadataChange(_Wire, frozen=True):
    """The fields of a message or a run that can be changed."""

    metadata: Metadata | None = None


class RunRequest(_Wire, frozen=True):
    """The body of `POST /v1/threads/{thread_id}/runs`; null leaves it to the assistant."""

    assistant_id: Id | None = None
    model: ModelName | None = None
    instructions: Instructions | None = None
    additional_instructions: Instructions | None = None
    additional_messages: list[MessageRequest] | None = None
    tools: Tools | None = None
    tool_choice: Any = None
    metadata: Metadata | None = None
    stream: bool | None = None
    temperature: Temperature | None = None
    top_p: TopP | None = None
    max_completion_tokens: Count | None = None
    max_prompt_tokens: Count | None = None
    truncation_strategy: dict[str, Any] | None = None
    response_format: Any = None
    parallel_tool_calls: bool | None = None
    auto_run: AutoRun | None = None
    api_base: Address | None = None
    api_key: Key | None = None


class ThreadRunRequest(RunRequest, frozen=True, kw_only=True):
    """The body of `POST /v1/threads/runs`."""

    thread: ThreadRequest | None = None


class ToolOutput(_Wire, frozen=True):
    """The output of a call: for `execute` a decision, as JSON."""

    tool_call_id: Id
    output: str | None = None


class OutputsRequest(_Wire, frozen=True):
    """The body of `submit_tool_outputs`: an output for each call that waits."""

    tool_outputs: list[ToolOutput]
    stream: bool | None = None


class AssistantObject(_Wire, frozen=True):
    """An assistant: a model with instructions."""

    id: str
    object: Literal["assistant"]
    created_at: int
    model: str
    name: str | None
    description: str | None
    instructions: str | None
    tools: Parts
    metadata: dict[str, str]
    file_ids: list[str]


class ThreadObject(_Wire, frozen=True):
    """A thread: a conversation of the window's list."""

    id: str
    object: Literal["thread"]
    created_at: int
    metadata: dict[str, str]


class MessageObject(_Wire, frozen=True):
    """A message of a thread."""

    id: str
    object: Literal["thread.message"]
    created_at: int
    thread_id: str
    role: Literal["user", "assistant"]
    content: Parts
    status: str
    run_id: str | None
    assistant_id: str | None
    metadata: dict[str, str]


class RunObject(_Wire, frozen=True):
    """A run: one turn of the model, with all its code."""

    id: str
    object: Literal["thread.run"]
    created_at: int
    thread_id: str
    assistant_id: str
    status: Literal[
        "queued",
        "in_progress",
        "requires_action",
        "cancelling",
        "cancelled",
        "failed",
        "completed",
        "incomplete",
        "expired",
    ]
    model: str
    instructions: str
    tools: Parts
    parallel_tool_calls: bool
    required_action: dict[str, Any] | None
    last_error: dict[str, Any] | None
    incomplete_details: dict[str, Any] | None
    usage: dict[str, int] | None
    metadata: dict[str, str]
    expires_at: int | None
    started_at: int | None
    completed_at: int | None
    cancelled_at: int | None
    failed_at: int | None


class StepObject(_Wire, frozen=True):
    """A step of a run: a message, or calls with their outputs."""

    id: str
    object: Literal["thread.run.step"]
    created_at: int
    run_id: str
    thread_id: str
    assistant_id: str
    type: Literal["message_creation", "tool_calls"]
    status: Literal["in_progress", "completed", "failed", "cancelled", "expired"]
    step_details: dict[str, Any]


class AssistantsEvent(_Wire, frozen=True):
    """The data of one event; its name is in the line before. The last event's data is `[DONE]`."""

    id: str
    object: str


class Deleted(_Wire, frozen=True):
    """The answer for a deleted object."""

    id: str
    object: str
    deleted: bool


class PictureObject(_Wire, frozen=True):
    """A picture that code made, or that came with a message."""

    id: str
    object: Literal["file"]
    bytes: int
    created_at: int
    filename: str
    purpose: str


class _Page(_Wire, frozen=True):
    """Part of a list."""

    object: Literal["list"]
    first_id: str | None
    last_id: str | None
    has_more: bool


class AssistantPage(_Page, frozen=True, kw_only=True):
    """Some assistants."""

    data: list[AssistantObject]


class MessagePage(_Page, frozen=True, kw_only=True):
    """Some messages."""

    data: list[MessageObject]


class RunPage(_Page, frozen=True, kw_only=True):
    """Some runs."""

    data: list[RunObject]


class StepPage(_Page, frozen=True, kw_only=True):
    """Some steps."""

    data: list[StepObject]
