"""A day with the real program, by mouse and keyboard alone, from a dropped file to Quit."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import nbformat
import pytest
from PIL import Image, ImageChops

from tests.support import drag_source
from tests.support.display import virtual_display
from tests.support.driver import (
    ROOT,
    App,
    Box,
    Colour,
    find_colour,
    running_app,
    theme_colour,
    write_settings,
)
from tests.support.model_server import ModelServer, Reply, Request, execute, text
from tests.support.workers import SharedWorker

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool"),
    pytest.mark.timeout(300),
]
SIZE = (1200, 860)
TIMELINE = Box(250, 48, 740, 740)
SOURCE = Box(1240, 60, 1240 + drag_source.SIZE[0], 60 + drag_source.SIZE[1])
"""Where the file is dragged from: beside the window."""
ROWS = (("north", 30), ("south", 70), ("west", 20))
QUESTION = "What do the sales come to?"
OTHER_QUESTION = "Who sells most?"
CODE = """\
import csv

with open({path!r}) as file:
    amounts = [int(row["amount"]) for row in csv.DictReader(file)]
print("sum", sum(amounts))
"""
ADDED = 'print("highest", max(amounts))'
ANSWER = "The sales come to **120**, the highest of them is **70**."
OTHER_ANSWER = "The **south** sells most."


def answer(request: Request) -> Reply:
    """Code for the first question, words for the other one."""
    if OTHER_QUESTION in request.user_text:
        return text(*pieces(OTHER_ANSWER))
    if request.has_result:
        return text(*pieces(ANSWER))
    path = re.search(r"/[^\s\"'`]*sales\.csv", json.dumps(request.messages))
    return execute(*pieces(CODE.format(path=path[0] if path else "sales.csv")))


def pieces(whole: str) -> list[str]:
    return [whole[start : start + 8] for start in range(0, len(whole), 8)]


@pytest.fixture
def display() -> Iterator[dict[str, str]]:
    with virtual_display("1440x900x24") as environment:
        yield environment


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answer, pace_s=0.01) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, server: ModelServer) -> Path:
    write_settings(tmp_path, model="openai/test", api_base=server.base_url, theme="light")
    return tmp_path


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    lines = ["region,amount", *(f"{region},{amount}" for region, amount in ROWS)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@contextmanager
def file_beside(path: Path, display: dict[str, str]) -> Iterator[None]:
    """Another program from which the file can be dragged."""
    command = [sys.executable, "-m", "tests.support.drag_source", str(path)]
    place = [str(SOURCE.left), str(SOURCE.top)]
    process = subprocess.Popen([*command, *place], cwd=ROOT, env=display)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def shown_branch(home: Path) -> list[str]:
    """What the messages of the branch that is shown say, as the history file has it."""
    path = home / "data" / "history.sqlite3"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
        [(leaf,)] = database.execute("SELECT leaf_id FROM conversation")
        rows = database.execute("SELECT id, parent_id, content FROM message").fetchall()
    parents = {row[0]: (row[1], row[2] or "") for row in rows}
    texts: list[str] = []
    while leaf is not None:
        leaf, content = parents[leaf]
        texts.insert(0, content)
    return texts


def timeline(app: App) -> Image.Image:
    """What the window shows between the sidebar and the editor, above the composer."""
    return app.picture().crop(TIMELINE)


def is_overlay_shown(app: App) -> bool:
    box = find_colour(app.picture(), theme_colour("light", "accent_bg"))
    return box is not None and box.right - box.left > SIZE[0] * 0.9


def are_words_marked(app: App) -> bool:
    return find_colour(timeline(app), theme_colour("light", "selection")) is not None


def question_bubble(app: App) -> Box | None:
    """Letters have its colour too, at their edges."""
    return find_colour(timeline(app), theme_colour("light", "bubble"), thickness=9)


def is_hit_shown(app: App) -> bool:
    """Whether found words are marked in the sidebar."""
    sidebar = app.picture().crop((0, 0, TIMELINE.left, SIZE[1]))
    return find_colour(sidebar, theme_colour("light", "selection")) is not None


def arrow_to_version_before(app: App) -> Box | None:
    """The first sign on the line below the question's bubble."""
    seen = timeline(app)
    bubble = question_bubble(app)
    if bubble is None:
        return None
    below = (0, bubble.bottom + 4, bubble.right, bubble.bottom + 32)
    ground = Image.new("RGB", seen.size, theme_colour("light", "bg"))
    signs = ImageChops.difference(seen, ground).crop(below).getbbox()
    if signs is None:
        return None
    left, top = TIMELINE.left + signs[0], TIMELINE.top + below[1] + signs[1]
    return Box(left, top, left + 8, top + signs[3] - signs[1])


