"""The bodies of requests and answers, as values; those of assistants have their own module."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from playhead.domain.grants import GrantKind, GrantScope
from playhead.domain.model import DIRECT, Temperature, TopP
from playhead.domain.trust import AskPolicy, BoundaryStatus, FileAccess, NetworkAccess

_REFERENCE = "#/components/schemas/"

Count = Annotated[int, Meta(ge=1, le=2**31 - 1)]
ModelName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=500,
        description=f"A litellm model string, or `{DIRECT}` for Direct mode, which asks no model.",
        examples=["openai/gpt-4o-mini", DIRECT],
    ),
]
Address = Annotated[
    str,
    Meta(
        pattern=r"^https?://\S+$",
        max_length=2000,
        description="The model's address; it needs `api_key` beside it: no kept key goes there.",
    ),
]
Key = Annotated[
    str, Meta(min_length=1, max_length=20_000, description="The key for the model's provider.")
]
Name = Annotated[
    str,
    Meta(max_length=200, description="Goes on in that conversation: send only what is new."),
]
AutoRun = Annotated[
    bool,
    Meta(description="Run code without asking. 403 where the server does not allow that."),
]
NativeMessages = Annotated[
    list[Any],
    Meta(min_length=1, extra_json_schema={"items": {"$ref": _REFERENCE + "NativeMessage"}}),
]
ChatMessages = Annotated[
    list[Any],
    Meta(min_length=1, extra_json_schema={"items": {"$ref": _REFERENCE + "ChatMessage"}}),
]
CohereMessages = Annotated[
    list[Any],
    Meta(min_length=1, extra_json_schema={"items": {"$ref": _REFERENCE + "CohereMessage"}}),
]
KernelMessages = Annotated[
    list[Any],
    Meta(min_length=1, extra_json_schema={"items": {"$ref": _REFERENCE + "KernelMessage"}}),
]
StopTexts = str | list[str]
Tools = Annotated[list[Any], Meta(extra_json_schema={"items": {"$ref": _REFERENCE + "Tool"}})]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Unknown fields are ignored; what has its default is left out of answers."""


class NativeMessage(_Wire, frozen=True):
    """A message of the native format: text, code, output, an image, a command (`go`, `stop`) …"""

    role: str
    type: str
    format: str | None = None
    content: Any = None
    recipient: str | None = None
    id: str | None = None


class SentParameters(_Wire, frozen=True):
    """The parameters of answers, by OpenAI's names."""

    temperature: Temperature | None = None
    max_tokens: Count | None = None
    top_p: TopP | None = None
    stop: StopTexts | None = None


class LlmConfig(SentParameters, frozen=True):
    """The model and its settings, for this request only."""

    model: ModelName | None = None
    api_base: Address | None = None
    api_key: Key | None = None


class ChatConfig(_Wire, frozen=True):
    """Settings of one request."""

    llm: LlmConfig | None = None


class ChatRequest(_Wire, frozen=True):
    """The body of `POST /v1/chat`."""

    messages: NativeMessages
    stream: bool | None = None
    auto_run: AutoRun | None = None
    extended: (
        Annotated[bool, Meta(description="Also send the chunks of the program's own faces.")] | None
    ) = None
    session_id: Name | None = None
    config: ChatConfig | None = None


class ChatAnswer(_Wire, frozen=True):
    """Folded messages; code that waits for a decision comes last, as a confirmation."""

    messages: list[NativeMessage]


class NativeChunk(_Wire, frozen=True):
    """One event of a native stream."""

    role: str
    type: str
    format: str | None = None
    content: Any = None
    start: bool | None = None
    end: bool | None = None
    id: str | None = None
    recipient: str | None = None
    error: dict[str, Any] | None = None


class ChatMessage(_Wire, frozen=True):
    """A message of OpenAI chat; `content` is text or a list of parts."""

    role: str
    content: str | list[Any] | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None


class ToolFunction(_Wire, frozen=True):
    """A function that the model may call; `parameters` is a JSON schema."""

    name: Annotated[str, Meta(min_length=1)]
    description: str | None = None
    parameters: dict[str, Any] | None = None


class Tool(_Wire, frozen=True):
    """A tool that the client executes. With one named `execute` the client decides about code."""

    type: Literal["function"]
    function: ToolFunction


class StreamOptions(_Wire, frozen=True):
    """Options of a stream."""

    include_usage: bool | None = None


