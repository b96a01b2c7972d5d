"""Reads text files in any usual encoding and writes them back as they were."""

from __future__ import annotations

import codecs
import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from playhead.atomic_file import open_inside, replacing
from playhead.errors import AppError
from playhead.ui.widgets.wording import format_size, mark, tr

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST_BYTES = 20_000_000

_MARKED = (  # the longer marks first: that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig", mark("UTF-8 with a byte order mark")),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_BOMS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\x0b\x1b\b")


class FileForm(Struct, frozen=True, kw_only=True):
    """The encoding and line ends of a file, and the stamp of the version that was read."""

    path: str
    encoding: str = "utf-8"
    line_end: str = "\n"
    stamp: tuple[int, int] | None = None
    """Time of change in nanoseconds and size when it was last read or written."""

    @property
    def name(self) -> str:
        """Return the file's name without its folder."""
        return Path(self.path).name


class FileText(Struct, frozen=True):
    """A file that was read: its text with plain line ends; `note` says what is unusual about it."""

    form: FileForm
    text: str
    note: str = ""


class FileError(AppError):
    """A file of the user that cannot be read or written."""

    default_code = "file_error"


def read(path: str) -> FileText:
    """Read a text file. Raises FileError."""
    with _in_words(path, "opened"):
        data, stamp = _bytes_of(path)
    encoding, label = _encoding_of(data, path)
    # The codec with a byte order mark in its name removes the mark.
    data = data.removeprefix(_BOMS.get(encoding, b""))
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        raise _refused(
            path, tr("It is marked as {encoding}, but is not.", encoding=label)
        ) from error
    line_end, mixed = _line_end_of(text)
    form = FileForm(path=os.path.abspath(path), encoding=encoding, line_end=line_end, stamp=stamp)
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return FileText(form, plain, _note(label, line_end, mixed))


def write(form: FileForm, text: str) -> FileForm:
    """Write the text in the file's form; return the form with the new stamp. Raises FileError.

    The file is replaced atomically: it is never half written. A link remains a link.
    """
    try:
        data = _BOMS.get(form.encoding, b"") + text.replace("\n", form.line_end).encode(
            form.encoding
        )
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise FileError(
            tr("“{name}” cannot hold this text.", name=form.name),
            detail=tr(
                "There is no {character!r} in {encoding}.",
                character=character,
                encoding=form.encoding,
            ),
            remedy=tr("Save it under another name: new files are UTF-8."),
            code="file_encoding",
        ) from error
    with _in_words(form.path, "saved"):
        path = Path(form.path)
        with replacing(path, _mode_of(path)) as file:
            file.write(data)
        return replace(form, stamp=stamp_of(form.path))


def stamp_of(path: str) -> tuple[int, int] | None:
    """Return what identifies a version of a file; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _bytes_of(path: str) -> tuple[bytes, tuple[int, int]]:
    descriptor = open_inside(path)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISFIFO(status.st_mode) or stat.S_ISCHR(status.st_mode):
            raise _refused(path, tr("It is not a regular file."))
        if status.st_size > LARGEST_BYTES:
            size = format_size(status.st_size)
            raise _refused(path, tr("It has {size}; the editor takes up to 20 MB.", size=size))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_BYTES), (status.st_mtime_ns, status.st_size)
    finally:
        os.close(descriptor)


def _encoding_of(data: bytes, path: str) -> tuple[str, str]:
    for prefix, encoding, name in _MARKED:
        if data.startswith(prefix):
            return encoding, tr(name)
    if _is_binary(data):
        raise _refused(path, tr("It is binary data, not text."))
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1", "Latin-1"
    return "utf-8", ""


def _is_binary(data: bytes) -> bool:
    head = data[:8192]
    return b"\0" in head or sum(byte in _CONTROLS for byte in head) > len(head) // 50


def _line_end_of(text: str) -> tuple[str, bool]:
    windows = text.count("\r\n")
    unix, mac = text.count("\n") - windows, text.count("\r") - windows
    counts = {"\n": unix, "\r\n": windows, "\r": mac}
    most = max(counts, key=lambda one: counts[one])
    return most, sum(count > 0 for count in counts.values()) > 1


def _note(label: str, line_end: str, is_mixed: bool) -> str:
    name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[line_end]
    notes = [tr("It is {encoding}, and is saved as that.", encoding=label)] if label else []
    if is_mixed:
        notes.append(tr("Its line ends are mixed; they are saved as {name}.", name=name))
    elif line_end != "\n":
        notes.append(tr("Its line ends are {name}, and are kept.", name=name))
    return " ".join(notes)


def _mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_mask()


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def _in_words(path: str, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileError(
            tr("“{name}” cannot be {done}.", name=Path(path).name, done=done),
            detail=f"{path}: {error.strerror or error}",
            remedy=tr("Check that the folder exists and that you may use it."),
        ) from error


def _refused(path: str, reason: str) -> FileError:
    return FileError(
        tr("“{name}” cannot be opened in the editor.", name=Path(path).name),
        detail=reason,
        remedy=tr("Attach it to a message instead: code can then read it."),
    )
