"""The parts of an OpenAI chat answer: usage, annotations, errors, and the key of a message that
clients send back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from playhead.domain.conversation.payloads import Citation, Failure, Usage
from playhead.domain.text.json_text import read_json
from playhead.domain.text.tokens import TokenCounter
from playhead.formats.wire.codec import Wire

_COUNTED_AT_ONCE = 100
"""Pieces of text: most of what counting one costs is the same for a hundred."""


class UsageCounter:
    """Sums the usage of a turn's answers; estimates it if the model did not report it."""

    def __init__(self, prompt_tokens: int = 0) -> None:
        self._asked = prompt_tokens
        self._answered = TokenCounter()
        self._uncounted: list[str] = []
        self._told: list[Usage] = []

    @property
    def finish_reason(self) -> str:
        """Return why the model's last answer ended, as far as that is known."""
        return self._told[-1].finish_reason if self._told else "stop"

    def count(self, text: str) -> None:
        """Count text that the model wrote."""
        self._uncounted.append(text)
        if len(self._uncounted) >= _COUNTED_AT_ONCE:
            self._count()

    def add(self, usage: Usage) -> None:
        """Add the usage of a complete answer of the model."""
        self._told.append(usage)

    @property
    def tokens(self) -> tuple[int, int]:
        """Return the numbers of prompt tokens and of completion tokens."""
        if not self._told:
            self._count()
            return self._asked, self._answered.tokens
        asked = sum(usage.input_tokens for usage in self._told)
        return asked, sum(usage.output_tokens for usage in self._told)

    @property
    def details(self) -> tuple[int, int]:
        """Return how many of them were cached, and how many were used for thinking."""
        cached = sum(usage.cached_tokens for usage in self._told)
        return cached, sum(usage.reasoning_tokens for usage in self._told)

    @property
    def wire(self) -> Wire:
        """Return the `usage` object."""
        asked, answered = self.tokens
        return {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        }

    def _count(self) -> None:
        self._answered.add("".join(self._uncounted))
        self._uncounted.clear()


def annotations_of(citation: Citation, offset: int) -> list[Wire]:
    """Return one annotation for each source; `offset` is where the cited message begins in the
    text.
    """
    return [
        {
            "type": "url_citation",
            "url_citation": {
                "start_index": offset + citation.start,
                "end_index": offset + citation.end,
                "title": source.title or source.id or source.url,
                "url": source.url,
            },
        }
        for source in citation.sources
    ]


def failure_text(failure: Failure) -> str:
    """Return a failure in one text; never empty."""
    told = (failure.title, failure.detail, failure.remedy)
    return " ".join(part for part in told if part) or failure.code


def error_event(failure: Failure) -> Wire:
    """Return the event for a failure inside a stream."""
    is_limit = failure.code == "rate_limit_exceeded"
    error = {
        "code": failure.code,
        "message": failure_text(failure),
        "type": "rate_limit_error" if is_limit else "server_error",
        "param": None,
    }
    return {"error": error}


def answer_key(text: str, calls: Sequence[tuple[str, str]]) -> str:
    """Return the key of an assistant's message: its text and its calls by name and arguments."""
    if not text.strip() and not calls:
        return ""
    return json.dumps(["assistant", text.strip(), [[n, _canonical(a)] for n, a in calls]])


def calls_of(wires: Sequence[Wire]) -> list[tuple[str, str]]:
    """Return the (name, arguments) of whole calls."""
    functions = [cast("dict[str, str]", wire["function"]) for wire in wires]
    return [(function["name"], function["arguments"]) for function in functions]


def _canonical(arguments: str) -> Any:
    """Return the parsed arguments: clients send them back with other spaces and orders."""
    try:
        return json.dumps(read_json(arguments), sort_keys=True)
    except ValueError:
        return arguments
