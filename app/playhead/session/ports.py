"""The ports: what sessions and the window need of the world, handed in by `bootstrap`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from playhead.domain.app_data import AppFolder, CrashReport, ResetOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import AttachedContent
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.search import SearchFound
from playhead.domain.execution import (
    EnvironmentStatus,
    Interpreter,
)
from playhead.domain.grants import Grant
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.key_route import Witness
from playhead.domain.model import LocalServer, ModelFacts, ModelSettings, ProviderPage
from playhead.domain.secret import KeyInfo, KeyringStatus, KeySource, Secret
from playhead.domain.settings import AppSettings, ConversationConfig
from playhead.domain.trust import PolicyWish
from playhead.errors import AppError, StorageError
from playhead.session.code_ports import (
    CodeReader,
    Executor,
    FarSide,
    FileEffects,
    LayerPackages,
    RiskReader,
    Sandbox,
    SavedVariables,
    Unsubscribe,
)

if TYPE_CHECKING:
    from playhead.domain.places import Machine, PlaceQuestion, ServerAnswer


class ApiStatus(Struct, frozen=True):
    """The state of the server for other programs; `address` like "http://127.0.0.1:5001".

    `message` says that the token is not kept, `error` why the server does not listen.
    """

    state: Literal["off", "starting", "listening", "failed"] = "off"
    address: str = ""
    message: str = ""
    error: AppError | None = None


class Provider(Protocol):
    """A language model, or a substitute for one."""

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """Stream the answer as assistant chunks: message, reasoning, code, tool_call, citation.

        Every message that it opens it also closes, unless it raises. Code comes only from complete
        calls or fences: an answer that was cut off raises ProviderError (`upstream_truncated`).
        Closing the generator closes the connection to the model.
        """
        ...

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """Fit the request into the model's context, leaving out the oldest turns if it is too long.

        A further attempt, after the model refused the one before, leaves out more.
        """
        ...

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """Return everything that is sent to the model, for display; never the key."""
        ...

    async def check(self, model: ModelSettings) -> str:
        """Send a small request; return a sentence with what answered. Raises ProviderError."""
        ...

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """Return the models of the provider that `model` names: from its server, else from a table.

        Only the provider's prefix of the model string counts. Raises ProviderError.
        """
        ...

    async def facts(self, model: ModelSettings) -> ModelFacts:
        """Return what is known of a model without a request; the user's settings come first."""
        ...

    async def attached(self, path: str) -> AttachedContent:
        """Return what a model is given of an attached file or folder beside its path."""
        ...

    async def close(self) -> None:
        """End worker processes and open streams."""
        ...


class StoreState(Protocol):
    """Knows why nothing can be stored now, if that is so."""

    @property
    def unsaved(self) -> int:
        """Return the number of changes that wait for a disk that refuses them, else 0."""
        ...

    @property
    def problem(self) -> StorageError | None:
        """Return why nothing is stored now, else None."""
        ...

    async def expect_room(self, size_bytes: int = 0) -> None:
        """Raise StorageError unless about so much can be stored now, with all before it."""
        ...


class History(StoreState, Protocol):
    """Conversations on disk; the writing happens in a thread of its own."""

    @property
    def grants(self) -> Grants:
        """Return what stores the grants."""
        ...

    async def open(self) -> str:
        """Open or make the store; a sentence if something had to be put aside, else ''."""
        ...

    def expect_writable(self) -> None:
        """Raise StorageError with the reason if the history is read-only."""
        ...

    async def conversations(self) -> list[ConversationSummary]:
        """Return all conversations, the last changed first."""
        ...

    async def load(self, conversation_id: str) -> StoredConversation:
        """Return a whole conversation; messages cut off by a crash are marked as interrupted."""
        ...

    def create(self, summary: ConversationSummary, folder: str, interpreter: str) -> None:
        """Queue a new conversation."""
        ...

    def record(self, conversation_id: str, event: ConversationEvent) -> None:
        """Queue an event; returns at once, on disk within 250 ms."""
        ...

    def set_place(self, conversation_id: str, folder: str, interpreter: str) -> None:
        """Queue the working folder and interpreter of a conversation."""
        ...

    def set_config(self, conversation_id: str, config: ConversationConfig) -> None:
        """Queue the settings of a conversation for writing."""
        ...

    def mark(self, conversation_id: str, mark: ConversationMark, is_on: bool) -> None:
        """Queue a mark; a conversation marked as deleted is in no list and no search."""
        ...

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Return the messages with all words of the query, the newest first; of one conversation
        all.

        Returns None if another search has begun in the meantime.
        """
        ...

    async def duplicate(self, source_id: str, copy: ConversationSummary) -> None:
        """Store a conversation once more as `copy`: its whole tree, its place, its files."""
        ...

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation with its files."""
        ...

    async def keep_file(self, conversation_id: str, name: str, data: bytes) -> str:
        """Write a file that goes with a conversation; its path. Raises StorageError."""
        ...

    async def purge(self) -> None:
        """Delete what was marked as deleted when an earlier process ended."""
        ...

    def on_failure(self, listener: Callable[[Exception | None], None]) -> None:
        """Call the listener (in the caller's loop) when writing fails, once per cause.

        It is called with None when everything could be written after all.
        """
        ...

    async def close(self) -> None:
        """Write what is queued and close."""
        ...


