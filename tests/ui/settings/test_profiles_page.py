"""The page of profiles: what is made, renamed, duplicated, deleted and handed on there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QPushButton
from pytestqt.qtbot import QtBot

from playhead.domain.model import ModelParameters
from playhead.domain.settings import AppSettings, Profile
from playhead.ui.settings.profiles_page import ProfilesPage
from playhead.ui.widgets.form import FieldError
from playhead.ui.widgets.theme import Theme

DATA = Profile(
    name="data",
    model="openai/x",
    parameters=ModelParameters(temperature=0.2, top_p=0.5),
    auto_run=True,
)
BRIEF = Profile(name="brief", instructions="Be brief.")
SETTINGS = AppSettings(profiles=(DATA, BRIEF), profile="brief")


@pytest.fixture
def page(theme: Theme) -> Iterator[ProfilesPage]:
    made = ProfilesPage(SETTINGS, lambda: ("anthropic/claude", ""))
    made.show()
    yield made
    made.close()
    made.deleteLater()


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def choose(page: ProfilesPage, place: int) -> None:
    page.chooser.setCurrentIndex(place)
    page.chooser.activated.emit(place)


def names(page: ProfilesPage) -> list[str]:
    return [profile.name for profile in page.values(AppSettings()).profiles]


def test_what_is_not_touched_stays_as_it_was(page: ProfilesPage) -> None:
    assert page.values(AppSettings()) == SETTINGS
    choose(page, 1)
    assert page.values(AppSettings()) == SETTINGS


def test_a_new_profile_has_the_model_of_the_settings(page: ProfilesPage) -> None:
    click(page.new)
    QTest.keyClicks(page.form.name, "mine")
    made = page.values(AppSettings()).profiles[-1]
    assert made == Profile(name="mine", model="anthropic/claude")


def test_renaming_the_profile_in_use_keeps_it_in_use(page: ProfilesPage) -> None:
    choose(page, 1)
    page.form.name.selectAll()
    QTest.keyClicks(page.form.name, "short")
    values = page.values(AppSettings())
    assert (values.profile, [one.name for one in values.profiles]) == ("short", ["data", "short"])


def test_a_duplicate_has_a_name_of_its_own(page: ProfilesPage) -> None:
    click(page.duplicate)
    click(page.duplicate)
    assert names(page) == ["data", "brief", "data 2", "data 2 2"]
    assert page.values(AppSettings()).profiles[2].parameters.temperature == 0.2


def test_deleting_the_profile_in_use_leaves_none_in_use(page: ProfilesPage) -> None:
    choose(page, 1)
    click(page.delete)
    values = page.values(AppSettings())
    assert (values.profile, values.profiles) == ("", (DATA,))
    click(page.delete)
    assert names(page) == []
    assert page.form.isHidden()


def test_deleting_one_before_the_one_in_use_keeps_it_in_use(page: ProfilesPage) -> None:
    click(page.delete)
    assert page.values(AppSettings()).profile == "brief"


def test_two_profiles_of_one_name_and_one_without_are_refused(page: ProfilesPage) -> None:
    page.form.name.setText("brief")
    with pytest.raises(FieldError, match="Two profiles"):
        page.values(AppSettings())
    page.form.name.setText(" ")
    with pytest.raises(FieldError, match="no name"):
        page.values(AppSettings())


def test_what_is_wrong_keeps_its_profile_in_sight(page: ProfilesPage) -> None:
    page.form.temperature.setText("warm")
    choose(page, 1)
    assert "Temperature must be a number" in page.note.text()
    assert page.form.name.text() == "data"
    assert page.chooser.currentIndex() == 0


def test_running_unasked_is_warned_about(page: ProfilesPage) -> None:
    assert "all your rights" in page.form.approval_note.text()
    page.form.approval.setCurrentIndex(1)
    assert page.form.approval_note.isHidden()


def pick(qtbot: QtBot, box: QComboBox, words: str) -> None:
    """Open a box and click on the entry that begins so."""
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(box.view().isVisible)
    [row] = [one for one in range(box.count()) if box.itemText(one).startswith(words)]
    place = box.view().visualRect(box.model().index(row, 0)).center()
    QTest.mouseMove(box.view().viewport(), place)

    def is_picked() -> bool:  # Qt ignores a click soon after the one that opened the box
        QTest.mouseClick(box.view().viewport(), Qt.MouseButton.LeftButton, pos=place)
        return not box.view().isVisible()

    qtbot.waitUntil(is_picked)


def test_what_code_of_a_profile_may_do_is_chosen_by_clicks(
    page: ProfilesPage, qtbot: QtBot
) -> None:
    choose(page, 1)
    boxes = page.form.policy
    assert {name: box.currentData() for name, box in boxes.items()} == dict.fromkeys(boxes)
    pick(qtbot, boxes["sandbox_files"], "Look only")
    pick(qtbot, boxes["sandbox_network"], "Network on")
    pick(qtbot, boxes["sandbox_ask"], "Only what is risky")

    def chosen(place: int) -> tuple[str | None, str | None, str | None]:
        one = page.values(AppSettings()).profiles[place]
        return one.sandbox_files, one.sandbox_network, one.sandbox_ask

    assert chosen(1) == ("look", "on", "risky")
    assert chosen(0) == (None, None, None)
    choose(page, 0)
    assert boxes["sandbox_files"].currentData() is None
    choose(page, 1)
    assert boxes["sandbox_ask"].currentText() == "Only what is risky"
    pick(qtbot, boxes["sandbox_network"], boxes["sandbox_network"].itemText(0))
    assert chosen(1) == ("look", None, "risky")


def test_profiles_are_handed_on_and_come_back_asking_first(
    page: ProfilesPage, tmp_path: Path
) -> None:
    path = str(tmp_path / "profiles.toml")
    page.export_file(path)
    assert "without keys" in page.note.text()
    page.import_file(path)
    values = page.values(AppSettings())
    assert [one.name for one in values.profiles] == ["data", "brief", "data 2", "brief 2"]
    assert values.profiles[2].auto_run is None
    assert "without asking" in page.note.text()


def test_a_file_that_is_none_of_ours_is_refused_in_words(
    page: ProfilesPage, tmp_path: Path
) -> None:
    path = tmp_path / "other.toml"
    path.write_text("a = 1")
    page.import_file(str(path))
    assert "does not say" in page.note.text()
    page.import_file(str(tmp_path / "nowhere.toml"))
    assert "No such file" in page.note.text()
    assert names(page) == ["data", "brief"]
