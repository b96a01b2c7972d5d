from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernel.marks import error_of, of_kind


@pytest.fixture(scope="module")
def kernel(make_talk: Callable[..., Any]) -> Any:
    return make_talk()


READ_ALL = "import subprocess\nprint(subprocess.run(['cat'], capture_output=True).stdout)"


def test_a_child_reads_text_as_it_is_up_to_its_end(talk: Any) -> None:
    run = talk.begin(READ_ALL)
    talk.send("text", run=run, text="ä\nno end of line", end=False)
    talk.send("text", run=run, text="!", end=True)
    assert talk.read_until("idle")[0] == f"{'ä'.encode()!r}"[:-1] + "\\nno end of line!'\n"
    assert talk.run("6 * 7")[0] == "42\n"


def test_the_next_run_has_an_input_again(kernel: Any) -> None:
    for _ in range(2):
        run = kernel.begin(READ_ALL)
        kernel.send("text", run=run, text="x", end=True)
        assert kernel.read_until("idle")[0] == "b'x'\n"


def test_more_than_a_pipe_holds_is_fed_while_it_is_read(kernel: Any) -> None:
    run = kernel.begin("import os\nos.system('wc -c')")
    kernel.send("text", run=run, text="x" * 3_000_000, end=True)
    text, _ = kernel.read_until("idle")
    assert text.split()[0] == "3000000"


def test_what_nobody_reads_neither_blocks_nor_reaches_the_next_run(kernel: Any) -> None:
    run = kernel.begin("import time\ntime.sleep(600)")
    kernel.read_until("line")
    kernel.read_until("line")
    kernel.send("text", run=run, text="x" * 3_000_000, end=False)
    kernel.send("stop", run=run)
    kernel.process.send_signal(2)
    assert kernel.read_until("idle")[1][-1].text("state") == "interrupted"
    run = kernel.begin(READ_ALL)
    kernel.send("text", run=run, text="", end=True)
    assert kernel.read_until("idle")[0] == "b''\n"


def test_the_end_of_input_ends_a_question(kernel: Any) -> None:
    run = kernel.begin("input('Name? ')")
    kernel.read_until("input")
    kernel.send("text", run=run, text="", end=True)
    assert error_of(kernel.read_until("idle")[1]).text("name") == "EOFError"


def test_where_nobody_can_type_children_end_and_a_question_is_still_told(kernel: Any) -> None:
    run = kernel.begin(READ_ALL)
    kernel.send("text", run=run, text="", end=True)
    assert kernel.read_until("idle")[0] == "b''\n"
    run = kernel.begin("input('Name? ')")
    kernel.send("text", run=run, text="", end=True)
    _, marks = kernel.read_until("idle")
    assert [mark.text("prompt") for mark in of_kind(marks, "input")] == ["Name? "]
    assert error_of(marks).text("name") == "EOFError"


def test_after_typed_text_has_ended_no_question_is_asked(kernel: Any) -> None:
    run = kernel.begin("first = input('Name? ')\ninput('Age? ')")
    kernel.send("text", run=run, text="Ada\n", end=True)
    _, marks = kernel.read_until("idle")
    assert [mark.text("prompt") for mark in of_kind(marks, "input")][1:] == []
    assert error_of(marks).text("name") == "EOFError"


@pytest.mark.parametrize(
    "code",
    [
        "open('/dev/tty')",
        "import os\nos.open('/dev/tty', os.O_RDWR)",
    ],
)
def test_who_asks_on_the_terminal_is_told_that_there_is_none(kernel: Any, code: str) -> None:
    text, marks = kernel.run(code)
    assert error_of(marks).text("name") == "OSError"
    assert "There is no terminal here" in text


def test_a_child_that_asks_on_the_terminal_ends_at_once(kernel: Any) -> None:
    text, _ = kernel.run("import os\nprint(os.system('read line < /dev/tty') != 0)")
    assert text.endswith("True\n")


def test_a_child_that_asks_for_a_password_reads_the_text_that_is_sent(kernel: Any) -> None:
    run = kernel.begin(
        "import subprocess, sys\n"
        "print(subprocess.run([sys.executable, '-W', 'ignore', '-c',"
        " 'import getpass; print(len(getpass.getpass()))'], stdout=subprocess.PIPE).stdout)"
    )
    kernel.send("text", run=run, text="secret\n", end=False)
    text, marks = kernel.read_until("idle")
    assert text.endswith("b'6\\n'\n")
    assert of_kind(marks, "error") == []


def test_the_end_says_how_much_of_the_input_was_read(talk: Any) -> None:
    run = talk.begin("print('hello', input())")
    talk.send("text", run=run, text="Zoë\nrest", end=False)
    assert talk.read_until("idle")[1][-1].integer("read") == len("Zoë\n".encode())
    assert talk.run("1")[1][-1].integer("read") is None


def test_what_a_closed_input_leaves_counts_as_not_read(kernel: Any) -> None:
    run = kernel.begin("import os\nos.read(0, 2)\nos.close(0)")
    kernel.send("text", run=run, text="x" * 300_000, end=True)
    assert kernel.read_until("idle")[1][-1].integer("read") == 2
    run = kernel.begin(READ_ALL)
    kernel.send("text", run=run, text="x", end=True)
    text, marks = kernel.read_until("idle")
    assert (text, marks[-1].integer("read")) == ("b'x'\n", 1)
