"""What the scripted model server can answer, and what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

Delta = Mapping[str, Any]
Ending = Literal["finish", "cut", "hang", "broken_json"]


class Reply(Struct, frozen=True):
    """One answer: the deltas of a stream and how it ends, or a plain HTTP answer (`body`).

    `wire` is the body of a stream as another provider writes it, in place of `deltas`; any path is
    then answered. `usage` are the tokens in and out that are told to whoever asks for them, None:
    never told. `pace_s` None: the server's own pace.
    """

    deltas: tuple[Delta, ...] = ()
    finish_reason: str = "stop"
    ending: Ending = "finish"
    status: int = 200
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    usage: tuple[int, int] | None = (12, 5)
    pace_s: float | None = None
    wire: tuple[str | bytes, ...] = ()
    content_type: str = "text/event-stream; charset=utf-8"


@dataclass(slots=True)
class Request:
    """What a client asked, and whether it hung up before the answer was whole."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    disconnected: threading.Event = field(default_factory=threading.Event)
    answered: threading.Event = field(default_factory=threading.Event)

    @property
    def was_disconnected(self) -> bool:
        return self.disconnected.is_set()

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body.get("messages", [])

    @property
    def user_text(self) -> str:
        """The text of the last user message."""
        for message in reversed(self.messages):
            if message["role"] == "user":
                return _plain_text(message["content"])
        return ""

    @property
    def has_result(self) -> bool:
        """Whether a tool result stands after the last user message."""
        return bool(self.results)

    @property
    def results(self) -> list[str]:
        """The tool results after the last user message."""
        roles = [message["role"] for message in self.messages]
        latest = self.messages[_last_index(roles, "user") + 1 :]
        return [_plain_text(one["content"]) for one in latest if one["role"] == "tool"]

    @property
    def tool_names(self) -> list[str]:
        """The tools that the model was offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]


Script = Reply | Sequence[Reply] | Callable[[Request], Reply]


def text(*deltas: str) -> Reply:
    """An answer in prose, one chunk per delta."""
    return Reply(tuple({"content": delta} for delta in deltas))


def thought(*deltas: str) -> Reply:
    """Reasoning in the field of its own."""
    return Reply(tuple({"reasoning_content": delta} for delta in deltas))


def cited(reply: Reply, *pages: tuple[int, int, str]) -> Reply:
    """The same, and then the (start, end, url) of what its text cites."""
    annotations = [
        {
            "type": "url_citation",
            "url_citation": {"start_index": start, "end_index": end, "title": url, "url": url},
        }
        for start, end, url in pages
    ]
    return replace(reply, deltas=(*reply.deltas, {"annotations": annotations}))


def call(name: str, *fragments: str, index: int = 0, call_id: str = "") -> Reply:
    """A tool call: id and name first, then the arguments' text in exactly these fragments."""
    first = {
        "index": index,
        "id": call_id or f"call_{index}",
        "type": "function",
        "function": {"name": name, "arguments": ""},
    }
    pieces = ({"index": index, "function": {"arguments": piece}} for piece in fragments)
    return Reply(
        tuple({"tool_calls": [piece]} for piece in (first, *pieces)), finish_reason="tool_calls"
    )


def execute(*code: str, language: str = "python", index: int = 0, call_id: str = "") -> Reply:
    """A call of `execute`, each piece of the code a fragment."""
    opening = ('{"', "language", '":"', language, '","', "code", '":"')
    escaped = (json.dumps(piece)[1:-1] for piece in code)
    return call("execute", *opening, *escaped, '"}', index=index, call_id=call_id)


def calls(*replies: Reply) -> Reply:
    """Parallel calls whose pieces alternate between the indices."""
    queues = [list(reply.deltas) for reply in replies]
    woven: list[Delta] = []
    while any(queues):
        woven += [queue.pop(0) for queue in queues if queue]
    return Reply(tuple(woven), finish_reason="tool_calls")


def joined(*replies: Reply) -> Reply:
    """Several in one answer, e.g. text before a call; the last one's ending counts."""
    deltas = tuple(delta for reply in replies for delta in reply.deltas)
    return replace(replies[-1], deltas=deltas)


def limited(reply: Reply, finish_reason: str = "length") -> Reply:
    """The same, ended by a limit or a filter of the provider's."""
    return replace(reply, finish_reason=finish_reason)


def spoken(*pieces: str | bytes, content_type: str = "text/event-stream", **headers: str) -> Reply:
    """A stream in another provider's own words, written piece by piece as it stands here."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(wire=pieces, content_type=content_type, headers=named)


def refused(status: int, body: Mapping[str, Any], **headers: str) -> Reply:
    """A plain HTTP failure with a body of any shape, at any path."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=named, body=body, wire=("",))


def error(
    status: int, message: str, *, code: str = "", retry_after: int | str | None = None
) -> Reply:
    """A plain HTTP failure with an OpenAI error body."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    body = {"error": {"message": message, "type": "invalid_request_error", "code": code or None}}
    return Reply(status=status, headers=headers, body=body)


def hang(*before: str) -> Reply:
    """Some text (or none, then not even a status line), then silence until the client goes."""
    return replace(text(*before), ending="hang")


def cut(reply: Reply) -> Reply:
    """The connection closes after the deltas, without finish_reason and [DONE]."""
    return replace(reply, ending="cut")


def broken_json(*before: str) -> Reply:
    """Some text, then a data line that is no JSON."""
    return replace(text(*before), ending="broken_json")


def no_sse() -> Reply:
    """Status 200 and a body that is no event stream."""
    return Reply(body={"hello": "I am some other kind of server"})


def _plain_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content or ())


def _last_index(items: Sequence[str], wanted: str) -> int:
    return max((place for place, item in enumerate(items) if item == wanted), default=-1)
