"""Files to and from where a conversation's code runs, and leaving it while its code runs on."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from playhead.atomic_file import read_plain
from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import RunRequest, place_of
from playhead.domain.text.json_text import read_json
from playhead.errors import ExecutionError, phrase
from playhead.execution.machines.place_questions import PlaceQuestions
from playhead.execution.run_output import file_name

if TYPE_CHECKING:
    from playhead.execution.live_kernel import LiveKernel


_LONGEST_PATH = 4096
_LEFT = RunEnd(kind="other", words="it was left, and its code runs on there")


_FILE_LIMIT = 20_000

Facts = dict[str, str | int]
_OFFSET = "offset"
"""It changes while output comes; from an older one on some of it comes again."""


class LeftKernels:
    """Knows the kernels that were left, by conversation and language; files outlive the program."""

    def __init__(self, output_dir: Path) -> None:
        self._output_dir = output_dir
        self._known: dict[tuple[str, str], tuple[str, Facts]] = {}

    def facts(self, key: tuple[str, str], interpreter: str) -> Facts:
        """Return what is known of the kernel at a place; {} if no kernel is known there."""
        if key not in self._known:
            self._known[key] = self._read(key)
        place, facts = self._known[key]
        return facts if place == interpreter else {}

    def put(self, key: tuple[str, str], interpreter: str, facts: Facts) -> None:
        """Take what a place worker says now; {} once its kernel has ended."""
        before, self._known[key] = self._known.get(key), (interpreter, dict(facts))
        if (
            before is not None
            and before[0] == interpreter
            and _lasting(before[1]) == _lasting(facts)
        ):
            return
        path = self._path(key)
        with suppress(OSError):  # a full disk: it is known as long as the program runs
            if not facts:
                path.unlink(missing_ok=True)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            data = json.dumps({"interpreter": interpreter, "facts": facts}).encode("ascii")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(data)

    def _read(self, key: tuple[str, str]) -> tuple[str, Facts]:
        try:
            found: Any = read_json(read_plain(self._path(key), _FILE_LIMIT) or b"")
            given = cast("Mapping[str, Any]", found["facts"])
            return str(found["interpreter"]), {
                name: one for name, one in given.items() if isinstance(one, str | int)
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return "", {}

    def _path(self, key: tuple[str, str]) -> Path:
        conversation, language = key
        return self._output_dir / file_name(conversation) / f"left-{file_name(language)}.json"


def _lasting(facts: Facts) -> Facts:
    return {name: one for name, one in facts.items() if name != _OFFSET}


class FarSide:
    """The port to the machines where code runs, over an executor's connections to them.

    `kernel_for` starts the kernel of a run if need be, `kernels_of` has those of a conversation.
    """

    def __init__(
        self,
        kernel_for: Callable[[RunRequest], Awaitable[LiveKernel]],
        kernels_of: Callable[[str], list[LiveKernel]],
        output_dir: Path,
    ) -> None:
        self._kernel_for = kernel_for
        self._kernels_of = kernels_of
        self.questions = PlaceQuestions()
        self.left = LeftKernels(output_dir)
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
        kernel = await self._kernel_for(request)
        await kernel.ready()
        name = os.path.basename(path)
        async with self._copy(kernel, name, on_progress):
            found = await kernel.questions.ask(dict, "put", None, path=path, name=name)
        path_there = str(found.get("path") or "")[:_LONGEST_PATH]
        return "".join(one for one in path_there if one.isprintable())

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
        kernels = self._kernels_of(conversation_id)
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
