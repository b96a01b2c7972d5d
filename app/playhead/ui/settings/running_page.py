"""The settings page for running code: the interpreter, the display of a run, and its limits."""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.execution import EnvironmentStatus, Interpreter, place_of
from playhead.domain.settings import AppSettings
from playhead.domain.text import policies
from playhead.domain.trust import AskPolicy
from playhead.ui.widgets.form import FieldError, FormNote, add_row, form_grid, line, read_number
from playhead.ui.widgets.wording import mark, tr, tr_environment

MANAGED_LABEL = mark("Playhead's own environment (default)")


class InterpreterSection(QWidget):
    """The choice of the interpreter and the folder. Owner: the dialog.

    Signals: `browse_requested()` for an interpreter, `folder_requested()`.
    """

    browse_requested = Signal()
    folder_requested = Signal()

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.interpreter = QComboBox()
        self.interpreter.setAccessibleName(tr("Interpreter"))
        self.interpreter.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.interpreter.setMinimumContentsLength(12)
        self.browse = QPushButton(tr("Choose…"))
        self.browse.setAutoDefault(False)
        self.browse.setAccessibleName(tr("Choose an interpreter"))
        self.environment_note = FormNote()
        grid = form_grid(self)
        rows = ([self.interpreter, self.browse], [self.environment_note])
        add_row(grid, tr("Interpreter"), rows)
        self.folder = line(tr("A folder of its own for each"), tr("Working folder"))
        self.folder.setText(settings.folder)
        self.browse_folder = QPushButton(tr("Choose…"))
        self.browse_folder.setAutoDefault(False)
        self.browse_folder.setAccessibleName(tr("Choose a working folder"))
        self.folder_note = FormNote()
        self.folder_note.show_text(tr(_FOLDER_WORDS))
        add_row(grid, tr("Folder"), ([self.folder, self.browse_folder], [self.folder_note]))
        self.browse.clicked.connect(self.browse_requested)
        self.browse_folder.clicked.connect(self.folder_requested)
        self.show_interpreters([], settings.interpreter)

    @property
    def chosen(self) -> str:
        """Return the path of the interpreter; '' for Playhead's own."""
        return self.interpreter.currentData() or ""

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        folder = os.path.expanduser(self.folder.text().strip())
        if folder not in ("", before.folder) and not os.path.isdir(folder):
            raise FieldError(tr("“{folder}” is not a folder.", folder=folder))
        return replace(before, interpreter=self.chosen, folder=folder)

    def show_interpreters(self, found: Sequence[Interpreter], chosen: str) -> None:
        """Offer interpreters; the chosen one is kept even if it was not found."""
        self.interpreter.clear()
        self.interpreter.addItem(tr(MANAGED_LABEL), "")
        for one in found:
            if one.kind != "managed":
                self.interpreter.addItem(f"{one.label} · {_path(one.path)}", one.path)
        if chosen and self.interpreter.findData(chosen) < 0:
            self.interpreter.addItem(_path(chosen), chosen)
        self.interpreter.setCurrentIndex(max(0, self.interpreter.findData(chosen)))

    def show_environment(self, status: EnvironmentStatus) -> None:
        """Show the state of the managed environment, if there is something to report."""
        self.environment_note.show_text(tr_environment(status))


SECTION_LABEL = mark("Running code")
SHOWS_LINE_LABEL = mark("Show the line that runs")
KEEPS_VALUES_LABEL = mark("Show beside a line what it assigned")
TIMES_LINES_LABEL = mark("Time single lines inside loops")

_FOLDER_WORDS = mark(
    "New conversations work in this folder. Empty: each in a folder of its own, below Playhead in "
    "your documents, which is made when its first code runs."
)
ASKS_TYPED_LABEL = mark("Ask before code that I typed runs, too")

