"""Messages that wait until the current turn has ended."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.message import Attachment, Message
from playhead.domain.conversation.payloads import Failure
from playhead.errors import AppError, SessionError


class QueuedMessage(Struct, frozen=True):
    """A message of the user's that is not sent yet."""

    id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


def has_failed(messages: Sequence[Message]) -> bool:
    """Return whether the last answer failed, so that the next one would probably fail too."""
    for message in reversed(messages):
        if isinstance(message.content, Failure):
            return True
        if message.role == "user":
            return False
    return False


class MessageQueue:
    """Holds messages that wait to be sent, and sends one whenever the session is idle.

    The queue is held after a stop or a failure: its messages are neither sent nor lost until
    `resume`. A message that is being edited keeps its place, and none is sent before it.
    """

    def __init__(
        self,
        send: Callable[[str, Sequence[Attachment]], None],
        is_idle: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        self._send = send
        self._is_idle = is_idle
        self._on_change = on_change
        self._messages: list[QueuedMessage] = []
        self._is_held = False
        self._edited_id = ""

    @property
    def messages(self) -> tuple[QueuedMessage, ...]:
        """Return the waiting messages, the next one first."""
        return tuple(self._messages)

    @property
    def is_held(self) -> bool:
        """Return whether messages wait until the user resumes the queue."""
        return self._is_held and bool(self._messages)

    @property
    def edited_id(self) -> str:
        """Return the message that is being edited, or ''."""
        return self._edited_id

    def add(self, text: str, attachments: Sequence[Attachment] = ()) -> None:
        """Append a message; it is sent at once if the session is idle and no other one waits."""
        if not text.strip() and not attachments:
            raise SessionError("There is nothing to send.", remedy="Type a message first.")
        if not self._messages:
            self._is_held = False
        self._messages.append(QueuedMessage(uuid.uuid4().hex, text, tuple(attachments)))
        self._go_on()

    def put_back(self, messages: Sequence[QueuedMessage]) -> None:
        """Put back the messages of an earlier start, held because the user has not seen them."""
        self._messages[:0] = messages
        self._is_held = self._is_held or bool(messages)
        self._on_change()

    def begin_edit(self, message_id: str) -> QueuedMessage | None:
        """Keep a message from being sent while it is edited; None if it was sent meanwhile."""
        found = self._find(message_id)
        if found is not None:
            self._edited_id = message_id
            self._on_change()
        return found

    def end_edit(
        self, text: str | None = None, attachments: Sequence[Attachment] | None = None
    ) -> None:
        """End the edit of a message with new content; None keeps the old content."""
        edited, self._edited_id = self._find(self._edited_id), ""
        if edited is not None and text is not None:
            place = self._messages.index(edited)
            kept = edited.attachments if attachments is None else tuple(attachments)
            self._messages[place] = replace(edited, text=text, attachments=kept)
        self._go_on()

    def remove(self, message_id: str) -> None:
        """Remove a message, which is then never sent."""
        self._messages = [one for one in self._messages if one.id != message_id]
        if self._edited_id == message_id:
            self._edited_id = ""
        self._go_on()

    def hold(self) -> None:
        """Send nothing until `resume`, because the turn is being stopped."""
        if self._messages:
            self._is_held = True
            self._on_change()

    def resume(self) -> None:
        """Send messages again after a stop or a failure."""
        self._is_held = False
        self._go_on()

    def turn_ended(self, *, continues: bool) -> None:
        """Handle the end of a turn; `continues` is False after a stop or a failure."""
        if self._messages:
            self._is_held = self._is_held or not continues
            self._go_on()

    def _go_on(self) -> None:
        """Send the first message if it may be sent now, and report the state of the queue."""
        may_go = self._messages and not self._is_held and self._is_idle()
        if may_go and self._messages[0].id != self._edited_id:
            message = self._messages.pop(0)
            try:
                self._send(message.text, message.attachments)
            except AppError:
                self._messages.insert(0, message)
                self._is_held = True
        self._on_change()

    def _find(self, message_id: str) -> QueuedMessage | None:
        return next((one for one in self._messages if one.id == message_id), None)
