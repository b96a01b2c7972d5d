"""Messages between the app and its model worker: one JSON object a line, each with a turn.

Deltas are sent in batches, so that they take few lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, ClassVar, cast

import msgspec
from msgspec import Struct

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A question carries the whole conversation in one line."""

IMAGE_PART = "image_path"
"""Type of a message part that names an image file: `{"type": "image_path", "path": …}`.

`folder`, here and with a document, is the working folder that the file is in: no link is followed
below it.
"""

IMAGE_DATA_PART = "image_data"
"""Type of a message part that holds an image in base64: `{"type": "image_data", "data": …}`."""

DOCUMENT_PART = "document_path"
"""Type of a message part that names a PDF: `{"type": "document_path", "path": …}`."""

FILE_PARTS = (IMAGE_PART, IMAGE_DATA_PART, DOCUMENT_PART)


def parts_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message; none if its content is a text."""
    content = message.get("content")
    return cast("list[dict[str, Any]]", content) if isinstance(content, list) else []


class Parameters(Struct, frozen=True, kw_only=True):
    """The parameters of the answer, under OpenAI's names; beside the other fields of an `Ask`."""

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    stop: list[str] = msgspec.field(default_factory=list[str])

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that are set, by name."""
        found = {name: getattr(self, name) for name in Parameters.__struct_fields__}
        return {name: value for name, value in found.items() if value not in (None, [])}


class Ask(Parameters, frozen=True, kw_only=True):
    """To the worker: one request to a model, in OpenAI's message and tool shapes.

    The key travels here and in `ListModels` and nowhere else; `repr` does not show it. The three
    times are limits in seconds: for the connection, for the first piece of the answer, between two
    pieces. A model that refuses tools is asked again without them, unless `needs_tools`. `extra`
    are parameters beside ours, under litellm's names. `retries` is how often a request is repeated
    that failed before its first piece. With `through_litellm` litellm asks any provider.
    """

    kind: ClassVar[str] = "ask"
    turn: str
    model: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])
    tool_choice: str | dict[str, Any] | None = None
    needs_tools: bool = False
    api_base: str | None = None
    api_key: str | None = None
    supports_images: bool | None = None
    connect_s: float = 10.0
    first_s: float = 60.0
    between_s: float = 30.0
    extra: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    proxy: str = ""
    ca_file: str = ""
    retries: int = 0
    through_litellm: bool = False

    def __repr__(self) -> str:
        return _repr_without(self, "api_key", "extra")


class Rehearsal(Ask, frozen=True, kw_only=True):
    """To the worker: would it make this request? `Done` or `Elsewhere` answers, nobody is asked."""

    kind: ClassVar[str] = "rehearsal"


class ListModels(Struct, frozen=True, kw_only=True):
    """To the worker: which models has the provider that `model` names? `ModelList` answers."""

    kind: ClassVar[str] = "list_models"
    turn: str
    model: str
    api_base: str | None = None
    api_key: str | None = None
    proxy: str = ""
    ca_file: str = ""
    connect_s: float = 10.0
    first_s: float = 60.0

    def __repr__(self) -> str:
        return _repr_without(self, "api_key")


class AboutModel(Struct, frozen=True):
    """To the worker: what is known of this model? A `ModelList` of one answers."""

    kind: ClassVar[str] = "about_model"
    turn: str
    model: str


class Cancel(Struct, frozen=True):
    """To the worker: close the connection of this turn; `Cancelled` answers."""

    kind: ClassVar[str] = "cancel"
    turn: str


class Ready(Struct, frozen=True):
    """From the worker: warm, questions are answered at once. It belongs to no turn."""

    kind: ClassVar[str] = "ready"
    turn: str = ""


class CallPiece(Struct, frozen=True, kw_only=True):
    """A piece of a tool call; calls are distinguished by `index`, id and name are sent once."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


class CitedPage(Struct, frozen=True, kw_only=True):
    """A page that the model's text cites, from `start` to before `end` in code points."""

    start: int
    end: int
    title: str = ""
    url: str = ""


class Delta(Struct, frozen=True, kw_only=True):
    """One piece of an answer, cut where the model's server cut it.

    `echo` is a JSON text that the provider wants to get back as it is. `event` is a whole event
    of Cohere's, in place of all the others.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[CallPiece, ...] = ()
    citations: tuple[CitedPage, ...] = ()
    echo: str = ""
    event: dict[str, Any] | None = None


class Deltas(Struct, frozen=True):
    """From the worker: the pieces of the last 33 ms, their boundaries kept."""

    kind: ClassVar[str] = "deltas"
    turn: str
    deltas: tuple[Delta, ...]


class Retrying(Struct, frozen=True, kw_only=True):
    """From the worker: the request failed before its first piece and is repeated in `seconds`."""

    kind: ClassVar[str] = "retrying"
    turn: str
    seconds: float
    attempt: int
    attempts: int
    reason: str


class Tokens(Struct, frozen=True, kw_only=True):
    """The cost of an answer; `is_estimated` is whether the provider gave no numbers.

    `cost` is in dollars, None without a known price.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    is_estimated: bool = True
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


class Done(Struct, frozen=True):
    """From the worker: the answer is whole."""

    kind: ClassVar[str] = "done"
    turn: str
    finish_reason: str = "stop"
    usage: Tokens = msgspec.field(default_factory=Tokens)
    has_refused_images: bool = False
    """Whether the server refused pictures that were then left out."""


