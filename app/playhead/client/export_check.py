"""Checks an export from a program: `playhead replay` in a process of its own."""

from __future__ import annotations

import os
import subprocess
from typing import Any, Literal, cast

from playhead.client.server_process import own_command, server_environment
from playhead.domain.text.json_text import read_json
from playhead.errors import InterpreterError

_RESULTS = (0, 1)
"""The exit statuses of a check that has a result."""


def replay(
    file: str,
    *,
    environment: Literal["locked", "present"] = "locked",
    folder: str = "",
    writes_report: bool = False,
) -> dict[str, Any]:
    """Run an exported notebook, script or conversation again and return what differs.

    Calling it approves all code of the file, under the policy of the settings or of `PLAYHEAD_…`.
    The report is that of `playhead replay --json`: its `result` is "same" or "different".
    Raises InterpreterError if it could not be checked.
    """
    command = [*own_command(), "replay", os.path.abspath(file), "--yes", "--json"]
    command += ["--environment", environment]
    command += ["--folder", os.path.abspath(folder)] if folder else []
    command += ["--write-report"] if writes_report else []
    ended = subprocess.run(
        command,
        env=server_environment(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        told = cast("dict[str, Any]", read_json(ended.stdout))
    except ValueError:
        told = {}
    if ended.returncode not in _RESULTS or "result" not in told:
        words = str(told.get("error") or ended.stderr.strip()[-500:])
        code = str(told.get("code") or "internal_error")
        raise InterpreterError("The export could not be checked.", detail=words, code=code)
    return told
