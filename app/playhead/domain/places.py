"""Places where code runs besides a Python of this computer: kernels of Jupyter."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote, unquote

from msgspec import Struct

_JUPYTER = "jupyter"


class Place(Struct, frozen=True, kw_only=True):
    """A kernel that another program has: its language, its name for people, and where it is.

    `language` is the word of its fences; `folder` has the file `kernel.json` that says how it is
    started. Its `id` is used in place of the path of a Python. It has all that is known of a
    place, so that who approves code for one approves it for no other.
    """

    kind: Literal["jupyter"] = _JUPYTER
    language: str
    label: str
    folder: str

    @property
    def id(self) -> str:
        """Return its word in settings, in conversations and in approvals."""
        return f"{self.kind}:{self.language}:{quote(self.label, safe=' ().,+')}:{self.folder}"


def is_place(interpreter: str) -> bool:
    """Return whether it is the id of a place, and not the path of a Python."""
    return place_of(interpreter) is not None


def place_of(interpreter: str) -> Place | None:
    """Return the place with this id; None for the path of a Python, and for ""."""
    kind, *parts = interpreter.split(":", 3)
    if kind != _JUPYTER or len(parts) != 3 or not all(parts):
        return None
    language, label, folder = parts
    return Place(language=language, label=unquote(label), folder=folder)


def runs(interpreter: str, language: str) -> bool:
    """Return whether what was chosen runs a language: a Python runs Python, a place its own."""
    place = place_of(interpreter)
    return language == (place.language if place else "python")
