"""The two type faces that are shipped: Inter for words, JetBrains Mono NL for code."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

SANS = "Inter"
MONO = "JetBrains Mono NL"
"""Without ligatures: code is shown as it is written, also by Scintilla, which cannot be told so."""

_log = logging.getLogger(__name__)


def load(folder: Path) -> None:
    """Make the shipped faces known; a missing one is replaced by the system's."""
    if {SANS, MONO} <= set(QFontDatabase.families()):
        return
    for path in sorted((*folder.glob("*.otf"), *folder.glob("*.ttf"))):
        if QFontDatabase.addApplicationFont(str(path)) < 0:
            _log.warning("The font %s cannot be read.", path.name)


def sans(size_px: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Inter, or the system's sans serif."""
    font = QFont([SANS, "Segoe UI", "Helvetica Neue", "sans-serif"])
    font.setPixelSize(size_px)
    font.setWeight(weight)
    return font


def mono(size_px: int) -> QFont:
    """For code; ligatures of the faces that stand in for it are switched off."""
    font = QFont([MONO, "Menlo", "Consolas", "monospace"])
    font.setPixelSize(size_px)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag.fromString("calt"), 0)
    return font
