"""A request for a turn, whatever format it came in: its history, model, tools and client, and the
policy on who may decide what.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec import UNSET, Struct
from msgspec.structs import force_setattr

from playhead.domain.model import EXECUTE, ModelChoice, ModelParameters, ToolOffer, named_model
from playhead.domain.secret import Secret
from playhead.domain.text.tokens import count_text
from playhead.errors import RequestError
from playhead.formats.wire.entry import Entry
from playhead.session.turn_settings import TurnOptions

if TYPE_CHECKING:
    from aiohttp import web


class ClientRequest(Struct, frozen=True, kw_only=True):
    """A client's request: `entries` is its whole history, oldest first, or, with `session_id`, only
    its new messages.

    `wire_format` separates the histories of different formats, `client` names the program for the
    sidebar. `is_call_clients` says that calls of `execute` go to the client as calls (it offered
    that tool) instead of a question in the text. `proposed` is the language and code that the last
    assistant text asks about, if the format asks in the text and the last entry may be the answer
    (`is_yes`). `is_from_own_code` says that the request comes from a process that one of our
    kernels started: it cannot decide anything. With `answers_input` the client sees the questions
    of running code and can answer them. With `names_messages` the starts of the assistant's
    messages, and pictures, carry the ids of their messages. `folder` is the working folder of a new
    conversation; '' uses the settings. `links` are the hashes of the history's beginnings.
    """

    wire_format: str
    entries: tuple[Entry, ...]
    options: TurnOptions
    session_id: str = ""
    client: str = ""
    is_call_clients: bool = False
    proposed: tuple[str, str] | None = None
    is_from_own_code: bool = False
    answers_input: bool = False
    names_messages: bool = False
    folder: str = ""
    links: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        """Hash the history here: who reads a large request does so in a thread."""
        if not self.links:
            keys = [entry.key for entry in self.entries if entry.key]
            force_setattr(self, "links", tuple(history_links(self.wire_format, keys)))

    @property
    def estimated_tokens(self) -> int:
        """Return the approximate number of tokens of the request."""
        contents = (chunk.content for entry in self.entries for chunk in entry.chunks)
        texts = (content for content in contents if isinstance(content, str))
        return count_text(self.options.instructions) + sum(map(count_text, texts))


def history_links(wire_format: str, keys: Iterable[str]) -> Iterator[bytes]:
    """Yield the hash of each beginning of a history: of no message, of one, of two, …"""
    link = hashlib.sha256(wire_format.encode()).digest()
    yield link
    yield from links_after(link, keys)


def links_after(link: bytes, keys: Iterable[str]) -> Iterator[bytes]:
    """Yield the hashes of a history that goes on with these keys."""
    for key in keys:
        link = hashlib.sha256(link + key.encode("utf-8", "surrogatepass")).digest()
        yield link


class ApiPolicy(Struct, frozen=True, kw_only=True):
    """The policy, read again at each request: whether a holder of the token may approve code and
    may have code run unasked. The two switches are named in the refusals. `may_choose_policy`:
    whether the client chooses what code may do. Without `has_window` no one can type the input
    that running code asks for.
    """

    may_approve: Callable[[], bool]
    may_auto_run: Callable[[], bool]
    approve_switch: str
    auto_run_switch: str
    may_choose_policy: bool = False
    has_window: bool = False


class ToolChoice(Struct, frozen=True, kw_only=True):
    """`tools` are the client's, `offers_execute` says whether the model may have code run.

    `must_call`: the answer has to be a call. With `is_call_clients` the client decides about calls
    of `execute`: it offered that tool.
    """

    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    is_call_clients: bool = False
    must_call: bool = False


def resolve_tool_choice(
    tools: tuple[ToolOffer, ...], choice: object, *, is_auto_run: bool
) -> ToolChoice:
    """Return the tools that the model gets; `choice` is the request's `tool_choice`.

    For a client without tools code runs here. A client with its own tools gets only their calls,
    unless it also allows code to run. Raises RequestError if the choice names an unknown tool.
    """
    chosen = _chosen(tools, choice)
    if not chosen:  # it has no tools, or allows no calls
        return ToolChoice(offers_execute=choice != "none")
    has_execute = any(tool.name == EXECUTE for tool in chosen)
    must_call = choice == "required" or _named_tool(choice) is not None
    return ToolChoice(
        tools=chosen,
        offers_execute=has_execute or is_auto_run,
        is_call_clients=has_execute,
        must_call=must_call,
    )


def _chosen(tools: tuple[ToolOffer, ...], choice: object) -> tuple[ToolOffer, ...]:
    """Return the tools to offer: a named one alone, as not every provider can be forced to call
    it.
    """
    if choice == "none":
        return ()
    name = _named_tool(choice)
    if name is None:
        return tools
    chosen = tuple(tool for tool in tools if tool.name == name)
    if not chosen:
        raise RequestError(
            f"tool_choice names {name!r}, which is not among the tools",
            code="invalid_tools",
            param="tool_choice",
        )
    return chosen


def _named_tool(choice: object) -> str | None:
    """Return the tool that must be called; None if the model may choose."""
    if choice in (None, "auto", "required"):
        return None
    if isinstance(choice, Mapping):
        fields = cast(Mapping[str, Any], choice)
        function = fields.get("function")
        name = cast(Mapping[str, Any], function).get("name") if _is_object(function) else None
        if fields.get("type") == "function" and isinstance(name, str):
            return name
        if fields.get("type") == "allowed_tools":
            return None
    raise RequestError(
        "tool_choice must be none, auto, required or a function's name",
        code="invalid_tools",
        param="tool_choice",
    )


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


UNKNOWN = "a program"

_KNOWN = (
    (re.compile(r"\bai-sdk/"), "AI SDK"),
    (re.compile(r"^(Async)?OpenAI/Python"), "openai-python"),
    (re.compile(r"^(Async)?OpenAI/JS"), "openai-js"),
    (re.compile(r"^litellm/"), "litellm"),
    (re.compile(r"^cohere"), "cohere"),
    (re.compile(r"^python-httpx/"), "httpx"),
    (re.compile(r"^python-requests/"), "requests"),
    (re.compile(r"^Python/\S+ aiohttp/"), "aiohttp"),
    (re.compile(r"^Python-urllib/"), "urllib"),
    (re.compile(r"^PostmanRuntime/"), "Postman"),
    (re.compile(r"^Mozilla/"), "a browser"),
)
_PRODUCT = re.compile(r"[\w.+-]{1,40}")


def client_name(user_agent: str) -> str:
    """Return the program's name if it is a known one, else the header's first product."""
    for pattern, name in _KNOWN:
        if pattern.search(user_agent):
            return name
    product = _PRODUCT.match(user_agent)
    return product[0] if product is not None else UNKNOWN


STOP_GRACE_S = 1.0
"""Between interrupt and kill: two seconds after its client has gone, a run is gone, too."""


class _Addressed(Protocol):
    """A body, or a part of one, that can name a model, its address and a key for it."""

    @property
    def model(self) -> str | None: ...

    @property
    def api_base(self) -> str | None: ...

    @property
    def api_key(self) -> str | None: ...


def model_choice(asked: _Addressed, place: str = "", **renamed: Any) -> ModelChoice:
    """Return the model and the parameters of this request alone; `place` its position in the body.

    `renamed` are the values of parameters that the format calls by other names than ours.

    Raises RequestError (`missing_api_key`) for an address without its own key.
    """
    if asked.api_base is not None and asked.api_key is None:
        raise RequestError(
            "A request that names an api_base must bring its api_key",
            detail="Kept keys never go to an address that a request names",
            code="missing_api_key",
            param=f"{place}api_key",
        )
    return ModelChoice(
        model=None if asked.model is None else named_model(asked.model),
        api_base=asked.api_base,
        api_key=Secret(asked.api_key) if asked.api_key is not None else None,
        parameters=sent_parameters(asked, **renamed),
    )


def requesting_client(request: web.Request) -> str:
    """Return the name of the program that sent the request."""
    return client_name(request.headers.get("User-Agent", ""))


def sent_parameters(asked: object, **renamed: Any) -> ModelParameters:
    """Return the parameters that a body, or a part of one, names; `renamed` as in
    `model_choice`.
    """
    names = ModelParameters.__struct_fields__
    given: dict[str, Any] = {name: getattr(asked, name, None) for name in names}
    given = {name: None if value is UNSET else value for name, value in given.items()}
    given |= renamed
    given["stop"] = _stop_texts(given["stop"])
    return ModelParameters(**given)


def _stop_texts(stop: str | list[str] | None) -> tuple[str, ...] | None:
    texts = [stop] if isinstance(stop, str) else stop or []
    return tuple(text for text in texts if text) or None
