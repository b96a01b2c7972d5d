"""How fast a run's output is taken in and shown, and how late other things come while it does."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.domain.conversation.conversation import Conversation
    from playhead.execution.run_output import RunOutput
    from playhead.ui.timeline.view import TimelineView

LINES = 1_000_000
PIECE_LINES = 1_000
"""About what one read of a pipe gives."""
BUDGET_S, FRAME_S, PASS_S = 0.004, 0.016, 6.0
RESOURCES = Path(__file__).parents[2] / "resources"


def console() -> dict[str, float]:
    """Lines in a second of main-thread CPU; then, fed a part of each frame, lateness."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return {"lines_per_s": round(_flooded()), "late_p99_ms": round(_lateness(), 2)}


def _flooded() -> float:
    view, talk = _shown()
    piece = _piece()
    output = _output()
    cpu_s = 0.0
    for number in range(LINES // PIECE_LINES):
        began = time.thread_time()
        _feed(talk, output, piece)
        cpu_s += time.thread_time() - began
        if number % 20 == 19:
            began = time.thread_time()
            _follow(talk, output)
            view.coalescer.flush_now()
            cpu_s += time.thread_time() - began
            view.viewport().repaint()
    _close(view, talk, output)
    return LINES / cpu_s


def _lateness() -> float:
    """The 99th of a hundred of how late a timer of 5 ms comes while output floods in."""
    from PySide6.QtCore import QCoreApplication, QTimer

    from tests.benchmarks.probe import Ticker

    view, talk = _shown()
    piece = _piece()
    output = _output()

    def feed() -> None:
        until = time.perf_counter() + BUDGET_S
        while time.perf_counter() < until:
            _feed(talk, output, piece)
        _follow(talk, output)

    feeder = QTimer()
    feeder.timeout.connect(feed)
    feeder.start(round(FRAME_S * 1e3))
    ticker = Ticker()
    ticker.start()
    end = time.monotonic() + PASS_S
    while time.monotonic() < end:
        QCoreApplication.processEvents()
        time.sleep(0.0002)
    feeder.stop()
    late = ticker.stop()
    _close(view, talk, output)
    return late[int(len(late) * 0.99)]


def _shown() -> tuple[TimelineView, Conversation]:
    from PySide6.QtWidgets import QApplication

    from playhead.domain.conversation.chunk import Chunk
    from playhead.domain.conversation.conversation import Conversation
    from playhead.ui.timeline.view import TimelineView
    from playhead.ui.widgets.theme import Theme

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme(RESOURCES, "light")
    theme.apply(app)
    view = TimelineView(theme)
    view.resize(900, 800)
    view.show()
    talk = Conversation()
    view.set_conversation(talk)
    talk.apply(Chunk(role="assistant", type="code", format="python", start=True))
    talk.apply(
        Chunk(role="assistant", type="code", format="python", content="for n in numbers: print(n)")
    )
    talk.apply(Chunk(role="assistant", type="code", format="python", end=True))
    talk.apply(Chunk(role="computer", type="console", start=True))
    app.processEvents()
    gc.freeze()  # as the window does once it stands
    return view, talk


def _output() -> RunOutput:
    from playhead.execution.run_output import RunOutput

    return RunOutput(Path(tempfile.mkdtemp(prefix="playhead-console-")) / "output.txt")


def _feed(talk: Conversation, output: RunOutput, piece: bytes) -> None:
    """What a run does with what its pipe gave: all is kept, the first part shown."""
    from playhead.domain.conversation.chunk import Chunk

    if shown := output.add(piece):
        talk.apply(Chunk(role="computer", type="console", format="output", content=shown))


def _follow(talk: Conversation, output: RunOutput) -> None:
    """What a run does once a frame: the last lines of what is not shown otherwise."""
    from playhead.domain.conversation.chunk import Chunk

    if output.has_news:
        tail = output.tail()
        talk.apply(Chunk(role="computer", type="console", format="tail", content=tail))


def _close(view: TimelineView, talk: Conversation, output: RunOutput) -> None:
    from playhead.domain.conversation.chunk import Chunk

    output.close()
    if output.path is not None:
        shutil.rmtree(Path(output.path).parent)
    talk.apply(Chunk(role="computer", type="console", end=True))
    view.set_conversation(None)
    view.close()


def _piece() -> bytes:
    lines = (f"line {number:06} of the output, as programs write it\n" for number in range(1000))
    return "".join(lines).encode()
