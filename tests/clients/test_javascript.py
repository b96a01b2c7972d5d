"""The openai SDK for JavaScript and the AI SDK against the running server."""

from __future__ import annotations

import pytest

from tests.clients.asking import HELLO, MODEL
from tests.clients.node import FOLDER, Report, run_node
from tests.support.model_server import ModelServer
from tests.support.served import Served

QUOTIENT = "1.4166666666666667"


@pytest.fixture(scope="module")
def openai_sdk(server: Served, shared_model: ModelServer) -> Report:
    shared_model.requests.clear()
    return Report(run_node(FOLDER / "openai_sdk.mjs", server))


@pytest.fixture(scope="module")
def ai_sdk(server: Served) -> Report:
    return Report(run_node(FOLDER / "ai_sdk.mjs", server))


def test_openai_lists_the_models(openai_sdk: Report):
    assert MODEL in openai_sdk["models"]


def test_openai_answers_whole(openai_sdk: Report):
    assert openai_sdk["whole"]["text"] == HELLO
    assert openai_sdk["whole"]["usage"]["total_tokens"] == 17


def test_openai_streams(openai_sdk: Report):
    seen = openai_sdk["streamed"]
    assert (seen["text"], seen["ends"]) == (HELLO, ["stop"])
    assert seen["usage"]["total_tokens"] == 17


def test_openai_has_the_reasoning(openai_sdk: Report):
    message = openai_sdk["reasoning"]
    assert message["content"] == "I have reasoned."
    assert message["reasoning_content"] == "Let me see."


def test_openai_calls_tools_side_by_side(openai_sdk: Report):
    seen = openai_sdk["tools"]
    assert [call["function"]["arguments"] for call in seen["calls"]] == [
        '{"city": "Oslo"}',
        '{"city": "Rome"}',
    ]
    assert seen["after"] == "The tool said: seen Oslo. seen Rome. ."


def test_openai_runs_code_after_a_yes(openai_sdk: Report):
    seen = openai_sdk["yes"]
    assert seen["proposal"].rstrip().endswith("Do you want to run this code?")
    assert f"```output\n{QUOTIENT}\n```" in seen["after"]


def test_openai_decides_about_code(openai_sdk: Report):
    assert openai_sdk["decisions"]["name"] == "execute"
    assert "edited 42" in openai_sdk["decisions"]["edited"]
    assert "not today" in openai_sdk["denial"]
    assert QUOTIENT not in openai_sdk["denial"]


def test_openai_has_code_run_unasked(openai_sdk: Report):
    assert f"```output\n{QUOTIENT}\n```" in openai_sdk["autoRun"]


def test_openai_speaks_responses(openai_sdk: Report):
    seen = openai_sdk["responses"]
    assert (seen["first"], seen["second"]) == (HELLO, "once more")
    assert "".join(seen["deltas"]) == "once more"


@pytest.mark.parametrize(
    ("refused", "kind", "status", "code"),
    [
        ("badRequest", "BadRequestError", 400, "invalid_messages"),
        ("stranger", "AuthenticationError", 401, "invalid_api_key"),
        ("notFound", "NotFoundError", 404, "not_found"),
        ("tooMany", "RateLimitError", 429, "rate_limit_exceeded"),
        ("upstream", "InternalServerError", 500, "upstream_error"),
    ],
)
def test_openai_throws_its_own_errors(
    openai_sdk: Report, refused: str, kind: str, status: int, code: str
):
    error = openai_sdk["refusals"][refused]
    assert (error["kind"], error["status"], error["code"]) == (kind, status, code)
    assert error["message"]
    assert error["type"]


def test_openai_throws_what_breaks_off(openai_sdk: Report):
    error = openai_sdk["refusals"]["cut"]
    assert error["isApiError"]
    assert error["code"] == "upstream_truncated"


def test_leaving_a_stream_ends_the_models(openai_sdk: Report, shared_model: ModelServer):
    assert openai_sdk["leaving"] == "left"
    (left,) = [asked for asked in shared_model.requests if asked.user_text == "fall silent"]
    assert left.disconnected.wait(10)


def test_ai_sdk_streams(ai_sdk: Report):
    seen = ai_sdk["streamText"]
    assert (seen["text"], seen["finishReason"], seen["errors"]) == (HELLO, "stop", 0)
    assert seen["pieces"] >= 1
    assert seen["usage"]["totalTokens"] == 17


def test_ai_sdk_answers_whole(ai_sdk: Report):
    seen = ai_sdk["generateText"]
    assert (seen["text"], seen["finishReason"]) == (HELLO, "stop")
    assert seen["usage"]["totalTokens"] == 17


def test_ai_sdk_goes_through_its_tools(ai_sdk: Report):
    seen = ai_sdk["tools"]
    assert seen["inputs"] == [{"city": "Oslo"}, {"city": "Rome"}]
    assert seen["text"] == "The tool said: fine in Oslo. fine in Rome. ."
    assert seen["steps"] == 2
    assert ai_sdk["generateTools"] == "The tool said: fine in Oslo. ."


def test_ai_sdk_approves_code_by_a_tools_result(ai_sdk: Report):
    seen = ai_sdk["approval"]
    assert seen["input"] == {"language": "python", "code": "34 / 24"}
    assert QUOTIENT in seen["text"]


def test_ai_sdk_yields_what_breaks_off(ai_sdk: Report):
    assert ai_sdk["cut"]["text"] == "This answer breaks of"
    assert "broke off" in ai_sdk["cut"]["failure"] or "end" in ai_sdk["cut"]["failure"]


def test_ai_sdk_reads_a_refusals_words(ai_sdk: Report):
    refused = ai_sdk["refused"]
    assert (refused["name"], refused["status"]) == ("AI_APICallError", 429)
    assert refused["message"]


def test_the_ai_sdk_speaks_responses_by_default(ai_sdk: Report):
    seen = ai_sdk["responses"]
    assert seen == {"text": "I have reasoned.", "reasoning": "Let me see.", "errors": []}
    tools = ai_sdk["responsesTools"]
    assert (tools["inputs"], tools["steps"]) == ([{"city": "Oslo"}, {"city": "Rome"}], 2)
    assert "fine in Oslo. fine in Rome." in tools["text"]


def test_the_ai_sdk_has_code_run_by_responses(ai_sdk: Report):
    seen = ai_sdk["responsesCode"]
    assert seen["proposal"].endswith("Do you want to run this code?")
    assert QUOTIENT in str(seen["output"])
    assert seen["text"].endswith(f"The tool said: {QUOTIENT}.")
