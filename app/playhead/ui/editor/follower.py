"""Keeps the editor pane on the code that arrives and runs, and off what the user is editing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from playhead.conversation.chunk import Chunk
from playhead.conversation.conversation import Conversation
from playhead.conversation.events import ConversationEvent
from playhead.conversation.message import Message
from playhead.conversation.payloads import CodeError, LineTiming, Proposal, RunReport
from playhead.ui.editor.editor_pane import EditorPane


@dataclass(frozen=True, slots=True)
class _Draft:
    """A block of code that is out of sight: newer code, or what the user had typed."""

    message_id: str
    language: str
    title: str
    original: str
    text: str


class EditorFollower(QObject):
    """Listens to one conversation at a time and moves the pane along.

    Code that the user has changed and not run stays; the newer code is then one click away.
    """

    def __init__(self, pane: EditorPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pane = pane
        self._conversation: Conversation | None = None
        self._unsubscribe = lambda: None
        self._drafts: dict[str, _Draft] = {}
        self._streaming = ""
        self._proposal: Proposal | None = None
        self._is_run_shown = False
        self._aside: _Draft | None = None
        self._is_own_run = False
        pane.newer_requested.connect(self._on_newer_requested)

    def follow(self, conversation: Conversation | None) -> None:
        """Follow another conversation; an unfinished edit comes back with its conversation."""
        self._keep_draft()
        self._unsubscribe()
        self._conversation = conversation
        self._streaming, self._proposal, self._is_run_shown = "", None, False
        if conversation is None:
            self._unsubscribe = lambda: None
            self._pane.show_code("", "python", "")
            return
        self._unsubscribe = conversation.subscribe(self._on_event)
        self._show_last(conversation)

    def show_message(self, message_id: str) -> None:
        """Open a code message because the user asked for it; an edit is put aside, not lost."""
        message = self._message(message_id)
        if message is not None and message_id != self._pane.message_id:
            self._exchange(self._block(message.id, message.format or "", message.text))

    def expect_own_run(self, is_expected: bool) -> None:
        """Whether what the pane shows is about to run by the user: its echo is no newer code."""
        self._is_own_run = is_expected

    def show_proposal(self, proposal: Proposal) -> None:
        """Open exactly what would run, unless the user is already changing it."""
        if self._pane.message_id != proposal.message_id:
            self._exchange(self._block(proposal.message_id, proposal.language, proposal.code))

    def _show_last(self, conversation: Conversation) -> None:
        draft = self._drafts.pop(conversation.id, None)
        codes = [m for m in conversation.messages if (m.role, m.type) == ("assistant", "code")]
        if draft is not None:
            self._put_up(draft)
        elif not codes:
            self._pane.show_code("", "python", "")
        elif codes[-1].state == "streaming":
            self._begin_stream(codes[-1])
            self._pane.append(codes[-1].text)
        else:
            self._show(codes[-1].id, codes[-1].format or "", codes[-1].text)
            self._show_last_run(codes[-1].id, codes[-1].text)

    def _keep_draft(self) -> None:
        if self._conversation is not None and (draft := self._edit_in_pane()) is not None:
            self._drafts[self._conversation.id] = draft

    def _edit_in_pane(self) -> _Draft | None:
        pane = self._pane
        if self._streaming or not pane.is_edited:
            return None
        title = self._title_of(pane.message_id)
        return _Draft(pane.message_id, pane.language, title, pane.original, pane.text())

    def _block(self, message_id: str, language: str, code: str) -> _Draft:
        return _Draft(message_id, language, self._title_of(message_id), code, code)

    def _put_up(self, draft: _Draft) -> None:
        self._aside = None
        self._pane.show_code(draft.message_id, draft.language, draft.original, draft.title)
        if draft.text != draft.original:
            self._pane.replace_text(draft.text)
        else:
            self._show_last_run(draft.message_id, draft.text)

    def _on_event(self, event: ConversationEvent) -> None:
        message, chunk = event.message, event.chunk
        match event.kind:
            case "started" if message is not None and message.type == "code":
                self._on_code_started(message)
            case "grew" if chunk is not None:
                self._on_grew(event.message_id, chunk)
            case "ended" if event.message_id == self._streaming:
                self._streaming = ""
                self._pane.end_stream()
            case "added" if message is not None:
                self._on_added(message)
            case _:
                pass

    def _on_code_started(self, message: Message) -> None:
        if message.role != "assistant" or self._is_own_run:
            return
        if self._pane.is_edited:
            self._offer(message.id, message.format or "", "")
        else:
            self._begin_stream(message)

    def _begin_stream(self, message: Message) -> None:
        self._streaming = message.id
        self._pane.begin_stream(message.id, message.format or "", self._title_of(message.id))

    def _on_grew(self, message_id: str, chunk: Chunk) -> None:
        if chunk.format == "active_line":
            if self._is_run_shown:
                line = chunk.content if isinstance(chunk.content, int) else None
                self._pane.running_line.move(line)
        elif message_id == self._streaming and isinstance(chunk.content, str):
            self._pane.append(chunk.content)

    def _on_added(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                self._on_proposal(proposal)
            case RunReport(state="started"):
                self._on_run_started()
            case _ if self._is_run_shown:
                self._show_outcome(message)
                self._is_run_shown = not isinstance(message.content, RunReport)
            case _:
                pass

    def _show_outcome(self, message: Message) -> None:
        """What a run said of its lines."""
        line = self._pane.running_line
        match message.content:
            case LineTiming() as timing:
                line.add_timing(timing)
            case CodeError() as error:
                self._show_error(error)
            case RunReport(state="started"):
                pass
            case RunReport() as report:
                line.move(None)
                line.show_heat()
                if report.line is not None and report.state != "finished":
                    line.show_stop(report.line, report.seconds)
            case _:
                pass

    def _show_last_run(self, message_id: str, code: str) -> None:
        """Put back what the last run of a block said of its lines, if that is what ran."""
        messages = self._conversation.messages if self._conversation else ()
        ran, self._is_run_shown = _run_of(messages, message_id, code)
        for message in ran:
            self._show_outcome(message)

    def _on_proposal(self, proposal: Proposal) -> None:
        """Of several blocks that came at once, the one that waits or runs is shown."""
        self._proposal = proposal
        is_shown = self._pane.message_id == proposal.message_id
        if not (is_shown or self._pane.is_edited or self._is_own_run):
            self._show(proposal.message_id, proposal.language, proposal.code)

    def _on_run_started(self) -> None:
        if (proposal := self._proposal) is None:
            return
        pane = self._pane
        self._is_own_run = False
        if pane.text() == proposal.code:
            pane.adopt(proposal.message_id, self._title_of(proposal.message_id))
        elif pane.is_edited:
            self._offer(proposal.message_id, proposal.language, proposal.code)
            return
        else:
            self._show(proposal.message_id, proposal.language, proposal.code)
        self._is_run_shown = True

    def _show_error(self, error: CodeError) -> None:
        own = [frame.line for frame in error.frames if not frame.file]
        if own and error.name != "KeyboardInterrupt":
            text = f"{error.name}: {error.message}" if error.message else error.name
            self._pane.editor.show_error(own[-1], text)

    def _show(self, message_id: str, language: str, code: str) -> None:
        self._aside = None
        self._pane.show_code(message_id, language, code, self._title_of(message_id))

    def _offer(self, message_id: str, language: str, code: str) -> None:
        self._aside = self._block(message_id, language, code)
        self._pane.set_newer(True, "Show newer code")

    def _exchange(self, draft: _Draft) -> None:
        """Show another block; what the user was editing waits behind a button."""
        kept = self._edit_in_pane()
        self._put_up(draft)
        if kept is not None:
            self._aside = kept
            self._pane.set_newer(True, "Back to your edit")

    def _on_newer_requested(self) -> None:
        if (draft := self._aside) is None:
            return
        message = self._message(draft.message_id)
        if message is not None and message.state == "streaming":
            self._begin_stream(message)
            self._pane.append(message.text)
            return
        if message is not None and not draft.text:
            draft = self._block(message.id, message.format or "", message.text)
        self._exchange(draft)

    def _message(self, message_id: str) -> Message | None:
        return self._conversation.message(message_id) if self._conversation else None

    def _title_of(self, message_id: str) -> str:
        if self._conversation is None or not message_id:
            return ""
        written = (m for m in self._conversation.messages if m.role != "computer")
        codes = [message.id for message in written if message.type == "code"]
        return f"cell {codes.index(message_id) + 1}" if message_id in codes else "cell"


def _run_of(messages: Sequence[Message], message_id: str, code: str) -> tuple[list[Message], bool]:
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