_TYPED_WORDS = mark(
    "In Direct mode, code that you typed letter for letter runs when you press Enter. What was "
    "pasted, and what Playhead makes of words, always waits for your approval."
)
_VALUES_WORDS = mark(
    "Of Python code that ran, while the mouse is over the line: numbers and short texts, of others"
    " the type and the size. Texts that look like secrets are left out."
)
_TIMES_WORDS = mark(
    "On Python 3.12 or newer. Without it a loop is timed as a whole; with it very short lines "
    "count for a little too much."
)
_LIMIT_WORDS = mark("A run over a limit is stopped and says which. Empty: no limit.")
_KEPT_WORDS = mark("Of more output its beginning and its end are kept.")
KEEPS_VARIABLES_LABEL = mark("Keep variables of Python for the next kernel")
_VARIABLES_WORDS = mark(
    "They are saved on this computer after each run, without what looks like a secret, and deleted "
    "with their conversation. Without a sandbox, code that runs can read them."
)
_LONGEST_S = 7 * 24 * 3600
_LARGEST_MB = 10_000_000


POLICY_LABELS = {
    "sandbox_network": mark("Network"),
    "sandbox_ask": mark("Ask before code runs"),
}
_POLICY_WORDS = mark(
    "What code of new conversations may do where this computer has a sandbox that was tested. The "
    "shield above a conversation changes it for that one, until Playhead is closed."
)
_LOOSE_WORDS = mark("What code can read in its folder it can also send.")
_ASK_WORDS = mark(
    "“Not inside the sandbox” counts only while the boundary test of this computer holds."
)


