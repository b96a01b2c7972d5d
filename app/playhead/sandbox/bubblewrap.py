"""Bubblewrap: whether it can make a sandbox here, or what is missing; its arguments for a view."""

from __future__ import annotations

import base64
import marshal
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from playhead.sandbox.landlock_rules import is_enough, landlock_version
from playhead.sandbox.syscall_filter import ARCHITECTURES
from playhead.sandbox.view import Mount, View
from playhead.supervisor import protocol

_NO_NAMESPACES, _SIZE = "--disable-userns", "--size"
_NEWER = (_NO_NAMESPACES, _SIZE)
"""Of bubblewrap 0.8 and 0.7. The filter refuses further namespaces, too."""
_SYSTEM_BWRAP = "/usr/bin/bwrap"
_TRIAL_LIMIT_S = 10
_PARAMETERS = Path("/proc/sys")
_APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
_LIMIT = "user/max_user_namespaces"
_CLONE = "kernel/unprivileged_userns_clone"
_APPARMOR_LINE = (
    "sudo apt install apparmor-profiles && sudo ln -s"
    " /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/"
    " && sudo systemctl reload apparmor"
)


class Availability(Struct, frozen=True, kw_only=True):
    """The program that makes a sandbox, or the reason why none can be made, with what to do.

    `lacks` are the options that it is too old for: they harden what holds without them, too.
    Without a program rules of `landlock`, by its version, make a weaker sandbox; `weakness` and
    `remedy` then say why, and what to do about that.
    `lacks_space` says why the supervisor cannot have namespaces of its own, "" if it can: without
    them there is no network by names, and nothing is granted while a kernel lives.
    """

    program: str = ""
    lacks: frozenset[str] = frozenset()
    landlock: int = 0
    weakness: str = ""
    problem: str = ""
    remedy: str = ""
    lacks_space: str = ""


def look_for_sandbox(
    system_bwrap: str = _SYSTEM_BWRAP,
    parameters: Path = _PARAMETERS,
    version: Callable[[], int] = landlock_version,
) -> Availability:
    """Return what this machine has: namespaces, else rules of Landlock, else nothing.

    A trial of the namespaces takes about 10 ms.
    """
    try:
        found = _look_for_namespaces(system_bwrap, parameters)
    except (OSError, subprocess.SubprocessError) as error:  # which says nothing of this machine
        return Availability(problem=f"The sandbox could not be tried: {error}.")
    if found.problem and _is_linux() and is_enough(landlock := version()):
        return Availability(landlock=landlock, weakness=found.problem, remedy=found.remedy)
    return found


def _is_linux() -> bool:
    """Return whether this is Linux on a processor whose system calls are known."""
    return sys.platform.startswith("linux") and platform.machine() in ARCHITECTURES


def _look_for_namespaces(system_bwrap: str, parameters: Path) -> Availability:
    if not sys.platform.startswith("linux"):
        return Availability(problem=_other_system())
    if not _is_linux():
        return Availability(
            problem=f"Playhead has no list of system calls for {platform.machine()} processors."
        )
    # The system's own comes first: AppArmor's permission is for that path alone.
    program = system_bwrap if os.access(system_bwrap, os.X_OK) else shutil.which("bwrap")
    if not program:
        return Availability(
            problem="The program bubblewrap is missing, which makes the sandbox.",
            remedy=_install_line(),
        )
    words = _output([program, "--help"])
    flags = ["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    trial = [program, *flags, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    refusal = _refusal(trial)
    if refusal:
        problem, remedy = _explain(refusal, parameters)
        return Availability(problem=problem, remedy=remedy)
    lacks = frozenset(one for one in _NEWER if one not in words)
    return Availability(
        program=program,
        lacks=lacks,
        lacks_space=_refusal(supervised(["--inside", "", packed({"trial": True})])),
    )


def supervised(arguments: Sequence[str]) -> list[str]:
    """Return the command of a supervisor of our own."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--kernel", *arguments]
    boot = Path(protocol.__file__).with_name("boot.py")
    return [sys.executable, "-I", "-S", "-u", str(boot), *arguments]


def packed(values: dict[str, Any]) -> str:
    """Return values as a supervisor reads them before it has loaded anything."""
    return base64.b64encode(marshal.dumps(values)).decode("ascii")


def _other_system() -> str:
    """Return why there is no sandbox on macOS or Windows."""
    if sys.platform == "darwin":
        return "The profile for macOS's sandbox is written, and was not tried on a Mac yet."
    return "Playhead has no sandbox on this system yet."


def _refusal(command: list[str]) -> str:
    """Return what a command says if it fails, else "". Raises what keeps it from an answer."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_TRIAL_LIMIT_S,
        check=False,
    )
    if done.returncode < 0:
        raise subprocess.CalledProcessError(done.returncode, command[0])
    if done.returncode == 0:
        return ""
    return done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}"


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TRIAL_LIMIT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _explain(refusal: str, parameters: Path) -> tuple[str, str]:
    """Return a sentence about a refusal, and the line that helps."""
    if _read(parameters / _APPARMOR) == "1":
        return (
            "AppArmor refuses user namespaces to programs that have no profile for them.",
            _APPARMOR_LINE,
        )
    if _read(parameters / _LIMIT) == "0":
        return "The system allows no user namespaces.", "sudo sysctl user.max_user_namespaces=15000"
    if _read(parameters / _CLONE) == "0":
        return (
            "The system allows user namespaces to nobody but root.",
            "sudo sysctl kernel.unprivileged_userns_clone=1",
        )
    last = refusal.splitlines()[-1]
    return f"Namespaces are refused here, as in many containers ({last}).", ""


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _install_line() -> str:
    for manager, words in (
        ("apt", "sudo apt install bubblewrap"),
        ("dnf", "sudo dnf install bubblewrap"),
        ("pacman", "sudo pacman -S bubblewrap"),
        ("zypper", "sudo zypper install bubblewrap"),
        ("apk", "sudo apk add bubblewrap"),
    ):
        if shutil.which(manager):
            return words
    return "Install the package bubblewrap."


INFO, FILTER, WAKE = "@info@", "@filter@", "@wake@"
"""Words in the arguments for which the supervisor puts its descriptors."""


def bubblewrap_arguments(
    view: View, command: Sequence[str], lacks: frozenset[str] = frozenset()
) -> list[str]:
    """Return the arguments that start a command with a view, without options that it `lacks`."""
    arguments = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    arguments += ["--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"]
    if not view.is_in_space:  # else that has a network of its own
        arguments.append("--unshare-net")
    if _NO_NAMESPACES not in lacks:
        arguments.append(_NO_NAMESPACES)
    for mount in view.mounts:
        arguments += _mount(mount, _SIZE not in lacks)
    arguments += ["--remount-ro", "/", "--chdir", view.folder]
    return [*arguments, "--seccomp", FILTER, "--info-fd", INFO, "--", *command]


def _mount(mount: Mount, has_size: bool) -> list[str]:
    match mount.kind:
        case "bind":
            return ["--bind", mount.source, mount.target]
        case "read":
            return ["--ro-bind", mount.source, mount.target]
        case "hide":
            return ["--ro-bind", "/dev/null", mount.target]
        case "empty":
            return ["--tmpfs", mount.target, "--remount-ro", mount.target]
        case "tmpfs":
            size = [_SIZE, str(mount.size_bytes)] if has_size else []
            return [*size, "--tmpfs", mount.target]
        case "proc":
            return ["--proc", mount.target]
        case "dev":
            return ["--dev", mount.target]
        case "link":
            return ["--symlink", mount.source, mount.target]
