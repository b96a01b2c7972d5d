"""Help → Check for updates: says in words where to look; nothing is asked of the network."""

from __future__ import annotations

import sys
from pathlib import Path

from playhead import __version__
from playhead.ui.wording import mark, tr

_PACKAGE = mark(
    "It came from a package of the system. Get the newer package where you got this one and "
    "install it over this one: sudo apt install ./playhead_….deb"
)
_ARCHIVE = mark(
    "It is the packaged program. Get the newer one where you got this one and install it over "
    "this one."
)
_PIPX = mark("It was installed by pipx. In a terminal: pipx upgrade playhead")
_PIP = mark("It was installed by pip. In a terminal: {python} -m pip install --upgrade playhead")
_SOURCE = mark("It runs from its sources in {folder}. Get the newer ones there: git pull")


def update_words() -> str:
    """How this copy is brought up to date, and what stays as it is."""
    kept = tr(
        "Your conversations, settings and keys stay where they are: before a newer version changes "
        "their form it makes a copy. The Changelog of the newer version says what is new."
    )
    asked = tr("Playhead asks nobody by itself, and did not do so now.")
    return "\n\n".join([_way(), kept, asked])


def title() -> str:
    """Which version this is."""
    return tr("This is Playhead {version}.", version=__version__)


def _way() -> str:
    if getattr(sys, "frozen", False):
        is_package = sys.platform == "linux" and sys.executable.startswith(("/usr/", "/opt/"))
        return tr(_PACKAGE) if is_package else tr(_ARCHIVE)
    package = Path(__file__).resolve().parents[1]
    if "site-packages" in package.parts:
        if "pipx" in Path(sys.prefix).parts:
            return tr(_PIPX)
        return tr(_PIP, python=sys.executable)
    return tr(_SOURCE, folder=package.parents[1])
