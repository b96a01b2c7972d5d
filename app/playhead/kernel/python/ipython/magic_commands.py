"""Run magic commands.

They are the shell and packages, scripts for other programs, captured output, help on names,
`%timeit` and `%prun`.
"""

from __future__ import annotations

import importlib.util
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import types
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence

from ...protocol import MANAGED
from .. import representations
from ..display_publisher import choose_formats
from ..short_text import class_name, one_line
from .shell_stand_in import caller_of

if TYPE_CHECKING:
    from ...channel import Channel
    from ..display_publisher import DisplayPublisher
    from .package_installer import Answer


_COLUMN_LIMIT = 24


def help_text(name: str, names: dict[str, Any], wants_source: bool) -> str:
    """Return signature, documentation and place of a name's value; its source if wanted."""
    import inspect  # slow to import, and rarely wanted

    try:
        value = eval(name, names)  # noqa: S307 - names and dots only
    except (NameError, AttributeError):
        return f"There is no {name}.\n"
    if wants_source and (source := _source(value)):
        return source if source.endswith("\n") else source + "\n"
    lines = [f"Type:      {type(value).__name__}"]
    if callable(value):
        lines.insert(0, f"Signature: {name}{_signature(value)}")
    else:
        lines.append(f"Value:     {one_line(value)}")
    if file := getattr(inspect.getmodule(value), "__file__", None):
        lines.append(f"File:      {file}")
    return "\n".join([*lines, "", inspect.getdoc(value) or "It has no description."]) + "\n"


def own_names(names: dict[str, Any], kinds: str = "") -> list[str]:
    """Return the names that blocks made, only of certain types if those are named."""
    wanted = kinds.split()
    return sorted(
        name
        for name, value in list(names.items())
        if not name.startswith("_")
        and type(value) is not types.ModuleType
        and (not wanted or class_name(value) in wanted)
    )


def names_table(names: dict[str, Any], kinds: str = "") -> str:
    """Return a line for each of the names: type and short value."""
    rows = [
        (name, class_name(names[name]), one_line(names[name], 80))
        for name in own_names(names, kinds)
    ]
    if not rows:
        return "There are no names yet.\n"
    rows.insert(0, ("Name", "Type", "Value"))
    widths = [min(_COLUMN_LIMIT, max(len(row[at]) for row in rows)) for at in (0, 1)]
    return "".join(
        f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {value}\n" for name, kind, value in rows
    )


def _signature(value: Any) -> str:
    import inspect

    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(…)"


def _source(value: Any) -> str:
    import inspect

    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return ""


_CODE_OPTIONS = {"bash": "-c", "sh": "-c", "zsh": "-c", "perl": "-e", "ruby": "-e"}
_PYTHONS = ("python", "python3", "pypy", "pypy3")
SCRIPT_MAGICS = (*_CODE_OPTIONS, *_PYTHONS, "script")
"""Cell magics that are programs."""
_NOTEBOOK_OPTIONS = ("--no-raise-error", "--bg", "--proc", "--out", "--err")


class ScriptError(Exception):
    """A block for another program that could not be run, or that ended with a status."""

    __module__ = "builtins"  # or tracebacks would name a file of ours


def run_script(word: str, rest: str, body: str) -> None:
    """Run a block and wait for it. Raises ScriptError, also where it ends with a status."""
    words = shlex.split(rest)
    unknown = next((one for one in words if one.partition("=")[0] in _NOTEBOOK_OPTIONS[1:]), "")
    if unknown:
        raise ScriptError(f"%%{word} does not support {unknown} here: use subprocess.")
    wants_error = _NOTEBOOK_OPTIONS[0] not in words
    words = [one for one in words if one != _NOTEBOOK_OPTIONS[0]]
    command, text = _script_command(word, words, body)
    if shutil.which(command[0]) is None:
        raise ScriptError(f"There is no {command[0]} on this machine.")
    done = subprocess.run(command, input=text, check=False)
    if done.returncode and wants_error:
        raise ScriptError(f"The commands ended with status {done.returncode}.")


def _script_command(word: str, words: Sequence[str], body: str) -> tuple[list[str], bytes | None]:
    """Return the command, and the block as its standard input, or None for another input."""
    if word == "script":
        if not words:
            raise ScriptError("%%script needs the name of a program.")
        return list(words), body.encode()
    is_own = word in _PYTHONS[:2] and not getattr(sys, "frozen", False)
    program = sys.executable if is_own else word
    flag = _CODE_OPTIONS.get(word, "-c")
    zero = [word] if flag == "-c" and word in _CODE_OPTIONS else []  # the name that $0 has there
    return [program, flag, body, *zero, *words], None


