"""Languages that other programs run; each says how its program is started and stopped."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from typing import Sequence

from ..driver import Driver, DriverContext, Job, Outcome
from .block_input import BlockInput, write_block
from .child import ChildDriver, ChildExited

_STOP_LIMIT_S = 0.2
_JAVASCRIPT_INSTALL = {
    "linux": "Install the package nodejs (`sudo apt install nodejs`), version 18 or newer.",
    "darwin": "Install it with `brew install node`, or from https://nodejs.org.",
    "": "Install Node.js, version 18 or newer, from https://nodejs.org.",
}


class JavaScript(ChildDriver):
    """One Node.js for all blocks; needs version 18.

    A block lasts until all that it began has ended: awaited code, timers, requests, children. What
    only waits to be used (a listening server, an open connection) continues after it.
    """

    word = "javascript"
    name = "JavaScript"
    aliases = ("js", "node", "nodejs", "node.js", "mjs", "cjs")
    programs = ("node", "nodejs")
    install = _JAVASCRIPT_INSTALL
    script = "javascript/kernel.js"
    suffix = ".js"

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._stopped_at = 0.0

    def command(self, script: str) -> list[str]:
        """Return the command; Node's checks would refuse a stop inside a timer's callback."""
        return [self.context.program, "--no-force-async-hooks-checks", script]

    def interrupt(self) -> None:
        """Stop by the pipe of the jobs: a signal waits until the code is back in the event loop."""
        child = self._child
        if child is None:
            return
        with contextlib.suppress(ChildExited, OSError):  # it ends just now
            child.send("stop", self.context.channel.run)
        now = time.monotonic()
        if not self._is_stopped:
            self._is_stopped, self._stopped_at = True, now
        elif now - self._stopped_at > _STOP_LIMIT_S:
            self._input.feed("", is_end=True)  # for who waits in the system's `read`


_R_INSTALL = {
    "linux": "Install the package r-base (`sudo apt install r-base`).",
    "darwin": "Install it with `brew install r`, or from https://cran.r-project.org.",
    "": "Install it from https://cran.r-project.org.",
}
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")


class R(ChildDriver):
    """One R for all blocks; needs R 3.6.

    The script opens its input again for each question, since R cannot give a process another
    standard input; it stays the same pipe for all blocks.
    """

    word = "r"
    name = "R"
    aliases = ("rscript", "rlang")
    programs = ("Rscript",)
    install = _R_INSTALL
    script = "r.R"
    suffix = ".R"
    renews_input = False
    memory_error = re.compile(r"cannot allocate (vector|memory)|memory exhausted")

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._stop_file = ""

    def command(self, script: str) -> list[str]:
        """Return the command, without the user's profile and variables but with their packages."""
        options = ["--no-init-file", "--no-restore", "--no-save"]
        return [self.context.program, *options, script]

    def variables(self) -> dict[str, str]:
        """Return a UTF-8 locale: without it R writes other scripts than English as `<U+00E9>`."""
        chosen = next((os.environ[name] for name in _LOCALE if os.environ.get(name)), "")
        if "utf" in chosen.lower():
            return {}
        return {"LC_ALL": "", "LC_CTYPE": "C.UTF-8"}

    def interrupt(self) -> None:
        """Stop the block, also by a file: R ignores the signal while it waits for a command."""
        if self._stop_file:
            with contextlib.suppress(OSError):
                open(self._stop_file, "w", encoding="ascii").close()
        super().interrupt()

    def _fields(self, job: Job) -> list[str]:
        fields = super()._fields(job)
        self._stop_file = fields[1] + ".stop"
        return [*fields, str(job.dpi)]


_RUBY_INSTALL = {
    "linux": "Install the package ruby (`sudo apt install ruby`).",
    "darwin": "Install it with `brew install ruby`.",
    "": "Install it from https://www.ruby-lang.org.",
}


class Ruby(ChildDriver):
    """One Ruby for all blocks; needs Ruby 2.7."""

    word = "ruby"
    name = "Ruby"
    aliases = ("rb", "irb")
    programs = ("ruby",)
    install = _RUBY_INSTALL
    script = "ruby.rb"
    suffix = ".rb"
    memory_error = re.compile(r"^NoMemoryError")

    def command(self, script: str) -> list[str]:
        """Return the command, with UTF-8 for all text, whatever the locale is."""
        return [self.context.program, "-Eutf-8", script]


_POWERSHELL_INSTALL = {
    "linux": "Install it as https://aka.ms/powershell says for your distribution.",
    "darwin": "Install it with `brew install powershell`.",
}


