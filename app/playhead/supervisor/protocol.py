"""The protocol of a supervisor and the app: JSON objects, one a line, over a pair of sockets.

The app makes the pair, lets the supervisor inherit one end, and names its descriptor in the
variable `CONTROL`. The kernel closes it before it loads anything: code that runs has no way to it.
The end of the app's side is the command to end everything.

From the app, by their `t`:
    run      edge (a number): a block runs; what goes on from earlier ones is not reported meanwhile
    rest     edge: no block runs; what goes on nevertheless is reported from now on
    look     look (a number), also (the id of a language's program, 0 for none): the block has said
             that it is over, and it was not seen at once; answered by `rests` as soon as that is
             seen, and by `runs` first if it is not seen soon
    clear    since [start in ticks, id], spare (ids): kill what has been started since then
    begin    the kernel in its sandbox, of which `started` was the first word, may begin
    end      kill all descendants and exit

From the supervisor:
    started  pid (the kernel's), pipe, wake (the inodes of its standard output and of the pipe by
             which its main thread is woken): the first line, which the kernel's process writes
             itself before it is anything else; the supervisor does where it is in a sandbox
    rests    look: the kernel's main thread waits for its next command
    runs     look: it does not yet
    left     edge, main (whether the main thread computes, without a command), threads (the number
             of others that do), processes (the ids of those that do): between two runs, as long as
             any do, and once when none does any more
    family   pids [[id, start in ticks], …]: all descendants but the kernel, when that changes
    ended    all of them have been killed: the last line
"""

from __future__ import annotations

import json
from typing import Any, cast

CONTROL = "PLAYHEAD_CONTROL"
"""The variable with the descriptor; it is not passed on."""
LINE_LIMIT = 1 << 20


def encode(kind: str, **fields: Any) -> bytes:
    """Return a line."""
    return json.dumps({"t": kind, **fields}, separators=(",", ":")).encode("ascii") + b"\n"


class LineReader:
    """Splits what arrives into lines, however it is cut."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Return the objects that are complete; others are dropped."""
        *lines, self._held = (self._held + data).split(b"\n")
        if len(self._held) > LINE_LIMIT:
            self._held = b""
        return [found for line in lines if (found := _object(line)) is not None]


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
