"""A dressed application for the tests of the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from playhead.ui.theme import Theme

# Said by the offscreen platform of every window that has a size; nothing is wrong.
OFFSCREEN_NOISE = "This plugin does not support propagateSizeHints"


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_NOISE))


RESOURCES = Path(__file__).parents[2] / "resources"


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """The light theme, worn by the application."""
    made = Theme(RESOURCES, "light")
    made.apply(qapp)
    yield made
    made.deleteLater()
