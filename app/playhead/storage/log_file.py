"""The log: a rotating file with everything from INFO on, and stderr as far as was asked for."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

_LIMIT_BYTES, _KEPT = 2_000_000, 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class RotatedFile(logging.FileHandler):
    """A log file and the three before it; `logging.handlers` would load pickles and sockets."""

    def __init__(self, path: Path, limit_bytes: int = _LIMIT_BYTES) -> None:
        super().__init__(path, encoding="utf-8")
        self._path = path
        self._limit_bytes = limit_bytes

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; the next one into a new file if this has become too long."""
        super().emit(record)
        try:
            if self.stream and self.stream.tell() > self._limit_bytes:
                self.close()  # the next line opens it again
                self._rotate()
        except OSError:
            self.handleError(record)

    def _rotate(self) -> None:
        for number in range(_KEPT, 0, -1):
            if (before := self._numbered(number - 1)).exists():
                before.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def begin(folder: Path, stderr_level: str = "warning") -> None:
    """Log into `folder`/playhead.log; a log that cannot be written does not prevent the start."""
    root = logging.getLogger()
    root.setLevel(min(logging.INFO, getattr(logging, stderr_level.upper())))
    stderr = logging.StreamHandler()
    stderr.setLevel(stderr_level.upper())
    handlers: list[logging.Handler] = [stderr]
    try:
        handlers.append(RotatedFile(folder / "playhead.log"))
    except OSError as error:
        root.addHandler(stderr)
        root.warning("no log file: %s", error)
        return
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORMAT))
        root.addHandler(handler)


def log_age(moment: str) -> None:
    """Log how many milliseconds after its start the process has come to this moment."""
    logging.getLogger("playhead.startup").info("%s_ms=%.0f", moment, _process_age_ms())


def _process_age_ms() -> float:
    """Return the milliseconds since this process was started, or 0 if the system does not say."""
    try:
        with open("/proc/self/stat", encoding="ascii") as file:
            started_ticks = int(file.read().rpartition(")")[2].split()[19])
    except OSError:
        return 0.0
    return (
        time.clock_gettime(time.CLOCK_BOOTTIME) - started_ticks / os.sysconf("SC_CLK_TCK")
    ) * 1e3
