"""What is said where no sandbox can be made, and the arguments for a view where it can."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.domain.trust import Policy
from playhead.sandbox.bubblewrap import bubblewrap_arguments, look_for_sandbox
from playhead.sandbox.surroundings import private_folders, program_parts
from playhead.sandbox.view import Surroundings, misplaced, view_of

AROUND = Surroundings(
    folder="/home/me/work",
    home="/home/me",
    private_home="/data/homes/1",
    system=("/usr",),
    readable=("/home/me/.pyenv", "/home/me/work/.venv"),
    held=("/home/me/work/.git",),
    pinned=("/home/me/work/.git/hooks",),
    hidden=("/home/me/work/socket",),
)


def refusing(folder: Path, words: str) -> str:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 1\n")
    program.chmod(0o700)
    return str(program)


def test_a_missing_program_is_named_with_the_line_that_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = look_for_sandbox(str(tmp_path / "bwrap"), version=lambda: 0)
    assert "bubblewrap is missing" in found.problem
    assert "bubblewrap" in found.remedy
    (tmp_path / "apt").symlink_to("/bin/true")
    assert (
        look_for_sandbox(str(tmp_path / "bwrap"), version=lambda: 0).remedy
        == "sudo apt install bubblewrap"
    )


@pytest.mark.parametrize(
    ("parameter", "value", "problem", "remedy"),
    [
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor", "bwrap-userns-restrict"),
        ("user/max_user_namespaces", "0", "no user namespaces", "max_user_namespaces"),
        ("kernel/unprivileged_userns_clone", "0", "but root", "unprivileged_userns_clone=1"),
        ("kernel/other", "0", "refused here, as in many containers (bwrap: no).", ""),
    ],
)
def test_a_refusal_is_explained(
    tmp_path: Path, parameter: str, value: str, problem: str, remedy: str
) -> None:
    path = tmp_path / parameter
    path.parent.mkdir(parents=True)
    path.write_text(value + "\n")
    found = look_for_sandbox(refusing(tmp_path, "bwrap: no"), tmp_path, lambda: 0)
    assert problem in found.problem
    assert remedy in found.remedy
    assert bool(found.remedy) == bool(remedy)
    assert not found.program


def test_what_is_mounted_comes_in_an_order_in_which_nothing_is_uncovered() -> None:
    view = view_of(Policy(files="folder", network="off"), AROUND, "/home/me/spool")
    words = bubblewrap_arguments(view, ["true"])
    order = [
        "--ro-bind /usr /usr",
        "--tmpfs /tmp",
        "--bind /data/homes/1 /home/me",
        "--ro-bind /home/me/.pyenv /home/me/.pyenv",
        "--bind /home/me/work /home/me/work",
        "--bind /home/me/work/.git /home/me/work/.git",
        "--ro-bind /home/me/work/.git/hooks /home/me/work/.git/hooks",
        "--ro-bind /home/me/work/.venv /home/me/work/.venv",
        "--ro-bind /dev/null /home/me/work/socket",
        "--bind /home/me/spool /home/me/spool",
        "--remount-ro /",
    ]
    line = " ".join(words)
    assert [line.index(part) for part in order] == sorted(line.index(part) for part in order)
    assert "--unshare-net" in words
    assert "--disable-userns" in words
    looking = view_of(Policy(files="look", network="on"), AROUND, "/home/me/spool", "/staging")
    seen = " ".join(
        bubblewrap_arguments(looking, ["true"], frozenset({"--size", "--disable-userns"}))
    )
    assert "--ro-bind /home/me/work /home/me/work" in seen
    assert "--bind /home/me/work/.git" not in seen
    assert "--unshare-net" not in seen
    assert "--size" not in seen
    assert "--disable-userns" not in seen


def test_an_installation_brings_nothing_private_with_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    local, share = home / ".local", home / ".local" / "share"
    for prefix in (local, share / "uv" / "python3.12", home / "conda"):
        (prefix / "bin").mkdir(parents=True)
        (prefix / "lib" / "python3.12").mkdir(parents=True)
        (prefix / "bin" / "program").touch()
    (local / "bin" / "python").symlink_to(share / "uv" / "python3.12" / "bin" / "program")
    (home / "conda" / "pyvenv.cfg").write_text(f"home = {home}/.ssh/bin\n")
    (home / ".ssh" / "bin").mkdir(parents=True)
    programs = [str(prefix / "bin" / "program") for prefix in (local, home / "conda")]
    found = program_parts([*programs, str(local / "bin" / "python")], private_folders(str(home)))
    assert found == tuple(
        str(home / part)
        for part in (
            ".local/bin/program",
            ".local/bin/python",
            ".local/share/uv/python3.12",
            "conda",
        )
    )


def test_a_part_that_is_mounted_from_elsewhere_is_found() -> None:
    view = view_of(Policy(files="folder", network="off"), AROUND, "/home/me/spool")
    parts = ["", "/.git", "/.git/hooks", "/.venv"]

    def seen(**moved: str) -> str:
        lines = [
            f"1 2 8:1 {moved.get(part.strip('/.'), '/@home/me/work' + part)} /home/me/work{part} rw"
            for part in parts
        ]
        return misplaced("\n".join(lines), view)

    assert seen() == ""
    assert seen(git="/@home/me/.ssh") == "/home/me/work/.git"
    assert misplaced("", view) == "/home/me/work"
