"""A conversation in the shape that model servers take: OpenAI's chat messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Echo, FileChanges, Proposal, RunReport
from playhead.domain.model import ModelSettings
from playhead.model_worker.protocol import DOCUMENT_PART, IMAGE_DATA_PART, IMAGE_PART
from playhead.providers.blocks import (
    NOT_RUN,
    Block,
    call_told,
    changes,
    fenced,
    shortened,
    shown,
    unique,
)
from playhead.providers.call_ids import taken_ids
from playhead.providers.catalog import provider_of

__all__ = ["NOT_RUN", "chat_messages", "shortened"]

Entry = dict[str, Any]

DOCUMENT_SUFFIX = ".pdf"
PICTURE_SUFFIXES = frozenset({".heic", ".heif", ".tif", ".tiff", ".avif"})
"""Pictures that the window cannot draw go as files; a model may be shown them all the same."""

NO_QUESTION = "[The conversation began with what you say next.]"
"""Stands before an answer without a question where roles have to alternate."""


def chat_messages(
    messages: Iterable[Message],
    system: str = "",
    folder: str = "",
    *,
    takes_tools: bool = True,
    model: ModelSettings | None = None,
) -> list[Entry]:
    """The chat messages: every call has exactly one result, right after it.

    A model that takes no tools is told of earlier calls in words, and roles alternate, for many
    such models insist on that. Relative paths of images are of `folder`. `model` says whose
    ids and signatures are taken.
    """
    builder = _Builder(folder, takes_tools, model or ModelSettings())
    for message in messages:
        if message.recipient != "user":
            builder.add(message)
    head = [{"role": "system", "content": system}] if system else []
    return [*head, *builder.finish()]


class _Builder:
    """Gathers one answer of the assistant with its blocks and results, then writes it out."""

    def __init__(self, folder: str, takes_tools: bool, model: ModelSettings) -> None:
        self._model = model
        self._provider = provider_of(model.model)
        self._thinking: list[Entry] = []
        self._folder = folder
        self._takes_tools = takes_tools
        self._entries: list[Entry] = []
        self._text: list[str] = []
        self._blocks: list[Block] = []
        self._current: Block | None = None

    def finish(self) -> list[Entry]:
        """All entries."""
        self._flush()
        if not self._takes_tools and self._entries and self._entries[0]["role"] != "user":
            self._entries.insert(0, {"role": "user", "content": NO_QUESTION})
        return self._entries

    def add(self, message: Message) -> None:
        """Take the next message of the conversation."""
        match message.role:
            case "user":
                self._add_user(message)
            case "assistant":
                self._add_assistant(message)
            case "computer":
                self._add_computer(message)
            case "server":
                self._add_echo(message)

    def _add_user(self, message: Message) -> None:
        if message.type == "code":  # told with its run, as what the user ran
            self._flush()
        if not message.text.strip():  # some servers refuse what is empty
            return
        match message.type:
            case "message":
                parts: list[Entry] = [{"type": "text", "text": message.text}]
            case "file":
                parts = _file(message, self._folder)
            case "image":
                parts = [_image(message, self._folder)]
            case _:
                return
        self._flush()
        self._say(parts)

    def _say(self, parts: list[Entry]) -> None:
        """Parts of the user; neighbours are one entry, for some servers want roles to alternate."""
        if self._entries and self._entries[-1]["role"] == "user":
            content = self._entries.pop()["content"]
            earlier = [{"type": "text", "text": content}] if isinstance(content, str) else content
            parts = [*earlier, *parts]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        content = "\n\n".join(texts) if len(texts) == len(parts) else parts
        self._entries.append({"role": "user", "content": content})

    def _add_assistant(self, message: Message) -> None:
        if message.type not in ("message", "code", "tool_call"):
            return
        if any(block.is_settled for block in self._blocks):
            self._flush()  # the model has been asked again since
        if message.type == "message":
            self._text.append(message.text)
            return
        is_cut = message.state != "complete"
        is_call = bool(message.call_id) and self._takes_tools
        if message.type == "code" and (not is_call or is_cut):
            # What was cut off has no whole arguments.
            self._text.append(fenced(message.text, message.format or ""))
        elif message.type == "tool_call" and not self._takes_tools and not is_cut:
            self._text.append(call_told(message))
        if not is_cut:
            self._blocks.append(Block(message, takes_tools=self._takes_tools))

    def _add_computer(self, message: Message) -> None:
        content = message.content
        if isinstance(content, Proposal):
            self._current = self._proposed(content)
            self._current.propose(content)
        elif isinstance(content, RunReport):
            if (block := self._current or self._unsettled()) is not None:
                block.report(content)
        elif message.type == "tool_result":
            self._called(message).note(message.text)
        elif message.type == "console":
            self._running().print(message.text)
        elif message.type == "image":
            self._running().note("[An image was shown to the user.]")
        elif message.type == "code":
            self._running().note(shown(message))
        elif isinstance(content, FileChanges):
            self._running().note(changes(content))

    def _proposed(self, proposal: Proposal) -> Block:
        """The block that a proposal is of; an imported one does not name its message."""
        named = (block for block in self._blocks if block.message_id == proposal.message_id != "")
        alike = (block for block in self._waiting() if block.is_code(proposal))
        found = next(named, None) or next(alike, None)
        if found is None and not proposal.message_id:
            found = next(iter(self._waiting()), None)
        return found or self._detached(proposal.message_id)

    def _add_echo(self, message: Message) -> None:
        """Signed thinking, for the provider that signed it and none else."""
        echo = message.content
        if not isinstance(echo, Echo) or echo.provider != self._provider:
            return
        if any(block.is_settled for block in self._blocks):
            self._flush()  # the model has been asked again since
        self._thinking += json.loads(echo.data)

    def _called(self, result: Message) -> Block:
        """The block whose result this is: by its id, else the next that has none."""
        wanted = result.call_id
        named = [block for block in self._blocks if wanted and block.call_id == wanted]
        waiting = self._waiting()
        if named:
            return next((block for block in named if block in waiting), named[0])
        if wanted:  # an id that no call has
            return waiting[0] if len(waiting) == 1 else self._detached()
        return self._current or next(iter(waiting), None) or self._detached()

    def _running(self) -> Block:
        """The block whose output this is; output without code is told all the same."""
        return self._current or self._unsettled() or self._detached()

    def _unsettled(self) -> Block | None:
        return next(iter(self._waiting()), self._blocks[-1] if self._blocks else None)

    def _waiting(self) -> list[Block]:
        return [block for block in self._blocks if not block.is_settled]

    def _detached(self, message_id: str = "") -> Block:
        block = Block(None, message_id=message_id)
        self._blocks.append(block)
        return block

    def _flush(self) -> None:
        calls = [block for block in self._blocks if block.is_call]
        ids = taken_ids(unique([block.call_id or "" for block in calls]), self._model)
        text = "\n\n".join(part.strip("\n") for part in self._text if part.strip())
        if text or calls:
            entry: Entry = {"role": "assistant", "content": text or None}
            if calls:
                pairs = zip(calls, ids, strict=True)
                entry["tool_calls"] = [block.call(call_id) for block, call_id in pairs]
            if self._thinking:
                entry["thinking_blocks"] = self._thinking
            self._entries.append(entry)
        for block, call_id in zip(calls, ids, strict=True):
            result = {"role": "tool", "tool_call_id": call_id, "content": block.result}
            self._entries.append(result)
        others = (block.told() for block in self._blocks if not block.is_call)
        for told in filter(None, others):
            self._say([{"type": "text", "text": told}])
        self._text, self._blocks, self._current, self._thinking = [], [], None, []


def _file(message: Message, folder: str) -> list[Entry]:
    """Its path, and itself where a model may take it: as a document or as a picture."""
    parts: list[Entry] = [{"type": "text", "text": f"[Attached file: {message.text}]"}]
    path = Path(folder, message.text)
    if path.suffix.lower() == DOCUMENT_SUFFIX:
        parts.append({"type": DOCUMENT_PART, "path": str(path)})
    elif path.suffix.lower() in PICTURE_SUFFIXES:
        parts.append({"type": IMAGE_PART, "path": str(path)})
    return parts


def _image(message: Message, folder: str) -> Entry:
    if (message.format or "").startswith("base64"):
        return {"type": IMAGE_DATA_PART, "data": message.text}
    return {"type": IMAGE_PART, "path": str(Path(folder, message.text))}
