"""Build the command and the clean environment with which a kernel is started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Mapping
from importlib.util import cache_from_source
from pathlib import Path

from playhead.domain.access import ACCESSES, Access, names_of, names_way, without_login
from playhead.execution.login_path import find_program
from playhead.kernel import protocol
from playhead.supervisor import protocol as supervisor
from playhead.supervisor.protocol import AWAITED, INSIDE, SPACE

KERNEL_FLAG, PLACE_FLAG, CARRIER_FLAG = "--kernel", "--place-worker", "--carrier"
"""The flags by which the packaged program serves as a kernel, a place worker and a carrier."""
BOOT = Path(protocol.__file__).with_name("boot.py")
PLACE_BOOT = BOOT.parent.parent / "place_worker" / "boot.py"
CARRIER_BOOT = PLACE_BOOT.parent / "carrier" / "boot.py"
SUPERVISOR = Path(supervisor.__file__).with_name("boot.py")
OWN_FOLDER = os.path.dirname(os.path.abspath(sys.executable))
"""Where programs start that are not to read the files of a working folder, as pyenv and uv do."""

_CLEANED = frozenset({"PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONEXECUTABLE"})
_CLEANED_PREFIXES = ("QT_", "QML", "QTDIR", "_PYI_", "_MEIPASS", "PYINSTALLER_", "PYSIDE_")
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def compile_ahead(folder: Path = BOOT.parent) -> None:
    """Write the byte code of kernels, in a process of its own; it blocks until that has ended.

    A kernel in a sandbox cannot write it, and would compile all that it loads at each start.
    """
    if getattr(sys, "frozen", False) or sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return
    if not all(map(_is_compiled, folder.rglob("*.py"))):
        command = [sys.executable, "-I", "-S", "-m", "compileall", "-qq", str(folder)]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False)


def _is_compiled(path: Path) -> bool:
    try:
        return os.stat(cache_from_source(path)).st_mtime >= path.stat().st_mtime
    except OSError:
        return False


def is_bundled(interpreter: str) -> bool:
    """Return whether the interpreter is the packaged program, used if no other Python exists."""
    return getattr(sys, "frozen", False) is True and interpreter == sys.executable


def uv_program() -> str:
    """Return the path of uv, which makes environments and installs into them; "" without it.

    The bundle has its own, an installation by a Python package manager has the package's.
    """
    if getattr(sys, "frozen", False):
        return find_program("uv", str(getattr(sys, "_MEIPASS", ""))) or find_program("uv")
    try:
        from uv import find_uv_bin  # not needed for the first paint

        return find_uv_bin()
    except (ImportError, FileNotFoundError):  # no such package, or none for this machine
        return find_program("uv")


def place_command(*, is_inside: bool = False) -> list[str]:
    """Return the program and arguments that start a place worker, which needs our own packages.

    Inside a sandbox they are those of the worker alone, else with its supervisor.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, PLACE_FLAG]
    supervised = () if is_inside else (str(SUPERVISOR),)
    return [sys.executable, "-I", "-u", *supervised, str(PLACE_BOOT)]


def inquiry_command() -> list[str]:
    """Return the program and arguments that ask a Jupyter server who it is."""
    if getattr(sys, "frozen", False):
        return [sys.executable, PLACE_FLAG, "--ask"]
    return [sys.executable, "-I", "-u", str(PLACE_BOOT), "--ask"]


def carrier_command() -> list[str]:
    """Return the program and arguments that start what carries a kernel of another machine."""
    if getattr(sys, "frozen", False):
        return [sys.executable, CARRIER_FLAG]
    return [sys.executable, "-I", "-S", "-u", str(CARRIER_BOOT)]


def environment_at(
    kind: str,
    program: str,
    base: Mapping[str, str],
    drop: Collection[str],
    allowed: Collection[Access],
) -> dict[str, str]:
    """Return the environment at a kind of place; "" is a kernel of ours on this computer.

    A carrier gets all, so that its ssh is as at a terminal: code runs in the one over there.
    """
    is_carried = kind in ("ssh", "container")
    variables = kernel_environment(program, base, drop, ACCESSES if is_carried else allowed)
    if not kind:
        return variables
    del variables["MPLBACKEND"]  # a kernel of Jupyter has its own way to show figures
    return variables


def kernel_command(interpreter: str, language: str = "python") -> list[str]:
    """Return the program and arguments that start a kernel; for Python with this interpreter.

    Kernels of other languages run in our own Python, never in the user's.
    """
    if getattr(sys, "frozen", False) and (language != "python" or is_bundled(interpreter)):
        return [sys.executable, KERNEL_FLAG]
    if language == "python":
        return [interpreter, "-u", str(SUPERVISOR), str(BOOT)]
    return [sys.executable, "-I", "-S", "-u", str(SUPERVISOR), str(BOOT)]