class CompletionRequest(SentParameters, frozen=True, kw_only=True):
    """The body of `POST /v1/chat/completions`."""

    model: ModelName
    messages: ChatMessages
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    tools: Tools | None = None
    tool_choice: Any = None
    max_completion_tokens: Count | None = None
    auto_run: AutoRun | None = None
    api_base: Address | None = None
    api_key: Key | None = None
    lmc: (
        Annotated[bool, Meta(description="Each event also carries its native chunks, as `lmc`.")]
        | None
    ) = None
    session_id: Name | None = None


class CohereMessage(_Wire, frozen=True):
    """A message of Cohere chat; `content` is text or a list of parts."""

    role: str
    content: str | list[Any] | None = None
    tool_plan: str | None = None
    tool_calls: list[Any] | None = None
    tool_call_id: str | None = None


class CitationOptions(_Wire, frozen=True):
    """Options of citations: `OFF` switches them off, any other value is ignored."""

    mode: str | None = None


class CohereRequest(_Wire, frozen=True):
    """The body of `POST /v2/chat`."""

    model: ModelName
    messages: CohereMessages
    stream: bool | None = None
    tools: Tools | None = None
    tool_choice: str | None = None
    documents: list[Any] | None = None
    citation_options: CitationOptions | None = None
    temperature: Temperature | None = None
    max_tokens: Count | None = None
    p: TopP | None = None
    stop_sequences: list[str] | None = None
    auto_run: AutoRun | None = None
    api_base: Address | None = None
    api_key: Key | None = None
    session_id: Name | None = None


class CohereUsage(_Wire, frozen=True):
    """Tokens, estimated where the provider gives no numbers."""

    billed_units: dict[str, Any]
    tokens: dict[str, int]


class CohereAnswer(_Wire, frozen=True):
    """A whole answer of `POST /v2/chat`."""

    id: str
    finish_reason: str
    message: dict[str, Any]
    usage: CohereUsage


class CohereEvent(_Wire, frozen=True):
    """One event of a stream; its name is its type."""

    type: str
    id: str | None = None
    index: int | None = None
    delta: dict[str, Any] | None = None


class KernelMessage(_Wire, frozen=True):
    """One message of @unternet/kernel; its type determines its fields."""

    type: str
    id: str | None = None
    createdAt: int | None = None
    text: str | None = None
    status: str | None = None
    delta: dict[str, Any] | None = None
    title: str | None = None
    summary: str | None = None
    toolCalls: list[Any] | None = None
    results: list[Any] | None = None
    error: dict[str, Any] | None = None


class KernelRequest(_Wire, frozen=True):
    """The body of `POST /v1/kernel/stream`."""

    messages: KernelMessages
    stream: bool | None = None
    tools: list[Any] | None = None
    model: ModelName | None = None
    auto_run: AutoRun | None = None
    api_base: Address | None = None
    api_key: Key | None = None
    session_id: Name | None = None


class KernelAnswer(_Wire, frozen=True):
    """Whole messages, without their deltas."""

    messages: list[KernelMessage]


class CompletionUsage(_Wire, frozen=True):
    """Tokens, estimated where the provider gives no numbers."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class CompletionMessage(_Wire, frozen=True):
    """The whole answer."""

    role: Literal["assistant"]
    content: str | None
    tool_calls: list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    annotations: list[dict[str, Any]] | None = None


class CompletionChoice(_Wire, frozen=True):
    """The only choice of an answer."""

    index: int
    message: CompletionMessage
    finish_reason: str
    logprobs: Any = None


class Completion(_Wire, frozen=True):
    """A whole answer of OpenAI chat."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage


class CompletionDelta(_Wire, frozen=True):
    """The new part of an answer."""

    role: str | None = None
    content: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    annotations: list[dict[str, Any]] | None = None


class CompletionChunkChoice(_Wire, frozen=True):
    """The only choice of a chunk, if it has one."""

    index: int
    delta: CompletionDelta
    finish_reason: str | None
    logprobs: Any = None


class CompletionChunk(_Wire, frozen=True):
    """One event of an OpenAI stream; the last line of the stream is `data: [DONE]`."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[CompletionChunkChoice]
    usage: CompletionUsage | None = None
    lmc: list[dict[str, Any]] | None = None


class Model(_Wire, frozen=True):
    """A model that can be requested."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(_Wire, frozen=True):
    """All models that can be requested."""

    object: Literal["list"]
    data: list[Model]


class LlmHealth(_Wire, frozen=True):
    """The model that answers requests that name none."""

    model: str
    status: Literal["ready", "no_key", "unreachable"]


class SessionCounts(_Wire, frozen=True):
    """The numbers of conversations."""

    active: int
    total: int


class KernelCounts(_Wire, frozen=True):
    """The numbers of processes that hold a conversation's variables."""

    running: int


