"""The timeline's widget: it takes events, joins its parts, and does what the window asks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
    QWindow,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.payloads import (
    CodeError,
    FileChanges,
    FileConflict,
    VariableChanges,
)
from playhead.domain.execution import Variable
from playhead.ui.timeline.cards.card import HEADER, CardTools, Intent
from playhead.ui.timeline.cards.picture_decoder import PictureDecoder
from playhead.ui.timeline.model.rows import (
    Action,
    FileEffect,
    Note,
    Sorting,
    file_effects,
)
from playhead.ui.timeline.model.timeline_model import Changes, TimelineModel
from playhead.ui.timeline.scroll.accessibility import AccessibleTimeline, announce, spoken_text
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.caret import Caret
from playhead.ui.timeline.scroll.copier import Copier, to_clipboard
from playhead.ui.timeline.scroll.key_handler import FocusRing, KeyHandler
from playhead.ui.timeline.scroll.latest_button import LatestButton
from playhead.ui.timeline.scroll.mouse_handler import MouseHandler
from playhead.ui.timeline.scroll.run_controls import InputFields, RunClock
from playhead.ui.timeline.scroll.run_rail import RunRail
from playhead.ui.timeline.scroll.version_position import VersionPosition
from playhead.ui.timeline.text.document_maker import SAFE_SCHEMES, Colourer, DocumentMaker
from playhead.ui.timeline.text.formula_renderer import FormulaRenderer
from playhead.ui.widgets.theme import COLUMN_WIDTH, GAP_XXXL, Theme
from playhead.ui.widgets.wording import tr, tr_n

if TYPE_CHECKING:
    from playhead.ui.timeline.find.timeline_find_bar import TimelineFindBar

_SPOKEN_CHARS = 500


class TimelineView(QAbstractScrollArea):
    """Shows a conversation. Owner: the main window.

    Signals: `retry_requested(message_id)`, `edit_requested(message_id)`,
    `version_chosen(message_id)`, `delete_requested(message_id)` of any message of a turn,
    `request_wanted(message_id)` to see what the model was sent before that message,
    `find_requested()`, `run_requested(language, code)`, `open_code_requested(message_id)`,
    `open_block_requested(message_id)` of a tab of several blocks,
    `line_requested(message_id, line)` to see it in the editor,
    `printed_pointed(message_id, number)` of the line of an output under the mouse (-1: none),
    `printed_requested(message_id, number)` to see what printed it, `mend_requested(message_id)`
    of an error, `input_answered(input_id, text)`, `text_sent(text, is_end)` to what the running
    code has started, `result_requested(what, message_id, detail)`: table, copy_table, save,
    sort with the number of a column or "stop", page, file, picture, copy_picture, save_picture,
    output with its path, source with a line and a path, failure for the variables of an error, or
    undo, redo, keep and discard with the path of a file, '' for all that a run did to files,
    `link_activated(url)`: only http, https, mailto and our own playhead addresses; the window shows
    it before it opens it.
    """

    retry_requested = Signal(str)
    edit_requested = Signal(str)
    version_chosen = Signal(str)
    delete_requested = Signal(str)
    find_requested = Signal()
    run_requested = Signal(str, str)
    open_code_requested = Signal(str)
    open_block_requested = Signal(str)
    input_answered = Signal(str, str)
    text_sent = Signal(str, bool)
    line_requested = Signal(str, int)
    printed_pointed = Signal(str, int)
    printed_requested = Signal(str, int)
    mend_requested = Signal(str)
    request_wanted = Signal(str)
    result_requested = Signal(str, str, str)
    link_activated = Signal(str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, colourer: Colourer | None = None
    ) -> None:
        super().__init__(parent)
        # Of the bindings' own: to see what Qt's is they make the classes of all kinds of widgets.
        self.setViewport(QWidget(self))
        self.theme = theme
        self.model = TimelineModel()
        self.pictures = PictureDecoder(self)
        self.formulas = FormulaRenderer(self)
        self.maker = DocumentMaker(theme, colourer, self.formulas)
        self.canvas = canvas = Canvas(self, self.model, self._make_tools())
        self.coalescer = canvas.coalescer
        self.copier = Copier(canvas)
        self._conversation: Conversation | None = None
        self._unsubscribe: Callable[[], None] | None = None
        caret = Caret(canvas)
        self._pointer = MouseHandler(canvas, caret, self.copier, self.activate)
        self._keys = KeyHandler(canvas, caret, self.copier, self.activate)
        self._fields = InputFields(canvas)
        self._clock = RunClock(canvas)
        self._version_place = VersionPosition(canvas)
        self._leaf: str | None = None
        self._traced: tuple[str, ...] = ()
        self._undoing: dict[str, FileEffect] = {}
        self._variables: Mapping[str, VariableChanges] = {}
        self._jump = LatestButton(theme, canvas)
        self._find_bar: TimelineFindBar | None = None
        self.rail = RunRail(theme, canvas)
        self._ring = FocusRing(theme, self)
        self._face: AccessibleTimeline | None = None
        self._faces: list[AccessibleTimeline] = []
        self._handle: QWindow | None = None
        self._set_up()
        self._connect()
        self._on_zoomed()

    @property
    def find_bar(self) -> TimelineFindBar:
        """Return the bar for words to look for; make it when it is first needed."""
        if self._find_bar is None:
            from playhead.ui.timeline.find.timeline_find_bar import TimelineFindBar

            self._find_bar = TimelineFindBar(self.theme, self.canvas)
            before: QWidget = self  # the keyboard goes on as it would had it been made before
            for one in self._find_bar.findChildren(QWidget):
                if one.focusPolicy() != Qt.FocusPolicy.NoFocus:
                    self.setTabOrder(before, one)
                    before = one
        return self._find_bar

    @property
    def conversation(self) -> Conversation | None:
        """The one that is shown."""
        return self._conversation

    def set_conversation(self, conversation: Conversation | None) -> None:
        """Show another conversation, from its end."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if conversation is not self._conversation and self._find_bar is not None:
            self._find_bar.end()
        self._conversation = conversation
        self._unsubscribe = conversation.subscribe(self._on_event) if conversation else None
        self.canvas.select(None)
        self.canvas.go_to_end()
        self._leaf = conversation.leaf_id if conversation else None
        self._read(conversation)
        self._undoing.clear()
        self._variables = {}
        self._show_effects()
        self._show_costs()
        self.show_versions()
        self._clock.follow()
        self.canvas.flush()
        self._describe()

    def _read(self, conversation: Conversation | None) -> None:
        """Make rows of all messages, and of the last lines of an output that goes on."""
        self.model.reset(conversation.messages if conversation else ())
        if conversation is not None and conversation.open_id is not None:
            tail = conversation.tail
            self.model.apply(
                ConversationEvent(kind="tail", message_id=conversation.open_id, tail=tail)
            )

    def accessible_face(self) -> AccessibleTimeline:
        """Return what assistive technology sees.

        Qt asks again if the widget has changed since, and deletes each that it was given.
        """
        self._face = AccessibleTimeline(self, self.canvas)
        self._faces.append(self._face)
        return self._face

    def show_versions(self) -> None:
        """Put arrows where there are other versions; when a turn has ended these are others."""
        if (conversation := self._conversation) is not None:
            path = [message.id for message in conversation.messages]
            before = self.model.rows
            self.model.set_versions(conversation.versions(), path)
            if self.model.rows is not before:
                self.canvas.select(None)  # its places are counted in rows
            self.coalescer.due()

    def reveal(self, message_id: str, query: str = "") -> bool:
        """Scroll to a message, to the words of a query in it; False if it is not drawn."""
        from playhead.ui.timeline.find.timeline_finder import reveal  # not needed at rest

        self.canvas.flush()
        return reveal(self.canvas, message_id, query)

    def trace(self, traces: Mapping[str, Sequence[tuple[int, int | None]]]) -> None:
        """Mark lines of outputs, by message; those that were marked before no longer."""
        if traces:
            self.canvas.flush()  # an output of this very frame has no place yet
        for key in {*self._traced, *traces}:
            if (index := self.model.index_of(key)) is not None:
                self.model.rows[index].traced = traces.get(key, ())
                self.canvas.port.update(self.canvas.card_rect(index))
        self._traced = tuple(traces)

    def reveal_printed(self, message_id: str, number: int) -> None:
        """Scroll until a line of an output, or the place where it is hidden, can be seen."""
        from playhead.ui.timeline.cards.code_cards import ConsoleCard  # loaded with its first card

        self.reveal(message_id)
        index = self.model.index_of(message_id)
        card = self.canvas.sheet.card(index) if index is not None else None
        if index is not None and isinstance(card, ConsoleCard):
            y = self.canvas.sheet.top_of(index) + (card.y_of_printed(number) or 0)
            if not self.canvas.top <= y < self.canvas.top + self.canvas.port.height() - HEADER:
                self.canvas.scroll_to(y - self.canvas.port.height() // 3)

    @property
    def input_field(self) -> QWidget | None:
        """Return the field for the answer that the running code waits for; None without one."""
        return self._fields.waiting

    def focus_input(self) -> bool:
        """Put the keyboard into that field; False without one."""
        self.canvas.flush()
        return self._fields.focus_waiting()

    def settle_inputs(self) -> None:
        """Take the fields away, because the code waits for no answer any more."""
        self.model.settle_inputs()
        self.coalescer.due()

    def set_code_state(self, message_id: str, state: str, detail: str = "") -> None:
        """Set the state of a code card: a CodeState of `rows`."""
        self.model.set_code_state(message_id, state, detail)
        self.coalescer.due()

    def set_model_name(self, model_name: Callable[[], str]) -> None:
        """Set the function that returns the name of the current model, '' while none is set."""
        self.model_name = model_name

    def show_going_on(self, text: str) -> None:
        """Show beside the code that ran last what computes on; '' for nothing."""
        self.model.show_going_on(text)
        self.coalescer.due()

    def show_pause(self, line: int) -> None:
        """Show at the code that runs before which line it is paused; 0 while it is not."""
        self.model.show_pause(line)
        self.coalescer.due()

    def end_turn(self) -> None:
        """Show what the turn has cost, once the session rests."""
        self._show_costs(self.model_name())
        self.coalescer.due()

    def _show_costs(self, model: str = "") -> None:
        if self._conversation is not None:
            self.model.set_costs(self._conversation.usages.turns, model)

    def set_runnable(self, can_run: Callable[[str], bool], why_not: Callable[[str], str]) -> None:
        """Set which languages of code in prose get a Run button, and what others need for that."""
        self._can_run = can_run
        self._why_not = why_not
        self.viewport().update()

    def add_note(
        self,
        kind: Literal["info", "warning", "error"],
        title: str,
        detail: str = "",
        action: Action | None = None,
    ) -> None:
        """Add a line of the window's own at the end, optionally with a button."""
        self.model.add_note(Note(kind=kind, title=title, detail=detail, action=action))
        self.coalescer.due()

    def show_failure(self, key: str, variables: Sequence[Variable], words: str) -> None:
        """Show the variables of an error's frames below it, or why there are none."""
        # not needed for the first paint
        from playhead.ui.timeline.cards.problem_card import failure_text, with_cells

        index = self.model.index_of(key)
        row = self.model.rows[index] if index is not None else None
        if row is not None and row.message and isinstance(row.message.content, CodeError):
            row.failure = words or failure_text(with_cells(row.message.content, row), variables)
            self.canvas.row_changed(key)

    def clear_notes(self) -> None:
        """Take those lines away."""
        self.canvas.select(None)
        self.model.clear_notes()
        self.canvas.flush()

    def activate(self, intent: Intent, index: int) -> None:
        """Do what a spot of a card, a key or the menu asks for."""
        if self._ask(intent):
            return
        row = self.canvas.sheet.rows[index]
        match intent.kind:
            case "fold":
                self._fold(index)
            case "version":
                self._version_place.note(index, intent.text)
                self.version_chosen.emit(intent.text)
            case "type":
                self._fields.toggle_typing(row)
            case "card" if self.canvas.sheet.card(index).act(intent.text):
                self.canvas.hold_row(index)
                self.canvas.row_changed(row.key)
                self.canvas.follow_if_at_end()
            case "act" if row.note is not None and row.note.action is not None:
                row.note.action[1]()
            case "mend":
                self.mend_requested.emit(row.key)
            case "copy_table" if (text := self._table_text(intent, index)) is not None:
                to_clipboard(text)
            case "copy_turn":
                self._copy_turn(index, is_markdown=intent.text == "markdown")
            case _:
                self._ask_for_result(intent, index)

    def _choose_block(self, key: str) -> None:
        """Show one of several blocks; the keyboard stays on its tab."""
        focused = self.canvas.focused
        self.model.choose(key)
        self.canvas.flush()
        shown = self.model.index_of(key)
        if focused is not None and shown is not None:
            spots = self.canvas.sheet.card(shown).spots(True)
            same = (spot for spot in spots if spot.intent == focused[1].intent)
            self.canvas.focused = next(((shown, spot) for spot in same), None)
        self.open_block_requested.emit(key)

    def _ask(self, intent: Intent) -> bool:
        """Do what needs no more than the intent; False for what needs its row."""
        if self.rail.refuses(intent.kind):
            return True
        asked = {
            "retry": self.retry_requested,
            "edit": self.edit_requested,
            "open": self.open_code_requested,
            "other_version": self.version_chosen,
            "delete": self.delete_requested,
            "request": self.request_wanted,
        }
        message_id, _, line = intent.text.partition(" ")
        match intent.kind:
            case "copy":
                QGuiApplication.clipboard().setText(intent.text)
            case "link":
                if intent.text.partition(":")[0].lower() in SAFE_SCHEMES:
                    self.link_activated.emit(intent.text)
            case "run":
                self.run_requested.emit(intent.language, intent.text)
            case "block":
                self._choose_block(intent.text)
            case "line":
                self.line_requested.emit(message_id, int(line))
            case "printed":
                self.printed_requested.emit(message_id, int(line))
            case kind if kind in asked:
                asked[kind].emit(intent.text)
            case _:
                return False
        return True

    def _ask_for_result(self, intent: Intent, index: int) -> None:
        if intent.kind not in ("card", "act"):
            self.result_requested.emit(intent.kind, self.canvas.sheet.rows[index].key, intent.text)

    def _copy_turn(self, index: int, *, is_markdown: bool) -> None:
        messages = self._conversation.messages if self._conversation else []
        to_clipboard(self.copier.turn(index, messages, is_markdown=is_markdown))

    def _table_text(self, intent: Intent, index: int) -> str | None:
        """Return a table in the order in which it is shown; None if that would take long."""
        from playhead.ui.timeline.cards.table_card import TableCard  # loaded with its first card

        card = self.canvas.sheet.card(index)
        if not isinstance(card, TableCard) or not card.is_small:
            return None
        return card.as_text("," if intent.text == "csv" else "\t")

    def sorting_of(self, message_id: str) -> Sorting:
        """Return how the rows of a table are sorted."""
        index = self.model.index_of(message_id)
        return self.model.rows[index].sorting if index is not None else Sorting()

    def set_sorting(self, message_id: str, sorting: Sorting) -> None:
        """Show a table's rows in another order, or that this is being found, or why not."""
        self.model.set_sorting(message_id, sorting)
        self.coalescer.due()

    def set_undoing(
        self,
        effect_id: str,
        *,
        is_busy: bool = False,
        conflicts: Sequence[FileConflict] = (),
        refused: str = "",
    ) -> None:
        """Show that an effect of a run on files is being undone, or what an attempt left."""
        found = {one.path: one for one in conflicts}
        self._undoing[effect_id] = FileEffect(conflicts=found, refused=refused, is_busy=is_busy)
        self._show_effects()
        self.coalescer.due()

    def _show_effects(self) -> None:
        """Show what became of the effects of runs on files, in all branches."""
        if (conversation := self._conversation) is None:
            return
        effects = file_effects(conversation.everything)
        for id_, last in self._undoing.items():
            known = effects.get(id_, FileEffect())
            conflicts = {**known.conflicts, **last.conflicts}
            effects[id_] = replace(last, state=known.state, conflicts=conflicts)
        for id_, changes in self._variables.items():
            effects[id_] = replace(effects.get(id_, FileEffect()), variables=changes)
        self.model.set_effects(effects)

    def show_variables(self, changes: Mapping[str, VariableChanges]) -> None:
        """Show what runs did to variables, by their ids."""
        if changes is not self._variables:
            self._variables = changes
            self._show_effects()
            self.coalescer.due()

    def _on_settled(self) -> None:
        """Put the button and the fields where they belong."""
        self._jump.refresh()
        self._fields.place()
        if self._is_finding():
            self.find_bar.place()

    def _on_taken(self, changes: Changes) -> None:
        """Count and search the rows that came; forget what was pressed if it may be gone."""
        self._jump.take(changes)
        if self._find_bar is not None and (changes.added or changes.changed or changes.is_reset):
            self._find_bar.finder.rows_changed()
        if changes.is_reset:
            self._pointer.forget()

    def _is_finding(self) -> bool:
        return self._find_bar is not None and not self._find_bar.isHidden()

    def _on_ring_moved(self, key: str) -> None:
        if self._face is not None:
            self._face.report_focus(key)

    def _fold(self, index: int) -> None:
        row = self.canvas.sheet.rows[index]
        row.is_open = not row.is_open
        self.canvas.hold_row(index)
        self.canvas.focused = None
        self.canvas.select(None)
        self.canvas.row_changed(row.key)
        self.canvas.follow_if_at_end()

    def _set_up(self) -> None:
        self.setObjectName("timeline")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # Cards are drawn from the left in any language; a paragraph has the direction of its words.
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self.viewport().setMouseTracking(True)
        self.viewport().installEventFilter(self)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(40)
        self.setAccessibleName(tr("Conversation"))
        self.setMinimumWidth(280)

    def _connect(self) -> None:
        canvas = self.canvas
        self.theme.changed.connect(self._on_theme_changed)
        self.theme.zoomed.connect(self._on_zoomed)
        self.pictures.ready.connect(canvas.row_changed)
        self.formulas.changed.connect(canvas.renew_formulas)
        canvas.taken.connect(self._on_taken)
        canvas.settled.connect(self._on_settled)
        canvas.scrolled.connect(self._pointer.refresh)
        canvas.ring_moved.connect(self._on_ring_moved)
        self._pointer.printed_pointed.connect(self.printed_pointed)
        self._pointer.find_requested.connect(self.find_requested)
        self._fields.answered.connect(self.input_answered)
        self._fields.sent.connect(self.text_sent)

    def _make_tools(self) -> CardTools:
        self._can_run: Callable[[str], bool] = lambda word: False
        self._why_not: Callable[[str], str] = lambda word: ""
        self.model_name: Callable[[], str] = lambda: ""
        return CardTools(
            theme=self.theme,
            maker=self.maker,
            pictures=self.pictures,
            can_run=lambda word: self._can_run(word),
            why_not=lambda word: self._why_not(word),
            has_model=lambda: bool(self.model_name()),
        )

    def _on_event(self, event: ConversationEvent) -> None:
        if event.kind in REARRANGED:
            self._rearrange()
            return
        self.model.apply(event)
        if event.kind == "grew":
            self.coalescer.due()
            return
        self._leaf = self._conversation.leaf_id if self._conversation else None
        if event.message is not None and event.message.role == "user":
            self.show_versions()
        self._clock.follow()
        self.coalescer.due()
        if event.message is not None and isinstance(event.message.content, FileChanges):
            self._show_effects()
            self._announce(event.message.id)
        if event.kind in ("ended", "added"):
            self._describe()
        if event.kind == "ended" and event.message is not None:
            self._announce(event.message.id)

    def _rearrange(self) -> None:
        """Show another path; a change elsewhere in the tree leaves what is read alone."""
        conversation = self._conversation
        if conversation is None:
            return
        if conversation.leaf_id != self._leaf:
            self._leaf = conversation.leaf_id
            self.canvas.select(None)
            self._read(conversation)
        self._show_effects()
        self.show_versions()
        self._clock.follow()
        self.coalescer.flush_now()
        self._version_place.hold()
        self._describe()

    def _announce(self, key: str) -> None:
        index = self.model.index_of(key)
        if index is not None and self._face is not None:
            announce(self, spoken_text(self.model.rows[index])[:_SPOKEN_CHARS])

    def _describe(self) -> None:
        """Describe the view to a screen reader: how much there is, and its last words."""
        rows = self.model.rows
        last = next((row.text for row in reversed(rows) if row.kind == "answer"), "")
        self.setAccessibleDescription(
            tr_n("%n entries", len(rows), one="1 entry") + f". {last[-_SPOKEN_CHARS:]}".rstrip()
        )
        if self._face is not None:
            self._face.report_change()

    def _on_theme_changed(self) -> None:
        self._jump.apply_theme()
        self.canvas.forget_layout()

    def _on_zoomed(self) -> None:
        percent = self.theme.type.zoom_percent
        self.pictures.zoom = self.formulas.zoom = max(1.0, percent / 100)
        self.canvas.set_zoom(percent)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what streams in while the window can be seen, and not while it is minimized."""
        super().showEvent(event)
        handle = self.window().windowHandle()
        if handle is not None and handle is not self._handle:
            self._handle = handle
            handle.visibilityChanged.connect(self._on_visibility_changed)

    def _on_visibility_changed(self, visibility: QWindow.Visibility) -> None:
        self.coalescer.hold(visibility == QWindow.Visibility.Minimized)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again: another width breaks lines elsewhere; what is read stays where it is."""
        super().resizeEvent(event)
        if not self._jump.styleSheet():
            self._jump.apply_theme()
        self.pictures.ratio = self.devicePixelRatioF()
        self._ring.setGeometry(self.rect())
        self.rail.place()
        self.canvas.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows that touch the exposed rectangle."""
        self.canvas.paint(event.rect())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Scroll to where the user moved the scroll bar."""
        self.canvas.scroll_to(self.verticalScrollBar().value())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll: touchpads give pixels, wheels notches."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        across = event.pixelDelta().x() or round(event.angleDelta().x() * 90 / 120)
        pixels = event.pixelDelta().y() or round(event.angleDelta().y() * 90 / 120)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not across:
            across, pixels = pixels, 0
        port = self.canvas.port
        if across and abs(across) > abs(pixels):
            point = port.to_rows(event.position().toPoint())
            self._pointer.slide(point, round(-across / port.zoom))
        else:
            self.canvas.scroll_by(round(-pixels / port.zoom))
        event.accept()

    def sizeHint(self) -> QSize:
        """Return the size of a comfortable column."""
        return QSize(COLUMN_WIDTH + 2 * GAP_XXXL, 600)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a selection."""
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the selection on, or show what is under the mouse."""
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a click or a selection."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select a word."""
        self._pointer.double_click(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of what can be done here; its key means the entry with the ring."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            point = self._keys.menu_point()
            self._pointer.open_menu(point, self.canvas.port.to_global(point))
        else:
            self._pointer.open_menu(self.canvas.port.to_rows(event.pos()), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, copy, go from button to button."""
        if not self._keys.press(event):
            event.ignore()

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Move through the buttons that can be seen, then on to the next widget."""
        return self._keys.tab(is_next) or super().focusNextPrevChild(is_next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring if the keyboard brought the focus."""
        super().focusInEvent(event)
        reasons = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self._ring.setVisible(event.reason() in (*reasons, Qt.FocusReason.ShortcutFocusReason))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring without focus."""
        super().focusOutEvent(event)
        self._ring.hide()
        self.canvas.focused = None
        if event.reason() != Qt.FocusReason.PopupFocusReason and not self._is_finding():
            self.canvas.ring("")
        self.viewport().update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show tooltips, and handle the mouse leaving.

        Not `viewportEvent`: an exception of another override that is called through it (a resize,
        a paint) ends the process in PySide 6.11 instead of being reported.
        """
        if watched is self.viewport():
            if event.type() == QEvent.Type.ToolTip:
                self._pointer.show_tip(event)
                return True
            if event.type() == QEvent.Type.Leave:
                self._pointer.forget()
                self.viewport().update()
        return super().eventFilter(watched, event)
