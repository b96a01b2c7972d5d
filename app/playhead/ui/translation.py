"""Loads the window's language before its first widget is made; English needs nothing."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

LANGUAGE_VARIABLE = "PLAYHEAD_LANGUAGE"
"""Names a language, such as `de` or `pt_BR`, where it shall not be the system's."""
_log = logging.getLogger(__name__)


def wanted_languages() -> Sequence[str]:
    """What the user reads, the best first, as their names stand in files: `pt_BR` before `pt`."""
    if told := os.environ.get(LANGUAGE_VARIABLE):
        return _with_plain([told.replace("-", "_")])
    return _with_plain([name.replace("-", "_") for name in QLocale.system().uiLanguages()])


def speak(app: QApplication, folder: Path, languages: Sequence[str]) -> str:
    """Load the first of the languages that there is; its name, '' for English.

    Qt's own words (of file dialogs and questions) come along, and the window is mirrored where
    the language is written from right to left.
    """
    for language in languages:
        if language.partition("_")[0] in ("en", "C"):
            return ""
        ours = folder / f"playhead_{language}.qm"
        if ours.is_file() and _install(app, ours):
            _install(app, _qts_own(language))
            app.setLayoutDirection(QLocale(language).textDirection())
            return language
    return ""


def _install(app: QApplication, path: Path) -> bool:
    translator = QTranslator(app)
    if translator.load(str(path)):
        return app.installTranslator(translator)
    _log.info("no words in %s", path)
    return False


def _qts_own(language: str) -> Path:
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    whole = folder / f"qtbase_{language}.qm"
    return whole if whole.is_file() else folder / f"qtbase_{language.partition('_')[0]}.qm"


def _with_plain(names: Sequence[str]) -> list[str]:
    """Each name, then what stands before its country."""
    parts = (part for name in names for part in (name, name.partition("_")[0]))
    return list(dict.fromkeys(parts))
