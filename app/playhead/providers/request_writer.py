"""A turn's request as it goes to a model: what it is told, in which form, and how much of it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.providers.context import LESS_AT_EACH_ATTEMPT, kept, room_for, with_few_images
from playhead.providers.installed_packages import packages_of, python_told
from playhead.providers.system_prompt import Surroundings, offered_tools, system_prompt
from playhead.providers.token_counts import Calibration, count_entries, count_entry, count_text
from playhead.providers.transcript import chat_messages

_LOOKED_AT_S = 60.0
"""How long what was found of a Python holds: packages are installed while people work."""

_TRIMMED = (
    "The oldest {count} messages of this conversation are no longer sent to you, for they would "
    "not fit. Ask, or look at the files and names that are there, before you rely on them."
)


class RequestWriter:
    """Remembers for the run which models refuse tools, and how far its guesses of tokens are off.

    `prepare` before `written`: it reads what the prompt says of the Python.
    """

    def __init__(self) -> None:
        self._refusers: set[tuple[str, str | None]] = set()
        self._pythons: dict[str, tuple[float, str, tuple[str, ...]]] = {}
        self.calibration = Calibration()

    def takes_tools(self, model: ModelSettings) -> bool:
        """Whether tools are offered: as the user says, else until the model has refused them."""
        if model.takes_tools is not None:
            return model.takes_tools
        return (model.model, model.api_base) not in self._refusers

    def note_refusal(self, model: ModelSettings) -> None:
        """The model has refused tools at this address."""
        self._refusers.add((model.model, model.api_base))

    async def prepare(self, interpreter: str) -> None:
        """Look at the folders of a Python, unless that was done a moment ago."""
        seen = self._pythons.get(interpreter)
        if not interpreter or (seen and time.monotonic() - seen[0] < _LOOKED_AT_S):
            return
        told, packages = await asyncio.to_thread(_look_at, interpreter)
        self._pythons[interpreter] = (time.monotonic(), told, packages)

    def fitted(self, request: TurnRequest, facts: ModelFacts, attempt: int = 0) -> FittedRequest:
        """The request with what its model takes of it; less at each further attempt."""
        model = request.model
        context = model.context_tokens or facts.context_tokens
        factor = self.calibration.factor(request.conversation_id)
        room = room_for(context, model.max_tokens)
        if attempt:  # what was sent did not fit, whatever the model is said to take
            sent = self.fitted(request, facts, attempt - 1).tokens
            room = int(min(room, sent) * LESS_AT_EACH_ATTEMPT)
        fixed = count_text(self._system(request)) + _tool_tokens(self.tools(request))
        messages = with_few_images(request.messages)
        found = kept(messages, max(int(room / factor) - fixed, 1))
        request = replace(request, messages=found.messages)
        left_out = len(messages) - len(found.messages)
        if left_out:
            note = _TRIMMED.format(count=left_out)
            request = replace(request, instructions=f"{request.instructions}\n\n{note}".strip())
        first = messages[found.first].id if left_out and found.first < len(messages) else ""
        tokens = int((found.tokens + fixed) * factor)
        return FittedRequest(request, first, left_out, tokens, context or 0)

    def messages(self, request: TurnRequest) -> list[dict[str, Any]]:
        """The messages in the shape that servers take."""
        system = self._system(request)
        takes_tools = self._speaks_tools(request)
        return chat_messages(
            request.messages,
            system,
            request.folder,
            takes_tools=takes_tools,
            model=request.model,
        )

    def tools(self, request: TurnRequest) -> list[dict[str, Any]]:
        """The tools on offer; a client's own always are."""
        offers = request.offers_execute and self.takes_tools(request.model)
        return offered_tools(request.tools, request.languages, offers_execute=offers)

    def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """All of a request, to be looked at."""
        request = fitted.request
        factor = self.calibration.factor(request.conversation_id)
        messages, tools = self.messages(request), self.tools(request)
        return OutgoingRequest(
            model=request.model.model,
            messages=tuple(messages),
            tools=tuple(tools),
            parameters=tuple(_parameters(request.model).items()),
            tokens=tuple(int(count_entry(entry) * factor) for entry in messages),
            tool_tokens=int(_tool_tokens(tools) * factor),
            context_tokens=fitted.context_tokens,
            left_out=fitted.left_out,
        )

    def _speaks_tools(self, request: TurnRequest) -> bool:
        return bool(request.tools) or self.takes_tools(request.model)

    def _system(self, request: TurnRequest) -> str:
        """Ours is about running code; without that, only what the request says itself."""
        if not request.offers_execute:
            return request.instructions.strip()
        _, python, packages = self._pythons.get(request.interpreter, (0.0, "", ()))
        surroundings = Surroundings(
            languages=request.languages,
            folder=request.folder,
            python=python,
            packages=packages,
            date=_today(),
            takes_tools=self._speaks_tools(request),
            runs_unasked=request.runs_unasked,
        )
        return system_prompt(surroundings, request.instructions, request.system_prompt)


def guessed(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> int:
    """How many tokens a request has, before what providers say of such guesses."""
    return count_entries(messages) + _tool_tokens(tools)


def _look_at(interpreter: str) -> tuple[str, tuple[str, ...]]:
    return python_told(interpreter), packages_of(interpreter)


def _today() -> str:
    now = datetime.now(UTC).astimezone()
    return f"{now:%A}, {now.day} {now:%B %Y}"


def _tool_tokens(tools: list[dict[str, Any]]) -> int:
    return count_text(json.dumps(tools, ensure_ascii=False)) if tools else 0


def _parameters(model: ModelSettings) -> Mapping[str, Any]:
    """What goes along with the messages; never a key."""
    chosen = {
        "temperature": model.temperature,
        "max_tokens": model.max_tokens,
        "top_p": model.top_p,
        "stop": list(model.stop) or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}
