"""A language of one class and one small script, through the real host: the contract of `child`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel import conftest
from tests.kernel.conftest import BOOT, Talk
from tests.kernel.marks import lines_of

CLASS = '''\
"""A language for this test."""

from .child import ChildDriver


class Steps(ChildDriver):
    """One word a line."""

    word = "steps"
    name = "Steps"
    programs = ("python3",)
    script = "steps_script.py"
'''

SCRIPT = """\
import os, sys, time, urllib.parse
jobs, replies, nonce = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
names = []

def reply(*fields):
    os.write(replies, "\\t".join(map(urllib.parse.quote, map(str, fields))).encode() + b"\\n")

def step(number, line):
    verb, _, rest = line.strip().partition(" ")
    mark = '\\033_%s;{"t":"line","run":"%s","line":%d}\\033\\\\' % (nonce, run, number)
    os.write(1, mark.encode() if has_lines == "1" else b"")
    if verb == "remember":
        names.append(rest)
    elif verb == "tell":
        os.write(1, (" ".join(names) + "\\n").encode())
    elif verb == "where":
        os.write(1, (os.getcwd() + "\\n").encode())
    elif verb == "read":
        os.write(1, sys.stdin.readline().encode())
    elif verb == "fail":
        reply("error", "Failure", rest, number)
    elif verb == "spoil":
        os.write(replies, b"\\xff%zz\\nended\\nend\\tfinished\\n")
        os.write(replies, b"timing\\tx\\ty\\tz\\ndied\\t0\\n")
    elif verb == "leave":
        os._exit(int(rest))
    elif verb == "wait":
        time.sleep(600)

reply("ready", "1.0")
for job in os.fdopen(jobs):
    run, path, has_lines, given, folder = map(urllib.parse.unquote, job.rstrip("\\n").split("\\t"))
    sys.stdin = open(given)
    if folder:
        os.chdir(folder)
    reply("began")
    state = "finished"
    try:
        for number, line in enumerate(open(path), 1):
            step(number, line)
    except KeyboardInterrupt:
        state = "interrupted"
    reply("end", state, 0, "")
"""


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    """A kernel of the language, in a copy of the host that knows it."""
    copy = tmp_path / "kernel"
    shutil.copytree(BOOT.parent, copy)
    (copy / "drivers" / "steps.py").write_text(CLASS, encoding="utf-8")
    (copy / "drivers" / "steps_script.py").write_text(SCRIPT, encoding="utf-8")
    registry = (copy / "drivers" / "registry.py").read_text(encoding="utf-8")
    registry = registry.replace("\nDRIVERS", "\nfrom .steps import Steps\n\nDRIVERS", 1)
    registry = re.sub(r"Html,?\n?\)", "Html, Steps)", registry, count=1)
    (copy / "drivers" / "registry.py").write_text(registry, encoding="utf-8")
    monkeypatch.setattr(conftest, "BOOT", copy / "boot.py")
    folder = tmp_path / "fold er %41 é"
    folder.mkdir()
    talk = Talk(sys.executable, folder, language="steps", program=sys.executable)
    yield talk
    talk.close()


def test_a_class_and_a_script_are_a_language(kernel: Talk) -> None:
    kernel.run("remember one\nremember two")
    text, marks = kernel.run("tell\nwhere\nfail it broke")
    assert text == f"one two\n{kernel.spool.parent}\n"
    assert lines_of(marks) == [1, 2, 3]
    (error,) = [mark for mark in marks if mark.kind == "error"]
    assert (error.text("name"), error.text("message")) == ("Failure", "it broke")
    assert error.rows("frames") == [["", 3, ""]]
    assert marks[-1].text("state") == "finished"
    assert marks[-1].integer("status") == 0


def test_text_goes_to_the_block_and_what_it_leaves_does_not_go_to_the_next(kernel: Talk) -> None:
    run = kernel.begin("read\nread")
    kernel.send("text", run=run, text="first\n", end=False)
    kernel.send("input", run=run, id="", text="second")
    kernel.send("text", run=run, text="never read", end=True)
    assert kernel.read_until("idle")[0] == "first\nsecond\n"
    run = kernel.begin("read")
    kernel.send("text", run=run, text="", end=True)
    assert kernel.read_until("idle")[0] == ""


def test_a_stop_reaches_the_script_and_its_names_live_on(kernel: Talk) -> None:
    kernel.run("remember it")
    run = kernel.begin("tell\nwait")
    kernel.read_until("line")
    kernel.read_until("line")
    kernel.send("stop", run=run)
    assert kernel.read_until("idle")[1][-1].text("state") == "interrupted"
    assert kernel.run("tell")[0] == "it\n"


def test_a_folder_that_may_not_be_entered_is_an_error_and_the_names_stay(kernel: Talk) -> None:
    kernel.run("remember it")
    loop = kernel.spool.parent / "loop"
    loop.symlink_to(loop)
    _, marks = kernel.run("tell", folder=str(loop))
    (error,) = [mark for mark in marks if mark.kind == "error"]
    assert error.text("name") == "OSError"
    assert str(loop) in error.text("message")
    assert marks[-1].integer("status") == 1
    assert kernel.run("tell\nwhere")[0] == f"it\n{kernel.spool.parent}\n"
    there = kernel.spool.parent / "there"
    there.mkdir()
    assert kernel.run("tell\nwhere", folder=str(there))[0] == f"it\n{there}\n"


def test_who_leaves_is_started_anew_where_it_was_and_says_so(kernel: Talk) -> None:
    kernel.run("remember it")
    text, marks = kernel.run("leave 7")
    assert text == "Steps was restarted: its variables were lost.\n"
    assert marks[-1].integer("status") == 7
    assert kernel.run("tell\nwhere")[0] == f"\n{kernel.spool.parent}\n"


def test_nonsense_in_the_replies_does_not_hurt_the_host(kernel: Talk) -> None:
    _, marks = kernel.run("spoil\nremember it")
    assert marks[-1].text("state") == "finished"
    assert kernel.run("tell")[0] == "it\n"
