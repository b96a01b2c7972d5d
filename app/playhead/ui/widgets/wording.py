"""The texts of the window: their translation, and durations, sizes and folders in words.

A text is a literal in English in the place that shows it, so that it can be found and listed:
`tr("Save")`, `tr("Remove {name}", name=name)`, `tr_n("%n lines", count, one="1 line")`. A constant
is marked where it is defined, `SAVE = mark("Save")`, and translated where it is shown, `tr(SAVE)`:
modules are loaded before a language is known.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from playhead.domain.execution import place_of
from playhead.domain.text import quantities, run_ends
from playhead.errors import AppError, parts_of_phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QApplication

    from playhead.domain.conversation.payloads import Failure
    from playhead.domain.execution import EnvironmentStatus, GoingOn

CONTEXT = "Playhead"
"""All texts share one context; `about` distinguishes two that are the same in English only."""


def tr(text: str, /, *, about: str = "", **values: object) -> str:
    """Return the text in the window's language, with the values in place of the names in braces."""
    if not text:  # which Qt would translate to the header of a catalogue
        return text
    translated = QCoreApplication.translate(CONTEXT, text, about)
    return translated.format_map(values) if values else translated


def tr_n(many: str, count: int, /, *, one: str = "", about: str = "", **values: object) -> str:
    """Return a text with a number in place of `%n`; `one` is the English text for 1.

    Other languages have their own forms for a number, which are found by `many` alone.
    """
    translated = QCoreApplication.translate(CONTEXT, many, about, count)
    if translated == many.replace("%n", str(count)):  # English, or no translation
        translated = (one if one and count == 1 else many).replace("%n", f"{count:,}")
    return translated.format_map(values) if values else translated


def tr_error(error: AppError | Failure) -> AppError:
    """Return an error of any layer, or a stored one, in the window's language.

    A text without values is its own template; what is in no catalogue stays as it is.
    """

    def said(name: str, text: str) -> str:
        if name in error.phrases:
            template, values = error.phrases[name]
            return tr(template, **values)
        return tr(text) if text.isprintable() else text  # foreign: Qt takes no surrogates, no NUL

    title, detail = said("title", error.title), said("detail", error.detail)
    return AppError(title, detail=detail, remedy=said("remedy", error.remedy), code=error.code)


def tr_phrase(text: str) -> str:
    """Return a text of any layer, made by `phrase`, in the window's language."""
    template, values = parts_of_phrase(text)
    return tr(template, **values) if values or template.isprintable() else template


def tr_environment(status: EnvironmentStatus) -> str:
    """Return the state of the managed environment, if there is something to report."""
    return str(tr_error(status.error)) if status.error else tr(status.message)


def mark(text: str) -> str:
    """Return the text itself, marked for the translators; to show it, call `tr` with it."""
    return text


LANGUAGE_VARIABLE = "PLAYHEAD_LANGUAGE"
"""The name of a language, such as `de` or `pt_BR`, to use in place of the system's."""
_log = logging.getLogger(__name__)


def preferred_languages() -> Sequence[str]:
    """Return the user's languages, the best first, as in file names: `pt_BR` before `pt`."""
    if chosen := os.environ.get(LANGUAGE_VARIABLE):
        return _with_base_languages([chosen.replace("-", "_")])
    return _with_base_languages([name.replace("-", "_") for name in QLocale.system().uiLanguages()])


def install_translation(app: QApplication, folder: Path, languages: Sequence[str]) -> str:
    """Load the first available language; return its name, '' for English.

    Qt's own words (of file dialogs and questions) are loaded too, and the window is mirrored if the
    language is written from right to left.
    """
    for language in languages:
        if language.partition("_")[0] in ("en", "C"):
            return ""
        ours = folder / f"playhead_{language}.qm"
        if ours.is_file() and _install(app, ours):
            _install(app, _qt_catalogue(language))
            app.setLayoutDirection(QLocale(language).textDirection())
            return language
    return ""


def _install(app: QApplication, path: Path) -> bool:
    translator = QTranslator(app)
    if translator.load(str(path)):
        return app.installTranslator(translator)
    _log.info("no words in %s", path)
    return False


