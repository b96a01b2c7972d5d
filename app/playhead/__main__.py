"""The command `playhead`: reads the arguments and starts what they name; imports nothing heavy."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from playhead import __version__

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping, Sequence

OLDEST, NEXT = (3, 11), (3, 15)
"""The minimum version, as in `requires-python` in pyproject.toml."""
KERNEL_FLAG, WORKER_FLAG, CODE_FLAG = "--kernel", "--model-worker", "--code-worker"
UNDO_FLAG, PLACE_FLAG, CARRIER_FLAG = "--undo-worker", "--place-worker", "--carrier"
DATA_DIR_FLAG = "--data-dir"
_LOG_LEVEL = "warning"
_POLICY_VARIABLES = ("PLAYHEAD_SANDBOX", "PLAYHEAD_NETWORK", "PLAYHEAD_ASK", "PLAYHEAD_REVIEW")
ALLOW_ACCESS = "PLAYHEAD_ALLOW_ACCESS"
ALLOW_ACCESS_HELP = (
    "let code reach your display, your desktop, your agent (for SSH), or get the secrets of the "
    "environment; may be repeated"
)
_DATA_DIR_HELP = "keep everything below this folder, as on a stick (keys stay in the keyring)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the window, or one of the child processes when a flag names it; the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if problem := python_problem(sys.version_info[:2]):
        return _refuse(problem)
    if (status := _child_status(given)) is not None:
        return status
    try:
        given = _settled(given)
    except OSError as error:
        return _refuse(f"The data folder cannot be used: {error}")
    if given[:1] == ["serve"]:
        return _serve(given[1:])
    if given[:1] == ["chat"]:
        return _chat(given[1:])
    if given[:1] == ["replay"]:
        return _replay(given[1:])
    return _open_window(given)


def _child_status(given: list[str]) -> int | None:
    """Serve as the child process that the first argument names; return its status, else None."""
    if given[:1] == [KERNEL_FLAG]:
        if given[1:2] == ["--attempts"]:
            from playhead.sandbox.attempts import main as attempts

            return attempts()
        from playhead.kernel.boot import INSIDE
        from playhead.kernel.boot import main as kernel
        from playhead.supervisor.boot import main as supervised

        if given[1:2] == [INSIDE] and given[2:3] and "," in given[2]:
            return kernel(given[1:]) or 0
        return supervised(kernel, given[2:] if given[1:2] == [INSIDE] else None) or 0
    if given[:1] == [PLACE_FLAG]:
        return _place_worker(given[1:])
    if given[:1] == [CARRIER_FLAG]:
        from playhead.place_worker.carrier.boot import main as carrier

        return carrier()
    if given[:1] == [WORKER_FLAG]:
        from playhead.model_worker.__main__ import main as worker

        return worker(given[1:]) or 0
    if given[:1] == [CODE_FLAG]:
        from playhead.code_worker.__main__ import main as code_worker

        return code_worker() or 0
    if given[:1] == [UNDO_FLAG]:
        from playhead.undo_worker.__main__ import main as undo_worker

        return undo_worker()
    return None


def _place_worker(given: list[str]) -> int:
    """Serve as a place worker, inside a sandbox already or below a supervisor of its own."""
    from playhead.kernel.boot import INSIDE
    from playhead.place_worker.boot import ASK
    from playhead.place_worker.boot import main as place_worker
    from playhead.supervisor.boot import main as supervised

    is_alone = given[:1] in ([INSIDE], [ASK])
    return place_worker(given) if is_alone else supervised(place_worker) or 0


def python_problem(version: tuple[int, int]) -> str:
    """Return why this version of Python does not do, with the way out; empty if it does."""
    if OLDEST <= version < NEXT:
        return ""
    newest = f"{NEXT[0]}.{NEXT[1] - 1}"
    needs = "Playhead needs Python {}.{} to {}; this is {}.{}.".format(*OLDEST, newest, *version)
    if version >= NEXT:
        needs += (
            "\nPySide6 6.11 and litellm, which it is built on, have no release for this one yet."
        )
    return (
        f"{needs}\nInstall one of these beside it "
        f"(Debian, Ubuntu: such as sudo apt install python{newest}-venv; else python.org)\n"
        f"and name it once: make run PYTHON=python{newest}"
    )


def _settled(arguments: Sequence[str]) -> list[str]:
    """Apply the data folder and return the arguments without it. Raises OSError."""
    rest: list[str] = []
    following = iter(arguments)
    for argument in following:
        name, equals, folder = argument.partition("=")
        if argument == "--":
            return [*rest, argument, *following]
        if name != DATA_DIR_FLAG:
            rest.append(argument)
        elif folder := folder if equals else next(following, ""):
            from playhead.storage import paths

            paths.use_data_dir(folder)
        else:
            rest.append(DATA_DIR_FLAG)  # the full parser reports a missing folder
    return rest


def _serve(arguments: Sequence[str]) -> int:
    """Run `playhead serve`: the sessions for other programs, without a window."""
    options = _serve_parser().parse_args(arguments)
    if options.stdio:  # somebody waits for the first answer
        from playhead.bootstrap.import_cost import leave_sources_unread, leave_tls_out_of_asyncio
        from playhead.providers.worker_start import start_early

        start_early()
        leave_tls_out_of_asyncio()
        leave_sources_unread()
    from playhead.bootstrap.headless import ServeOptions, run_server, run_stdio
    from playhead.domain.access import accesses_of
    from playhead.domain.policy_options import policy_wish

    given = [*options.key_route, *os.environ.get("PLAYHEAD_KEY_ROUTE", "").split(",")]
    key_routes = tuple(filter(None, (digest.strip() for digest in given)))
    wanted = [*options.allow_access, *os.environ.get(ALLOW_ACCESS, "").split(",")]
    try:
        allowed = accesses_of(wanted)
        policy = policy_wish(options, os.environ)
    except ValueError as error:
        return _refuse(str(error))
    if options.stdio:
        return run_stdio(
            ServeOptions(
                allowed=allowed,
                key_routes=key_routes,
                policy=policy,
                log_level=options.log_level,
            )
        )
    return run_server(
        ServeOptions(
            host=options.host,
            port=options.port,
            model=options.model,
            api_base=options.api_base,
            folder=os.path.abspath(options.working_dir) if options.working_dir else None,
            allows_auto_run=options.allow_auto_run,
            allows_policy=options.allow_policy,
            limits_rate=not options.no_rate_limit,
            max_messages=options.max_messages,
            allowed_hosts=tuple(options.allowed_host),
            tls_cert=options.tls_cert,
            tls_key=options.tls_key,
            allowed=allowed,
            key_routes=key_routes,
            policy=policy,
            log_level=options.log_level,
        )
    )


def _serve_parser() -> ArgumentParser:
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="playhead serve",
        description="Serve the interpreter to other programs over HTTP; no display is needed.",
        epilog="PLAYHEAD_TOKEN is the token that clients present (else one is made and printed to "
        "stderr), PLAYHEAD_PROVIDER_KEY the key of the model's provider.",
    )
    add = parser.add_argument
    add("--stdio", action="store_true", help="speak over standard input and output instead")
    add("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    add("--port", type=_port, default=5001, help="port to listen on; 0 takes a free one")
    add("--model", metavar="M", help="such as openai/gpt-5; playhead/direct asks no model")
    add("--api-base", metavar="URL", help="address of the model's server")
    add(
        "--working-dir",
        metavar="DIR",
        help="where code runs (default: as set, else here)",
    )
    add(DATA_DIR_FLAG, metavar="DIR", help=_DATA_DIR_HELP)
    add("--allow-auto-run", action="store_true", help="let clients have code run without asking")
    add("--allow-policy", action="store_true", help="let clients choose what their code may do")
    add("--allow-access", metavar="KIND", action="append", default=[], help=ALLOW_ACCESS_HELP)
    _add_policy(parser)
    add(
        "--key-route",
        metavar="DIGEST",
        action="append",
        default=[],
        help="confirm the changed way of a key that an error has named by this word",
    )
    add("--no-rate-limit", action="store_true", help="take any number of requests a minute")
    add("--max-messages", type=_count, metavar="N", help="most messages in a request (10000)")
    add("--allowed-host", metavar="H", action="append", default=[], help="a name it is reached by")
    add("--tls-cert", metavar="F", default="", help="PEM file of the certificate")
    add("--tls-key", metavar="F", default="", help="PEM file of its key")
    _add_log_level(parser)
    return parser


def _add_policy(parser: ArgumentParser) -> None:
    from playhead.domain.policy_options import add_policy_options

    add_policy_options(parser.add_argument)


def _count(text: str) -> int:
    """Return the text as a number from 1 on. Raises ValueError, whose text argparse words."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _port(text: str) -> int:
    """Return the text as a port number. Raises ValueError, whose text argparse words."""
    number = int(text)
    if not 0 <= number <= 65535:
        raise ValueError(text)
    return number


