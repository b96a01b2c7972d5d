"""What a turn of the model has cost: tokens as they are told, and time without the waiting."""

from __future__ import annotations

import time
from collections.abc import Callable

from playhead.conversation.message import Message
from playhead.conversation.payloads import Usage
from playhead.ui.durations import format_seconds


class TurnMeter:
    """Counts while a turn is under way, and keeps the words for it. Owner: the model of rows."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._foots: dict[str, str] = {}
        self._clear()

    def begin(self, question: Message) -> None:
        """A question was asked."""
        self._clear()
        self._began_at = question.created_at

    def add(self, usage: Usage) -> None:
        """One answer of the model has ended; a turn may have several."""
        self._tokens[0] += usage.input_tokens
        self._tokens[1] += usage.output_tokens
        self._is_estimated = self._is_estimated or usage.is_estimated
        self._has_usage = True

    def pause(self) -> None:
        """The turn waits for a decision."""
        self._paused_at = self._paused_at or self.clock()

    def go_on(self) -> None:
        """It waits no longer."""
        if self._paused_at:
            self._waited += self.clock() - self._paused_at
            self._paused_at = 0.0

    def end(self, key: str, model: str) -> str:
        """What to say at the end of the turn, '' where nothing is known of it."""
        self.go_on()
        if not self._has_usage:
            return ""
        seconds = self.clock() - self._began_at - self._waited
        words = [model.rpartition("/")[2], self._token_words()]
        if self._began_at and seconds > 0:
            words.append(format_seconds(seconds))
        self._foots[key] = foot = " · ".join(word for word in words if word)
        self._clear()
        return foot

    def foot_of(self, key: str) -> str:
        """What was said of a turn before, by the row that it ended with."""
        return self._foots.get(key, "")

    def _token_words(self) -> str:
        about = "~" if self._is_estimated else ""
        asked, answered = self._tokens
        return f"{about}{asked:,} tokens in, {about}{answered:,} out"

    def _clear(self) -> None:
        self._began_at = self._paused_at = self._waited = 0.0
        self._tokens = [0, 0]
        self._is_estimated = self._has_usage = False
