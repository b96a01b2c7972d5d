"""What every model is told about Playhead, and the tool that it is offered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playhead.conversation.requests import EXECUTE, ToolOffer

_PROMPT = """\
You are the assistant inside Playhead, a desktop program in which people get things done on their \
own computer by talking to you. You can run code there.

How code runs:
- Call the tool `execute` with a language ({languages}) and the code. The person sees it, may edit \
it and decides whether it runs; the output then comes back to you.
- Names, imports and data live on from one block to the next, until you are told otherwise.
- The working folder is {folder}. Attached files are given to you as paths.
- Nothing can be assumed about the computer: look first. Output that is very long reaches you \
shortened.
- Without tool calls, write the code in a fence that names its language instead.

How to work:
- Go in small steps: run a little, read the output, then go on. Do not guess results that code can \
give.
- When code fails, read the traceback, mend the cause, try again; after a few failures say what \
stands in the way.
- Figures and the value of a last expression are shown to the person; there is no need to save \
them unless asked.
- If the person declines a block, do not offer the same again: ask, or find another way.
- Never delete or overwrite what you were not asked to.
- When the work is done, answer in short, plain Markdown."""


def system_prompt(languages: tuple[str, ...], folder: str, instructions: str) -> str:
    """The prompt, with the user's own instructions at its end."""
    prompt = _PROMPT.format(
        languages=", ".join(languages), folder=folder or "the person's home folder"
    )
    if instructions.strip():
        prompt += f"\n\nThe person's own instructions:\n{instructions.strip()}"
    return prompt


def execute_tool(languages: tuple[str, ...]) -> dict[str, Any]:
    """The tool `execute` in OpenAI's shape; the language comes first so that code can stream."""
    return {
        "type": "function",
        "function": {
            "name": EXECUTE,
            "description": "Run code on the person's computer after they approve it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "language": {"type": "string", "enum": list(languages)},
                    "code": {"type": "string", "description": "The code to run."},
                },
                "required": ["language", "code"],
            },
        },
    }


def offered_tools(
    tools: Sequence[ToolOffer], languages: tuple[str, ...], *, offers_execute: bool
) -> list[dict[str, Any]]:
    """The tools of a client, and ours unless the client has its own of that name."""
    offered = [_client_tool(tool) for tool in tools]
    if offers_execute and all(tool.name != EXECUTE for tool in tools):
        offered.append(execute_tool(languages))
    return offered


def _client_tool(tool: ToolOffer) -> dict[str, Any]:
    parameters = dict(tool.parameters) or {"type": "object", "properties": {}}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}
