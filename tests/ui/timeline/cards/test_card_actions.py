"""What cards say of a turn and let one do with it: sources, times, errors, runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation, StoredConversation
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Frame,
    Proposal,
    RunReport,
    Source,
    Usage,
)
from playhead.domain.conversation.usage import TurnUsage, sum_usages
from playhead.domain.history import ConversationSummary
from playhead.ui.timeline.cards.result_cards import picture_problem
from playhead.ui.timeline.model.sources import cite, source_lines
from playhead.ui.timeline.model.timeline_model import TimelineModel
from playhead.ui.timeline.model.turn_cost import turn_summary
from tests.support.card_samples import ERROR, Sample

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
PAGE = Source(title="A page", url="https://example.org/a")


@pytest.fixture
def sample() -> Sample:
    return Sample()


@pytest.fixture
def model(sample: Sample) -> TimelineModel:
    made = TimelineModel()
    sample.subscribe(made.apply)
    return made


def click(qtbot, view, tip: str) -> None:
    view.coalescer.flush_now()
    for index in view.canvas.visible_rows():
        for spot in view.canvas.sheet.card(index).spots(True):
            if spot.tip.startswith(tip):
                point: QPoint = spot.rect.center() + view.canvas.card_rect(index).topLeft()
                qtbot.mouseClick(view.viewport(), LEFT, NONE, point)
                return
    raise AssertionError(f"no {tip}")


def tips(view) -> list[str]:
    view.coalescer.flush_now()
    cards = (view.canvas.sheet.card(index) for index in view.canvas.visible_rows())
    return [spot.tip for card in cards for spot in card.spots(True)]


def test_a_cited_stretch_has_the_number_of_its_source_behind_it(sample, model) -> None:
    sample.say("assistant", "message", "Ten is even. So it is.")
    for title in ("A page", "Another"):
        source = Source(title=title, url=f"https://example.org/{title[:2].strip()}")
        sample.apply(
            Chunk(
                role="assistant",
                type="citation",
                content=Citation(start=0, end=12, text="", sources=(source,)),
            )
        )
    answer, sources = model.rows
    assert answer.text == (
        "Ten is even. [\\[1\\]](<https://example.org/A>) [\\[2\\]](<https://example.org/An>)"
        " So it is."
    )
    assert sources.items == ["A page\nhttps://example.org/A", "Another\nhttps://example.org/An"]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [("short", 0, 50), ("short", 3, 3), ("```\ncode here\n```", 4, 8), ("a `b c` d", 0, 5)],
)
def test_no_number_is_put_into_code_or_where_the_place_is_not_known(text, start, end) -> None:
    citation = Citation(start=start, end=end, text="", sources=(PAGE,))
    assert cite(text, [citation], source_lines((), citation)) == text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://a/>b"])
def test_a_source_with_a_strange_address_cannot_be_opened(url: str) -> None:
    citation = Citation(start=0, end=2, text="", sources=(Source(title="Page", url=url),))
    lines = source_lines((), citation)
    assert lines == ["Page"]
    assert cite("Ten", [citation], lines) == "Te \\[1\\]n"


def test_a_click_on_a_source_asks_for_its_address(qtbot, view, talk) -> None:
    talk.answer("Ten is even.")
    talk.apply(
        Chunk(
            role="assistant",
            type="citation",
            content=Citation(start=0, end=12, text="", sources=(PAGE,)),
        )
    )
    view.set_conversation(talk)
    with qtbot.waitSignal(view.link_activated) as asked:
        click(qtbot, view, "A page")
    assert asked.args == ["https://example.org/a"]


def _ask_what_costs(talk: Sample, *usages: Usage) -> None:
    talk.say("user", "message", "How much?")
    talk.say("assistant", "message", "45")
    for usage in usages:
        talk.apply(Chunk(role="server", type="usage", content=usage))


def _told(talk: Sample, model: TimelineModel, name: str = "") -> str:
    model.set_costs(talk.usages.turns, name)
    return model.rows[-1].foot


def test_the_end_of_a_turn_says_model_tokens_and_time(sample, model) -> None:
    _ask_what_costs(
        sample, Usage(input_tokens=1_000, output_tokens=7), Usage(input_tokens=234, output_tokens=7)
    )
    assert _told(sample, model, "openai/gpt-x").startswith("gpt-x · 1,234 tokens in, 14 out · ")
    again = TimelineModel()
    again.reset(sample.messages)
    assert again.rows[-1].foot == ""
    assert _told(sample, again).startswith("1,234 tokens in"), "also when it is shown anew"


def test_a_stored_conversation_says_what_its_turns_have_cost(sample, view) -> None:
    _ask_what_costs(
        sample, Usage(input_tokens=1_000, output_tokens=7, model="openai/gpt-x", cost=0.5)
    )
    _ask_what_costs(sample, Usage(input_tokens=10, output_tokens=2, model="openai/gpt-x"))
    summary = ConversationSummary(id=sample.id, title="", created_at=1.0, updated_at=1.0)
    stored = StoredConversation(
        summary=summary,
        messages=tuple(sample.messages),
        leaf_id=sample.leaf_id,
        beside=tuple(sample.beside),
    )
    view.set_conversation(Conversation.restore(stored))
    first, second = (row.foot for row in view.model.rows if row.kind == "answer")
    assert first.startswith("gpt-x · 1,000 tokens in, 7 out · $0.50")
    assert second.startswith("gpt-x · 10 tokens in, 2 out")


def test_of_a_turn_whose_cost_was_not_told_nothing_is_said(sample, model) -> None:
    _ask_what_costs(sample)
    assert _told(sample, model, "openai/gpt-x") == ""


@pytest.mark.parametrize(
    ("usages", "words"),
    [
        (
            [Usage(input_tokens=10, output_tokens=5, model="a/m", cost=0.0123)],
            "m · 10 tokens in, 5 out · $0.012",
        ),
        (
            [Usage(input_tokens=10, output_tokens=5, model="m", cost=2.5)],
            "m · 10 tokens in, 5 out · $2.50",
        ),
        (
            [Usage(input_tokens=1, output_tokens=5, model="m", cost=0.0)],
            "m · 1 tokens in, 5 out · $0.00",
        ),
        (
            [
                Usage(input_tokens=10, output_tokens=5, model="m", cost=0.2, is_estimated=True),
                Usage(input_tokens=1, output_tokens=1, model="n"),
            ],
            "m, n · ~11 tokens in, ~6 out · at least ~$0.20",
        ),
    ],
)
def test_what_a_turn_has_cost_is_said_where_prices_are_known(usages, words) -> None:
    assert turn_summary(TurnUsage("q", sum_usages(usages))) == words


def test_a_thought_says_how_long_it_took(model) -> None:
    sample = Sample()
    thought = sample.message(sample.say("assistant", "reasoning", "Hm."))
    answer = sample.message(sample.say("assistant", "message", "45"))
    assert thought is not None
    assert answer is not None
    model.reset([thought, replace(answer, created_at=thought.created_at + 4.2)])
    assert model.rows[0].detail == "4.2 s"


def test_a_call_that_comes_while_another_waits_is_queued(sample, model) -> None:
    first = sample.say("assistant", "code", "print(1)", "python")
    sample.give(
        "confirmation",
        Proposal(id="p", message_id=first, language="python", code="print(1)"),
        "execution",
    )
    sample.say("assistant", "code", "print(2)", "python")
    assert [row.state for row in model.rows] == ["waiting", "queued"]


def test_the_place_of_an_error_leads_to_its_line(qtbot, view, talk) -> None:
    code = talk.code("def share(n):\n    return 1 / n\nshare(0)")
    talk.report(RunReport(state="started"))
    talk.apply(Chunk(role="computer", type="error", content=ERROR))
    view.set_conversation(talk)
    with qtbot.waitSignal(view.line_requested) as asked:
        click(qtbot, view, "Show line 1 in the editor")
    assert asked.args == [code, 1]


def test_a_model_is_asked_to_mend_only_where_there_is_one(qtbot, view, talk) -> None:
    talk.code("1 / 0")
    error = CodeError(
        name="ZeroDivisionError", message="division by zero", frames=(Frame("", 1, "<module>"),)
    )
    key = talk.apply(Chunk(role="computer", type="error", content=error))
    view.set_conversation(talk)
    assert "Ask the model to fix it" not in tips(view)
    view.set_model_name(lambda: "openai/gpt-x")
    view.set_conversation(talk)
    view.canvas.row_changed(key)
    with qtbot.waitSignal(view.mend_requested) as asked:
        click(qtbot, view, "Ask the model to fix it")
    assert asked.args == [key]


@pytest.mark.parametrize(("state", "tip"), [("ran", "Run again"), ("written", "Run this code")])
def test_code_is_run_again_from_its_card(qtbot, view, state: str, tip: str) -> None:
    sample = Sample()
    sample.run(state, code="print(1)")
    view.set_runnable(lambda word: word == "python", lambda word: "")
    view.set_conversation(sample)
    with qtbot.waitSignal(view.run_requested) as asked:
        click(qtbot, view, tip)
    assert asked.args == ["python", "print(1)"]


@pytest.mark.parametrize("state", ["running", "waiting"])
def test_code_that_is_under_way_is_not_run_again(view, state: str) -> None:
    sample = Sample()
    sample.run(state)
    view.set_runnable(lambda word: True, lambda word: "")
    view.set_conversation(sample)
    assert not {"Run again", "Run this code"} & set(tips(view))


def test_why_a_picture_is_not_shown_is_a_sentence() -> None:
    words = picture_problem("a.svg", "The drawing cannot be read.")
    assert words == "a.svg cannot be shown: the drawing cannot be read."


def test_a_picture_of_two_hundred_megapixels_is_refused_in_words(
    tmp_path, view, talk, painted: Callable[[], None], qtbot
) -> None:
    path = tmp_path / "huge.png"
    image = QImage(20_000, 10_000, QImage.Format.Format_Mono)
    image.fill(0)
    image.save(str(path))
    talk.apply(Chunk(role="computer", type="image", format="path", content=str(path)))
    view.set_conversation(talk)
    painted()
    found: Callable[[], object] = lambda: view.canvas.sheet.card(0)._picture()  # noqa: E731
    qtbot.waitUntil(lambda: found() is not None)
    shown, problem = view.canvas.sheet.card(0)._picture()
    assert shown.isNull()
    assert problem == "it is too large (20,000 × 10,000, 200 megapixels)"


def test_code_that_python_cannot_read_has_the_error_under_its_line_until_it_runs(
    view, talk, painted
):
    def shown() -> list[str]:
        painted()
        column = view.canvas.sheet.card(0).column
        return [column.block(index).source for index in range(len(column))]

    code = "a = [1, 2\nprint(a)"
    view.set_conversation(talk)
    key = talk.code(code)
    assert shown() == [code]
    talk.propose(key, code)
    first, fault, last = shown()
    assert (first, last) == ("a = [1, 2", "print(a)")
    assert "    ▲ SyntaxError: '[' was never closed (line 1)" in fault
    talk.report(RunReport(state="started"))
    assert shown() == [code]
