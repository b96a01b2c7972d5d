"""Describe the operations of the API, and make the OpenAPI document of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from playhead.api import schemas

Method = Literal["GET", "POST", "PATCH", "DELETE"]

GATE_ERRORS = (401, 403, 404, 405, 429, 500)
"""Errors that any request can get."""
BODY_ERRORS = (400, 408, 413, 415)
TURN_ERRORS = (*BODY_ERRORS, 423, 507)


class Parameter(Struct, frozen=True):
    """One of the query's, a text, never required."""

    name: str
    description: str


class Operation(Struct, frozen=True, kw_only=True):
    """One method of one path.

    `name` binds it to its handler; names in braces in `path` are text parameters. `status` is that
    of a success, 204 for one without a body. `answer` is its JSON, None for any object; `files` are
    the media types if it is a file instead. `event` is the data of one `data:` line if the answer
    can be a stream. `errors` are added to those of the gate.
    """

    name: str
    method: Method
    path: str
    summary: str
    description: str = ""
    body: type[msgspec.Struct] | None = None
    answer: type[msgspec.Struct] | None = None
    event: type[msgspec.Struct] | None = None
    errors: tuple[int, ...] = ()
    status: int = 200
    files: tuple[str, ...] = ()
    is_body_optional: bool = False
    is_open: bool = False
    """Whether the operation needs no key."""
    is_stored: bool = False
    """Whether it is refused where nothing can be stored; turns are refused by themselves."""
    query: tuple[Parameter, ...] = ()
    example: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


JsonObject = dict[str, Any]

_REFERENCE = "#/components/schemas/{name}"
_KEY = "key"
_IN_PATH = re.compile(r"\{(\w+)\}")
_ALSO = (
    schemas.ErrorAnswer,
    schemas.NativeMessage,
    schemas.ChatMessage,
    schemas.CohereMessage,
    schemas.KernelMessage,
    schemas.Tool,
)
"""Values that no operation names by itself."""

_REASONS = {
    400: "The request is malformed; `code` says how, `param` says where.",
    401: "The key is missing or wrong.",
    403: "The Host or the Origin is not allowed, or the requested function is switched off.",
    404: "The requested object does not exist.",
    405: "The path does not support this method.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    423: "The session is busy with another turn.",
    429: "Too many requests, here or at the model's provider.",
    500: "The model's provider failed, or this server did.",
    507: "Nothing can be stored now: the disk is full, or the conversations are read-only.",
}
_HEADERS: dict[int, JsonObject] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}},
}


def document(operations: Iterable[Operation], version: str) -> JsonObject:
    """Return the whole document."""
    known = tuple(operations)
    paths: dict[str, JsonObject] = {}
    for operation in known:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Playhead",
            "version": version,
            "description": "Chat with a model; its code runs here once it is approved.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{_KEY: []}],
        "paths": paths,
        "components": {
            "schemas": _schemas(known),
            "securitySchemes": {_KEY: {"type": "http", "scheme": "bearer"}},
        },
    }


def _schemas(operations: Iterable[Operation]) -> JsonObject:
    structs = list(dict.fromkeys([*_named(operations), *_ALSO]))
    return msgspec.json.schema_components(structs, ref_template=_REFERENCE)[1]


def _named(operations: Iterable[Operation]) -> Iterator[type[msgspec.Struct]]:
    for operation in operations:
        for struct in (operation.body, operation.answer, operation.event):
            if struct is not None:
                yield struct


def _operation(operation: Operation) -> JsonObject:
    described: JsonObject = {"operationId": operation.name, "summary": operation.summary}
    if operation.description:
        described["description"] = operation.description
    if operation.is_open:
        described["security"] = [{}, {_KEY: []}]
    if parameters := _parameters(operation):
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = _body(operation, operation.body)
    described["responses"] = _responses(operation)
    return described


def _parameters(operation: Operation) -> list[JsonObject]:
    text: JsonObject = {"schema": {"type": "string"}}
    names = _IN_PATH.findall(operation.path)
    placed = [{"name": name, "in": "path", "required": True, **text} for name in names]
    asked = [
        {"name": each.name, "in": "query", "description": each.description, **text}
        for each in operation.query
    ]
    return placed + asked


def _body(operation: Operation, body: type[msgspec.Struct]) -> JsonObject:
    content: JsonObject = {"schema": _reference(body)}
    if operation.example:
        content["example"] = dict(operation.example)
    return {"required": not operation.is_body_optional, "content": {"application/json": content}}


def _responses(operation: Operation) -> JsonObject:
    success: JsonObject = {"description": "The answer."}
    if content := _content(operation):
        success["content"] = content
    described: JsonObject = {str(operation.status): success}
    stored = (507,) if operation.is_stored else ()
    for status in sorted({*GATE_ERRORS, *operation.errors, *stored}):
        described[str(status)] = _error(status)
    return described


def _content(operation: Operation) -> JsonObject:
    """Return the content of a success, by media types; empty if it has no body."""
    if operation.status == 204:
        return {}
    if operation.files:
        return {kind: {"schema": {}} for kind in operation.files}
    answer = _reference(operation.answer) if operation.answer else {"type": "object"}
    content: JsonObject = {"application/json": {"schema": answer}}
    if operation.event is not None:
        # OpenAPI 3.1 has no word for the items of a stream; 3.2 calls it itemSchema.
        content["text/event-stream"] = {
            "schema": {"type": "string"},
            "x-item-schema": _reference(operation.event),
        }
    return content


def _error(status: int) -> JsonObject:
    described: JsonObject = {
        "description": _REASONS[status],
        "content": {"application/json": {"schema": _reference(schemas.ErrorAnswer)}},
    }
    if status in _HEADERS:
        described["headers"] = _HEADERS[status]
    return described


def _reference(struct: type[msgspec.Struct]) -> JsonObject:
    return {"$ref": _REFERENCE.format(name=struct.__name__)}
