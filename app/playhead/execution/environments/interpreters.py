"""Find the Python that runs code: the managed environment, made in the background, or another.

`search` and `probe` start programs and block: they are to be called in a thread. What is inside a
working folder may come from anyone: `search` reads about it and starts none of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from playhead.atomic_file import read_plain
from playhead.domain.execution import EnvironmentStatus, Interpreter, Place, place_of
from playhead.domain.text.json_text import read_json
from playhead.errors import ExecutionError, phrase
from playhead.execution import environment
from playhead.execution.environments.place_finder import find_kernels, read_spec
from playhead.execution.login_path import LoginPath, absolute_folders, find_program
from playhead.kernel.protocol import MANAGED

OLDEST = (3, 9)
_PROBE_LIMIT_S = 10
_AT_ONCE = 4
_IS_WINDOWS = sys.platform == "win32"
_NAMES = (
    "python3",
    "python",
    *(f"python3.{minor}{build}" for minor in range(20, 8, -1) for build in ("", "t")),
)
"""A free-threaded build has a "t" behind its version."""

# Python 2 can run this as well, so that an old Python is distinguished from other programs.
# `wheels` is where ensurepip has the wheels of pip and what goes with it.
_PROBE = """
import sys, json, sysconfig
def has(name):
    try:
        import importlib.util
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
def wheels():
    try:
        import ensurepip, os
        place = sysconfig.get_config_var("WHEEL_PKG_DIR")
        return place or os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")
    except ImportError:
        return ""
