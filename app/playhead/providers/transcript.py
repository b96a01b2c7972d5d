"""A conversation in the shape that model servers take: OpenAI's chat messages.

Code and calls go with their results, ids of calls in the form that the provider accepts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    ChangeAction,
    Echo,
    FileChange,
    FileChanges,
    Proposal,
    RunReport,
)
from playhead.domain.model import EXECUTE, ModelSettings
from playhead.domain.text.json_text import read_json
from playhead.domain.text.run_ends import run_end_for_model
from playhead.model_worker.protocol import DOCUMENT_PART, IMAGE_DATA_PART, IMAGE_PART
from playhead.providers.catalog import provider_of

HEAD_CHARACTERS = 4_000
TAIL_CHARACTERS = 8_000
MAX_FILE_NAMES = 20
MAX_DIFF_CHARACTERS = 200_000
NOT_RUN = "This was not run."
NO_RESULT = "No result came of this call."


class _Block:
    """Code or a call, and its result.

    With `message` None its assistant message is not known (it was cut, or a client left it out);
    `ran` is then the code that a proposal showed, if there was one.
    Without `takes_tools` it is described as text, also if it is a call.
    """

    def __init__(
        self,
        message: Message | None,
        *,
        message_id: str = "",
        ran: str = "",
        takes_tools: bool = True,
    ) -> None:
        self.message = message
        self._takes_tools = takes_tools
        self.message_id = message.id if message else message_id
        self.call_id = message.call_id if message else None
        self.ran = ran
        self.has_run = False
        self._output: list[str] = []
        self._notes: list[str] = []

    @property
    def is_call(self) -> bool:
        """Return whether it is sent back as a tool call; code in a fence had none."""
        if self.message is None or not self._takes_tools:
            return False
        return self.message.type == "tool_call" or bool(self.call_id)

    @property
    def is_settled(self) -> bool:
        """Return whether it has a result yet."""
        return self.has_run or bool(self._notes)

    @property
    def result(self) -> str:
        """Return its result for the model; never empty."""
        text = shortened("".join(self._output)).strip("\n")
        parts = [part for part in (*self._notes, text) if part.strip()]
        return "\n".join(parts) or self._nothing()

    def loose_text(self) -> str:
        """Return the result as text for a block without a call to answer; '' if empty."""
        if self.message is not None:
            what = (
                "the code"
                if self.message.type == "code"
                else f"the call of {_tool_name(self.message)}"
            )
            return f"What came of {what}:\n{self.result}"
        if not self.is_settled:
            return ""
        head = f"This code was run:\n{self.ran}\n" if self.ran else ""
        return f"{head}What came of it:\n{self.result}"

    def is_code(self, proposal: Proposal) -> bool:
        """Return whether the proposal shows just this code."""
        found = self.message
        if found is None or found.type != "code":
            return False
        return (found.format, found.text) == (proposal.language, proposal.code)

    def propose(self, proposal: Proposal) -> None:
        """Record the code that is about to run; the model gets the user's edit."""
        ran = fenced(proposal.code, proposal.language)
        if self.message is None:
            self.ran = ran
        elif proposal.code != self.message.text:
            self.add_note(describe_edit(self.message.text, proposal.code, proposal.language))

    def report(self, report: RunReport) -> None:
        """Record the state of a run."""
        self.has_run = True
        self._notes += filter(None, (run_end_for_model(report),))

    def print(self, text: str) -> None:
        """Add output of the run."""
        self.has_run = True
        self._output.append(text)

    def add_note(self, text: str) -> None:
        """Add a result as text."""
        self._notes.append(text)

    def call(self, call_id: str) -> dict[str, Any]:
        """Return the call; code is written again as the arguments of `execute`."""
        message = self.message
        assert message is not None  # noqa: S101 - only calls are asked for it
        if message.type == "code":
            arguments = json.dumps({"language": message.format, "code": message.text})
            name = EXECUTE
        else:
            name, arguments = _tool_name(message), _valid_json(message.text)
        function = {"name": name, "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    def _nothing(self) -> str:
        if self.is_settled:
            return "(no output)"
        is_code = self.message is None or self.message.type == "code"
        return NOT_RUN if is_code else NO_RESULT


def describe_call(call: Message) -> str:
    """Return a call as text, for a model that takes no tools."""
    return f"[Call of {_tool_name(call)}: {call.text.strip() or '{}'}]"


def _tool_name(call: Message) -> str:
    return call.format or "unknown"


def describe_edit(before: str, after: str, language: str) -> str:
    """Return the user's edit of the code before it ran: a diff, or the code if that is shorter."""
    from difflib import unified_diff  # seldom needed

    whole = f"The user edited the code. This is what ran:\n{fenced(after, language)}"
    if len(before) + len(after) > MAX_DIFF_CHARACTERS:
        return whole
    old, new = before.splitlines(), after.splitlines()
    changes = list(unified_diff(old, new, "as you wrote it", "as it ran", lineterm="", n=2))
    if not changes:
        return whole
    text = fenced("\n".join(changes), "diff")
    diff = f"The user edited the code before it ran. What they changed:\n{text}"
    return min(diff, whole, key=len)


def shortened(output: str) -> str:
    """Return the head and tail of a long output, with the number of characters left out."""
    missing = len(output) - HEAD_CHARACTERS - TAIL_CHARACTERS
    if missing <= 0:
        return output
    head, tail = output[:HEAD_CHARACTERS], output[-TAIL_CHARACTERS:]
    return f"{head}\n[… {missing} characters left out …]\n{tail}"


def describe_result(result: Message) -> str:
    """Return the text of a rich result, or a note that the user saw it."""
    if result.format in ("markdown", "latex"):
        return shortened(result.text)
    return f"[A result was shown to the user as {result.format or 'text'}.]"


def describe_file_changes(files: FileChanges) -> str:
    """Return the names of the files that a run, or the user after it, has changed."""
    kinds = (("created", files.created), ("changed", files.changed), ("deleted", files.deleted))
    sentences = [
        f"Files {kind}: {_file_names(found, count)}."
        for (kind, found), count in zip(kinds, files.counts, strict=True)
        if found
    ]
    if files.moved:
        sentences.append(f"Files moved: {_file_names(files.moved, files.moved_count)}.")
    if files.elsewhere:
        sentences.append(
            "Written to the home folder of the sandbox, where the user does not see it (copy it "
            f"into the working folder if they shall have it): {', '.join(files.elsewhere)}."
        )
    if files.set_aside:
        names = _file_names(files.set_aside, len(files.set_aside))
        sentences.append(f"Moved away, since other programs would run it: {names}. {_ASIDE_WAITS}")
    if files.installed:
        names = ", ".join(files.installed[:MAX_FILE_NAMES])
        sentences.append(f"Installed for the code of this folder alone: {names}.")
    return " ".join(filter(None, [WHAT_THE_USER_DID[files.action], *sentences]))


_ASIDE_WAITS = "The user decides whether it is put back."


WHAT_THE_USER_DID: Mapping[ChangeAction, str] = {
    "run": "",
    "undo": "The user has undone changes to files.",
    "redo": "The user has redone changes to files.",
    "keep": "The user has kept files that had been set aside.",
    "delete": "The user has deleted files that had been set aside.",
    "review": "The code works in a copy of the folder, which is itself as before. In the copy:",
    "apply": "The user has applied changes of the copy to the folder.",
    "discard": "The user has discarded the copy; the folder is as before. What was in it:",
}


def _file_names(found: Sequence[FileChange], count: int) -> str:
    names = [change.path for change in found[:MAX_FILE_NAMES]]
    more = count - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def fenced(code: str, language: str) -> str:
    """Return the code in a fence that it cannot close."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def unique_ids(ids: list[str]) -> list[str]:
    """Return a unique id for each: some servers give all calls one, some clients none.

    Results could otherwise not be matched to their calls.
    """
    given: list[str] = []
    for place, name in enumerate(ids):
        if not name or name in given:
            name = f"{name or 'call'}_{place}"
            while name in given or name in ids:
                name += "_"
        given.append(name)
    return given


def _valid_json(arguments: str) -> str:
    """Return the arguments as a JSON object, because servers refuse a history with other ones."""
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(read_json(arguments), dict):
            return arguments
    except ValueError:
        pass
    return json.dumps({"broken_arguments": arguments})


_OPENAI_LIMIT = 40
_MISTRAL_LENGTH = 9
_MISTRAL = re.compile(r"[a-zA-Z0-9]{9}")


def accepted_ids(ids: Iterable[str], model: ModelSettings) -> list[str]:
    """Return the ids in a form that the model's provider takes, the same for call and result.

    Servers behind an address of the user's own get their own ids back unchanged.
    """
    match provider_of(model.model), model.api_base:
        case "mistral", _:
            return [found if _MISTRAL.fullmatch(found) else _mistral_id(found) for found in ids]
        case ("openai", None | "") | ("azure", _):
            return [_short_id(found) for found in ids]
        case _:
            return list(ids)


def _short_id(id_: str) -> str:
    return id_ if len(id_) <= _OPENAI_LIMIT else f"call_{_digest(id_)[:24]}"


def _mistral_id(id_: str) -> str:
    return _digest(id_)[:_MISTRAL_LENGTH]


def _digest(id_: str) -> str:
    return hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()


Entry = dict[str, Any]

DOCUMENT_SUFFIX = ".pdf"
PICTURE_SUFFIXES = frozenset({".heic", ".heif", ".tif", ".tiff", ".avif"})
"""Pictures that the window cannot draw go as files; a model may be shown them all the same."""

NO_QUESTION = "[The conversation began with what you say next.]"
"""Precedes an answer without a question if roles have to alternate."""


def chat_messages(
    messages: Iterable[Message],
    system: str = "",
    folder: str = "",
    *,
    takes_tools: bool = True,
    model: ModelSettings | None = None,
    attached: Mapping[str, str] | None = None,
) -> list[Entry]:
    """Return the chat messages: every call has exactly one result, right after it.

    Earlier calls are text for a model that takes no tools, and roles alternate, because many
    such models require that. Relative paths of images are of `folder`. `model` decides whose
    ids and signatures are kept. `attached` is what was read of files, by message.
    """
    messages = list(messages)
    builder = _Builder(folder, takes_tools, model or ModelSettings(), drafts(messages))
    builder.attached = attached or {}
    for message in messages:
        if message.recipient != "user":
            builder.add(message)
    head = [{"role": "system", "content": system}] if system else []
    return [*head, *builder.finish()]


class _Builder:
    """Gathers one answer of the assistant with its blocks and results, then writes it out."""

    def __init__(
        self, folder: str, takes_tools: bool, model: ModelSettings, examples: Collection[str]
    ) -> None:
        self._model = model
        self._examples = examples
        self._provider = provider_of(model.model)
        self._thinking: list[Entry] = []
        self._folder = folder
        self.attached: Mapping[str, str] = {}
        self._takes_tools = takes_tools
        self._entries: list[Entry] = []
        self._text: list[str] = []
        self._blocks: list[_Block] = []
        self._current: _Block | None = None

    def finish(self) -> list[Entry]:
        """Return all entries."""
        self._flush()
        if self._entries and self._entries[0]["role"] != "user":
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
        if message.type == "code":  # sent with its run, as code of the user's
            self._flush()
        if not message.text.strip():  # some servers refuse what is empty
            return
        match message.type:
            case "message":
                parts: list[Entry] = [{"type": "text", "text": message.text}]
            case "file":
                parts = _file_parts(message, self._folder, self.attached.get(message.id, ""))
            case "image":
                parts = [_image_part(message, self._folder)]
            case _:
                return
        self._flush()
        self._add_user_parts(parts)

    def _add_user_parts(self, parts: list[Entry]) -> None:
        """Add parts of the user; neighbours become one entry, as some servers alternate roles."""
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
            # A call that was cut off has incomplete arguments.
            self._text.append(fenced(message.text, message.format or ""))
        elif message.type == "tool_call" and not self._takes_tools and not is_cut:
            self._text.append(describe_call(message))
        if not is_cut and message.id not in self._examples:
            self._blocks.append(_Block(message, takes_tools=self._takes_tools))

    def _add_computer(self, message: Message) -> None:
        content = message.content
        if isinstance(content, Proposal):
            self._current = self._proposed(content)
            self._current.propose(content)
        elif isinstance(content, RunReport):
            if (block := self._current or self._unsettled()) is not None:
                block.report(content)
        elif message.type == "tool_result":
            self._called(message).add_note(message.text)
        elif message.type == "console":
            self._running().print(message.text)
        elif message.type == "image":
            self._running().add_note("[An image was shown to the user.]")
        elif message.type == "code":
            self._running().add_note(describe_result(message))
        elif isinstance(content, FileChanges):
            self._running().add_note(describe_file_changes(content))

    def _proposed(self, proposal: Proposal) -> _Block:
        """Return the block of a proposal; an imported one does not name its message."""
        named = (block for block in self._blocks if block.message_id == proposal.message_id != "")
        alike = (block for block in self._waiting() if block.is_code(proposal))
        found = next(named, None) or next(alike, None)
        if found is None and not proposal.message_id:
            found = next(iter(self._waiting()), None)
        return found or self._detached(proposal.message_id)

    def _add_echo(self, message: Message) -> None:
        """Add signed thinking, only for the provider that signed it."""
        echo = message.content
        if not isinstance(echo, Echo) or echo.provider != self._provider:
            return
        if any(block.is_settled for block in self._blocks):
            self._flush()  # the model has been asked again since
        with suppress(ValueError):  # an earlier version kept what is nested more deeply
            self._thinking += read_json(echo.data)

    def _called(self, result: Message) -> _Block:
        """Return the block that a result belongs to: by its id, else the next without a result."""
        wanted = result.call_id
        named = [block for block in self._blocks if wanted and block.call_id == wanted]
        waiting = self._waiting()
        if named:
            return next((block for block in named if block in waiting), named[0])
        if wanted:  # an id that no call has
            return waiting[0] if len(waiting) == 1 else self._detached()
        return self._current or next(iter(waiting), None) or self._detached()

    def _running(self) -> _Block:
        """Return the block that an output belongs to; output without code gets its own."""
        return self._current or self._unsettled() or self._detached()

    def _unsettled(self) -> _Block | None:
        return next(iter(self._waiting()), self._blocks[-1] if self._blocks else None)

    def _waiting(self) -> list[_Block]:
        return [block for block in self._blocks if not block.is_settled]

    def _detached(self, message_id: str = "") -> _Block:
        block = _Block(None, message_id=message_id)
        self._blocks.append(block)
        return block

    def _flush(self) -> None:
        calls = [block for block in self._blocks if block.is_call]
        ids = accepted_ids(unique_ids([block.call_id or "" for block in calls]), self._model)
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
        others = (block.loose_text() for block in self._blocks if not block.is_call)
        for text in filter(None, others):
            self._add_user_parts([{"type": "text", "text": text}])
        self._text, self._blocks, self._current, self._thinking = [], [], None, []


def _file_parts(message: Message, folder: str, content: str) -> list[Entry]:
    """Return a file's path with what was read of it, or as a document or picture if one may be."""
    text = f"[Attached file: {message.text}]"
    parts: list[Entry] = [{"type": "text", "text": f"{text}\n{content}" if content else text}]
    path = Path(folder, message.text)
    if path.suffix.lower() == DOCUMENT_SUFFIX:
        parts.append(_file_part(DOCUMENT_PART, path, folder))
    elif path.suffix.lower() in PICTURE_SUFFIXES:
        parts.append(_file_part(IMAGE_PART, path, folder))
    return parts


def _file_part(kind: str, path: Path, folder: str) -> Entry:
    """Return the part of a file, which names the folder if code could change the file there."""
    part: Entry = {"type": kind, "path": str(path)}
    is_inside = folder and Path(os.path.abspath(path)).is_relative_to(os.path.abspath(folder))
    return {**part, "folder": folder} if is_inside else part


def _image_part(message: Message, folder: str) -> Entry:
    if (message.format or "").startswith("base64"):
        return {"type": IMAGE_DATA_PART, "data": message.text}
    return _file_part(IMAGE_PART, Path(folder, message.text), folder)
