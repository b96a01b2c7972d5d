"""A home with a folder to work in, and executors whose kernels are in the sandbox."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from playhead.domain.execution import RunRequest
from playhead.domain.trust import Policy
from playhead.execution.keeping.variable_keeper import VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import Availability, look_for_sandbox
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from tests.support.kernels import request

FOLDER = Policy(files="folder", network="off")


class Place:
    """A home with a folder to work in, data of the program, and files of the person's."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "work"
        self.folder.mkdir()
        (home / "diary.txt").write_text("secret")
        self.data = home / "data"
        self._runs = 0

    def sandbox(
        self,
        missing: str = "",
        outside: Mapping[str, Any] | None = None,
        lacks_space: str = "",
        program: str = "",
    ) -> Sandbox:
        def look() -> Availability:
            if missing:
                return Availability(problem=missing, remedy="Get it.")
            found = look_for_sandbox()
            found = replace(found, program=program) if program else found
            return replace(found, lacks_space=lacks_space) if lacks_space else found

        places = PrivatePlaces(
            home=str(self.home),
            homes=self.data / "homes",
            outside=(str(self.data),),
            never_inside=(str(self.data / "output"),),
        )
        return Sandbox(places, look, outside=outside)

    @asynccontextmanager
    async def executor(
        self, sandbox: Sandbox | None, keeper: VariableKeeper | None = None
    ) -> AsyncGenerator[ProcessExecutor]:
        made = ProcessExecutor(self.data / "output", sandbox=sandbox, keeper=keeper)
        try:
            yield made
        finally:
            await made.close()

    def request(self, code: str, policy: Policy = FOLDER, language: str = "python") -> RunRequest:
        self._runs += 1
        wanted = request(self.folder, code, f"run-{self._runs}", grace_s=5)
        return replace(wanted, policy=policy, language=language)