def test_a_day_goes_by_with_mouse_and_keys_alone(
    home: Path,
    sales: Path,
    display: dict[str, str],
    server: ModelServer,
    model_worker: SharedWorker,
) -> None:
    with running_app(home, display, command=model_worker.program) as app:
        app.resize(*SIZE)
        drop_the_file(app, sales, display)
        ask_edit_and_run(app)
        assert str(sales) in server.requests[0].user_text
        assert any(ADDED in result for result in server.requests[1].results)
        find_in_the_conversation(app)
        branch_and_go_back(app)
        assert str(sales) in server.requests[2].user_text
        search_all_conversations(app)
        export_a_notebook(app, home / "day.ipynb")
        turn_dark(app)
        app.press("F1")
        app.wait_for("the shortcuts", lambda: app.has_window("Keyboard shortcuts"))
        app.press("Escape")
        app.wait_for("the shortcuts gone", lambda: not app.has_window("Keyboard shortcuts"))
        app.press("ctrl+q")
        assert app.process.wait(timeout=30) == 0
        assert not app.complaints()
    assert json.loads((home / "config" / "settings.json").read_text("utf-8"))["theme"] == "dark"
    left = {one.name for one in (home / "run").iterdir()}
    assert left <= {"playhead-keyring.lock"}, "what instances hold while they change the keyring"


def drop_the_file(app: App, sales: Path, display: dict[str, str]) -> None:
    with file_beside(sales, display):
        app.wait_for("the other program", lambda: app.has_window(drag_source.TITLE))
        app.drag(SOURCE, TIMELINE)
        app.wait_for("the place to drop", lambda: is_overlay_shown(app))
        app.drop()
        app.wait_for("the drop", lambda: not is_overlay_shown(app))


def ask_edit_and_run(app: App) -> None:
    app.type(QUESTION)
    app.press("Return")
    app.wait_for_message("assistant", "code", "sum(amounts)")
    app.wait_for_run_button()
    app.press("ctrl+e", "ctrl+End")
    app.type(ADDED)
    app.press("ctrl+Return")
    app.wait_for_message("computer", "console", "sum 120\nhighest 70")
    app.wait_for_message("assistant", "message", ANSWER)


def find_in_the_conversation(app: App) -> None:
    assert not are_words_marked(app)
    app.press("ctrl+l", "ctrl+f")
    app.type("highest")
    app.wait_for("the words marked", lambda: are_words_marked(app))
    app.press("Escape")
    app.wait_for("no words marked", lambda: not are_words_marked(app))


def branch_and_go_back(app: App) -> None:
    first = shown_branch(app.home)
    app.press("ctrl+l", "ctrl+Up", "ctrl+a")
    app.type(OTHER_QUESTION)
    app.press("Return")
    app.wait_for_message("assistant", "message", OTHER_ANSWER)
    other = shown_branch(app.home)
    assert OTHER_QUESTION in other
    assert QUESTION not in other
    app.click(app.wait_for("the arrow", lambda: arrow_to_version_before(app)))
    app.wait_for("the first version", lambda: shown_branch(app.home) == first)


def search_all_conversations(app: App) -> None:
    """From an empty conversation to the place where the words are."""
    app.press("ctrl+n")
    app.wait_for("a new conversation", lambda: question_bubble(app) is None)
    app.press("ctrl+shift+f")
    app.type("highest")
    app.wait_for("a hit", lambda: is_hit_shown(app))
    app.press("Down", "Down", "Return")  # the title first, then the place
    app.wait_for("the place", lambda: are_words_marked(app))


def export_a_notebook(app: App, path: Path) -> None:
    app.press("ctrl+shift+e")
    app.wait_for("the dialog", lambda: app.has_window("Export conversation"))
    app.press("ctrl+a")
    app.type_into_front(str(path))
    app.press("Return")
    app.wait_for("the dialog gone", lambda: not app.has_window("Export conversation"))
    app.wait_for("the notebook", path.exists)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    [code] = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert ADDED in code.source
    assert "highest 70" in code.outputs[0].text
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert QUESTION in prose
    assert ANSWER in prose
    assert OTHER_QUESTION not in prose


def turn_dark(app: App) -> None:
    light, dark = theme_colour("light", "bg"), theme_colour("dark", "bg")
    assert find_colour(app.picture(), light) is not None
    app.press("ctrl+k")
    app.type("colours dark")
    app.press("Return")
    app.wait_for("the dark ground", lambda: covers_window(app, dark))
    assert not covers_window(app, light)
    app.mode = "dark"


def covers_window(app: App, colour: Colour) -> bool:
    box = find_colour(app.picture(), colour)
    return box is not None and box.right - box.left > SIZE[0] / 2
