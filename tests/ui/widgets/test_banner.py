"""The one door of errors to the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from playhead.errors import ProviderError
from playhead.ui.widgets.banner import BannerAction, BannerArea
from playhead.ui.widgets.theme import Theme

ERROR = ProviderError("The key was refused.", detail="HTTP 401.", remedy="Check the key.")


@pytest.fixture
def notes(qtbot: QtBot, theme: Theme) -> BannerArea:
    made = BannerArea(theme)
    qtbot.addWidget(made)
    made.resize(500, 200)
    return made


def test_an_error_says_what_happened_and_what_to_do(notes: BannerArea) -> None:
    notes.show_error(ERROR)
    words = [label.text() for label in notes.findChildren(QLabel)]
    assert "The key was refused." in words
    assert "HTTP 401.\nCheck the key." in words


def test_a_foreign_detail_does_not_run_into_what_to_do(notes: BannerArea) -> None:
    notes.show_error(ProviderError("No.", detail="No such file or directory", remedy="Look."))
    assert notes.banners[0].detail == "No such file or directory\nLook."


def test_the_same_error_twice_is_one_banner_and_there_are_never_many(notes: BannerArea) -> None:
    notes.show_error(ERROR)
    notes.show_error(ERROR)
    assert len(notes.banners) == 1
    for number in range(9):
        notes.show_error(ProviderError(f"Error {number}"))
    assert [banner.title for banner in notes.banners] == ["Error 8", "Error 7", "Error 6"]


def test_there_is_one_notice_at_a_time_and_an_error_stays_beside_it(notes: BannerArea) -> None:
    notes.show_error(ERROR)
    notes.show_notice("Exported.")
    notes.show_notice("Imported.")
    assert [banner.title for banner in notes.banners] == ["Imported.", ERROR.title]
    notes.clear_passing()
    assert notes.banners == []
    assert notes.isHidden()


def test_a_notice_goes_by_itself_and_what_lasts_or_failed_does_not(
    notes: BannerArea, qtbot: QtBot
) -> None:
    notes.passing_ms = 1
    with qtbot.waitActive(notes):
        notes.show()
        notes.activateWindow()
    QCursor.setPos(notes.mapToGlobal(notes.rect().bottomRight()) + QPoint(50, 50))
    notes.show_notice("The history is read-only.", key="read-only")
    notes.show_error(ERROR)
    notes.show_notice("Exported.")
    qtbot.waitUntil(lambda: len(notes.banners) == 2)
    assert {banner.title for banner in notes.banners} == {ERROR.title, "The history is read-only."}
    notes.clear_passing()
    assert [banner.title for banner in notes.banners] == ["The history is read-only."]


def test_a_notice_stays_while_its_button_has_the_focus(notes: BannerArea, qtbot: QtBot) -> None:
    notes.passing_ms = 1
    with qtbot.waitActive(notes):
        notes.show()
        notes.activateWindow()
    banner = notes.show_notice("Exported.", action=BannerAction("Open folder", lambda: None))
    banner.button.setFocus()
    with qtbot.waitSignals([banner._passing.timeout] * 3):
        pass
    assert notes.banners == [banner]
    banner.button.clearFocus()
    qtbot.waitUntil(lambda: not notes.banners)


def test_its_button_acts_and_takes_it_away(notes: BannerArea) -> None:
    done: list[str] = []
    notes.show_notice("Open?", "https://x", BannerAction("Open", lambda: done.append("opened")))
    QTest.mouseClick(notes.banners[0].button, Qt.MouseButton.LeftButton)
    assert done == ["opened"]
    assert notes.banners == []


def test_text_of_a_server_is_never_markup(notes: BannerArea) -> None:
    notes.show_error(ProviderError("<img src='file:///etc/passwd'>", detail="<b>x</b>"))
    formats = {label.textFormat() for label in notes.findChildren(QLabel) if label.text()}
    assert formats == {Qt.TextFormat.PlainText}


def test_what_lasts_is_one_banner_that_changes_and_can_be_withdrawn(notes: BannerArea) -> None:
    notes.show()
    notes.show_notice("One waits.", key="waiting")
    notes.show_notice("Two wait.", key="waiting")
    assert [banner.title for banner in notes.banners] == ["Two wait."]
    assert notes.banners[0].isVisible()
    for number in range(5):
        notes.show_notice(f"Notice {number}")
    assert [banner.title for banner in notes.banners if banner.key] == ["Two wait."]
    notes.withdraw("waiting")
    assert not [banner for banner in notes.banners if banner.key]
