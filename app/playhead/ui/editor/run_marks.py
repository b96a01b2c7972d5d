"""What a run says of the lines of its code: shown in the tab that holds just this code."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import CodeError, LineTiming, Proposal, RunReport
from playhead.ui.editor.editor_pane import EditorPane
from playhead.ui.editor.pages import Page
from playhead.ui.editor.tab import Tab, TabState


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
        """This is about to run in that tab, or waits for an answer."""
        self._proposal = proposal
        if self._proposed is not None and self._proposed is not tab:
            self._set_state(self._proposed, "", only="waiting")
        self._proposed = tab
        if tab is not None and not tab.is_own:
            self._set_state(tab, "waiting", only="")

    def begin(self) -> Tab | None:
        """What was proposed runs now; the tab that shows it."""
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
        """The code is at this line now."""
        if (page := self._page()) is not None:
            page.running_line.move(line)

    def add(self, message: Message) -> None:
        """What a run said; anything else is passed over."""
        if (page := self._page()) is not None:
            _show(page, message)
        if isinstance(message.content, RunReport):
            running, self._running = self._running, None
            self._is_line_shown = False
            if running is not None:
                self._set_state(running, "")
        elif message.type == "tool_result" and self._proposed is not None:
            self._set_state(self._proposed, "", only="waiting")

    def dress(self, tab: Tab) -> None:
        """Put back what the last run of a tab's code said, where its editor is a new one."""
        page = self._pane.pages.current
        if not page.is_fresh or tab.is_own:
            return
        page.is_fresh = False
        messages = self._conversation.messages if self._conversation else ()
        ran, is_running = run_of(messages, tab.key, page.editor.text())
        for message in ran:
            _show(page, message)
        if is_running:
            self._running, self._is_line_shown = tab, True
            self._set_state(tab, "running")

    def _page(self) -> Page | None:
        if self._running is None or not self._is_line_shown:
            return None
        return self._pane.pages.find(self._running.key)

    def _set_state(self, tab: Tab, state: TabState, *, only: TabState | None = None) -> None:
        if only is None or tab.state == only:
            tab.state = state
            self._pane.refresh_tabs()


def run_of(messages: Sequence[Message], message_id: str, code: str) -> tuple[list[Message], bool]:
    """What came after the last start of exactly this code, and whether it still runs."""
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


def _show(page: Page, message: Message) -> None:
    """What a run said of its lines."""
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


def _show_error(page: Page, error: CodeError) -> None:
    own = [frame.line for frame in error.frames if not frame.file]
    if own and error.name != "KeyboardInterrupt":
        text = f"{error.name}: {error.message}" if error.message else error.name
        page.editor.show_error(own[-1], text)