_STREAMS = ((1, "stdout"), (2, "stderr"))


class CapturedOutput:
    """The output that a block printed and showed; called or shown it is emitted after all."""

    def __init__(
        self, stdout: str, stderr: str, outputs: list[Any], display: DisplayPublisher
    ) -> None:
        self.stdout, self.stderr, self.outputs = stdout, stderr, outputs
        self._display = display

    def __str__(self) -> str:
        return self.stdout

    def __repr__(self) -> str:
        shown = len(self.outputs)
        return f"<captured: {len(self.stdout):,} characters, {shown} shown; .show() lets them out>"

    def show(self) -> None:
        """Let it out."""
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for value in self.outputs:
            self._display.show(value)

    __call__ = show


class Capture:
    """Owner of the files that replace the descriptors until `end`."""

    def __init__(self, display: DisplayPublisher, without: tuple[str, ...] = ()) -> None:
        self._display = display
        self._files: list[tuple[int, int, str, Any]] = []
        for fd, name in _STREAMS:
            if f"--no-{name}" not in without:
                self._divert(fd, name)
        if "--no-display" not in without:
            display.captured = []

    def end(self) -> CapturedOutput:
        """Restore the descriptors and return what was captured."""
        if self._display.captured is not None:
            self._display.show_open_figures()
        outputs, self._display.captured = self._display.captured or [], None
        texts = {"stdout": "", "stderr": ""}
        for fd, kept, name, file in self._files:
            _flush_stream(name)
            os.dup2(kept, fd)
            os.close(kept)
            file.seek(0)
            texts[name] = file.read().decode("utf-8", "backslashreplace")
            file.close()
        self._files = []
        return CapturedOutput(texts["stdout"], texts["stderr"], outputs, self._display)

    def _divert(self, fd: int, name: str) -> None:
        import tempfile  # only this needs it

        _flush_stream(name)
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._files.append((fd, os.dup(fd), name, file))
        os.dup2(file.fileno(), fd)


def _flush_stream(name: str) -> None:
    try:
        getattr(sys, name).flush()
    except (AttributeError, OSError, ValueError):
        return  # replaced or closed by the block


class TimeitResult(NamedTuple):
    """The result of `-o`."""

    average: float
    stdev: float
    best: float
    worst: float
    loops: int
    repeat: int

    def __str__(self) -> str:
        runs = f"{self.repeat} run{'s' if self.repeat != 1 else ''}"
        loops = f"{self.loops:,} loop{'s' if self.loops != 1 else ''} each"
        spread = f"{duration(self.average)} ± {duration(self.stdev)}"
        return f"{spread} per loop (mean ± std. dev. of {runs}, {loops})"

    __repr__ = __str__


def measure(rest: str, body: str, names: dict[str, Any]) -> TimeitResult | None:
    """Time the rest of the line, or `body` with the rest of the line as its preparation."""
    import timeit  # slow to import, and rarely wanted

    options, code = _timeit_options(rest)
    statement, setup = (body, code or "pass") if body else (code, "pass")
    timer = timeit.Timer(statement, setup, globals=names)
    loops = int(options.get("-n", 0)) or timer.autorange()[0]
    repeat = int(options.get("-r", 7))
    times = [total / loops for total in timer.repeat(repeat, loops)]
    average = math.fsum(times) / len(times)
    spread = math.sqrt(math.fsum((one - average) ** 2 for one in times) / len(times))
    result = TimeitResult(average, spread, min(times), max(times), loops, repeat)
    if "-q" not in options:
        sys.stdout.write(f"{result}\n")
    return result if "-o" in options else None


def _timeit_options(rest: str) -> tuple[dict[str, str], str]:
    """Return the options before the code, and the code as it was written."""
    import getopt
    import shlex

    words = rest.split(" ")
    count = 0
    while count < len(words) and words[count].startswith("-") and len(words[count]) > 1:
        count += 2 if words[count] in ("-n", "-r", "-p") else 1
    found, _ = getopt.getopt(shlex.split(" ".join(words[:count])), "n:r:p:tcqov:")
    return dict(found), " ".join(words[count:]).strip()


def profile(code: str, names: dict[str, Any]) -> None:
    """Run code once and print which functions took the most time."""
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    try:
        profiler.runctx(code, names, names)
    finally:
        pstats.Stats(profiler, stream=sys.stdout).sort_stats("cumulative").print_stats(20)


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


