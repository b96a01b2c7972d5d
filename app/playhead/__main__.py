"""The command `playhead`: reads the arguments and starts what they name; imports nothing heavy."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Mapping, Sequence

from playhead import __version__

OLDEST, NEXT = (3, 11), (3, 14)
KERNEL_FLAG, WORKER_FLAG = "--kernel", "--model-worker"


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the window, or one of the child processes when a flag names it; the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not OLDEST <= sys.version_info[:2] < NEXT:
        return _refuse(
            f"Playhead needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]}."
        )
    if given[:1] == [KERNEL_FLAG]:
        from playhead.kernel.boot import main as kernel

        return kernel(given[1:]) or 0
    if given[:1] == [WORKER_FLAG]:
        from playhead.model_worker.__main__ import main as worker

        return worker() or 0
    return _open_window(_parser().parse_args(given))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="playhead",
        description="A desktop code interpreter: ask a model, approve its code, watch it run.",
    )
    parser.add_argument("files", nargs="*", help="files or a folder to begin with")
    parser.add_argument("--version", action="version", version=f"Playhead {__version__}")
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=("debug", "info", "warning", "error"),
        help="what is also written to stderr (the log file has info and above)",
    )
    return parser


def _open_window(options: argparse.Namespace) -> int:
    if problem := display_problem(os.environ):
        return _refuse(problem)
    gc.disable()  # until the first paint: all of it stays, looking for garbage only takes time
    from playhead.bootstrap import run_window

    files = [os.path.abspath(path) for path in options.files]
    return run_window(files, options.log_level)


def display_problem(environment: Mapping[str, str]) -> str:
    """Why no window can open here, with the way out; empty if one can, as far as can be told.

    Qt ends the process with an abort when there is no display, so this is asked before Qt is.
    """
    if sys.platform in ("win32", "darwin") or environment.get("QT_QPA_PLATFORM"):
        return ""
    if environment.get("WAYLAND_DISPLAY"):
        return ""
    display = environment.get("DISPLAY", "")
    if not display:
        return (
            "There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).\n"
            "Start Playhead from a desktop session, over `ssh -X`, "
            "or on a virtual display: `xvfb-run -a make run`."
        )
    if not _answers(display):
        return (
            f"The display {display} does not answer.\n"
            "Check DISPLAY, start the X server, or use a virtual display: `xvfb-run -a make run`."
        )
    return ""


def _answers(display: str) -> bool:
    """Whether something listens at an X display's socket."""
    import socket

    host, colon, rest = display.rpartition(":")
    if not colon:
        return False  # no form of a display's name is without one
    number = rest.partition(".")[0]
    if not number.isdigit() or host.startswith("/"):
        return True  # a form that only the X library knows: let it judge
    try:
        if host in ("", "unix"):
            return _unix_answers(f"/tmp/.X11-unix/X{number}")  # noqa: S108 - X's own fixed place
        socket.create_connection((host, 6000 + int(number)), timeout=3).close()
    except OSError:
        return False
    return True


def _unix_answers(path: str) -> bool:
    import socket

    # X servers listen in the abstract namespace as well; a container may see only one of them.
    for address in ("\0" + path, path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(address)
            except OSError:
                continue
            return True
    return False


def _refuse(problem: str) -> int:
    print(problem, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
