"""Every operation of the API."""

from __future__ import annotations

from playhead.api import schemas
from playhead.api.assistants.assistant_operations import ASSISTANT_OPERATIONS
from playhead.api.openapi import BODY_ERRORS, TURN_ERRORS, Operation, Parameter
from playhead.api.responses.response_operations import RESPONSE_OPERATIONS
from playhead.api.turns.code_places import PlaceList

_SESSION = "/v1/sessions/{session_id}"
_SESSION_QUESTION = {"role": "user", "type": "message", "content": "How many days are 1000 hours?"}

SESSION_OPERATIONS = (
    Operation(
        name="session_create",
        method="POST",
        path="/v1/sessions",
        summary="Begin a conversation",
        description="It appears in the window's list immediately, and stays there.",
        body=schemas.SessionRequest,
        answer=schemas.SessionAnswer,
        errors=BODY_ERRORS,
        status=201,
        example={"title": "Hours", "config": {"llm": {"model": "openai/gpt-4o-mini"}}},
        is_stored=True,
    ),
    Operation(
        name="place_list",
        method="GET",
        path="/v1/places",
        summary="List where code can run",
        description=(
            "This computer, the Jupyter servers that were added in the window, and the machines "
            "that ssh has names for. A server is asked for its kernels only by `server`."
        ),
        answer=PlaceList,
        errors=(400,),
        query=(Parameter("server", "The name of a server whose kernels are listed, too."),),
    ),
    Operation(
        name="session_list",
        method="GET",
        path="/v1/sessions",
        summary="List the conversations, the most recently changed first",
        answer=schemas.SessionList,
        errors=(400,),
        query=(
            Parameter("limit", "The maximum number, from 1 to 100; 20 by default."),
            Parameter("after", "The last `session_id` of the previous page."),
        ),
    ),
    Operation(
        name="session_get",
        method="GET",
        path=_SESSION,
        summary="Get a conversation",
        answer=schemas.SessionAnswer,
    ),
    Operation(
        name="session_change",
        method="PATCH",
        path=_SESSION,
        summary="Rename a conversation, or choose another model for it",
        body=schemas.SessionRequest,
        answer=schemas.SessionAnswer,
        errors=BODY_ERRORS,
        example={"title": "Days"},
        is_stored=True,
    ),
    Operation(
        name="session_delete",
        method="DELETE",
        path=_SESSION,
        summary="Delete a conversation permanently, with its files",
        errors=(423,),
        status=204,
        is_stored=True,
    ),
    Operation(
        name="session_messages",
        method="GET",
        path=_SESSION + "/messages",
        summary="List the messages of a conversation in the native format",
        answer=schemas.SessionMessages,
        query=(Parameter("detail", "`full` adds message types for Playhead's own clients."),),
        errors=(400,),
    ),
    Operation(
        name="session_chat",
        method="POST",
        path=_SESSION + "/messages",
        summary="Send a message in a conversation",
        description=(
            "Like `/v1/chat`, with only the new messages. The command `stop` also ends a running "
            "turn; with `extended`, the command `input` answers code that asks for a line."
        ),
        body=schemas.SessionChatRequest,
        answer=schemas.ChatAnswer,
        event=schemas.NativeChunk,
        errors=TURN_ERRORS,
        example={"messages": [_SESSION_QUESTION]},
    ),
    Operation(
        name="session_empty",
        method="DELETE",
        path=_SESSION + "/messages",
        summary="Delete all messages of a conversation and end its kernel",
        errors=(423,),
        status=204,
        is_stored=True,
    ),
    Operation(
        name="session_export",
        method="GET",
        path=_SESSION + "/export",
        summary="Export a conversation as a file",
        files=("application/json", "text/markdown", "application/x-ipynb+json", "text/x-python"),
        errors=(400,),
        query=(Parameter("format", "`json` (the default), `md`, `ipynb` or `py`."),),
    ),
    Operation(
        name="session_grants",
        method="GET",
        path=_SESSION + "/grants",
        summary="List what code of a conversation is granted and denied beyond its policy",
        answer=schemas.SessionGrants,
    ),
    Operation(
        name="session_grant",
        method="POST",
        path=_SESSION + "/grants",
        summary="Grant or deny something to code of a conversation",
        description=(
            "Refused unless the owner of the server lets clients choose what code may do. A denial "
            "beats a grant. A kernel in the sandbox that cannot be given it as it runs is ended."
        ),
        body=schemas.GrantRequest,
        answer=schemas.SessionGrants,
        errors=(*BODY_ERRORS, 403),
        status=201,
        is_stored=True,
        example={"kind": "host", "target": "api.example.com", "scope": "conversation"},
    ),
    Operation(
        name="session_revoke",
        method="DELETE",
        path=_SESSION + "/grants/{grant_id}",
        summary="Take a grant or a denial back, immediately",
        answer=schemas.SessionGrants,
        errors=(403,),
        is_stored=True,
    ),
    Operation(
        name="session_packages",
        method="GET",
        path=_SESSION + "/packages",
        summary="List the packages that code in the sandbox has and its environment has not",
        answer=schemas.SessionPackages,
        errors=(400,),
    ),
    Operation(
        name="session_keep_packages",
        method="POST",
        path=_SESSION + "/packages",
        summary="Install such packages into the environment, outside of the sandbox",
        description=(
            "Refused unless the owner of the server lets clients choose what code may do. They are "
            "downloaded again in exactly these versions, without what they depend on. Packages "
            "without a wheel are built with `builds` only, by code of their own."
        ),
        body=schemas.PackagesRequest,
        answer=schemas.SessionPackages,
        errors=(*BODY_ERRORS, 403),
        is_stored=True,
        example={"packages": ["numpy 2.3.1"]},
    ),
    Operation(
        name="session_effects",
        method="GET",
        path=_SESSION + "/effects",
        summary="List what the runs of a conversation did to files",
        description=(
            "Each effect has what a `files` message has, and which of its files are `undone` now. "
            "An undo is an effect, too: its `action` is undo, `of` the effect that it took back."
        ),
        answer=schemas.EffectList,
    ),
    Operation(
        name="session_undo",
        method="POST",
        path=_SESSION + "/effects/{effect_id}/undo",
        summary="Undo what a run did to files, or to one file",
        description=(
            "Files that were changed since are left as they are, as `conflicts` of the answer. "
            "Refused unless programs may approve code."
        ),
        body=schemas.EffectRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"path": "notes.md"},
    ),
    Operation(
        name="session_review",
        method="GET",
        path=_SESSION + "/review",
        summary="List what the runs of a conversation did in a copy of the folder",
        description=(
            "One effect with the action `review`, or none. `conflicts` are files that others have "
            "changed meanwhile."
        ),
        answer=schemas.EffectList,
    ),
    Operation(
        name="session_apply",
        method="POST",
        path=_SESSION + "/review/apply",
        summary="Apply what waits in the copy to the folder, all of it or some paths",
        description=(
            "The answer is an effect that can be undone. Files of `conflicts` are left as they are "
            "unless they are named. Refused unless programs may approve code."
        ),
        body=schemas.ReviewRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"paths": ["notes.md"]},
    ),
    Operation(
        name="session_discard",
        method="POST",
        path=_SESSION + "/review/discard",
        summary="Delete the copy with all that waits in it; the kernel ends",
        body=schemas.ReviewRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"paths": []},
    ),
    Operation(
        name="session_redo",
        method="POST",
        path=_SESSION + "/effects/{effect_id}/redo",
        summary="Do again what was undone of a run, or an undo itself took back",
        body=schemas.EffectRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"path": "notes.md"},
    ),
    Operation(
        name="session_keep",
        method="POST",
        path=_SESSION + "/effects/{effect_id}/keep",
        summary="Put what was set aside of a run, or one file of it, where the code had put it",
        description=(
            "Files of a run in a sandbox that other programs would run are set aside. They wait as "
            "`set_aside` of its effect. Refused unless programs may approve code."
        ),
        body=schemas.EffectRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"path": ".vscode/tasks.json"},
    ),
    Operation(
        name="session_delete_aside",
        method="POST",
        path=_SESSION + "/effects/{effect_id}/delete",
        summary="Delete what was set aside of a run, or one file of it",
        body=schemas.EffectRequest,
        answer=schemas.EffectList,
        errors=(*BODY_ERRORS, 423),
        is_body_optional=True,
        is_stored=True,
        example={"path": ".vscode/tasks.json"},
    ),
)

