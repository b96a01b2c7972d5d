"""Keep the editor's tabs on the code that arrives and runs, and off what the user has chosen.

A run's line, errors and times are shown in the tab that holds exactly its code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from PySide6.QtCore import QObject

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import REARRANGED, ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, LineTiming, Proposal, RunReport
from playhead.ui.editor.pane.editor_pane import SCRATCH, EditorPane
from playhead.ui.editor.pane.tab_pages import TabPage
from playhead.ui.editor.tab import Tab, TabState
from playhead.ui.widgets.wording import tr


class RunMarks:
    """Moves the running line and puts times and errors up. Owner: the follower."""

    def __init__(self, pane: EditorPane) -> None:
        self._pane = pane
        self._conversation: Conversation | None = None
        self._proposal: Proposal | None = None
        self._proposed: Tab | None = None
        self._running: Tab | None = None
        self._is_line_shown = False

    @property
    def asked_about(self) -> Tab | None:
        """The tab whose code waits for an answer."""
        tab = self._proposed
        return tab if tab is not None and tab.state == "waiting" else None

    def follow(self, conversation: Conversation | None) -> None:
        """Look at the runs of another conversation."""
        for tab in (self._proposed, self._running):
            if tab is not None:
                tab.state = ""
        self._conversation = conversation
        self._proposal = self._proposed = self._running = None
        self._is_line_shown = False

    def propose(self, proposal: Proposal, tab: Tab | None) -> None:
        """Show that a proposal is about to run in a tab, or waits for an answer."""
        self._proposal = proposal
        if self._proposed is not None and self._proposed is not tab:
            self._set_state(self._proposed, "", only="waiting")
        self._proposed = tab
        if tab is not None and not tab.is_own:
            self._set_state(tab, "waiting", only="")

    def begin(self) -> Tab | None:
        """Show that the proposed code runs now, and return the tab that shows it."""
        proposal, tab = self._proposal, self._proposed
        self._running, self._proposed, self._is_line_shown = tab, None, False
        if proposal is None or tab is None:
            return None
        page = self._pane.pages.page(tab)
        page.is_fresh = False
        if page.editor.text() != proposal.code and not tab.is_edited:
            page.editor.replace_text(proposal.code)  # another program approved other code
        if page.editor.text() == proposal.code:
            self._pane.take_text(tab)
            page.running_line.reset()
            self._is_line_shown = True
        self._set_state(tab, "running")
        return tab

    def move(self, line: int | None) -> None:
        """Move the mark of the running line to this line."""
        if (page := self._page()) is not None:
            page.running_line.move(line)

    def add(self, message: Message) -> None:
        """Show a message of a run; other messages are ignored."""
        if (page := self._page()) is not None:
            show_result(page, message)
        if isinstance(message.content, RunReport):
            running, self._running = self._running, None
            self._is_line_shown = False
            if running is not None:
                self._set_state(running, "")
        elif message.type == "tool_result" and self._proposed is not None:
            self._set_state(self._proposed, "", only="waiting")

    def pause(self, line: int) -> None:
        """Show that the code is paused before a line; 0 when it goes on."""
        if (page := self._page()) is not None:
            page.running_line.pause(line)

    def wait(self, is_waiting: bool) -> None:
        """Show whether the code that runs waits for an answer."""
        if self._running is not None:
            self._set_state(self._running, "waiting" if is_waiting else "running")

    def stop(self) -> None:
        """Show that nothing waits any more: the turn was stopped."""
        if self._proposed is not None:
            self._set_state(self._proposed, "", only="waiting")

    def restore(self, tab: Tab) -> None:
        """Put back what the last run of a tab's code said, where its editor is a new one."""
        if tab.is_own:
            return
        page = self._pane.pages.current
        if not page.is_fresh:
            return
        page.is_fresh = False
        messages = self._conversation.messages if self._conversation else ()
        ran, is_running = run_of(messages, tab.key, page.editor.text())
        for message in ran:
            show_result(page, message)
        if is_running:
            self._running, self._is_line_shown = tab, True
            self._set_state(tab, "running")

    def _page(self) -> TabPage | None:
        if self._running is None or not self._is_line_shown:
            return None
        return self._pane.pages.find(self._running.key)

    def _set_state(self, tab: Tab, state: TabState, *, only: TabState | None = None) -> None:
        if only is None or tab.state == only:
            tab.state = state
            self._pane.refresh_tabs()


