"""Runs the undo worker: requests on stdin, answers on stdout, ends with its stdin."""

from __future__ import annotations

import gc
import os
import selectors
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from playhead.undo_worker.desk import Desk
from playhead.undo_worker.protocol import decode, encode

_READ_BYTES = 1 << 20


def main() -> int:
    """Serve until stdin ends; the arguments are the folder of the contents and our own folder."""
    _settle_in()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    desk = Desk(Path(sys.argv[-2]), sys.argv[-1])
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for line in _lines(desk):
            request = decode(line)
            try:
                answer = desk.answer(request)
            except Exception:  # noqa: BLE001 - one request that fails ends nothing
                detail = traceback.format_exc()
                answer = {"number": request.get("number"), "error": "bug", "detail": detail}
            answers.write(encode(answer))
            answers.flush()
    desk.close()
    return 0


def _settle_in() -> None:
    """Ignore the terminal's interrupt, which is the app's, and have enough descriptors.

    Hundreds of thousands of entries without cycles would be searched for cycles again and again.
    """
    gc.set_threshold(200_000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _lines(desk: Desk) -> Iterator[bytes]:
    """Yield the lines of stdin; while there is none, what can wait is done."""
    held = b""
    with selectors.DefaultSelector() as selector:
        if sys.platform != "win32":
            selector.register(0, selectors.EVENT_READ)
        has_more = True
        while True:
            *lines, held = held.split(b"\n")
            for line in lines:
                yield line
                has_more = True
            if sys.platform != "win32" and has_more and not selector.select(0):
                has_more = desk.work_on()
                continue
            data = os.read(0, _READ_BYTES)
            if not data:
                return
            held += data


if __name__ == "__main__":
    sys.exit(main())
