"""What can be asked in the format of OpenAI Assistants."""

from __future__ import annotations

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
    Parameter("limit", "How many at most: 1 to 100, else 20."),
    Parameter("order", "`asc` or `desc`, the newest first."),
    Parameter("after", "The id that the page before ended with."),
    Parameter("before", "The id that the page after begins with."),
)
_STREAMED = (
    "With `stream` its events come as they are, to the end or to `requires_action`; without, the "
    "run goes on and is looked at from time to time. "
)

ASSISTANT_OPERATIONS = (
    Operation(
        name="assistant_create",
        method="POST",
        path=_ASSISTANTS,
        summary="Make an assistant: a model with instructions",
        body=of.AssistantRequest,
        answer=of.AssistantObject,
        errors=BODY_ERRORS,
        example={"model": "openai/gpt-4o-mini", "name": "Counter", "instructions": "Be brief."},
    ),
    Operation(
        name="assistant_list",
        method="GET",
        path=_ASSISTANTS,
        summary="The assistants; `asst_interpreter` is always there",
        answer=of.AssistantPage,
        errors=(400,),
        query=_PAGE,
    ),
    Operation(
        name="assistant_get",
        method="GET",
        path=_ASSISTANT,
        summary="One assistant",
        answer=of.AssistantObject,
    ),
    Operation(
        name="assistant_change",
        method="POST",
        path=_ASSISTANT,
        summary="Change an assistant",
        body=of.AssistantChange,
        is_body_optional=True,
        answer=of.AssistantObject,
        errors=BODY_ERRORS,
        example={"instructions": "Be very brief."},
    ),
    Operation(
        name="assistant_delete",
        method="DELETE",
        path=_ASSISTANT,
        summary="Delete an assistant",
        answer=of.Deleted,
        errors=(400,),
    ),
    Operation(
        name="thread_create",
        method="POST",
        path=_THREADS,
        summary="Begin a thread, which is a conversation of the window's list",
        body=of.ThreadRequest,
        is_body_optional=True,
        answer=of.ThreadObject,
        errors=BODY_ERRORS,
        example={"messages": [_ASKED]},
    ),
    Operation(
        name="thread_run_create",
        method="POST",
        path=f"{_THREADS}/runs",
        summary="Begin a thread and run it",
        description=_STREAMED,
        body=of.ThreadRunRequest,
        answer=of.RunObject,
        event=of.AssistantsEvent,
        errors=TURN_ERRORS,
        example={"assistant_id": "asst_interpreter", "thread": {"messages": [_ASKED]}},
    ),
    Operation(
        name="thread_get",
        method="GET",
        path=_THREAD,
        summary="One thread",
        answer=of.ThreadObject,
    ),
    Operation(
        name="thread_change",
        method="POST",
        path=_THREAD,
        summary="Change a thread's metadata",
        body=of.ThreadChange,
        is_body_optional=True,
        answer=of.ThreadObject,
        errors=BODY_ERRORS,
        example={"metadata": {"topic": "hours"}},
    ),
    Operation(
        name="thread_delete",
        method="DELETE",
        path=_THREAD,
        summary="Delete a thread and its conversation for good",
        answer=of.Deleted,
    ),
    Operation(
        name="message_create",
        method="POST",
        path=_MESSAGES,
        summary="Add a message; nothing is asked by that",
        body=of.MessageRequest,
        answer=of.MessageObject,
        errors=TURN_ERRORS,
        example=_ASKED,
    ),
    Operation(
        name="message_list",
        method="GET",
        path=_MESSAGES,
        summary="The messages of a thread",
        answer=of.MessagePage,
        errors=(400,),
        query=(*_PAGE, Parameter("run_id", "Only those that this run made.")),
    ),
    Operation(
        name="message_get",
        method="GET",
        path=_MESSAGE,
        summary="One message",
        answer=of.MessageObject,
    ),
    Operation(
        name="message_change",
        method="POST",
        path=_MESSAGE,
        summary="Change a message's metadata",
        body=of.MetadataChange,
        is_body_optional=True,
        answer=of.MessageObject,
        errors=BODY_ERRORS,
        example={"metadata": {"seen": "yes"}},
    ),
    Operation(
        name="run_create",
        method="POST",
        path=_RUNS,
        summary="Have a thread answered",
        description=_STREAMED + "A thread has one active run at a time.",
        body=of.RunRequest,
        is_body_optional=True,
        answer=of.RunObject,
        event=of.AssistantsEvent,
        errors=TURN_ERRORS,
        example={"assistant_id": "asst_interpreter", "additional_messages": [_ASKED]},
    ),
    Operation(
        name="run_list",
        method="GET",
        path=_RUNS,
        summary="The runs of a thread",
        answer=of.RunPage,
        errors=(400,),
        query=_PAGE,
    ),
    Operation(
        name="run_get",
        method="GET",
        path=_RUN,
        summary="One run, as it stands",
        answer=of.RunObject,
    ),
    Operation(
        name="run_change",
        method="POST",
        path=_RUN,
        summary="Change a run's metadata",
        body=of.MetadataChange,
        is_body_optional=True,
        answer=of.RunObject,
        errors=BODY_ERRORS,
        example={"metadata": {"seen": "yes"}},
    ),
    Operation(
        name="run_cancel",
        method="POST",
        path=f"{_RUN}/cancel",
        summary="End a run",
        answer=of.RunObject,
        errors=(400,),
    ),
    Operation(
        name="run_outputs",
        method="POST",
        path=f"{_RUN}/submit_tool_outputs",
        summary="Decide about code, and give results of functions",
        description=(
            "An output for each call that waits. That of `execute` is a decision, as JSON: "
            '{"decision": "approve"}, with `code` to edit it, or {"decision": "deny"}. ' + _STREAMED
        ),
        body=of.OutputsRequest,
        answer=of.RunObject,
        event=of.AssistantsEvent,
        errors=TURN_ERRORS,
        example={"tool_outputs": [{"tool_call_id": "call_1", "output": _DECISION}]},
    ),
    Operation(
        name="step_list",
        method="GET",
        path=_STEPS,
        summary="The steps of a run",
        answer=of.StepPage,
        errors=(400,),
        query=_PAGE,
    ),
    Operation(
        name="step_get",
        method="GET",
        path=f"{_STEPS}/{{step_id}}",
        summary="One step",
        answer=of.StepObject,
    ),
    Operation(
        name="file_get",
        method="GET",
        path=_FILE,
        summary="What a picture's file is",
        answer=of.PictureObject,
    ),
    Operation(
        name="file_content",
        method="GET",
        path=f"{_FILE}/content",
        summary="A picture that code made",
        files=_PICTURES,
    ),
)
