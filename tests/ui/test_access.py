"""Everything in the window has a name, a tip where it has no words, and can be reached by Tab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from playhead.ui.widgets.theme import Theme
from tests.support.ports import said
from tests.support.waiting import until
from tests.support.window import opened

KINDS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QTabBar,
)


def controls(root: QWidget) -> Iterator[QWidget]:
    """What a user can work with, hidden parts too; not the parts inside of Qt's own controls."""
    for one in root.findChildren(QWidget):
        inside = one.parentWidget()
        is_inner = isinstance(inside, (QComboBox, QLineEdit, QAbstractSpinBox, QTabBar)) or (
            one.objectName().startswith("qt_") or isinstance(one, QScrollBar)
        )
        has_popup = inside is not None and "QComboBox" in inside.metaObject().className()
        if isinstance(one, KINDS) and not is_inner and not has_popup:
            yield one


def called(one: QWidget) -> str:
    """What assistive technology says."""
    if one.accessibleName():
        return one.accessibleName()
    return one.text() if isinstance(one, QAbstractButton) else ""


def told(one: QWidget) -> str:
    chain = [one]
    while (above := chain[-1].parentWidget()) is not None and len(chain) < 4:
        chain.append(above)
    return " < ".join(type(each).__name__ for each in chain) + f" {called(one)!r}"


def without_name(root: QWidget) -> list[str]:
    return [told(one) for one in controls(root) if not called(one).strip()]


def without_tip(root: QWidget) -> list[str]:
    """Buttons that are pictures only."""
    return [
        told(one)
        for one in controls(root)
        if isinstance(one, QAbstractButton) and not one.text() and not one.toolTip()
    ]


def not_reached(root: QWidget) -> list[str]:
    """Visible controls that Tab never comes to."""
    reached: set[QWidget] = set()
    one = root.nextInFocusChain()
    while one is not None and one is not root and one not in reached:
        reached.add(one)
        one = one.nextInFocusChain()
    assert one is root  # it comes round again
    tab = Qt.FocusPolicy.TabFocus
    return [
        told(one)
        for one in controls(root)
        if one.isVisible()
        and one.isEnabled()
        and not (isinstance(one, QAbstractItemView) and one.model().rowCount() == 0)
        and (one not in reached or (one.focusPolicy() & tab) != tab)
        and not (one.focusProxy() and one.focusProxy() in reached)
    ]


async def test_every_control_of_the_window_has_a_name_and_is_reached(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        bench.parts.load_editor()
        bench.parts.sidebar.search.setText("plot")
        bench.parts.sidebar.search.clear()
        assert without_name(bench.window) == []
        assert without_tip(bench.window) == []
        assert not_reached(bench.window) == []


def without_ring(root: QWidget, elsewhere: QWidget, spare: QWidget) -> list[str]:
    """Visible controls that look the same with the keyboard in them and without."""
    found: list[str] = []
    for one in list(controls(root)):
        if not one.isVisible() or not one.isEnabled():
            continue
        place = QRect(one.mapTo(root, one.rect().topLeft()), one.size()).adjusted(-3, -3, 3, 3)
        (elsewhere if one is not elsewhere else spare).setFocus(Qt.FocusReason.TabFocusReason)
        before = root.grab(place).toImage()
        one.setFocus(Qt.FocusReason.TabFocusReason)
        if root.grab(place).toImage() == before:
            found.append(told(one))
    return found


async def test_the_keyboards_place_is_seen_on_every_control(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, said("Hello.")) as bench:
        bench.parts.load_editor()
        await until(bench.window.isActiveWindow)
        bench.send("Hi")
        await until(lambda: bench.session.conversation.messages and bench.parts.sidebar.model.rows)
        await bench.rests()
        assert len(list(controls(bench.window))) > 30
        assert (
            without_ring(bench.window, bench.parts.sidebar.search, bench.parts.sidebar.list) == []
        )


async def test_a_control_without_name_tip_or_place_would_be_told(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        odd = QToolButton(bench.parts.header)
        odd.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        odd.show()
        assert len(without_name(bench.window)) == 1
        assert len(without_tip(bench.window)) == 1
        assert len(not_reached(bench.window)) == 1


async def test_every_control_of_the_dialogs_has_a_name_and_is_reached(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path) as bench:
        window = bench.window
        for name in ("settings", "shortcuts", "about"):
            window.actions_by_name[name].trigger()
            await until(lambda: any(one.isVisible() for one in window.findChildren(QDialog)))
            (dialog,) = [one for one in window.findChildren(QDialog) if one.isVisible()]
            assert (name, without_name(dialog)) == (name, [])
            assert (name, without_tip(dialog)) == (name, [])
            assert (name, not_reached(dialog)) == (name, [])
            dialog.close()
            await until(lambda: not any(one.isVisible() for one in window.findChildren(QDialog)))
