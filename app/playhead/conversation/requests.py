"""Values that the ports speak: what is asked of models, kernels, storage and the keyring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from playhead.conversation.message import Message
from playhead.conversation.secret import Secret

DIRECT_MODEL = ""
"""The model string of Direct mode: no model at all."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model answers and how.

    `model` is a litellm model string, `DIRECT_MODEL` means Direct mode.
    `supports_images` None: not known, let the provider's own table decide.
    """

    model: str = DIRECT_MODEL
    api_base: str | None = None
    api_key: Secret | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    supports_images: bool | None = None


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One question to a model: the active path of the conversation, oldest first.

    `languages` are those the executor offers, `has_called_tools` whether the model has ever
    called `execute` in this conversation (fences are then prose), `folder` the working folder.
    """

    turn_id: str
    conversation_id: str
    messages: tuple[Message, ...]
    model: ModelSettings
    instructions: str = ""
    languages: tuple[str, ...] = ("python",)
    has_called_tools: bool = False
    folder: str = ""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Approved code on its way to a kernel; `folder` and `interpreter` are absolute paths.

    `stop_grace_s` is the time between the interrupt and the kill.
    """

    run_id: str
    conversation_id: str
    language: str
    code: str
    folder: str
    interpreter: str
    stop_grace_s: float = 2.0


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


KeySource = Literal["environment", "keyring", "session", "none"]


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A key and where it came from; `variable` names the environment variable it was read from."""

    secret: Secret | None = None
    source: KeySource = "none"
    variable: str = ""


@dataclass(frozen=True, slots=True)
class KeyringStatus:
    """Whether keys can be kept; `message` says in words why not and what to do."""

    is_usable: bool
    backend: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class AppSettings:
    """Everything a user can set but keys; `interpreter` empty means the managed environment."""

    model: str = DIRECT_MODEL
    api_base: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    instructions: str = ""
    max_steps: int = 20
    theme: Literal["system", "light", "dark"] = "system"
    interpreter: str = ""
    folder: str = ""
    window: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A row of the sidebar; times are in seconds since the epoch (UTC)."""

    id: str
    title: str
    created_at: float
    updated_at: float
    message_count: int = 0


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation as the history holds it: the whole tree, parents before children."""

    summary: ConversationSummary
    messages: tuple[Message, ...]
    leaf_id: str | None = None
    folder: str = ""
    interpreter: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file, image or folder that the user adds to a message; `path` is absolute."""

    kind: Literal["file", "image", "folder"]
    path: str
    name: str = ""
    size_bytes: int = 0
