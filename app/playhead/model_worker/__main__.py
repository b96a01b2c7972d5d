"""Runs the model worker: questions on stdin, answers on stdout, ends with its stdin."""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from playhead.model_worker.protocol import (
    Ask,
    FromWorker,
    ListModels,
    ProtocolError,
    Ready,
    decode,
    write,
)
from playhead.model_worker.redaction import RedactedLog, secrets_of

if TYPE_CHECKING:
    from playhead.model_worker.connections import Connections
    from playhead.model_worker.dispatcher import Dispatcher, Lane

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4


LITELLM = "litellm"
"""The argument for the lane of litellm; without it the worker asks by HTTP itself."""


def main(arguments: Sequence[str] = ()) -> int:
    """Serve until stdin ends."""
    _settle_in()
    answers = _private_stdout()
    has_litellm = LITELLM in arguments
    if has_litellm:
        _quiet_litellm()
    with suppress(BrokenPipeError):  # the app is gone
        asyncio.run(_serve(answers, has_litellm=has_litellm))
    os._exit(0)  # litellm's threads would hold the process up


def _settle_in() -> None:
    """End with the app, hide the memory from other processes, leave Ctrl+C to the app."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable()  # into our stderr, of which the app keeps the end
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _private_stdout() -> BinaryIO:
    """Return the pipe to the app and redirect stdout to stderr: litellm prints advice to stdout."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _quiet_litellm() -> None:
    """Configure litellm before its import: no network price list, no .env files, no logs."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    os.environ["LITELLM_LOG"] = "ERROR"
    os.environ["LITELLM_TELEMETRY"] = "False"


async def _serve(answers: BinaryIO, *, has_litellm: bool) -> None:
    send = partial(write, answers)
    log = RedactedLog(sys.stderr)
    sys.stderr = log
    questions = _questions()
    turns = await _turns(send, has_litellm=has_litellm)
    send(Ready())
    gc.collect()
    # A full collection over litellm's 400,000 objects takes 350-800 ms; frozen ones are skipped.
    gc.freeze()
    while True:
        try:
            message = decode(await questions.get())
            if isinstance(message, Ask | ListModels):
                log.know(secrets_of(message))
            turns.handle(message)
        except ProtocolError as error:
            print(error, file=sys.stderr)  # noqa: T201 - the app logs it


def _questions() -> asyncio.Queue[bytes]:
    """Return the queue of questions, which a thread reads: it ends the process with its stdin.

    The loop would notice that only after the import of litellm, which takes seconds.
    """
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue[bytes]()

    def read() -> None:
        with suppress(OSError, RuntimeError):  # the pipe or the loop is closed
            while line := sys.stdin.buffer.readline():
                loop.call_soon_threadsafe(queue.put_nowait, line)
        os._exit(0)  # litellm's threads would hold the process up

    threading.Thread(target=read, name="questions", daemon=True).start()
    return queue


async def _turns(send: Callable[[FromWorker], None], *, has_litellm: bool) -> Dispatcher:
    """Import what asks models, and answer through it."""
    # httpx has a command line, with click and rich: half of what its import takes.
    sys.modules["httpx._main"] = None  # pyright: ignore[reportArgumentType] - it is refused then
    from playhead.model_worker.connections import Connections
    from playhead.model_worker.dispatcher import Dispatcher, ModelClient

    connections = Connections()
    if has_litellm:
        lane = await _litellm_lane(connections)
    else:
        from playhead.model_worker.http_lane.http_stream import HttpStream

        lane = HttpStream(connections)
    return Dispatcher(ModelClient(lane, connections), send)


async def _litellm_lane(connections: Connections) -> Lane:
    """Import litellm (seconds), and pay for its first request."""
    import litellm

    from playhead.model_worker.litellm_lane.litellm_stream import LitellmStream

    litellm.suppress_debug_info = True
    lane = LitellmStream(connections)
    await lane.warm()
    return lane


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
