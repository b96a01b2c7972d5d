"""Walks through the messages that were sent before, and back to what is being written."""

from __future__ import annotations

from collections.abc import Sequence


class HistoryWalk:
    """A walk begins with the first step and ends with `end`.

    What is changed on the way is there again when one comes by.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._place = -1
        self._recalled = ""

    @property
    def is_under_way(self) -> bool:
        """Whether an earlier message is shown."""
        return 0 <= self._place < len(self._texts) - 1

    def begin(self, sent: Sequence[str], draft: str) -> None:
        """Stand at the draft, after all that was sent; a text sent twice in a row is one step."""
        kept = [text for number, text in enumerate(sent) if not number or text != sent[number - 1]]
        self._texts = [*kept, draft]
        self._place = len(kept)

    def step(self, shown: str, steps: int) -> str | None:
        """The text some steps on (before: negative), None at an end; `shown` stays as it is."""
        place = self._place + steps
        if not self._texts or not 0 <= place < len(self._texts):
            return None
        self._texts[self._place] = shown
        self._place = place
        self._recalled = self._texts[place]
        return self._recalled

    def unsent(self, shown: str) -> str:
        """What is worth keeping: the text shown, or the draft while that is an earlier message."""
        return self._texts[-1] if self.is_under_way and shown == self._recalled else shown

    def end(self) -> None:
        """Forget the walk."""
        self._texts, self._place = [], -1
