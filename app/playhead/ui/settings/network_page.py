"""The settings page for the network: proxy, certificates, limits, retries."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from playhead.domain.settings import AppSettings
from playhead.ui.settings.field_checks import proxy_problem
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.form import FieldError, FormNote, add_row, form_grid, line, read_number
from playhead.ui.widgets.wording import tr

_LONGEST_S = 24 * 3600
_MOST_RETRIES = 20
_DEFAULTS = AppSettings()


class NetworkPage(QWidget):
    """Fields for the network. Owner: the dialog."""

    def __init__(self, settings: AppSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.proxy = line(tr("As the system says"), tr("Proxy"))
        self.ca_file = line(tr("The system's certificates"), tr("File of certificates"))
        self.browse = QPushButton(tr("Choose…"))
        self.browse.setAutoDefault(False)
        self.browse.setAccessibleName(tr("Choose a file of certificates"))
        self.ca_note = FormNote()
        self.connect_limit = line(f"{_DEFAULTS.connect_limit_s:g}", tr("Seconds to connect"))
        self.first_limit = line(f"{_DEFAULTS.first_limit_s:g}", tr("Seconds to the first words"))
        self.silence_limit = line(f"{_DEFAULTS.silence_limit_s:g}", tr("Seconds of silence"))
        self.silence_note = FormNote()
        self.retries = line(f"{_DEFAULTS.retries}", tr("Retries"))
        self.retries_note = FormNote()
        grid = form_grid(self)
        for label, rows in (
            (tr("Proxy"), ([self.proxy],)),
            (tr("Certificates"), ([self.ca_file, self.browse], [self.ca_note])),
            (tr("Connect within (s)"), ([self.connect_limit],)),
            (tr("First words within (s)"), ([self.first_limit],)),
            (tr("Longest silence (s)"), ([self.silence_limit], [self.silence_note])),
            (tr("Retries"), ([self.retries], [self.retries_note])),
        ):
            add_row(grid, label, rows)
        self._show(settings)
        self.browse.clicked.connect(self._on_browse)

    def values(self, before: AppSettings) -> AppSettings:
        """Return the settings with the values of the fields. Raises FieldError."""
        proxy, ca_file = self.proxy.text().strip(), self.ca_file.text().strip()
        if problem := proxy_problem(proxy):
            raise FieldError(problem)
        if ca_file and not Path(ca_file).is_file():
            raise FieldError(tr("There is no file {path}.", path=ca_file))
        connect = read_number(tr("Connect within"), self.connect_limit, 0, _LONGEST_S, float)
        first = read_number(tr("First words within"), self.first_limit, 0, _LONGEST_S, float)
        silence = read_number(tr("Longest silence"), self.silence_limit, 0, _LONGEST_S, float)
        retries = read_number(tr("Retries"), self.retries, 0, _MOST_RETRIES, int)
        return replace(
            before,
            proxy=proxy,
            ca_file=ca_file and str(Path(ca_file).absolute()),  # the workers start elsewhere
            connect_limit_s=connect or _DEFAULTS.connect_limit_s,
            first_limit_s=first or _DEFAULTS.first_limit_s,
            silence_limit_s=silence or _DEFAULTS.silence_limit_s,
            retries=_DEFAULTS.retries if retries is None else retries,
        )

    def _show(self, settings: AppSettings) -> None:
        self.proxy.setText(settings.proxy)
        self.ca_file.setText(settings.ca_file)
        self.connect_limit.setText(f"{settings.connect_limit_s:g}")
        self.first_limit.setText(f"{settings.first_limit_s:g}")
        self.silence_limit.setText(f"{settings.silence_limit_s:g}")
        self.retries.setText(f"{settings.retries}")
        self.ca_note.show_text(
            tr("For a company whose gateway or proxy shows a certificate of its own (PEM).")
        )
        self.silence_note.show_text(
            tr("Models that think for long before they write may need more. Empty: as it was.")
        )
        self.retries_note.show_text(
            tr("How often a request is repeated that a server had no room for.")
        )

    def _on_browse(self) -> None:
        dialog = FileDialog(self, tr("Choose a file of certificates"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ca_file.setText)
        dialog.open()
