"""A turn's request as it goes to a model: the messages that fit, tools, parameters and key."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.domain.settings import given_fields
from playhead.domain.text.json_text import read_json
from playhead.domain.text.tokens import count_text
from playhead.model_worker.protocol import Ask
from playhead.providers.prompt import (
    PromptValues,
    describe_python,
    find_packages,
    offered_tools,
    system_prompt,
)
from playhead.providers.transcript import HEAD_CHARACTERS, TAIL_CHARACTERS, chat_messages

_PYTHON_VALID_S = 60.0
"""Seconds for which the facts about a Python are kept: packages are installed meanwhile."""

_TRIMMED_NOTE = (
    "The oldest {count} messages of this conversation are no longer sent to you, for they would "
    "not fit. Ask, or look at the files and names that are there, before you rely on them."
)
IMAGE_TOKENS = 1_100
"""The tokens of a picture with most providers at the size in which it is sent."""

ENTRY_TOKENS = 4
"""The tokens of the frame around a message."""

_MIN_FACTOR, _MAX_FACTOR = 0.5, 2.5
_LEARNING_RATE = 0.5
_FACTORS_KEPT = 500


class RequestWriter:
    """Writes requests; remembers which models refuse tools, and the calibration of estimates.

    Call `prepare` before `written`: it reads attached files and the prompt's facts about the
    Python.
    """

    def __init__(self) -> None:
        self._refusers: set[tuple[str, str | None]] = set()
        self._pythons: dict[str, tuple[float, str, tuple[str, ...]]] = {}
        self._attached: dict[str, str] = {}
        self.calibration = Calibration()

    def takes_tools(self, model: ModelSettings) -> bool:
        """Return whether tools are offered: the user's setting, else until the model refuses."""
        if model.override.takes_tools is not None:
            return model.override.takes_tools
        return (model.model, model.api_base) not in self._refusers

    def record_refusal(self, model: ModelSettings) -> None:
        """Record that the model has refused tools at this address."""
        self._refusers.add((model.model, model.api_base))

    async def prepare(self, request: TurnRequest) -> None:
        """Read attached files, and look at the folders of the Python, unless that was done."""
        await self._read_attached(request)
        interpreter = request.interpreter
        seen = self._pythons.get(interpreter)
        if not interpreter or (seen and time.monotonic() - seen[0] < _PYTHON_VALID_S):
            return
        told, packages = await asyncio.to_thread(_inspect_python, interpreter)
        self._pythons[interpreter] = (time.monotonic(), told, packages)

    async def _read_attached(self, request: TurnRequest) -> None:
        """Read each attached file once, so that earlier messages stay as they were sent."""
        for message in request.messages:
            is_file = message.role == "user" and message.type == "file"
            if is_file and message.id not in self._attached:
                from playhead.providers.attached_files import read_attached  # with the first file

                path = Path(request.folder, message.text)
                content = await asyncio.to_thread(read_attached, path, request.folder)
                self._attached[message.id] = content.text

    def _count(self, message: Message) -> int:
        return count_message(message) + count_text(self._attached.get(message.id, ""))

    def fitted(self, request: TurnRequest, facts: ModelFacts, attempt: int = 0) -> FittedRequest:
        """Return the request cut to the model's context; shorter at each further attempt."""
        model = request.model
        context = model.override.context_tokens or facts.context_tokens
        factor = self.calibration.factor(request.conversation_id)
        room = token_limit(context, model.parameters.max_tokens)
        if attempt:  # the last request did not fit, even if it should have
            sent = self.fitted(request, facts, attempt - 1).tokens
            room = int(min(room, sent) * ATTEMPT_FACTOR)
        fixed = count_text(self._system(request)) + _tool_tokens(self.tools(request))
        messages = limit_images(request.messages)
        found = fit_messages(messages, max(int(room / factor) - fixed, 1), self._count)
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
            attached=self._attached,
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
            policy=request.policy,
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
        found: object = read_json(text)
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
        supports_images=model.override.supports_images,
        through_litellm=bool(model.override.through_litellm),
        connect_s=model.connection.connect_s,
        first_s=model.connection.first_s,
        between_s=model.connection.between_s,
        extra=extra,
        proxy=model.connection.proxy,
        ca_file=model.connection.ca_file,
        retries=model.connection.retries,
        **given_fields(model.parameters),
    )


def count_entry(entry: Mapping[str, Any]) -> int:
    """Return the tokens of one message in the shape that servers take."""
    content = entry.get("content")
    tokens = ENTRY_TOKENS
    if isinstance(content, str):
        tokens += count_text(content)
    elif isinstance(content, list):
        tokens += sum(_count_part(part) for part in cast("list[dict[str, Any]]", content))
    for call in entry.get("tool_calls") or ():
        function = call["function"]
        tokens += ENTRY_TOKENS + count_text(function["name"]) + count_text(function["arguments"])
    return tokens


def _count_part(part: Mapping[str, Any]) -> int:
    return count_text(part["text"]) if part.get("type") == "text" else IMAGE_TOKENS


def count_entries(entries: Iterable[Mapping[str, Any]]) -> int:
    """Return the tokens of all messages."""
    return sum(count_entry(entry) for entry in entries)


