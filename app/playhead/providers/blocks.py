"""Code and calls of the assistant with what came of them, as a model is told of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import unified_diff
from typing import Any

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import FileChange, FileChanges, Proposal, RunReport
from playhead.domain.model import EXECUTE

HEAD_CHARACTERS = 4_000
TAIL_CHARACTERS = 8_000
NAMES_TOLD = 20
COMPARED_CHARACTERS = 200_000
NOT_RUN = "This was not run."
NO_RESULT = "No result came of this call."


class Block:
    """Code or a call, and what came of it.

    With `message` None its assistant message is not at hand (it stands further back, or a client
    left it out); `ran` is then the code that a proposal showed, if there was one.
    Without `takes_tools` it is told in words, a call too.
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
        """Whether it goes back as a tool call; code in a fence had none."""
        if self.message is None or not self._takes_tools:
            return False
        return self.message.type == "tool_call" or bool(self.call_id)

    @property
    def is_settled(self) -> bool:
        """Whether anything came of it yet."""
        return self.has_run or bool(self._notes)

    @property
    def result(self) -> str:
        """What the model is told of it; never empty."""
        told = shortened("".join(self._output)).strip("\n")
        parts = [part for part in (*self._notes, told) if part.strip()]
        return "\n".join(parts) or self._nothing()

    def told(self) -> str:
        """The result where there is no call that it could answer; '' if there is none to tell."""
        if self.message is not None:
            what = (
                "the code" if self.message.type == "code" else f"the call of {_tool(self.message)}"
            )
            return f"What came of {what}:\n{self.result}"
        if not self.is_settled:
            return ""
        head = f"This code was run:\n{self.ran}\n" if self.ran else ""
        return f"{head}What came of it:\n{self.result}"

    def is_code(self, proposal: Proposal) -> bool:
        """Whether the proposal shows just this code."""
        found = self.message
        if found is None or found.type != "code":
            return False
        return (found.format, found.text) == (proposal.language, proposal.code)

    def propose(self, proposal: Proposal) -> None:
        """What is about to run; code that the user edited is told to the model."""
        ran = fenced(proposal.code, proposal.language)
        if self.message is None:
            self.ran = ran
        elif proposal.code != self.message.text:
            self.note(edit_told(self.message.text, proposal.code, proposal.language))

    def report(self, report: RunReport) -> None:
        """How a run stands."""
        self.has_run = True
        self._notes += _fate(report)

    def print(self, text: str) -> None:
        """Output of the run."""
        self.has_run = True
        self._output.append(text)

    def note(self, text: str) -> None:
        """A result in words."""
        self._notes.append(text)

    def call(self, call_id: str) -> dict[str, Any]:
        """The call; code is written again as the arguments of `execute`."""
        message = self.message
        assert message is not None  # noqa: S101 - only calls are asked for it
        if message.type == "code":
            arguments = json.dumps({"language": message.format, "code": message.text})
            name = EXECUTE
        else:
            name, arguments = _tool(message), _valid_json(message.text)
        function = {"name": name, "arguments": arguments}
        return {"id": call_id, "type": "function", "function": function}

    def _nothing(self) -> str:
        if self.is_settled:
            return "(no output)"
        is_code = self.message is None or self.message.type == "code"
        return NOT_RUN if is_code else NO_RESULT


def call_told(call: Message) -> str:
    """A call in words, for a model that takes no tools."""
    return f"[Call of {_tool(call)}: {call.text.strip() or '{}'}]"


def _tool(call: Message) -> str:
    return call.format or "unknown"


def edit_told(before: str, after: str, language: str) -> str:
    """What the user made of the code before it ran: the changes, or all where that is less."""
    whole = f"The user edited the code. This is what ran:\n{fenced(after, language)}"
    if len(before) + len(after) > COMPARED_CHARACTERS:
        return whole
    old, new = before.splitlines(), after.splitlines()
    changes = list(unified_diff(old, new, "as you wrote it", "as it ran", lineterm="", n=2))
    if not changes:
        return whole
    told = fenced("\n".join(changes), "diff")
    diff = f"The user edited the code before it ran. What they changed:\n{told}"
    return min(diff, whole, key=len)


def shortened(output: str) -> str:
    """Head and tail of a long output, with what is missing said in between."""
    missing = len(output) - HEAD_CHARACTERS - TAIL_CHARACTERS
    if missing <= 0:
        return output
    head, tail = output[:HEAD_CHARACTERS], output[-TAIL_CHARACTERS:]
    return f"{head}\n[… {missing} characters left out …]\n{tail}"


def shown(result: Message) -> str:
    """A rich result: its text where a model can read it, else that the user saw it."""
    if result.format in ("markdown", "latex"):
        return shortened(result.text)
    return f"[A result was shown to the user as {result.format or 'text'}.]"


def changes(files: FileChanges) -> str:
    """Which files a run made, changed and deleted."""
    kinds = (("created", files.created), ("changed", files.changed), ("deleted", files.deleted))
    told = [
        f"Files {kind}: {_names(found, count)}."
        for (kind, found), count in zip(kinds, files.counts, strict=True)
        if found
    ]
    return " ".join(told)


def _names(found: Sequence[FileChange], count: int) -> str:
    names = [change.path for change in found[:NAMES_TOLD]]
    more = count - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def fenced(code: str, language: str) -> str:
    """The code in a fence that it cannot close."""
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code}\n{fence}"


def unique(ids: list[str]) -> list[str]:
    """An id for each: some servers give all calls one, some clients none.

    Results could not be told apart otherwise.
    """
    given: list[str] = []
    for place, name in enumerate(ids):
        if not name or name in given:
            name = f"{name or 'call'}_{place}"
            while name in given or name in ids:
                name += "_"
        given.append(name)
    return given


def _fate(report: RunReport) -> list[str]:
    """How a run ended, if not by itself."""
    line = f" at line {report.line}" if report.line else ""
    reason = f" {report.reason}" if report.reason else ""
    if report.state == "interrupted":
        return [f"The user stopped it{line} after {report.seconds:.1f} s.{reason}"]
    if report.state == "killed":
        return [f"The kernel ended{line}; its names are gone, the next run has a new one.{reason}"]
    return []


def _valid_json(arguments: str) -> str:
    """Servers refuse a history with arguments that are no JSON object."""
    if not arguments.strip():
        return "{}"
    try:
        if isinstance(json.loads(arguments), dict):
            return arguments
    except (ValueError, RecursionError):
        pass
    return json.dumps({"broken_arguments": arguments})
