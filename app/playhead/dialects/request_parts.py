"""Contents of a request's messages: a text, or parts of text and pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import cast

from playhead.dialects.entry import Entry
from playhead.dialects.images import image_of_data_url
from playhead.dialects.request_values import Fields, a_text, an_object, wrong
from playhead.domain.conversation.chunk import Chunk

_YES = re.compile(r"[\s.!?]*(?:yes|y)[\s.!?]*", re.IGNORECASE | re.ASCII)


def user_entry(fields: Fields, param: str) -> Entry:
    """A user's message. Raises RequestError."""
    chunks = tuple(chunk for chunk in _user_chunks(fields, param) if chunk.content)
    if not chunks:
        wrong(f"{param}.content must not be empty", f"{param}.content")
    told = [[chunk.type, chunk.content] for chunk in chunks]
    is_text = all(chunk.type == "message" for chunk in chunks)
    text = "".join(str(chunk.content) for chunk in chunks)
    is_yes = is_text and _YES.fullmatch(text) is not None
    return Entry(chunks, json.dumps(["user", told]), is_yes=is_yes)


def texts_of(
    fields: Fields, param: str, *kinds: str, silent: str = "", may_be_missing: bool = False
) -> list[str]:
    """The texts of a message whose parts can only be of these kinds, each with its own field.

    Parts of the `silent` kind are left out. Raises RequestError.
    """
    content = fields.get("content")
    if content is None and may_be_missing:
        return []
    if not isinstance(content, list):
        return [a_text(fields, "content", param)]
    texts: list[str] = []
    for at, kind, part in parts_of(cast("list[object]", content), param):
        if kind not in (*kinds, silent):
            wrong(f"{at}: parts of type {kind[:40]} cannot be read here", f"{at}.type")
        texts += [a_text(part, kind, at)] if kind != silent else []
    return texts


def parts_of(content: list[object], param: str) -> Iterator[tuple[str, str, Fields]]:
    """Each part of a content: its place, its type, its fields. Raises RequestError."""
    for place, item in enumerate(content):
        at = f"{param}.content[{place}]"
        part = an_object(item, at)
        yield at, a_text(part, "type", at), part


def _user_chunks(fields: Fields, param: str) -> list[Chunk]:
    content = fields.get("content")
    if not isinstance(content, list):
        return [Chunk("user", "message", content=a_text(fields, "content", param))]
    chunks: list[Chunk] = []
    for at, kind, part in parts_of(cast("list[object]", content), param):
        match kind:
            case "text":
                chunks.append(Chunk("user", "message", content=a_text(part, "text", at)))
            case "image_url":
                image = an_object(part.get("image_url"), f"{at}.image_url")
                url = a_text(image, "url", f"{at}.image_url")
                format_, data = image_of_data_url(url, f"{at}.image_url.url")
                chunks.append(Chunk("user", "image", format_, content=data))
            case other:
                wrong(f"{at}: parts of type {other[:40]} cannot be read", f"{at}.type")
    return chunks
