"""A delta as long as a whole answer, in parts: read at once it would hold up the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from playhead.model_worker.protocol import CallPiece, Delta

PART_CHARACTERS = 4_096


def is_large(delta: Delta) -> bool:
    """Whether it is to be read in parts."""
    if len(delta.text) > PART_CHARACTERS or len(delta.reasoning) > PART_CHARACTERS:
        return True
    return any(len(piece.arguments) > PART_CHARACTERS for piece in delta.calls)


def parts(delta: Delta) -> Iterator[Delta]:
    """What is read one after the other in place of the delta, in the order in which it counts."""
    for reasoning in _cut(delta.reasoning):
        yield Delta(reasoning=reasoning)
    if delta.echo:
        yield Delta(echo=delta.echo)
    for text in _cut(delta.text):
        yield Delta(text=text)
    if delta.citations or delta.event is not None:
        yield Delta(citations=delta.citations, event=delta.event)
    for piece in delta.calls:
        for call in _cut_call(piece):
            yield Delta(calls=(call,))


def _cut_call(piece: CallPiece) -> Iterator[CallPiece]:
    """Its id and name come once, with the first part."""
    first, *rest = _cut(piece.arguments) or [""]
    yield replace(piece, arguments=first)
    for arguments in rest:
        yield CallPiece(piece.index, arguments=arguments)


def _cut(text: str) -> list[str]:
    return [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]
