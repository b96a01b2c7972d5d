"""Pictures of an imported conversation become files of it."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from playhead.conversation.message import Message

KeepFile = Callable[[str, bytes], Awaitable[str]]
"""Writes a file that goes with the conversation, by its name; its path."""


async def with_pictures_kept(messages: Sequence[Message], keep_file: KeepFile) -> list[Message]:
    """The messages, made now, whose pictures in base64 are files instead. Raises StorageError."""
    now = time.time()
    kept: list[Message] = []
    for message in messages:
        message = replace(message, created_at=now)
        form, _, suffix = (message.format or "").partition(".")
        if message.type == "image" and form == "base64":
            data = await asyncio.to_thread(base64.b64decode, message.text)
            path = await keep_file(f"imported-{message.id}.{suffix or 'png'}", data)
            message = replace(message, format="path", content=path)
        kept.append(message)
    return kept
