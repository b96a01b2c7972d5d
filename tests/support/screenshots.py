"""`python -m tests.support.screenshots FOLDER`: pictures of the real program for the README."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.display import virtual_display
from tests.support.driver import App, running_app, write_settings
from tests.support.model_server import ModelServer, Reply, Request, execute, text

QUESTION = "How does 1000 at 4 % a year grow in ten years?"
CODE = """\
import time

rate, years = 0.04, 10
balance = 1000.0
for year in range(1, years + 1):
    balance *= 1 + rate
    print(f"year {year:2d}  {balance:9.2f}")
    time.sleep(0.7)
print("grown by", round(balance - 1000, 2))
"""
ANSWER = (
    "After **ten years** the 1000 have become about **1480.24**:\n\n"
    "- 4 % of simple interest would be 400.00;\n"
    "- interest on the interest adds another 80.24.\n\n"
    "The doubling comes after about 18 years (`72 / 4`)."
)
SIZE = (1280, 800)


def main() -> int:
    """Waiting, running and done, in light and dark."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with virtual_display("1440x900x24") as display, ModelServer(_answer) as server:
        for mode in ("light", "dark"):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
                home = Path(place)
                write_settings(home, model="openai/test", api_base=server.base_url, theme=mode)
                with running_app(home, display, mode) as app:
                    _take(app, folder, mode)
    return 0


def _take(app: App, folder: Path, mode: str) -> None:
    app.resize(*SIZE)
    app.type(QUESTION)
    app.press("Return")
    button = app.wait_for_run_button()
    app.wait_for_message("assistant", "code", "grown by")
    _save(app, folder, f"waiting-{mode}")
    app.click(button)
    app.wait_for("some output", lambda: "year  4" in app.streamed_text() or None)
    _save(app, folder, f"running-{mode}")
    app.wait_for_message("assistant", "message", "The doubling")
    app.wait_for("a timeline at rest", _has_come_to_rest(app))
    _save(app, folder, f"done-{mode}")
    app.close()


def _has_come_to_rest(app: App) -> Callable[[], bool]:
    """Whether the timeline (not the caret below it) has looked the same for ten looks."""
    looks: list[bytes] = []

    def look() -> bool:
        timeline = app.picture().crop((240, 0, 780, 680))
        looks.append(timeline.tobytes())
        return len(looks) > 10 and len(set(looks[-10:])) == 1

    return look


def _save(app: App, folder: Path, name: str) -> None:
    app.picture().convert("RGB").save(folder / f"{name}.png", optimize=True)


def _answer(request: Request) -> Reply:
    return text(*_pieces(ANSWER)) if request.has_result else execute(*_pieces(CODE))


def _pieces(whole: str) -> list[str]:
    return [whole[start : start + 8] for start in range(0, len(whole), 8)]


if __name__ == "__main__":
    sys.exit(main())
