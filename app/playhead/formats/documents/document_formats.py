"""The kinds of files that conversations are written to and read from."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

DocumentKind = Literal["md", "ipynb", "py", "json"]
IMPORT_LIMIT = 100_000_000
"""The largest file that is read."""


class DocumentFormat(Struct, frozen=True):
    """A kind of file; `kind` is its suffix too."""

    kind: DocumentKind
    name: str
    mime: str


FORMATS = (
    DocumentFormat("md", "Markdown", "text/markdown"),
    DocumentFormat("ipynb", "Jupyter notebook", "application/x-ipynb+json"),
    DocumentFormat("py", "Python script", "text/x-python"),
    DocumentFormat("json", "Open Interpreter messages", "application/json"),
)
