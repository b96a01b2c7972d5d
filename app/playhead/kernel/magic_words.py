"""Does what magics stand for: commands of the shell, packages, times, the folder."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, Callable

from . import foreign, looking, rich, scripts
from .callers import caller_of
from .capture import Capture
from .timing_magic import duration, measure, profile

if TYPE_CHECKING:
    from .channel import Channel
    from .display import Display

_PIP = re.compile(r"^\s*(?:pip3?|python3?\s+-m\s+pip)(?=\s)")
_INSERTED = re.compile(r"\$\$|\{\{|\}\}|\{([^{}\n]+)\}|\$([A-Za-z_]\w*)")
_COMMANDS = ("ls", "ll", "cat", "mkdir", "rmdir", "rm", "cp", "mv", "head", "tail", "touch")
_ACCEPTED = (
    "load_ext", "unload_ext", "reload_ext", "precision", "autosave", "xmode", "colors", "automagic",
    "pprint", "aimport",
)  # fmt: skip
_WITHOUT = {
    "debug": "There is no debugger here. Print what you want to know.",
    "pdb": "There is no debugger here. Print what you want to know.",
    "history": "There is no history here: the conversation has every block.",
    "hist": "There is no history here: the conversation has every block.",
    "load": "Nothing can be loaded into a block: read the file, or run it with %run.",
    "memit": "Memory is not measured here: use tracemalloc.",
    "mprun": "Memory is not measured here: use tracemalloc.",
    "lprun": "Lines are not profiled here: use %prun, or the times beside the code.",
    "store": "Nothing can be stored here: write a file.",
}
"""Magics that cannot work here, and what does."""
_NO_TERMINAL = (
    "There is no terminal here that sudo could ask on. Use `sudo -S`, which reads the password from"
    " the text that is sent to the run, or `sudo -n` where none is needed.\n"
)


class MagicError(Exception):
    """A magic that is not known here, or that cannot do what it was asked."""

    __module__ = "builtins"  # or tracebacks would name a file of ours


class Lines(list):  # type: ignore[type-arg]
    """The lines that a command wrote, as notebooks know them."""

    @property
    def n(self) -> str:
        """All of it, with line ends."""
        return "\n".join(self)

    @property
    def s(self) -> str:
        """All of it, with spaces."""
        return " ".join(self)

    @property
    def l(self) -> list[str]:  # noqa: E743 - the name that notebooks use
        """The plain list."""
        return list(self)


class MagicWords:
    """What blocks call under `magics.CALL`; names in `{…}` are the calling block's."""

    def __init__(self, channel: Channel, display: Display) -> None:
        self._channel = channel
        self._display = display
        self._old_folder = os.getcwd()
        self._at_end: list[Callable[[], None]] = []

    def close_block(self) -> None:
        """Do what was left for the end of the block."""
        waiting, self._at_end = self._at_end, []
        for finish in reversed(waiting):
            finish()

    def shell(self, command: str, names: dict[str, Any] | None = None) -> None:
        """`!command`."""
        self._run_shell(_filled(command, caller_of(2) if names is None else names))

    def about(self, name: str, wants_source: bool) -> None:
        """`name?`."""
        sys.stdout.write(looking.about(name, caller_of(2), wants_source))

    def output_of(self, command: str, names: dict[str, Any] | None = None) -> Lines:
        """`x = !command`."""
        text = _for_this_python(_filled(command, caller_of(2) if names is None else names))
        self._channel.flush()
        done = subprocess.run(text, shell=True, stdout=subprocess.PIPE, check=False)  # noqa: S602
        return Lines(done.stdout.decode("utf-8", "backslashreplace").splitlines())

    def line(self, name: str, rest: str, names: dict[str, Any] | None = None) -> Any:
        """`%name rest`."""
        names = caller_of(2) if names is None else names
        if name in _COMMANDS:
            return self._run_shell(_filled(f"{name} {rest}", names))
        if name in _ACCEPTED:
            return None
        method = getattr(self, "_line_" + name, None)
        if method is None:
            otherwise = f"There is no magic %{name} here. Write it in Python, or `!` commands."
            raise MagicError(_WITHOUT.get(name, otherwise))
        return method(rest, names)

    def cell(self, name: str, rest: str, body: str, names: dict[str, Any] | None = None) -> Any:
        """`%%name rest` over a whole block."""
        names = caller_of(2) if names is None else names
        if name in scripts.WORDS:
            self._channel.flush()
            return scripts.run(name, _filled(rest, names), body)
        kind = _PAGES.get(name.lower())
        if kind is not None:
            return self._display.send(rich.Shown(kind[0], body.encode("utf-8"), kind[1]))
        method = getattr(self, "_cell_" + name, None)
        if method is None:
            raise MagicError(f"There is no magic %%{name} here. Write it in Python.")
        return method(rest, body, names)

    def open(self, name: str, rest: str) -> None:
        """`%%time` or `%%capture` over the statements that follow."""
        if name == "time":
            began, used = time.perf_counter(), time.process_time()
            self._at_end.append(lambda: _print_times(began, used))
            return
        words, names = rest.split(), caller_of(2)
        target = next((word for word in words if not word.startswith("-")), "")
        if target and not target.isidentifier():
            raise MagicError(f"%%capture keeps what it takes in a variable: {target} is no name.")
        capture = Capture(self._display, tuple(words))
        self._at_end.append(lambda: _keep(target, capture.end(), names))

    def _run_shell(self, command: str) -> None:
        self._channel.flush()
        text = _for_this_python(command)
        status = subprocess.call(text, shell=True)  # noqa: S602 - what it stands for
        if status and re.search(r"\bsudo\b(?!.*\s-[A-Za-z]*[SnA])", text):
            self._channel.complain(_NO_TERMINAL)

    def _line_pip(self, rest: str, names: dict[str, Any]) -> None:
        if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
            raise MagicError(
                "There is no pip in the Python that runs here, so nothing can be installed."
                " Choose another interpreter for this conversation."
            )
        self._run_shell(f"pip {_filled(rest, names)}")
        importlib.invalidate_caches()

    def _line_cd(self, rest: str, names: dict[str, Any]) -> None:
        wanted = _filled(rest, names).strip().strip("'\"")
        folder = self._old_folder if wanted == "-" else os.path.expanduser(wanted or "~")
        old = os.getcwd()
        os.chdir(folder)
        self._old_folder = old
        sys.stdout.write(os.getcwd() + "\n")

    def _line_pwd(self, rest: str, names: dict[str, Any]) -> str:
        return os.getcwd()

    def _line_env(self, rest: str, names: dict[str, Any]) -> Any:
        name, has_value, value = rest.replace("=", " ", 1).strip().partition(" ")
        if not has_value:
            return os.environ.get(name) if name else dict(os.environ)
        os.environ[name] = _filled(value.strip(), names)
        return None

    _line_set_env = _line_env

    def _line_config(self, rest: str, names: dict[str, Any]) -> None:
        if "figure_format" in rest:
            foreign.choose_formats(self._display, re.findall(r"\w+", rest.partition("=")[2]))

    def _line_autoreload(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write("Changed modules are not loaded anew here: use importlib.reload.\n")

    def _line_run(self, rest: str, names: dict[str, Any]) -> None:
        path, *arguments = shlex.split(_filled(rest, names))
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        old, sys.argv = sys.argv, [path, *arguments]
        try:
            exec(code, names)
        finally:
            sys.argv = old

    def _line_time(self, rest: str, names: dict[str, Any]) -> Any:
        began, used = time.perf_counter(), time.process_time()
        value = _evaluate(rest, names)
        _print_times(began, used)
        return value

    def _line_timeit(self, rest: str, names: dict[str, Any]) -> Any:
        return measure(rest, "", names)

    def _cell_timeit(self, rest: str, body: str, names: dict[str, Any]) -> Any:
        return measure(rest, body, names)

    def _line_matplotlib(self, rest: str, names: dict[str, Any]) -> None:
        if rest.strip().strip("-") not in ("", "inline", "agg", "list"):
            sys.stdout.write("Figures are pictures here: they cannot be zoomed or moved.\n")

    def _line_pylab(self, rest: str, names: dict[str, Any]) -> None:
        exec("import numpy as np\nimport matplotlib.pyplot as plt\nfrom pylab import *", names)

    def _line_who(self, rest: str, names: dict[str, Any]) -> None:
        found = looking.own_names(names, rest)
        sys.stdout.write(("  ".join(found) or "There are no names yet.") + "\n")

    def _line_who_ls(self, rest: str, names: dict[str, Any]) -> list[str]:
        return looking.own_names(names, rest)

    def _line_whos(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(looking.listing(names, rest))

    def _line_pinfo(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(looking.about(rest.strip(), names, wants_source=False))

    def _line_pinfo2(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(looking.about(rest.strip(), names, wants_source=True))

    def _line_reset(self, rest: str, names: dict[str, Any]) -> None:
        for name in [name for name in names if not name.startswith("_")]:
            del names[name]

    def _line_sx(self, rest: str, names: dict[str, Any]) -> Lines:
        return self.output_of(rest, names)

    _line_system = _line_sx

    def _line_conda(self, rest: str, names: dict[str, Any]) -> None:
        self._run_shell(f"conda {_filled(rest, names)}")
        importlib.invalidate_caches()

    def _line_uv(self, rest: str, names: dict[str, Any]) -> None:
        self._run_shell(f"uv {_filled(rest, names)}")
        importlib.invalidate_caches()

    def _line_prun(self, rest: str, names: dict[str, Any]) -> None:
        profile(rest, names)

    def _cell_prun(self, rest: str, body: str, names: dict[str, Any]) -> None:
        profile(body, names)

    def _cell_writefile(self, rest: str, body: str, names: dict[str, Any]) -> None:
        words = shlex.split(_filled(rest, names))
        is_added = words[:1] in (["-a"], ["--append"])
        path = os.path.expanduser(words[-1])
        with open(path, "a" if is_added else "w", encoding="utf-8") as file:
            file.write(body)
        sys.stdout.write(f"{'Added to' if is_added else 'Wrote'} {path}\n")

    _cell_file = _cell_writefile


_PAGES = {
    "html": ("html", "html"),
    "markdown": ("markdown", "md"),
    "latex": ("latex", "tex"),
    "svg": ("svg", "svg"),
    "javascript": ("javascript", "js"),
    "js": ("javascript", "js"),
}


def _keep(name: str, captured: Any, names: dict[str, Any]) -> None:
    if name:
        names[name] = captured


def _filled(text: str, names: dict[str, Any]) -> str:
    """Put values in the place of `{expression}` and `$name`; what is none of ours stays."""

    def value(match: re.Match[str]) -> str:
        expression, name = match.groups()
        if match[0] == "$$":
            return "$"
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if name is not None:
            return str(names[name]) if name in names else match[0]
        try:
            return str(eval(expression, names))  # noqa: S307 - an expression of the block
        except Exception:  # noqa: BLE001 - awk's braces and many others look like this
            return match[0]

    return _INSERTED.sub(value, text)


def _for_this_python(command: str) -> str:
    """Let pip mean the Python that runs here, whatever is first on the path."""
    if getattr(sys, "frozen", False):
        return command
    return _PIP.sub(lambda match: f"{shlex.quote(sys.executable)} -m pip", command)


def _evaluate(code: str, names: dict[str, Any]) -> Any:
    try:
        expression = compile(code, "<time>", "eval", dont_inherit=True)
    except SyntaxError:
        exec(compile(code, "<time>", "exec", dont_inherit=True), names)
        return None
    return eval(expression, names)  # noqa: S307 - code of the block


def _print_times(began: float, used: float) -> None:
    wall, cpu = time.perf_counter() - began, time.process_time() - used
    sys.stdout.write(f"CPU time: {duration(cpu)}, wall time: {duration(wall)}\n")
