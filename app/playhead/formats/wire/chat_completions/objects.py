"""The parts of an OpenAI chat answer: usage, annotations, errors, and the key of a message that
clients send back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from playhead.domain.conversation.payloads import Citation, Failure, Usage
from playhead.domain.text.tokens import TokenCounter
from playhead.formats.wire.codec import Wire


class UsageCounter:
    """Sums what the answers of a turn cost; estimates it where nothing was told."""

    def __init__(self, prompt_tokens: int = 0) -> None:
        self._asked = prompt_tokens
        self._answered = TokenCounter()
        self._told: list[Usage] = []

    @property
    def finish_reason(self) -> str:
        """Why the last answer of the model ended, as far as that is known."""
        return self._told[-1].finish_reason if self._told else "stop"

    def count(self, text: str) -> None:
        """The model wrote this."""
        self._answered.add(text)

    def add(self, usage: Usage) -> None:
        """An answer of the model has ended."""
        self._told.append(usage)

    @property
    def tokens(self) -> tuple[int, int]:
        """How many were asked with, and answered."""
        if not self._told:
            return self._asked, self._answered.tokens
        asked = sum(usage.input_tokens for usage in self._told)
        return asked, sum(usage.output_tokens for usage in self._told)

    @property
    def wire(self) -> Wire:
        """The `usage` object."""
        asked, answered = self.tokens
        return {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        }


def annotations_of(citation: Citation, offset: int) -> list[Wire]:
    """One for each source; `offset` is where the cited message begins in the whole text."""
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
    """A failure in one text; never empty."""
    told = (failure.title, failure.detail, failure.remedy)
    return " ".join(part for part in told if part) or failure.code


def error_event(failure: Failure) -> Wire:
    """A failure amid a stream."""
    is_limit = failure.code == "rate_limit_exceeded"
    error = {
        "code": failure.code,
        "message": failure_text(failure),
        "type": "rate_limit_error" if is_limit else "server_error",
        "param": None,
    }
    return {"error": error}


def answer_key(text: str, calls: Sequence[tuple[str, str]]) -> str:
    """The key of an assistant's message: its text and its calls by name and arguments."""
    if not text.strip() and not calls:
        return ""
    return json.dumps(["assistant", text.strip(), [[n, _canonical(a)] for n, a in calls]])


def calls_of(wires: Sequence[Wire]) -> list[tuple[str, str]]:
    """(name, arguments) of whole calls."""
    functions = [cast("dict[str, str]", wire["function"]) for wire in wires]
    return [(function["name"], function["arguments"]) for function in functions]


def _canonical(arguments: str) -> Any:
    """Clients write the arguments anew, with other spaces and orders."""
    try:
        return json.dumps(json.loads(arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return arguments