class PolicySection(QWidget):
    """The policy of new conversations. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.files = self._choices(
            tr("Files"), [(one, policies.files_name(one, tr)) for one in ("folder", "look")]
        )
        self.network = self._choices(
            tr(POLICY_LABELS["sandbox_network"]), [("off", tr("Off")), ("on", tr("On"))]
        )
        asks: tuple[AskPolicy, ...] = ("every", "risky", "outside")
        self.asking = self._choices(
            tr(POLICY_LABELS["sandbox_ask"]), [(one, policies.ask_name(one, tr)) for one in asks]
        )
        self.note, self.network_note, self.ask_note = FormNote(), FormNote(), FormNote()
        layout = titled_section(self, tr("What code may do"))
        fields = QWidget(self)
        grid = form_grid(fields)
        add_row(grid, tr("Files"), ([self.files], [self.note]))
        add_row(grid, tr("Network"), ([self.network], [self.network_note]))
        add_row(grid, tr("Ask"), ([self.asking], [self.ask_note]))
        layout.addWidget(fields)
        self.note.show_text(tr(_POLICY_WORDS))
        for box, value in (
            (self.files, settings.sandbox_files),
            (self.network, settings.sandbox_network),
            (self.asking, settings.sandbox_ask),
        ):
            box.setCurrentIndex(max(0, box.findData(value)))
            box.currentIndexChanged.connect(self._show_notes)
        self._show_notes()

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields."""
        return replace(
            before,
            sandbox_files=self.files.currentData(),
            sandbox_network=self.network.currentData(),
            sandbox_ask=self.asking.currentData(),
        )

    def _choices(self, name: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        for value, words in entries:
            box.addItem(words, value)
        return box

    def _show_notes(self) -> None:
        is_open = self.network.currentData() == "on"
        self.network_note.show_text(tr(_LOOSE_WORDS) if is_open else "", "warn")
        is_outside = self.asking.currentData() == "outside"
        self.ask_note.show_text(tr(_ASK_WORDS) if is_outside else "", "warn")


def titled_section(owner: QWidget, text: str) -> QVBoxLayout:
    """Return the layout of a section with a line and a title above it."""
    hairline = QFrame(owner)
    hairline.setProperty("kind", "hairline")
    title = QLabel(text, owner)
    title.setProperty("kind", "title")
    layout = QVBoxLayout(owner)
    layout.setContentsMargins(0, 12, 0, 0)
    layout.setSpacing(8)
    layout.addWidget(hairline)
    layout.addWidget(title)
    return layout


class RunSection(QWidget):
    """Switches and numbers of runs, and what outlives a kernel. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shows_line = QCheckBox(tr(SHOWS_LINE_LABEL))
        self.times_lines = QCheckBox(tr(TIMES_LINES_LABEL))
        self.times_note = FormNote()
        self.keeps_values = QCheckBox(tr(KEEPS_VALUES_LABEL))
        self.values_note = FormNote()
        self.asks_typed = QCheckBox(tr(ASKS_TYPED_LABEL))
        self.typed_note = FormNote()
        self.seconds = line(tr("No limit"), tr("Longest run in seconds"))
        self.memory = line(tr("No limit"), tr("Most memory of a run in MB"))
        self.limit_note = FormNote()
        self.output = line(f"{AppSettings().output_limit_mb}", tr("Output kept of a run in MB"))
        self.output_note = FormNote()
        self.keeps_variables = QCheckBox(tr(KEEPS_VARIABLES_LABEL))
        self.restores = QComboBox()
        self.restores.setAccessibleName(tr("Bring variables back"))
        self.kept_note = FormNote()
        self._lay_out()
        self._show_settings(settings)
        self.shows_line.toggled.connect(self._on_line_toggled)
        self.keeps_variables.toggled.connect(self.restores.setEnabled)

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        output = read_number(tr("Output kept"), self.output, 1, _LARGEST_MB, int)
        return replace(
            before,
            shows_running_line=self.shows_line.isChecked(),
            times_lines=self.times_lines.isChecked(),
            keeps_values=self.keeps_values.isChecked(),
            asks_typed_code=self.asks_typed.isChecked(),
            keeps_variables=self.keeps_variables.isChecked(),
            restores_variables=self.restores.currentData(),
            run_limit_s=read_number(tr("Longest run"), self.seconds, 0, _LONGEST_S, int) or 0,
            run_limit_mb=read_number(tr("Most memory"), self.memory, 0, _LARGEST_MB, int) or 0,
            output_limit_mb=AppSettings().output_limit_mb if output is None else output,
        )

    def _show_settings(self, settings: AppSettings) -> None:
        self.shows_line.setChecked(settings.shows_running_line)
        self.times_lines.setChecked(settings.times_lines)
        self.times_lines.setEnabled(settings.shows_running_line)
        self.keeps_values.setChecked(settings.keeps_values)
        self.values_note.show_text(tr(_VALUES_WORDS))
        self.asks_typed.setChecked(settings.asks_typed_code)
        self.typed_note.show_text(tr(_TYPED_WORDS))
        self.seconds.setText(f"{settings.run_limit_s or ''}")
        self.memory.setText(f"{settings.run_limit_mb or ''}")
        self.output.setText(f"{settings.output_limit_mb}")
        self.times_note.show_text(tr(_TIMES_WORDS))
        self.limit_note.show_text(tr(_LIMIT_WORDS))
        self.output_note.show_text(tr(_KEPT_WORDS))
        self.keeps_variables.setChecked(settings.keeps_variables)
        for value, words in (
            ("ask", tr("Ask first")),
            ("always", tr("Always")),
            ("never", tr("Never")),
        ):
            self.restores.addItem(words, value)
        self.restores.setCurrentIndex(max(0, self.restores.findData(settings.restores_variables)))
        self.restores.setEnabled(settings.keeps_variables)
        self.kept_note.show_text(tr(_VARIABLES_WORDS))

    def _lay_out(self) -> None:
        layout = titled_section(self, tr(SECTION_LABEL))
        fields = QWidget(self)
        grid = form_grid(fields)
        for label, rows in (
            ("", ([self.shows_line],)),
            ("", ([self.times_lines], [self.times_note])),
            ("", ([self.keeps_values], [self.values_note])),
            ("", ([self.asks_typed], [self.typed_note])),
            ("", ([self.keeps_variables], [self.kept_note])),
            (tr("Bring them back"), ([self.restores],)),
            (tr("Longest run (s)"), ([self.seconds],)),
            (tr("Memory (MB)"), ([self.memory], [self.limit_note])),
            (tr("Output kept (MB)"), ([self.output], [self.output_note])),
        ):
            add_row(grid, label, rows)
        layout.addWidget(fields)

    def _on_line_toggled(self, is_on: bool) -> None:
        self.times_lines.setEnabled(is_on)


def _path(interpreter: str) -> str:
    """Return where an interpreter is, or the description of a kernel."""
    place = place_of(interpreter)
    return place.folder if place else interpreter