_PIP = re.compile(r"^\s*(?:pip3?|python3?\s+-m\s+pip)(?=\s)")
_ALSO_BY_UV = ("uninstall", "list", "freeze", "show", "check")
_INSERTED = re.compile(r"\$\$|\{\{|\}\}|\{([^{}\n]+)\}|\$([A-Za-z_]\w*)")
_SHELL_COMMANDS = ("ls", "ll", "cat", "mkdir", "rmdir", "rm", "cp", "mv", "head", "tail", "touch")
_IGNORED = (
    "load_ext", "unload_ext", "reload_ext", "precision", "autosave", "xmode", "colors", "automagic",
    "pprint", "aimport",
)  # fmt: skip
_UNSUPPORTED = {
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


class UsageError(Exception):
    """A magic that is not known here, or that cannot do what it was asked."""

    __module__ = "builtins"  # or tracebacks would name a file of ours


class InstallError(Exception):
    """Packages that were not installed, and what helps."""

    __module__ = "builtins"


class Lines(list):  # type: ignore[type-arg]
    """The lines that a command wrote, as notebooks know them."""

    @property
    def n(self) -> str:
        """Return the whole text, with line ends."""
        return "\n".join(self)

    @property
    def s(self) -> str:
        """Return the whole text, with spaces."""
        return " ".join(self)

    @property
    def l(self) -> list[str]:  # noqa: E743 - the name that notebooks use
        """Return the plain list."""
        return list(self)


class MagicCommands:
    """The functions that blocks call by `magics.CALL`; names in `{…}` are the calling block's."""

    def __init__(self, channel: Channel, display: DisplayPublisher, uv: str = "") -> None:
        self._channel = channel
        self._display = display
        self._uv = uv
        self._old_folder = os.getcwd()
        self._at_end: list[Callable[[], None]] = []

    def close_block(self) -> None:
        """Do what was left for the end of the block."""
        waiting, self._at_end = self._at_end, []
        for finish in reversed(waiting):
            finish()

    def shell(self, command: str, names: dict[str, Any] | None = None) -> None:
        """Run `!command`."""
        text = _filled(command, caller_of(2) if names is None else names)
        pip = _PIP.match(text)
        if pip and _is_managed():
            answer = self._run_pip(text[pip.end() :].strip())
            if answer is not None and answer.advice:
                sys.stdout.write(f"{answer.advice}\n")
        else:
            self._run_shell(text)

    def about(self, name: str, wants_source: bool) -> None:
        """Print the help of `name?`."""
        sys.stdout.write(help_text(name, caller_of(2), wants_source))

    def output_of(self, command: str, names: dict[str, Any] | None = None) -> Lines:
        """Return the lines of `x = !command`."""
        text = _for_this_python(_filled(command, caller_of(2) if names is None else names))
        self._channel.flush()
        done = subprocess.run(text, shell=True, stdout=subprocess.PIPE, check=False)  # noqa: S602
        return Lines(done.stdout.decode("utf-8", "backslashreplace").splitlines())

    def line(self, name: str, rest: str, names: dict[str, Any] | None = None) -> Any:
        """Run `%name rest`."""
        names = caller_of(2) if names is None else names
        if name in _SHELL_COMMANDS:
            return self._run_shell(_filled(f"{name} {rest}", names))
        if name in _IGNORED:
            return None
        method = getattr(self, "_line_" + name, None)
        if method is None:
            otherwise = f"There is no magic %{name} here. Write it in Python, or `!` commands."
            raise UsageError(_UNSUPPORTED.get(name, otherwise))
        return method(rest, names)

    def cell(self, name: str, rest: str, body: str, names: dict[str, Any] | None = None) -> Any:
        """Run `%%name rest` over a whole block."""
        names = caller_of(2) if names is None else names
        if name in SCRIPT_MAGICS:
            self._channel.flush()
            return run_script(name, _filled(rest, names), body)
        kind = _CELL_REPRESENTATIONS.get(name.lower())
        if kind is not None:
            return self._display.send(
                representations.Representation(kind[0], body.encode("utf-8"), kind[1])
            )
        method = getattr(self, "_cell_" + name, None)
        if method is None:
            raise UsageError(f"There is no magic %%{name} here. Write it in Python.")
        return method(rest, body, names)

    def open(self, name: str, rest: str) -> None:
        """Begin `%%time` or `%%capture` over the statements that follow."""
        if name == "time":
            began, used = time.perf_counter(), time.process_time()
            self._at_end.append(lambda: _print_times(began, used))
            return
        words, names = rest.split(), caller_of(2)
        target = next((word for word in words if not word.startswith("-")), "")
        if target and not target.isidentifier():
            raise UsageError(f"%%capture stores the output in a variable: {target} is not a name.")
        capture = Capture(self._display, tuple(words))
        self._at_end.append(lambda: _keep(target, capture.end(), names))

    def _run_shell(self, command: str) -> None:
        self._channel.flush()
        text = _for_this_python(command)
        status = subprocess.call(text, shell=True)  # noqa: S602 - what it stands for
        if status and re.search(r"\bsudo\b(?!.*\s-[A-Za-z]*[SnA])", text):
            self._channel.complain(_NO_TERMINAL)

    def _line_pip(self, rest: str, names: dict[str, Any]) -> None:
        answer = self._run_pip(_filled(rest, names))
        if answer is not None and not answer.is_done:
            raise InstallError(f"The packages were not installed. {answer.advice}".strip())

    def _run_pip(self, command: str) -> Answer | None:
        """Run pip, or uv in its place; return what came of an installation, if it was one.

        Raises InstallError where there is neither.
        """
        from . import package_installer  # rarely wanted

        self._channel.flush()
        is_managed = _is_managed()
        has_pip = importlib.util.find_spec("pip") is not None
        uv = (self._uv or shutil.which("uv") or "") if is_managed or not has_pip else ""
        if getattr(sys, "frozen", False) or not (has_pip or uv):
            raise InstallError(
                "There is no pip in the Python that runs here, so nothing can be installed."
                " Choose another interpreter for this conversation."
            )
        if is_managed:
            package_installer.remove_halves()
        words = [] if _FOR_A_SHELL.search(command) else shlex.split(command)
        answer = None
        if words[:1] == ["install"]:
            answer = package_installer.install(words[1:], uv, _show_progress)
            _write_progress(answer.words, "\n" if answer.words else "")
        elif not has_pip and words[:1] and words[0] in _ALSO_BY_UV:
            options = [word for word in words[1:] if word not in ("-y", "--yes")]
            subprocess.call([uv, "pip", words[0], "--python", sys.executable, *options])
        elif package_installer.get_pip(uv, _show_progress):
            if not has_pip:
                _write_progress("", "")
            self._run_shell(f"pip {command}")
        else:
            raise InstallError("There is no pip in this environment, and it could not be had.")
        importlib.invalidate_caches()
        return answer

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
            choose_formats(self._display, re.findall(r"\w+", rest.partition("=")[2]))

    def _line_autoreload(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write("Changed modules are not loaded again here: use importlib.reload.\n")

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
        found = own_names(names, rest)
        sys.stdout.write(("  ".join(found) or "There are no names yet.") + "\n")

    def _line_who_ls(self, rest: str, names: dict[str, Any]) -> list[str]:
        return own_names(names, rest)

    def _line_whos(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(names_table(names, rest))

    def _line_pinfo(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(help_text(rest.strip(), names, wants_source=False))

    def _line_pinfo2(self, rest: str, names: dict[str, Any]) -> None:
        sys.stdout.write(help_text(rest.strip(), names, wants_source=True))

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


_CELL_REPRESENTATIONS = {
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
    """Replace `{expression}` and `$name` by their values; other text is unchanged."""

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
    """Make pip mean the Python that runs here, whatever is first on the path."""
    if getattr(sys, "frozen", False):
        return command
    return _PIP.sub(lambda match: f"{shlex.quote(sys.executable)} -m pip", command)


_FOR_A_SHELL = re.compile(r"[|&;$`~*\\]|\s[<>]")
_LONGEST_PROGRESS = 100
_KEPT = ("WARNING", "DEPRECATION", "warning", "Using pip", "uv could not")
"""How lines begin that are for the user to read; all others show the progress."""
_DROPPED = "warning: Failed to hardlink"
"""The cache is on another disk, which changes nothing."""


def _is_managed() -> bool:
    return os.path.isfile(os.path.join(sys.prefix, MANAGED))


def _show_progress(line: str) -> None:
    is_kept = line.startswith(_KEPT) and not line.startswith(_DROPPED)
    _write_progress(line.strip(), "\n" if is_kept else "")


def _write_progress(words: str, end: str) -> None:
    shown = words if end else words[:_LONGEST_PROGRESS]
    sys.stdout.write(f"\r\x1b[K{shown}{end}")
    sys.stdout.flush()


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
