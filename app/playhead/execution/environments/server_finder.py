"""Asks a Jupyter server, a gateway or a Hub who it is, by a process of its own that ends then.

What makes the requests would be loaded into the window else, and a server can send anything.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any, Literal, cast

from playhead.domain.places import RunningKernel, ServerAnswer, ServerSpec
from playhead.domain.secret import Secret
from playhead.domain.text.json_text import read_json
from playhead.errors import ExecutionError
from playhead.execution import environment
from playhead.execution.environments.place_finder import canonical, plain_label

_LONGEST_LINE = 4_000_000
_LONGEST, _LONGEST_NAME = 600, 200


async def ask_server(
    address: str,
    token: Secret | None = None,
    on_progress: Callable[[str], None] = lambda words: None,
) -> ServerAnswer:
    """Return who answers at an address and what can run there. Raises ExecutionError.

    On a Hub the user's server is started where it does not run; what it says of that is given to
    `on_progress`.
    """
    process = await asyncio.create_subprocess_exec(
        *environment.inquiry_command(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment.kernel_environment("", os.environ),
        limit=_LONGEST_LINE,
    )
    asked = {"address": address, "token": token.reveal() if token else ""}
    try:
        if process.stdin is None or process.stdout is None:
            raise _no_answer()
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.close()
        return await _read(process.stdout, on_progress)
    except ValueError as error:  # a line that is too long, or says something else
        raise _no_answer() from error
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _read(lines: asyncio.StreamReader, on_progress: Callable[[str], None]) -> ServerAnswer:
    while line := await lines.readline():
        said: Any = read_json(line)
        if "progress" in said:
            on_progress(_words(said["progress"]))
        elif "error" in said:
            error = said["error"]
            raise ExecutionError(
                _words(error["title"]),
                detail=_words(error["detail"]),
                remedy=_words(error["remedy"]),
                code=str(error["code"]),
            )
        elif "answer" in said:
            return _answer_of(said["answer"])
    raise _no_answer()


def _answer_of(fields: dict[str, Any]) -> ServerAnswer:
    """Return what a server says of itself, as it can be shown."""
    kind: Literal["server", "hub", "gateway"] = "server"
    if fields["kind"] in ("hub", "gateway"):
        kind = fields["kind"]
    return ServerAnswer(
        kind=kind,
        title=plain_label(str(fields["title"])),
        address=str(fields["address"]),
        user=plain_label(str(fields["user"])),
        specs=tuple(
            ServerSpec(one["name"], plain_label(one["label"]) or one["name"], word)
            for one in cast("list[dict[str, str]]", fields["specs"])
            if (word := canonical(one["language"])) and _is_name(one["name"])
        ),
        running=tuple(
            RunningKernel(
                id=one["id"],
                spec=plain_label(one["spec"]),
                label=plain_label(one["label"]) or one["id"],
                language=canonical(one["language"]) or "python",
                notebook=plain_label(one["notebook"]),
                state=plain_label(one["state"]),
            )
            for one in cast("list[dict[str, str]]", fields["running"])
            if _is_name(one["id"])
        ),
    )


def _is_name(name: str) -> bool:
    """Return whether a server's name of something can be kept and shown as it is."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable()


def _words(given: Any) -> str:
    """Return words of a server as they can be shown."""
    return "".join(one for one in str(given)[:_LONGEST] if one.isprintable())


def _no_answer() -> ExecutionError:
    return ExecutionError(
        "The server could not be asked.", remedy="Try again, or look into the log."
    )
