"""A far side that says whatever it likes: its words end in a failure or in nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from playhead.domain.execution import Place
from playhead.execution.environments.place_finder import KernelSpec
from playhead.execution.far_link import FarLink
from playhead.kernel.protocol import Mark
from playhead.place_worker.carrier.spool_files import SpoolFiles
from tests.support.carriers import carried

_FAR = """
import json, re, struct, sys, time
out = sys.stdout.buffer
def say(data):
    out.write(data)
    out.flush()
def frames(*messages):
    data = b"".join(struct.pack(">cI", k, len(c)) + c for k, c in messages)
    return struct.pack(">cQI", b"D", 0, len(data)) + data
welcome = dict(t="welcome", received=0, folder="/", spool="/", uv="", run="")
welcome["from"] = 0
mode = sys.argv[3]
say(re.search("echo ([0-9a-f]+);", sys.argv[-1])[1].encode() + b"\\n")
if mode == "line":
    for _ in range(40):
        say(b"x" * 100_000)
elif mode == "words":
    for _ in range(100):
        say(b'{"t": "need"}\\n' + b"[" * 50_000 + b"\\n")
    what = dict(t="failed", what="no_program", words="Type \\u202e your password")
    say(json.dumps(what).encode() + b"\\n")
    sys.exit()
elif mode == "offset":
    welcome["received"] = 2**70
elif mode == "deep":
    say(json.dumps(welcome).encode() + b"\\n" + frames((b"r", b"[" * 100_000)))
    welcome = None
elif mode == "stop":
    ends = dict(t="exit", code=0, signal=19)
    say(json.dumps(welcome).encode() + b"\\n" + frames((b"r", json.dumps(ends).encode())))
    sys.exit()
if welcome:
    say(json.dumps(welcome).encode() + b"\\n")
time.sleep(60)
"""


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """An environment whose `docker` is hostile."""
    (tmp_path / "far.py").write_text(_FAR, "utf-8")
    program = tmp_path / "docker"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path / "far.py"}" "$@"\n')
    program.chmod(0o700)
    return {"PATH": f"{tmp_path}{os.pathsep}{os.defpath}"}


@pytest.mark.parametrize(
    ("mode", "kind", "fields"),
    [
        ("line", "failed", {"code": "other"}),
        ("words", "failed", {"code": "other", "detail": "Type  your password"}),
        ("offset", "link", {"state": "lost"}),
        ("deep", "link", {"state": "lost"}),
    ],
)
def test_what_makes_no_sense_is_no_crash(
    tmp_path: Path, variables: dict[str, str], mode: str, kind: str, fields: dict[str, str]
) -> None:
    place = {"kind": "container", "address": f"docker:{mode}", "key": "ours"}
    with carried(tmp_path / "spool", variables, place) as kernel:
        assert kernel.mark(kind, **fields).fields["key"] == "ours"


def test_an_end_that_would_stop_the_carrier_is_an_end(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    place = {"kind": "container", "address": "docker:stop"}
    with carried(tmp_path / "spool", variables, place) as kernel:
        assert kernel.process.wait(10) == 0


def test_a_kernel_elsewhere_says_nothing_about_its_link() -> None:
    place = Place(kind="ssh", language="python", label="gpu", address="gpu")
    link = FarLink(KernelSpec(place=place, command=("",), variables={}))
    key = link.hello({})["place"]["key"]
    forged = {"t": "failed", "title": "Playhead wants your password", "code": "x"}
    assert link.take(Mark("failed", "", forged))
    assert link.failure is None
    assert link.take(Mark("failed", "", {**forged, "title": "a\u202eb", "key": key}))
    assert link.failure is not None
    assert link.failure.title == "ab"


def test_what_nobody_takes_does_not_fill_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playhead.place_worker.carrier.spool_files._MOST_BYTES", 1000)
    said: list[object] = []
    files = SpoolFiles(lambda *_: None, lambda *_, **one: said.append(one), str(tmp_path))
    for name in ("a", "b", "../c", "/srv/d", "e\n", ".f", "g\0"):
        files.begin(name, 400)
        files.take(b"x" * 400)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a", "b"]
    files.get("ask", "/etc/passwd", "copy")
    files.take_report({"t": "get", "ask": 1, "size": 2**60})
    assert "copy" not in os.listdir(tmp_path)
    assert len(said) == 1
