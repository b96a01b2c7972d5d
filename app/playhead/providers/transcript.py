"""A conversation in the shape that model servers take: OpenAI's chat messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from playhead.conversation.message import Message
from playhead.conversation.payloads import Proposal, RunReport
from playhead.model_worker.protocol import IMAGE_PART
from playhead.providers.call_parser import EXECUTE

HEAD_CHARACTERS = 4_000
TAIL_CHARACTERS = 8_000
NOT_RUN = "This was not run."

Entry = dict[str, Any]


def chat_messages(messages: Iterable[Message], system: str = "") -> list[Entry]:
    """The chat messages: every call has exactly one result, right after it."""
    builder = _Builder()
    for message in messages:
        if message.recipient != "user":
            builder.add(message)
    head = [{"role": "system", "content": system}] if system else []
    return [*head, *builder.finish()]


def shortened(output: str) -> str:
    """Head and tail of a long output, with what is missing said in between."""
    missing = len(output) - HEAD_CHARACTERS - TAIL_CHARACTERS
    if missing <= 0:
        return output
    head, tail = output[:HEAD_CHARACTERS], output[-TAIL_CHARACTERS:]
    return f"{head}\n[… {missing} characters left out …]\n{tail}"


class _Block:
    """Code or a call of the assistant, and what came of it."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.output = ""
        self.notes: list[str] = []
        self.has_run = False

    @property
    def is_settled(self) -> bool:
        return self.has_run or bool(self.notes)

    @property
    def result(self) -> str:
        """What the model is told of it; never empty."""
        nothing = "(no output)" if self.has_run else NOT_RUN
        told = shortened(self.output).strip("\n") or ("" if self.notes else nothing)
        return "\n".join(part for part in (*self.notes, told) if part)

    def call(self, call_id: str) -> Entry:
        """The call; code is written again as the arguments of `execute`."""
        message = self.message
        if message.type == "code":
            arguments = json.dumps({"language": message.format, "code": message.text})
            name = EXECUTE
        else:
            name, arguments = message.format or "unknown", _valid_json(message.text)
        function = {"name": name, "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}


def _valid_json(arguments: str) -> str:
    """Servers refuse a history with arguments that are no JSON object."""
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except ValueError:
        pass
    return json.dumps({"broken_arguments": arguments})


class _Builder:
    """Gathers one answer of the assistant with its blocks and results, then writes it out."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._text: list[str] = []
        self._blocks: list[_Block] = []
        self._current: _Block | None = None

    def finish(self) -> list[Entry]:
        """All entries."""
        self._flush()
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
                pass

    def _add_user(self, message: Message) -> None:
        parts: dict[str, Entry] = {
            "message": {"type": "text", "text": message.text},
            "file": {"type": "text", "text": f"[Attached file: {message.text}]"},
            "image": {"type": IMAGE_PART, "path": message.text},
        }
        if message.type in parts and message.text:
            self._flush()
            self._say([parts[message.type]])

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
        if message.call_id is None or is_cut:  # what was cut off has no whole arguments
            is_code = message.type == "code"
            self._text.append(_fenced(message.text, message.format or "") if is_code else "")
        if not is_cut:
            self._blocks.append(_Block(message))

    def _add_computer(self, message: Message) -> None:
        content = message.content
        if isinstance(content, Proposal):
            self._meet(content)
            return
        block = self._called(message.call_id) if message.type == "tool_result" else None
        block = block or self._current or self._unsettled()
        if block is None:
            return
        if message.type == "tool_result":
            block.notes.append(message.text)
        elif isinstance(content, RunReport):
            block.has_run = True
            block.notes += _fate(content)
        elif message.type == "console":
            block.has_run = True
            block.output += message.text
        elif message.type == "image":
            block.notes.append("[An image was shown to the user.]")

    def _meet(self, proposal: Proposal) -> None:
        """What follows belongs to the proposed block; an edited one is told to the model."""
        for block in self._blocks:
            if block.message.id == proposal.message_id:
                self._current = block
                if proposal.code != block.message.text:
                    ran = _fenced(proposal.code, proposal.language)
                    block.notes.append(f"The user edited the code. This is what ran:\n{ran}")

    def _called(self, call_id: str | None) -> _Block | None:
        found = (block for block in self._blocks if call_id and block.message.call_id == call_id)
        return next(found, None)

    def _unsettled(self) -> _Block | None:
        waiting = (block for block in self._blocks if not block.is_settled)
        return next(waiting, self._blocks[-1] if self._blocks else None)

    def _flush(self) -> None:
        calls = [block for block in self._blocks if block.message.call_id is not None]
        fences = [block for block in self._blocks if block.message.call_id is None]
        ids = _unique([block.message.call_id or "" for block in calls])
        text = "\n\n".join(part.strip("\n") for part in self._text if part.strip())
        if text or calls:
            entry: Entry = {"role": "assistant", "content": text or None}
            if calls:
                pairs = zip(calls, ids, strict=True)
                entry["tool_calls"] = [block.call(call_id) for block, call_id in pairs]
            self._entries.append(entry)
        for block, call_id in zip(calls, ids, strict=True):
            result = {"role": "tool", "tool_call_id": call_id, "content": block.result}
            self._entries.append(result)
        for block in fences:
            told = f"What came of the code:\n{block.result}"
            self._say([{"type": "text", "text": told}])
        self._text, self._blocks, self._current = [], [], None


def _fate(report: RunReport) -> list[str]:
    """How a run ended, if not by itself."""
    line = f" at line {report.line}" if report.line else ""
    reason = f" {report.reason}" if report.reason else ""
    if report.state == "interrupted":
        return [f"The user stopped it{line} after {report.seconds:.1f} s.{reason}"]
    if report.state == "killed":
        return [f"The kernel ended{line}; its names are gone, the next run has a new one.{reason}"]
    return []


def _fenced(code: str, language: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def _unique(ids: list[str]) -> list[str]:
    """Some servers give all calls of an answer one id; results could not be told apart."""
    return [
        name if ids.index(name) == place else f"{name}_{place}" for place, name in enumerate(ids)
    ]
