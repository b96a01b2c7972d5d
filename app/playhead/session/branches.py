"""Which messages belong to a question: where its turn begins, and what hangs below it."""

from __future__ import annotations

from msgspec import Struct

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure
from playhead.errors import ExecutionError, SessionError


class Deletion(Struct, frozen=True):
    """A turn that goes: its first message, what was asked, and how many turns hang below it."""

    message_id: str
    question: str
    more: int


def is_asked(message: Message) -> bool:
    """Whether the user said this to the model; code of theirs asks nothing."""
    return message.role == "user" and message.type != "code"


def asked_before(conversation: Conversation, message_id: str) -> Message:
    """What the user asked last before a message of the active path. Raises SessionError."""
    asked: Message | None = None
    for message in conversation.messages:
        if is_asked(message):
            asked = message
        if message.id == message_id:
            break
    if asked is None:
        raise SessionError("There is no question before this answer to ask again.")
    return asked


def place_to_retry(conversation: Conversation, message_id: str) -> Message:
    """The message after which the model is asked again. Raises SessionError.

    For an answer that is what the user asked. For a failure of the model's it is the last result
    before it: what the turn has done until then stays.
    """
    asked = asked_before(conversation, message_id)
    place = asked
    for message in conversation.messages:
        if message.id == message_id:
            return place if _is_of_model(message) else asked
        if message.role == "computer" or message.id == asked.id:
            place = message
    return asked


def _is_of_model(message: Message) -> bool:
    failure = message.content
    return isinstance(failure, Failure) and failure.code != ExecutionError.default_code


def deletion_of(conversation: Conversation, message_id: str) -> Deletion:
    """What goes with the turn of a message. Raises SessionError where there is none."""
    first = _first_of_turn(conversation, message_id)
    below = conversation.below(first.id)
    turns = sum(one.type in ("message", "code") and one.role == "user" for one in below)
    words = next((one.text for one in below if one.text.strip()), "")
    return Deletion(first.id, words.strip(), max(0, turns - 1))


def _first_of_turn(conversation: Conversation, message_id: str) -> Message:
    """The question, or the files that were sent with it alone, or the code that the user ran."""
    message = conversation.message(message_id)
    while message is not None and message.role != "user":
        message = conversation.message(message.parent_id or "")
    if message is None:
        raise SessionError("There is no question before this to delete.")
    while (above := conversation.message(message.parent_id or "")) is not None:
        is_file = is_asked(above) and above.type != "message"
        if message.type == "code" or not is_file or len(conversation.siblings(message.id)) > 1:
            break
        message = above
    return message
