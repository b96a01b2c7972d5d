"""The protocol of a supervisor and the app: JSON objects, one a line, over a pair of sockets.

The app makes the pair, lets the supervisor inherit one end, and names its descriptor in the
variable `CONTROL`. The kernel closes it before it loads anything: code that runs has no way to it.
The end of the app's side is the command to end everything.

A supervisor may be started before it is known what for. Then the first byte from the app comes with
the descriptor of a file: `[command, variables, folder]`, as `marshal` writes it.

From the app, by their `t`:
    run      edge (a number): a block runs; what goes on from earlier ones is not reported meanwhile
    rest     edge: no block runs; what goes on nevertheless is reported from now on
    look     look (a number), also (the id of a language's program, 0 for none): the block has said
             that it is over, and it was not seen at once; answered by `rests` as soon as that is
             seen, and by `runs` first if it is not seen soon
    clear    since [start in ticks, id], spare (ids): kill what has been started since then
    begin    the kernel in its sandbox, of which `started` was the first word, may begin
    give     ask (a number), network, hosts, mounts: what code in the sandbox may reach from now on,
             and nothing else; as in what its space is to be
    seen     ask: all that was refused until now is reported before this is answered
    end      kill all descendants and exit

From the supervisor:
    started  pid (the kernel's), pipe, wake (the inodes of its standard output and of the pipe by
             which its main thread is woken): the first line, which the kernel's process writes
             itself before it is anything else; the supervisor does where it is in a sandbox, with
             the steps that it has done for it; where it has a network of its own, a descriptor
             comes along which can be read once code has tried the network
    rests    look: the kernel's main thread waits for its next command
    runs     look: it does not yet
    left     edge, main (whether the main thread computes, without a command), threads (the number
             of others that do), processes (the ids of those that do): between two runs, as long as
             any do, and once when none does any more
    family   pids [[id, start in ticks], …]: all descendants but the kernel, when that changes
    answer   ask, problem: what was asked for has been done; `problem` says why not, "" if it was
    cleared  what was to be cleared is gone, or cannot be killed
    refused  places {"name:port": count}: connections of code that were refused
    shut     the gate has ended: there is no network any more
    ended    all of them have been killed: the last line

What the supervisor's space is to be, the second argument of the start of a sandbox, is `{}` where
it has none, else:
    staging  an empty folder, over which it mounts what only it and the sandbox see
    tops     names of folders of the root that the sandbox is to see from there
    network  off, listed or on; `hosts` (`name` or `name:port`) are what is listed
    mounts   [{path, kind: read, write or hide, root, inside, pinned, is_folder}]: what is to be
             seen at `inside` below a root that the sandbox sees
    outside  of tests: {names: {name: [addresses]}, ways: {"address:port": [address, port]}}
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONTROL = "PLAYHEAD_CONTROL"
"""The variable with the descriptor; it is not passed on."""
INSIDE = "--inside"
"""The first argument of a supervisor that starts a kernel in a sandbox; its command follows."""
AWAITED, SPACE = "@awaited", "@space"
"""In the place of that command: it comes later; with `SPACE` it will want a space, made ahead."""
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
        found: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if line.lstrip()[:1] == b"{" else None


_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LONGEST_NAME, _LAST_PORT = 253, 65535


def host_of(words: str) -> tuple[str, int]:
    """Return the name and the port of a place of the network; 0 for the usual ports.

    "" for what is no name of the internet: an address, a name without a dot, other signs.
    """
    name, colon, digits = words.lower().partition(":")
    name = name[:-1] if name.endswith(".") else name
    labels = name.split(".")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(_LAST_PORT))
    port = int(digits) if is_number else 0
    is_port = not colon or 0 < port <= _LAST_PORT
    is_name = len(labels) > 1 and len(name) <= _LONGEST_NAME and not _NUMBER.fullmatch(labels[-1])
    if words.isascii() and is_port and is_name and all(map(_LABEL.fullmatch, labels)):
        return name, port
    return "", 0
