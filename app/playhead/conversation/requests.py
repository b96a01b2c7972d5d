"""Values that the ports speak: what is asked of models, kernels, storage and the keyring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from playhead.conversation.message import Message
from playhead.conversation.secret import Secret

EXECUTE = "execute"
"""The name of the tool by which a model has code run."""

PYTHON = "python"
"""The language that every kernel's host has; others may need a program."""

DIRECT_MODEL = ""
"""The model string of Direct mode: no model at all."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How providers are reached; the times are limits in seconds.

    They are for the connection, for the first piece of an answer, and between two pieces.
    `retries` is how often a request is repeated that failed before its first piece, `ca_file` a
    file of certificates in place of the system's.
    """

    proxy: str = ""
    ca_file: str = ""
    connect_s: float = 10.0
    first_s: float = 60.0
    between_s: float = 30.0
    retries: int = 3


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model answers and how.

    `model` is a litellm model string, `DIRECT_MODEL` means Direct mode. The three that say what it
    can (`supports_images`, `takes_tools`, `context_tokens`) are the user's word; None: not known,
    let the provider's own table decide. `extra` goes to litellm as it is.
    """

    model: str = DIRECT_MODEL
    api_base: str | None = None
    api_key: Secret | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    supports_images: bool | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    takes_tools: bool | None = None
    context_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    connection: Connection = field(default_factory=Connection)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known about a model; None where it is not known.

    Prices are in US dollars for a million tokens, sizes in tokens.
    """

    model: str
    takes_tools: bool | None = None
    takes_images: bool | None = None
    takes_documents: bool | None = None
    reasons: bool | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None


@dataclass(frozen=True, slots=True)
class ConversationConfig:
    """What a conversation wants otherwise than the settings; None leaves them as they are.

    `profile` names a set of such values of the user's, over which the others here stand.
    `budget` is in US dollars, 0 for none.
    """

    profile: str | None = None
    model: str | None = None
    api_base: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    system_prompt: str | None = None
    instructions: str | None = None
    auto_run: bool | None = None
    budget: float | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """What one request wants otherwise than the settings; None and () leave them as they are.

    An `api_base` of a request comes with its own `api_key`: stored keys never go there. `retries`
    is 0 where a program asks, which has its own way of asking again.
    """

    model: str | None = None
    api_base: str | None = None
    api_key: Secret | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    retries: int | None = None


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool of a client's own: `parameters` is the JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One question to a model: the active path of the conversation, oldest first.

    `languages` are those the executor offers, `has_called_tools` whether the model has ever
    called `execute` in this conversation (fences are then prose), `folder` the working folder.
    `tools` are a client's own; where it brings `execute` among them that one is offered in place
    of ours. `offers_execute` False: neither our tool nor fences are code, and the model is told
    nothing of Playhead. `must_call`: the answer has to be a call, where a provider can force one.
    `system_prompt` stands in place of the built-in one, `interpreter` is the Python by its path,
    `runs_unasked` says that nobody is asked before code runs.
    """

    turn_id: str
    conversation_id: str
    messages: tuple[Message, ...]
    model: ModelSettings
    instructions: str = ""
    languages: tuple[str, ...] = ("python",)
    has_called_tools: bool = False
    folder: str = ""
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    system_prompt: str = ""
    interpreter: str = ""
    runs_unasked: bool = False


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a run may use at most; 0 is no limit. Over a limit the run is stopped and says which.

    `output_bytes` is what is kept of the output in its file: over it head and tail are kept.
    """

    seconds: float = 0.0
    memory_bytes: int = 0
    output_bytes: int = 200_000_000


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Approved code on its way to a kernel; `folder` and `interpreter` are absolute paths.

    `stop_grace_s` is the time between the interrupt and the kill. `shows_lines` False: no running
    line. `times_lines`: the time of single lines inside loops too, where the kernel can (3.12 on).
    `dpi` is what figures are drawn with, 0 as they are.
    """

    run_id: str
    conversation_id: str
    language: str
    code: str
    folder: str
    interpreter: str
    stop_grace_s: float = 2.0
    limits: RunLimits = field(default_factory=RunLimits)
    shows_lines: bool = True
    times_lines: bool = False
    dpi: float = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A name of a kernel's namespace: `shape` like "3 × 4", `value` a short text of one line.

    `is_changed`: the last run made it or bound it anew. `is_table`: it can be opened as a table.
    """

    name: str
    type: str
    shape: str = ""
    size_bytes: int = 0
    value: str = ""
    is_changed: bool = False
    is_table: bool = False


KernelState = Literal["none", "starting", "idle", "busy", "stopping"]


