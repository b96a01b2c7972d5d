"""Choose the messages that fit a model's context."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.text.tokens import count_text
from playhead.providers.transcript import HEAD_CHARACTERS, TAIL_CHARACTERS

IMAGE_TOKENS = 1_100
"""The tokens of a picture with most providers at the size in which it is sent."""

ENTRY_TOKENS = 4
"""The tokens of the frame around a message."""

_MIN_FACTOR, _MAX_FACTOR = 0.5, 2.5
_LEARNING_RATE = 0.5


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
        self._factors[conversation_id] = factor


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
