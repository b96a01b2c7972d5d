"""Has this process note what goes wrong in it, from its start to its end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from playhead.errors import AppError
from playhead.storage import paths
from playhead.storage.crash_reports import CrashWatch


@contextmanager
def crashes_noted(program: str) -> Generator[CrashWatch]:
    """`program` is what a report calls the process. Errors that end it are noted and go on."""
    watch = CrashWatch(paths.crashes_dir(), program)
    watch.begin()
    try:
        yield watch
    except AppError:  # the world's doing, and said
        raise
    except Exception as error:
        watch.note(error)
        raise
    finally:
        watch.end()


@contextmanager
def errors_noted(watch: CrashWatch) -> Generator[None]:
    """Note what nobody catches in the loop's tasks and in threads; it is told as ever."""
    loop = asyncio.get_running_loop()
    told_of_threads = threading.excepthook

    def on_loop_failure(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            watch.note(error)
        loop.default_exception_handler(context)

    def on_thread_failure(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            watch.note(args.exc_value)
        told_of_threads(args)

    loop.set_exception_handler(on_loop_failure)
    threading.excepthook = on_thread_failure
    try:
        yield
    finally:
        loop.set_exception_handler(None)
        threading.excepthook = told_of_threads
