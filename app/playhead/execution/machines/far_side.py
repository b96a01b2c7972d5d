"""Files to and from where a conversation's code runs, and leaving it while its code runs on."""

from __future__ import annotations

import asyncio
import os
import shutil
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import RunRequest, place_of
from playhead.errors import ExecutionError, phrase

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel
    from playhead.execution.process_executor import ProcessExecutor


_LEFT = RunEnd(kind="other", words="it was left, and its code runs on there")


class FarSide:
    """The port to the machines where code runs, over the executor's connections to them."""

    def __init__(self, executor: ProcessExecutor) -> None:
        self._executor = executor
        self._copying = asyncio.Lock()

    async def put_file(
        self,
        conversation_id: str,
        interpreter: str,
        path: str,
        on_progress: Callable[[float], None],
    ) -> str:
        """Copy a file to where code runs with this interpreter; return its path over there.

        Raises ExecutionError.
        """
        place = place_of(interpreter)
        if place is None or not place.is_elsewhere:
            return path
        request = RunRequest(
            run_id=uuid.uuid4().hex,
            conversation_id=conversation_id,
            language=place.language,
            code="",
            folder=str(Path.home()),
            interpreter=interpreter,
        )
        kernel = await self._executor.kernel_for(request)
        await kernel.ready()
        name = os.path.basename(path)
        async with self._copy(kernel, name, on_progress):
            found = await kernel.questions.ask(dict, "put", None, path=path, name=name)
        return str(found.get("path") or "")

    async def fetch_file(self, conversation_id: str, path_there: str, target: str) -> str:
        """Copy a file from where the code runs to `target`; return the path of the copy.

        Raises ExecutionError.
        """
        kernel = next(iter(self._elsewhere(conversation_id)), None)
        if kernel is None or kernel.state == "none":
            raise ExecutionError(
                "There is no connection to where this code ran.",
                remedy="Run code there again, then open the file.",
            )
        spooled = uuid.uuid4().hex
        async with self._copy(kernel, os.path.basename(path_there), lambda part: None):
            await kernel.questions.ask(dict, "get", None, path=path_there, file=spooled)
            await asyncio.to_thread(shutil.move, kernel.spool_folder / spooled, target)
        return target

    async def leave(self, conversation_id: str) -> None:
        """Leave the kernels of a conversation that are elsewhere: their code runs on."""
        left = self._elsewhere(conversation_id)
        for kernel in left:
            kernel.end(_LEFT, leaves=True)
        for kernel in left:
            await kernel.ended()

    def _elsewhere(self, conversation_id: str) -> list[LiveKernel]:
        kernels = self._executor.kernels_of(conversation_id)
        return [kernel for kernel in kernels if kernel.link.is_elsewhere]

    @asynccontextmanager
    async def _copy(
        self, kernel: LiveKernel, name: str, on_progress: Callable[[float], None]
    ) -> AsyncGenerator[None]:
        """Report the progress of one copy; one at a time. Raises ExecutionError."""
        async with self._copying:
            kernel.link.on_progress = on_progress
            try:
                yield
            except ExecutionError as error:
                raise ExecutionError(
                    phrase("“{name}” could not be copied.", name=name),
                    detail=error.title,
                    remedy=error.remedy,
                ) from error
            except OSError as error:
                raise ExecutionError(
                    phrase("“{name}” could not be copied.", name=name),
                    detail=error.strerror or str(error),
                    remedy="Free some space on this computer, then try again.",
                ) from error
            finally:
                kernel.link.on_progress = _nothing


def _nothing(*_: Any) -> None:
    pass
