"""What the card of an error does in the window: lead to its line, ask the model to fix it."""

from __future__ import annotations

from pathlib import Path

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import CodeError, Frame
from playhead.ui.shell.session_view import fix_request
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded
from tests.support.waiting import until
from tests.support.window import opened

ERROR = CodeError(name="KeyError", message="'north'", frames=(Frame("", 2, "<module>"),))


async def test_to_mend_an_error_a_message_that_names_it_is_sent(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        talk = bench.session.conversation

        key = talk.apply(Chunk(role="computer", type="error", content=ERROR))
        bench.parts.timeline.mend_requested.emit(key)
        await until(lambda: [m for m in talk.messages if m.role == "user" and "KeyError" in m.text])


async def test_the_line_of_an_error_is_shown_in_the_editor(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path / "home") as bench:
        talk = bench.session.conversation
        key = talk.apply(Chunk(role="assistant", type="code", format="python", start=True))
        talk.apply(
            Chunk(role="assistant", type="code", format="python", content="a = {}\na['north']")
        )
        talk.apply(Chunk(role="assistant", type="code", format="python", end=True))
        bench.parts.timeline.line_requested.emit(key, 2)
        await until(lambda: bench.parts.pane.message_id == key)
        assert "north" in bench.parts.pane.text()


def test_the_request_names_error_and_line_and_holds_any_fence() -> None:
    words = fix_request(ERROR)
    assert "line 2" in words
    assert "KeyError: 'north'" in words
    assert fix_request(CodeError(name="E", message="```")).endswith("````")


async def test_a_restart_says_what_it_ended_only_where_a_kernel_was(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("x = 1")) as bench:
        bench.send("go")
        await bench.asked()
        assert bench.session.kernel.state == "none"
        bench.window.view.restart_kernel()
        notes = [row.note for row in bench.parts.timeline.model.rows if row.note]
        assert [(note.title, note.detail) for note in notes] == [
            ("No kernel was running.", "The next run starts a new one.")
        ]
