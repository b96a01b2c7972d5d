"""Writes a message in a window and waits to be killed; argument: the folder of its data."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from playhead.event_loop import run
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded
from tests.support.window import opened


async def main(app: QApplication, home: Path) -> None:
    theme = Theme(Path(__file__).parents[2] / "resources", "light")
    theme.apply(app)
    async with opened(theme, home, coded("print(7)")) as bench:
        bench.send("go")
        await bench.asked()
        bench.send("this waits")
        QTest.keyClicks(bench.parts.composer.text_edit, "half a thought")
        await asyncio.Event().wait()


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    run(main(application, Path(sys.argv[1])), application)
