"""The model worker's process and its pipes: questions go in, answers come out by turn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from playhead.errors import ProviderError
from playhead.model_worker.protocol import (
    MAX_LINE_BYTES,
    Cancelled,
    Deltas,
    Done,
    Failed,
    ModelList,
    ProtocolError,
    Ready,
    Retrying,
    ToWorker,
    decode,
    encode,
)

_LAST_LINES = 200
LOG_LIMIT_BYTES = 2_000_000
"""The log and the one before it, at most, are kept."""

CLOSE_S = 2.0
"""How long a worker may take to end when its stdin has ended."""

Answer = Deltas | Retrying | Done | Failed | Cancelled | ModelList

_log = logging.getLogger(__name__)
_SECRET_NAME = re.compile(
    r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|_API_BASE$|_BASE_URL$|^PLAYHEAD_|^LITELLM_"
)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|key|hf)[-_][\w-]{8,}|(?i:bearer\s+)\S+")


def worker_command() -> list[str]:
    """How the worker is started: from source, or by the frozen program's own flag."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--model-worker"]
    return [sys.executable, "-P", "-m", "playhead.model_worker"]


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without anything that could be a key; keys travel with each question."""
    kept = {name: value for name, value in environment.items() if not _SECRET_NAME.search(name)}
    kept["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    kept["PYTHONUNBUFFERED"] = "1"
    return kept


class WorkerProcess:
    """One running worker. The queue of a turn gets its answers, and None when the worker ends."""

    def __init__(self, process: Process, log_path: Path | None = None) -> None:
        self._process = process
        self._log_path = log_path
        self.last_lines = deque[str](maxlen=_LAST_LINES)
        """The end of what it has written to stderr, without keys."""
        self.is_unwanted = False
        """Whether its end is our doing."""
        self._turns: dict[str, asyncio.Queue[Answer | None]] = {}
        self._ready = asyncio.get_running_loop().create_future()
        self._reader = asyncio.create_task(self._read())
        self._logger = asyncio.create_task(self._log_stderr())

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], log_path: Path | None = None
    ) -> WorkerProcess:
        """Start a worker; it is usable when `ready` says so. Raises OSError."""
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment, limit=MAX_LINE_BYTES
        )
        return cls(process, log_path)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""
        return self._reader.done()

    async def ready(self) -> bool:
        """Wait until the worker is warm; False when it ended before."""
        return await asyncio.shield(self._ready)

    def open(self, turn: str) -> asyncio.Queue[Answer | None]:
        """The queue on which the answers of a turn will come."""
        queue = self._turns[turn] = asyncio.Queue[Answer | None]()
        if self.has_ended:
            queue.put_nowait(None)
        return queue

    def forget(self, turn: str) -> None:
        """Nobody waits for this turn any more."""
        self._turns.pop(turn, None)

    async def send(self, message: ToWorker) -> None:
        """Write a question; a worker that has just died shows in the turn's queue.

        Raises ProviderError where it is larger than the worker takes.
        """
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - it was started with a pipe
        line = encode(message)
        if len(line) > MAX_LINE_BYTES:
            raise _too_large(len(line))
        try:
            stdin.write(line)
            await stdin.drain()
        except ConnectionError:
            _log.info("The model worker %d takes no more questions", self.pid)

    async def close(self) -> None:
        """End the worker: by the end of its stdin, else by force."""
        self.is_unwanted = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        read, _ = await asyncio.wait((self._reader,), timeout=CLOSE_S)
        if not read:
            self.kill()
        await self.wait()

    def kill(self) -> None:
        """End it by force."""
        if self._process.returncode is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
            return
        # Not Process.kill: it asks for the exit status first, and when the worker has just ended
        # it takes that away from asyncio, which then reports 255 and complains.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)

    async def wait(self) -> int:
        """The exit status, once process and pipes have ended."""
        # Not gather: it would cancel the two with whoever waits, and fail all who ask after that.
        await asyncio.wait([self._reader, self._logger])
        return await self._process.wait()

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it was started with a pipe
        try:
            while line := await stdout.readline():
                self._dispatch(line)
        finally:
            if not self._ready.done():
                self._ready.set_result(False)
            for queue in self._turns.values():
                queue.put_nowait(None)

    def _dispatch(self, line: bytes) -> None:
        try:
            message = decode(line)
        except ProtocolError as error:
            _log.warning("%s", _KEY_LIKE.sub("…", str(error)))
            return
        if isinstance(message, Ready):
            if not self._ready.done():
                self._ready.set_result(True)
        elif isinstance(message, Answer) and message.turn in self._turns:
            self._turns[message.turn].put_nowait(message)

    async def _log_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - it was started with a pipe
        while line := await stderr.readline():
            text = _KEY_LIKE.sub("…", line.decode(errors="replace").rstrip())
            self.last_lines.append(text)
            if self._log_path is None:
                _log.info("model worker %d: %s", self.pid, text)
            else:
                await asyncio.to_thread(_append, self._log_path, text)


def _too_large(size: int) -> ProviderError:
    """In the word for a conversation that is too long: it is then tried with less of it."""
    return ProviderError(
        "The conversation is too large to be sent.",
        detail=f"It has {size / 1e6:,.0f} MB, most of it pictures perhaps.",
        remedy="Start a new conversation, or leave out pictures.",
        code="context_too_long",
    )


def _append(path: Path, text: str) -> None:
    try:
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")
    except OSError as error:
        _log.info("The model worker's log cannot be written: %s", error.strerror)