class SandboxHealth(_Wire, frozen=True):
    """The findings of the boundary test: how many attempts were made, and which got through.

    `problem` says why there is no sandbox, `remedy` what helps; `gaps` are what it cannot hold.
    """

    status: BoundaryStatus
    tested_at: str | None = None
    attempts: int = 0
    through: list[str] = msgspec.field(default_factory=list[str])
    gaps: list[str] = msgspec.field(default_factory=list[str])
    problem: str | None = None
    remedy: str | None = None


class HistoryHealth(_Wire, frozen=True):
    """The storage of conversations: if they are not stored, why, and how many changes wait."""

    status: Literal["ok", "insufficient_storage", "read_only"]
    message: str | None = None
    unsaved: int | None = None


class InstanceCounts(_Wire, frozen=True):
    """Conversations in memory now, and how many may rest there."""

    active: int
    max: int


class HealthAnswer(_Wire, frozen=True):
    """The server's health: `degraded` where conversations are not stored.

    The last four fields only with `detail=full` and the key.
    """

    status: Literal["healthy", "degraded"]
    version: str
    llm: LlmHealth
    history: HistoryHealth
    instances: InstanceCounts
    uptime_s: float | None = None
    sessions: SessionCounts | None = None
    kernels: KernelCounts | None = None
    sandbox: SandboxHealth | None = None


class ErrorDetail(_Wire, frozen=True):
    """An error: `code` is a stable word, `param` the field at fault."""

    code: str
    message: str
    type: str
    param: str | None = None


class ErrorAnswer(_Wire, frozen=True):
    """The body of every answer that is not 2xx."""

    error: ErrorDetail


Title = Annotated[str, Meta(max_length=500, description="What the sidebar says.")]
MessageText = Annotated[str, Meta(max_length=200_000)]


class _SessionWire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Unknown fields are ignored; what has its default is left out."""


class SessionLlm(_SessionWire, frozen=True):
    """The model and its settings, for all turns of a session; null uses the setting.

    An address and its key come with each request: they are not kept here.
    """

    model: ModelName | UnsetType | None = UNSET
    temperature: Temperature | UnsetType | None = UNSET
    max_tokens: Count | UnsetType | None = UNSET
    top_p: TopP | UnsetType | None = UNSET
    stop: StopTexts | UnsetType | None = UNSET


class SessionConfig(_SessionWire, frozen=True):
    """A session's differences from the settings; null uses the setting."""

    llm: SessionLlm | None = None
    system_prompt: MessageText | UnsetType | None = UNSET
    instructions: MessageText | UnsetType | None = UNSET


class SessionPolicy(_SessionWire, frozen=True):
    """The limits of code of a session; what is left out of a request stays as it is.

    `files`: only look at the working folder, change it, or everything, without a sandbox; `ask`:
    about every block, only what is risky, or only outside of the sandbox; `hosts`: the names of a
    listed network, as `api.example.com` or `api.example.com:8443`; `is_reviewed`: code works in a
    copy of the folder.
    """

    files: FileAccess | None = None
    network: NetworkAccess | None = None
    ask: AskPolicy | None = None
    is_reviewed: bool | None = None
    hosts: list[Annotated[str, Meta(max_length=260)]] | None = None


class SessionRequest(_SessionWire, frozen=True):
    """The body of `POST /v1/sessions` and of `PATCH /v1/sessions/{session_id}`.

    `name` is another word for the title, and `metadata` any JSON object, which is replaced as a
    whole. A `policy` or a `place`, a name of `GET /v1/places`, is refused unless the owner of the
    server lets clients choose.
    """

    title: Title | None = None
    name: Title | None = None
    metadata: dict[str, Any] | None = None
    config: SessionConfig | None = None
    policy: SessionPolicy | None = None
    place: Annotated[str, Meta(max_length=500)] | None = None


class SessionAnswer(_SessionWire, frozen=True):
    """A conversation of the list; `created_at` and `updated_at` are ISO 8601 in UTC.

    `policy` is that of a conversation in memory; others get that of the settings. `paused_line` is
    the line that its code is paused before, while it is; `place` is where its code runs, if that is
    another machine.
    """

    session_id: str
    title: str
    name: str
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    busy: bool
    message_count: int
    policy: SessionPolicy | None = None
    paused_line: int | None = None
    place: dict[str, str] | None = None


class SessionList(_SessionWire, frozen=True):
    """A page of conversations, the most recently changed first."""

    sessions: list[SessionAnswer]
    has_more: bool


class SessionMessages(_SessionWire, frozen=True):
    """The messages of a session, oldest first; code that waits for a decision comes last."""

    messages: list[NativeMessage]


