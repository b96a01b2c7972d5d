from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.ui.timeline.view import TimelineView
from playhead.ui.widgets.theme import Theme

RESOURCES = Path(__file__).parents[3] / "resources"


class Talk(Conversation):
    """A real conversation with short words for what tests say in it."""

    def say(
        self,
        role: Role,
        kind: ChunkType,
        text: str,
        format: str | None = None,
        id: str | None = None,
    ) -> str:
        message_id = self.begin(role, kind, format, id)
        if text:
            self.apply(Chunk(role=role, type=kind, format=format, content=text))
        self.apply(Chunk(role=role, type=kind, format=format, end=True))
        return message_id

    def begin(
        self, role: Role, kind: ChunkType, format: str | None = None, id: str | None = None
    ) -> str:
        return self.apply(Chunk(role=role, type=kind, format=format, start=True, id=id))

    def ask(self, text: str) -> str:
        return self.apply(Chunk(role="user", type="message", content=text))

    def answer(self, text: str) -> str:
        return self.say("assistant", "message", text)

    def code(self, code: str) -> str:
        return self.say("assistant", "code", code, "python")

    def propose(self, message_id: str, code: str) -> None:
        proposal = Proposal(
            id=f"p-{message_id}", message_id=message_id, language="python", code=code
        )
        self.apply(
            Chunk(role="computer", type="confirmation", format="execution", content=proposal)
        )

    def report(self, report: RunReport) -> str:
        return self.apply(Chunk(role="computer", type="run", content=report))

    def output(self, text: str) -> str:
        message_id = self.begin("computer", "console")
        if text:
            self.apply(Chunk(role="computer", type="console", format="output", content=text))
        self.apply(Chunk(role="computer", type="console", end=True))
        return message_id


@pytest.fixture
def talk() -> Talk:
    return Talk()


@pytest.fixture
def theme(qapp):
    theme = Theme(RESOURCES, "light")
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    theme.deleteLater()


@pytest.fixture
def view(qtbot, theme):
    view = TimelineView(theme)
    qtbot.addWidget(view)
    view.resize(700, 500)
    # A window that the screen does not show yet draws nothing, not even when it is told to.
    with qtbot.waitExposed(view):
        view.show()
    yield view
    view.set_conversation(None)
    view.close()


@pytest.fixture
def painted(view) -> Callable[[], None]:
    """Draw what is due, as at the end of a frame."""

    def paint() -> None:
        view.coalescer.flush_now()
        view.viewport().repaint()

    return paint
