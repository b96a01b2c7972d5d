"""Both lanes make the same of an answer, and ask for it alike, but for the differences listed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.model_worker.http_lane.anthropic_wire import AnthropicReader
from playhead.model_worker.http_lane.chat_wire import ChatReader
from playhead.model_worker.http_lane.cohere_wire import CohereReader
from playhead.model_worker.http_lane.wire import Reader
from playhead.model_worker.protocol import Delta, Tokens
from tests.support import model_server as ms
from tests.support import wire_answers as wire
from tests.support.lanes import Outcome, both_lanes
from tests.support.model_server import Reply
from tests.support.workers import SharedWorker

GPT, CLAUDE, COMMAND = "openai/gpt-4o", "anthropic/claude-sonnet-4-5", "cohere/command-a-03-2025"
MISTRAL, GROK = "mistral/magistral-medium-latest", "xai/grok-4"


def call(index: int | None, **more: Any) -> dict[str, Any]:
    place = {} if index is None else {"index": index}
    return {"tool_calls": [{**place, "type": "function", **more}]}


def begun(index: int | None, call_id: str, name: str, arguments: Any = "") -> dict[str, Any]:
    return call(index, id=call_id, function={"name": name, "arguments": arguments})


THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 60},
}

ALIKE: Mapping[str, tuple[str, Reply]] = {
    "text": (GPT, wire.chat({"content": "Hel"}, {"content": "lo \n"}, {"content": "\U0001f600\0"})),
    "half a pair": (GPT, wire.chat({"content": "\ud83d"}, {"content": "\ude00"})),
    "text and a call": (GPT, wire.chat({"content": "a", **begun(0, "c", "n", "{}")})),
    "a call in pieces": (
        GPT,
        wire.chat(
            begun(0, "c", "n"),
            call(0, function={"arguments": '{"a":'}),
            call(0, function={"arguments": " 1}"}),
            finish="tool_calls",
        ),
    ),
    "alternating calls": (GPT, ms.calls(ms.execute("7", index=0), ms.execute("8", index=1))),
    "a call that ends as text": (GPT, wire.chat(begun(0, "c", "n", "{}"))),
    "arguments as an object": (GPT, wire.chat(begun(0, "c", "n", {"a": 1}))),
    "a refusal": (GPT, wire.chat({"refusal": "I cannot."})),
    "a citation": (GPT, ms.cited(ms.text("See it."), (0, 3, "https://example.org"))),
    "nothing": (GPT, wire.chat()),
    "a limit": (GPT, wire.chat({"content": "a"}, finish="length")),
    "a filter": (GPT, wire.chat({"content": "a"}, finish="content_filter")),
    "an end by another name": (GPT, wire.chat({"content": "a"}, finish="eos")),
    "counts": (GPT, wire.chat({"content": "a"}, usage=USAGE)),
    "counts without thoughts": (
        GROK,
        wire.chat({"content": "a"}, usage={**USAGE, "total_tokens": 1160}),
    ),
    "a cache of DeepSeek's": (
        "deepseek/deepseek-chat",
        wire.chat({"content": "a"}, usage={**USAGE, "prompt_cache_hit_tokens": 400}),
    ),
    "cut off": (GPT, ms.cut(ms.text("a"))),
    "no stream": (GPT, ms.no_sse()),
    "broken": (GPT, ms.broken_json("a")),
    "a wrong key": (GPT, ms.error(401, "Incorrect API key", code="invalid_api_key")),
    "no model": (GPT, ms.error(404, "no such model", code="model_not_found")),
    "too long": (
        GPT,
        ms.error(400, "maximum context length is 10", code="context_length_exceeded"),
    ),
    "filtered": (GPT, ms.error(400, "Rejected by our safety system.", code="content_filter")),
    "busy": (GPT, ms.error(429, "slow down", retry_after=7)),
    "failing": (GPT, ms.error(503, "oh")),
    "an error in the stream": (
        GPT,
        ms.spoken('data: {"error": {"message": "Slow", "code": 429}}\n\n'),
    ),
    "Together": ("together_ai/Qwen/Qwen3-8B", wire.chat({"content": "a"})),
    "Azure": ("azure/gpt-4o", wire.chat({"content": "a"})),
    "Cerebras": ("cerebras/gpt-oss-120b", wire.chat({"content": "a"})),
    "Claude": (CLAUDE, wire.anthropic(wire.text_block("He", "llo"))),
    "Claude's limit": (CLAUDE, wire.anthropic(wire.text_block("a"), stop="max_tokens")),
    "Claude's refusal": (CLAUDE, wire.anthropic(wire.text_block("a"), stop="refusal")),
    "Claude's calls": (
        CLAUDE,
        wire.anthropic(
            wire.redacted_block("c2VjcmV0"),
            wire.text_block("a"),
            wire.tool_block("n", '{"a"', ": 1}"),
            wire.tool_block("m", "{}", call_id="toolu_2"),
            stop="tool_use",
        ),
    ),
    "Claude is overloaded": (
        CLAUDE,
        wire.named({"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}),
    ),
    "Claude's key": (
        CLAUDE,
        ms.refused(
            401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}}
        ),
    ),
}

Change = Callable[[Outcome], Outcome]


def thoughts(count: int) -> Change:
    """litellm counts the words of thinking itself where the provider says nothing."""

    def change(outcome: Outcome) -> Outcome:
        assert outcome.tokens is not None
        return replace(outcome, tokens=replace(outcome.tokens, reasoning_tokens=count))

    return change


def counted_by_litellm(outcome: Outcome) -> Outcome:
    """litellm has the tokenizers of some models; we estimate by the characters."""
    return replace(outcome, tokens=Tokens(input_tokens=13, output_tokens=2, cost=5.25e-05))


def with_reason(reason: str) -> Change:
    return lambda outcome: replace(outcome, reason=reason)


def at_price(cost: float | None, thoughts: int = 0) -> Change:
    def change(outcome: Outcome) -> Outcome:
        assert outcome.tokens is not None
        tokens = replace(outcome.tokens, cost=cost, reasoning_tokens=thoughts)
        return replace(outcome, tokens=tokens)

    return change


def signed_by_litellm(outcome: Outcome) -> Outcome:
    echo = [{"type": "thinking", "thinking": "Hm.", "signature": "mistral"}]
    first, *others = outcome.deltas
    return thoughts(3)(replace(outcome, deltas=(replace(first, echo=json.dumps(echo)), *others)))


def one_call(outcome: Outcome) -> Outcome:
    """litellm takes two calls without an index for one."""
    calls = (replace(delta, calls=(replace(delta.calls[0], index=0),)) for delta in outcome.deltas)
    return replace(outcome, deltas=tuple(calls))


def without_last(outcome: Outcome) -> Outcome:
    """litellm sends no arguments for a call of Claude's that has none; ours are `{}`."""
    return replace(outcome, deltas=outcome.deltas[:-1])


