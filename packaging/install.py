"""`install.py ARGUMENTS of pip install …`: install into the environment that runs this.

uv does it, several times as fast, unless pip's settings say something that uv does not know or uv
fails: then pip does. Whose index, certificates and proxy pip is set to use, uv uses, too.
"""

from __future__ import annotations

import importlib.metadata as metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
INSTALLER = ROOT / "app/playhead/kernel/python/ipython/package_installer.py"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def load_installer():
    """Load what installs for the program's users, too: it reads pip's settings for uv."""
    spec = importlib.util.spec_from_file_location("package_installer", INSTALLER)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


installer = load_installer()


def main() -> int:
    """The exit status of who has done it."""
    wanted, settings = sys.argv[1:], installer.pip_settings()
    settings.pop("constraint", None)  # the lock names every version
    if unknown := installer.unknown_to_uv(settings):
        say(f"Using pip, not uv, because of pip's setting {', '.join(unknown)}.")
    elif not has_uv():
        say("uv cannot be had here (see above); using pip, which takes longer.")
    elif install_by_uv(wanted, settings) == 0:
        return 0
    else:
        say("uv could not do it (see above); trying pip, which takes longer.")
    if status := subprocess.run([*PIP, "install", "--quiet", *wanted]).returncode:
        say(
            "\nThe packages could not be had (see above). They come from https://pypi.org, or from"
            "\nwhere pip's settings say. Check the network; behind a proxy or with an index of your"
            "\nown, tell pip: `pip config set global.proxy URL`, or global.index-url, global.cert."
            "\nThen run the same command again: what has come is kept."
        )
    return status


def has_uv() -> bool:
    """Whether uv is there as the lock says; it is fetched first where it is not."""
    found = re.search(r"^uv==(\S+).*\n(?:[ ].*\n)*", LOCK.read_text("utf-8"), re.MULTILINE)
    assert found
    wanted, version = found.group(0, 1)
    try:
        if metadata.version("uv") == version and uv_program():
            return True
    except metadata.PackageNotFoundError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        only = Path(folder, "uv.lock")
        only.write_text(wanted, "utf-8")
        command = [*PIP, "install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
        return not subprocess.run([*command, "--requirement", only]).returncode


def uv_program() -> str | None:
    """Where uv is in this environment."""
    return shutil.which("uv", path=str(Path(sys.executable).parent))


def install_by_uv(wanted: list[str], settings: Mapping[str, str]) -> int:
    """uv's exit status."""
    # With hashes it does not matter which index has a file, and pip asks all of them, too.
    command = [uv_program(), "pip", "install", "--python", sys.executable]
    command += ["--index-strategy", "unsafe-best-match", "--color", "never"]
    command += installer.uv_arguments(settings)
    return show([*command, *wanted], installer.uv_variables(settings))


def show(command: list[str], variables: Mapping[str, str]) -> int:
    """uv's exit status. What it says is passed on but for the list of all that it has installed."""
    reader, writer = open_terminal() if sys.stderr.isatty() else os.pipe()
    with subprocess.Popen(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=writer, stderr=writer
    ) as process:
        os.close(writer)
        held = b""
        while said := read(reader):
            *lines, held = (held + said).split(b"\n")
            for line in lines:
                if not line.startswith((b" + ", b" - ", b" ~ ")):
                    os.write(2, line + b"\n")
            if not held.startswith(b" "):  # no beginning of such a line: progress, as a rule
                os.write(2, held)
                held = b""
    os.close(reader)
    return process.returncode


def open_terminal() -> tuple[int, int]:
    """A terminal as wide as ours, for which uv draws its progress."""
    import pty
    import termios

    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, termios.tcgetwinsize(2))
    return reader, writer


def read(reader: int) -> bytes:
    """What has come; empty at the end, which a terminal tells by an error."""
    try:
        return os.read(reader, 65536)
    except OSError:
        return b""


def say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
