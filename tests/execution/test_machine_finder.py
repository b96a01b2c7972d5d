"""Machines are found by the files and programs that name them."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.places import Machine
from playhead.execution.machines.machine_finder import find_machines, host_names

NAMES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,12}", fullmatch=True)
PATTERNS = st.sampled_from(["*", "gpu-*", "!web", "?", "*.example.org"])


@st.composite
def blocks(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A part of a configuration, written in one of the ways there are, and its names."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3))
    words = draw(st.permutations([*names, *draw(st.lists(PATTERNS, max_size=2))]))
    quoted = [f'"{word}"' if draw(st.booleans()) else word for word in words]
    keyword = draw(st.sampled_from(["Host", "host", "HOST"]))
    joint = draw(st.sampled_from([" ", "\t", "=", " = "]))
    end = draw(st.sampled_from(["", " # a note", "  "]))
    rest = draw(st.sampled_from(["", "  User anna\n", "\n# Host none\n", "  Port=22\n"]))
    return f"{keyword}{joint}{' '.join(quoted)}{end}\n{rest}", [w for w in words if w in names]


@given(st.lists(blocks(), max_size=6), st.integers(0, 6))
def test_each_name_of_a_host_is_found_and_no_pattern(
    parts: list[tuple[str, list[str]]], cut: int
) -> None:
    wanted = [name for _, names in parts for name in names]
    whole = "".join(text for text, _ in parts)
    inner = "".join(text for text, _ in parts[cut:])
    outer = "".join(text for text, _ in parts[:cut]) + "Match all\nInclude other\n"
    assert [name for name, _ in host_names(whole, lambda word: ())] == wanted
    found = [name for name, _ in host_names(outer, lambda word: [inner] if word == "other" else [])]
    assert sorted(found) == sorted(wanted)


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    for name, _ in host_names(text, lambda word: ()):
        assert name.isprintable()
        assert not name.startswith("-")


def test_what_is_no_file_and_no_name_is_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    config = tmp_path / "config"
    config.write_text("Include pipe\nHost -oX a@-F box\n  HostName x\u202ey\n", "utf-8")
    (tmp_path / "ssh").write_text("")
    (tmp_path / "ssh").chmod(0o700)
    found = find_machines(config, str(tmp_path))
    assert found == [Machine(address="box", label="box")]


def test_machines_are_those_of_ssh_and_of_container_programs(tmp_path: Path) -> None:
    for name, script in {
        "ssh": "exit 1",
        "docker": "printf 'web\\tnginx:1\\nodd name\\t\\n'",
        "podman": "echo no daemon >&2; exit 1",
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.conf").write_text("Host lab\nInclude more/*.conf\n")
    config = tmp_path / "config"
    config.write_text("Include more/*.conf\nHost gpu-box gpu\n  HostName 10.0.0.5\nHost *\n")
    assert find_machines(config, str(tmp_path)) == [
        Machine(address="lab", label="lab"),
        Machine(address="gpu-box", label="gpu-box", detail="10.0.0.5"),
        Machine(address="gpu", label="gpu", detail="10.0.0.5"),
        Machine(kind="container", address="docker:web", label="web", detail="docker, nginx:1"),
    ]
    assert find_machines(tmp_path / "none", str(tmp_path / "more")) == []
