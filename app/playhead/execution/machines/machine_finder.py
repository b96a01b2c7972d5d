"""Finds machines that `ssh` has names for, and containers that run; connects to none of them."""

from __future__ import annotations

import glob
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from playhead.atomic_file import read_plain
from playhead.domain.places import Machine
from playhead.execution.login_path import find_program

_FILE_LIMIT = 1_000_000
_MOST_FILES, _MOST_NAMES = 100, 500
_LIMIT_S = 3.0
_NAME = re.compile(r"[A-Za-z0-9_][\w.%+-]*(@[A-Za-z0-9_][\w.%+-]*)*", re.ASCII)
_WORD = re.compile(r'"([^"]*)"?|([^\s"=#][^\s"]*)')
_SYSTEM = Path("/etc/ssh")


def has_ssh() -> bool:
    """Return whether there is a program that reaches other machines."""
    return bool(find_program("ssh"))


def find_machines(config: Path | None = None, path: str | None = None) -> list[Machine]:
    """Return the hosts of a configuration of ssh, by default the user's, and containers (blocks).

    `path` has the programs.
    """
    own = Path.home() / ".ssh" / "config" if config is None else config
    found = [*_hosts(own)] if find_program("ssh", path) else []
    for program in ("docker", "podman"):
        found += _containers(program, find_program(program, path))
    if sys.platform == "win32":
        found += _distributions(find_program("wsl.exe", path))
    return found


def host_names(text: str, include: Callable[[str], Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yield the names that a configuration has, without patterns, each with its real one or "".

    `include(words)` returns the texts of what an Include names. What is within a condition is
    there, too: a name that is not for now does no harm.
    """
    names: list[str] = []
    real = ""
    for line in text.splitlines():
        keyword, *words = _words(line) or [""]
        keyword = keyword.lower()
        if keyword in ("host", "match"):
            yield from ((name, real) for name in names)
            names, real = [], ""
            names = [word for word in words if _NAME.fullmatch(word)] if keyword == "host" else []
        elif keyword == "hostname" and words:
            real = real or (words[0] if words[0].isprintable() else "")
        elif keyword == "include":
            for word in words:
                for inner in include(word):
                    yield from host_names(inner, include)
    yield from ((name, real) for name in names)


def _words(line: str) -> list[str]:
    """Return the words of a line: quotes hold one together, "=" may follow the first."""
    words: list[str] = []
    at, line = 0, line.strip()
    while at < len(line):
        if line[at] == "#":
            break
        found = _WORD.match(line, at)
        if found is None:
            at += 1
            continue
        word = found[1] if found[1] is not None else found[2]
        if not words and "=" in word and found[1] is None:
            word, _, _ = word.partition("=")
            at += len(word) + 1
        else:
            at = found.end()
        words.append(word)
    return words


def _hosts(config: Path) -> Iterator[Machine]:
    count = 0

    def include(word: str) -> Iterator[str]:
        nonlocal count
        path = os.path.expanduser(word)
        if not os.path.isabs(path):
            folder = _SYSTEM if config.is_relative_to(_SYSTEM) else config.parent
            path = os.path.join(folder, path)
        for name in sorted(glob.glob(path)):
            count += 1
            if count <= _MOST_FILES:  # one that includes itself comes to an end
                yield _read(Path(name))

    seen: set[str] = set()
    for name, real in host_names(_read(config), include):
        if name not in seen and len(seen) < _MOST_NAMES:
            seen.add(name)
            yield Machine(address=name, label=name, detail="" if real == name else real)


def _read(path: Path) -> str:
    try:
        return (read_plain(path, _FILE_LIMIT) or b"").decode("utf-8", "replace")
    except OSError:
        return ""


def _containers(name: str, program: str) -> Iterator[Machine]:
    """Yield the containers that run: nobody waits for a program that does not answer."""
    lines = _output([program, "ps", "--format", "{{.Names}}\t{{.Image}}"]) if program else b""
    for line in lines.decode("utf-8", "replace").splitlines()[:_MOST_NAMES]:
        container, _, image = line.partition("\t")
        if _NAME.fullmatch(container):
            yield Machine(
                kind="container",
                address=f"{name}:{container}",
                label=container,
                detail=f"{name}, {image}" if image.isprintable() and image else name,
            )


def _distributions(program: str) -> Iterator[Machine]:
    """Yield the systems below Windows. Written after Microsoft's documentation, not run yet."""
    words = _output([program, "--list", "--quiet"]) if program else b""
    for name in words.decode("utf-16-le", "replace").split():
        if _NAME.fullmatch(name):
            yield Machine(kind="container", address=f"wsl:{name}", label=name, detail="WSL")


def _output(command: list[str]) -> bytes:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return done.stdout if done.returncode == 0 else b""
