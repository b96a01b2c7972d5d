"""The real program as a screen reader finds it, over a real accessibility bus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.display import virtual_display
from tests.support.driver import App, running_app, write_settings
from tests.support.screen_reader import LAUNCHER, Node, Reader, accessibility_bus

pytestmark = [
    pytest.mark.requires_system("Xvfb", "openbox", "xdotool", "dbus-daemon", LAUNCHER),
    pytest.mark.timeout(300),
]
CONTROLS = {
    "push button",
    "button menu",
    "check box",
    "radio button",
    "combo box",
    "spin button",
    "text",
    "list",
    "list item",
    "page tab",
    "page tab list",
    "table",
    "tree",
    "frame",
    "dialog",
}


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A screen, and a bus where a screen reader can listen."""
    monkeypatch.setenv("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
    folder = tmp_path / "a11y"
    folder.mkdir()
    with virtual_display("1440x900x24") as environment, accessibility_bus(folder) as bus:
        yield environment | {"DBUS_SESSION_BUS_ADDRESS": bus}


def nameless(nodes: list[Node]) -> list[Node]:
    """Controls that say nothing; what is inside of a field is Qt's own."""
    return [one for one in nodes if one.role in CONTROLS and not one.name and one.above != "text"]


def shown(app: App, reader: Reader, role: str, words: str) -> Node:
    """What can be seen and says these words, as soon as it is there."""

    def look() -> Node | None:
        return next((one for one in reader.showing(role) if words in one.name), None)

    return app.wait_for(f"a {role} that says {words!r}", look)


def go_to(app: App, reader: Reader, wanted: Node) -> None:
    """From pane to pane by F6, as far as the focus is told."""
    for _ in range(8):
        told = len(reader.focuses())
        app.press("F6")
        app.wait_for("the next pane", lambda told=told: len(reader.focuses()) > told)
        if reader.focuses()[-1] == wanted.path:
            return
    raise AssertionError(f"{wanted} is not among the panes: {reader.focuses()}")


def test_a_screen_reader_finds_every_control_and_hears_what_happens(
    tmp_path: Path, display: dict[str, str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    write_settings(home, theme="light", asks_typed_code=True)
    with (
        Reader(display["DBUS_SESSION_BUS_ADDRESS"]) as reader,
        running_app(home, display) as app,
    ):
        shown(app, reader, "text", "Message")
        assert nameless(reader.showing()) == []

        app.type("What's 34/24?")
        app.press("Return")
        shown(app, reader, "list item", "You: What's 34/24?")
        shown(app, reader, "list item", "python Code, waiting for you")
        asked = "Code waits for your approval. Run this code on your computer?"
        app.wait_for("the question aloud", lambda: any(asked in one for one in reader.announced()))

        def armed() -> bool:
            buttons = reader.showing("push button")
            return any(one.name == "Run" and one.is_enabled for one in buttons)

        app.wait_for("buttons that decide", armed)
        assert nameless(reader.showing()) == []
        app.press("ctrl+Return")
        app.wait_for("the output aloud", lambda: any("1.41" in one for one in reader.announced()))
        shown(app, reader, "list item", "1.4166666666666667")

        go_to(app, reader, shown(app, reader, "list", "Conversation"))
        entries = {one.path: one for one in reader.showing("list item")}
        app.press("Up")
        app.wait_for("the keyboard at an entry", lambda: reader.focuses()[-1] in entries)
        assert "1.41" in entries[reader.focuses()[-1]].name
        assert app.close() == 0
        # Who reads along may ask for what went a moment ago, and Qt tells of that.
        gone = "qt.accessibility.atspi: Could not find accessible on path"
        assert not [line for line in app.complaints() if not line.startswith(gone)]
