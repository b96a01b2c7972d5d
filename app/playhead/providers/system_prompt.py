"""What a model is told of the place it works in, and the tool that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playhead.conversation.requests import TurnRequest
from playhead.providers.transcript import TOOL

_PLACE = """\
You work in Playhead, an application on the user's own computer that runs the code you write. \
The user reads along, approves each block before it runs, and sees its output, figures and the \
line that is running.

- To run code, call the tool `{tool}`. If you cannot call tools, write one fenced block marked \
with its language instead; it is run in the same way.
- Languages: {languages}. The working folder is {folder}.
- Names, imports and files live on from block to block, so take one small step at a time and look \
at its output before the next.
- The last expression of a block is shown, and so are matplotlib figures.
- If the user declines a block, do not try it again unchanged: ask, or take another way.
- If an output is an error, say what it means and mend it. Never make up an output.
- When you are done, say so in a few plain sentences. Write markdown."""


def system_prompt(request: TurnRequest) -> str:
    """The system prompt of a turn, the user's own instructions at its end."""
    place = _PLACE.format(
        tool=TOOL,
        languages=", ".join(request.languages),
        folder=request.folder or "the user's home folder",
    )
    return f"{place}\n\n{request.instructions}" if request.instructions else place


def tools(languages: Sequence[str]) -> list[dict[str, Any]]:
    """The one tool, in the shape of OpenAI's function tools."""
    properties = {
        "language": {"type": "string", "enum": list(languages), "description": "its language"},
        "code": {"type": "string", "description": "the code to run, complete"},
    }
    function = {
        "name": TOOL,
        "description": "Run code on the user's computer and get its output.",
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": ["language", "code"],
        },
    }
    return [{"type": "function", "function": function}]
