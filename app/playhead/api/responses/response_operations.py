"""The operations of the Responses format."""

from __future__ import annotations

from playhead.api.openapi import BODY_ERRORS, TURN_ERRORS, Operation, Parameter
from playhead.api.responses import response_schemas as of

_RESPONSES = "/v1/responses"
_RESPONSE = f"{_RESPONSES}/{{response_id}}"
_ASKED = {"model": "openai/gpt-4o-mini", "input": "How many days are 1000 hours?"}

RESPONSE_OPERATIONS = (
    Operation(
        name="response_create",
        method="POST",
        path=_RESPONSES,
        summary="Ask the model in the format of OpenAI Responses",
        description=(
            "Code is an item `code_interpreter_call`; code that waits for a decision is followed "
            "by a question, and an input of “yes” runs it. With a function named `execute`, code "
            "comes as its calls, and their outputs are the decisions: "
            '{"decision": "approve"} or {"decision": "deny"}.'
        ),
        body=of.ResponseRequest,
        answer=of.ResponseObject,
        event=of.ResponseEvent,
        errors=TURN_ERRORS,
        example=_ASKED,
    ),
    Operation(
        name="response_input_tokens",
        method="POST",
        path=f"{_RESPONSES}/input_tokens",
        summary="Estimate the tokens of a request, without asking the model",
        body=of.InputTokensRequest,
        answer=of.InputTokens,
        errors=BODY_ERRORS,
        example=_ASKED,
    ),
    Operation(
        name="response_get",
        method="GET",
        path=_RESPONSE,
        summary="Get a response that was stored, or is in progress",
        answer=of.ResponseObject,
        errors=(400,),
    ),
    Operation(
        name="response_delete",
        method="DELETE",
        path=_RESPONSE,
        summary="Delete a response permanently",
        answer=of.DeletedResponse,
        errors=(400,),
        is_stored=True,
    ),
    Operation(
        name="response_cancel",
        method="POST",
        path=f"{_RESPONSE}/cancel",
        summary="Cancel a response in progress, and the code that it runs",
        answer=of.ResponseObject,
        errors=(400,),
    ),
    Operation(
        name="response_input_items",
        method="GET",
        path=f"{_RESPONSE}/input_items",
        summary="List the items that a response answers, those of earlier responses among them",
        answer=of.InputItemPage,
        errors=(400,),
        query=(
            Parameter("limit", "The maximum number, from 1 to 100; 20 by default."),
            Parameter("order", "`asc`, or `desc` (the newest first)."),
            Parameter("after", "The last id of the previous page."),
        ),
    ),
)
