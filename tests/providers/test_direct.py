"""Direct mode behind the provider's port."""

from __future__ import annotations

import asyncio

from playhead.conversation.chunk import Chunk
from playhead.conversation.message import Message
from playhead.conversation.payloads import RunReport
from playhead.conversation.requests import ModelSettings, TurnRequest
from playhead.providers.direct import DirectProvider


def answer(*messages: Message) -> list[Chunk]:
    provider = DirectProvider(lambda word: "python" if word in ("py", "python") else None)
    request = TurnRequest("t", "c", messages, ModelSettings())

    async def gather() -> list[Chunk]:
        return [chunk async for chunk in provider.stream(request)]

    return asyncio.run(gather())


def typed(text: str) -> Message:
    return Message("m", None, "user", "message", content=text)


def test_a_sum_becomes_a_code_message():
    chunks = answer(typed("What's 34/24?"))
    assert [(c.type, c.format, c.content, c.start, c.end) for c in chunks] == [
        ("code", "python", None, True, False),
        ("code", "python", "34 / 24", False, False),
        ("code", "python", None, False, True),
    ]


def test_prose_is_told_that_there_is_no_model_and_what_can_be_done():
    text = answer(typed("Sort my photos"))[1].content
    assert isinstance(text, str)
    assert "no model" in text
    assert "playhead:settings" in text


def test_it_rests_after_a_run():
    console = Message("c", "m", "computer", "console", content="1.4\n")
    assert answer(typed("34/24"), console) == []
    assert answer() == []


def test_a_report_on_the_kernel_is_no_answer():
    report = RunReport("killed", reason="Another Python was chosen: a new kernel begins.")
    told = Message("r", "m", "computer", "run", content=report)
    assert answer(typed("34/24"), told)[1].content == "34 / 24"


def test_a_language_that_cannot_run_is_named():
    text = answer(typed("```cobol\nDISPLAY 1\n```"))[1].content
    assert "cobol" in str(text)


def test_an_attachment_alone_is_answered_with_its_path():
    text = answer(Message("f", None, "user", "file", "path", "/data/a.csv"))[1].content
    assert "/data/a.csv" in str(text)