def _qt_catalogue(language: str) -> Path:
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    whole = folder / f"qtbase_{language}.qm"
    return whole if whole.is_file() else folder / f"qtbase_{language.partition('_')[0]}.qm"


def _with_base_languages(names: Sequence[str]) -> list[str]:
    """Return each name, followed by its part before the country."""
    parts = (part for name in names for part in (name, name.partition("_")[0]))
    return list(dict.fromkeys(parts))


def format_seconds(seconds: float, *, is_running: bool = False) -> str:
    """Return a time in the language of the window: 38 ms, 1.1 s, 2 min 5 s."""
    return quantities.format_duration(seconds, tr, is_running=is_running)


_LONGEST_LABEL = 12
_DATE = re.compile(r"^\d{4}-\d\d-\d\d ")


def format_clock(seconds: float) -> str:
    """Return a time since the epoch as the system writes it: without its day if that is today."""
    from PySide6.QtCore import QDate, QDateTime  # not needed for the first paint

    moment, short = QDateTime.fromSecsSinceEpoch(int(seconds)), QLocale.FormatType.ShortFormat
    is_today = moment.date() == QDate.currentDate()
    return QLocale().toString(moment.time() if is_today else moment, short)


def folder_name(folder: str) -> str:
    """Return the last part of a folder's path; `~` for the home folder."""
    return "~" if folder == str(Path.home()) else Path(folder).name or folder


def folder_label(folder: str) -> str:
    """Return a folder's name without its date, and cut where it is long, for a narrow place."""
    name = _DATE.sub("", folder_name(folder))
    return name if len(name) <= _LONGEST_LABEL else name[: _LONGEST_LABEL - 1].rstrip() + "…"


def place_label(folder: str, code_folder: str, machine: str = "") -> str:
    """Return a folder's label, with the place to which the code has gone if it has.

    A folder of another `machine` is named with it.
    """
    if machine:
        return far_label(code_folder or folder, machine)
    if not code_folder:
        return folder_label(folder)
    try:
        inner = str(Path(code_folder).relative_to(Path(folder).resolve()))
    except ValueError:
        return short_folder(code_folder)
    return f"{folder_label(folder)}/{inner}"


def far_label(folder: str, machine: str) -> str:
    """Return a folder of another machine with that, both cut where they are long."""
    from playhead.domain.places import nickname  # not needed for the first paint

    last = folder.rstrip("/").rpartition("/")[2]
    shown = f"…/{last}" if len(folder) > _LONGEST_LABEL and last else folder
    return f"{nickname(machine)}: {shown}"


def place_tip(folder: str, code_folder: str, machine: str = "") -> str:
    """Return a sentence on the working folder, and one on where the code is if it has left it."""
    words = tr("Working folder: {folder}", folder=folder)
    if machine:
        words = tr("Working folder on {machine}: {folder}", machine=machine, folder=folder)
    now = tr("The code has gone to {folder}", folder=code_folder)
    return f"{words}\n{now}" if code_folder else words


def short_folder(folder: str) -> str:
    """Return a folder with the home as ~, in words if it is the home."""
    home = str(Path.home())
    if folder == home:
        return tr("your home folder")
    return "~" + folder[len(home) :] if folder.startswith(home + "/") else folder


def going_on_words(going_on: GoingOn) -> str:
    """Return what computes on after the end of a run, in the language of the window."""
    return run_ends.going_on_text(going_on, tr, tr_n)


def format_size(size_bytes: int) -> str:
    """Return a size in the language of the window."""
    return quantities.format_size(size_bytes, tr, tr_n)


def short_interpreter(path: str) -> str:
    """Return `…/project/.venv/bin/python` as `project/.venv`, `/usr/bin/python3` unchanged.

    A place has its name for people.
    """
    if (kernel := place_of(path)) is not None:
        return kernel.label
    place = Path(path)
    if place.parent.name in ("bin", "Scripts") and len(place.parts) > 4:
        return "/".join(place.parent.parent.parts[-2:])
    return path
