"""Asks which packages of sandboxed code the environment gets, and shows how that went."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.trust import LayerPackage, PackageOffer
from playhead.errors import AppError
from playhead.ui.widgets.form import FormNote
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XXL
from playhead.ui.widgets.wording import tr, tr_error, tr_n

Install = Callable[[Sequence[str], bool], Awaitable[object]]
_WIDTH_PX, _LEAST_PX, _LIST_PX = 520, 300, 220


class PackagesDialog(QDialog):
    """Lists packages with their versions; `install` gets those that are chosen. Call `open()`."""

    def __init__(
        self, offer: PackageOffer, install: Install, tasks: TaskOwner, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._install = install
        self._tasks = tasks
        self._is_over = False
        self.finished.connect(self._end)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keep in the environment"))
        self.boxes = {one.words: self._box(one) for one in offer.packages}
        """The box of each package."""
        self.builds = QCheckBox(tr("Build those that have no wheel, too"), self)
        self.builds.setToolTip(
            tr("What builds a package is code of its own. It may do all that you may.")
        )
        self.note = FormNote()
        self.install_button = QPushButton(self)
        self.install_button.setProperty("kind", "primary")
        self.install_button.setAutoDefault(False)
        self.close_button = QPushButton(tr("Cancel"), self)
        self.install_button.clicked.connect(self._begin)
        self.close_button.clicked.connect(self.reject)
        self.builds.toggled.connect(self._show_count)
        self._lay_out(offer)
        self._show_count()
        self.resize(_WIDTH_PX, self.sizeHint().height())

    def _box(self, package: LayerPackage) -> QCheckBox:
        words = package.words
        if package.there:
            words = tr("{package} in place of {version}", package=words, version=package.there)
        box = QCheckBox(words, self)
        box.setChecked(True)
        box.toggled.connect(self._show_count)
        return box

    def _lay_out(self, offer: PackageOffer) -> None:
        title = _label(tr("Install these packages outside of the sandbox?"), "title", self)
        words = tr(
            "They are downloaded again in these versions and installed into {environment}: all "
            "conversations that use it have them then, also outside of the sandbox, where code "
            "that imports them runs as you. What code has put into the sandbox is not copied, but "
            "it could have named any package here.",
            environment=offer.interpreter,
        )
        page = QWidget(self)
        rows = QVBoxLayout(page)
        rows.setContentsMargins(0, 0, 0, 0)
        for box in self.boxes.values():
            rows.addWidget(box)
        rows.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(page)
        area.setFixedHeight(min(_LIST_PX, page.sizeHint().height()))
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.install_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XXL, GAP_XXL, GAP_XXL, GAP_XXL)
        layout.setSpacing(GAP_M)
        layout.addWidget(title)
        layout.addWidget(_label(words, "", self))
        layout.addWidget(area)
        layout.addWidget(self.builds)
        layout.addWidget(self.note)
        layout.addSpacing(GAP_L)
        layout.addLayout(buttons)
        self.setMinimumWidth(_LEAST_PX)
        self.close_button.setFocus()

    @property
    def chosen(self) -> list[str]:
        """Return the packages that are chosen, like `numpy 2.3.1`."""
        return [words for words, box in self.boxes.items() if box.isChecked()]

    def _show_count(self) -> None:
        count = len(self.chosen)
        self.install_button.setText(tr_n("Install %n packages", count, one="Install 1 package"))
        self.install_button.setEnabled(count > 0)
        words = tr("Only wheels are taken: nothing of theirs runs while they are installed.")
        if self.builds.isChecked():
            words = tr("What builds a package is code of its own. It may do all that you may.")
        self.note.show_text(words, "warn" if self.builds.isChecked() else "mute")

    def _begin(self) -> None:
        self._tasks.start(self._carry_out(self.chosen))

    async def _carry_out(self, chosen: Sequence[str]) -> None:
        """Install them; what went wrong stays in sight, with what was chosen."""
        self._set_busy(is_busy=True)
        self.note.show_text(tr("They are being downloaded and installed…"))
        try:
            await self._install(chosen, self.builds.isChecked())
        except AppError as error:
            if self._is_over:
                raise
            told = tr_error(error)
            words = "\n".join(filter(None, (told.title, told.detail, told.remedy)))
            self._set_busy(is_busy=False)
            self.note.show_text(words, "danger")
        else:
            if not self._is_over:
                self.accept()

    def _end(self) -> None:
        """Leave what is under way to itself: it is deleted now."""
        self._is_over = True

    def _set_busy(self, *, is_busy: bool) -> None:
        for widget in (*self.boxes.values(), self.builds, self.install_button):
            widget.setEnabled(not is_busy)
        self.close_button.setText(tr("Close") if is_busy else tr("Cancel"))


def _label(text: str, kind: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setProperty("kind", kind)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(1)
    return label
