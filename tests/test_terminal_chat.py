"""`playhead chat` as it is: a process at a real pseudo-terminal, or in a pipe."""

from __future__ import annotations

import errno
import json
import os
import re
import select
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from playhead.sandbox.bubblewrap import look_for_sandbox
from tests.support.display import NO_BUS
from tests.support.driver import write_settings
from tests.support.jupyter import described
from tests.support.model_server import (
    GOLDEN_ANSWER,
    GOLDEN_CODE,
    ModelServer,
    Reply,
    Request,
    calls,
    execute,
    text,
)
from tests.support.programs import FOREVER
from tests.support.waiting import until_now
from tests.support.workers import SharedWorker

if sys.platform == "win32":
    pytest.skip("a pseudo-terminal is not to be had", allow_module_level=True)
import fcntl
import pty
import struct
import termios

ROOT = Path(__file__).parents[1]
GOLDEN = (ROOT / "tests/data/division_dialogue.jsonl").read_text("utf-8").splitlines()
DIVISION = (execute(*GOLDEN_CODE), text(*GOLDEN_ANSWER))
WAIT_S = 100.0
"""Just below the limit of a test, so that what was waited for is told."""
PROGRAM = (sys.executable, "-m", "playhead")
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])")
# Makes the pseudo-terminal the one that Ctrl-C comes from.
_TAKE_TERMINAL = (
    "import fcntl, os, signal, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "signal.signal(signal.SIGINT, getattr(signal, sys.argv[1]))\n"
    "os.execv(sys.executable, sys.argv[2:])\n"
)


def environment(home: Path, **more: str) -> dict[str, str]:
    write_settings(home, interpreter=sys.executable)
    own = {f"PLAYHEAD_{name.upper()}_DIR": str(home / name) for name in ("data", "config", "cache")}
    # COLUMNS and LINES would stand for the size of the terminal, whatever that is.
    without = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "NO_COLOR", "COLUMNS", "LINES"}
    kept = {name: value for name, value in os.environ.items() if name not in without}
    given = {"PLAYHEAD_PROVIDER_KEY": "sk-test", "DBUS_SESSION_BUS_ADDRESS": NO_BUS}
    return {**kept, **own, **given, "TERM": "xterm", "PYTHONPATH": str(ROOT / "app"), **more}


class Terminal:
    """A pseudo-terminal with the command in it, and what was written on it."""

    def __init__(
        self,
        arguments: list[str],
        folder: Path,
        variables: Mapping[str, str],
        inherited: str = "SIG_DFL",
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self._master, slave = pty.openpty()
        self._name = os.ttyname(slave)
        self.resize(80, 24)
        command = [*program, "chat", *arguments, "--working-dir", str(folder)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, inherited, *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(variables),
            cwd=folder,
            start_new_session=True,
        )
        os.close(slave)
        self._raw = b""
        self._seen = 0

    @property
    def text(self) -> str:
        """All that was written, without its colours."""
        return _SEQUENCE.sub("", self._raw.decode("utf-8", "replace")).replace("\r\n", "\n")

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def type_at_the_prompt(self, keys: str) -> None:
        """As a person does who sees the prompt: once the line editor waits for keys."""
        self._await_line_editor()
        self.type(keys)

    def press_ctrl_c_at_the_prompt(self) -> None:
        """Once the line editor sleeps over its keys: it would miss a signal before that."""
        self._await_line_editor()
        self.type("\x03")

    def resize_at_the_prompt(self, columns: int, rows: int) -> None:
        """Once the line editor sleeps: while it starts it sets the size that it has read."""
        self._await_line_editor()
        self.resize(columns, rows)

    def _await_line_editor(self) -> None:
        until_now(lambda: self._is_line_edited() and self._sleeps(), WAIT_S)

    def _is_line_edited(self) -> bool:
        return not termios.tcgetattr(self._master)[3] & termios.ICANON

    def _sleeps(self) -> bool:
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        return stat.rpartition(")")[2].split()[0] == "S"

    def expect(self, wanted: str) -> str:
        """Read until it is there, after what was expected before; what stood in between."""
        deadline = time.monotonic() + WAIT_S
        while (place := self.text.find(wanted, self._seen)) < 0:
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"waited in vain for {wanted!r} in:\n{self.text}")
        before = self.text[self._seen : place]
        self._seen = place + len(wanted)
        return before

    def server_pid(self) -> int:
        """The server that the command has started."""
        own = self.process.pid
        (child,) = Path(f"/proc/{own}/task/{own}/children").read_text().split()
        return int(child)

    def has_read_all(self) -> bool:
        """Whether the command has taken every whole line that was typed."""
        slave = os.open(self._name, os.O_RDONLY | os.O_NOCTTY)
        try:
            return not select.select([slave], [], [], 0)[0]
        finally:
            os.close(slave)

    def resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self) -> int:
        """Its exit status, once everything was read."""
        deadline = time.monotonic() + WAIT_S
        while self._read() and time.monotonic() < deadline:
            pass
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def _read(self) -> bool:
        """Take what there is; False when there will be nothing more."""
        if not select.select([self._master], [], [], 0.05)[0]:
            return self.process.poll() is None
        try:
            data = os.read(self._master, 65536)
        except OSError:  # so Linux says that the other side is closed
            return False
        self._raw += data
        return bool(data)


