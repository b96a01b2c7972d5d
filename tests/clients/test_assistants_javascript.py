"""The openai SDK for JavaScript drives threads and runs of the running server."""

from __future__ import annotations

import pytest

from tests.clients.asking import HELLO
from tests.clients.node import FOLDER, Report, run_node
from tests.support.model_server import ModelServer
from tests.support.served import Served

QUOTIENT = "1.4166666666666667"


@pytest.fixture(scope="module")
def sdk(server: Served, shared_model: ModelServer) -> Report:
    return Report(run_node(FOLDER / "assistants.mjs", server))


def test_a_text_streams_with_its_events_in_order(sdk: Report):
    seen = sdk["text"]
    assert (seen["texts"], seen["status"]) == ([HELLO], "completed")
    assert seen["names"][:3] == [
        "thread.run.created",
        "thread.run.queued",
        "thread.run.in_progress",
    ]
    assert seen["names"][-1] == "thread.run.completed"


def test_approved_code_runs_and_its_output_is_accumulated(sdk: Report):
    first, second = sdk["approved"]["first"], sdk["approved"]["second"]
    assert first["status"] == "requires_action"
    assert second["status"] == "completed"
    assert second["texts"] == [f"The tool said: {QUOTIENT}."]
    calls = [c for step in second["steps"] for c in step["step_details"].get("tool_calls", [])]
    ran = next(call["code_interpreter"] for call in calls if call["type"] == "code_interpreter")
    assert ran["input"] == "34 / 24"
    assert ran["outputs"][0]["logs"] == f"{QUOTIENT}\n"


def test_denial_by_polling(sdk: Report):
    seen = sdk["polled"]
    assert (seen["waited"], seen["ended"]) == ("requires_action", "completed")
    assert "Not today." in seen["texts"][0]
    assert seen["texts"][-1] == "What's 34/24?"


def test_failed_and_cancelled_runs_say_so(sdk: Report):
    assert sdk["failed"] == {"status": "failed", "code": "server_error"}
    assert sdk["cancelled"] == "cancelled"


def test_refusals_are_the_sdks_own_errors(sdk: Report):
    seen = sdk["refused"]
    second, missing = seen["second"], seen["missing"]
    assert (second["kind"], second["status"], second["code"]) == (
        "BadRequestError",
        400,
        "invalid_state",
    )
    assert "already has an active run" in second["message"]
    assert (missing["kind"], missing["status"]) == ("NotFoundError", 404)
