"""Answers questions of the parent about the namespace, each by a file."""

from __future__ import annotations

import itertools
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .channel import Channel
    from .interrupts import Interrupts
    from .variables import Variables

_TABLE_LIMIT_S = 2.0


class AnswerFiles:
    """Writes the files that answers lie in; any thread may."""

    def __init__(self, channel: Channel, spool: str) -> None:
        self._channel = channel
        self._spool = spool
        self._numbers = itertools.count(1)

    def send(self, ask: str, found: dict[str, Any]) -> None:
        """Answer the question `ask`."""
        name = "%d-answer-%d.json" % (os.getpid(), next(self._numbers))
        with open(os.path.join(self._spool, name), "w", encoding="ascii") as file:
            json.dump(found, file)
        self._channel.send_unordered("answer", ask=ask, file=name)


class Answers:
    """Answers from the namespace of Python; only the main thread may ask it."""

    def __init__(self, files: AnswerFiles, variables: Variables, interrupts: Interrupts) -> None:
        self._files = files
        self._variables = variables
        self._interrupts = interrupts

    def answer(self, command: dict[str, Any]) -> None:
        """Answer while no code runs; what fails or takes too long is an answer too."""
        found: dict[str, Any] = {}
        try:
            self._interrupts.call_within(_TABLE_LIMIT_S, lambda: found.update(self._find(command)))
        except KeyboardInterrupt:
            found = {"error": "It took too long."}
        except Exception as error:  # noqa: BLE001 - a library's or the user's own class
            found = {"error": str(error) or type(error).__name__}
        self._files.send(command["ask"], found)

    def _find(self, command: dict[str, Any]) -> dict[str, Any]:
        if command["t"] == "variables":
            return {"variables": self._variables.listing()}
        return self._variables.table(command["name"], command["first"], command["rows"])