def run_of(messages: Sequence[Message], message_id: str, code: str) -> tuple[list[Message], bool]:
    """Return the messages after the last start of exactly this code, and whether it still runs."""
    ran: list[Message] = []
    is_proposed = is_running = False
    for message in messages:
        match message.content:
            case Proposal(message_id=about, code=what):
                is_proposed = about == message_id and what == code
            case RunReport(state="started"):
                is_running = is_proposed
                ran = [] if is_running else ran
            case RunReport() if is_running:
                is_running = False
                ran.append(message)
            case LineTiming() | CodeError() if is_running:
                ran.append(message)
            case _:
                pass
    return ran, is_running


def show_result(page: TabPage, message: Message) -> None:
    """Show a message of a run at its lines."""
    line = page.running_line
    match message.content:
        case LineTiming() as timing:
            line.add_timing(timing)
        case CodeError() as error:
            _show_error(page, error)
        case RunReport(state="started"):
            pass
        case RunReport() as report:
            line.move(None)
            line.show_heat()
            if report.line is not None and report.state != "finished":
                line.show_stop(report.line, report.seconds)
        case _:
            pass


def _show_error(page: TabPage, error: CodeError) -> None:
    own = [frame.line for frame in error.frames if not frame.file]
    if own and error.name != "KeyboardInterrupt":
        text = f"{error.name}: {error.message}" if error.message else error.name
        page.editor.show_error(own[-1], text)


MOST_CELLS = 40
"""Blocks of a long conversation that have a tab; older ones get one when they are opened."""


class _KeptTabs(Struct):
    """The edited and shown tabs of a conversation that is not shown."""

    current: str
    follows: bool
    edited: dict[str, Tab] = msgspec.field(default_factory=dict[str, Tab])


