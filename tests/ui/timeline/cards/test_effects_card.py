"""The card of what a run did to files: undo, redo, conflicts, what was set aside."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeyEvent

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import FileChange, FileChanges, FileConflict, Uncovered
from playhead.ui.timeline.scroll.accessibility import spoken_text
from tests.support.card_samples import DIFF, KEPT, RUN_FILES, SET_ASIDE, UNDONE

REDONE = FileChanges(
    folder="/data",
    id="redo",
    action="redo",
    of="undo",
    is_whole=True,
    deleted=RUN_FILES.deleted,
    changed=RUN_FILES.changed[1:3],
    moved=RUN_FILES.moved,
    created=RUN_FILES.created,
)


@pytest.fixture
def shown(view, talk, painted):
    """Apply effects to the conversation that is shown."""
    view.set_conversation(talk)

    def show(*effects: FileChanges) -> None:
        for one in effects:
            talk.apply(Chunk(role="computer", type="files", content=one))
        painted()

    return show


def tips(view, row: int = 0) -> list[str]:
    return [one.tip for one in view.canvas.sheet.card(row).spots(True) if one.is_enabled]


def click(qtbot, view, tip: str, row: int = 0) -> None:
    [spot] = [one for one in view.canvas.sheet.card(row).spots(True) if one.tip == tip]
    point = spot.rect.translated(view.canvas.card_rect(row).topLeft()).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)


def line_of(view, name: str) -> str:
    """Return the line of a file as a copy of the card has it."""
    lines = view.canvas.sheet.card(0).source().split("\n")
    return next(line for line in lines if name in line)


def test_each_file_and_the_run_can_be_undone(view, shown, qtbot):
    shown(RUN_FILES)
    for tip, path in (("Undo run", ""), ("Undo what the run did to notes.md", "notes.md")):
        with qtbot.waitSignal(view.result_requested) as asked:
            click(qtbot, view, tip)
        assert asked.args == ["undo", view.model.rows[0].key, path]
    assert "Undo what the run did to video.mov" not in tips(view)
    assert view.canvas.sheet.card(0).notes() == [
        "Outside of this folder nothing was watched, and nothing can be undone."
    ]
    assert view.canvas.sheet.card(0).summary() == "1 created · 4 changed · 1 deleted · 1 moved"


def test_an_undo_is_shown_at_the_run_and_offers_redo(view, shown, qtbot):
    shown(RUN_FILES, UNDONE)
    assert line_of(view, "old.csv") == "deleted old.csv undone"
    assert line_of(view, "names.txt").endswith("undone")
    assert not line_of(view, "video.mov").endswith("undone")
    assert view.model.rows[1].kind == "undone"
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Do again what was undone to run.sh")
    assert asked.args[::2] == ["redo", "run.sh"]
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Do again what was undone here", row=1)
    assert asked.args[1] == view.model.rows[1].key
    shown(REDONE)
    assert "Undo what the run did to run.sh" in tips(view)
    assert tips(view, 1) == []


def test_a_conflict_says_why_and_what_the_undo_would_do(view, shown, qtbot, painted):
    shown(RUN_FILES, UNDONE)
    [line] = [one for one in view.canvas.sheet.card(0)._lines if one.conflict is not None]
    assert (line.change.path, line.words > 0) == ("notes.md", True)
    closed = view.canvas.sheet.height
    click(qtbot, view, "Show what changed in notes.md")
    painted()
    assert view.canvas.sheet.height > closed + 60
    assert "Undo what the run did to notes.md" in tips(view)


def test_an_attempt_that_did_nothing_is_shown_until_the_next(view, shown, painted):
    shown(RUN_FILES)
    view.set_undoing("run", is_busy=True)
    painted()
    assert not any("ndo" in tip for tip in tips(view))
    conflict = FileConflict(path="far/away.txt", reason="in_the_way")
    view.set_undoing("run", conflicts=[conflict], refused="The folder is another one.")
    painted()
    card = view.canvas.sheet.card(0)
    assert "conflict far/away.txt" in card.source()
    assert card.notes()[0] == "The folder is another one."
    view.set_undoing("run")
    painted()
    assert "far/away.txt" not in card.source()


def test_what_was_set_aside_is_kept_or_deleted(view, shown, qtbot):
    shown(SET_ASIDE, KEPT)
    assert line_of(view, ".envrc").endswith("other programs would run it kept")
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Delete .vscode/tasks.json")
    assert asked.args[::2] == ["discard", ".vscode/tasks.json"]
    notes = view.canvas.sheet.card(0).notes()
    assert notes[0] == "Undo does not cover node_modules (812 files), 13 more."


def test_all_actions_are_reached_by_tab_and_in_the_menu(view, shown, qtbot):
    shown(RUN_FILES)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    reached: list[str] = []
    while view.focusNextPrevChild(True) and view.canvas.focused and len(reached) < 40:
        reached.append(view.canvas.focused[1].tip)
    assert reached == tips(view)
    while view.canvas.focused is None or view.canvas.focused[1].intent.text != "run.sh":
        view.focusNextPrevChild(True)
    menu = view._pointer.menu_at(view._keys.menu_point())
    offered = [action.text() for action in menu.actions()]
    assert {"Undo what the run did to run.sh", "Undo run"} <= set(offered)
    menu.close()
    with qtbot.waitSignal(view.result_requested):
        view.keyPressEvent(
            QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
        )


def test_long_names_and_narrow_cards_keep_their_actions(view, shown, painted, qtbot):
    long = "a rather long name of a file " * 8 + ".txt"
    shown(replace(RUN_FILES, created=(FileChange(path=long),)))
    for width in (700, 330, 290):
        view.resize(width, 400)
        painted()
        card = view.canvas.sheet.card(0)
        inside = QRect(0, 0, card.width, card.frame_height())
        assert all(inside.contains(one.rect) for one in card.spots(True))
        rects = [one.rect for one in card.spots(True)]
        assert not any(a.intersects(b) for a in rects for b in rects if a is not b)
    assert view.canvas.sheet.card(0).tip_at(60, 50).startswith(long)


def test_a_screen_reader_gets_the_files_and_what_became_of_them(view, shown):
    shown(RUN_FILES)
    assert "notes.md" in spoken_text(view.model.rows[0])
    shown(UNDONE)
    assert spoken_text(view.model.rows[0]).startswith("Files, undone: 1 created")
    assert "Undone: 5 files" in spoken_text(view.model.rows[1])


def test_a_file_of_hundreds_with_a_conflict_is_not_folded_away(view, shown):
    files = tuple(FileChange(path=f"f{n}.txt", diff=DIFF) for n in range(200))
    conflict = FileConflict(path="f150.txt", reason="changed")
    undo = FileChanges(
        folder="/data", id="u", action="undo", of="run", is_whole=True, deleted=files[:150],
        conflicts=(conflict,),
    )  # fmt: skip
    shown(FileChanges(folder="/data", id="run", created=files), undo)
    card = view.canvas.sheet.card(0)
    assert "Undo what the run did to f150.txt" in tips(view)
    assert "Show all 200 files" in tips(view)
    assert card.frame_height() < 600


def test_an_undo_after_an_answer_leaves_the_answer_its_foot(view, talk, shown):
    talk.ask("go on")
    shown(RUN_FILES)
    talk.answer("Done.")
    shown(UNDONE)
    kinds = [(row.kind, row.is_last) for row in view.model.rows]
    assert kinds == [("question", False), ("files", False), ("answer", True), ("undone", False)]


def test_no_name_hides_what_it_is(view, shown):
    odd = "rtl\u202egnp.\nexe"
    change = FileChange(path="a", targets=(odd, odd), kind="link", old_path=odd)
    conflict = FileConflict(path=odd, reason="refused", detail=odd)
    uncovered = (Uncovered(path=odd, reason="unreadable"),)
    run = FileChanges(folder="/d", id="run", moved=(change,), uncovered=uncovered)
    undo = FileChanges(folder="/d", id="u", action="undo", of="run", conflicts=(conflict,))
    shown(run, replace(undo, deleted=(FileChange(path=odd),)))
    card = view.canvas.sheet.card(0)
    texts = [*card.notes(), *(card._sentence(one) + card._detail(one) for one in card._lines)]
    texts += [card.tip_at(60, 50), view.canvas.sheet.card(1).source()]
    assert any("\ufffd" in text for text in texts)
    assert not any(sign in text for text in texts for sign in "\u202e\r")
