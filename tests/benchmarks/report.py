"""Events of a measured process, as lines that its parent reads."""

from __future__ import annotations

import json
import time
from typing import Any


def report(event: str, **values: Any) -> None:
    """One line for the parent: when it was, and the CPU of process and thread by then."""
    moment = {"at": time.monotonic(), "cpu_s": time.process_time(), "thread_s": time.thread_time()}
    print(json.dumps({"event": event, **moment, **values}), flush=True)