@dataclass(frozen=True, slots=True)
class KernelStatus:
    """What the window shows of a conversation's kernel; `memory_bytes` is its resident size."""

    state: KernelState = "none"
    pid: int | None = None
    memory_bytes: int | None = None
    language: str = ""
    interpreter: str = ""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that can run code; `path` is absolute, `version` like "3.12.1"."""

    path: str
    version: str
    label: str
    kind: Literal["managed", "venv", "conda", "system", "bundled", "chosen"] = "system"
    has_pip: bool = True


@dataclass(frozen=True, slots=True)
class EnvironmentStatus:
    """How the managed environment stands; `message` says so in one sentence with the remedy."""

    state: Literal["absent", "creating", "ready", "failed"]
    interpreter: Interpreter | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A model server found on this machine, with the litellm model strings it offers."""

    name: str
    api_base: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApiStatus:
    """How the server for other programs stands; `address` like "http://127.0.0.1:5001".

    `message` says why it failed and what to do, or that the token is not kept.
    """

    state: Literal["off", "starting", "listening", "failed"] = "off"
    address: str = ""
    message: str = ""


KeySource = Literal["environment", "keyring", "session", "none"]


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key and where it came from; `variable` names the environment variable it was read from."""

    secret: Secret | None = None
    source: KeySource = "none"
    variable: str = ""


@dataclass(frozen=True, slots=True)
class KeyringStatus:
    """Whether keys can be kept; `message` says in words why not and what to do.

    `is_locked`: the user was asked to unlock the keyring, and did not.
    """

    is_usable: bool
    backend: str = ""
    message: str = ""
    is_locked: bool = False


SCALES_PERCENT = (80, 90, 100, 110, 125, 150, 175, 200)
"""How large everything can be shown."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of the user's for a kind of work; None leaves what the settings say.

    `model` comes with its address: without an `api_base` it is the provider's own.
    """

    name: str
    model: str | None = None
    api_base: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    max_steps: int | None = None
    budget: float | None = None
    system_prompt: str | None = None
    instructions: str | None = None
    auto_run: bool | None = None


@dataclass(frozen=True, slots=True)
class ModelOverride:
    """The user's word on what a model can; None where the provider's table decides."""

    takes_tools: bool | None = None
    supports_images: bool | None = None
    context_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class AppSettings:
    """Everything a user can set but keys; `interpreter` empty means the managed environment.

    `system_prompt` empty means the built-in one. `budget` is in US dollars for a conversation, 0
    for none. `extra_parameters` is a JSON object that goes to litellm with models of the provider
    of `model`; `provider_fields` are parameters too, of the provider before the dot
    ("azure.api_version"). `model_overrides` is by model string, `profile` names one of `profiles`.
    The three `…_limit_s` of reaching a model are as `Connection` has them.
    The `api_…` ones are of the server for other programs: whether it listens, where, whether who
    holds its token may approve code or have it run unasked, and how many requests a minute.
    The `run_…` ones are limits of a run in seconds and MB, 0 for none; `output_limit_mb` is how
    much of a run's output is kept; `scale_percent` is how large everything is shown.
    `notifies`: of what ends or waits while the window is not in front. `close_keeps_running` is
    empty until the user was asked. `shortcuts` are those that differ, by "place.command".
    """

    model: str = DIRECT_MODEL
    api_base: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    instructions: str = ""
    max_steps: int = 20
    theme: Literal["system", "light", "dark"] = "system"
    scale_percent: int = 100
    interpreter: str = ""
    folder: str = ""
    api_enabled: bool = False
    api_port: int = 5001
    api_client_approves: bool = False
    api_auto_run: bool = False
    api_rate_limit: int = 120
    shows_running_line: bool = True
    times_lines: bool = False
    run_limit_s: int = 0
    run_limit_mb: int = 0
    output_limit_mb: int = 200
    system_prompt: str = ""
    budget: float = 0.0
    extra_parameters: str = ""
    provider_fields: Mapping[str, str] = field(default_factory=dict[str, str])
    model_overrides: Mapping[str, ModelOverride] = field(default_factory=dict[str, ModelOverride])
    favourite_models: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    profile: str = ""
    proxy: str = ""
    ca_file: str = ""
    connect_limit_s: float = 10.0
    first_limit_s: float = 60.0
    silence_limit_s: float = 30.0
    retries: int = 3
    notifies: bool = True
    close_keeps_running: Literal["", "yes", "no"] = ""
    shortcuts: Mapping[str, str] = field(default_factory=dict[str, str])
    window: Mapping[str, str] = field(default_factory=dict[str, str])


ConversationMark = Literal["pinned", "archived", "unread", "deleted"]
"""What a user, or the program, notes about a whole conversation; a deleted one can come back."""


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A row of the sidebar; times are in seconds since the epoch (UTC).

    `client` names the program that began it over the API; such a row stays while it runs.
    `is_unread`: something came while it was not looked at.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    message_count: int = 0
    client: str = ""
    is_pinned: bool = False
    is_archived: bool = False
    is_unread: bool = False


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation as the history holds it: the whole tree, parents before children.

    `beside` are usages and the like: each has for its parent the message that it belongs to.
    """

    summary: ConversationSummary
    messages: tuple[Message, ...]
    leaf_id: str | None = None
    folder: str = ""
    interpreter: str = ""
    config: ConversationConfig = field(default_factory=ConversationConfig)
    beside: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file, image or folder that the user adds to a message; `path` is absolute."""

    kind: Literal["file", "image", "folder"]
    path: str
    name: str = ""
    size_bytes: int = 0
