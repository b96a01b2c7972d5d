"""Where a model's statements come from: places in its whole text become places in a message."""

from __future__ import annotations

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Source
from playhead.model_worker.protocol import CitedPage


class CitationReader:
    """Gathers what is cited until the message that it is about has ended."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._waiting: dict[CitedPage, None] = {}

    def read(self, text: str) -> None:
        """The next piece of the model's text, as it came."""
        self._text.append(text)

    def add(self, page: CitedPage) -> None:
        """Some servers send all of them again each time: one is kept."""
        self._waiting[page] = None

    def take(self, message: str) -> list[Chunk]:
        """The citations in a message that has just ended; what fits nowhere is left out."""
        if not self._waiting:
            return []
        waiting, self._waiting = self._waiting, {}
        whole = "".join(self._text)
        offset = whole.rfind(message)
        found = (_citation(page, whole, message, offset) for page in waiting)
        return [Chunk("assistant", "citation", content=one) for one in found if one is not None]


def _citation(page: CitedPage, whole: str, message: str, offset: int) -> Citation | None:
    cited = whole[page.start : page.end]
    start = page.start - offset if offset >= 0 else -1
    if not cited or message[max(start, 0) :][: len(cited)] != cited:
        start = message.find(cited) if cited else -1  # tags or fences before it are not of it
    if start < 0:
        return None
    source = Source(title=page.title, url=page.url)
    return Citation(start, start + len(cited), cited, (source,))
