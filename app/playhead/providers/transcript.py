"""A conversation as a model reads it: OpenAI chat messages in which every call has its result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from playhead.conversation.message import Message
from playhead.conversation.payloads import Proposal, RunReport
from playhead.model_worker.protocol import IMAGE_PART

HEAD_CHARS, TAIL_CHARS = 4_000, 8_000
"""How much of a long output a model sees; the user has all of it."""

NOT_RUN = "This code was not run."
TOOL = "execute"

Wire = dict[str, Any]
_Part = Literal["user", "assistant", "computer", "none"]


def chat_messages(messages: Sequence[Message], system: str = "") -> list[Wire]:
    """The active path of a conversation for a model, oldest first, after the system prompt.

    Image files stand as parts of type `IMAGE_PART`; whoever sends them knows if the model can see.
    """
    wire: list[Wire] = [{"role": "system", "content": system}] if system else []
    results = _results(messages)
    told = [message for message in messages if _part(message) != "none"]
    for part, group in groupby(told, key=_part):
        if part == "user":
            wire.append(_user_message(list(group)))
        elif part == "assistant":
            wire += _assistant_messages(list(group), results)
    return _with_users_joined(wire)


def shortened(text: str) -> str:
    """Head and tail of a long text, with what is left out said in between."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    left_out = len(text) - HEAD_CHARS - TAIL_CHARS
    return (
        f"{text[:HEAD_CHARS]}\n[… {left_out} characters left out; "
        f"print less if you need them …]\n{text[-TAIL_CHARS:]}"
    )


def _part(message: Message) -> _Part:
    if message.recipient == "user" or message.type in ("reasoning", "plan", "citation"):
        return "none"
    return message.role if message.role != "server" else "none"


@dataclass(slots=True)
class _Result:
    """What became of one call: its output, and what the model must know besides."""

    notes: list[str] = field(default_factory=list[str])
    output: list[str] = field(default_factory=list[str])
    has_run: bool = False

    def text(self) -> str:
        output = shortened("".join(self.output)).strip("\n")
        if self.has_run and not output and not self.notes:
            return "(no output)"
        return "\n".join([*self.notes, *([output] if output else [])]) or NOT_RUN


def _results(messages: Sequence[Message]) -> dict[str, _Result]:
    """By message id of each code and tool call: what the computer's messages say about it."""
    results: dict[str, _Result] = {}
    by_call: dict[str, str] = {}
    current = _Result()
    for message in messages:
        if message.role == "assistant" and message.type in ("code", "tool_call"):
            results[message.id] = _Result()
            if message.call_id:
                by_call[message.call_id] = message.id
        elif isinstance(message.content, Proposal):
            current = results.get(message.content.message_id, _Result())
            _note_edit(current, message.content, messages)
        elif message.type == "tool_result":
            told = results.get(by_call.get(message.call_id or "", ""), current)
            told.output.append(message.text)
        elif message.role == "computer":
            _add(current, message)
    return results


def _note_edit(result: _Result, proposal: Proposal, messages: Sequence[Message]) -> None:
    proposed = next((m.text for m in messages if m.id == proposal.message_id), proposal.code)
    if proposal.code != proposed:
        result.notes.append(
            "The user edited the code before it ran. This is what ran:\n"
            f"{_fenced(proposal.code, proposal.language)}\nIts output:"
        )


def _add(result: _Result, message: Message) -> None:
    match message.content:
        case RunReport(state="started"):
            result.has_run = True
        case RunReport() as report:
            _note_end(result, report)
        case str() as text if message.type == "console":
            result.output.append(text)
        case str() as path if message.type == "image":
            result.output.append(f"[A figure was shown to the user: {path}]\n")
        case _:
            pass


def _note_end(result: _Result, report: RunReport) -> None:
    where = f" at line {report.line}" if report.line else ""
    if report.state == "interrupted":
        result.notes.append(f"The user stopped it{where} after {report.seconds:.1f} s.")
    elif report.state == "killed":
        reason = f" {report.reason}" if report.reason else ""
        result.notes.append(
            f"The kernel ended{where} and its names are gone; the next run has a new one.{reason}"
        )


def _user_message(group: list[Message]) -> Wire:
    parts = [_user_part(message) for message in group]
    if any(part["type"] != "text" for part in parts):
        return {"role": "user", "content": parts}
    return {"role": "user", "content": "\n\n".join(part["text"] for part in parts)}


def _user_part(message: Message) -> Wire:
    if message.type == "image" and message.format in (None, "path"):
        return {"type": IMAGE_PART, "path": message.text}
    if message.type == "file":
        return {"type": "text", "text": f"[Attached file: {message.text}]"}
    return {"type": "text", "text": message.text}


def _assistant_messages(group: list[Message], results: dict[str, _Result]) -> Iterator[Wire]:
    """One assistant message for all that was said and called, then the results of its calls."""
    calls = [message for message in group if _is_call(message)]
    said = [text for message in group if message not in calls and (text := _said(message))]
    if not said and not calls:
        return
    answer: Wire = {"role": "assistant", "content": "\n\n".join(said) or None}
    if calls:
        answer["tool_calls"] = [_tool_call(message) for message in calls]
    yield answer
    for call in calls:
        text = results[call.id].text()
        yield {"role": "tool", "tool_call_id": call.call_id, "content": text}
    for block in group:
        if block.type == "code" and block.state == "complete" and block not in calls:
            yield {"role": "user", "content": _told_output(results[block.id].text())}


def _is_call(message: Message) -> bool:
    """Whether it goes back as a call; one that was cut off has no whole arguments."""
    if message.state != "complete" or not message.call_id:
        return False
    return message.type in ("code", "tool_call")


def _said(message: Message) -> str:
    if message.type == "code":
        return _fenced(message.text, message.format or "") if message.text else ""
    return message.text


def _tool_call(message: Message) -> Wire:
    if message.type == "code":
        name = TOOL
        arguments = json.dumps({"language": message.format, "code": message.text})
    else:
        name, arguments = message.format or "unknown", _object_text(message.text)
    return {
        "id": message.call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def _object_text(arguments: str) -> str:
    """The arguments as they came if they are a JSON object; providers refuse anything else."""
    try:
        value: object = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return arguments if isinstance(value, dict) else json.dumps({"broken_arguments": arguments})


def _told_output(text: str) -> str:
    return f"[Result of the code above]\n{text}"


def _fenced(code: str, language: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def _with_users_joined(wire: list[Wire]) -> list[Wire]:
    """Neighbouring user messages become one: some templates insist on taking turns."""
    joined: list[Wire] = []
    for message in wire:
        last = joined[-1] if joined else None
        if last and last["role"] == message["role"] == "user":
            joined[-1] = {"role": "user", "content": _joined(last["content"], message["content"])}
        else:
            joined.append(message)
    return joined


def _joined(first: str | list[Wire], second: str | list[Wire]) -> str | list[Wire]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_parts(first), *_parts(second)]


def _parts(content: str | list[Wire]) -> list[Wire]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
