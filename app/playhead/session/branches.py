"""Find the messages of a question: where its turn begins, and which messages follow from it."""

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
    """Return whether the user sent this to the model; code that the user runs is not a question."""
    return message.role == "user" and message.type != "code"


def asked_before(conversation: Conversation, message_id: str) -> Message:
    """Return the user's last question before a message of the active path. Raises SessionError."""
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
    """Return the message after which the model is asked again. Raises SessionError.

    For an answer it is the user's question. For a failure of the model it is the last result
    before it, so that the turn keeps what it has done.
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
    """Return what is deleted with a message's turn. Raises SessionError without a turn."""
    first = _first_of_turn(conversation, message_id)
    below = conversation.below(first.id)
    turns = sum(one.type in ("message", "code") and one.role == "user" for one in below)
    words = next((one.text for one in below if one.text.strip()), "")
    return Deletion(first.id, words.strip(), max(0, turns - 1))


def _first_of_turn(conversation: Conversation, message_id: str) -> Message:
    """Return the question, or the files sent without one, or the code that the user ran."""
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
