"""`install.py ARGUMENTS of pip install …`: install into the environment that runs this.

uv does it, several times as fast, unless pip's settings say something that uv does not know or uv
fails: then pip does. Whose index, certificates and proxy pip is set to use, uv uses, too.
"""

from __future__ import annotations

import ast
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK = HERE / "installer.lock"
UV = Path(sys.prefix) / "uv"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# pip's settings as uv's arguments and variables; of the rest, those that change nothing of what is
# installed. Any other setting is pip's business alone.
ARGUMENTS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
VARIABLES = {
    "cert": ["SSL_CERT_FILE"],
    "client-cert": ["SSL_CLIENT_CERT"],
    "proxy": ["HTTP_PROXY", "HTTPS_PROXY"],
    "timeout": ["UV_HTTP_TIMEOUT"],
    "default-timeout": ["UV_HTTP_TIMEOUT"],
}
OF_NO_MATTER = {
    *("break-system-packages", "cache-dir", "config-file", "constraint"),
    *("disable-pip-version-check", "no-cache-dir", "no-color", "no-input"),
    *("no-warn-script-location", "progress-bar", "quiet", "require-virtualenv", "retries"),
    *("root-user-action", "verbose"),
}


def main() -> int:
    """The exit status of who has done it."""
    wanted, settings = sys.argv[1:], pip_settings()
    if unknown := settings.keys() - ARGUMENTS.keys() - VARIABLES.keys() - OF_NO_MATTER:
        say(f"Using pip, not uv, because of pip's setting {', '.join(sorted(unknown))}.")
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


def pip_settings() -> dict[str, str]:
    """What files and variables say to pip; the stronger ones last."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True).stdout
    found = [line.partition("=")[::2] for line in listed.splitlines()]
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for name, value in found:
            if name.startswith(section + "."):
                settings[name.removeprefix(section + ".")] = ast.literal_eval(value)
    return settings


def has_uv() -> bool:
    """Whether uv is there as its lock says; it is fetched first where it is not."""
    stamp = UV / "lock"
    if stamp.is_file() and stamp.read_bytes() == LOCK.read_bytes():
        return True
    shutil.rmtree(UV, ignore_errors=True)
    command = [*PIP, "install", "--quiet", "--require-hashes", "--only-binary", ":all:"]
    if subprocess.run([*command, "--target", UV, "--requirement", LOCK]).returncode:
        return False
    shutil.copyfile(LOCK, stamp)
    return True


def install_by_uv(wanted: list[str], settings: Mapping[str, str]) -> int:
    """uv's exit status."""
    # With hashes it does not matter which index has a file, and pip asks all of them, too.
    command = [str(UV / "bin" / "uv"), "pip", "install", "--python", sys.executable]
    command += ["--index-strategy", "unsafe-best-match", "--color", "never"]
    for name, argument in ARGUMENTS.items():
        for value in settings.get(name, "").split():
            command += [argument, value]
    return show([*command, *wanted], environment(settings))


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Variables for uv: pip's settings, and the system's certificates, which pip trusts, too."""
    variables = dict(os.environ)
    for name in ("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        if name in os.environ:
            variables["SSL_CERT_FILE"] = os.environ[name]
    for name, meant in VARIABLES.items():
        if name in settings:
            variables |= dict.fromkeys(meant, settings[name])
    if sys.platform == "darwin" or ssl.create_default_context().cert_store_stats()["x509_ca"]:
        variables.setdefault("UV_SYSTEM_CERTS", "1")
    return variables


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