class Grants(Protocol):
    """Stores what persons have granted to code; those of a conversation are deleted with it."""

    async def all(self) -> list[Grant]:
        """Return all grants, but those of conversations that were never stored."""
        ...

    def put(self, grant: Grant) -> None:
        """Queue a grant, in the place of one of the same id."""
        ...

    def drop(self, grant_id: str) -> None:
        """Queue the end of a grant."""
        ...


class Records(Protocol):
    """Stores the records that programs keep for conversations; they are deleted with these."""

    async def of(self, owner: str) -> list[Record]:
        """Return all records of an owner in the order in which they were first put."""
        ...

    def put(self, record: Record) -> None:
        """Queue a record, in the place of one of the same owner and id."""
        ...

    def drop(self, owner: str, record_id: str = "") -> None:
        """Queue the end of one record of an owner, or of all of them."""
        ...


class Settings(Protocol):
    """The user's settings in a file."""

    @property
    def current(self) -> AppSettings:
        """Return the settings in force."""
        ...

    @property
    def notice(self) -> str:
        """Return a sentence if the file was unreadable and put aside, else ''."""
        ...

    async def save(self, settings: AppSettings) -> None:
        """Write them (atomically, in a thread). Raises StorageError; the old file stays whole."""
        ...


class Keys(Protocol):
    """Keys by provider name: environment → keyring → memory of this run."""

    async def get(self, name: str) -> KeyInfo:
        """Return the key for a provider and its source."""
        ...

    async def set(self, name: str, secret: Secret, address: str | None = None) -> KeySource:
        """Keep a key; return where: "keyring", or "session" if no keyring is usable.

        With the `address` that it was entered for, that is its way, if it has none yet.
        """
        ...

    async def witness(self) -> Witness:
        """Return what a person has confirmed; it is kept beside the keys."""
        ...

    async def confirm(self, change: Callable[[Witness], Witness]) -> bool:
        """Keep what a person has confirmed; return False if that is for this run only."""
        ...

    async def delete(self, name: str) -> None:
        """Forget a key (never the environment's)."""
        ...

    async def status(self) -> KeyringStatus:
        """Return the status of the keyring, with an explanation if it is not usable."""
        ...

    async def unlock(self) -> KeyringStatus:
        """Read the keyring again, with the system's prompt if it is locked."""
        ...

    def on_waiting(self, listener: Callable[[bool], None]) -> None:
        """Subscribe to the keyring taking long, as with a prompt open, and to the end of that."""
        ...


class Catalog(Protocol):
    """Knows models, providers and the built-in system prompt."""

    def key_name(self, model: str, api_base: str) -> str:
        """Return the name under which the key for this model at this address is kept."""
        ...

    def key_variable(self, model: str) -> str:
        """Return the provider's usual environment variable, '' if it has none."""
        ...

    def needs_key(self, model: str, api_base: str) -> bool:
        """Return whether the model's address is known to answer nobody without a key."""
        ...

    def suggestions(self) -> Sequence[str]:
        """Return well-known litellm model strings for the settings' list."""
        ...

    def providers(self) -> Sequence[ProviderPage]:
        """Return the providers that have a page in the settings."""
        ...

    def page_of(self, model: str, api_base: str) -> ProviderPage:
        """Return the settings page that a model with its address belongs to."""
        ...

    def built_in_prompt(self) -> tuple[str, Mapping[str, str]]:
        """Return the default system prompt and the values of its placeholders."""
        ...

    async def local_servers(self) -> list[LocalServer]:
        """Return the model servers found on loopback; parallel, without keys, never raises."""
        ...


class Interpreters(Protocol):
    """Pythons that can run code."""

    async def found(self, folder: str = "") -> list[Interpreter]:
        """Return the interpreters of this machine and of the folder, the managed one first."""
        ...

    async def make_for(self, folder: str) -> Interpreter:
        """Return the environment `.venv` of a folder, made if needed. Raises ExecutionError."""
        ...

    async def probe(self, path: str) -> Interpreter:
        """Return the facts about a Python. Raises ExecutionError if it is not one or too old."""
        ...

    async def default(self) -> Interpreter:
        """Return the managed environment, made if needed; else the best interpreter found.

        Raises ExecutionError when there is none.
        """
        ...

    @property
    def status(self) -> EnvironmentStatus:
        """Return the status of the managed environment."""
        ...

    def subscribe(self, listener: Callable[[EnvironmentStatus], None]) -> Unsubscribe:
        """Subscribe to changes of the managed environment."""
        ...