class PowerShell(ChildDriver):
    """One `pwsh` for all blocks; a stop ends it, and its names with it. Not run here.

    The Windows PowerShell of old is not meant: pipes with numbers are what Linux and macOS have.
    """

    word = "powershell"
    name = "PowerShell"
    aliases = ("pwsh", "ps1")
    programs = ("pwsh",)
    install = _POWERSHELL_INSTALL
    script = "powershell.ps1"
    suffix = ".ps1"
    renews_input = False

    def command(self, script: str) -> list[str]:
        """Return the command, without the user's profile and without questions to a terminal."""
        options = ["-NoLogo", "-NoProfile", "-NonInteractive"]
        return [self.context.program, *options, "-File", script]

    def variables(self) -> dict[str, str]:
        """Return variables for no colours in a pipe, and no update check or telemetry."""
        return {
            "NO_COLOR": "1",
            "POWERSHELL_UPDATECHECK": "Off",
            "POWERSHELL_TELEMETRY_OPTOUT": "1",
        }


class OneShotDriver(Driver):
    """A language that starts a program of its own for each block.

    It keeps no variables from one block to the next, and its running line is unknown. The program
    inherits the descriptors: its output is written to them directly.
    """

    suffix: str = ".txt"
    """Of the files with the code."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._input = BlockInput(context.spool)
        self._folder = os.getcwd()
        self._count = 0
        self._is_stopped = False

    def command(self, path: str) -> Sequence[str]:
        """Return the program and its arguments that run the file at `path`."""
        return [self.context.program, path]

    def prepare(self, code: str) -> str:
        """Return the text that goes into the block's file."""
        return code

    def start(self) -> str:
        """Return "": nothing runs before there is a block, and the version is not requested."""
        return ""

    def expect_run(self) -> None:
        """Take text from now on as the next block's."""
        self._input.renew()

    def feed(self, text: str, *, is_end: bool) -> None:
        """Give the block text, then its end if so."""
        self._input.feed(text, is_end)

    def read_bytes(self) -> int:
        """Return how much of it the block has read."""
        return self._input.read_bytes()

    def interrupt(self) -> None:
        """Stop the block: its program gets its signal from the parent, as all that a run starts."""
        self._is_stopped = True

    def execute(self, job: Job) -> Outcome:
        """Run a block from its start to its end."""
        os.set_blocking(self.context.descriptors.output, True)
        self._is_stopped = False
        self._folder = job.folder or self._folder
        path = self._write(job.code)
        try:
            with self.context.interrupts.diverted(self.interrupt):
                status = self._run(path)
        except OSError as error:
            self.context.channel.complain(f"{self.name} could not be started: {error}\n")
            return Outcome("finished", exit_status=127)
        if self._is_stopped:
            return Outcome("interrupted")
        if status < 0:
            self.context.channel.complain(f"{self.name} ended by signal {-status}.\n")
        return Outcome("finished", exit_status=status if status >= 0 else 128 - status)

    def _write(self, code: str) -> str:
        self._count += 1
        # Java takes the file's name for a class without one: it may not contain a hyphen.
        path = os.path.join(self.context.spool, "block_%d%s" % (self._count, self.suffix))
        write_block(path, self.prepare(code))
        return path

    def _run(self, path: str) -> int:
        reader = self._input.reader
        with subprocess.Popen(self.command(path), stdin=reader, cwd=self._folder) as process:
            self._input.opened()
            return process.wait()


_JAVA_INSTALL = {
    "linux": "Install a JDK (`sudo apt install default-jdk`).",
    "darwin": "Install it with `brew install openjdk`.",
    "": "Install a JDK, version 11 or newer, from https://adoptium.net.",
}
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_IMPORT = re.compile(r"^[ \t]*import\s[^;\n]+;", re.M)
_HEAD = "import java.util.*; public class Main { public static void main(String[] args) \
throws Exception {"


class Java(OneShotDriver):
    """Compiles and runs a file as `java FILE` does, which needs Java 11. Run here with 17, 25."""

    word = "java"
    name = "Java"
    programs = ("java",)
    install = _JAVA_INSTALL
    suffix = ".java"

    def command(self, path: str) -> list[str]:
        """Return the command, with UTF-8 for all text: before Java 18 it is the locale's."""
        options = [f"-D{name}.encoding=UTF-8" for name in ("file", "stdout", "stderr")]
        return [self.context.program, *options, path]

    def prepare(self, code: str) -> str:
        """Return statements alone as the body of a program, each on its own line as before."""
        if _MAIN.search(code):
            return code
        imports = " ".join(match.group().strip() for match in _IMPORT.finditer(code))
        return f"{imports}{_HEAD}{_IMPORT.sub('', code)}\n}}}}\n"


class AppleScript(OneShotDriver):
    """Runs scripts with `osascript`, which prints their result itself. Not run here."""

    word = "applescript"
    name = "AppleScript"
    aliases = ("osascript",)
    programs = ("osascript",)
    suffix = ".applescript"


class Html(Driver):
    """Passes a page on as a result; it needs no program."""

    word = "html"
    name = "HTML"
    aliases = ("htm", "xhtml")
    only_shows = True

    def start(self) -> str:
        """Return "": there is nothing to start."""
        return ""

    def execute(self, job: Job) -> Outcome:
        """Show the block."""
        name = "%s.html" % self.context.channel.run
        with open(os.path.join(self.context.spool, name), "wb") as file:
            file.write(job.code.encode("utf-8", "replace"))
        self.context.channel.send("show", kind="html", file=name)
        return Outcome("finished")