def _chat(arguments: Sequence[str], in_place_of: str = "") -> int:
    """Run `playhead chat`: the interpreter in a terminal."""
    from playhead.terminal import main as terminal

    return terminal(arguments, in_place_of)


def _replay(arguments: Sequence[str]) -> int:
    """Run `playhead replay`: an export from the top, compared with what it records."""
    options = _replay_parser().parse_args(arguments)
    from playhead.bootstrap.replay import ReplayOptions, run_replay
    from playhead.domain.policy_options import policy_wish

    try:
        policy = policy_wish(options, os.environ)
    except ValueError as error:
        return _refuse(str(error))
    return run_replay(
        ReplayOptions(
            file=os.path.abspath(options.file),
            folder=os.path.abspath(options.folder or os.path.dirname(options.file)),
            interpreter=options.python and os.path.abspath(options.python),
            environment=options.environment,
            is_json=options.json,
            is_approved=options.yes,
            writes_report=options.write_report,
            policy=policy,
            log_level=options.log_level,
        )
    )


def _replay_parser() -> ArgumentParser:
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="playhead replay",
        description="Run an exported notebook, script or conversation from the top, in an empty "
        "copy of its inputs with the recorded versions of its packages, and compare all that comes "
        "out with what is recorded. No model is asked.",
        epilog="exit status: 0 the same, 1 different, 2 wrong usage, 3 nobody approved the code, "
        "4 it could not be checked or its report not written, 130 stopped.",
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="a notebook (.ipynb), a script (.py) or messages (.json)")
    add("--yes", action="store_true", help="run the code of the file without asking")
    add("--json", action="store_true", help="print the report as one line of JSON")
    add("--folder", metavar="D", default="", help="where its inputs are (default: beside it)")
    add(
        "--environment",
        choices=("locked", "present"),
        default="locked",
        help="make one with the recorded versions (default), or take the present one",
    )
    add("--python", metavar="P", default="", help="the Python to run it with, or to make one from")
    add("--write-report", action="store_true", help="write the report into the file")
    add(DATA_DIR_FLAG, metavar="DIR", help=_DATA_DIR_HELP)
    _add_policy(parser)
    _add_log_level(parser)
    return parser


