"""What a long conversation costs the timeline: opening, memory, scrolling, another width."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

if TYPE_CHECKING:
    from playhead.domain.conversation.conversation import Conversation

SIZES = (100, 2_000, 10_000)
VIEW = (900, 800)
FRAMES, STEP = 240, 90
RESOURCES = Path(__file__).parents[2] / "resources"
_LIST = "\n".join(f"{number}. point *{number}* with `code`" for number in range(1, 6))
_ANSWER = (
    "# What was found\n\nThe data has **three** columns and a [link](https://example.org). "
    + "More words that make the line long enough to be broken. " * 4
    + f"\n\n{_LIST}\n\n```python\nfor row in rows:\n    print(row)\n```\n"
)
_TABLE = "| name | value |\n|:--|--:|\n" + "".join(f"| row {n} | {n} |\n" for n in range(6))


def timeline() -> dict[str, float]:
    """Main-thread CPU with painting, at three lengths of a conversation."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _measured(20)  # fonts, icons and modules belong to the start of the program
    figures: dict[str, float] = {}
    for size in SIZES:
        figures |= {f"{key}_{size}": round(value, 2) for key, value in _measured(size).items()}
    return figures


def _measured(size: int) -> dict[str, float]:
    from PySide6.QtWidgets import QApplication

    from playhead.ui.timeline.view import TimelineView
    from playhead.ui.widgets.theme import Theme

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme(RESOURCES, "light")
    theme.apply(app)
    view = TimelineView(theme)
    view.resize(*VIEW)
    view.show()
    app.processEvents()
    talk = conversation(size)
    before = _memory_mb()

    def show() -> None:
        view.set_conversation(talk)
        view.viewport().repaint()

    open_ms = _took_ms(show)
    mem_mb = _memory_mb() - before

    def scroll() -> None:
        view.canvas.scroll_by(-STEP)
        app.processEvents()

    frames = sorted(_took_ms(scroll) for _ in range(FRAMES))

    def narrow() -> None:
        view.resize(VIEW[0] - 300, VIEW[1])
        app.processEvents()

    resize_ms = _took_ms(narrow)
    view.set_conversation(None)
    view.close()
    return {
        "open_ms": open_ms,
        "mem_mb": mem_mb,
        "scroll_p99_ms": frames[int(len(frames) * 0.99)],
        "scroll_max_ms": frames[-1],
        "resize_ms": resize_ms,
    }


def conversation(size: int) -> Conversation:
    """So many messages of mixed kinds."""
    from playhead.domain.conversation.chunk import Chunk
    from playhead.domain.conversation.conversation import Conversation

    talk = Conversation()

    def say(role: Any, type: Any, format: str | None = None, *, text: str) -> None:
        piece = Chunk(role=role, type=type, format=format, content=text)
        talk.apply(replace(piece, content=None, start=True))
        talk.apply(piece)
        talk.apply(replace(piece, content=None, end=True))

    for number in range(size // 4):
        talk.apply(
            Chunk(role="user", type="message", content=f"Question {number}: what is in the file?")
        )
        say("assistant", "message", text=_ANSWER + ("\n" + _TABLE) * (number % 3 == 0))
        say("assistant", "code", "python", text=f"total = {number}\nprint(total)\n" * 4)
        talk.apply(Chunk(role="computer", type="console", start=True))
        talk.apply(
            Chunk(role="computer", type="console", format="output", content=f"{number}\n" * 12)
        )
        talk.apply(Chunk(role="computer", type="console", end=True))
    return talk


def _took_ms(step: Callable[[], object]) -> float:
    began = time.thread_time()
    step()
    return (time.thread_time() - began) * 1e3


def _memory_mb() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
