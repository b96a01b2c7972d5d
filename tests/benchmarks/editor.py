"""What a frame costs the editor pane while its line moves 30 times and 200 edits fall a second."""

from __future__ import annotations

import os
import time
from pathlib import Path

FRAMES = 900
"""Half a minute of a running line."""
FRAME_HZ, EDITS_HZ = 30, 200
LINES = 3_600
SIZE = (800, 800)
RESOURCES = Path(__file__).parents[2] / "resources"


def editor() -> dict[str, float]:
    """Main-thread CPU of single frames: edits, the move of the line, marks, painting."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from playhead.ui.widgets.theme import Theme

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme(RESOURCES, "light")
    theme.apply(app)
    took = sorted(_frames(app, theme))
    return {
        "frame_p50_ms": round(took[len(took) // 2], 2),
        "frame_p99_ms": round(took[int(len(took) * 0.99)], 2),
        "frame_max_ms": round(took[-1], 2),
    }


def _frames(app: object, theme: object) -> list[float]:
    from PySide6.QtWidgets import QApplication

    from playhead.ui.editor.pane.editor_pane import EditorPane
    from playhead.ui.editor.tab import Tab
    from playhead.ui.widgets.theme import Theme

    assert isinstance(app, QApplication)
    assert isinstance(theme, Theme)
    pane = EditorPane(theme)
    pane.resize(*SIZE)
    code = _code()
    pane.set_tabs([Tab(key="m", title="cell 1", text=code, original=code, base=code)], "m")
    pane.show()
    took: list[float] = []
    owed, typed = 0.0, 0
    starts = [0, *(place + 1 for place, character in enumerate(code) if character == "\n")]
    for frame in range(FRAMES):
        deadline = time.monotonic() + 1 / FRAME_HZ
        began = time.thread_time()
        owed += EDITS_HZ / FRAME_HZ
        while owed >= 1:
            owed -= 1
            place = starts[frame % LINES + 3] + typed  # all earlier ones stand above
            pane.editor.replace_spans([(place, place, "x")])
            typed += 1
        pane.running_line.move(1 + frame % LINES)
        app.processEvents()
        took.append((time.thread_time() - began) * 1e3)
        while time.monotonic() < deadline:  # timers that fall due belong to the frame they fall in
            waited = time.thread_time()
            app.processEvents()
            took[-1] += (time.thread_time() - waited) * 1e3 * _worked(waited)
            time.sleep(0.002)
    pane.close()
    return took[30:]


def _worked(waited: float) -> bool:
    """An empty look at the queue is the benchmark's own cost, not the frame's."""
    return time.thread_time() - waited > 2e-4


def _code() -> str:
    block = (
        "def function_{n}(value, other=None):\n"
        '    """Say what comes of a value."""\n'
        "    total = sum(number * {n} for number in range(value))\n"
        "    if other is not None:\n"
        '        print(f"{{total:>12}} of {{other}}", "text", 3.14)\n'
        "    return total\n"
    )
    return "".join(block.format(n=n) for n in range(LINES // 6))
