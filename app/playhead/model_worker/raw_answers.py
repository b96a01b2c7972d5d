"""A stream as its server sent it: what a library makes of it leaves some of that out."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import httpx

from playhead.model_worker.failure_kinds import (
    StreamFailure,
    bad_call,
    kind_of,
    oversized,
    truncated,
)
from playhead.model_worker.failures import Refusal

MAX_LINE_BYTES = 8_000_000
"""No event of a model's is as long; a line without an end would fill the memory."""

_TAIL_BYTES = 8_192
_REASON = re.compile(rb'"finishReason"\s*:\s*"(\w+)"')
_BAD_CALLS = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})
_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "context_length_exceeded": 400,
    "overloaded_error": 529,
}
"""The statuses that errors in a stream would have had before it."""


class RawAnswer(httpx.AsyncByteStream):
    """Passes a stream on and remembers its end."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._tail = b""
        self._line_bytes = 0
        self._is_gemini = False
        self._reason = ""
        self.failure: StreamFailure | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The pieces, decompressed. Raises StreamFailure for a line that is too long."""
        async for piece in self._response.aiter_bytes():
            self._note(piece)
            yield piece

    async def aclose(self) -> None:
        """Close the connection."""
        await self._response.aclose()

    def refusal(self) -> Refusal | None:
        """The error that the server put at the end of its stream, if it did."""
        for line in reversed(self._tail.splitlines()):
            if line.strip():
                error = _error_in(line.removeprefix(b"data:"))
                return None if error is None else _refusal(error)
        return None

    def gemini_failure(self) -> StreamFailure | None:
        """What Gemini's own reason for the end says, where it is no good one."""
        if self._is_gemini and not self._reason:
            return truncated()
        return bad_call() if self._reason in _BAD_CALLS else None

    def _note(self, piece: bytes) -> None:
        line_end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        self._line_bytes = len(piece) - line_end - 1 + (self._line_bytes if line_end < 0 else 0)
        if self._line_bytes > MAX_LINE_BYTES:
            self.failure = oversized(MAX_LINE_BYTES)
            raise self.failure
        seen = self._tail + piece
        self._is_gemini = self._is_gemini or b'"candidates"' in seen
        if b"finishReason" in seen and (found := _REASON.findall(seen)):
            self._reason = found[-1].decode("ascii", "replace")
        self._tail = seen[-_TAIL_BYTES:]


def _error_in(data: bytes) -> Any:
    """The error of an event; None if it is none."""
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list) and found:  # Gemini's
        found = cast("list[Any]", found)[0]
    return cast("Mapping[str, Any]", found).get("error") if isinstance(found, dict) else None


def _refusal(error: Any) -> Refusal:
    body = json.dumps({"error": error})
    return Refusal(_status_of(error, body), {}, body)


def _status_of(error: Any, body: str) -> int:
    """As the error says itself, else by its kind and its words."""
    fields = cast("Mapping[str, object]", error if isinstance(error, dict) else {})
    for name in ("code", "status", "type"):
        value = fields.get(name)
        if isinstance(value, str):
            value = int(value) if re.fullmatch(r"[45]\d\d", value) else _STATUSES.get(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 500 if kind_of(400, body) == "refused" else 400
