"""The languages that code can be run in: their names, their programs, what is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from playhead.errors import phrase
from playhead.execution.login_path import find_program

if TYPE_CHECKING:
    from playhead.execution.environments.place_finder import KernelSpec
    from playhead.kernel.driver import Driver


HOST_LANGUAGE = "python"
"""Every kernel runs it; it is asked for before the first paint, which needs no drivers."""


class Languages:
    """Looks for their programs on a PATH each time it is asked: one may have been installed."""

    def __init__(self, path: str | None, known: Sequence[type[Driver]] = ()) -> None:
        self.path = path
        self._given = known

    @cached_property
    def _known(self) -> Sequence[type[Driver]]:
        if self._given:
            return self._given
        from playhead.kernel.drivers import registry  # not needed for the first paint

        return registry.DRIVERS

    @property
    def offered(self) -> tuple[str, ...]:
        """Return the languages that can be run here, by their own words."""
        return tuple(driver.word for driver in self._known if self._can_run(driver))

    def canonical(self, word: str) -> str | None:
        """Return the language that a model or a person names, or None if it cannot be run."""
        if word == HOST_LANGUAGE:
            return word
        return next((d.word for d in self._named(word) if self._can_run(d)), None)

    def program(self, word: str) -> str:
        """Return the path of the program that runs a language; "" if it needs none or has none."""
        driver = next((driver for driver in self._known if driver.word == word), None)
        return self._find(driver) if driver else ""

    def name(self, word: str) -> str:
        """Return the name of a language in the window; unknown ones are returned unchanged."""
        return next((driver.name for driver in self._named(word)), word)

    def why_not(self, word: str) -> str:
        """Return in a sentence what to install in order to run a known language; "" for others."""
        for driver in self._named(word):
            if self._can_run(driver):
                return ""
            for platform, advice in driver.install.items():
                if sys.platform.startswith(platform):
                    return phrase(
                        "{language} is not installed here. {advice}",
                        language=driver.name,
                        advice=advice,
                    )
            return phrase("{language} does not run on this system.", language=driver.name)
        return ""

    def only_shows(self, word: str) -> bool:
        """Return whether blocks of a language are only shown and not run."""
        return any(driver.only_shows for driver in self._known if driver.word == word)

    def _named(self, word: str) -> Iterator[type[Driver]]:
        wanted = word.strip().lower()
        return (d for d in self._known if wanted == d.word or wanted in d.aliases)

    def _can_run(self, driver: type[Driver]) -> bool:
        return not driver.programs or bool(self._find(driver))

    def _find(self, driver: type[Driver]) -> str:
        found = (find_program(program, self.path) for program in driver.programs)
        return next((path for path in found if path), "")


class KernelLanguage(Struct, frozen=True):
    """A kernel's language: its word, its name for people, the path of its program if any.

    With a `spec` another program's kernel runs it, in a place worker.
    """

    word: str = "python"
    name: str = "Python"
    program: str = ""
    spec: KernelSpec | None = None

    @property
    def is_hosts(self) -> bool:
        """Return whether it is Python, in a process of ours."""
        return self.word == HOST_LANGUAGE and self.spec is None