class Places(Protocol):
    """Finds where else code can run, and carries the questions of what connects to it."""

    async def ask_server(self, address: str, token: Secret | None = None) -> ServerAnswer:
        """Return who answers at an address, and its kernels; by default with the token that is
        kept for it.

        Raises ExecutionError, with the code `place_unauthorized` where another token is needed.
        """
        ...

    async def machines(self) -> list[Machine]:
        """Return the machines that `ssh` has names for, and containers that run; starts nothing."""
        ...

    async def why_no_machines(self) -> str:
        """Return in a sentence why no machine can be reached, as without `ssh`; else ""."""
        ...

    def subscribe(self, listener: Callable[[PlaceQuestion], None]) -> Unsubscribe:
        """Call the listener with each question that a connection asks, and when one is over."""
        ...

    def answer(self, question_id: str, answer: Secret | None) -> None:
        """Answer a question; None gives the connection up."""
        ...


class ApiControl(Protocol):
    """The server for other programs, as the window switches it."""

    @property
    def status(self) -> ApiStatus:
        """Return the status of the server."""
        ...

    def subscribe(self, listener: Callable[[ApiStatus], None]) -> Unsubscribe:
        """Subscribe to changes of `status`."""
        ...

    async def apply(self) -> None:
        """Follow the settings: start, stop, or move to another port. Never raises for these."""
        ...

    async def token(self) -> Secret:
        """Return the token that clients present; made and kept at the first call."""
        ...

    async def renew_token(self) -> Secret:
        """Replace the token and return the new one; clients with the old one are now refused."""
        ...


class AppFolders(Protocol):
    """The folders in which the program keeps its files."""

    @property
    def places(self) -> Sequence[AppFolder]:
        """Return the folders, each once."""
        ...

    @property
    def is_portable(self) -> bool:
        """Return whether all of them are below one folder that was named at the start."""
        ...

    async def size(self, place: AppFolder) -> int:
        """Return the size of a folder in bytes, without the other app folders inside it."""
        ...

    async def copies_size(self) -> int:
        """Return how many bytes of the data are in copies of working folders, for a review."""
        ...


class CrashReports(Protocol):
    """Keeps the reports of crashes; nothing of them leaves this computer."""

    @property
    def folder(self) -> str:
        """Return the folder of the reports."""
        ...

    async def new_reports(self) -> list[CrashReport]:
        """Return the reports that were not shown yet, the newest first, and mark them as shown."""
        ...

    async def found(self) -> list[CrashReport]:
        """Return all reports, the newest first."""
        ...

    async def delete(self, names: Sequence[str]) -> None:
        """Delete reports. Raises StorageError."""
        ...


class Resetter(Protocol):
    """Back to the state of a first start."""

    async def reset(self, wish: ResetOptions) -> str:
        """Reset the settings and the chosen data; return the folder with a copy of what was there.

        Nothing is removed before the copy is complete. Raises StorageError or KeyStoreError.
        """
        ...


class Maintenance(Struct, frozen=True):
    """The three of them."""

    places: AppFolders
    crashes: CrashReports
    resetting: Resetter


class WorkingFolders(Protocol):
    """The folders in which code of new conversations runs."""

    @property
    def base(self) -> str:
        """Return the folder of all these folders, which may not exist yet."""
        ...

    def is_own(self, folder: str) -> bool:
        """Return whether a folder is one of them, whether it exists or not."""
        ...

    def propose(self, title: str) -> tuple[str, AppError | None]:
        """Return a new folder for a conversation, and why it is not where it was to be."""
        ...


class SessionPorts(Struct, frozen=True, kw_only=True):
    """The world as every session sees it.

    Without `folders` new conversations begin in the folder that the process was started in; without
    a `reader` nothing is known of code before it has run, without `risks` nothing of what it would
    do, without `files` nothing can be undone, without `packages` none get out of the sandbox,
    without `saved_variables` none are, without `places` code runs on this computer only, without a
    `far_side` no file goes to another one. Without a `sandbox` no policy but “everything” can be
    chosen. `policy` is what the command line chose, `is_root` whether the program has the rights of
    the superuser.
    """

    provider: Provider
    executor: Executor
    interpreters: Interpreters
    settings: Settings
    keys: Keys
    catalog: Catalog
    folders: WorkingFolders | None = None
    reader: CodeReader | None = None
    risks: RiskReader | None = None
    sandbox: Sandbox | None = None
    policy: PolicyWish = PolicyWish()
    is_root: bool = False
    files: FileEffects | None = None
    packages: LayerPackages | None = None
    saved_variables: SavedVariables | None = None
    places: Places | None = None
    far_side: FarSide | None = None