DIFFERENT: Mapping[str, tuple[str, Reply, Change]] = {
    "thinking": (
        GPT,
        wire.chat({"reasoning_content": "hm"}, {"content": "a"}),
        thoughts(1),
    ),
    "thinking by another name": (
        GPT,
        wire.chat({"reasoning": "hm"}, {"content": "a"}),
        thoughts(1),
    ),
    "thinking by both names": (
        GPT,
        wire.chat({"reasoning": "hm", "reasoning_content": "hm"}),
        thoughts(1),
    ),
    "no counts": (GPT, replace(ms.text("some text"), usage=None), counted_by_litellm),
    "calls without an index": (
        GPT,
        wire.chat(begun(None, "c", "n", "{}"), begun(None, "d", "m", "{}"), finish="tool_calls"),
        one_call,
    ),
    "a call of Claude's without arguments": (
        CLAUDE,
        wire.anthropic(wire.tool_block("n"), stop="tool_use"),
        without_last,
    ),
    "Claude's thoughts": (
        CLAUDE,
        wire.anthropic(wire.thinking_block("Hm", "."), wire.text_block("a")),
        thoughts(3),
    ),
    "Claude's context": (
        CLAUDE,
        wire.anthropic(wire.text_block("a"), stop="model_context_window_exceeded"),
        with_reason("stop"),
    ),
    "Mistral's context": (
        MISTRAL,
        wire.chat({"content": "a"}, finish="model_length"),
        with_reason("stop"),
    ),
    "Mistral's thoughts": (
        MISTRAL,
        wire.chat({"content": [THINKING]}, {"content": "a"}),
        signed_by_litellm,
    ),
    "OpenRouter's own price": (
        "openrouter/openai/gpt-4o",
        wire.chat({"content": "a"}, usage={"cost": 0.5}),
        at_price(None),
    ),
    "a price by the size in the name": (
        "fireworks_ai/qwen2p5-72b-instruct",
        wire.chat({"content": "a"}),
        at_price(1.53e-05),
    ),
}
"""Where the lanes differ: how the HTTP lane's outcome becomes litellm's."""


