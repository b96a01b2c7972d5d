"""The operations of the OpenAI Assistants format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from playhead.api.assistants import schemas as of
from playhead.api.openapi import BODY_ERRORS, TURN_ERRORS, Operation, Parameter

_ASSISTANTS = "/v1/assistants"
_ASSISTANT = f"{_ASSISTANTS}/{{assistant_id}}"
_THREADS = "/v1/threads"
_THREAD = f"{_THREADS}/{{thread_id}}"
_MESSAGES = f"{_THREAD}/messages"
_MESSAGE = f"{_MESSAGES}/{{message_id}}"
_RUNS = f"{_THREAD}/runs"
_RUN = f"{_RUNS}/{{run_id}}"
_STEPS = f"{_RUN}/steps"
_FILE = "/v1/files/{file_id}"
_ASKED = {"role": "user", "content": "How many days are 1000 hours?"}
_DECISION = '{"decision": "approve"}'
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/svg+xml")
_PAGE = (
    Parameter("limit", "The maximum number, from 1 to 100; 20 by default."),
    Parameter("order", "`asc`, or `desc` (the newest first)."),
    Parameter("after", "The last id of the previous page."),
    Parameter("before", "The first id of the next page."),
)
_STREAMED = (
    "With `stream`, its events are sent as they occur, up to the end or to `requires_action`; "
    "without, the run continues and is to be polled. "
)

_Schema = type[Struct]


def _get(name: str, path: str, summary: str, answer: _Schema) -> Operation:
    """Return the operation that answers with one object."""
    return Operation(name=name, method="GET", path=path, summary=summary, answer=answer)


def _list(name: str, path: str, summary: str, answer: _Schema, *more: Parameter) -> Operation:
    """Return the operation that answers with one page of a list."""
    return replace(_get(name, path, summary, answer), errors=(400,), query=(*_PAGE, *more))


def _delete(name: str, path: str, summary: str) -> Operation:
    """Return the operation that deletes one object."""
    return Operation(
        name=name, method="DELETE", path=path, summary=summary, answer=of.Deleted, is_stored=True
    )


def _post(
    name: str,
    path: str,
    summary: str,
    body: _Schema,
    answer: _Schema,
    example: Mapping[str, Any],
    *,
    is_body_optional: bool = False,
    errors: tuple[int, ...] = BODY_ERRORS,
) -> Operation:
    """Return the operation that makes or changes one object."""
    return Operation(
        name=name,
        method="POST",
        path=path,
        summary=summary,
        body=body,
        is_body_optional=is_body_optional,
        answer=answer,
        errors=errors,
        example=example,
        is_stored=True,
    )


_change = partial(_post, is_body_optional=True)
"""Changes one object; a body that is missing changes nothing."""


def _run(operation: Operation, description: str) -> Operation:
    """Return the operation as one that begins or continues a run, streamed or not."""
    return replace(operation, description=description, event=of.AssistantsEvent, errors=TURN_ERRORS)


ASSISTANT_OPERATIONS = (
    _post(
        "assistant_create",
        _ASSISTANTS,
        "Create an assistant: a model with instructions",
        of.AssistantRequest,
        of.AssistantObject,
        {"model": "openai/gpt-4o-mini", "name": "Counter", "instructions": "Be brief."},
    ),
    _list(
        "assistant_list",
        _ASSISTANTS,
        "List the assistants; `asst_interpreter` always exists",
        of.AssistantPage,
    ),
    _get("assistant_get", _ASSISTANT, "Get an assistant", of.AssistantObject),
    _change(
        "assistant_change",
        _ASSISTANT,
        "Change an assistant",
        of.AssistantChange,
        of.AssistantObject,
        {"instructions": "Be very brief."},
    ),
    replace(_delete("assistant_delete", _ASSISTANT, "Delete an assistant"), errors=(400,)),
    _change(
        "thread_create",
        _THREADS,
        "Begin a thread, which is a conversation of the window's list",
        of.ThreadRequest,
        of.ThreadObject,
        {"messages": [_ASKED]},
    ),
    _run(
        _post(
            "thread_run_create",
            f"{_THREADS}/runs",
            "Begin a thread and run it",
            of.ThreadRunRequest,
            of.RunObject,
            {"assistant_id": "asst_interpreter", "thread": {"messages": [_ASKED]}},
        ),
        _STREAMED,
    ),
    _get("thread_get", _THREAD, "Get a thread", of.ThreadObject),
    _change(
        "thread_change",
        _THREAD,
        "Change a thread's metadata",
        of.ThreadChange,
        of.ThreadObject,
        {"metadata": {"topic": "hours"}},
    ),
    _delete("thread_delete", _THREAD, "Delete a thread and its conversation permanently"),
    _post(
        "message_create",
        _MESSAGES,
        "Add a message, without asking the model",
        of.MessageRequest,
        of.MessageObject,
        _ASKED,
        errors=TURN_ERRORS,
    ),
    _list(
        "message_list",
        _MESSAGES,
        "List the messages of a thread",
        of.MessagePage,
        Parameter("run_id", "Only messages that this run made."),
    ),
    _get("message_get", _MESSAGE, "Get a message", of.MessageObject),
    _change(
        "message_change",
        _MESSAGE,
        "Change a message's metadata",
        of.MetadataChange,
        of.MessageObject,
        {"metadata": {"seen": "yes"}},
    ),
    _run(
        _change(
            "run_create",
            _RUNS,
            "Run a thread",
            of.RunRequest,
            of.RunObject,
            {"assistant_id": "asst_interpreter", "additional_messages": [_ASKED]},
        ),
        _STREAMED + "A thread has one active run at a time.",
    ),
    _list("run_list", _RUNS, "List the runs of a thread", of.RunPage),
    _get("run_get", _RUN, "Get a run in its current state", of.RunObject),
    _change(
        "run_change",
        _RUN,
        "Change a run's metadata",
        of.MetadataChange,
        of.RunObject,
        {"metadata": {"seen": "yes"}},
    ),
    Operation(
        name="run_cancel",
        method="POST",
        path=f"{_RUN}/cancel",
        summary="Cancel a run",
        answer=of.RunObject,
        errors=(400,),
    ),
    _run(
        _post(
            "run_outputs",
            f"{_RUN}/submit_tool_outputs",
            "Decide about code, and give results of functions",
            of.OutputsRequest,
            of.RunObject,
            {"tool_outputs": [{"tool_call_id": "call_1", "output": _DECISION}]},
        ),
        "An output for each call that waits. That of `execute` is a decision, as JSON: "
        '{"decision": "approve"}, with `code` to edit it, or {"decision": "deny"}. ' + _STREAMED,
    ),
    _list("step_list", _STEPS, "List the steps of a run", of.StepPage),
    _get("step_get", f"{_STEPS}/{{step_id}}", "Get a step", of.StepObject),
    _get("file_get", _FILE, "Get the description of a picture", of.PictureObject),
    Operation(
        name="file_content",
        method="GET",
        path=f"{_FILE}/content",
        summary="Get a picture that code made",
        files=_PICTURES,
    ),
)
