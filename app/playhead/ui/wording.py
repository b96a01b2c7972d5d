"""The one door between the window's English texts and their translations.

A text is written in English where it is shown, as a literal, so that it can be found and listed:
`tr("Save")`, `tr("Remove {name}", name=name)`, `tr_n("%n lines", count, one="1 line")`. A constant
is marked where it stands, `SAVE = mark("Save")`, and translated where it is shown, `tr(SAVE)`:
modules are loaded before a language is known.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

CONTEXT = "Playhead"
"""All texts share one context; `about` tells two apart that are the same in English only."""


def tr(text: str, /, *, about: str = "", **values: object) -> str:
    """The text in the language of the window, with the values where their names stand in braces."""
    if not text:  # which Qt would translate into what a catalogue says of itself
        return text
    said = QCoreApplication.translate(CONTEXT, text, about)
    return said.format_map(values) if values else said


def tr_n(many: str, count: int, /, *, one: str = "", about: str = "", **values: object) -> str:
    """A text about a number of things, which stands where `%n` is; `one` is the English for one.

    Other languages have forms of their own for a number: they are found by `many` alone.
    """
    said = QCoreApplication.translate(CONTEXT, many, about, count)
    if said == many.replace("%n", str(count)):  # English, or no translation
        said = (one if one and count == 1 else many).replace("%n", f"{count:,}")
    return said.format_map(values) if values else said


def mark(text: str) -> str:
    """The text itself, noted for the translators: who shows it says `tr` of it."""
    return text
