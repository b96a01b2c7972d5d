"""Blocks on real kernels."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from playhead.conversation.chunk import Chunk
from playhead.conversation.payloads import RunReport
from playhead.conversation.requests import RunRequest
from playhead.execution.process_executor import ProcessExecutor


def request(folder: Path, code: str, run_id: str = "run-1") -> RunRequest:
    return RunRequest(run_id, "conversation", "python", code, str(folder), sys.executable)


@asynccontextmanager
async def executor(folder: Path) -> AsyncGenerator[ProcessExecutor]:
    made = ProcessExecutor(folder / "output")
    try:
        yield made
    finally:
        await made.close()


async def chunks_of(made: ProcessExecutor, wanted: RunRequest) -> list[Chunk]:
    async with aclosing(made.run(wanted)) as stream:
        return [chunk async for chunk in stream]


def text_of(chunks: list[Chunk]) -> str:
    return "".join(str(chunk.content) for chunk in chunks if chunk.format == "output")


def report_of(chunks: list[Chunk]) -> RunReport:
    content = chunks[-1].content
    assert isinstance(content, RunReport)
    return content


async def test_the_dialogue_comes_out_chunk_for_chunk(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await chunks_of(made, request(tmp_path, "34 / 24"))
    core = [chunk for chunk in chunks if chunk.type not in {"run", "timing"}]
    assert core == [
        Chunk("computer", "console", start=True, id="run-1"),
        Chunk("computer", "console", "active_line", 1),
        Chunk("computer", "console", "output", "1.4166666666666667\n"),
        Chunk("computer", "console", "active_line", None),
        Chunk("computer", "console", end=True),
    ]