class SessionChatRequest(_SessionWire, frozen=True):
    """The body of `POST /v1/sessions/{session_id}/messages`: only the new messages.

    Without `messages` the body is a single message with its own fields: a native one, or one of
    OpenAI chat, which has no `type`. A code message is proposed.
    """

    messages: NativeMessages | None = None
    role: str | None = None
    type: str | None = None
    format: str | None = None
    content: Any = None
    recipient: str | None = None
    id: str | None = None
    stream: bool | None = None
    auto_run: AutoRun | None = None
    extended: (
        Annotated[bool, Meta(description="Also send the chunks of the program's own faces.")] | None
    ) = None
    config: ChatConfig | None = None


class GrantRequest(_SessionWire, frozen=True):
    """The body of `POST /v1/sessions/{session_id}/grants`; it is refused unless the owner of the
    server lets clients choose.

    `target`: the path of a folder or file, a name in the network, pypi, cran or npm, a variable.
    """

    kind: GrantKind
    target: Annotated[str, Meta(min_length=1, max_length=4_096)]
    scope: GrantScope = "conversation"
    deny: bool = False
    cause: Annotated[str, Meta(max_length=200)] = ""


class SessionGrant(_SessionWire, frozen=True):
    """A grant or a denial, with what it says in words, what asked for it and in how many runs it
    has held.
    """

    id: str
    kind: GrantKind
    target: str
    scope: GrantScope
    deny: bool
    text: str
    cause: str
    uses: int


class SessionGrants(_SessionWire, frozen=True):
    """The grants and denials that hold for the code of a session, or those that were changed."""

    grants: list[SessionGrant]


class PackagesRequest(_SessionWire, frozen=True):
    """The body of `POST /v1/sessions/{session_id}/packages`: what to install, like `numpy 2.3.1`;
    it is refused unless the owner of the server lets clients choose.
    """

    packages: Annotated[
        list[Annotated[str, Meta(max_length=200)]], Meta(min_length=1, max_length=200)
    ]
    builds: bool = False


class SessionPackage(_SessionWire, frozen=True):
    """A package that code in the sandbox has; `there` is the version that the environment has."""

    name: str
    version: str
    there: str


class SessionPackages(_SessionWire, frozen=True):
    """The packages that the environment, named by its Python, does not have, or that it got."""

    environment: str
    packages: list[SessionPackage]


class EffectRequest(_SessionWire, frozen=True):
    """The body of undo, redo, keep and delete: `path` names one file, as the effect does; without
    it, all.
    """

    path: Annotated[str, Meta(max_length=4_096)] = ""


class ReviewRequest(_SessionWire, frozen=True):
    """The body of apply: the `paths` to apply, as the review lists them; without any, all."""

    paths: Annotated[list[Annotated[str, Meta(max_length=4_096)]], Meta(max_length=10_000)] = []


class EffectConflict(_SessionWire, frozen=True):
    """A file that an undo left as it is, and why; `diff` is what it would have done."""

    path: str
    reason: str
    diff: str | None = None
    detail: str | None = None


class EffectLeftName(_SessionWire, frozen=True):
    """A variable that an undo left as it is, or cannot put back, and why."""

    name: str
    why: str
    detail: str | None = None


class EffectVariables(_SessionWire, frozen=True):
    """The names of variables that a run, an undo or a redo has made, changed and deleted."""

    made: list[str]
    changed: list[str]
    deleted: list[str]
    left: list[EffectLeftName] | None = None
    is_undone: bool | None = None
    is_unknown: Annotated[
        bool | None, Meta(description="The next run came before they were saved.")
    ] = None


class SessionEffect(_SessionWire, frozen=True):
    """An effect of a run, an undo or a redo on files and `variables`; `undone` are the files that
    were taken back, `waiting` those that were set aside and are neither kept nor deleted.

    What waits in a copy, or was discarded, has no `id`: nothing has happened that could be undone.
    """

    created: list[str]
    changed: list[str]
    deleted: list[str]
    id: Annotated[str, Meta(description="Absent if it cannot be undone.")] | None = None
    moved: list[str] | None = None
    action: (
        Literal["run", "undo", "redo", "keep", "delete", "review", "apply", "discard"] | None
    ) = None
    of: str | None = None
    undone: list[str] | None = None
    waiting: list[str] | None = None
    conflicts: list[EffectConflict] | None = None
    variables: EffectVariables | None = None


class EffectList(_SessionWire, frozen=True):
    """Effects of a session, the oldest first."""

    effects: list[SessionEffect]
