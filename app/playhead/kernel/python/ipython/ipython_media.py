"""Stand-ins for media that a notebook plays or embeds: their text names the file or address."""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator


class _Embedded:
    """A page of the net, or a file; a link in the place of what a browser would embed."""

    _what = "A page"

    def __init__(self, src: Any, width: Any = None, height: Any = None, **params: Any) -> None:
        self.src, self.width, self.height, self.params = str(src), width, height, params

    def __repr__(self) -> str:
        return f"{self._what}, not embedded here: {self.src}"

    def _repr_markdown_(self) -> str:
        address = self.src.replace(" ", "%20").replace(">", "%3E")
        return f"{self._what}, not embedded here: <{address}>" if _is_url(self.src) else repr(self)


class IFrame(_Embedded):
    """A page by its address."""


class YouTubeVideo(_Embedded):
    """A video by its word at YouTube."""

    _what = "A video"

    def __init__(self, id: str, width: Any = None, height: Any = None, **params: Any) -> None:
        super().__init__(f"https://www.youtube.com/watch?v={id}", width, height, **params)
        self.id = id


class VimeoVideo(_Embedded):
    """A video by its number at Vimeo."""

    _what = "A video"

    def __init__(self, id: Any, width: Any = None, height: Any = None, **params: Any) -> None:
        super().__init__(f"https://vimeo.com/{id}", width, height, **params)
        self.id = id


class ScribdDocument(_Embedded):
    """A document by its number at Scribd."""

    _what = "A document"

    def __init__(self, id: Any, width: Any = None, height: Any = None, **params: Any) -> None:
        super().__init__(f"https://www.scribd.com/document/{id}", width, height, **params)


class _Played:
    """A sound or a film: where it is, or that it is only in memory."""

    _what, _verb = "A film", "shown"

    def __init__(
        self, data: Any = None, filename: Any = None, url: Any = None, **options: Any
    ) -> None:
        if url is None and isinstance(data, str) and _is_url(data):
            data, url = None, data
        if filename is None and _is_path(data):
            data, filename = None, data
        if filename is not None and not os.path.isfile(filename):
            raise FileNotFoundError(f"There is no file {os.fspath(filename)}.")
        self.data: Any = data
        self.url: str = url or ""
        self.filename = _path_of(filename)

    def __repr__(self) -> str:
        place = self.url or (os.path.abspath(self.filename) if self.filename else "")
        if place:
            return f"{self._what}, not {self._verb} here: {place}"
        return f"{self._what}{self._measure()}, not {self._verb} here. Write it into a file."

    def _measure(self) -> str:
        return f" of {len(self.data):,} bytes" if isinstance(self.data, bytes) else ""


class Video(_Played):
    """A film: bytes, a file, or an address."""


class Audio(_Played):
    """A sound: samples with their rate, bytes, a file, or an address."""

    _what, _verb = "A sound", "played"

    def __init__(
        self, data: Any = None, filename: Any = None, url: Any = None, *,
        rate: float | None = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(data, filename, url, **options)
        self.rate = rate

    def _measure(self) -> str:
        shape = getattr(self.data, "shape", None)
        is_list = type(self.data) is list
        samples: int = shape[-1] if shape else len(self.data) if is_list else 0
        if not self.rate or not samples:
            return super()._measure()
        return f" of {samples / self.rate:,.1f} s"


class FileLink:
    """A file by its name."""

    def __init__(self, path: Any, **options: Any) -> None:
        self.path = path

    def __repr__(self) -> str:
        path = os.path.abspath(self.path)
        return path if os.path.exists(path) else f"{path} (there is no such file)"


class FileLinks(FileLink):
    """The files below a folder."""

    def __init__(self, path: Any, recursive: bool = True, **options: Any) -> None:
        super().__init__(path)
        self.recursive = recursive

    def __repr__(self) -> str:
        found: list[str] = []
        for folder, _, names in os.walk(self.path):
            found += [os.path.join(folder, name) for name in sorted(names)]
            if not self.recursive or len(found) > 1000:
                break
        return "\n".join(found[:1000]) or f"{os.path.abspath(self.path)} (no files)"


class ProgressBar:
    """The progress of a loop, on one line that is written again and again."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._progress = 0

    def __repr__(self) -> str:
        done = 40 * self._progress // max(1, self.total)
        return f"[{'=' * done}{' ' * (40 - done)}] {self._progress}/{self.total}"

    def _ipython_display_(self) -> None:
        self.display()

    def display(self) -> None:
        """Write the line; the last one ends it."""
        sys.stdout.write("\r" + repr(self) + ("\n" if self._progress >= self.total else ""))

    update = display

    @property
    def progress(self) -> int:
        """Return how many are done."""
        return self._progress

    @progress.setter
    def progress(self, value: int) -> None:
        self._progress = value
        self.display()

    def __iter__(self) -> Iterator[int]:
        self.display()
        for number in range(self.total):
            yield number
            self.progress = number + 1


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _path_of(filename: Any) -> str:
    return "" if filename is None else str(filename)


def _is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))
