"""What a model is asked: the conversation as it is, and what the model must know beside it."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.conversation.message import Message
from playhead.conversation.requests import Interpreter, TurnRequest
from playhead.session.calls import count_runs
from playhead.session.turn_values import TurnSettings


def turn_request(
    turn_id: str,
    conversation_id: str,
    messages: Sequence[Message],
    settings: TurnSettings,
    languages: tuple[str, ...],
    managed: Interpreter | None = None,
    *,
    must_call: bool = False,
    runs_unasked: bool = False,
) -> TurnRequest:
    """The request for the next answer; `managed` is the Python where none is chosen."""
    return TurnRequest(
        turn_id=turn_id,
        conversation_id=conversation_id,
        messages=tuple(messages),
        model=settings.model,
        instructions=_instructions(settings, messages),
        languages=languages,
        has_called_tools=any(_is_call(message) for message in messages),
        folder=settings.folder,
        tools=settings.tools,
        offers_execute=settings.offers_execute,
        must_call=must_call,
        system_prompt=settings.system_prompt,
        interpreter=settings.interpreter or (managed.path if managed else ""),
        runs_unasked=runs_unasked,
    )


def _instructions(settings: TurnSettings, messages: Sequence[Message]) -> str:
    """The user's instructions, and what the model must know of a kernel that is a new one."""
    gone = min(settings.fresh_after(), count_runs(messages))
    if not gone:
        return settings.instructions
    note = (
        f"The kernel was restarted after the first {gone} code run(s) of this conversation: "
        "names, imports and data from those runs no longer exist. Run again what you need."
    )
    return f"{settings.instructions}\n\n{note}".strip()


def _is_call(message: Message) -> bool:
    return message.type == "tool_call" or (message.type == "code" and message.call_id is not None)
