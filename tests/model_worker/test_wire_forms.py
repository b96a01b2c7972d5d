"""Each provider's own stream, as it writes it, becomes the same chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation, Echo, Usage
from playhead.domain.model import ModelParameters
from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support import wire_answers as wire
from tests.support.asking import KEY, chunks_of, provider_of, request
from tests.support.model_server import ModelServer, Reply
from tests.support.workers import SharedWorker

EXECUTE = ('{"language": "python", ', '"code": "34', ' / 24"}')

Told = list[tuple[str, str | None, Any]]


def told(chunks: Iterable[Chunk]) -> Told:
    """Kind, format and whole content of each message."""
    conversation = Conversation("c")
    for chunk in chunks:
        conversation.apply(chunk)
    return [(one.type, one.format, one.content) for one in conversation.messages]


def usage(chunks: list[Chunk]) -> Usage:
    (found,) = [chunk.content for chunk in chunks if isinstance(chunk.content, Usage)]
    return found


async def answer(
    worker: SharedWorker, reply: Reply, model: str, base: str = "", **more: Any
) -> tuple[list[Chunk], ms.Request]:
    with ModelServer(reply) as server:
        address = server.base_url.removesuffix("/v1") + base
        async with provider_of(worker) as provider:
            chunks = await chunks_of(
                provider, request(server, model=model, api_base=address, **more)
            )
    return chunks, server.requests[0]


async def test_anthropic_thinking_text_and_a_call_come_in_order(model_worker: SharedWorker):
    reply = wire.anthropic(
        wire.thinking_block("Divide", " them."),
        wire.text_block("I will ", "compute."),
        wire.tool_block("execute", *EXECUTE),
        stop="tool_use",
    )
    chunks, asked = await answer(model_worker, reply, "anthropic/claude-sonnet-4-5")
    assert [one for one in told(chunks) if one[0] != "echo"] == [
        ("reasoning", None, "Divide them."),
        ("message", None, "I will compute."),
        ("code", "python", "34 / 24"),
    ]
    assert asked.path == "/v1/messages"
    assert asked.headers["x-api-key"] == KEY
    cost = usage(chunks)
    assert (cost.input_tokens, cost.cached_tokens, cost.output_tokens) == (100, 80, 30)
    assert cost.finish_reason == "tool_calls"
    price = (20 * 3 + 80 * 0.3 + 30 * 15) / 1e6
    assert cost.cost == pytest.approx(price)


async def test_anthropic_gets_its_signed_thinking_back_unchanged_and_nobody_else_does(
    model_worker: SharedWorker,
):
    reply = wire.anthropic(
        wire.thinking_block("Divide", " them."),
        wire.redacted_block("c2VjcmV0"),
        wire.tool_block("execute", *EXECUTE),
        stop="tool_use",
    )
    blocks = [
        {"type": "thinking", "thinking": "Divide them.", "signature": wire.SIGNATURE},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
    ]
    chunks, _ = await answer(model_worker, reply, "anthropic/claude-sonnet-4-5")
    conversation = Conversation("c")
    conversation.apply(Chunk(role="user", type="message", start=True))
    conversation.apply(Chunk(role="user", type="message", content="34/24?"))
    conversation.apply(Chunk(role="user", type="message", end=True))
    for chunk in chunks:
        conversation.apply(chunk)
    result = Message(
        id="r",
        parent_id=None,
        role="computer",
        type="tool_result",
        format="execute",
        content="1.4",
        call_id="toolu_01",
    )
    messages = (*conversation.messages, result)
    again = wire.anthropic(wire.text_block("1.4"))
    with ModelServer(again) as server, ModelServer(ms.text("1.4")) as other:
        async with provider_of(model_worker) as provider:
            base = server.base_url.removesuffix("/v1")
            thinks = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
            claude = request(
                server, model="anthropic/claude-sonnet-4-5", api_base=base, extra=thinks
            )
            await chunks_of(provider, replace(claude, messages=messages))
            await chunks_of(provider, replace(request(other), messages=messages))
    said = next(one for one in server.requests[0].messages if one["role"] == "assistant")
    assert said["content"][:2] == blocks
    assert said["content"][2]["type"] == "tool_use"
    assert wire.SIGNATURE not in str(other.requests[0].body)
    assert any(isinstance(one.content, Echo) for one in messages)


async def test_anthropic_parallel_calls_keep_their_ids(model_worker: SharedWorker):
    reply = wire.anthropic(
        wire.tool_block("execute", '{"language": "python", "code": "1"}', call_id="toolu_a"),
        wire.tool_block("execute", '{"language": "python", "code": "2"}', call_id="toolu_b"),
        stop="tool_use",
    )
    chunks, _ = await answer(model_worker, reply, "anthropic/claude-sonnet-4-5")
    assert told(chunks) == [("code", "python", "1"), ("code", "python", "2")]
    assert [chunk.id for chunk in chunks if chunk.start] == ["toolu_a", "toolu_b"]


@pytest.mark.parametrize(("stop", "reason"), [("max_tokens", "length"), ("end_turn", "stop")])
async def test_anthropic_says_why_it_ended(model_worker: SharedWorker, stop: str, reason: str):
    reply = wire.anthropic(wire.text_block("Once"), stop=stop)
    chunks, _ = await answer(model_worker, reply, "anthropic/claude-sonnet-4-5")
    assert usage(chunks).finish_reason == reason


async def test_anthropic_overloaded_in_mid_answer_keeps_what_was_said(model_worker: SharedWorker):
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    begun = wire.anthropic(wire.text_block("Some "))
    reply = replace(begun, wire=(*begun.wire[:4], wire.named(busy).wire[0]))
    seen: list[Chunk] = []
    with ModelServer(reply) as server:
        base = server.base_url.removesuffix("/v1")
        async with provider_of(model_worker) as provider:
            asked = request(server, model="anthropic/claude-sonnet-4-5", api_base=base)

            async def gather() -> None:
                async for chunk in provider.stream(asked):
                    seen.append(chunk)

            with pytest.raises(ProviderError) as caught:
                await gather()
    assert "Some " in [chunk.content for chunk in seen]
    assert "failed" in caught.value.title


async def test_gemini_thoughts_text_and_calls(model_worker: SharedWorker):
    call = {"name": "execute", "args": {"language": "python", "code": "34 / 24"}}
    reply = wire.gemini(
        [{"text": "Divide them.", "thought": True}],
        [{"text": "I will "}],
        [{"text": "compute."}, {"functionCall": call}],
    )
    chunks, asked = await answer(model_worker, reply, "gemini/gemini-2.5-pro", "/v1beta")
    assert told(chunks) == [
        ("reasoning", None, "Divide them."),
        ("message", None, "I will compute."),
        ("code", "python", "34 / 24"),
    ]
    assert KEY not in asked.path  # addresses end up in logs
    cost = usage(chunks)
    assert (cost.input_tokens, cost.output_tokens, cost.reasoning_tokens) == (40, 10, 4)


async def test_gemini_stopped_by_its_filter_is_told(model_worker: SharedWorker):
    reply = wire.gemini([{"text": "Some "}], [{"text": "more"}], finish="SAFETY")
    chunks, _ = await answer(model_worker, reply, "gemini/gemini-2.5-pro", "/v1beta")
    assert told(chunks) == [("message", None, "Some more")]
    assert usage(chunks).finish_reason == "content_filter"


async def test_cohere_plans_calls_and_cites(model_worker: SharedWorker):
    calls = [
        *wire.cohere_call(0, "call_a", "execute", *EXECUTE),
        *wire.cohere_call(1, "call_b", "lookup", '{"q": 1}'),
    ]
    reply = wire.cohere(wire.cohere_plan("I will "), wire.cohere_plan("look."), *calls)
    chunks, asked = await answer(model_worker, reply, "cohere/command-a-03-2025", "/v2")
    assert told(chunks) == [
        ("plan", None, "I will look."),
        ("code", "python", "34 / 24"),
        ("tool_call", "lookup", '{"q": 1}'),
    ]
    assert (asked.path, asked.body["model"]) == ("/v2/chat", "command-a-03-2025")
    assert asked.body["tools"][0]["function"]["name"] == "execute"
    cost = usage(chunks)
    assert (cost.input_tokens, cost.output_tokens, cost.is_estimated) == (71, 13, False)
    assert cost.cost == pytest.approx((71 * 2.5 + 13 * 10) / 1e6)


async def test_cohere_gets_results_as_documents_and_says_what_it_cites(model_worker: SharedWorker):
    reply = wire.cohere(*wire.cohere_text("It is ", "34.", cites=(6, 8, "34", "call_a:0")))
    earlier = (
        Message(id="u", parent_id=None, role="user", type="message", content="How much?"),
        Message(
            id="m",
            parent_id=None,
            role="assistant",
            type="code",
            format="python",
            content="30 + 4",
            call_id="call_a",
        ),
        Message(
            id="r",
            parent_id=None,
            role="computer",
            type="tool_result",
            format="execute",
            content="34",
            call_id="call_a",
        ),
    )
    with ModelServer(reply) as server:
        base = server.base_url.removesuffix("/v1")
        async with provider_of(model_worker) as provider:
            asked = request(server, model="cohere/command-a-03-2025", api_base=base)
            chunks = await chunks_of(provider, replace(asked, messages=earlier))
    (cited,) = [chunk.content for chunk in chunks if isinstance(chunk.content, Citation)]
    assert (cited.start, cited.end, cited.sources[0].id) == (6, 8, "call_a:0")
    result = server.requests[0].messages[-1]
    assert result["tool_call_id"] == "call_a"
    document = result["content"][0]["document"]
    assert document["id"] == "call_a:0"
    assert "34" in document["data"]["content"]
    assert server.requests[0].messages[-2]["tool_calls"][0]["id"] == "call_a"


async def test_cohere_gets_each_parameter_under_its_own_name(model_worker: SharedWorker):
    wanted: dict[str, Any] = {"temperature": 0.2, "max_tokens": 7, "top_p": 0.5, "stop": ("a", "b")}
    assert set(wanted) == set(ModelParameters.__struct_fields__)
    reply = wire.cohere(*wire.cohere_text("ok"))
    parameters = ModelParameters(**wanted)
    _, asked = await answer(
        model_worker, reply, "cohere/command-a-03-2025", "/v2", parameters=parameters
    )
    own_names = {"temperature": 0.2, "max_tokens": 7, "p": 0.5, "stop_sequences": ["a", "b"]}
    assert {name: asked.body.get(name) for name in own_names} == own_names


async def test_cohere_broken_off_is_a_failure(model_worker: SharedWorker):
    whole = wire.cohere(*wire.cohere_text("It is ", "34."))
    with pytest.raises(ProviderError) as caught:
        await answer(model_worker, replace(whole, wire=whole.wire[:4]), "cohere/command-a-03-2025")
    assert caught.value.code == "upstream_truncated"


async def test_cohere_that_reports_an_error_in_its_stream_is_a_failure(model_worker: SharedWorker):
    with pytest.raises(ProviderError):
        await answer(model_worker, wire.cohere(finish="ERROR"), "cohere/command-a-03-2025")


async def test_mistral_thinks_in_parts_and_calls_whole(model_worker: SharedWorker):
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Divide them."}]}
    function = {"name": "execute", "arguments": "".join(EXECUTE)}
    reply = wire.chat(
        {"content": [thinking]},
        {"content": "I will compute."},
        {"tool_calls": [{"index": 0, "id": "aB3dE6gH9", "function": function}]},
        finish="tool_calls",
    )
    chunks, asked = await answer(model_worker, reply, "mistral/magistral-medium-latest", "/v1")
    assert told(chunks) == [
        ("reasoning", None, "Divide them."),
        ("message", None, "I will compute."),
        ("code", "python", "34 / 24"),
    ]
    assert asked.headers["authorization"] == f"Bearer {KEY}"


async def test_ollama_thinks_says_and_calls(model_worker: SharedWorker):
    call = {"name": "execute", "arguments": {"language": "python", "code": "34 / 24"}}
    reply = wire.ollama(
        {"content": "", "thinking": "Divide them."},
        {"content": "I will compute."},
        {"content": "", "tool_calls": [{"function": call}]},
    )
    chunks, asked = await answer(model_worker, reply, "ollama_chat/qwen3:8b")
    assert told(chunks) == [
        ("reasoning", None, "Divide them."),
        ("message", None, "I will compute."),
        ("code", "python", "34 / 24"),
    ]
    assert asked.path == "/api/chat"
    assert (usage(chunks).input_tokens, usage(chunks).output_tokens) == (26, 8)


async def test_openai_counts_cached_and_reasoning_tokens_and_what_they_cost(
    model_worker: SharedWorker,
):
    details = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 400},
        "completion_tokens_details": {"reasoning_tokens": 60},
    }
    reply = wire.chat({"content": "hi"}, usage=details)
    chunks, _ = await answer(model_worker, reply, "openai/gpt-4o", "/v1")
    cost = usage(chunks)
    assert (cost.cached_tokens, cost.reasoning_tokens) == (400, 60)
    assert cost.cost == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert cost.model == "openai/gpt-4o"


async def test_a_model_without_a_price_costs_nobody_knows_what(model_worker: SharedWorker):
    chunks, _ = await answer(model_worker, wire.chat({"content": "hi"}), "openai/mine", "/v1")
    assert usage(chunks).cost is None


async def test_a_refusal_is_what_the_model_says(model_worker: SharedWorker):
    reply = wire.chat({"refusal": "I cannot "}, {"refusal": "do that."})
    chunks, _ = await answer(model_worker, reply, "openai/gpt-4o", "/v1")
    assert told(chunks) == [("message", None, "I cannot do that.")]


async def test_fields_that_nobody_knows_are_passed_over(model_worker: SharedWorker):
    reply = wire.chat({"content": "hi", "mood": "fine"}, {"aura": [1]})
    chunks, _ = await answer(model_worker, reply, "openai/gpt-4o", "/v1")
    assert told(chunks) == [("message", None, "hi")]
