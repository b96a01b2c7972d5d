"""Which runs of a conversation are older than its kernel, so that their names are gone."""

from __future__ import annotations

import time

from playhead.conversation.conversation import Conversation
from playhead.conversation.events import REARRANGED, ConversationEvent
from playhead.conversation.payloads import RunReport
from playhead.session.calls import count_runs


class Freshness:
    """Owner: a session; it follows the conversation by `follow`."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._at = time.time()
        self.after = count_runs(conversation.messages)
        """How many runs stand before the kernel that is, or will be, in use."""

    @property
    def names_are_gone(self) -> bool:
        """Whether all code that ran here ran in a kernel that no longer exists."""
        return bool(self.after) and self.after == count_runs(self._conversation.messages)

    def renew(self) -> int:
        """The kernel is a new one from here on; how many runs there have been."""
        self._at = time.time()
        self.after = count_runs(self._conversation.messages)
        return self.after

    def follow(self, event: ConversationEvent) -> None:
        """A kernel that was killed takes the names of all runs so far with it."""
        if event.kind in REARRANGED:  # the kernel is the same, but other runs are shown
            self.after = count_runs(self._conversation.messages, self._at)
        report = event.message.content if event.message is not None else None
        if isinstance(report, RunReport) and report.state == "killed":
            self.renew()
