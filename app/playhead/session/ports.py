"""The ports: what sessions and the window need of the world, handed in by `bootstrap`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from playhead.domain.app_data import AppFolder, CrashReport, ResetOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.payloads import Table
from playhead.domain.conversation.search import SearchFound
from playhead.domain.execution import (
    EnvironmentStatus,
    Interpreter,
    KernelStatus,
    RunRequest,
    Variable,
)
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.model import LocalServer, ModelFacts, ModelSettings, ProviderPage
from playhead.domain.secret import KeyInfo, KeyringStatus, KeySource, Secret
from playhead.domain.settings import AppSettings, ConversationConfig


class ApiStatus(Struct, frozen=True):
    """How the server for other programs stands; `address` like "http://127.0.0.1:5001".

    `message` says why it failed and what to do, or that the token is not kept.
    """

    state: Literal["off", "starting", "listening", "failed"] = "off"
    address: str = ""
    message: str = ""


Unsubscribe = Callable[[], None]


class Provider(Protocol):
    """A language model, or what stands in its place."""

    def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer as assistant chunks: message, reasoning, code, tool_call, citation.

        Every message it opens it closes, unless it raises. Code comes only from complete calls
        or fences: what was cut off raises ProviderError (`upstream_truncated`).
        Closing the generator closes the connection to the model.
        """
        ...

    async def fit(self, request: TurnRequest, attempt: int = 0) -> FittedRequest:
        """What of the request its model takes, the oldest turns left out where it is too long.

        A further attempt, after the model has refused the one before, leaves out more.
        """
        ...

    async def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """All that goes to the model, to be looked at; never the key."""
        ...

    async def check(self, model: ModelSettings) -> str:
        """One small request; a sentence that says what answered. Raises ProviderError."""
        ...

    async def models(self, model: ModelSettings) -> list[ModelFacts]:
        """The models of the provider that `model` names: asked of it, else from a table.

        Only the provider's prefix of the model string counts. Raises ProviderError.
        """
        ...

    async def facts(self, model: ModelSettings) -> ModelFacts:
        """What is known of a model without asking its provider; what the user says comes first."""
        ...

    async def close(self) -> None:
        """End worker processes and open streams."""
        ...


class Executor(Protocol):
    """Runs approved code in kernels, one per conversation and language."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that can be run, as fence words in their canonical form."""
        ...

    def canonical(self, word: str) -> str | None:
        """The offered language that a word of a model names (`py` → `python`), or None."""
        ...

    def why_not(self, word: str) -> str:
        """What a known language needs so that it can be run here, in a sentence; else ""."""
        ...

    def only_shows(self, word: str) -> bool:
        """Whether blocks of a language are shown and not run, so that nobody need approve them."""
        ...

    def set_screen_ratio(self, ratio: float) -> None:
        """Say how many pixels of the window's screen make one of its points."""
        ...

    def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        """Computer chunks of one run, in this order, messages never nested:

        `run` (started) · console start · active_line, output … · active_line None · console end ·
        `error` if the code failed · `timing` … · `files` if the run changed any ·
        `run` (finished, interrupted or killed).
        An image or input in between closes the console first and opens it again lazily.
        Raises ExecutionError when nothing could be started. Closing the generator kills the run.
        """
        ...

    async def interrupt(self, conversation_id: str) -> None:
        """Stop the running code: interrupt, then kill after the grace; the run's stream reports."""
        ...

    async def answer_input(self, conversation_id: str, input_id: str, text: str) -> None:
        """Give the running code the line it asked for."""
        ...

    async def send_text(self, conversation_id: str, text: str, *, is_end: bool = False) -> None:
        """Give a child of the running code text on its standard input, then the end if `is_end`."""
        ...

    async def variables(self, conversation_id: str) -> list[Variable]:
        """The names of the idle Python kernel; [] where there is none. Raises ExecutionError
        when the kernel is busy or does not answer in time."""
        ...

    async def table(self, conversation_id: str, name: str, first_row: int, rows: int) -> Table:
        """A page of a variable that is a table. Raises ExecutionError as `variables` does."""
        ...

    async def restart(self, conversation_id: str) -> None:
        """End the conversation's kernels; the next run starts a fresh one."""
        ...

    def status(self, conversation_id: str) -> KernelStatus:
        """The kernel of the conversation as it is now."""
        ...

    def subscribe(self, listener: Callable[[str, KernelStatus], None]) -> Unsubscribe:
        """Tell `listener(conversation_id, status)` of changes, of memory at most once a second."""
        ...

    async def close(self) -> None:
        """End all kernels with their children."""
        ...


class History(Protocol):
    """Conversations on disk; the writing happens in a thread of its own."""

    async def open(self) -> str:
        """Open or make the store; a sentence if something had to be put aside, else ''."""
        ...

    def expect_writable(self) -> None:
        """Raises StorageError where the conversations can only be read, with the reason."""
        ...

    async def conversations(self) -> list[ConversationSummary]:
        """All of them, the last changed first."""
        ...

    async def load(self, conversation_id: str) -> StoredConversation:
        """One whole conversation; messages cut off by a crash come as interrupted."""
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
        """Queue what a conversation wants otherwise than the settings."""
        ...

    def mark(self, conversation_id: str, mark: ConversationMark, is_on: bool) -> None:
        """Queue a mark; a conversation marked as deleted is in no list and no search."""
        ...

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Messages with all words of the query, the newest first; of one conversation all.

        None if another search has begun meanwhile.
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

    def on_failure(self, listener: Callable[[Exception], None]) -> None:
        """Tell the listener (in the caller's loop) when writing fails, once per cause."""
        ...

    async def close(self) -> None:
        """Write what is queued and close."""
        ...


