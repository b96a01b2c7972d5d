"""Stand-ins for names of `IPython.display`, for blocks where IPython is not installed.

Only blocks get it: a library that looks for IPython must not find it and assume a notebook.
"""

from __future__ import annotations

import base64
import builtins
import importlib.machinery
import json
import os
import sys
from typing import Any, Callable, Iterator, Sequence

_ROOT = "IPython"


def _escaped(text: str) -> str:
    """Return a text as markup; the module that does it loads all names of signs."""
    for sign, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(sign, f"&{name};")
    return text


class _Data:
    """A text or bytes given as they are, or the file that holds them."""

    _is_binary = False

    def __init__(
        self, data: Any = None, url: str | None = None, filename: Any = None, **options: Any
    ) -> None:
        if filename is None and self._is_path(data):
            data, filename = None, data
        self.url = url
        self.filename = filename
        self.data = _read(filename, self._is_binary) if filename is not None else data

    def _is_path(self, data: Any) -> bool:
        return isinstance(data, os.PathLike)


class HTML(_Data):
    """Markup."""

    def _repr_html_(self) -> Any:
        if self.data is None and self.url:
            return f'<a href="{_escaped(self.url)}">{_escaped(self.url)}</a>'
        return self.data


class Markdown(_Data):
    """Text with marks."""

    def _repr_markdown_(self) -> Any:
        return self.data


class Latex(_Data):
    """Formulas in text."""

    def _repr_latex_(self) -> Any:
        return self.data


class Math(Latex):
    """One formula."""

    def _repr_latex_(self) -> str:
        return "$\\displaystyle " + str(self.data).strip("$") + "$"


class SVG(_Data):
    """A drawing."""

    def _is_path(self, data: Any) -> bool:
        return super()._is_path(data) or _names_file(data, (".svg",))

    def _repr_svg_(self) -> Any:
        return self.data


class Javascript(_Data):
    """A script to be read; it is not run."""

    def _repr_javascript_(self) -> Any:
        return self.data


class Pretty(_Data):
    """Plain text."""

    def __repr__(self) -> str:
        return str(self.data)


class Code(Pretty):
    """Source text."""

    def __init__(self, data: Any = None, language: str | None = None, **options: Any) -> None:
        super().__init__(data, **options)
        self.language = language or ""

    def _repr_markdown_(self) -> str:
        return f"```{self.language}\n{self.data}\n```"


class JSON(_Data):
    """A structure."""

    def __repr__(self) -> str:
        return json.dumps(self.data, indent=2, ensure_ascii=False, default=str)


class Image(_Data):
    """A picture: bytes, a file, or an address."""

    _is_binary = True
    _SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".svg")

    def __init__(self, data: Any = None, *args: Any, **options: Any) -> None:
        if isinstance(data, str) and data.startswith(("http://", "https://")):
            options["url"], data = data, None
        super().__init__(data, *args, **options)

    def _is_path(self, data: Any) -> bool:
        return super()._is_path(data) or _names_file(data, self._SUFFIXES)

    def _repr_png_(self) -> Any:
        return self.data if _begins(self.data, b"\x89PNG") else None

    def _repr_jpeg_(self) -> Any:
        return self.data if _begins(self.data, b"\xff\xd8") else None

    def _repr_svg_(self) -> Any:
        is_svg = isinstance(self.data, bytes) and b"<svg" in self.data[:1000]
        return self.data.decode("utf-8", "replace") if is_svg else None

    def _repr_html_(self) -> str | None:
        if self.url:
            return f'<img src="{_escaped(self.url)}">'
        if _begins(self.data, b"GIF8"):
            return f'<img src="data:image/gif;base64,{base64.b64encode(self.data).decode()}">'
        return None


class DisplayObject(_Data):
    """The base of the other objects."""


class TextDisplayObject(DisplayObject):
    """The same for texts."""


class GeoJSON(JSON):
    """A map; its data is shown."""


class InteractiveShell:
    """The shell's settings can be set, without an effect."""

    ast_node_interactivity = "last_expr"


class _Unknown:
    """An unknown name can be imported, and raises an error when it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError(f"IPython is not installed here, and {self._name} not known.")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Unknown(f"{self._name}.{name}")

    def __repr__(self) -> str:
        return f"<{self._name}: not known here, IPython is not installed>"


class StandInFinder:
    """The last finder: it is asked only when no IPython is installed."""

    def __init__(self, set_formats: Callable[..., None], **given: Any) -> None:
        """Add `given`, names that need more of the kernel than this module has."""
        self._given = {"set_matplotlib_formats": set_formats, **given}

    def install(self) -> None:
        """Install it after all other finders."""
        sys.meta_path.append(self)  # type: ignore[arg-type]

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """Return a stand-in if a block imports it."""
        if name.partition(".")[0] != _ROOT or not _is_imported_by_block():
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        return spec

    def create_module(self, spec: Any) -> None:
        """Let a plain module be made."""

    def exec_module(self, module: Any) -> None:
        """Fill it with everything that is known; the rest is known by name only."""
        for name, value in vars(sys.modules[__name__]).items():
            is_own = getattr(value, "__module__", "") == __name__
            if is_own and not name.startswith("_") and value is not StandInFinder:
                setattr(module, name, value)
        module.display = vars(builtins)["display"]
        for name, value in self._given.items():
            setattr(module, name, value)
        module.version_info = (9, 0, 0)  # matplotlib asks below 8.24 for its shell
        module.__version__ = "9.0.0"

        def unknown(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return _Unknown(f"{module.__name__}.{name}")

        module.__getattr__ = unknown


def _is_imported_by_block() -> bool:
    frame: Any = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] - documented
    own = (__file__, "import_hooks.py")
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<frozen importlib") and not file.endswith(own):
            return file.startswith("<block ")
        frame = frame.f_back
    return False


def _names_file(data: Any, suffixes: tuple[str, ...]) -> bool:
    return isinstance(data, str) and len(data) < 1000 and data.lower().endswith(suffixes)


def _read(path: Any, is_binary: bool) -> Any:
    with open(path, "rb") as file:
        data = file.read()
    return data if is_binary else data.decode("utf-8", "replace")


def _begins(data: Any, magic: bytes) -> bool:
    return isinstance(data, bytes) and data.startswith(magic)


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