class Failed(Struct, frozen=True, kw_only=True):
    """From the worker: the turn failed, in words for the user and without any key."""

    kind: ClassVar[str] = "failed"
    turn: str
    code: str
    title: str
    detail: str = ""
    remedy: str = ""
    retry_after_s: float | None = None


class Elsewhere(Struct, frozen=True):
    """From the HTTP lane: this question is for the worker that carries litellm."""

    kind: ClassVar[str] = "elsewhere"
    turn: str


class Cancelled(Struct, frozen=True):
    """From the worker: the connection of this turn is closed, no answer follows."""

    kind: ClassVar[str] = "cancelled"
    turn: str


class Model(Struct, frozen=True, kw_only=True):
    """The known facts about a model, else None; prices in dollars for a million tokens."""

    model: str
    takes_tools: bool | None = None
    supports_images: bool | None = None
    takes_documents: bool | None = None
    reasons: bool | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    input_price: float | None = None
    output_price: float | None = None


class ModelList(Struct, frozen=True):
    """From the worker: the models that were asked for."""

    kind: ClassVar[str] = "model_list"
    turn: str
    models: tuple[Model, ...]


ToWorker = Ask | Rehearsal | ListModels | AboutModel | Cancel
FromWorker = Ready | Deltas | Retrying | Done | Failed | Cancelled | Elsewhere | ModelList
Message = ToWorker | FromWorker

_TYPES: dict[str, type[Message]] = {
    shape.kind: shape
    for shape in (
        *(Ask, Rehearsal, ListModels, AboutModel, Cancel),
        *(Ready, Deltas, Retrying, Done, Failed, Cancelled, Elsewhere, ModelList),
    )
}


def _repr_without(message: Struct, *hidden: str) -> str:
    fields = msgspec.structs.asdict(message).items()
    shown = ", ".join(f"{name}={value!r}" for name, value in fields if name not in hidden)
    return f"{type(message).__name__}({shown})"


class ProtocolError(ValueError):
    """A line that is not one of the messages above."""


def encode(message: Message) -> bytes:
    """Return the message as one line; ASCII, so that lone surrogates and odd line ends survive."""
    body = _deltas_body(message) if isinstance(message, Deltas) else msgspec.to_builtins(message)
    return json.dumps({"kind": message.kind, **body}).encode("ascii") + b"\n"


def write(pipe: BinaryIO, message: Message) -> None:
    """Write the message as one line that is read at once."""
    pipe.write(encode(message))
    pipe.flush()


MAX_DEPTH = 100
"""How many lists and objects may be inside each other; Python's stack ends at about 900."""


def read_json(text: str | bytes, depth: int = MAX_DEPTH) -> Any:
    """Return the value of a JSON text that others wrote. Raises JSONDecodeError.

    What is nested too deeply is as invalid as a missing bracket.
    """
    try:
        found: Any = json.loads(text)
    except RecursionError:
        raise _too_deep() from None
    level = [found]
    for _ in range(depth + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += cast("dict[str, Any]", item).values()
            elif isinstance(item, list):
                inner += cast("list[Any]", item)
        if not inner:
            return found
        level = inner
    raise _too_deep()


def _too_deep() -> json.JSONDecodeError:
    return json.JSONDecodeError("Nested too deeply", "", 0)


_DELTAS_BEGIN = b'{"kind": "deltas"'
_DELTAS = msgspec.json.Decoder(Deltas)


def decode(line: bytes) -> Message:
    """Return the message of one line; unknown fields are skipped. Raises ProtocolError."""
    # Nearly all lines are these. An event has what others wrote, nested as they like.
    if line.startswith(_DELTAS_BEGIN) and b'"event"' not in line:
        with contextlib.suppress(ValueError):  # a lone surrogate is one to this reader
            return _DELTAS.decode(line)
    try:
        body = read_json(line, MAX_DEPTH + 10)  # around what others wrote
        return msgspec.convert(body, _TYPES[body["kind"]])
    except (ValueError, KeyError, TypeError) as error:
        raise ProtocolError(f"not a message of the worker's protocol: {line[:80]!r}") from error


def _deltas_body(message: Deltas) -> dict[str, Any]:
    """Return only fields with values: most deltas have one short text, and they are many."""
    return {"turn": message.turn, "deltas": [_small(delta) for delta in message.deltas]}


def _small(delta: Delta) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if delta.text:
        body["text"] = delta.text
    if delta.reasoning:
        body["reasoning"] = delta.reasoning
    if delta.calls:
        body["calls"] = [msgspec.structs.asdict(piece) for piece in delta.calls]
    if delta.citations:
        body["citations"] = [msgspec.structs.asdict(page) for page in delta.citations]
    if delta.echo:
        body["echo"] = delta.echo
    if delta.event is not None:
        body["event"] = delta.event
    return body


BATCH_INTERVAL_S = 0.033


class DeltaBatcher:
    """Collects deltas and passes on lists of them; nothing is joined, nothing reordered."""

    def __init__(self, send: Callable[[tuple[Delta, ...]], None]) -> None:
        self._send = send
        self._waiting: list[Delta] = []
        self._sent_at = float("-inf")
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, *deltas: Delta) -> bool:
        """Take deltas; True when a line was sent for them."""
        self._waiting += deltas
        due_in = self._sent_at + BATCH_INTERVAL_S - self._loop.time()
        if due_in <= 0:
            self.flush()
            return True
        if self._timer is None:
            self._timer = self._loop.call_later(due_in, self.flush)
        return False

    def flush(self) -> None:
        """Send what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._sent_at = self._loop.time()
            deltas, self._waiting = tuple(self._waiting), []
            self._send(deltas)
