"""Direct mode behind the provider's port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import FittedRequest, OutgoingRequest, TurnRequest
from playhead.domain.conversation.payloads import RunEnd, RunReport
from playhead.domain.model import ModelSettings, ToolOffer
from playhead.providers.direct import DirectMode
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker


def direct(canonical: Callable[[str], str | None], **more: Any) -> Provider:
    return Provider(ModelWorker(), canonical, DirectMode(canonical, **more))


def answer(*messages: Message, **more: Any) -> list[Chunk]:
    provider = direct(lambda word: "python" if word in ("py", "python") else None)
    request = TurnRequest(
        turn_id="t", conversation_id="c", messages=messages, model=ModelSettings(), **more
    )

    async def gather() -> list[Chunk]:
        return [chunk async for chunk in provider.stream(request)]

    return asyncio.run(gather())


def typed(text: str) -> Message:
    return Message(id="m", parent_id=None, role="user", type="message", content=text)


def test_a_sum_becomes_a_code_message():
    chunks = answer(typed("What's 34/24?"))
    assert [(c.type, c.format, c.content, c.start, c.end) for c in chunks] == [
        ("code", "python", None, True, False),
        ("code", "python", "34 / 24", False, False),
        ("code", "python", None, False, True),
    ]


def test_a_block_of_a_language_that_is_missing_says_what_to_install():
    provider = direct(lambda word: None, why_not=lambda word: f"{word} is not installed here.")
    request = TurnRequest(
        turn_id="t",
        conversation_id="c",
        messages=(typed("```ruby\nputs 1\n```"),),
        model=ModelSettings(),
    )

    async def gather() -> str:
        return "".join([str(c.content or "") async for c in provider.stream(request)])

    expected = "Blocks of **ruby** cannot be run here. ruby is not installed here."
    assert asyncio.run(gather()) == expected


def test_prose_is_told_that_there_is_no_model_and_what_can_be_done():
    text = answer(typed("Sort my photos"))[1].content
    assert isinstance(text, str)
    assert "no model" in text
    assert text.endswith("or choose a model and ask again.")


def test_where_there_is_no_window_it_says_how_a_model_is_chosen():
    provider = direct(lambda word: None, how="`playhead chat --model`")
    request = TurnRequest(
        turn_id="t", conversation_id="c", messages=(typed("Sort my photos"),), model=ModelSettings()
    )

    async def gather() -> str:
        return "".join([str(c.content or "") async for c in provider.stream(request)])

    assert asyncio.run(gather()).endswith("choose a model (`playhead chat --model`) and ask again.")


def test_it_rests_after_a_run():
    console = Message(id="c", parent_id="m", role="computer", type="console", content="1.4\n")
    assert answer(typed("34/24"), console) == []
    assert answer() == []


def test_a_report_on_the_kernel_is_no_answer():
    report = RunReport(state="killed", end=RunEnd(kind="interpreter_changed"))
    told = Message(id="r", parent_id="m", role="computer", type="run", content=report)
    assert answer(typed("34/24"), told)[1].content == "34/24"


def test_a_language_that_cannot_run_is_named():
    text = answer(typed("```cobol\nDISPLAY 1\n```"))[1].content
    assert "cobol" in str(text)


def test_an_attachment_alone_is_answered_with_its_path():
    text = answer(
        Message(
            id="f", parent_id=None, role="user", type="file", format="path", content="/data/a.csv"
        )
    )[1].content
    assert "/data/a.csv" in str(text)


@pytest.mark.parametrize("more", [{"offers_execute": False}, {"tools": (ToolOffer("lookup"),)}])
def test_a_program_that_wants_no_code_is_answered_in_plain_words(more: dict[str, Any]):
    chunks = answer(typed("34/24"), **more)
    assert [chunk.type for chunk in chunks] == ["message"] * 3
    assert "no model" in str(chunks[1].content)
    assert "playhead:" not in str(chunks[1].content)


def test_an_image_that_came_as_data_is_not_printed():
    image = Message(
        id="f",
        parent_id=None,
        role="user",
        type="image",
        format="base64.png",
        content="iVBORw0KGgo=",
    )
    assert "iVBOR" not in str(answer(image, typed("what is it?"))[1].content)


async def test_it_needs_no_worker_and_sends_nothing():
    provider = direct(lambda word: None)
    asked = TurnRequest(
        turn_id="t", conversation_id="c", messages=(typed("34/24"),), model=ModelSettings()
    )
    fitted = await provider.fit(asked)
    assert fitted == FittedRequest(request=asked)
    assert await provider.outgoing(fitted) == OutgoingRequest(model="")
    assert "needs no model" in await provider.check(ModelSettings())
    assert await provider.models(ModelSettings()) == []
    assert (await provider.facts(ModelSettings())).supports_images is False
    assert provider.worker.status == "absent"
    await provider.close()
