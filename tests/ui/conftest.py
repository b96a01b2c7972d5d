"""A dressed application for the tests of the window."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from playhead.ui.widgets.theme import Theme
from tests.support.waiting import LIMIT_S

# Said by the offscreen platform of every window that has a size; nothing is wrong.
OFFSCREEN_NOISE = "This plugin does not support propagateSizeHints"


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_NOISE))


RESOURCES = Path(__file__).parents[2] / "resources"


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """pytest-qt's own, which waits as long as all waits of the tests: 5 s are too few at times."""
    for name in ("waitActive", "waitExposed", "waitSignal", "waitSignals", "waitUntil"):
        patient = functools.partial(getattr(qtbot, name), timeout=int(LIMIT_S * 1000))
        setattr(qtbot, name, patient)
    return qtbot


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """The light theme, worn by the application."""
    made = Theme(RESOURCES, "light")
    made.apply(qapp)
    yield made
    made.deleteLater()