OPERATIONS = (
    Operation(
        name="chat",
        method="POST",
        path="/v1/chat",
        summary="Ask the model in the native format",
        description=(
            "The model's answer as chunks: text, code, the output of code. Code that waits for a "
            "decision ends the stream with the status awaiting_approval: send the history again "
            "with the command `go` or `stop` behind it."
        ),
        body=schemas.ChatRequest,
        answer=schemas.ChatAnswer,
        event=schemas.NativeChunk,
        errors=TURN_ERRORS,
        example={
            "messages": [
                {"role": "user", "type": "message", "content": "How many days are 1000 hours?"}
            ],
            "stream": False,
        },
    ),
    Operation(
        name="chat_completions",
        method="POST",
        path="/v1/chat/completions",
        summary="Ask the model in the format of OpenAI chat",
        description=(
            "Without tools, code and its output are in fences in the text, and “yes” runs what "
            "was proposed. With a tool named `execute`, code comes as its calls, and the tool "
            'message is the decision: {"decision": "approve"} or {"decision": "deny"}.'
        ),
        body=schemas.CompletionRequest,
        answer=schemas.Completion,
        event=schemas.CompletionChunk,
        errors=TURN_ERRORS,
        example={
            "model": "openai/gpt-4o-mini",
            "messages": [{"role": "user", "content": "How many days are 1000 hours?"}],
        },
    ),
    Operation(
        name="cohere_chat",
        method="POST",
        path="/v2/chat",
        summary="Ask the model in the format of Cohere v2",
        description=(
            "Code that waits for a decision comes as a call of `execute` with the finish reason "
            "TOOL_CALL; the tool message, a text or a document, is the decision: "
            '{"decision": "approve"} or {"decision": "deny"}. Text that occurs word for '
            "word in `documents` or in results of tools is cited."
        ),
        body=schemas.CohereRequest,
        answer=schemas.CohereAnswer,
        event=schemas.CohereEvent,
        errors=TURN_ERRORS,
        example={
            "model": "openai/gpt-4o-mini",
            "messages": [{"role": "user", "content": "How many days are 1000 hours?"}],
        },
    ),
    Operation(
        name="kernel_stream",
        method="POST",
        path="/v1/kernel/stream",
        summary="Ask the model in the messages of @unternet/kernel",
        description=(
            "A stream unless `stream` is false: server-sent events, or one message a line with "
            "`Accept: application/x-ndjson`. Code that waits comes as `tool_calls` with `execute`; "
            "the value in `tool_results` is the decision."
        ),
        body=schemas.KernelRequest,
        answer=schemas.KernelAnswer,
        event=schemas.KernelMessage,
        errors=TURN_ERRORS,
        example={
            "messages": [{"type": "input", "text": "How many days are 1000 hours?"}],
            "stream": False,
        },
    ),
    *RESPONSE_OPERATIONS,
    *SESSION_OPERATIONS,
    *ASSISTANT_OPERATIONS,
    Operation(
        name="models",
        method="GET",
        path="/v1/models",
        summary="List the models that can be requested",
        answer=schemas.ModelList,
    ),
    Operation(
        name="health",
        method="GET",
        path="/v1/health",
        summary="Report whether the server and its model are ready",
        answer=schemas.HealthAnswer,
        is_open=True,
        query=(Parameter("detail", "`full` adds the current activity; it needs the key."),),
    ),
    Operation(
        name="openapi",
        method="GET",
        path="/openapi.json",
        summary="Get this document",
    ),
    Operation(
        name="collection",
        method="GET",
        path="/api.json",
        summary="Get a Postman collection with a request and an answer for each endpoint",
    ),
)