class EditorFollower(QObject):
    """Listens to one conversation at a time and moves the pane along.

    The newest code is shown unless the user has chosen another tab or is changing code; what is
    newer is then one click away. A question to the model is a wish to see its answer.
    """

    def __init__(self, pane: EditorPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pane = pane
        self._marks = RunMarks(pane)
        self._conversation: Conversation | None = None
        self._unsubscribe = lambda: None
        self._kept: dict[str, _KeptTabs] = {}
        self._streaming: Tab | None = None
        self._follows = True
        self._own_run = ""
        self._paused = 0
        pane.newer_requested.connect(self._on_newer_requested)
        pane.tab_chosen.connect(self._on_tab_chosen)
        pane.tab_shown.connect(self._on_tab_shown)

    def follow(self, conversation: Conversation | None) -> None:
        """Follow another conversation; unfinished edits come back with their conversation."""
        self._keep()
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self._conversation = conversation
        self._streaming, self._own_run, self._follows = None, "", True
        self._marks.follow(conversation)
        self._pane.set_newer(False)
        kept = _KeptTabs("", True)
        if conversation is not None:
            self._unsubscribe = conversation.subscribe(self._on_event)
            kept = self._kept.pop(conversation.id, kept)
        self._put_up_tabs(kept)

    def show_message(self, message_id: str) -> None:
        """Open a code message because the user asked for it; edits elsewhere stay in their tabs."""
        if (tab := self._tab_for(message_id)) is not None:
            self._pane.show_tab(tab.key)
            self._on_tab_chosen(tab.key)

    def expect_own_run(self, is_expected: bool) -> None:
        """Set whether the user is about to run the code that the pane shows: it runs in its tab."""
        self._own_run = self._pane.current.key if is_expected else ""

    def show_waiting(self, is_waiting: bool) -> None:
        """Show whether the code that runs waits for an answer."""
        self._marks.wait(is_waiting)

    def show_pause(self, line: int) -> None:
        """Show before which line the code that runs is paused; 0 while it is not."""
        if line != self._paused:
            self._paused = line
            self._marks.pause(line)

    def _put_up_tabs(self, kept: _KeptTabs) -> None:
        ran = self._codes_that_ran()
        cells = [kept.edited.pop(m.id, None) or self._new_tab(m, ran) for m in self._codes()]
        cells = [*kept.edited.values(), *cells]  # those too old to have a tab of themselves
        own = [tab for tab in self._pane.tabs if tab.is_own and self._is_wanted(tab, bool(cells))]
        tabs = [*own, *cells] or [Tab(key=SCRATCH, title="scratch", is_own=True)]
        keys = [tab.key for tab in tabs]
        newest = cells[-1].key if cells else keys[-1]
        self._follows = kept.follows
        self._pane.set_tabs(tabs, kept.current if kept.current in keys else newest)
        if (last := self._newest()) is not None and self._is_streaming(last):
            self._streaming = last
            self._pane.begin_stream(last)

    def _is_wanted(self, tab: Tab, has_cells: bool) -> bool:
        """Return whether a tab is kept: an empty scratch is removed if there is code to show."""
        if tab.key != SCRATCH or tab.file is not None:
            return True
        return not has_cells or bool(self._pane.text_of(tab))

    def _keep(self) -> None:
        if self._conversation is None:
            return
        kept = _KeptTabs(self._pane.current.key, self._follows)
        for tab in self._pane.tabs:
            if not tab.is_own and tab.is_edited:
                tab.text, tab.state = self._pane.text_of(tab), ""
                kept.edited[tab.key] = tab
        if kept.edited or not self._follows:
            self._kept[self._conversation.id] = kept

    def _on_event(self, event: ConversationEvent) -> None:
        message, chunk = event.message, event.chunk
        if event.kind == "grew" and chunk is not None:
            self._on_grew(event.message_id, chunk)
            return
        match event.kind:
            case "started" | "added" if message is not None and _is_question(message):
                self._follows = True
            case "started" if message is not None and _is_code(message):
                self._on_code_started(message)
            case "ended" if self._streaming and event.message_id == self._streaming.key:
                self._pane.end_stream(self._streaming)
                self._streaming = None
            case "added" if message is not None:
                self._on_added(message)
            case "transient" if chunk is not None and chunk.content == "cancelled":
                self._marks.stop()
            case kind if kind in REARRANGED:
                self._on_rearranged()
            case _:
                pass

    def _on_code_started(self, message: Message) -> None:
        if message.role == "user" and self._own_run:
            return  # it runs in its tab
        self._own_run = ""
        tab = self._new_tab(message, {})
        tab.text = ""
        self._streaming = tab
        self._pane.add_tab(tab)
        self._pane.begin_stream(tab)
        self._show_newer(tab)
        scratch = self._pane.tab(SCRATCH)
        if scratch is not None and scratch is not self._pane.current:
            self._drop_if_empty(scratch)

    def _on_grew(self, message_id: str, chunk: Chunk) -> None:
        if chunk.format == "active_line":
            self._marks.move(chunk.content if isinstance(chunk.content, int) else None)
            return
        tab = self._streaming
        if tab is not None and message_id == tab.key and isinstance(chunk.content, str):
            self._pane.append(tab, chunk.content)

    def _on_added(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                tab = self._pane.tab(self._own_run) or self._tab_for(proposal.message_id)
                self._marks.propose(proposal, tab)
                if tab is not None and not self._own_run:
                    self._show_newer(tab)
            case RunReport(state="started"):
                self._on_run_started()
            case _:
                self._marks.add(message)

    def _on_run_started(self) -> None:
        self._own_run = ""
        if (tab := self._marks.begin()) is not None and not self._is_held():
            self._pane.show_tab(tab.key)
        self._marks.pause(self._paused)

    def _on_rearranged(self) -> None:
        """Show the tabs again after another branch was chosen or a turn was removed."""
        self._streaming = None
        self._keep()
        kept = self._kept.pop(self._conversation.id, None) if self._conversation else None
        self._put_up_tabs(kept or _KeptTabs("", self._follows))

    def _show_newer(self, tab: Tab) -> None:
        """Show code that has just come, or say that it has."""
        if tab is self._pane.current:
            return
        if self._is_held():
            self._pane.set_newer(True)
        else:
            self._pane.show_tab(tab.key)
            self._pane.set_newer(False)

    def _is_held(self) -> bool:
        """Return whether the current tab must stay."""
        if self._pane.current.state == "past":
            return True
        if self._streaming is not None and self._streaming is self._pane.current:
            return not self._follows
        return not self._follows or self._pane.is_being_written

    def _drop_if_empty(self, tab: Tab) -> None:
        if not self._pane.text_of(tab) and tab.file is None:
            rest = [one for one in self._pane.tabs if one is not tab]
            self._pane.set_tabs(rest, self._pane.current.key)

    def _on_tab_chosen(self, key: str) -> None:
        newest = self._newest()
        self._follows = newest is None or key == newest.key
        if self._follows:
            self._pane.set_newer(False)

    def _on_tab_shown(self) -> None:
        self._marks.restore(self._pane.current)

    def _on_newer_requested(self) -> None:
        tab = self._marks.asked_about or self._newest()
        if tab is not None:
            self._pane.show_tab(tab.key)
        self._follows = True
        self._pane.set_newer(False)

    def _codes(self) -> Sequence[Message]:
        if self._conversation is None:
            return ()
        return [m for m in self._conversation.messages if _is_code(m)][-MOST_CELLS:]

    def _newest(self) -> Tab | None:
        cells = (tab for tab in reversed(self._pane.tabs) if not tab.is_own)
        return next((tab for tab in cells if tab.state != "past"), None)

    def _is_streaming(self, tab: Tab) -> bool:
        message = self._message(tab.key)
        return message is not None and message.state == "streaming"

    def _tab_for(self, message_id: str) -> Tab | None:
        """Return the tab of a message, and open one if there is none."""
        if (found := self._pane.tab(message_id)) is not None:
            return found
        message = self._message(message_id)
        if message is None or message.type != "code":
            return None
        tab = self._new_tab(message, self._codes_that_ran())
        self._pane.add_tab(tab)
        return tab

    def _codes_that_ran(self) -> Mapping[str, str]:
        """Return by code message the code that ran last or would: the user may have edited it."""
        messages = self._conversation.messages if self._conversation else ()
        proposals = [m.content for m in messages if isinstance(m.content, Proposal)]
        return {one.message_id: one.code for one in proposals}

    def _new_tab(self, message: Message, ran: Mapping[str, str]) -> Tab:
        text = ran.get(message.id, message.text)
        return Tab(
            key=message.id,
            title=self._title_of(message.id),
            language=message.format or "",
            text=text,
            original=text,
            base=message.text if message.role == "assistant" else None,
        )

    def _message(self, message_id: str) -> Message | None:
        return self._conversation.message(message_id) if self._conversation else None

    def _title_of(self, message_id: str) -> str:
        if self._conversation is None:
            return tr("cell")
        codes = [m.id for m in self._conversation.messages if _is_code(m)]
        return (
            tr("cell {number}", number=codes.index(message_id) + 1)
            if message_id in codes
            else tr("cell")
        )


def _is_question(message: Message) -> bool:
    return (message.role, message.type) == ("user", "message")


def _is_code(message: Message) -> bool:
    """Return whether a message is code that was written, and not a result of code."""
    return message.type == "code" and message.role != "computer"
