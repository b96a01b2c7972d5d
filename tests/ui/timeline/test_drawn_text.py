"""What is drawn and copied is the fold of the conversation, whatever came in whatever order."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.events import MoveTo, PutAside, PutBack
from playhead.domain.conversation.left_out import left_out_line
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    InputRequest,
    OutputTail,
    RunReport,
    Source,
    Table,
)
from playhead.ui.timeline.cards.card import Card
from playhead.ui.timeline.cards.card_factory import make_card
from playhead.ui.timeline.model.rows import Note
from playhead.ui.timeline.text.block_column import END, START
from playhead.ui.timeline.view import TimelineView
from playhead.ui.widgets.theme import TypeLook
from tests.ui.timeline.conftest import Talk

STREAMS: dict[str, tuple[Role, ChunkType, str | None]] = {
    "answer": ("assistant", "message", None),
    "thought": ("assistant", "reasoning", None),
    "code": ("assistant", "code", "python"),
    "console": ("computer", "console", None),
    "result": ("computer", "code", "markdown"),
}
TRACE = 'Traceback (most recent call last):\n  File "<x>", line 1\nValueError: no\n'
FRAME = "   a\n0  1\n"
PROSE = (
    "Words *here*, [linked][1] and `code`.\n\n- one\n- two\n\n```python\nx = 1\n```\n\n| a |\n|-|\n"
)
TEXTS = {
    "line": "5 rows\n",
    "open": "no end",
    "empty": "\n",
    "progress": "10%\r",
    "colour": "\x1b[31mred\x1b[0m\n",
    "prose": PROSE,
    "definition": "[1]: https://a.b\n\n",
    "trace": TRACE,
    "frame": FRAME,
    "lines": "line\n" * 30,
    "wide": "word " * 400,
    "table": "\n\n" + "|a long title of a column" * 9 + "|\n" + "|-" * 9 + "|\n" + "|1" * 9 + "|\n",
    "long": "row\n" * 3000,
    "cut": left_out_line(2_000_000, 14_000_000, "whole output in a file"),
}
_MOST_OTHERS = 100
texts = st.sampled_from(sorted(TEXTS))
pieces = st.tuples(st.sampled_from(("", "", "", *STREAMS)), texts)
frames = st.tuples(st.just("frame"), st.sampled_from(("due", "events")))
steps = st.one_of(
    frames,
    frames,
    st.tuples(st.just("grow"), pieces),
    st.tuples(st.just("grow"), pieces),
    st.tuples(st.just("grow"), pieces),
    st.tuples(st.just("tail"), st.tuples(st.integers(0, 3000), texts)),
    st.tuples(st.just("close"), st.booleans()),
    st.tuples(st.just("ask"), texts),
    st.tuples(st.just("whole"), st.sampled_from(("error", "table", "input", "citation"))),
    st.tuples(st.just("run"), st.sampled_from(("proposed", "started", "finished", "killed"))),
    st.tuples(st.just("note"), st.sampled_from(("add", "change", "drop", "clear", "unsent"))),
    st.tuples(st.just("note"), st.sampled_from(("add", "drop", "clear"))),
    st.tuples(st.just("tree"), st.sampled_from(("move", "hide", "show"))),
    st.tuples(st.just("fold"), st.integers(0, 30)),
    st.tuples(st.just("scroll"), st.sampled_from((-9000, -300, -40, 40, 300, 9000))),
    st.tuples(st.just("resize"), st.sampled_from(((700, 500), (320, 240), (900, 700)))),
    st.tuples(st.just("theme"), st.sampled_from(("light", "dark"))),
    st.tuples(st.just("zoom"), st.sampled_from((50, 100, 110, 200))),
)


class Hand:
    """Does the steps; one that makes no sense now is left out."""

    def __init__(self, view: TimelineView, talk: Talk) -> None:
        self.view, self.talk = view, talk
        self.open: tuple[Role, ChunkType, str | None] | None = None
        self.code = ""
        self.notes: list[str] = []

    def do(self, what: str, how: Any) -> None:
        getattr(self, f"_{what}")(how)

    def _grow(self, piece: tuple[str, str]) -> None:
        """Add a text to what is open, or to something new of this kind."""
        if piece[0] or self.open is None:
            self._close(False)
            self.open = STREAMS[piece[0] or "console"]
            key = self.talk.begin(*self.open)
            self.code = key if piece[0] == "code" else self.code
        role, kind, form = self.open
        form = "output" if kind == "console" else form
        self.talk.apply(Chunk(role=role, type=kind, format=form, content=TEXTS[piece[1]]))

    def _tail(self, last: tuple[int, str]) -> None:
        """Let a long output go on: its last lines are others."""
        if self.open is not None and self.open[1] == "console":
            tail = OutputTail(last[0], TEXTS[last[1]])
            self.talk.apply(Chunk(role="computer", type="console", format="tail", content=tail))

    def _close(self, is_cut: bool) -> None:
        if self.open is not None:
            role, kind, form = self.open
            self.open = None
            self.talk.apply(Chunk(role=role, type=kind, format=form, end=True), is_cut=is_cut)

    def _ask(self, text: str) -> None:
        self._close(False)
        self.talk.ask(TEXTS[text])

    def _whole(self, kind: ChunkType) -> None:
        self._close(False)
        last = self.talk.messages[-1] if self.talk.messages else None
        contents = {
            "error": CodeError(name="ValueError", message="no"),
            "table": Table(columns=("a",), dtypes=("int",), rows=((1,),), total_rows=1, text=FRAME),
            "input": InputRequest("i", "Name?"),
            "citation": Citation(start=0, end=3, text="Wor", sources=(Source(title="A", url="b"),)),
        }
        if kind != "citation" or (last is not None and last.type == "message"):
            role: Role = "assistant" if kind == "citation" else "computer"
            self.talk.apply(Chunk(role=role, type=kind, content=contents[kind]))

    def _run(self, state: Any) -> None:
        self._close(False)
        if state == "proposed" and self.code and self.talk.message(self.code) is not None:
            self.talk.propose(self.code, "edited = 1\n")
        elif state != "proposed":
            self.talk.report(RunReport(state=state, seconds=1.0))

    def _note(self, how: str) -> None:
        model, key = self.view.model, self.notes[0] if self.notes else ""
        match how:
            case "add":
                self.notes.append(model.add_note(Note(kind="info", title="A note")))
            case "change":
                model.change_note(key, Note(kind="info", title="Another", detail="words\n" * 3))
            case "drop":
                model.drop_note(key)
                self.notes = self.notes[1:]
            case "clear":
                self.view.clear_notes()
                self.notes = []
            case _:
                path = [message.id for message in self.talk.messages]
                model.set_unsent(path[len(path) // 2] if path else "", path)
        self.view.coalescer.due()

    def _tree(self, how: str) -> None:
        self._close(False)
        path = [message.id for message in self.talk.messages]
        match how:
            case "move" if path:
                self.talk.change(MoveTo(path[len(path) // 2]))
            case "hide" if path:
                self.talk.change(PutAside(path[len(path) // 2]))
            case _:
                self.talk.change(PutBack())

    def _fold(self, index: int) -> None:
        canvas = self.view.canvas
        canvas.flush()
        if index < canvas.sheet.count:
            spots = canvas.sheet.card(index).spots(True)
            fold = next((spot for spot in spots if spot.intent.kind == "fold"), None)
            if fold is not None:
                self.view.activate(fold.intent, index)

    def _scroll(self, delta: int) -> None:
        self.view.canvas.scroll_by(delta)

    def _resize(self, size: tuple[int, int]) -> None:
        self.view.resize(*size)

    def _theme(self, mode: Any) -> None:
        self.view.theme.set_mode(mode)

    def _zoom(self, percent: int) -> None:
        self.view.theme.set_type(TypeLook(zoom_percent=percent))

    def _frame(self, how: str) -> None:
        if how == "due":
            self.view.coalescer.flush_now()
        QCoreApplication.processEvents()


def settle(view: TimelineView) -> None:
    """Have all frames that are due; an end must come, or something asks for frames for ever."""
    view.canvas.flush()
    for _ in range(1000):
        if not view.coalescer._is_due:
            return
        view.coalescer.flush_now()
    raise AssertionError("frames without end")


def drawn(card: Card) -> tuple[str, ...]:
    """Return what a card shows, says on its buttons and copies."""
    is_folded = card.row.kind == "reasoning" and not card.row.is_open
    column = card.column if not is_folded else None
    text = column.text_between(START, END) if column is not None and len(column) else ""
    return (text, card.source(), *(spot.label for spot in card.spots(True)))


def fold(view: TimelineView, talk: Talk) -> dict[str, tuple[str, ...]]:
    """Return what cards that are new show of the messages, in order, as far as they are open."""
    other = TimelineView(view.theme)
    other.model.reset(talk.messages)
    if talk.open_id is not None:
        for row in other.model.rows_of([talk.open_id]):
            row.tail = talk.tail
    path = [message.id for message in talk.messages]
    other.model.set_versions(talk.versions(), path)
    width = view.canvas.column().width()
    shown: dict[str, tuple[str, ...]] = {}
    for row in (row for row in other.model.rows if row.message is not None):
        row.is_open = any(one.is_open for one in view.model.rows_of([row.key]))
        card = make_card(row, other.canvas.sheet._tools)
        while card.is_behind:
            card.refresh()
        card.lay_out(width, 0, 1 << 20)
        shown[row.key] = drawn(card)
    other.deleteLater()
    return shown


def is_as_painted_whole(view: TimelineView) -> bool:
    """Return whether the screen shows what a whole painting does; True where it cannot be read."""
    form = QImage.Format.Format_RGB32
    screen = view.screen().grabWindow(view.winId()).toImage().convertToFormat(form)
    whole = view.grab().toImage().convertToFormat(form)
    if screen.isNull() or screen == whole:
        return True
    if screen.size() != whole.size():  # the window is not as large as that yet
        return False
    # A rounded corner that is painted in two parts has a pixel of another shade.
    others = sum(one != other for one, other in zip(screen.bits(), whole.bits(), strict=True))
    return others < _MOST_OTHERS


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    report_multiple_bugs=False,
)
@given(done=st.lists(steps, min_size=20, max_size=50))
def test_after_any_interleaving_what_is_drawn_is_the_fold(done, view, qtbot):
    talk = Talk()
    view.set_conversation(talk)
    hand = Hand(view, talk)
    for what, how in done:
        hand.do(what, how)
    view.show_versions()  # as the session has it at the end of each turn
    settle(view)
    qtbot.waitUntil(lambda: is_as_painted_whole(view))
    expected, canvas = fold(view, talk), view.canvas
    assert [row.key for row in view.model.rows if row.message is not None] == list(expected)
    for top in range(0, canvas.max_top() + 1, max(300, canvas.max_top() // 10)):
        canvas.scroll_to(top)
        settle(view)
        for index in canvas.visible_rows():
            row = canvas.sheet.rows[index]
            assert row.message is None or drawn(canvas.sheet.card(index)) == expected[row.key]
    view.clear_notes()


def test_output_that_grows_while_a_note_leaves_is_drawn(view, talk, painted):
    """As the first start's example does it: its card leaves with the last lines of the output."""
    view.set_conversation(talk)
    talk.begin("computer", "console")
    view.add_note("info", "Watch")
    talk.apply(Chunk(role="computer", type="console", format="output", content="one\n"))
    painted()
    talk.apply(Chunk(role="computer", type="console", format="output", content="two\nthree\n"))
    view.clear_notes()
    painted()
    [card] = [view.canvas.sheet.card(index) for index in view.canvas.visible_rows()]
    assert card.column.text_between(START, END) == "one\ntwo\nthree"
    assert card.source() == "one\ntwo\nthree"