class Records(Protocol):
    """What programs keep beside the conversations; a conversation's records go with it."""

    async def of(self, owner: str) -> list[Record]:
        """All of an owner, in the order in which they were first put."""
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
        """The settings in force."""
        ...

    @property
    def notice(self) -> str:
        """A sentence when the file was unreadable and put aside, else ''."""
        ...

    async def save(self, settings: AppSettings) -> None:
        """Write them (atomically, in a thread). Raises StorageError; the old file stays whole."""
        ...


class Keys(Protocol):
    """Keys by provider name: environment → keyring → memory of this run."""

    async def get(self, name: str) -> KeyInfo:
        """The key for a provider and where it came from."""
        ...

    async def set(self, name: str, secret: Secret) -> KeySource:
        """Keep a key; says where: "keyring", or "session" when no keyring is usable."""
        ...

    async def delete(self, name: str) -> None:
        """Forget a key (never the environment's)."""
        ...

    async def status(self) -> KeyringStatus:
        """Whether there is a usable keyring, in words if not."""
        ...

    async def unlock(self) -> KeyringStatus:
        """Read the keyring anew, with the system's prompt where it is locked."""
        ...

    def on_waiting(self, listener: Callable[[bool], None]) -> None:
        """Tell when the keyring takes long, as with a prompt open, and when that is over."""
        ...


class Catalog(Protocol):
    """What is known about models."""

    def key_name(self, model: str, api_base: str) -> str:
        """The name under which the key for this model at this address is kept."""
        ...

    def key_variable(self, model: str) -> str:
        """The provider's usual environment variable, '' if it has none."""
        ...

    def suggestions(self) -> Sequence[str]:
        """Well-known litellm model strings for the settings' list."""
        ...

    def providers(self) -> Sequence[ProviderPage]:
        """The providers that have a page in the settings."""
        ...

    def page_of(self, model: str, api_base: str) -> ProviderPage:
        """The page on which a model with its address stands."""
        ...

    def built_in_prompt(self) -> tuple[str, Mapping[str, str]]:
        """The system prompt that is sent where there is no other, and what its braces become."""
        ...

    async def local_servers(self) -> list[LocalServer]:
        """Model servers found on loopback; short, parallel, sends no key, never raises."""
        ...


class Interpreters(Protocol):
    """Pythons that can run code."""

    async def found(self, folder: str = "") -> list[Interpreter]:
        """All interpreters found on this machine and in the folder, the managed one first."""
        ...

    async def make_for(self, folder: str) -> Interpreter:
        """The environment `.venv` of a folder, made there if needed. Raises ExecutionError."""
        ...

    async def probe(self, path: str) -> Interpreter:
        """Look at one Python. Raises ExecutionError if it is none or too old."""
        ...

    async def default(self) -> Interpreter:
        """The managed environment, made if needed; else the best there is.

        Raises ExecutionError when there is none.
        """
        ...

    @property
    def status(self) -> EnvironmentStatus:
        """How the managed environment stands."""
        ...

    def subscribe(self, listener: Callable[[EnvironmentStatus], None]) -> Unsubscribe:
        """Tell of changes of the managed environment."""
        ...


class ApiControl(Protocol):
    """The server for other programs, as the window switches it."""

    @property
    def status(self) -> ApiStatus:
        """How it stands."""
        ...

    def subscribe(self, listener: Callable[[ApiStatus], None]) -> Unsubscribe:
        """Tell of changes of `status`."""
        ...

    async def apply(self) -> None:
        """Follow the settings: start, stop, or move to another port. Never raises for these."""
        ...

    async def token(self) -> Secret:
        """The token that clients present; made and kept at the first call."""
        ...

    async def renew_token(self) -> Secret:
        """Another token; whoever holds the old one is refused from now on."""
        ...


class AppFolders(Protocol):
    """Where the program keeps its files."""

    @property
    def places(self) -> Sequence[AppFolder]:
        """The folders, each once."""
        ...

    @property
    def is_portable(self) -> bool:
        """Whether all of it lies below one folder that was named at the start."""
        ...

    async def size(self, place: AppFolder) -> int:
        """How many bytes lie there, without the other places inside it."""
        ...


class CrashReports(Protocol):
    """What is known of crashes; nothing of it leaves this computer."""

    @property
    def folder(self) -> str:
        """Where the files lie."""
        ...

    async def news(self) -> list[CrashReport]:
        """Those that have not been told of, the newest first; from now on they have."""
        ...

    async def found(self) -> list[CrashReport]:
        """All that are there, the newest first."""
        ...

    async def delete(self, names: Sequence[str]) -> None:
        """Delete reports. Raises StorageError."""
        ...


class Resetter(Protocol):
    """Back to the state of a first start."""

    async def reset(self, wish: ResetOptions) -> str:
        """Reset the settings and what is wished; the folder that has what was there before.

        Nothing is taken before it lies there. Raises StorageError or KeyStoreError.
        """
        ...


class Maintenance(Struct, frozen=True):
    """The three of them."""

    places: AppFolders
    crashes: CrashReports
    resetting: Resetter


class SessionPorts(Struct, frozen=True, kw_only=True):
    """The world as every session sees it."""

    provider: Provider
    executor: Executor
    interpreters: Interpreters
    settings: Settings
    keys: Keys
    catalog: Catalog
