"""Opens folders, files and addresses by the system's programs: the one door, and what it refuses.

What runs when it is opened (a program, a script, a starter) is never opened from here: its folder
is shown instead. Files come from code, which may have put anything under any name.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from playhead.atomic_file import open_inside

Opening = Literal["opened", "shown", "program", "outside", "gone"]
"""Opened by its viewer; shown in its folder, as of an unknown kind; or not opened, and why."""

ADDRESS_SCHEMES = ("http", "https", "mailto")
# Files that a viewer opens. Others may be programs: their folder is opened instead.
_VIEWED = (
    ".bmp .csv .doc .docx .eps .epub .flac .gif .htm .html .jpeg .jpg .json .log .md .mp3 .mp4 "
    ".odp .ods .odt .ogg .parquet .pdf .png .ppt .pptx .rst .rtf .svg .tex .tif .tiff .toml .tsv "
    ".txt .wav .webm .webp .xls .xlsx .xml .yaml .yml "
)
_PROGRAMS = (
    ".appimage .appref-ms .bat .bin .cmd .com .command .cpl .deb .desktop .dll .dmg .docm .exe "
    ".fileloc .flatpakref .hta .inetloc .inf .jar .jnlp .jse .lnk .msc .msi .msix .pkg .ps1 "
    ".pyw .pyz .reg .rpm .run .scf .scpt .scr .snap .terminal .tool .url .vbe .vbs .webloc "
    ".workflow .ws .wsf .xlsm "
)
# macOS opens these folders as programs, Windows those with the number of a class in their names.
_PACKAGES = (".app", ".bundle", ".pkg", ".prefpane", ".plugin", ".saver", ".workflow", ".scptd")
_HEADS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"[Desktop Entry")


def open_address(address: str) -> bool:
    """Open an address of the web or of mail; False if it is another one, as of a file."""
    url = QUrl(address)
    return url.scheme() in ADDRESS_SCHEMES and QDesktopServices.openUrl(url)


def open_folder(folder: str | Path) -> bool:
    """Open a folder in the file manager; of what the system would run, the one around it."""
    place = Path(folder)
    around = (one for one in (place, *place.parents) if one.is_dir() and not _is_package(one))
    return _open(next(around, Path(place.anchor)))


def open_file(path: Path, folder: Path) -> Opening:
    """Open a file of a folder in its viewer, or show it in its folder; return what was done."""
    if not path.exists():
        return "gone"
    real = path.resolve()
    if not real.is_relative_to(folder.resolve()):
        return "outside"
    if is_program(real, folder.resolve()):
        return "program"
    if not real.is_file() or not _is_one_of(real, _VIEWED):
        open_folder(real.parent)
        return "shown"
    _open(real)
    return "opened"


def is_program(path: Path, folder: Path) -> bool:
    """Return whether a file could run when it is opened: by its name, or its bits and beginning."""
    if _is_one_of(path, _PROGRAMS) or (path.is_dir() and _is_package(path)):
        return True
    try:
        file = open_inside(path, folder)
    except OSError:  # what cannot be looked at, such as a link that was put there just now
        return True
    try:
        facts = os.fstat(file)
        if not stat.S_ISREG(facts.st_mode):
            return False
        can_run = os.name == "posix" and bool(facts.st_mode & 0o111)
        # All files of some disks can be run, by their bits; then the name decides.
        is_viewed = _is_one_of(path, _VIEWED)
        return can_run and (not is_viewed or os.read(file, 16).startswith(_HEADS))
    except OSError:
        return True
    finally:
        os.close(file)


def _is_one_of(path: Path, kinds: str) -> bool:
    return f"{path.suffix.lower() or None} " in kinds


def _is_package(folder: Path) -> bool:
    return folder.suffix.lower() in _PACKAGES or ".{" in folder.name


def _open(path: Path) -> bool:
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
