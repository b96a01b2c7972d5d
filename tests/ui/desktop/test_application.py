"""What macOS says to the application object, here in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def test_files_that_are_opened_before_and_after_the_window_is_there_arrive() -> None:
    code = """
        from PySide6.QtCore import QCoreApplication, QUrl
        from PySide6.QtGui import QFileOpenEvent
        from playhead.ui.desktop.application import Application

        app = Application([])
        app.files_opened.connect(lambda files: print("later", files))
        tell = lambda what: QCoreApplication.sendEvent(app, QFileOpenEvent(what))
        print(tell("/data/first.csv"), tell(QUrl("https://example.org/page")))
        print(app.take_early_files(), app.take_early_files())
        print(tell("/data/second.csv"))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.splitlines() == [
        "True False",
        "['/data/first.csv'] []",
        "later ['/data/second.csv']",
        "True",
    ], done.stderr
