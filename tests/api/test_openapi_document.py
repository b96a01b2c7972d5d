"""The OpenAPI document says what the server does: its routes, its bodies, its errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import schemathesis
from aiohttp import web

from playhead.api.assistants.assistants import Assistants
from playhead.api.endpoints.operations import OPERATIONS
from playhead.api.openapi import document
from playhead.api.routes import add_routes
from playhead.api.server.responder import Services
from tests.support.http_face import COLLECTION, face
from tests.support.ports import called, coded, said

DOCUMENT = json.loads(msgspec.json.encode(document(OPERATIONS, "1.2.3")))


def described() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(method, path, operation) of the document."""
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, operation


def valid(value: object, name: str) -> None:
    """The value is what the document calls by this name."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(schema).validate(value)


def test_it_has_all_routes_of_the_server_and_no_others():
    app = web.Application()
    services = Services(bridge=None, turns=None, collection=bytes, version="1")  # type: ignore[arg-type]
    add_routes(app, services, Assistants(None, None, None))  # type: ignore[arg-type]
    served = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource is not None and route.method != "HEAD"
    }
    assert served == {(method, path) for method, path, _ in described()}


def test_it_is_a_valid_openapi_document_with_valid_schemas():
    schemathesis.openapi.from_dict(DOCUMENT).validate()
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_all_its_references_lead_somewhere():
    text = json.dumps(DOCUMENT)
    names = {part.partition('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert names == set(DOCUMENT["components"]["schemas"])


def test_every_operation_describes_the_errors_that_the_gate_makes():
    for method, path, operation in described():
        errors = {int(status) for status in operation["responses"] if int(status) >= 400}
        assert errors >= {401, 403, 404, 405, 429, 500}, path
        has_body = "requestBody" in operation
        assert has_body == (errors >= {400, 408, 413, 415}), (method, path)
        for status in errors:
            content = operation["responses"][str(status)]["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/ErrorAnswer"}


def test_only_the_health_asks_for_no_key():
    assert DOCUMENT["security"] == [{"key": []}]
    assert [path for _, path, op in described() if "security" in op] == ["/v1/health"]


def test_the_examples_are_what_the_schemas_say():
    for _, _, operation in described():
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            valid(content["example"], content["schema"]["$ref"].rpartition("/")[2])


async def test_what_the_server_answers_is_what_the_document_says(tmp_path: Path):
    answers = [coded("1"), said("hello"), called("lookup", "{}"), said("Hi"), coded("2")]
    async with face(tmp_path, *answers) as api:
        native = {"messages": [{"role": "user", "type": "message", "content": "hi"}]}
        chat = {"model": "openai/test", "messages": [{"role": "user", "content": "hi"}]}
        tool = {"type": "function", "function": {"name": "lookup"}}
        valid(await api.post("/v1/chat", native), "ChatAnswer")
        valid(await api.post("/v1/chat/completions", chat), "Completion")
        valid(await api.post("/v1/chat/completions", {**chat, "tools": [tool]}), "Completion")
        for event in await api.events("/v1/chat/completions", {**chat, "lmc": True}):
            valid(event, "CompletionChunk")
        for event in await api.events("/v1/chat", native):
            valid(event, "NativeChunk")
        valid((await api.fails("/v1/chat", {}, 400, "invalid_messages")).json(), "ErrorAnswer")
        valid((await api.client.get("/v1/models")).json(), "ModelList")
        valid((await api.client.get("/v1/health")).json(), "HealthAnswer")
        full = (await api.client.get("/v1/health?detail=full")).json()
        valid(full, "HealthAnswer")
        assert (await api.client.get("/openapi.json")).json() == DOCUMENT
    assert set(full) == {
        *("status", "version", "llm", "history", "instances"),
        *("uptime_s", "sessions", "kernels", "sandbox"),
    }


def path_of(url: dict[str, Any]) -> str:
    """The path, its variables written as in the document."""
    return "/" + "/".join(url["path"]).replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_collection_has_a_request_and_an_answer_for_each_operation(operation):
    collection = json.loads(COLLECTION.read_text("utf-8"))
    requests = [item for folder in collection["item"] for item in folder["item"]]
    assert {"base_url", "api_key"} <= {variable["key"] for variable in collection["variable"]}
    mine = [
        item
        for item in requests
        if item["request"]["method"] == operation.method
        and path_of(item["request"]["url"]) == operation.path
    ]
    assert mine
    assert all(item["response"] and item["event"] for item in mine)
    answers = [answer for item in mine for answer in item["response"] if answer["code"] < 300]
    if operation.answer is not None:
        plain = [answer for answer in answers if answer["body"].startswith("{")]
        valid(json.loads(plain[0]["body"]), operation.answer.__name__)
