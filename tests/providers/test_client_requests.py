"""What a program's request brings along: tools, settings, a history; and what comes of it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation, Source
from playhead.domain.model import ModelOverride, ModelParameters, ToolOffer
from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support.asking import chunks_of, contents, provider_of, request, usage_of
from tests.support.model_server import ModelServer
from tests.support.workers import SharedWorker

LOOKUP = ToolOffer("lookup", "Looks things up.", {"type": "object", "properties": {"q": {}}})


def calls_of(chunks: list[Chunk]) -> list[tuple[str, str | None, str | None, str]]:
    """(type, format, id, text) of each code and call."""
    found: list[tuple[str, str | None, str | None, str]] = []
    for chunk in chunks:
        if chunk.type in ("code", "tool_call") and chunk.start:
            found.append((chunk.type, chunk.format, chunk.id, ""))
        elif chunk.type in ("code", "tool_call") and isinstance(chunk.content, str):
            *named, text = found.pop()
            found.append((*named, text + chunk.content))  # type: ignore[arg-type]
    return found


async def test_a_clients_tools_are_offered_next_to_ours_and_its_calls_come_out(
    model_worker: SharedWorker,
):
    asked_for = 'say Let me see. call lookup {"q": "Ωmega"} call execute {"language": "py", '
    asked_for += '"code": "6 * 7"} call lookup {"q": "b"}'
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            asked = replace(request(server, asked_for), tools=(LOOKUP,))
            chunks = await chunks_of(provider, asked)
    assert server.requests[0].tool_names == ["lookup", "execute"]
    assert server.requests[0].body["tools"][0]["function"]["parameters"] == LOOKUP.parameters
    assert "Playhead" in server.requests[0].messages[0]["content"]
    assert contents(chunks)[:3] == ["Let ", "me ", "see."]
    assert calls_of(chunks) == [
        ("tool_call", "lookup", "call_lookup_0", '{"q": "\\u03a9mega"}'),
        ("code", "python", "call_execute_1", "6 * 7"),
        ("tool_call", "lookup", "call_lookup_2", '{"q": "b"}'),
    ]
    assert usage_of(chunks).finish_reason == "tool_calls"


async def test_a_clients_own_execute_stands_in_place_of_ours(model_worker: SharedWorker):
    own = ToolOffer("execute", "My own.", {"type": "object", "properties": {"code": {}}})
    with ModelServer(ms.execute("1")) as server:
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, replace(request(server), tools=(own,)))
    assert server.requests[0].tool_names == ["execute"]
    assert server.requests[0].body["tools"][0]["function"]["description"] == "My own."
    assert calls_of(chunks) == [("code", "python", "call_0", "1")]


async def test_without_execute_nothing_is_code_and_nothing_is_told_of_it(
    model_worker: SharedWorker,
):
    script = [ms.execute("rm()"), ms.text("```python\n", "1\n", "```\n")]
    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            asked = replace(request(server), offers_execute=False, instructions="Be kind.")
            called = await chunks_of(provider, asked)
            prose = await chunks_of(provider, replace(asked, tools=(LOOKUP,), instructions=""))
    first, second = server.requests
    assert first.messages[0] == {"role": "system", "content": "Be kind."}
    assert [one["role"] for one in second.messages] == ["user"]
    assert (first.tool_names, second.tool_names) == ([], ["lookup"])
    whole = '{"language":"python","code":"rm()"}'
    assert calls_of(called) == [("tool_call", "execute", "call_0", whole)]
    assert {chunk.type for chunk in prose} == {"message", "usage"}


async def test_a_call_without_arguments_has_an_empty_object_of_them(model_worker: SharedWorker):
    with ModelServer(ms.call("now")) as server:
        async with provider_of(model_worker) as provider:
            asked = replace(request(server), tools=(ToolOffer("now"),))
            chunks = await chunks_of(provider, asked)
    assert calls_of(chunks) == [("tool_call", "now", "call_0", "{}")]
    function = server.requests[0].body["tools"][0]["function"]
    assert function["parameters"] == {"type": "object", "properties": {}}


async def test_what_a_text_cites_comes_after_its_message(model_worker: SharedWorker):
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, request(server, "cites"))
    assert [chunk.type for chunk in chunks] == ["message"] * 5 + ["citation", "usage"]
    source = Source(title="https://weather.example/", url="https://weather.example/")
    assert chunks[-2].content == Citation(start=6, end=11, text="19 °C", sources=(source,))


async def test_half_a_call_of_a_clients_tool_is_no_call(model_worker: SharedWorker):
    half = ms.limited(ms.call("lookup", '{"q": "nev'))
    with ModelServer(half) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, replace(request(server), tools=(LOOKUP,)))
    assert caught.value.code == "upstream_truncated"


async def test_a_model_that_cannot_take_a_clients_tools_is_an_error(model_worker: SharedWorker):
    with ModelServer(ms.error(400, "tools are not supported")) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="does not support tools"):
                await chunks_of(provider, replace(request(server), tools=(LOOKUP,)))
    assert len(server.requests) == 1


async def test_the_settings_of_a_request_reach_the_model(model_worker: SharedWorker):
    wanted: dict[str, Any] = {"temperature": 0.2, "top_p": 0.5, "max_tokens": 7, "stop": ("a", "b")}
    assert set(wanted) == set(ModelParameters.__struct_fields__)
    with ModelServer(ms.text("ok")) as server:
        async with provider_of(model_worker) as provider:
            await chunks_of(provider, request(server, parameters=ModelParameters(**wanted)))
            await chunks_of(provider, request(server))
    first, second = (asked.body for asked in server.requests)
    assert {name: first[name] for name in wanted} == {**wanted, "stop": ["a", "b"]}
    assert not set(wanted) & set(second)


async def test_the_results_of_parallel_calls_go_back_by_their_ids(model_worker: SharedWorker):
    def said(number: int, role: Any, kind: Any, text: str, call_id: str | None = None) -> Message:
        format_ = "lookup" if call_id else None
        return Message(
            id=f"m{number}",
            parent_id=None,
            role=role,
            type=kind,
            format=format_,
            content=text,
            call_id=call_id,
        )

    with ModelServer() as server:
        asked = request(server)
        history = (
            said(1, "user", "message", 'call lookup {"q": "a"} call lookup {"q": "b"}'),
            said(2, "assistant", "tool_call", '{"q": "a"}', "one"),
            said(3, "assistant", "tool_call", '{"q": "b"}', "two"),
            said(4, "computer", "tool_result", "B", "two"),
            said(5, "computer", "tool_result", "A", "one"),
        )
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, replace(asked, messages=history, tools=(LOOKUP,)))
    assert contents(chunks) == ["lookup said: A. ", "lookup said: B. "]
    sent = server.requests[0].messages
    assert [one.get("tool_call_id") for one in sent] == [None, None, None, "one", "two"]


async def test_a_relative_image_and_one_in_base64_reach_a_model_that_can_see(
    model_worker: SharedWorker, tmp_path: Path
):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    data = base64.b64encode((tmp_path / "red.png").read_bytes()).decode()
    images = (
        Message(
            id="i1", parent_id=None, role="user", type="image", format="path", content="red.png"
        ),
        Message(
            id="i2", parent_id=None, role="user", type="image", format="base64.png", content=data
        ),
    )
    with ModelServer(ms.text("red")) as server:
        async with provider_of(model_worker) as provider:
            for can_see in (True, False):
                asked = request(server, override=ModelOverride(supports_images=can_see))
                messages = (*images, *asked.messages)
                await chunks_of(provider, replace(asked, messages=messages, folder=str(tmp_path)))
    seen, told = (asked.messages[1]["content"] for asked in server.requests)
    urls = [part["image_url"]["url"] for part in seen if part["type"] == "image_url"]
    assert urls == [f"data:image/png;base64,{data}"] * 2
    assert f"[Image file: {tmp_path / 'red.png'}. You cannot see images" in told
    assert "[Image. You cannot see images" in told
    assert told.endswith("\n\nhello")
