"""What stands below an answer that waits, ends early or says nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Usage, Waiting
from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import Bench, opened

REASON = "The provider asks to wait: too many requests."


def waiting(seconds: float = 40.0) -> Chunk:
    return Chunk(
        role="server",
        type="retry",
        content=Waiting(seconds=seconds, attempt=1, attempts=3, reason=REASON),
    )


def ended(reason: str) -> Chunk:
    return Chunk(
        role="server",
        type="usage",
        content=Usage(input_tokens=1, output_tokens=1, finish_reason=reason),
    )


def notes(bench: Bench) -> list[str]:
    rows = bench.parts.timeline.model.rows
    return [f"{row.note.title} {row.note.detail}" for row in rows if row.note is not None]


async def test_a_wait_is_counted_down_and_goes_when_the_answer_comes(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        talk = bench.session.conversation
        talk.apply(waiting(3.0))
        (note,) = notes(bench)
        assert REASON in note
        assert "attempt 1 of 3" in note
        await until(lambda: "in 1 s" in notes(bench)[0] or "again…" in notes(bench)[0])
        for chunk in said("Here I am."):
            talk.apply(chunk)
        assert not notes(bench)


async def test_a_second_wait_takes_the_place_of_the_first(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        for _ in range(2):
            bench.session.conversation.apply(waiting())
        assert len(notes(bench)) == 1


async def test_a_stop_ends_the_wait(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        bench.provider.answers.append([waiting(), *said("late")])
        bench.provider.gate = asyncio.Semaphore(1)  # the wait, and no more
        bench.send("hello")
        await until(lambda: bool(notes(bench)))
        bench.click(bench.parts.composer.send_button)
        await bench.rests()
        await until(lambda: not any(REASON in note for note in notes(bench)))


@pytest.mark.parametrize(
    ("reason", "words"), [("length", "limit of its length"), ("content_filter", "filter ended")]
)
async def test_why_an_answer_ended_early_is_said(
    theme: Theme, tmp_path: Path, reason: str, words: str
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        bench.provider.answers.append([*said("Once upon"), ended(reason)])
        bench.send("tell")
        await until(lambda: any(words in note for note in notes(bench)))


async def test_an_answer_of_nothing_is_said_and_one_of_words_is_not(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        bench.provider.answers += [[ended("stop")], [*said("Hello."), ended("stop")]]
        bench.send("hello?")
        await until(lambda: any("with nothing" in note for note in notes(bench)))
        await bench.rests()
        bench.send("again")
        await until(lambda: "Hello." in [one.text for one in bench.session.conversation.messages])
        await bench.rests()
        await until(lambda: not any("with nothing" in note for note in notes(bench)))


async def test_refused_pictures_are_taken_back_with_a_note(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        talk = bench.session.conversation
        for chunk in said("A file."):
            talk.apply(chunk)
        usage = Usage(input_tokens=1, output_tokens=1, has_refused_images=True)
        talk.apply(Chunk(role="server", type="usage", content=usage))
        (note,) = notes(bench)
        assert "takes no pictures" in note
        assert "paths" in note
