"""What a frame costs while an answer streams in: mixed text, and one long fence, list or table."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

PER_FRAME = 16
"""Tokens."""
VIEW = (860, 800)
RESOURCES = Path(__file__).parents[2] / "resources"
_MIXED = """## Step {n}

Some *emphasised* and **strong** words about `value_{n}`, with a [link](https://example.org/{n}).
They go on for a while, as the words of models do, until the line is broken somewhere.

- first point of {n}
- second point
  - a nested one

```python
def function_{n}(value):
    return value + {n}
```

> A remark on {n}.

| name | value |
|:--|--:|
| a | {n} |

"""


def markdown() -> dict[str, float]:
    """Main-thread CPU of single frames, painting and garbage collection included."""
    from PySide6.QtCore import QObject

    from playhead.bootstrap.window_life import GarbageSchedule

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _streamed(_mixed(1_000))  # modules and fonts belong to the start of the program
    gc.collect()
    window = QObject()
    garbage = GarbageSchedule(lambda: True, window)  # as the program has it
    garbage.begin()
    short, long = _streamed(_mixed(10_000)), _streamed(_mixed(50_000))
    short_ms = (sum(short) + sum(_streamed(_mixed(10_000)))) / 2  # the machine's pace may change
    fence = "```python\n" + "".join(f"value_{n} = compute({n}, 'x')\n" for n in range(1_500))
    items = "".join(f"- item {n} of the list with some words\n" for n in range(1_200))
    rows = "| a | b | c |\n|---|---|---|\n" + "".join(
        f"| {n} | some words | {n * 3} |\n" for n in range(900)
    )
    return {
        "worst_ms_50k": round(max(long), 2),
        "worst_cpu_ms_50k": round(max(long), 2),
        "p99_ms_50k": round(sorted(long)[int(len(long) * 0.99)], 2),
        "growth_10k_50k": round(sum(long) / short_ms, 2),
        "worst_ms_fence": round(max(_streamed(_tokens(fence)[:10_000])), 2),
        "worst_ms_list": round(max(_streamed(_tokens(items)[:10_000])), 2),
        "worst_ms_table": round(max(_streamed(_tokens(rows)[:10_000])), 2),
    }


def _mixed(count: int) -> list[str]:
    tokens: list[str] = []
    number = 0
    while len(tokens) < count:
        tokens += _tokens(_MIXED.format(n=number))
        number += 1
    return tokens[:count]


def _tokens(text: str) -> list[str]:
    """Pieces of four characters: what a token is on average."""
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def _streamed(tokens: list[str]) -> list[float]:
    """CPU in milliseconds of each frame."""
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
    view.resize(*VIEW)
    view.show()
    talk = Conversation()
    view.set_conversation(talk)
    app.processEvents()
    talk.apply(Chunk(role="assistant", type="message", start=True))
    gc.collect()  # what the stream before has left is not this one's
    took: list[float] = []
    for at in range(0, len(tokens), PER_FRAME):
        began = time.thread_time()
        for token in tokens[at : at + PER_FRAME]:
            talk.apply(Chunk(role="assistant", type="message", content=token))
        view.coalescer.flush_now()
        view.viewport().repaint()
        app.processEvents()
        took.append((time.thread_time() - began) * 1e3)
    talk.apply(Chunk(role="assistant", type="message", end=True))
    view.set_conversation(None)
    view.close()
    return took[1:]
