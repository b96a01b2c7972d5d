"""What of a long conversation is sent, and how a key of several secrets reaches its provider."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.domain.model import ModelFacts, ModelOverride, ModelSettings
from playhead.domain.secret import Secret
from playhead.model_worker.protocol import Ask
from playhead.providers.request_writer import (
    LATEST_IMAGES,
    SAFE_CONTEXT_TOKENS,
    Calibration,
    RequestWriter,
    count_message,
    fit_messages,
    key_and_extra,
    limit_images,
    token_limit,
)
from playhead.providers.transcript import chat_messages
from tests.support.asking import chunks_of, contents, provider_of, request
from tests.support.bedrock_server import BedrockServer, said
from tests.support.model_server import ModelServer
from tests.support.talks import question, talks
from tests.support.workers import SharedWorker

PARTS = {"aws_access_key_id": "AKIA-EXAMPLE", "aws_secret_access_key": "hush-hush-hush"}
CLAUDE = "bedrock/invoke/anthropic.claude-3-haiku-20240307-v1:0"

_ids = itertools.count(1)


def test_the_parts_of_a_key_stand_beside_the_other_parameters():
    key = Secret(json.dumps(PARTS | {"endpoint": "https://evil.example"}))
    model = ModelSettings(model="bedrock/x", api_key=key, extra={"aws_region_name": "eu-west-1"})
    assert key_and_extra(model) == (None, {"aws_region_name": "eu-west-1", **PARTS})


def test_a_plain_key_stays_one():
    for text in ("sk-1", "[1]", "7"):
        assert key_and_extra(ModelSettings(model="bedrock/x", api_key=Secret(text))) == (text, {})
    text = json.dumps(PARTS)
    assert key_and_extra(ModelSettings(model="openai/x", api_key=Secret(text))) == (text, {})
    assert key_and_extra(ModelSettings(model="bedrock/x")) == (None, {})


def test_a_question_shows_no_part_of_its_key():
    assert "hush" not in repr(Ask(turn="t", model="bedrock/x", messages=[], extra=dict(PARTS)))


async def test_bedrock_is_asked_with_a_signature_of_the_kept_secrets(model_worker: SharedWorker):
    with ModelServer() as plain, BedrockServer() as server:
        server.answers = [said("Hel", "lo")]
        asked = request(plain)
        model = ModelSettings(
            model=CLAUDE,
            api_base=server.base_url,
            api_key=Secret(json.dumps(PARTS)),
            extra={"aws_region_name": "eu-west-1"},
        )
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, replace(asked, model=model))
    assert "".join(str(one) for one in contents(chunks)) == "Hello"
    signature = server.asked[0].authorization
    assert "AKIA-EXAMPLE/" in signature
    assert "/eu-west-1/bedrock/" in signature
    assert "hush" not in signature + server.asked[0].path


def test_guesses_follow_what_the_provider_counts() -> None:
    calibration = Calibration()
    assert calibration.factor("c") == 1.0
    calibration.learn("c", 1000, 1500)
    assert calibration.factor("c") == 1.5
    for _ in range(10):
        calibration.learn("c", 1000, 1200)
    assert calibration.factor("c") == pytest.approx(1.2, abs=0.01)
    calibration.learn("c", 0, 10)
    calibration.learn("other", 10, 100_000)
    assert calibration.factor("other") == 2.5


def test_of_very_many_conversations_only_the_last_are_calibrated():
    calibration = Calibration()
    for number in range(1_000):
        calibration.learn("often", 1000, 1500)
        calibration.learn(f"once {number}", 1000, 1500)
    assert calibration.factor("often") == 1.5
    assert calibration.factor("once 999") == 1.5
    assert calibration.factor("once 0") == 1.0


@given(talks(), st.integers(1, 400))
def test_what_is_kept_is_valid_recent_and_has_the_last_question(
    talk: list[Message], room: int
) -> None:
    found = fit_messages(talk, room)
    places = [talk.index(message) for message in found.messages]
    assert places == sorted(places)
    questions = [message for message in talk if question(message)]
    if questions:
        assert questions[-1] in found.messages
    if talk:
        assert talk[-1] in found.messages
    whole = sum(map(count_message, talk))
    if whole <= room:
        assert list(found.messages) == talk
        assert found.first == 0
    if len(found.messages) < len(talk):
        assert found.messages[0] is talk[places[0]]
        assert question(found.messages[0])
    entries = chat_messages(found.messages)
    asked = [call["id"] for entry in entries for call in entry.get("tool_calls") or ()]
    answered = [entry["tool_call_id"] for entry in entries if entry["role"] == "tool"]
    assert asked == answered


def test_a_turn_that_is_too_long_by_itself_loses_its_oldest_steps() -> None:
    talk = [_said("user", "Count."), *_step("one", "x" * 400), *_step("two", "y" * 400)]
    found = fit_messages(talk, 120)
    assert found.messages[0].text == "Count."
    assert [m.text for m in found.messages if m.type == "code"] == ["two"]
    assert talk[found.first].text == "two"


def test_an_unknown_model_gets_a_safe_amount_and_room_for_its_answer_is_left() -> None:
    assert token_limit(None, None) < SAFE_CONTEXT_TOKENS
    assert token_limit(8_000, 1_000) == 7_000
    assert token_limit(4_000, 100_000) == 2_000


def test_the_first_picture_and_the_latest_ones_are_kept() -> None:
    pictures = [_said("user", f"/p/{n}.png", "image") for n in range(8)]
    sent = limit_images(pictures)
    shown = [message.text for message in sent if message.type == "image"]
    latest = range(8 - LATEST_IMAGES, 8)
    assert shown == ["/p/0.png", *(f"/p/{n}.png" for n in latest)]
    assert sent[1].text == "[An earlier image /p/1.png is not sent again.]"
    few = pictures[: LATEST_IMAGES + 1]
    assert list(limit_images(few)) == few


def test_a_request_is_fitted_to_what_the_user_or_the_table_says_of_the_model() -> None:
    talk = [
        _said("user" if n % 2 == 0 else "assistant", f"{n} " + "word " * 200) for n in range(21)
    ]
    writer = RequestWriter()
    request = TurnRequest(
        turn_id="t",
        conversation_id="c",
        messages=tuple(talk),
        model=ModelSettings(model="openai/test"),
    )
    whole = writer.fitted(request, ModelFacts(model="openai/test"))
    assert (whole.left_out, whole.first_sent_id) == (0, "")
    table = writer.fitted(request, ModelFacts(model="openai/test", context_tokens=6_000))
    assert 0 < table.left_out < 20
    assert table.first_sent_id == talk[table.left_out].id
    assert table.tokens <= token_limit(6_000, None)
    said = TurnRequest(
        turn_id="t",
        conversation_id="c",
        messages=tuple(talk),
        model=ModelSettings(model="openai/test", override=ModelOverride(context_tokens=3_000)),
    )
    assert (
        writer.fitted(said, ModelFacts(model="x", context_tokens=9_000)).left_out > table.left_out
    )
    system = writer.messages(table.request)[0]["content"]
    assert f"The oldest {table.left_out} messages" in system
    again = writer.fitted(request, ModelFacts(model="openai/test"), 1)
    assert again.left_out > 0
    assert again.tokens < whole.tokens * 0.7


def test_what_is_looked_at_is_what_is_sent_and_has_no_key() -> None:
    request = TurnRequest(
        turn_id="t",
        conversation_id="c",
        messages=(_said("user", "hi"),),
        model=ModelSettings(model="openai/test", api_base="http://x"),
    )
    writer = RequestWriter()
    out = writer.outgoing(writer.fitted(request, ModelFacts(model="openai/test")))
    assert list(out.messages) == writer.messages(request)
    assert [tool["function"]["name"] for tool in out.tools] == ["execute"]
    assert len(out.tokens) == len(out.messages)
    assert out.total_tokens > 100
    json.dumps(out.messages)


def _said(role: str, text: str, kind: str = "message", **more: Any) -> Message:
    return Message(id=f"n{next(_ids)}", parent_id=None, role=role, type=kind, content=text, **more)  # type: ignore[arg-type]


def _step(code: str, output: str) -> list[Message]:
    block = _said("assistant", code, "code", format="python", call_id=f"call_{next(_ids)}")
    proposal = Proposal(id="p", message_id=block.id, language="python", code=code)
    shown = Message(
        id=f"n{next(_ids)}", parent_id=None, role="computer", type="confirmation", content=proposal
    )
    began = Message(
        id=f"n{next(_ids)}",
        parent_id=None,
        role="computer",
        type="run",
        content=RunReport(state="started"),
    )
    return [block, shown, began, _said("computer", output, "console")]