class Desk:
    """A terminal with a chat in it, and the model it asks."""

    def __init__(self, terminal: Terminal, model: ModelServer) -> None:
        self.terminal = terminal
        self.model = model

    def answers(self, *script: Reply) -> Terminal:
        self.model.script = list(script)
        self.model._served = 0
        self.model.requests.clear()
        return self.terminal

    def begin_run(self, code: str, *then: Reply) -> Terminal:
        """Let the model propose this code, and approve it; then it has these answers."""
        terminal = self.answers(execute(code), *(then or (text("Done."),)))
        terminal.type("go\r")
        terminal.expect("[e]dit: ")
        terminal.type("y\r")
        return terminal

    def told_model(self) -> str:
        return json.dumps(self.model.requests[-1].messages)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An editor that writes other code."""
    path = tmp_path_factory.mktemp("bin") / "editor"
    path.write_text('#!/bin/sh\nprintf \'print("edited")\' > "$1"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture(scope="module")
def shared_desk(
    tmp_path_factory: pytest.TempPathFactory, editor: Path, model_worker: SharedWorker
) -> Iterator[Desk]:
    home = tmp_path_factory.mktemp("desk")
    with ModelServer(text("Ready.")) as model:
        options = ["--model", "openai/test", "--api-base", model.base_url]
        variables = environment(home, EDITOR=str(editor))
        terminal = Terminal(options, home, variables, program=model_worker.program)
        try:
            terminal.type("hello\r")  # starts the server
            terminal.expect("Ready.")
            terminal.expect("> ")
            yield Desk(terminal, model)
        finally:
            terminal.type("/quit\r")
            with suppress(subprocess.TimeoutExpired):
                terminal.end()
            terminal.close()


@pytest.fixture
def desk(shared_desk: Desk) -> Iterator[Desk]:
    yield shared_desk
    shared_desk.terminal.type("/reset\r")  # ends the kernel
    shared_desk.terminal.expect("A new conversation.")
    shared_desk.terminal.expect("> ")


def test_code_is_shown_and_runs_after_a_yes(desk: Desk):
    terminal = desk.answers(*DIVISION)
    terminal.type("What's 34/24?\r")
    asked = terminal.expect("[y]es, [n]o, [e]dit: ")
    assert "   1 │ 34 / 24" in asked
    assert "Runs as you, with all your files." in asked
    terminal.type("y\r")
    terminal.expect("1.4166666666666667")
    terminal.expect("The result of the division 34/24 is approximately 1.42.")
    terminal.expect("> ")


def test_a_no_runs_nothing_and_tells_the_model_why(desk: Desk, tmp_path: Path):
    marker = tmp_path / "ran"
    terminal = desk.answers(execute(f"open({str(marker)!r}, 'w')"), text("As you wish."))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.type("maybe\r")
    terminal.expect("Answer y, n")
    terminal.type("n too risky\r")
    terminal.expect("As you wish.")
    terminal.expect("> ")
    assert not marker.exists()
    assert "too risky" in desk.told_model()


def test_edited_code_is_shown_again_and_is_what_runs(desk: Desk):
    terminal = desk.answers(execute("print('original')"), text("Done."))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.type("e\r")
    assert '1 │ print("edited")' in terminal.expect("[e]dit: ")
    terminal.type("y\r")
    assert "original" not in terminal.expect("Done.")
    terminal.expect("> ")
    assert "edited" in desk.told_model()


TWO = calls(execute("print('one' + '!')"), execute("print('two' + '!')", index=1))


def test_several_blocks_of_an_answer_run_after_one_answer(desk: Desk):
    terminal = desk.answers(TWO, text("Both."))
    terminal.type("go\r")
    terminal.expect("Run block 1 of 2? [y]es, [n]o, [e]dit, [a]ll, [s]kip all: ")
    terminal.type("a\r")
    terminal.expect("one!")
    terminal.expect("two!")
    terminal.expect("Both.")
    terminal.expect("> ")


def test_each_of_several_blocks_can_be_decided_and_is_shown_again(desk: Desk):
    terminal = desk.answers(TWO, text("One."))
    terminal.type("go\r")
    terminal.expect("[s]kip all: ")
    terminal.type("y\r")
    terminal.expect("one!")
    assert "print('two' + '!')" in terminal.expect("Run block 2 of 2? [y]es, [n]o, [e]dit: ")
    terminal.type("n\r")
    assert "two!" not in terminal.expect("One.")
    terminal.expect("> ")


def test_all_blocks_are_skipped_with_one_reason(desk: Desk):
    terminal = desk.answers(TWO, text("As you wish."))
    terminal.type("go\r")
    terminal.expect("[s]kip all: ")
    terminal.type("s too risky\r")
    assert "!\n" not in terminal.expect("As you wish.")
    terminal.expect("> ")
    assert desk.told_model().count("too risky") >= 1


def test_what_was_typed_before_the_code_was_seen_approves_nothing(desk: Desk, tmp_path: Path):
    marker = tmp_path / "ran"
    terminal, is_typed = desk.answers(), threading.Event()
    replies = iter([execute(f"open({str(marker)!r}, 'w')"), text("Done.")])

    def reply(request: Request) -> Reply:
        assert is_typed.wait(WAIT_S)
        return next(replies)

    desk.model.script = reply
    terminal.type("go\r")
    assert desk.model.wait_for_requests(1, WAIT_S)
    terminal.type("y\r")
    until_now(lambda: not terminal.has_read_all(), WAIT_S)
    is_typed.set()
    terminal.expect("[e]dit: ")
    assert not marker.exists()
    terminal.type("n\r")
    terminal.expect("Done.")
    terminal.expect("> y")  # a message that can be sent, not an answer
    terminal.type("\x15")
    assert not marker.exists()


def test_a_line_without_an_end_stays_and_approves_nothing(desk: Desk, tmp_path: Path):
    marker = tmp_path / "ran"
    terminal, is_typed = desk.answers(), threading.Event()
    replies = iter([execute(f"open({str(marker)!r}, 'w')"), text("Done.")])

    def reply(request: Request) -> Reply:
        assert is_typed.wait(WAIT_S)
        return next(replies)

    desk.model.script = reply
    terminal.type("go\r")
    assert desk.model.wait_for_requests(1, WAIT_S)
    terminal.type("so\ry")
    terminal.expect("so\ny")  # the terminal shows what it has
    is_typed.set()
    terminal.expect("[e]dit: ")
    terminal.type("\r")
    terminal.expect("Answer y, n")  # and not a yes whose end came later
    terminal.expect("[e]dit: ")
    terminal.type("n\r")
    terminal.expect("Done.")
    terminal.expect("> so")
    assert not marker.exists()
    desk.answers(text("Well."))
    terminal.type("\r")
    terminal.expect("Well.")
    terminal.expect("> y")
    terminal.type("\x15")


def test_ctrl_c_stops_the_code_and_the_chat_goes_on(desk: Desk):
    terminal = desk.answers(execute(FOREVER))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.type("y\r")
    terminal.expect("▶ ")
    terminal.type("\x03")
    terminal.expect("■ Stopped at line")
    terminal.expect("> ")
    desk.answers(text("Still here."))
    terminal.type("and?\r")
    terminal.expect("Still here.")
    terminal.expect("> ")


def test_ctrl_c_at_the_question_declines(desk: Desk, tmp_path: Path):
    marker = tmp_path / "ran"
    terminal = desk.answers(execute(f"open({str(marker)!r}, 'w')"))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.press_ctrl_c_at_the_prompt()
    terminal.expect("> ")
    desk.answers(text("Fine."))
    terminal.type("and?\r")
    terminal.expect("Fine.")
    terminal.expect("> ")
    assert not marker.exists()


def test_code_that_asks_is_answered_and_a_secret_is_not_shown(desk: Desk):
    # The line that runs is shown too: it must not look like the question itself.
    code = (
        "import getpass\n"
        "name = input('Na' 'me: ')\n"
        "word = getpass.getpass('Wo' 'rd: ')\n"
        "print(name, len(word))"
    )
    terminal = desk.answers(execute(code), text("Done."))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.type("y\r")
    terminal.expect("Name: ")
    terminal.type("Bob\r")
    terminal.expect("Word: ")
    until_now(lambda: not termios.tcgetattr(terminal._master)[3] & termios.ECHO, WAIT_S)
    terminal.type("hush\r")
    assert "hush" not in terminal.expect("Bob 4")
    terminal.expect("> ")


def test_what_is_typed_while_code_runs_is_for_its_children(desk: Desk):
    code = (
        "import subprocess\nprint('child', 'reads', flush=True)\n"
        "subprocess.run(['sed', 's/^/got /'])\nprint('child', 'over')"
    )
    terminal = desk.answers(execute(code), text("Done."))
    terminal.type("go\r")
    terminal.expect("[e]dit: ")
    terminal.type("y\r")
    terminal.expect("child reads")
    terminal.type("one\rtwo\r\x04")
    heard = terminal.expect("child over")
    assert "got one" in heard
    assert "got two" in heard
    terminal.expect("Done.")
    terminal.expect("> ")


def test_a_line_typed_ahead_answers_the_next_question(desk: Desk):
    code = (
        "import select\nprint('is', 'there', flush=True)\nselect.select([0], [], [])\n"
        "print('hello', input('Name: '))\nprint('hello', input('Other: '))"
    )
    terminal = desk.begin_run(code)
    terminal.expect("is there")
    terminal.type("Bob\r")
    terminal.expect("hello Bob")
    terminal.expect("Other: ")
    terminal.type("Eve\r")
    terminal.expect("hello Eve")
    terminal.expect("Done.")
    terminal.expect("> ")


def test_a_line_that_crosses_the_question_on_its_way_answers_it(desk: Desk, tmp_path: Path):
    go, asked = tmp_path / "go", tmp_path / "asked"
    code = (
        "import os, sys, threading, time\n"
        "main = threading.main_thread().ident\n"
        "def watch():\n"
        "    while sys._current_frames()[main].f_code.co_name != '_read_line':\n"
        "        time.sleep(0.01)\n"
        f"    open({str(asked)!r}, 'w').close()\n"
        "print('is', 'there', flush=True)\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\n"
        "threading.Thread(target=watch).start()\n"
        "print('hello', input('Name: '))"
    )
    terminal = desk.begin_run(code)
    terminal.expect("is there\n")
    server = terminal.server_pid()
    os.kill(server, signal.SIGSTOP)  # it tells neither the question nor the line
    try:
        go.touch()
        until_now(asked.exists, WAIT_S)
        terminal.type("Bob\r")
        until_now(terminal.has_read_all, WAIT_S)
    finally:
        os.kill(server, signal.SIGCONT)
    terminal.expect("hello Bob")
    terminal.expect("Done.")
    terminal.expect("> ")


def test_a_line_that_the_code_does_not_read_is_offered_as_the_next_question(desk: Desk):
    terminal = desk.begin_run(
        "import select\nprint('is', 'there', flush=True)\nselect.select([0], [], [])"
    )
    terminal.expect("is there")
    terminal.type("Who's Bob?\r")
    terminal.expect("typed ahead, not read by the code: Who's Bob?")
    terminal.expect("> Who's Bob?")
    desk.answers(text("A name."))
    terminal.type("!\r")
    terminal.expect("A name.")
    terminal.expect("> ")
    assert "Who's Bob?!" in desk.told_model()


def test_lines_that_the_code_leaves_are_offered_in_their_order(desk: Desk):
    terminal = desk.begin_run(
        "print('is', 'there', flush=True)\nname = input('Name: ')\nprint('hello', name)"
    )
    terminal.expect("is there")
    terminal.type("Bob\rone\rtwo\r")
    terminal.expect("hello Bob")
    desk.answers(text("So."))
    for line in ("one", "two"):
        terminal.expect(f"> {line}")
        terminal.type("\r")
        terminal.expect("So.")
        assert line in json.dumps(desk.model.requests[-1].messages[-1])
    terminal.expect("> ")


def test_no_line_that_was_typed_ahead_approves_code(desk: Desk, tmp_path: Path):
    marker = tmp_path / "ran"
    terminal = desk.begin_run(
        "import select\nprint('is', 'there', flush=True)\nselect.select([0], [], [])",
        execute(f"open({str(marker)!r}, 'w')"),
        text("Done."),
    )
    terminal.expect("is there")
    terminal.type("y\r")
    terminal.expect("[e]dit: ")
    terminal.type("n\r")
    terminal.expect("Done.")
    terminal.expect("> y")
    terminal.type("\x15")
    assert not marker.exists()


def test_ctrl_d_ends_the_input_of_the_code(desk: Desk):
    terminal = desk.begin_run(
        "try:\n    input('Na' 'me: ')\nexcept EOFError:\n    print('no', 'name')"
    )
    terminal.expect("Name: ")
    terminal.type("\x04")
    terminal.expect("no name")
    terminal.expect("> ")


def test_ctrl_backslash_pauses_the_code_and_lets_it_go_on(desk: Desk):
    terminal = desk.begin_run(
        "import time\nprint('be' 'gun', flush=True)\nwhile not globals().get('after'):\n"
        "    time.sleep(0.01)\nprint('go' 'ne')"
    )
    terminal.expect("begun")
    terminal.type("\x1c")
    terminal.expect("paused before ")
    terminal.expect("goes on)")
    terminal.type("\x1c\x03")  # at once, one of the two must not wait for the other
    terminal.expect("■ Stopped at line")
    terminal.expect("> ")
    desk.answers(text("Still here."))
    terminal.type("and?\r")
    terminal.expect("Still here.")


def test_ctrl_c_stops_code_that_asks(desk: Desk):
    terminal = desk.begin_run("input('Na' 'me: ')")
    terminal.expect("Name: ")
    terminal.type("\x03")
    terminal.expect("■ Stopped")
    terminal.expect("> ")


def test_a_terminal_that_becomes_narrow_breaks_lines_there(desk: Desk):
    terminal = desk.answers(text(*(f"word{number} " for number in range(20))))
    terminal.resize_at_the_prompt(30, 24)
    terminal.type("go\r")
    terminal.expect("word0 ")
    lines = terminal.expect("word19").splitlines()
    terminal.expect("> ")
    terminal.resize_at_the_prompt(80, 24)
    assert len(lines) > 4
    assert max(map(len, lines)) < 30, lines


def test_commands_are_few_and_explained(desk: Desk):
    terminal = desk.terminal
    terminal.type("/help\r")
    terminal.expect("/reset")
    terminal.expect("> ")
    terminal.type("/nothing\r")
    terminal.expect("/nothing is not known")
    terminal.expect("> ")


def test_help_names_the_secrets_that_code_does_not_get(tmp_path: Path):
    variables = environment(tmp_path, MY_OWN_TOKEN="s3cret")
    for options, is_told in (([], True), (["--allow-access", "secrets"], False)):
        terminal = Terminal(options, tmp_path, variables)
        try:
            terminal.expect("> ")
            terminal.type_at_the_prompt("/help\r")
            terminal.expect("runs at once.")
            told = terminal.expect("> ")
            assert ("MY_OWN_TOKEN" in told) == is_told
            assert "s3cret" not in terminal.text
            terminal.type_at_the_prompt("/quit\r")
            assert terminal.end() == 0
        finally:
            terminal.close()


@pytest.mark.parametrize("inherited", ["SIG_DFL", "SIG_IGN"])
def test_a_second_ctrl_c_leaves(tmp_path: Path, inherited: str):
    terminal = Terminal([], tmp_path, environment(tmp_path), inherited)
    try:
        terminal.expect("> ")
        terminal.press_ctrl_c_at_the_prompt()
        terminal.expect("Ctrl-C again")
        terminal.expect("> ")
        terminal.press_ctrl_c_at_the_prompt()
        assert terminal.end() == 130
        assert "Traceback" not in terminal.text
    finally:
        terminal.close()


# In Direct mode: code that is typed runs, all other code asks


@pytest.fixture
def direct_desk(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal([], tmp_path, environment(tmp_path))
    try:
        terminal.expect("> ")
        yield terminal
    finally:
        terminal.close()


def leave(terminal: Terminal) -> None:
    terminal.expect("> ")
    terminal.type_at_the_prompt("/quit\r")
    assert terminal.end() == 0


def test_code_typed_at_the_prompt_runs_at_enter(direct_desk: Terminal):
    direct_desk.type_at_the_prompt("print(6 * 7)\r")
    assert "[e]dit" not in direct_desk.expect("42\n")
    direct_desk.expect("> ")
    direct_desk.type_at_the_prompt("What's 34/24?\r")
    direct_desk.expect("[e]dit: ")
    direct_desk.type("y\r")
    direct_desk.expect("1.4166666666666667")
    leave(direct_desk)


@pytest.mark.parametrize(
    "answer", ["n", pytest.param("y", marks=pytest.mark.slow_group("jupyter"))]
)
def test_a_kernel_that_the_settings_choose_is_named_by_the_question(tmp_path: Path, answer: str):
    place = described(tmp_path / "kernels" / "lab", label="Lab")
    surroundings = environment(tmp_path)
    write_settings(tmp_path, interpreter=place.id)
    terminal = Terminal([], tmp_path, surroundings)
    try:
        terminal.expect("> ")
        terminal.type_at_the_prompt("What's 34/24?\r")
        terminal.expect("Run this code in the Jupyter kernel “Lab”? [y]es, [n]o, [e]dit: ")
        terminal.type(f"{answer}\r")
        if answer == "y":
            terminal.expect("1.4166666666666667")
        leave(terminal)
    finally:
        terminal.close()


@pytest.mark.requires_system("bwrap")
def test_an_option_keeps_code_to_its_folder_and_the_question_says_so(tmp_path: Path):
    found = look_for_sandbox()
    if problem := found.problem or found.weakness:
        pytest.skip(f"no sandbox here: {problem}")
    work = tmp_path / "work"
    work.mkdir()
    (tmp_path / "mine").write_text("a secret")
    surroundings = environment(tmp_path, HOME=str(tmp_path))
    terminal = Terminal(["--sandbox", "folder"], work, surroundings)
    try:
        terminal.expect("> ")
        terminal.type_at_the_prompt(f"print(open({str(tmp_path / 'mine')!r}).read())\r")
        assert "a secret" not in terminal.expect("FileNotFoundError")
        assert (tmp_path / "data" / "boundary.json").exists()  # the run waited for the test
        terminal.expect("~/mine is outside of the sandbox. /grant read ~/mine lets code read it.")
        terminal.expect("> ")
        terminal.type_at_the_prompt("/grant read ~/mine\r")
        terminal.expect("1  May read ~/mine")
        terminal.expect("> ")
        terminal.type_at_the_prompt(f"print(open({str(tmp_path / 'mine')!r}).read())\r")
        terminal.expect("a secret")
        terminal.expect("> ")
        terminal.type_at_the_prompt("/revoke 1\r")
        terminal.expect("Revoked: May read")
        terminal.expect("> ")
        terminal.type_at_the_prompt("What's 34/24?\r")
        assert "Inside the sandbox: this folder, no network." in terminal.expect("[e]dit: ")
        terminal.type("y\r")
        terminal.expect("1.4166666666666667")
        leave(terminal)
    finally:
        terminal.close()


def test_what_code_did_to_files_is_undone_at_the_prompt(direct_desk: Terminal, tmp_path: Path):
    made = tmp_path / "made.txt"
    direct_desk.type_at_the_prompt("open('made.txt', 'w').close()\r")
    direct_desk.expect("files: 1 created   (/undo takes that back)")
    direct_desk.expect("> ")
    for word, shown, exists in (("undo", "Undone: made.txt", False), ("redo", "Done again", True)):
        direct_desk.type_at_the_prompt(f"/{word}\r")
        direct_desk.expect(shown)
        direct_desk.expect("> ")
        assert made.exists() is exists
    direct_desk.type_at_the_prompt("/undo other.txt\r")
    direct_desk.expect("did not change that file")
    assert not (tmp_path / "data" / "boundary.json").exists()  # nobody wanted a sandbox
    leave(direct_desk)


@pytest.mark.requires_system("bwrap")
def test_what_code_did_in_a_copy_is_applied_or_discarded_at_the_prompt(tmp_path: Path):
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")
    work = tmp_path / "work"
    work.mkdir()
    made = work / "made.txt"
    options = ["--sandbox", "folder", "--review", "on"]
    terminal = Terminal(options, work, environment(tmp_path))
    try:
        terminal.expect("> ")
        layer = "os.path.expanduser('~/.packages/tiny-1.0.dist-info/METADATA')"
        planted = f"import os; os.makedirs(os.path.dirname({layer})); open({layer}, 'w').close()"
        terminal.type_at_the_prompt(f"{planted}; open('made.txt', 'w').close()\r")
        terminal.expect("In the copy: 1 created   (nothing has happened to the folder: /apply")
        assert not made.exists()
        for word, shown, exists in (
            ("review", "In the copy: 1 created", False),
            ("apply", "Applied: made.txt", True),
            ("undo", "Undone: made.txt", False),
            ("apply other.txt", "That file does not wait for a review.", False),
            ("discard", "Discarded: made.txt", False),
            ("review", "Nothing waits.", False),
            ("packages", "tiny 1.0", False),
            ("packages keep big", "/packages lists what can be installed", False),
        ):
            terminal.expect("> ")
            terminal.type_at_the_prompt(f"/{word}\r")
            terminal.expect(shown)
            assert made.exists() is exists
        leave(terminal)
    finally:
        terminal.close()


def test_a_typo_is_shown_under_its_line_before_anything_runs(direct_desk: Terminal):
    direct_desk.type_at_the_prompt("print(6 * 7\r")
    shown = direct_desk.expect("[e]dit: ").replace("…\r", "")
    assert "1 │ print(6 * 7\n            ^ SyntaxError: '(' was never closed (line 1)\n" in shown
    direct_desk.type("n\r")
    leave(direct_desk)


def test_pasted_code_asks_and_so_does_what_may_bring_it_back(direct_desk: Terminal):
    direct_desk.type_at_the_prompt("print(6 * \x1b[200~7\x1b[201~)\r")
    assert "print(6 * 7)" in direct_desk.expect("[e]dit: ")
    direct_desk.type("n\r")
    direct_desk.expect("> ")
    direct_desk.type_at_the_prompt("\x1b[A\r")
    assert "print(6 * 7)" in direct_desk.expect("[e]dit: ")
    direct_desk.type("n\r")
    leave(direct_desk)


def test_code_that_waited_before_the_prompt_asks(tmp_path: Path):
    terminal = Terminal([], tmp_path, environment(tmp_path))
    try:
        terminal.type("print(6 * 7)\r")
        terminal.expect("[e]dit: ")
        terminal.type("n\r")
        leave(terminal)
    finally:
        terminal.close()


def test_typed_code_asks_where_the_settings_or_the_terminal_want_it(tmp_path: Path):
    for name, settings, term in (("a", {"asks_typed_code": True}, "xterm"), ("b", {}, "dumb")):
        home = tmp_path / name
        variables = environment(home, TERM=term)
        write_settings(home, interpreter=sys.executable, **settings)
        terminal = Terminal([], home, variables)
        try:
            terminal.expect("> ")
            terminal.type_at_the_prompt("print(6 * 7)\r")
            terminal.expect("[e]dit: ")
            terminal.type("n\r")
            leave(terminal)
        finally:
            terminal.close()


def test_a_model_that_proposes_the_very_line_that_was_typed_asks(desk: Desk):
    terminal = desk.answers(execute("print(6 * 7)"), text("Done."))
    terminal.type_at_the_prompt("print(6 * 7)\r")
    terminal.expect("[e]dit: ")
    terminal.type("n\r")
    terminal.expect("Done.")
    terminal.expect("> ")


def test_a_way_that_the_settings_claim_for_a_key_is_asked_about(
    tmp_path: Path, model_worker: SharedWorker
):
    with ModelServer(text("By the new way.")) as model:
        variables = environment(tmp_path)
        write_settings(
            tmp_path, interpreter=sys.executable, model="openai/test", api_base=model.base_url
        )
        terminal = Terminal([], tmp_path, variables, program=model_worker.program)
        try:
            terminal.expect("> ")
            terminal.type_at_the_prompt("hello\ru\r")  # typed before it asks
            shown = terminal.expect("[n]either: ")
            assert f"Address: none so far, now {model.base_url}." in shown.replace("\n", "")
            assert "[r]emove" not in shown  # it is the environment's
            terminal.type("n\r")
            terminal.expect("was not sent")
            assert model.requests == []
            terminal.expect("> u")
            terminal.type("\x15again\r")
            terminal.expect("[n]either: ")
            terminal.type("u\r")
            terminal.expect("By the new way.")
            terminal.expect("> ")
            model.script = [text("Unasked.")]
            model._served = 0
            terminal.type_at_the_prompt("more\r")
            assert "[n]either" not in terminal.expect("Unasked.")
            leave(terminal)
        finally:
            terminal.close()


# In a pipe; in Direct mode, which needs no model, where it is not about one


def command(*arguments: str, model: ModelServer | None = None) -> list[str]:
    named = ["--model", "openai/test", "--api-base", model.base_url] if model else []
    return [sys.executable, "-m", "playhead", "chat", *named, *arguments]


def chat(
    home: Path, *arguments: str, stdin: str = "", model: ModelServer | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments, model=model),
        env=environment(home),
        cwd=home,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


def begun(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        env=environment(home),
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_prompt_from_a_pipe_cannot_approve_code(tmp_path: Path):
    marker = tmp_path / "ran"
    done = chat(tmp_path, stdin=f"y = open({str(marker)!r}, 'w')\ny\ny\n")
    assert done.returncode == 3
    assert "nobody could approve" in done.stderr
    assert "--yes" in done.stderr
    assert "│ y = open(" in done.stdout
    assert not marker.exists()


def test_with_yes_it_answers_in_a_pipe_without_colours_or_a_live_line(tmp_path: Path):
    done = chat(tmp_path, "--yes", "What's", "34/24?")
    assert (done.returncode, done.stderr) == (0, "")
    *lines, end = done.stdout.splitlines()
    assert lines == ["python", "   1 │ 34 / 24", "1.4166666666666667"]
    assert re.fullmatch(r"ran for \d+\.\d s", end)


def test_code_reaches_the_agent_only_where_an_option_lets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSH_AUTH_SOCK", "/nowhere/agent")
    code = "import os; print(os.environ['SSH_AUTH_SOCK'])"
    refused = chat(tmp_path, "--yes", code)
    assert "KeyError: 'SSH_AUTH_SOCK'" in refused.stdout
    assert "start with --allow-access agent" in refused.stdout
    allowed = chat(tmp_path, "--yes", "--allow-access", "agent", code)
    assert "/nowhere/agent" in allowed.stdout
    assert "--allow-access" not in allowed.stdout


def test_without_a_model_it_says_how_one_is_chosen_here(tmp_path: Path):
    done = chat(tmp_path, stdin="Sort my photos, please.\n")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    assert "choose a model (playhead chat --model openai/gpt-5" in words
    assert "PLAYHEAD_PROVIDER_KEY" in words
    assert "playhead:" not in words


def test_json_is_the_native_stream_one_chunk_a_line(tmp_path: Path):
    (tmp_path / "data.csv").write_text("a\n1\n")
    with ModelServer(DIVISION) as model:
        options = ("--json", "--yes", "--file", "data.csv")
        done = chat(tmp_path, *options, stdin="What's 34/24?", model=model)
        assert str(tmp_path / "data.csv") in model.requests[0].user_text
    status = '{"role": "server", "type": "status", "content": "complete"}'
    assert done.stdout.splitlines() == [*GOLDEN, status]
    assert done.returncode == 0


def test_a_failure_is_the_last_chunk_and_shows_in_the_status(tmp_path: Path):
    with ModelServer(Reply(status=401, body={"error": {"message": "No.", "code": "x"}})) as model:
        done = chat(tmp_path, "--json", "hello", model=model)
    assert done.returncode == 1
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["type"], last["error"]["code"]) == ("error", "upstream_auth_error")


def test_a_file_that_is_not_there_is_said_before_anything_is_asked(tmp_path: Path):
    with ModelServer(text("No.")) as model:
        done = chat(tmp_path, "--file", "gone.csv", "What is in it?", model=model)
        assert model.requests == []
    assert (done.returncode, done.stdout) == (2, "")
    assert "There is no gone.csv." in done.stderr


def test_nothing_to_ask_is_said_in_words(tmp_path: Path):
    with ModelServer(text("No.")) as model:
        done = chat(tmp_path, stdin=" \n", model=model)
        assert model.requests == []
    assert done.returncode == 2
    assert "nothing to ask" in done.stderr


def test_a_reader_that_has_enough_ends_it_quietly(tmp_path: Path):
    with begun(tmp_path, "--yes", "--json", "while True: print('word')") as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_is_said_in_words(tmp_path: Path):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("Hello there."),
            env=environment(tmp_path),
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=WAIT_S,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == f"The chat cannot go on: {os.strerror(errno.ENOSPC)}\n"


def test_sigterm_ends_everything(tmp_path: Path):
    code = "import time; print('on', flush=True); time.sleep(600)"
    with begun(tmp_path, "--yes", code) as running:
        assert running.stdout is not None
        assert "on\n" in iter(running.stdout.readline, "")
        running.send_signal(signal.SIGTERM)
    assert running.returncode == -signal.SIGTERM  # the guards see whether anything is left