def test_two_million_lines_are_called_two_million(view, talk, painted):
    """The last lines go on by themselves, and have their numbers in what was printed."""
    head = "".join(f"line {number}\n" for number in range(1000))
    view.set_conversation(talk)
    key = talk.begin("computer", "console")
    talk.apply(Chunk(role="computer", type="console", format="output", content=head))
    for end in (50_000, 1_000_000, 2_000_000):
        text = "".join(f"line {number}\n" for number in range(end - 100, end))
        tail = OutputTail(end - 1100, text)
        talk.apply(Chunk(role="computer", type="console", format="tail", content=tail))
        painted()
        card = view.canvas.sheet.card(0)
        shown = card.column.text_between(START, END).split("\n")
        assert (shown[0], shown[-1]) == ("line 0", f"line {end - 1}")
        assert f"… {end - 24:,} lines hidden" in shown
        number = card.printed_at(30, card.frame_height() - 50)
        assert card.y_of_printed(end - 1) is not None
        assert end - 5 < number < end
    assert talk.message(key).text == head
    rest = left_out_line(1_998_900, 14_000_000, "whole output in a file") + text
    talk.apply(Chunk(role="computer", type="console", format="output", content=rest))
    talk.apply(Chunk(role="computer", type="console", end=True))
    painted()
    assert card.column.text_between(START, END).split("\n") == shown
    assert card.foot_label() == "Show 600 of 2,000,000 lines"


def test_an_output_that_goes_on_is_shown_on_return_to_its_conversation(view, talk, painted):
    view.set_conversation(talk)
    talk.begin("computer", "console")
    talk.apply(Chunk(role="computer", type="console", format="output", content="first\n"))
    tail = OutputTail(5, "last\n")
    talk.apply(Chunk(role="computer", type="console", format="tail", content=tail))
    view.set_conversation(Talk())
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.card(0).source() == "first\n… 5 lines hidden\nlast"
