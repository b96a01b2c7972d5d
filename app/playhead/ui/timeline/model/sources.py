"""Citations: numbered sources, and their numbers in the text that cites them."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation, Source
from playhead.domain.text.fences import open_fence
from playhead.ui.widgets.wording import tr

_OPENED = ("http://", "https://")
_BREAKS = str.maketrans("\n\r\t", "   ")


def cited_by(message: Message) -> Citation:
    """Return the citation of a message; plain words are a source without details."""
    if isinstance(message.content, Citation):
        return message.content
    return Citation(start=0, end=0, text="", sources=(Source(title=message.text),))


def source_lines(known: Sequence[str], citation: Citation) -> list[str]:
    """Return the known sources and those of another citation, each once: title, then address."""
    lines = list(known)
    for source in citation.sources:
        if (line := _line(source)) not in lines:
            lines.append(line)
    return lines


def split_source(line: str) -> tuple[str, str]:
    """Return title and address of a source; the address is '' if it cannot be opened."""
    title, _, address = line.partition("\n")
    return title, address


def cite(text: str, citations: Sequence[Citation], lines: Sequence[str]) -> str:
    """Return the text with numbers after the cited words; unchanged if they are not found."""
    places: dict[int, list[int]] = {}
    for citation in citations:
        if not 0 <= citation.start < citation.end <= len(text):
            continue
        if not _is_prose(text, citation.end):
            continue
        for source in citation.sources:
            number = lines.index(_line(source)) + 1
            found = places.setdefault(citation.end, [])
            if number not in found:
                found.append(number)
    for end in sorted(places, reverse=True):
        marks = "".join(_mark(number, lines) for number in sorted(places[end]))
        text = text[:end] + marks + text[end:]
    return text


def _mark(number: int, lines: Sequence[str]) -> str:
    address = split_source(lines[number - 1])[1]
    return f" [\\[{number}\\]](<{address}>)" if address else f" \\[{number}\\]"


def _line(source: Source) -> str:
    """Return a source's line, without an address that could end a link early."""
    address = source.url if source.url.startswith(_OPENED) else ""
    if any(sign in address for sign in "<>\n\r "):
        address = ""
    title = (source.title or source.url or source.text or source.id or tr("Source")).strip()
    words = title.translate(_BREAKS)[:200]
    return f"{words}\n{address}" if address else words


def _is_prose(text: str, at: int) -> bool:
    """Return whether a place is outside of code: neither in a fence nor in a span."""
    before = text[:at]
    return open_fence(before) is None and before.rpartition("\n")[2].count("`") % 2 == 0