print(json.dumps({"version": list(sys.version_info[:3]), "executable": sys.executable,
    "prefix": sys.prefix, "base_prefix": getattr(sys, "base_prefix", sys.prefix),
    "pip": has("pip"), "venv": has("venv") and has("ensurepip"), "wheels": wheels(),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED"))}))
"""


class ProbedInterpreter(Struct, frozen=True, kw_only=True):
    """The facts that a Python reports about itself; `wheels` is the folder with that of pip."""

    interpreter: Interpreter
    prefix: str
    can_make_environments: bool
    wheels: str = ""
    is_free_threaded: bool = False

    @property
    def version(self) -> tuple[int, ...]:
        """Return the version as numbers."""
        return tuple(int(part) for part in self.interpreter.version.split("."))

    @property
    def rank(self) -> tuple[bool, tuple[int, ...]]:
        """Return what is larger for the better choice: fewer packages work without the lock."""
        return not self.is_free_threaded, self.version


def probe(path: str, kind: str | None = None, folder: str = "") -> ProbedInterpreter:
    """Run a Python to get its facts. Raises ExecutionError if it is not one or too old.

    It finds no program of `folder`: a shim is a script, which the first bash on the PATH runs.
    """
    facts = _ask(path, folder)
    version: list[int] = facts["version"]
    words = ".".join(str(part) for part in version)
    if tuple(version) < OLDEST:
        raise _too_old(path, words)
    # A shim (pyenv) names the real one; a venv's own path is what makes it that venv.
    executable = str(facts["executable"] or path)
    found = kind or _kind(str(facts["prefix"]), str(facts["base_prefix"]))
    is_free_threaded = facts.get("free_threaded") is True
    interpreter = Interpreter(
        path=executable,
        version=words,
        label=_label(words, executable, str(facts["prefix"]), found, is_free_threaded),
        kind=found,  # pyright: ignore[reportArgumentType] - one of the kinds
        has_pip=facts["pip"] is True,
    )
    return ProbedInterpreter(
        interpreter=interpreter,
        prefix=str(facts["prefix"]),
        can_make_environments=facts["venv"] is True,
        wheels=str(facts.get("wheels") or ""),
        is_free_threaded=is_free_threaded,
    )


def search(folder: str = "", path: str | None = None) -> list[ProbedInterpreter]:
    """Return all usable Pythons, each once: of the folder, of PATH, of the user's tools.

    None in the folder is started: the files of its environment say what it is.
    """
    found: dict[tuple[object, ...], ProbedInterpreter] = {}
    look = partial(_look_at, folder)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        for probed in threads.map(look, candidates(folder, path)):
            if probed is None or is_ours(probed):
                continue
            # One folder may hold several versions and builds, as /usr does on Debian.
            found.setdefault((os.path.realpath(probed.prefix), *probed.rank), probed)
    return list(found.values())


def _look_at(folder: str, path: str) -> ProbedInterpreter | None:
    try:
        return described(path) if belongs_to(path, folder) else probe(path, folder=folder)
    except ExecutionError:
        return None


def belongs_to(path: str, folder: str) -> bool:
    """Return whether a program is in a folder, by its own path or where a link leads to.

    In the home folder and above it are also the tools' Pythons: there the folder's own count only.
    """
    if not folder:
        return False
    home = Path.home()
    if any(_is_same_file(place, folder) for place in (home, *home.parents)):
        return path in _in_folder(folder)
    near = os.path.realpath(os.path.dirname(path))
    places = {Path(os.path.abspath(path)), Path(near, "python"), Path(os.path.realpath(path))}
    return any(_is_same_file(parent, folder) for place in places for parent in place.parents)


def _is_same_file(one: Path, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


_VERSION = re.compile(r"3\.\d{1,2}(?:\.\d{1,2})?")
_CONFIG_LIMIT = 100_000


def described(path: str) -> ProbedInterpreter:
    """Return the facts of a Python by the files of its environment; nothing of it is started.

    Raises ExecutionError if they name no Python, or one that is too old.
    """
    if not os.path.isfile(path):
        raise _not_there(path)
    place = Path(path).parent
    prefix = place if (place / "conda-meta").is_dir() else place.parent
    kind, words = _written_version(prefix)
    found = _VERSION.match(words)
    if found is None:
        raise _not_usable(phrase("{path}: its environment names no version.", path=path))
    numbers = tuple(int(part) for part in found.group().split("."))
    if numbers < OLDEST:
        raise _too_old(path, found.group())
    library = prefix / ("Lib" if _IS_WINDOWS else f"lib/python{numbers[0]}.{numbers[1]}")
    is_free_threaded = not _IS_WINDOWS and Path(f"{library}t").is_dir()
    packages = Path(f"{library}t" if is_free_threaded else library) / "site-packages"
    return ProbedInterpreter(
        interpreter=Interpreter(
            path=path,
            version=found.group(),
            label=_label(found.group(), path, str(prefix), kind, is_free_threaded),
            kind=kind,  # pyright: ignore[reportArgumentType] - one of the kinds
            has_pip=(packages / "pip").is_dir(),
        ),
        prefix=str(prefix),
        can_make_environments=False,
        is_free_threaded=is_free_threaded,
    )


def _written_version(prefix: Path) -> tuple[str, str]:
    """Return the kind of an environment and the version that its files name; "" without them."""
    try:
        text = (read_plain(prefix / "pyvenv.cfg", _CONFIG_LIMIT) or b"").decode(errors="replace")
    except OSError:
        text = ""
    pairs = (line.partition("=") for line in text.splitlines())
    config = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if words := config.get("version") or config.get("version_info"):
        return "venv", words
    names = (one.name for one in _subfolders(prefix / "conda-meta"))
    packages = (re.match(r"python-([\d.]+)-[^-]+\.json\Z", name) for name in names)
    return "conda", next((package[1] for package in packages if package), "")


def is_ours(probed: ProbedInterpreter) -> bool:
    """Return whether it is the environment of this program, which `pip install` could break."""
    has_own = sys.prefix != sys.base_prefix
    return has_own and os.path.realpath(probed.prefix) == os.path.realpath(sys.prefix)


def candidates(folder: str = "", path: str | None = None) -> list[str]:
    """Return the paths that could be a Python, the most likely first."""
    paths = [*_in_folder(folder), *_on_path(path), *_by_tools(), *_environments()]
    return list(dict.fromkeys(path for path in paths if os.path.isfile(path)))


def python_in(environment: Path) -> Path:
    """Return the path of an environment's Python."""
    if _IS_WINDOWS:
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


def _ask(path: str, folder: str) -> dict[str, Any]:
    on_path = absolute_folders(os.environ.get("PATH", os.defpath))
    others = [one for one in on_path if not belongs_to(os.path.join(one, "python"), folder)]
    try:
        result = subprocess.run(
            [path, "-I" if "python2" not in path else "-E", "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=environment.OWN_FOLDER,
            env={**os.environ, "PATH": os.pathsep.join(others)},
            timeout=_PROBE_LIMIT_S,
            check=True,
        )
        facts: Any = read_json(result.stdout)
        if isinstance(facts, dict) and "version" in facts:
            return facts  # pyright: ignore[reportUnknownVariableType]
        problem = ""
    except subprocess.TimeoutExpired:
        raise _not_usable(
            phrase("{path}: it did not answer within {limit} s.", path=path, limit=_PROBE_LIMIT_S)
        ) from None
    except subprocess.CalledProcessError as error:
        problem = (error.stderr or b"").decode(errors="replace").strip().partition("\n")[0][:200]
    except FileNotFoundError:
        raise _not_there(path) from None
    except (OSError, ValueError) as error:
        problem = str(error)
    raise _not_usable(
        f"{path}: {problem}."
        if problem
        else phrase("{path}: it answers something else.", path=path)
    )


def _not_usable(detail: str) -> ExecutionError:
    return ExecutionError(
        "This is not a usable Python.",
        detail=detail,
        remedy="Choose the program python3 or python.exe of a Python 3.9 or newer.",
    )


def _too_old(path: str, version: str) -> ExecutionError:
    return ExecutionError(
        "This Python is too old.",
        detail=phrase("{path} is Python {version}.", path=path, version=version),
        remedy="Choose Python 3.9 or newer.",
    )


def _not_there(path: str) -> ExecutionError:
    """Return the error for a deleted Python, or an environment whose own Python was deleted."""
    place = os.path.realpath(path)
    return ExecutionError(
        "There is no Python at this place.",
        detail=phrase("{path} leads to {place}, which does not exist.", path=path, place=place)
        if os.path.islink(path)
        else f"{path}.",
        remedy="Choose another one, or make its environment again.",
    )


def _in_folder(folder: str) -> Iterator[str]:
    if folder:
        for name in (".venv", "venv", "env"):
            yield str(python_in(Path(folder) / name))


def _on_path(path: str | None) -> Iterator[str]:
    for name in _NAMES:
        if found := find_program(name, path):
            yield found
    if not _IS_WINDOWS:
        yield "/usr/bin/python3"


def _by_tools() -> Iterable[str]:
    """Yield Pythons that pyenv, uv and conda have installed."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR", _data_home() / "uv" / "python"))
    condas = [home / name for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge")]
    if prefix := os.environ.get("CONDA_PREFIX"):
        condas.insert(0, Path(prefix))
    roots = [*_subfolders(pyenv), *_subfolders(uv), *condas, *_known_to_conda()]
    for conda in condas:
        roots += _subfolders(conda / "envs")
    return [str(_python_of_tool(root)) for root in roots]


def _environments() -> Iterable[str]:
    """Yield environments that the user or a tool keeps in a common folder."""
    home = Path.home()
    cache = home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"
    places = [
        Path(os.environ.get("WORKON_HOME", home / ".virtualenvs")),
        home / ".venvs",
        _data_home() / "virtualenvs",  # pipenv
        Path(os.environ.get("POETRY_CACHE_DIR", cache / "pypoetry")) / "virtualenvs",
    ]
    return [str(python_in(root)) for place in places for root in _subfolders(place)]


def _known_to_conda() -> list[Path]:
    try:
        lines = (Path.home() / ".conda" / "environments.txt").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    return [Path(line.strip()) for line in lines if line.strip()]


def _python_of_tool(root: Path) -> Path:
    """Return the path of a tool's Python; on Windows it is not in `Scripts`."""
    return root / "python.exe" if _IS_WINDOWS else python_in(root)


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))


def _subfolders(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir(), reverse=True)
    except OSError:
        return []


def _kind(prefix: str, base_prefix: str) -> str:
    if (Path(prefix) / "conda-meta").is_dir():
        return "conda"
    return "venv" if prefix != base_prefix else "system"


def _label(version: str, path: str, prefix: str, kind: str, is_free_threaded: bool) -> str:
    name = {"venv": Path(prefix).name, "conda": f"conda {Path(prefix).name}"}.get(kind, path)
    build = f"{version} free-threaded" if is_free_threaded else version
    return f"Python {build} · {name}"


_log = logging.getLogger(__name__)
_COMPLETE = MANAGED
"""Written into the environment last of all: without it a crash has left half of one."""

Listener = Callable[[EnvironmentStatus], None]


class InterpreterFinder:
    """Owner of the managed environment `environments_dir/default` and of the task that makes it.

    `bases` are the Pythons to make it from, by default the one that runs the app, then others
    that are found. `find_uv` returns the path of the uv that makes it, "" to have the Python's own
    module do it. Listeners are called in the loop's thread.
    """

    def __init__(
        self,
        environments_dir: Path,
        bases: Sequence[str] | None = None,
        find_uv: Callable[[], str] = environment.uv_program,
        find_kernels: Callable[[Iterable[Path]], list[Place]] = find_kernels,
    ) -> None:
        self._folder = environments_dir / "default"
        self._find_kernels = find_kernels
        self._bases = bases
        self._find_uv = find_uv
        self._listeners: list[Listener] = []
        self._status = EnvironmentStatus("absent")
        self._making: asyncio.Task[Interpreter] | None = None
        self._login = LoginPath(os.environ)
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    @property
    def status(self) -> EnvironmentStatus:
        """Return the status of the managed environment."""
        return self._status

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Subscribe to changes of the managed environment."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def found(self, folder: str = "") -> list[Interpreter]:
        """Return the interpreters of this machine and of the folder, the managed one first."""
        managed = self._status.interpreter
        path = await self._login.path()
        searched = await asyncio.to_thread(search, folder, path)
        others = [probed.interpreter for probed in searched]
        mine = [managed] if managed else []
        mine += [other for other in others if not managed or other.path != managed.path]
        return mine + await asyncio.to_thread(self._kernels, folder, path)

    async def probe(self, path: str) -> Interpreter:
        """Return the facts about a Python. Raises ExecutionError if it is not one or too old."""
        if environment.is_bundled(path):
            return _bundled()
        if (place := place_of(path)) is not None:
            await asyncio.to_thread(read_spec, place)
            return _kernel(place)
        return (await asyncio.to_thread(probe, path, "chosen")).interpreter

    async def make_for(self, folder: str) -> Interpreter:
        """Return the environment `.venv` of a folder, made if needed. Raises ExecutionError."""
        return await asyncio.to_thread(self._make_for, Path(folder), await self._login.path())

    async def default(self) -> Interpreter:
        """Return the managed environment, made if needed; else another. Raises ExecutionError."""
        if self._status.state == "ready" and self._status.interpreter:
            return self._status.interpreter
        if self._status.state == "failed":
            return await self._best()
        making = self._making = self._making or asyncio.create_task(
            self._provide(), name="managed environment"
        )
        # Several ask at the same time, and one that is cancelled must not spoil it for the others.
        # (From Python 3.14 on `asyncio.shield` reports what fails after its caller has gone.)
        await asyncio.wait((making,))
        return making.result()

    async def close(self) -> None:
        """Give up an environment that is being made; the next start makes it again."""
        self._is_closed = True
        for process in tuple(self._processes):
            _end_group(process)
        if self._making is not None:
            await asyncio.gather(self._making, return_exceptions=True)

    def _kernels(self, folder: str, path: str) -> list[Interpreter]:
        """Return the kernels of Jupyter; none of our own environment, which could be broken."""
        own = os.path.realpath(sys.prefix) if sys.prefix != sys.base_prefix else ""
        prefixes = (Path(found).parent.parent for found in candidates(folder, path))
        others = (one for one in dict.fromkeys(prefixes) if os.path.realpath(one) != own)
        return [_kernel(place) for place in self._find_kernels(others)]

    async def _provide(self) -> Interpreter:
        try:
            try:
                interpreter = await asyncio.to_thread(self._look)
                if interpreter is None:
                    self._set(EnvironmentStatus("creating", message=_CREATING))
                    interpreter = await asyncio.to_thread(self._make, await self._login.path())
            except ExecutionError as error:
                if self._is_closed:
                    raise
                self._set(EnvironmentStatus("failed", error=error))
                best = await self._best()
                self._set(EnvironmentStatus("failed", best, error=error))
                return best
            self._set(EnvironmentStatus("ready", interpreter))
            return interpreter
        finally:
            self._making = None

    async def _best(self) -> Interpreter:
        found = await asyncio.to_thread(search, path=await self._login.path())
        if found:
            return max(found, key=lambda probed: probed.rank).interpreter
        if getattr(sys, "frozen", False):
            return _bundled()
        raise ExecutionError(
            "There is no Python that can run code.",
            detail=str(self._status.error or ""),
            remedy="Install Python 3.9 or newer, or choose one.",
        )

    def _look(self) -> Interpreter | None:
        """Return the environment if it is complete and its Python still runs."""
        if not (self._folder / _COMPLETE).is_file():
            return None
        try:
            return self._managed()
        except ExecutionError as error:
            _log.info("the managed environment is broken and made again: %s", error)
            return None

    def _managed(self) -> Interpreter:
        probed = probe(str(python_in(self._folder)), "managed")
        label = f"Python {probed.interpreter.version} · managed"
        return replace(probed.interpreter, label=label)

    def _make(self, path: str) -> Interpreter:
        """Make the managed environment again from nothing. Raises ExecutionError."""
        shutil.rmtree(self._folder, ignore_errors=True)
        base = self._make_in(self._folder, path)
        try:
            interpreter = self._managed()
            note = {"base": base.interpreter.path, "version": interpreter.version}
            (self._folder / _COMPLETE).write_text(json.dumps(note), encoding="utf-8")
        except OSError as error:
            raise _not_written(error, self._folder) from error
        return interpreter

    def _make_for(self, folder: Path, path: str) -> Interpreter:
        """Return the folder's `.venv`, made if it does not exist. Raises ExecutionError."""
        place = folder / ".venv"
        if os.path.lexists(place):
            return described(str(python_in(place))).interpreter
        try:
            self._make_in(place, path)
            return probe(str(python_in(place)), "venv").interpreter
        except ExecutionError:
            shutil.rmtree(place, ignore_errors=True)  # half of one would be taken for a whole one
            raise

    def _make_in(self, place: Path, path: str) -> ProbedInterpreter:
        """Make an environment from the first base that can; that base. Raises ExecutionError."""
        problems: list[ExecutionError] = []
        for base in self._base_pythons(path):
            try:
                self._make_from(base, place)
            except ExecutionError as error:
                problems.append(error)
            else:
                return base
        raise problems[0] if problems else _no_base()

    def _make_from(self, base: ProbedInterpreter, place: Path) -> None:
        uv = self._find_uv()
        if not uv and not base.can_make_environments:
            raise _no_venv(base, "")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if uv:
                try:
                    self._make_by_uv(uv, base, place)
                    return
                except ExecutionError as error:
                    if self._is_closed or not base.can_make_environments:
                        raise
                    _log.info("uv could not make the environment: %s", error)
            command = [base.interpreter.path, "-I", "-c", _GUARDED_VENV, "--clear", str(place)]
            self._run(command, base)
        except OSError as error:
            raise _not_written(error, place) from error

    def _make_by_uv(self, uv: str, base: ProbedInterpreter, place: Path) -> None:
        """Make an environment; pip comes into it from the base's wheels, where it has them.

        Nothing is fetched, and a cache that cannot be written does not matter.
        """
        options = ["--quiet", "--no-config", "--no-cache", "--offline", "--color", "never"]
        python = ["--no-python-downloads", "--python", base.interpreter.path]
        self._run([uv, "venv", *options, *python, "--no-project", "--clear", str(place)], base)
        if not base.wheels:
            return
        # As `venv` does: until 3.12 packages counted on setuptools.
        names = ["pip", "setuptools"] if base.version < (3, 12) else ["pip"]
        source = ["--no-index", "--find-links", base.wheels, "--python", str(python_in(place))]
        try:
            self._run([uv, "pip", "install", *options, *source, *names], base)
        except ExecutionError as error:
            if self._is_closed:
                raise
            _log.info("the environment has no pip of its own, uv installs: %s", error)

    def _run(self, command: list[str], base: ProbedInterpreter) -> None:
        variables = environment.kernel_environment(base.interpreter.path, os.environ)
        process = subprocess.Popen(
            command,
            cwd=environment.OWN_FOLDER,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # pip is a child of it: both must end when it is given up
        )
        self._processes.add(process)
        if self._is_closed:
            _end_group(process)
        with process:
            # Not by `communicate`: it would close the input, by which the process knows of us.
            output = process.stdout.read() if process.stdout else b""
            process.wait()
        self._processes.discard(process)
        if process.returncode != 0:
            raise _no_venv(base, output.decode(errors="replace").strip()[-500:])

    def _base_pythons(self, path: str) -> list[ProbedInterpreter]:
        if self._bases is not None:
            return [probe(path) for path in self._bases]
        bases: list[ProbedInterpreter] = []
        own = getattr(sys, "_base_executable", None) or sys.executable
        if not getattr(sys, "frozen", False):
            bases.append(probe(own))
        if not bases or not (bases[0].can_make_environments or self._find_uv()):
            found = search(path=path)
            others = (other for other in found if other.interpreter.kind == "system")
            bases += sorted(others, key=lambda other: other.rank, reverse=True)
        return bases

    def _set(self, status: EnvironmentStatus) -> None:
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)


_GUARDED_VENV = """
import os, runpy, signal, sys, threading
def end_with_parent():
    os.read(0, 1)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("venv", run_name="__main__")
"""
"""The module venv, that ends with its pip when the program does, however that ended."""
_CREATING = phrase("A Python environment for your code is being made.")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
        os.killpg(process.pid, signal.SIGKILL)


def _kernel(place: Place) -> Interpreter:
    return Interpreter(path=place.id, version="", label=place.label, kind="jupyter")


def _bundled() -> Interpreter:
    version = ".".join(str(part) for part in sys.version_info[:3])
    label = f"Python {version} · built in, without packages"
    return Interpreter(
        path=sys.executable, version=version, label=label, kind="bundled", has_pip=False
    )


def _not_written(error: OSError, place: Path) -> ExecutionError:
    return ExecutionError(
        "The Python environment could not be written.",
        detail=f"{error.filename or place}: {error.strerror}.",
        remedy="Free disk space or choose another interpreter.",
    )


def _no_base() -> ExecutionError:
    return ExecutionError(
        "There is no Python to make an environment from.",
        remedy="Install Python 3.9 or newer, for example: sudo apt install python3 python3-venv",
    )


def _no_venv(base: ProbedInterpreter, detail: str) -> ExecutionError:
    major, minor = base.version[:2]
    package = f"python{major}.{minor}-venv"
    return ExecutionError(
        "The Python environment could not be made.",
        detail=detail
        or phrase(
            "{path} comes without the modules venv and ensurepip.", path=base.interpreter.path
        ),
        remedy=phrase(
            "On Debian and Ubuntu install them: sudo apt install {package}", package=package
        ),
    )