def supervisor_command(has_space: bool) -> list[str]:
    """Return the program and arguments of a supervisor that is given its command later.

    It runs outside of the sandbox that it starts, so in our own Python: the user's may be the
    folder's. `has_space`: it is to make namespaces of its own meanwhile.
    """
    words = [INSIDE, SPACE if has_space else AWAITED]
    if getattr(sys, "frozen", False):
        return [sys.executable, KERNEL_FLAG, *words]
    return [sys.executable, "-I", "-S", "-u", str(SUPERVISOR), *words]


def supervisor_environment(base: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of such a supervisor: what our own Python may need to start at all."""
    kept = {name: base[name] for name in ("LANG", *_LIBRARY_PATHS) if name in base}
    if getattr(sys, "frozen", False):
        _restore_library_paths(kept)
    return kept


def confined_command(interpreter: str, language: str) -> list[str]:
    """Return the program and arguments that start a kernel within a sandbox."""
    if getattr(sys, "frozen", False):
        own = [sys.executable, KERNEL_FLAG]
        is_own = language != "python" or is_bundled(interpreter)
        return own if is_own else [interpreter, "-u", str(BOOT)]
    is_environment = os.path.isfile(Path(interpreter).parent.parent / "pyvenv.cfg")
    real = (
        interpreter if is_environment else os.path.realpath(interpreter)
    )  # its links stay outside
    python = [real, "-u"] if language == "python" else [sys.executable, "-I", "-S", "-u"]
    return [*python, str(BOOT)]


def kernel_environment(
    interpreter: str,
    base: Mapping[str, str],
    drop: Collection[str] = (),
    allowed: Collection[Access] = (),
) -> dict[str, str]:
    """Return the environment of a kernel: `base` without our variables and those in `drop`.

    Secrets, and what leads to the desktop, are left out except for the kinds in `allowed`; of the
    addresses of proxies and package indexes the login alone.
    With "" for an interpreter nothing is put in front of the PATH: other languages need none.
    """
    hidden = left_out(base, drop)
    kept = {name: value for name, value in base.items() if not _is_ours(name, drop)}
    for access in ACCESSES:
        for name in hidden[access] if access not in allowed else ():
            kept.pop(name, None)
    for name in hidden["secrets"]:
        if names_way(name):  # without it pip would ask another index, and go around the proxy
            kept[name] = without_login(base[name])
    for access in allowed:  # the folder of sockets belongs to two kinds
        kept |= {name: base[name] for name in hidden[access]}
    if getattr(sys, "frozen", False):
        _restore_library_paths(kept)
    if interpreter:
        _activate(Path(interpreter), kept)
    kept["MPLBACKEND"] = "Agg"
    kept["PYTHONIOENCODING"] = "utf-8"
    return kept


def left_out(base: Mapping[str, str], drop: Collection[str] = ()) -> dict[Access, tuple[str, ...]]:
    """Return the names of the variables of each kind that code gets only if that is allowed."""
    known = {name: value for name, value in base.items() if not _is_ours(name, drop)}
    return {access: names_of(access, known) for access in ACCESSES}


def _is_ours(name: str, drop: Collection[str]) -> bool:
    return (
        name in drop
        or name in _CLEANED
        or name.startswith(_CLEANED_PREFIXES)
        or name.startswith("PLAYHEAD_")
    )


def _restore_library_paths(variables: dict[str, str]) -> None:
    """Restore the paths that PyInstaller sets to the bundle from their *_ORIG variables."""
    for name in _LIBRARY_PATHS:
        original = variables.pop(name + "_ORIG", None)
        variables.pop(name, None)
        if original:
            variables[name] = original


def _activate(interpreter: Path, variables: dict[str, str]) -> None:
    """Let `pip` and `python` of a shell mean this interpreter, as activating its venv does."""
    variables.pop("VIRTUAL_ENV", None)
    variables.pop("VIRTUAL_ENV_PROMPT", None)
    folder = str(interpreter.parent)
    old = variables.get("PATH", os.defpath)
    others = [part for part in old.split(os.pathsep) if part != folder]
    if (interpreter.parent.parent / "pyvenv.cfg").is_file():
        variables["VIRTUAL_ENV"] = str(interpreter.parent.parent)
        variables["PATH"] = os.pathsep.join([folder, *others])
