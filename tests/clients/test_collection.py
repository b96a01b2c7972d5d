"""The Postman collection that the server offers, run by newman against that server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients.node import FOLDER, Report, run_node
from tests.support.served import Served


@pytest.fixture(scope="module")
def requests(server: Served) -> list[dict[str, Any]]:
    seen = Report(run_node(FOLDER / "collection.cjs", server))["collection"]
    assert seen["failures"] == []
    return seen["requests"]


def test_it_has_a_request_for_each_endpoint(requests: list[dict[str, Any]]):
    asked = {(request["method"], request["path"]) for request in requests}
    assert {
        ("POST", "/v1/chat"),
        ("POST", "/v1/chat/completions"),
        ("GET", "/v1/models"),
        ("GET", "/v1/health"),
    } <= asked


def test_each_request_is_answered_as_its_example_says(requests: list[dict[str, Any]]):
    for request in requests:
        assert request["failed"] is None, request
        assert request["examples"], f"no example: {request['name']}"
        assert request["status"] in request["examples"], request


def test_no_answer_is_an_error_in_disguise(requests: list[dict[str, Any]]):
    for request in requests:
        if request["status"] == 200 and "json" in request["type"]:
            assert not json.loads(request["body"]).get("error"), request