def _parser() -> ArgumentParser:
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="playhead",
        description="A desktop code interpreter: ask a model, approve its code, watch it run.",
        epilog="playhead chat: the same in a terminal. playhead serve: for other programs. "
        "playhead replay: checks an export. Each has its own --help.",
    )
    parser.add_argument("files", nargs="*", help="files or a folder to begin with")
    parser.add_argument(DATA_DIR_FLAG, metavar="DIR", help=_DATA_DIR_HELP)
    parser.add_argument("--version", action="version", version=f"Playhead {__version__}")
    _add_policy(parser)
    _add_log_level(parser)
    return parser


def _add_log_level(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--log-level",
        default=_LOG_LEVEL,
        choices=("debug", "info", "warning", "error"),
        help="what is also written to stderr (the log file has info and above)",
    )


def _open_window(arguments: Sequence[str]) -> int:
    if problem := display_problem(os.environ):
        return _chat_instead(arguments, problem)
    files: list[str] = []
    log_level = _LOG_LEVEL
    options = None
    if arguments:  # a start from the menu gives none
        options = _parser().parse_args(arguments)
        files, log_level = [os.path.abspath(path) for path in options.files], options.log_level
    gc.disable()  # until the first paint: all of it stays, looking for garbage only takes time
    from playhead.bootstrap import import_cost

    import_cost.import_seldom_used_late()
    import_cost.leave_openssl_out_of_hashlib()
    import_cost.leave_extensions_out_of_msgspec()
    import_cost.make_enums_late()
    import_cost.leave_sources_unread()
    if problem := _keep_policy(options):
        return _refuse(problem)
    from playhead.bootstrap.window import run_window

    return run_window(files, log_level)


def _keep_policy(options: object) -> str:
    """Keep what the options and the variables choose of a policy; return what is wrong, or ''."""
    if options is None and not any(name in os.environ for name in _POLICY_VARIABLES):
        return ""
    from playhead.domain.policy_options import keep_policy, policy_wish

    try:
        policy_wish(options, os.environ)
    except ValueError as error:
        return str(error)
    keep_policy(options, os.environ)
    return ""


def _chat_instead(arguments: Sequence[str], problem: str) -> int:
    """Chat in the terminal because no window can open; it accepts its own arguments as well."""
    from argparse import ArgumentParser

    windows_own = ArgumentParser(add_help=False, allow_abbrev=False)
    _add_log_level(windows_own)
    _, rest = windows_own.parse_known_args(arguments)
    if {"-h", "--help", "--version"} & set(rest):
        _parser().parse_known_args(rest)
    print(problem, file=sys.stderr)
    print("Starting `playhead chat` in this terminal instead.", file=sys.stderr)
    return _chat(rest, in_place_of=_own_command())


def display_problem(environment: Mapping[str, str]) -> str:
    """Return why no window can open here and what to do; '' if one can, as far as is known.

    Qt aborts the process when there is no display, so this is checked before Qt is loaded.
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
            f"or on a virtual display: `xvfb-run -a {_own_command()}`."
        )
    if not _answers(display):
        return (
            f"The display {display} does not answer.\n"
            "Check DISPLAY, start the X server, or use a virtual display: "
            f"`xvfb-run -a {_own_command()}`."
        )
    return ""


def _own_command() -> str:
    """Return what the user has typed to start this."""
    return "make run" if "MAKELEVEL" in os.environ else "playhead"


def _answers(display: str) -> bool:
    """Return whether something listens at an X display's socket."""
    import socket

    host, colon, rest = display.rpartition(":")
    if not colon:
        return False  # no form of a display's name is without one
    number = rest.partition(".")[0]
    if not number.isdigit() or host.startswith("/"):
        return True  # a form that only the X library knows: leave it to the library
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