class Calibration:
    """Factors between the providers' own counts and the estimates, by conversation.

    An estimate is multiplied by its factor; 1.0 until a provider has counted.
    """

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def factor(self, conversation_id: str) -> float:
        """Return the factor by which estimates in this conversation are multiplied."""
        return self._factors.get(conversation_id, 1.0)

    def learn(self, conversation_id: str, guessed: int, counted: int) -> None:
        """Update the factor with a request's estimated and counted tokens, both uncalibrated."""
        if guessed <= 0 or counted <= 0:
            return
        seen = min(max(counted / guessed, _MIN_FACTOR), _MAX_FACTOR)
        before = self._factors.get(conversation_id)
        factor = seen if before is None else before + (seen - before) * _LEARNING_RATE
        self._factors.pop(conversation_id, None)  # it is the last one again
        self._factors[conversation_id] = factor
        if len(self._factors) > _FACTORS_KEPT:
            del self._factors[next(iter(self._factors))]


SAFE_CONTEXT_TOKENS = 32_000
"""The context of a model whose own one is not known."""

ANSWER_TOKENS = 4_096
"""Tokens that are left for the answer if the settings do not limit it."""

LATEST_IMAGES = 4
"""The number of pictures that are sent beside the first one."""

ATTEMPT_FACTOR = 0.5
"""Of what was sent before, after a model has found that too long."""

_MAX_OUTPUT_CHARACTERS = HEAD_CHARACTERS + TAIL_CHARACTERS
_SENT_TYPES = frozenset(
    {"message", "code", "tool_call", "tool_result", "console", "image", "file", "files"}
)


class FittedMessages(Struct, frozen=True):
    """The messages that are sent; `first` is the place of the oldest among all, 0 where all are."""

    messages: tuple[Message, ...]
    first: int = 0
    tokens: int = 0


def token_limit(context_tokens: int | None, max_tokens: int | None) -> int:
    """Return how many tokens a request may have."""
    whole = context_tokens or SAFE_CONTEXT_TOKENS
    answer = min(max_tokens or ANSWER_TOKENS, whole // 2)
    return whole - answer


def fit_messages(
    messages: Sequence[Message], room: int, count: Callable[[Message], int] | None = None
) -> FittedMessages:
    """Return whole turns from the newest as long as they fit, calls with their results."""
    count = count or count_message
    turns = _turns(messages)
    if not turns:
        return FittedMessages(tuple(messages))
    sizes = [count(message) for message in messages]
    total = sum(sizes[turns[-1] :])
    first = turns[-1]
    if total > room:
        return _shortened_turn(messages, sizes, first, room)
    for start in reversed(turns[:-1]):
        more = sum(sizes[start:first])
        if total + more > room:
            break
        first, total = start, total + more
    if first == turns[0]:
        return FittedMessages(tuple(messages), 0, sum(sizes))
    return FittedMessages(tuple(messages[first:]), first, total)


def _turns(messages: Sequence[Message]) -> list[int]:
    """Return the place where each turn begins; messages before the first question count as one."""
    starts = [
        place
        for place, message in enumerate(messages)
        if _is_question(message) and (place == 0 or not _is_question(messages[place - 1]))
    ]
    return [0, *starts] if messages and (not starts or starts[0] > 0) else starts


def _is_question(message: Message) -> bool:
    return message.role == "user" and message.type != "code"


def _shortened_turn(
    messages: Sequence[Message], sizes: Sequence[int], start: int, room: int
) -> FittedMessages:
    """Return the question of the last turn with its newest steps."""
    end = start
    while end < len(messages) and _is_question(messages[end]):
        end += 1
    starts = _steps(messages, end)
    question = sum(sizes[start:end])
    first = starts[-1] if starts else len(messages)
    total = question + sum(sizes[first:])
    for step in reversed(starts[:-1]):
        more = sum(sizes[step:first])
        if total + more > room:
            break
        first, total = step, total + more
    # The mark of the messages left out is at the oldest step sent: the question stays above it.
    place = first if first > end else start
    sent = (*messages[start:end], *messages[first:])
    return FittedMessages(sent, place, total)


def _steps(messages: Sequence[Message], start: int) -> list[int]:
    """Return the places where the model was asked again after a result of its code."""
    starts = [start] if start < len(messages) else []
    has_result = False
    for place in range(start, len(messages)):
        message = messages[place]
        if message.role == "assistant" and has_result:
            starts.append(place)
            has_result = False
        has_result = has_result or message.role == "computer"
    return starts


def count_message(message: Message) -> int:
    """Return about how many tokens a message has among those that are sent."""
    if message.recipient == "user" or message.type not in _SENT_TYPES:
        return 0
    if message.type == "image":
        return IMAGE_TOKENS if message.role == "user" else ENTRY_TOKENS * 3
    text = message.text
    if message.type == "console" and len(text) > _MAX_OUTPUT_CHARACTERS:
        text = text[:HEAD_CHARACTERS] + text[-TAIL_CHARACTERS:]
    return count_text(text) + ENTRY_TOKENS


def limit_images(messages: Sequence[Message], latest: int = LATEST_IMAGES) -> tuple[Message, ...]:
    """Return the messages with the user's first picture and the latest; notes replace others."""
    shown = [m.id for m in messages if m.role == "user" and m.type == "image"]
    gone = set(shown[1 : len(shown) - latest]) if len(shown) > latest + 1 else set[str]()
    return tuple(_image_note(one) if one.id in gone else one for one in messages)


def _image_note(image: Message) -> Message:
    is_named = not (image.format or "").startswith("base64")
    name = f" {image.text}" if is_named else ""
    note = f"[An earlier image{name} is not sent again.]"
    return replace(image, type="message", format=None, content=note)
