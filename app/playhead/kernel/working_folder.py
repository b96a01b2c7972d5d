"""The folder in which blocks begin: entered when it is another one, or was replaced by another."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, Tuple

_MOST_LEVELS = 64


class WorkingFolder:
    """Remembers which folder was entered, by its number in the file system and not by its name."""

    def __init__(self) -> None:
        self.path = os.getcwd()
        self._entered = _number_of(self.path)

    def find(self, folder: str, here: str = os.curdir) -> str:
        """Return the folder to go to before a block; "" to stay.

        Code that went elsewhere by itself stays there, unless that was in a folder which has been
        replaced. `here` leads to the folder in which the program is that runs the block.
        """
        if not folder or folder != self.path:
            return folder
        number = _number_of(folder)
        if number in (None, self._entered):
            return ""
        return _same_place(folder, here, self._entered)

    def elsewhere(self, here: str = os.curdir) -> str:
        """Return the folder that code has gone to by itself; "" if it is where it began."""
        try:
            if _number_of(here) in (None, self._entered):
                return ""
            return os.path.realpath(here)
        except Exception:  # noqa: BLE001 - code may have replaced what this calls
            return ""

    def entered(self, folder: str) -> None:
        """Remember the folder that blocks begin in from now on."""
        self.path = folder
        self._entered = _number_of(folder)


def _number_of(path: str) -> "Optional[Tuple[int, int]]":
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _same_place(folder: str, here: str, old: "Optional[Tuple[int, int]]") -> str:
    """Return the place in a folder that `here` had in the old one; "" if it was not in there."""
    place, names = here, 0
    number = _number_of(place)
    while number is not None and number != old and names < _MOST_LEVELS:
        place = os.path.join(place, os.pardir)
        names, below, number = names + 1, number, _number_of(place)
        if number == below:  # the root
            return ""
    try:
        inner = os.path.realpath(here).split(os.sep)[-names:] if names else []
    except OSError:  # deleted
        inner = []
    wanted = os.path.join(folder, *inner)
    return wanted if number == old and os.path.isdir(wanted) else folder
