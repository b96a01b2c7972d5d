"""Finds where else code can run: Jupyter servers that are asked, machines of ssh, containers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.domain.places import Machine, PlaceQuestion, ServerAnswer
    from playhead.domain.secret import Secret
    from playhead.execution.machines.place_questions import PlaceQuestions

_NO_SSH = "There is no ssh program on this computer."


class OtherPlaces:
    """The port to places on other machines; `questions` are those of the executor's connections.

    Nothing is asked, started or loaded before a person, or a program, wants to know.
    """

    def __init__(self, questions: PlaceQuestions) -> None:
        self._questions = questions

    async def ask_server(self, address: str, token: Secret | None = None) -> ServerAnswer:
        """Return who answers at an address, and its kernels. Raises ExecutionError."""
        from playhead.execution.environments.server_finder import ask_server

        return await ask_server(address, token)

    async def machines(self) -> list[Machine]:
        """Return the hosts of the user's configuration of ssh, and containers that run."""
        from playhead.execution.machines.machine_finder import find_machines

        return await asyncio.to_thread(find_machines)

    async def why_no_machines(self) -> str:
        """Return in a sentence why no machine can be reached; "" if one can be."""
        from playhead.execution.machines.machine_finder import has_ssh

        return "" if await asyncio.to_thread(has_ssh) else _NO_SSH

    def subscribe(self, listener: Callable[[PlaceQuestion], None]) -> Callable[[], None]:
        """Call the listener with each question that a connection asks, and when one is over."""
        return self._questions.subscribe(listener)

    def answer(self, question_id: str, answer: Secret | None) -> None:
        """Answer a question; None gives the connection up."""
        self._questions.answer(question_id, answer)
