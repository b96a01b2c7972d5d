"""What can be asked about sessions, which are the conversations of the window."""

from __future__ import annotations

from playhead.api import schemas, session_schemas
from playhead.api.operation import BODY_ERRORS, TURN_ERRORS, Operation, Parameter

_ONE = "/v1/sessions/{session_id}"
_ASKED = {"role": "user", "type": "message", "content": "How many days are 1000 hours?"}

SESSION_OPERATIONS = (
    Operation(
        name="session_create",
        method="POST",
        path="/v1/sessions",
        summary="Begin a conversation",
        description="It is in the window's list at once, and stays there.",
        body=session_schemas.SessionRequest,
        answer=session_schemas.SessionAnswer,
        errors=BODY_ERRORS,
        status=201,
        example={"title": "Hours", "config": {"llm": {"model": "openai/gpt-4o-mini"}}},
    ),
    Operation(
        name="session_list",
        method="GET",
        path="/v1/sessions",
        summary="The conversations, those that changed last first",
        answer=session_schemas.SessionList,
        errors=(400,),
        query=(
            Parameter("limit", "How many at most: 1 to 100, else 20."),
            Parameter("after", "The `session_id` that the page before ended with."),
        ),
    ),
    Operation(
        name="session_get",
        method="GET",
        path=_ONE,
        summary="One conversation",
        answer=session_schemas.SessionAnswer,
    ),
    Operation(
        name="session_change",
        method="PATCH",
        path=_ONE,
        summary="Rename it, or choose another model for it",
        body=session_schemas.SessionRequest,
        answer=session_schemas.SessionAnswer,
        errors=BODY_ERRORS,
        example={"title": "Days"},
    ),
    Operation(
        name="session_delete",
        method="DELETE",
        path=_ONE,
        summary="Delete it for good, with its files",
        errors=(423,),
        status=204,
    ),
    Operation(
        name="session_messages",
        method="GET",
        path=_ONE + "/messages",
        summary="What was said in it, as native messages",
        answer=session_schemas.SessionMessages,
        query=(Parameter("detail", "`full` adds the kinds of the program's own faces."),),
        errors=(400,),
    ),
    Operation(
        name="session_chat",
        method="POST",
        path=_ONE + "/messages",
        summary="Ask in it",
        description=(
            "As `/v1/chat`, with only what is new. The command `stop` also ends a turn under way; "
            "with `extended`, the command `input` answers code that asks for a line."
        ),
        body=session_schemas.SessionChatRequest,
        answer=schemas.ChatAnswer,
        event=schemas.NativeChunk,
        errors=TURN_ERRORS,
        example={"messages": [_ASKED]},
    ),
    Operation(
        name="session_empty",
        method="DELETE",
        path=_ONE + "/messages",
        summary="Take all messages out of it and end its kernel",
        errors=(423,),
        status=204,
    ),
    Operation(
        name="session_export",
        method="GET",
        path=_ONE + "/export",
        summary="It as a file",
        files=("application/json", "text/markdown", "application/x-ipynb+json", "text/x-python"),
        errors=(400,),
        query=(Parameter("format", "`json`, which is the default, `md`, `ipynb` or `py`."),),
    ),
)