async def test_both_lanes_make_the_same_of_recorded_answers(model_worker: SharedWorker):
    async with both_lanes(model_worker) as lanes:
        for name, (model, reply) in ALIKE.items():
            http, litellm = await lanes.ask(reply, model)
            assert http == litellm, name
        for name, (model, reply, change) in DIFFERENT.items():
            http, litellm = await lanes.ask(reply, model)
            assert http != litellm, f"{name}: no difference any more"
            assert change(http) == litellm, name


TOOL = {
    "name": "execute",
    "description": "Runs code.",
    "parameters": {"type": "object", "properties": {"code": {"type": "string"}}},
}
PIXEL = "data:image/png;base64,iVBORw0KGgo="
HISTORY = [
    {"role": "system", "content": "Be brief."},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "See:"},
            {"type": "image_url", "image_url": {"url": PIXEL}},
        ],
    },
    {
        "role": "assistant",
        "content": "I compute.",
        "tool_calls": [
            {
                "id": "call00001",
                "type": "function",
                "function": {"name": "execute", "arguments": '{"code": "1"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call00001", "content": "1"},
    {"role": "user", "content": "And now?"},
]
FULL: dict[str, Any] = {
    "messages": HISTORY,
    "tools": [{"type": "function", "function": TOOL}],
    "tool_choice": "required",
    "supports_images": True,
    "temperature": 0.3,
    "max_tokens": 77,
    "top_p": 0.5,
    "stop": ["END"],
}
EXTRA = {"extra": {"seed": 7, "extra_headers": {"X-Team": "blue", "Authorization": "no"}}}
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        (model, FULL)
        for model in (GPT, "openai/mine", "openai/o3-mini", "openai/gpt-5", "openai/gpt-5.2")
    ),
    *((model, FULL) for model in (MISTRAL, "groq/gemma2-9b-it", GROK, "xai/grok-3")),
    *((model, FULL) for model in ("azure/gpt-4o", "azure/o3", "together_ai/Qwen/Qwen3-8B")),
    *((model, FULL) for model in ("lm_studio/m", "hosted_vllm/m", "cerebras/gpt-oss-120b")),
    *((model, FULL) for model in (CLAUDE, "anthropic/claude-opus-4-7", "anthropic/claude-mine")),
    ("openai/gpt-4o", EXTRA),
    ("openai/o3-mini", {"extra": {"reasoning_effort": "low"}}),
    ("deepseek/deepseek-chat", {"tools": FULL["tools"]}),
    ("openrouter/openai/gpt-4o", {}),
    (CLAUDE, {}),
    (CLAUDE, {"messages": HISTORY}),
    (CLAUDE, {"extra": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}),
)
HEADERS = ("authorization", "api-key", "x-api-key", "anthropic-version", "x-team")


async def test_both_lanes_ask_alike(model_worker: SharedWorker):
    async with both_lanes(model_worker) as lanes:
        for model, more in ASKED:
            reply = wire.anthropic(wire.text_block("a")) if "anthropic" in model else wire.chat()
            await lanes.ask(reply, model, **more)
            http, litellm = lanes.asked()
            assert http.path == litellm.path, model
            assert [http.headers.get(name) for name in HEADERS] == [
                litellm.headers.get(name) for name in HEADERS
            ], model
            assert http.body == litellm.body, model


words = st.text(st.characters(exclude_categories=()), max_size=8)
pieces = st.one_of(
    st.builds(lambda text: {"content": text}, words),
    st.builds(lambda text: {"reasoning_content": text}, words),
    st.builds(lambda text: call(0, function={"arguments": text}), words),
)


@st.composite
def chats(draw: st.DrawFn) -> Reply:
    """An answer in OpenAI's format, of which the first delta names the call that others go on."""
    finish = draw(st.sampled_from(["stop", "length", "content_filter", "tool_calls"]))
    return wire.chat(begun(0, "c", "n"), *draw(st.lists(pieces, max_size=6)), finish=finish)


@st.composite
def claudes(draw: st.DrawFn) -> Reply:
    texts = st.lists(words.filter(bool), min_size=1, max_size=3)
    blocks = st.one_of(
        st.builds(lambda found: wire.text_block(*found), texts),
        st.builds(lambda found: wire.tool_block("n", *found), texts),
    )
    stop = draw(st.sampled_from(["end_turn", "max_tokens", "tool_use", "refusal"]))
    return wire.anthropic(*draw(st.lists(blocks, min_size=1, max_size=4)), stop=stop)


PRICED = (
    "openai/gpt-4o",
    "openai/o3",
    "openai/gpt-5.4",
    "xai/grok-4",
    "azure/gpt-4o",
    "mistral/mistral-large-latest",
)


@st.composite
def bills(draw: st.DrawFn) -> tuple[str, Reply]:
    """A model and an answer whose tokens are told: some prices rise with their number."""
    asked, said = draw(st.integers(1, 400_000)), draw(st.integers(1, 50_000))
    cached = draw(st.integers(0, asked))
    if draw(st.booleans()):
        start, *others = wire.anthropic(wire.text_block("a")).wire
        head = json.loads(str(start).partition("data: ")[2])
        written = draw(st.integers(0, 1000))
        head["message"]["usage"] = {
            "input_tokens": asked - cached,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": written,
            "output_tokens": 1,
        }
        return CLAUDE, ms.spoken(f"data: {json.dumps(head)}\n\n", *others)
    usage = {
        "prompt_tokens": asked,
        "completion_tokens": said,
        "total_tokens": asked + said,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": draw(st.integers(0, said))},
    }
    return draw(st.sampled_from(PRICED)), wire.chat({"content": "a"}, usage=usage)


async def test_both_lanes_make_the_same_of_generated_answers(model_worker: SharedWorker):
    found: list[tuple[str, Reply]] = []

    @settings(max_examples=25, database=None)
    @given(chats(), claudes(), bills())
    def gather(chat: Reply, claude: Reply, bill: tuple[str, Reply]) -> None:
        found.extend([(GPT, chat), (CLAUDE, claude), bill])

    gather()
    async with both_lanes(model_worker) as lanes:
        for model, reply in found:
            http, litellm = await lanes.ask(reply, model)
            assert (http.text, http.reasoning, http.calls, http.reason, http.failure) == (
                *(litellm.text, litellm.reasoning, litellm.calls),
                *(litellm.reason, litellm.failure),
            ), reply.wire
            assert cost(http) == pytest.approx(cost(litellm), abs=2e-8), (model, reply.wire)


def cost(outcome: Outcome) -> tuple[float, ...]:
    """Tokens of the question, of the answer, of the cache, and their price."""
    assert outcome.tokens is not None
    tokens = outcome.tokens
    return (tokens.input_tokens, tokens.output_tokens, tokens.cached_tokens, tokens.cost or 0.0)


READERS: tuple[tuple[Callable[[], Reader], st.SearchStrategy[Reply]], ...] = (
    (ChatReader, chats()),
    (AnthropicReader, claudes()),
    (
        CohereReader,
        st.builds(
            lambda found: wire.cohere(*wire.cohere_text(*found)), st.lists(words, max_size=4)
        ),
    ),
)


def read(reader: Reader, parts: Iterator[bytes]) -> tuple[list[Delta], str, object]:
    deltas = [delta for part in parts for delta in reader.feed(part)]
    deltas += reader.finish()
    return deltas, reader.reason, reader.failure


def split(data: bytes, places: list[int]) -> Iterator[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    for start, end in zip([0, *ends], ends, strict=False):
        yield data[start:end]


@pytest.mark.parametrize(("reader", "replies"), READERS)
@given(st.data())
def test_an_answer_is_the_same_however_it_is_cut(
    reader: Callable[[], Reader], replies: st.SearchStrategy[Reply], data: st.DataObject
):
    reply = data.draw(replies)
    ends = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    whole = "".join(map(str, reply.wire)).encode().replace(b"\n", ends)
    places = data.draw(st.lists(st.integers(0, 100_000), max_size=12))
    assert read(reader(), split(whole, places)) == read(reader(), iter([whole]))
    assert read(reader(), iter([whole]))[2] is None
