"""A turn's request as it goes to a model: messages, tools, parameters and key."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

from msgspec.structs import replace

from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.domain.settings import given_fields
from playhead.domain.text.tokens import count_text
from playhead.model_worker.protocol import Ask
from playhead.providers.context import (
    ATTEMPT_FACTOR,
    Calibration,
    count_entries,
    count_entry,
    fit_messages,
    limit_images,
    token_limit,
)
from playhead.providers.prompt import (
    PromptValues,
    describe_python,
    find_packages,
    offered_tools,
    system_prompt,
)
from playhead.providers.transcript import chat_messages

_PYTHON_VALID_S = 60.0
"""Seconds for which the facts about a Python are kept: packages are installed meanwhile."""

_TRIMMED_NOTE = (
    "The oldest {count} messages of this conversation are no longer sent to you, for they would "
    "not fit. Ask, or look at the files and names that are there, before you rely on them."
)


class RequestWriter:
    """Writes requests; remembers which models refuse tools, and the calibration of estimates.

    Call `prepare` before `written`: it reads the prompt's facts about the Python.
    """

    def __init__(self) -> None:
        self._refusers: set[tuple[str, str | None]] = set()
        self._pythons: dict[str, tuple[float, str, tuple[str, ...]]] = {}
        self.calibration = Calibration()

    def takes_tools(self, model: ModelSettings) -> bool:
        """Return whether tools are offered: the user's setting, else until the model refuses."""
        if model.takes_tools is not None:
            return model.takes_tools
        return (model.model, model.api_base) not in self._refusers

    def record_refusal(self, model: ModelSettings) -> None:
        """Record that the model has refused tools at this address."""
        self._refusers.add((model.model, model.api_base))

    async def prepare(self, interpreter: str) -> None:
        """Look at the folders of a Python, unless that was done a moment ago."""
        seen = self._pythons.get(interpreter)
        if not interpreter or (seen and time.monotonic() - seen[0] < _PYTHON_VALID_S):
            return
        told, packages = await asyncio.to_thread(_inspect_python, interpreter)
        self._pythons[interpreter] = (time.monotonic(), told, packages)

    def fitted(self, request: TurnRequest, facts: ModelFacts, attempt: int = 0) -> FittedRequest:
        """Return the request cut to the model's context; shorter at each further attempt."""
        model = request.model
        context = model.context_tokens or facts.context_tokens
        factor = self.calibration.factor(request.conversation_id)
        room = token_limit(context, model.parameters.max_tokens)
        if attempt:  # the last request did not fit, even if it should have
            sent = self.fitted(request, facts, attempt - 1).tokens
            room = int(min(room, sent) * ATTEMPT_FACTOR)
        fixed = count_text(self._system(request)) + _tool_tokens(self.tools(request))
        messages = limit_images(request.messages)
        found = fit_messages(messages, max(int(room / factor) - fixed, 1))
        request = replace(request, messages=found.messages)
        left_out = len(messages) - len(found.messages)
        if left_out:
            note = _TRIMMED_NOTE.format(count=left_out)
            request = replace(request, instructions=f"{request.instructions}\n\n{note}".strip())
        first = messages[found.first].id if left_out and found.first < len(messages) else ""
        tokens = int((found.tokens + fixed) * factor)
        return FittedRequest(
            request=request,
            first_sent_id=first,
            left_out=left_out,
            tokens=tokens,
            context_tokens=context or 0,
        )

    def messages(self, request: TurnRequest) -> list[dict[str, Any]]:
        """Return the messages in the shape that servers take."""
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
        """Return the tools on offer; a client's own always are."""
        offers = request.offers_execute and self.takes_tools(request.model)
        return offered_tools(request.tools, request.languages, offers_execute=offers)

    def outgoing(self, fitted: FittedRequest) -> OutgoingRequest:
        """Return all of a request, for display."""
        request = fitted.request
        factor = self.calibration.factor(request.conversation_id)
        messages, tools = self.messages(request), self.tools(request)
        return OutgoingRequest(
            model=request.model.model,
            messages=tuple(messages),
            tools=tuple(tools),
            parameters=request.model.parameters,
            tokens=tuple(int(count_entry(entry) * factor) for entry in messages),
            tool_tokens=int(_tool_tokens(tools) * factor),
            context_tokens=fitted.context_tokens,
            left_out=fitted.left_out,
        )

    def _speaks_tools(self, request: TurnRequest) -> bool:
        return bool(request.tools) or self.takes_tools(request.model)

    def _system(self, request: TurnRequest) -> str:
        """Return the system prompt about code, or only the instructions if code is not offered."""
        if not request.offers_execute:
            return request.instructions.strip()
        _, python, packages = self._pythons.get(request.interpreter, (0.0, "", ()))
        prompt_values = PromptValues(
            languages=request.languages,
            folder=request.folder,
            python=python,
            packages=packages,
            date=_today(),
            takes_tools=self._speaks_tools(request),
            runs_unasked=request.runs_unasked,
        )
        return system_prompt(prompt_values, request.instructions, request.system_prompt)


def estimate_tokens(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> int:
    """Return the estimated tokens of a request, without the calibration."""
    return count_entries(messages) + _tool_tokens(tools)


def _inspect_python(interpreter: str) -> tuple[str, tuple[str, ...]]:
    return describe_python(interpreter), find_packages(interpreter)


def _today() -> str:
    now = datetime.now(UTC).astimezone()
    return f"{now:%A}, {now.day} {now:%B %Y}"


def _tool_tokens(tools: list[dict[str, Any]]) -> int:
    return count_text(json.dumps(tools, ensure_ascii=False)) if tools else 0


_KEY_PARTS = frozenset({"aws_access_key_id", "aws_secret_access_key", "aws_session_token"})


def key_and_extra(model: ModelSettings) -> tuple[str | None, dict[str, Any]]:
    """Return the plain key, or None and extra parameters with the parts of a composite key."""
    extra = dict(model.extra)
    if model.api_key is None:
        return None, extra
    text = model.api_key.reveal()
    parts = _key_parts(text) if model.model.startswith("bedrock/") else {}
    return (None, extra | parts) if parts else (text, extra)


def _key_parts(text: str) -> dict[str, str]:
    """Return the parts of the key; {} if it is a plain one."""
    try:
        found: object = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    parts = cast("dict[str, object]", found).items()
    return {name: value for name, value in parts if name in _KEY_PARTS and isinstance(value, str)}


def build_ask(
    model: ModelSettings,
    messages: list[dict[str, Any]],
    tools: Sequence[dict[str, Any]] = (),
    *,
    must_call: bool = False,
) -> Ask:
    """Return the question; with tools on offer the model has to support them."""
    api_key, extra = key_and_extra(model)
    return Ask(
        turn=uuid.uuid4().hex,
        model=model.model,
        messages=messages,
        tools=list(tools),
        needs_tools=bool(tools),
        tool_choice="required" if tools and must_call else None,
        api_base=model.api_base or None,
        api_key=api_key,
        supports_images=model.supports_images,
        connect_s=model.connection.connect_s,
        first_s=model.connection.first_s,
        between_s=model.connection.between_s,
        extra=extra,
        proxy=model.connection.proxy,
        ca_file=model.connection.ca_file,
        retries=model.connection.retries,
        **given_fields(model.parameters),
    )
