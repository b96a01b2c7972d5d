"""litellm's chunks become our deltas; what we have no word for is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, cast

from playhead.model_worker.protocol import CallPiece, CitedPage, Delta

_KNOWN = frozenset(
    {
        *("role", "content", "tool_calls", "reasoning_content", "annotations", "refusal"),
        *("thinking_blocks", "provider_specific_fields", "reasoning", "reasoning_details"),
        *("function_call", "audio", "images", "signature"),
    }
)


class DeltaReader:
    """Reads one answer. `unknown` counts the fields that it passed over, by name."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self._thought: list[str] = []

    def read(self, chunk: Any) -> Delta | None:
        """The delta of a chunk; None if it says nothing."""
        if not chunk.choices:  # the usage chunk
            return None
        raw = chunk.choices[0].delta
        self._count_unknown(raw)
        delta = Delta(
            raw.content or "",
            _text(raw, "reasoning_content"),
            tuple(_call_piece(piece) for piece in raw.tool_calls or ()),
            tuple(_cited_pages(getattr(raw, "annotations", None) or ())),
            self._echo(getattr(raw, "thinking_blocks", None) or ()),
        )
        return None if delta == Delta() else delta

    def _echo(self, blocks: Iterable[Any]) -> str:
        """The whole blocks of thinking that are signed, or closed to us, as JSON."""
        whole: list[dict[str, Any]] = []
        for raw in blocks:
            block = _fields(raw)
            if block.get("type") == "redacted_thinking":
                whole.append(dict(block))
                continue
            self._thought.append(str(block.get("thinking") or ""))
            if signature := block.get("signature"):
                thinking = "".join(self._thought)
                whole.append({"type": "thinking", "thinking": thinking, "signature": signature})
                self._thought.clear()
        return json.dumps(whole) if whole else ""

    def _count_unknown(self, raw: Any) -> None:
        for name, value in raw:
            if value and name not in _KNOWN:
                self.unknown[name] += 1


def _text(raw: Any, name: str) -> str:
    value = getattr(raw, name, None)
    return value if isinstance(value, str) else ""


def _cited_pages(annotations: Iterable[Any]) -> Iterator[CitedPage]:
    """Only pages: a server's own files and the like say nothing outside of it."""
    for annotation in annotations:
        page = _fields(_fields(annotation).get("url_citation"))
        start, end = page.get("start_index"), page.get("end_index")
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            yield CitedPage(start, end, str(page.get("title") or ""), str(page.get("url") or ""))


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _call_piece(piece: Any) -> CallPiece:
    function = piece.function
    return CallPiece(
        index=piece.index or 0,
        id=piece.id or "",
        name=(function.name or "") if function else "",
        arguments=(function.arguments or "") if function else "",
    )
