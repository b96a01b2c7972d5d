"""The openai SDKs, newest, litellm's and 1.20, drive threads and runs of the running server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.asking import HELLO
from tests.clients.node import Report
from tests.support.model_server import ModelServer
from tests.support.served import Served

DRIVER = Path(__file__).with_name("assistants_client.py")
PLACES = {"newest": "newest-openai", "litellm's": "", "1.20": "openai-1.20"}
QUOTIENT = "1.4166666666666667"
LIMIT_S = 200.0
pytestmark = pytest.mark.timeout(240)  # the first test of an SDK waits for all of its scenarios

STEP = ["thread.run.step.created", "thread.run.step.in_progress"]
MESSAGE = [*STEP, "thread.message.created", "thread.message.in_progress"]
BEGUN = ["thread.run.created", "thread.run.queued", "thread.run.in_progress"]
DELTAS = {"thread.message.delta", "thread.run.step.delta"}


@pytest.fixture(scope="module", params=PLACES)
def sdk(request: pytest.FixtureRequest, server: Served, shared_model: ModelServer) -> Report:
    """What the SDK of this version saw in each scenario."""
    place = Path(sys.prefix) / PLACES[request.param] if PLACES[request.param] else None
    if place is not None and not place.is_dir():
        pytest.skip(f"packaging/setup.sh dev has not fetched openai {request.param}")
    own = {"PLAYHEAD_ADDRESS": server.address, "PLAYHEAD_TOKEN": server.token}
    done = subprocess.run(
        [sys.executable, DRIVER],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(place or ""), **own},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-4000:]
    report = Report(done.stdout)
    assert report["version"].startswith("1.20" if request.param == "1.20" else "")
    return report


def plain(names: list[str]) -> list[str]:
    return [name for name in names if name not in DELTAS]


def calls(step: dict[str, Any]) -> list[dict[str, Any]]:
    return step["step_details"]["tool_calls"]


def logs(step: dict[str, Any]) -> str:
    outputs = [each for call in calls(step) for each in call["code_interpreter"]["outputs"]]
    return "".join(output["logs"] for output in outputs)


def test_assistants_are_made_listed_page_by_page_and_deleted(sdk: Report):
    seen = sdk["assistants"]
    assert seen["found"][0] == [True, "Two"]
    assert [False, "Playhead"] in seen["found"]
    assert seen["deleted"] is True


def test_a_text_streams_in_the_formats_order(sdk: Report):
    seen = sdk["text"]
    ends = ["thread.message.completed", "thread.run.step.completed", "thread.run.completed"]
    assert plain(seen["names"]) == [*BEGUN, *MESSAGE, *ends]
    assert (seen["status"], seen["texts"]) == ("completed", [HELLO])
    assert seen["run"]["usage"]["total_tokens"] == 17


def test_a_thread_is_begun_with_its_run(sdk: Report):
    seen = sdk["with_its_thread"]
    assert seen["names"][:2] == ["thread.created", "thread.run.created"]
    assert seen["texts"] == [HELLO]


def test_runs_are_polled_and_lists_read_to_their_end(sdk: Report):
    seen = sdk["polled"]
    assert seen["status"] == "completed"
    assert seen["messages"] == [HELLO, "hello"]
    assert seen["steps"] == ["message_creation"]


def test_approved_code_runs_and_its_output_comes_as_a_step(sdk: Report):
    first, second = sdk["approved"]["first"], sdk["approved"]["second"]
    assert first["status"] == "requires_action"
    assert plain(first["names"]) == [*BEGUN, *STEP, "thread.run.requires_action"]
    ran = next(step for step in second["steps"] if calls(step)[0]["type"] == "code_interpreter")
    assert calls(ran)[0]["code_interpreter"]["input"] == "34 / 24"
    assert logs(ran) == f"{QUOTIENT}\n"
    assert second["names"][0] == "thread.run.step.completed"
    assert (second["status"], second["texts"]) == ("completed", [f"The tool said: {QUOTIENT}."])


def test_approval_by_polling(sdk: Report):
    seen = sdk["approved_by_polling"]
    assert (seen["waited"], seen["status"]) == ("requires_action", "completed")
    assert seen["text"] == f"The tool said: {QUOTIENT}."


def test_edited_code_runs_in_place_of_what_was_proposed(sdk: Report):
    seen = sdk["edited"]
    ran = next(step for step in seen["steps"] if calls(step)[0]["type"] == "code_interpreter")
    assert calls(ran)[0]["code_interpreter"]["input"] == "print('edited')"
    assert logs(ran) == "edited\n"
    assert seen["texts"][0].endswith("edited.")


def test_denied_code_does_not_run_and_the_model_hears_why(sdk: Report):
    seen = sdk["denied"]
    assert seen["status"] == "completed"
    assert "Not today." in seen["texts"][0]
    assert "thread.run.step.created" in seen["names"]


def test_two_calls_are_decided_together(sdk: Report):
    first, second = sdk["parallel"]["first"], sdk["parallel"]["second"]
    waiting = first["run"]["required_action"]["submit_tool_outputs"]["tool_calls"]
    assert [call["id"] for call in waiting] == ["call_one", "call_two"]
    assert "one" in second["texts"][0]
    assert "two" in second["texts"][0]


def test_code_runs_unasked_where_that_is_allowed(sdk: Report):
    seen = sdk["unasked"]
    assert logs(seen["steps"][0]) == f"{QUOTIENT}\n"
    assert seen["status"] == "completed"


def test_a_clients_own_functions_are_called_side_by_side(sdk: Report):
    first, second = sdk["functions"]["first"], sdk["functions"]["second"]
    waiting = first["run"]["required_action"]["submit_tool_outputs"]["tool_calls"]
    assert [call["function"]["arguments"] for call in waiting] == [
        '{"city": "Oslo"}',
        '{"city": "Rome"}',
    ]
    assert second["texts"] == ["The tool said: coldwarm."]


def test_failures_are_ends_of_runs(sdk: Report):
    seen = sdk["failures"]
    assert {words: told["status"] for words, told in seen.items()} == dict.fromkeys(seen, "failed")
    codes = {words: told["run"]["last_error"]["code"] for words, told in seen.items()}
    assert codes == {
        "out of order": "server_error",
        "too many": "rate_limit_exceeded",
        "break off": "server_error",
        "wrong key": "server_error",
    }
    assert plain(seen["break off"]["names"])[-3:] == [
        "thread.message.incomplete",
        "thread.run.step.failed",
        "thread.run.failed",
    ]


def test_a_cancelled_run_leaves_what_it_said_incomplete(sdk: Report):
    assert sdk["cancelled"] == {"status": "cancelled", "message": "incomplete"}


def test_a_picture_of_a_step_is_fetched_as_a_file(sdk: Report):
    assert sdk["picture"] == {"type": "image/png", "begins": b"\x89PNG".hex()}


def test_refusals_are_the_sdks_own_exceptions(sdk: Report):
    seen = {what: told[:3] for what, told in sdk["refusals"].items()}
    assert seen == {
        "no thread": ["NotFoundError", 404, "not_found"],
        "no assistant": ["NotFoundError", 404, "not_found"],
        "second run": ["BadRequestError", 400, "invalid_state"],
        "no model": ["BadRequestError", 400, "invalid_model"],
        "wrong key": ["AuthenticationError", 401, "invalid_api_key"],
    }
    assert "already has an active run" in sdk["refusals"]["second run"][3]
