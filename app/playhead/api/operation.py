"""One thing that can be asked of the server, as its routes and the OpenAPI document need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

Method = Literal["GET", "POST", "PATCH", "DELETE"]

GATE_ERRORS = (401, 403, 404, 405, 429, 500)
"""What can come of any request, wherever it goes."""
BODY_ERRORS = (400, 408, 413, 415)
TURN_ERRORS = (*BODY_ERRORS, 423)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One of the query's, a text, never required."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    `name` binds it to its handler; what stands in braces in `path` is a text of the address.
    `status` is that of a success, 204 for one that says nothing. `answer` is the JSON of it, None
    for any object; `files` are the media types where it is a file instead. `event` is what one
    `data:` line holds where the answer can be a stream. `errors` come besides the gate's.
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
    """Whether no key is asked for."""
    query: tuple[Parameter, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])
