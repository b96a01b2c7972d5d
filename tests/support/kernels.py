"""Executors and runs for tests that want real kernels."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import CodeError, RunReport
from playhead.domain.execution import RunRequest
from playhead.execution.far_link import TokenOf
from playhead.execution.keeping.variable_keeper import VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.session.code_ports import Executor


@asynccontextmanager
async def executor(
    folder: Path, keeper: VariableKeeper | None = None, token_of: TokenOf | None = None
) -> AsyncGenerator[ProcessExecutor]:
    """An executor whose kernels end with the block."""
    made = ProcessExecutor(folder / "output", keeper=keeper, token_of=token_of)
    _: Executor = made  # the type checker compares it with the port
    try:
        yield made
    finally:
        await made.close()


def request(folder: Path, code: str, run_id: str = "run-1", grace_s: float = 2.0) -> RunRequest:
    """A run of Python in the one conversation of these tests."""
    return RunRequest(
        run_id=run_id,
        conversation_id="conversation",
        language="python",
        code=code,
        folder=str(folder),
        interpreter=sys.executable,
        stop_grace_s=grace_s,
    )


async def run(made: ProcessExecutor, wanted: RunRequest) -> list[Chunk]:
    """All chunks of a run."""
    async with aclosing(made.run(wanted)) as stream:
        return [chunk async for chunk in stream]


def text_of(chunks: list[Chunk]) -> str:
    """The output of a run."""
    return "".join(str(chunk.content) for chunk in chunks if chunk.format == "output")


def lines_of(chunks: list[Chunk]) -> list[object]:
    """The lines that were lit."""
    return [chunk.content for chunk in chunks if chunk.format == "active_line"]


def report_of(chunks: list[Chunk]) -> RunReport:
    """How a run ended."""
    content = chunks[-1].content
    assert isinstance(content, RunReport)
    return content


def error_of(chunks: list[Chunk]) -> CodeError | None:
    """What a run's code raised."""
    return next((c.content for c in chunks if isinstance(c.content, CodeError)), None)
