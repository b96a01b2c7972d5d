"""Installs packages into an environment outside of the sandbox, as a person has agreed to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from playhead.domain.trust import LayerPackage, PackageOffer, is_below
from playhead.errors import ExecutionError, phrase
from playhead.execution.environment import (
    BOOT,
    OWN_FOLDER,
    is_bundled,
    kernel_environment,
    uv_program,
)
from playhead.execution.environments.interpreters import belongs_to

_INSTALLER = BOOT.parent / "python" / "ipython" / "package_installer.py"
_LIMIT_S = 1800
_LIST_LIMIT_S = 30
_LISTED = 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
_VERSION = re.compile(r"[0-9][A-Za-z0-9.!+_]{0,40}")
_LIST = """
import importlib.metadata, json
found = {}
for one in importlib.metadata.distributions():
    name = one.metadata["Name"]
    if name:
        found.setdefault(name, one.version)
print(json.dumps(found))
"""
_INSTALL = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("package_installer", sys.argv[1])
installer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(installer)
answer = installer.install(sys.argv[3:], sys.argv[2], lambda line: None)
print()
print(json.dumps([answer.is_done, answer.words]))
"""
_TITLE = "The packages could not be installed."


class PackageKeeper:
    """Reads which packages a folder's code has and an environment has not, and installs them.

    `installed` returns the packages of a working folder's code, like `numpy 2.3.1`. Code has
    written these: nothing but the words is taken from there. All that runs is the environment's
    own Python, which does not see the working folder, and what it starts.
    """

    def __init__(
        self,
        installed: Callable[[str], Sequence[str]],
        variables: Mapping[str, str] | None = None,
        find_uv: Callable[[], str] = uv_program,
    ) -> None:
        self._installed = installed
        self._variables = os.environ if variables is None else variables
        self._find_uv = find_uv
        self._running: set[subprocess.Popen[str]] = set()

    async def offered(
        self, folder: str, interpreter: str, within: Sequence[str] = ()
    ) -> PackageOffer:
        """Return the packages that a folder's code has and an environment has not."""
        return await asyncio.to_thread(self._offered, folder, interpreter, tuple(within))

    async def install(
        self,
        interpreter: str,
        packages: Sequence[LayerPackage],
        within: Sequence[str] = (),
        *,
        builds: bool = False,
    ) -> None:
        """Download and install exactly these; `builds`: also by code of packages without a wheel.

        Raises ExecutionError.
        """
        await asyncio.to_thread(self._install, interpreter, tuple(packages), tuple(within), builds)

    def close(self) -> None:
        """End what installs."""
        for process in tuple(self._running):
            _end(process)

    def _offered(self, folder: str, interpreter: str, within: tuple[str, ...]) -> PackageOffer:
        named = [_package(words) for words in self._installed(folder)]
        found = {_plain(one.name): one for one in named if one is not None}
        if not found:
            return PackageOffer(interpreter)
        _expect_apart(interpreter, within)
        there = self._there(interpreter)
        offered = (
            LayerPackage(one.name, one.version, there.get(plain, ""))
            for plain, one in sorted(found.items())
            if there.get(plain) != one.version
        )
        return PackageOffer(interpreter, tuple(offered)[:_LISTED])

    def _there(self, interpreter: str) -> dict[str, str]:
        """Return the versions of the packages that an environment has, by their plain names."""
        found = self._run(interpreter, [_LIST], _LIST_LIMIT_S)
        if not isinstance(found, dict):
            raise ExecutionError("This is not a usable Python.", detail=interpreter)
        versions = cast("dict[Any, Any]", found)
        return {_plain(str(name)): str(version) for name, version in versions.items()}

    def _install(
        self,
        interpreter: str,
        packages: tuple[LayerPackage, ...],
        within: tuple[str, ...],
        builds: bool,
    ) -> None:
        _expect_apart(interpreter, within)
        pinned = [f"{one.name}=={one.version}" for one in packages if _package(one.words)]
        wheels = [] if builds else ["--only-binary", ":all:"]
        words = [*wheels, "--no-deps", *pinned]
        uv = self._find_uv()
        uv = "" if any(belongs_to(uv, one) for one in within) else uv  # code may change it: by pip
        answer = self._run(interpreter, [_INSTALL, str(_INSTALLER), uv, *words], _LIMIT_S)
        match answer:
            case [True, str()]:
                return
            case [False, str() as said]:
                raise ExecutionError(_TITLE, detail=said[-2000:].strip(), remedy=_remedy(builds))
            case _:
                raise ExecutionError(_TITLE, detail=interpreter)

    def _run(self, interpreter: str, words: Sequence[str], limit_s: float) -> Any:
        """Have the environment's Python run a script of ours; return what it prints last."""
        try:
            process = subprocess.Popen(
                [interpreter, "-I", "-c", *words],
                cwd=OWN_FOLDER,
                env=kernel_environment(interpreter, self._variables),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise ExecutionError(_TITLE, detail=f"{interpreter}: {error.strerror}.") from error
        self._running.add(process)
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired as error:
            _end(process)
            process.communicate()
            raise ExecutionError(_TITLE, detail="It took too long.") from error
        finally:
            self._running.discard(process)
        try:
            return json.loads(said.strip().rpartition("\n")[2])
        except ValueError:
            return None


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()


def _package(words: str) -> LayerPackage | None:
    """Return the package of `numpy 2.3.1`; None for what no package is called."""
    name, _, version = words.partition(" ")
    is_one = _NAME.fullmatch(name) and _VERSION.fullmatch(version)
    return LayerPackage(name, version) if is_one else None


def _plain(name: str) -> str:
    """Return a name as all indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _expect_apart(interpreter: str, within: Sequence[str]) -> None:
    """Raise ExecutionError for a Python that code could have changed, which would run outside."""
    if is_bundled(interpreter):
        raise ExecutionError(
            "There is no environment to install into.",
            detail="Code runs in the Python of Playhead itself.",
            remedy="Choose a Python of your own.",
        )
    if any(belongs_to(interpreter, one) or _is_part(one, interpreter) for one in within):
        pip = Path(interpreter).with_name("pip")
        raise ExecutionError(
            "This environment is in a folder that code may change.",
            detail=phrase(
                "{interpreter} would run outside of the sandbox.", interpreter=interpreter
            ),
            remedy=phrase(
                "If you trust it, install them in a terminal: {pip} install NAME.", pip=str(pip)
            ),
        )


def _is_part(folder: str, interpreter: str) -> bool:
    """Return whether a folder is in the environment of a Python, or in the one it was made from.

    A program in the `bin` of the home folder makes no environment of that.
    """
    programs = Path(interpreter), Path(os.path.realpath(interpreter))
    prefixes = {one.parent.parent for one in programs} - {Path.home(), *Path.home().parents}
    return is_below(os.path.realpath(folder), map(os.path.realpath, prefixes))


def _remedy(builds: bool) -> str:
    if builds:
        return "See what is missing, or install them in a terminal."
    return "A package that has no wheel for this Python can only be built, by code of its own."
