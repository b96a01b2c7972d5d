"""A stored conversation that would run code unasked: it asks again until the person says so."""

from __future__ import annotations

from pathlib import Path

from playhead.domain.settings import AppSettings, ConversationConfig, Profile
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

UNASKED = AppSettings(model="openai/test", profiles=(Profile(name="p", auto_run=True),))
BUTTON = "Run without asking"


def buttons(bench: Bench) -> list[str]:
    rows = bench.parts.timeline.model.rows
    return [row.note.action[0] for row in rows if row.note is not None and row.note.action]


async def test_a_profile_in_the_database_does_not_let_code_run(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Hello."), settings=UNASKED) as bench:
        bench.send("hello")
        await until(lambda: bool(bench.sessions.summaries))
        await bench.rests()
        bench.session.set_config(ConversationConfig(profile="p"))
        assert bench.session.auto_run  # chosen just now
        (row,) = bench.sessions.summaries
    async with opened(theme, tmp_path, coded("print(1)"), settings=UNASKED) as bench:
        bench.window.open_conversation(row.id)
        await until(lambda: BUTTON in buttons(bench))
        assert not bench.session.auto_run
        bench.send("go")
        await bench.asked()
        assert bench.ran == []
        bench.click(bench.parts.approval.skip_button)
        await bench.rests()
    async with opened(theme, tmp_path, coded("print(1)"), settings=UNASKED) as bench:
        bench.window.open_conversation(row.id)
        await until(lambda: BUTTON in buttons(bench))
        notes = [one.note for one in bench.parts.timeline.model.rows if one.note is not None]
        run = next(note.action[1] for note in notes if note.action and note.action[0] == BUTTON)
        run()
        assert bench.session.auto_run
        bench.send("go")
        await until(lambda: bench.ran == ["print(1)"])
        await bench.rests()


async def test_what_the_database_says_of_one_conversation_alone_does_not_count_either(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        bench.send("hello")
        await until(lambda: bool(bench.sessions.summaries))
        await bench.rests()
        bench.session.set_config(ConversationConfig(auto_run=True))
        (row,) = bench.sessions.summaries
    async with opened(theme, tmp_path) as bench:
        bench.window.open_conversation(row.id)
        await until(lambda: BUTTON in buttons(bench))
        assert not bench.session.auto_run
