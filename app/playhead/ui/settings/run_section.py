"""The settings' section for running code: what is shown of a run, and what it may use."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QVBoxLayout, QWidget

from playhead.domain.settings import AppSettings
from playhead.ui.settings.form_rows import Note, add_row, form_grid, line, number_in
from playhead.ui.wording import mark, tr

SECTION_LABEL = mark("Running code")
SHOWS_LINE_LABEL = mark("Show the line that runs")
TIMES_LINES_LABEL = mark("Time single lines inside loops")

_TIMES_WORDS = mark(
    "On Python 3.12 or newer. Without it a loop is timed as a whole; with it very short lines "
    "count for a little too much."
)
_LIMIT_WORDS = mark("A run over a limit is stopped and says which. Empty: no limit.")
_KEPT_WORDS = mark("Of more output its beginning and its end are kept.")
_LONGEST_S = 7 * 24 * 3600
_LARGEST_MB = 10_000_000


class RunSection(QWidget):
    """Two switches and three numbers. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shows_line = QCheckBox(tr(SHOWS_LINE_LABEL))
        self.times_lines = QCheckBox(tr(TIMES_LINES_LABEL))
        self.times_note = Note()
        self.seconds = line(tr("No limit"), tr("Longest run in seconds"))
        self.memory = line(tr("No limit"), tr("Most memory of a run in MB"))
        self.limit_note = Note()
        self.output = line(f"{AppSettings().output_limit_mb}", tr("Output kept of a run in MB"))
        self.output_note = Note()
        self._lay_out()
        self._show_settings(settings)
        self.shows_line.toggled.connect(self._on_line_toggled)

    def values(self, before: AppSettings) -> AppSettings:
        """The settings as the fields have them. Raises FieldError."""
        output = number_in(tr("Output kept"), self.output, 1, _LARGEST_MB, int)
        return replace(
            before,
            shows_running_line=self.shows_line.isChecked(),
            times_lines=self.times_lines.isChecked(),
            run_limit_s=number_in(tr("Longest run"), self.seconds, 0, _LONGEST_S, int) or 0,
            run_limit_mb=number_in(tr("Most memory"), self.memory, 0, _LARGEST_MB, int) or 0,
            output_limit_mb=AppSettings().output_limit_mb if output is None else output,
        )

    def _show_settings(self, settings: AppSettings) -> None:
        self.shows_line.setChecked(settings.shows_running_line)
        self.times_lines.setChecked(settings.times_lines)
        self.times_lines.setEnabled(settings.shows_running_line)
        self.seconds.setText(f"{settings.run_limit_s or ''}")
        self.memory.setText(f"{settings.run_limit_mb or ''}")
        self.output.setText(f"{settings.output_limit_mb}")
        self.times_note.say(tr(_TIMES_WORDS))
        self.limit_note.say(tr(_LIMIT_WORDS))
        self.output_note.say(tr(_KEPT_WORDS))

    def _lay_out(self) -> None:
        hairline = QFrame(self)
        hairline.setProperty("kind", "hairline")
        title = QLabel(tr(SECTION_LABEL), self)
        title.setProperty("kind", "title")
        fields = QWidget(self)
        grid = form_grid(fields)
        for label, rows in (
            ("", ([self.shows_line],)),
            ("", ([self.times_lines], [self.times_note])),
            (tr("Longest run (s)"), ([self.seconds],)),
            (tr("Memory (MB)"), ([self.memory], [self.limit_note])),
            (tr("Output kept (MB)"), ([self.output], [self.output_note])),
        ):
            add_row(grid, label, rows)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 12, 0, 0)
        layout.setSpacing(8)
        for widget in (hairline, title, fields):
            layout.addWidget(widget)

    def _on_line_toggled(self, is_on: bool) -> None:
        self.times_lines.setEnabled(is_on)
