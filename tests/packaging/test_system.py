"""`packaging/system.sh`: what a command lacks of the system, by small programs at the border."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = (
    *("awk", "cat", "cut", "dirname", "echo", "env", "fold", "grep", "head", "ls", "mktemp", "rm"),
    *("sed", "sh", "sort", "tr"),
)
LIBRARIES = [
    line.split()[2]
    for line in (ROOT / "packaging/system-packages.txt").read_text("utf-8").splitlines()
    if line.startswith(("core ", "window "))
]
LINE = "apt-get install --no-install-recommends"


class Machine:
    """A copy of the scripts on a machine whose programs and libraries a test chooses."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "play head"
        self.programs = folder / "bin"
        self.programs.mkdir(parents=True)
        shutil.copytree(ROOT / "packaging", self.root / "packaging")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        for name in TOOLS:
            found = shutil.which(name)
            assert found, name
            (self.programs / name).symlink_to(found)
        self.calls = folder / "calls"
        self.calls.touch()
        self.is_called("debian")
        self.has_libraries(*LIBRARIES)
        self.has("python3", "exit 0")
        self.has("id", "echo 1000")
        self.has("apt-get", f'echo "apt-get $*" >>"{self.calls}"')
        self.has("sudo", f'echo "sudo $*" >>"{self.calls}"\n[ "$1" != -n ] || shift\n"$@"')

    def has(self, program: str, script: str = "") -> None:
        path = self.programs / program
        path.unlink(missing_ok=True)  # it may be a link to the system's own, which stays as it is
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)

    def lacks(self, program: str) -> None:
        (self.programs / program).unlink()

    def has_libraries(self, *names: str) -> None:
        lines = "".join(f"\t{name} (libc6,x86-64) => /usr/lib/{name}\n" for name in names)
        self.has("ldconfig", f"cat <<'END'\n{lines}END")
        self.has("uname", 'if [ "$1" = -m ]; then echo x86_64; else echo Linux; fi')

    def is_called(self, system: str) -> None:
        """The name of its kind in /etc/os-release."""
        release = self.root.parent / "os-release"
        release.write_text(f"ID=own\nID_LIKE='{system}'\n", "utf-8")
        script = self.root / "packaging/system.sh"
        text = (ROOT / "packaging/system.sh").read_text("utf-8")
        # No test may read this machine's own fonts, programs of its PATH or kind of system.
        text = text.replace("/etc/os-release", f"'{release}'").replace("PATH=$PATH:", "#")
        script.write_text(text, "utf-8")
        table = self.root / "packaging/system-packages.txt"
        table.write_text(table.read_text("utf-8").replace("/usr/share/fonts/*", "sh"), "utf-8")

    def called(self) -> list[str]:
        return self.calls.read_text("utf-8").splitlines()

    def look(self, part: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", self.root / "packaging/system.sh", part],
            env=self.environment(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def answer(self, answer: str, part: str, **environment: str) -> tuple[int, str]:
        """At a terminal; the exit status and what stands there then."""
        ours, its = pty.openpty()
        os.write(ours, answer.encode())
        with subprocess.Popen(
            ["sh", self.root / "packaging/system.sh", part],
            env=self.environment(environment),
            stdin=its,
            stdout=its,
            stderr=its,
        ) as process:
            os.close(its)
            said = b""
            while part_said := _read(ours):
                said += part_said
        os.close(ours)
        return process.returncode, said.decode().replace("\r\n", "\n")

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {"PATH": str(self.programs), "LC_ALL": "C.UTF-8", "TMPDIR": str(self.root), **more}


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the end, as a terminal tells it
        return b""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_where_all_is_there_nothing_is_said_or_done(machine: Machine) -> None:
    done = machine.look("run", DISPLAY=":1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert machine.called() == []


def test_without_a_display_no_library_of_the_window_is_needed(machine: Machine) -> None:
    machine.has_libraries("libgthread-2.0.so.0")
    assert machine.look("run").stderr == ""
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        done = machine.look("run", PLAYHEAD_NO_SYSTEM="1", **{variable: "x"})
        assert done.returncode == 1
        assert "`make run` needs 23 system libraries more: libdbus-1-3 " in done.stderr


def test_a_library_of_another_kind_of_processor_is_none(machine: Machine) -> None:
    machine.has(
        "ldconfig", "echo '\tlibgthread-2.0.so.0 (libc6) => /usr/lib32/libgthread-2.0.so.0'"
    )
    done = machine.look("run", PLAYHEAD_NO_SYSTEM="1")
    assert (done.returncode, done.stderr) == (
        1,
        "`make run` needs 1 system library more: libglib2.0-0\n",
    )


def test_root_gets_what_is_missing_and_is_told(machine: Machine) -> None:
    machine.has_libraries()
    machine.has("id", "echo 0")
    done = machine.look("run")
    assert done.returncode == 0
    assert done.stderr == "Installing 1 system library that `make run` needs: libglib2.0-0\n"
    assert machine.called() == [
        "apt-get -q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends libglib2.0-0"
    ]


def test_the_lists_are_fetched_only_when_it_cannot_be_had_without(machine: Machine) -> None:
    machine.has_libraries()
    machine.has("id", "echo 0")
    fetched = machine.root / "fetched"
    machine.has(
        "apt-get",
        f'echo "$4" >>"{machine.calls}"\n'
        f'[ "$4" != update ] || echo >"{fetched}"\n[ -e "{fetched}" ]',
    )
    assert machine.look("run").returncode == 0
    assert machine.called() == ["install", "update", "install"]


def test_sudo_that_asks_nothing_is_used_where_nobody_sits(machine: Machine) -> None:
    machine.has_libraries()
    done = machine.look("run")
    assert done.returncode == 0
    assert done.stderr == "Installing 1 system library that `make run` needs: libglib2.0-0\n"
    assert machine.called()[0] == "sudo -n true"
    assert machine.called()[1].startswith("sudo -n env DEBIAN_FRONTEND=noninteractive apt-get ")


@pytest.mark.parametrize("answer", ["\n", "y\n", "Yes\n"])
def test_at_a_terminal_it_is_asked_once(machine: Machine, answer: str) -> None:
    machine.has_libraries(*[name for name in LIBRARIES if "libGL" not in name])
    status, said = machine.answer(answer, "run", DISPLAY=":1")
    assert status == 0
    assert "`make run` needs 1 system library more: libgl1\n" in said
    assert said.count("Install 1 system library with sudo? [Y/n]") == 1
    assert machine.called()[-1].endswith("install -y --no-install-recommends libgl1")


def test_whoever_says_no_is_told_the_line(machine: Machine) -> None:
    machine.has_libraries()
    status, said = machine.answer("n\n", "run")
    assert status == 1
    assert said.endswith(f"Nothing was installed. By hand:\n    sudo {LINE} libglib2.0-0\n")
    assert machine.called() == []


def test_where_nobody_can_install_the_line_is_all(machine: Machine) -> None:
    machine.has_libraries()
    machine.has("sudo", "exit 1")
    needs = "`make run` needs 1 system library more: libglib2.0-0\n"
    done = machine.look("run")
    assert (done.returncode, done.stderr) == (1, f"{needs}    sudo {LINE} libglib2.0-0\n")
    machine.lacks("sudo")
    done = machine.look("run")
    assert (done.returncode, done.stderr) == (1, f"{needs}    su -c '{LINE} libglib2.0-0'\n")


def test_apt_that_fails_is_heard(machine: Machine) -> None:
    machine.has_libraries()
    machine.has("id", "echo 0")
    machine.has("apt-get", "echo E: no space left >&2; exit 100")
    done = machine.look("run")
    assert done.returncode == 1
    assert "E: no space left" in done.stderr
    assert done.stderr.endswith(
        "apt-get could not install what `make run` needs (see above). By hand:\n"
        f"    {LINE} libglib2.0-0\n"
    )


def test_the_tests_need_programs_and_can_do_without(machine: Machine) -> None:
    machine.has("sudo", "exit 1")
    done = machine.look("test")
    assert done.returncode == 1
    names = "bubblewrap xvfb openbox xdotool dbus gnome-keyring openssh-client openssh-server"
    names += " openssl at-spi2-core"
    if list(Path("/usr").glob("lib*/at-spi-bus-launcher")):
        names = names.removesuffix(" at-spi2-core")
    assert f"    sudo {LINE} {names}\n" in done.stderr
    assert done.stderr.endswith("    PLAYHEAD_NO_SYSTEM=1 make test\n")
    done = machine.look("test", PLAYHEAD_NO_SYSTEM="1")
    assert done.returncode == 0
    assert done.stderr.startswith("`make test` needs ")
    assert "ruby" not in done.stderr
    assert " curl r-base-core ruby default-jdk-headless zsh" in machine.look("all").stderr.replace(
        "\n", ""
    )
    assert machine.called() == []


@pytest.mark.parametrize(
    ("system", "line"),
    [
        ("fedora", "dnf install libglvnd-glx xcb-util-wm"),
        ("arch", "pacman -S --needed libglvnd xcb-util-wm"),
        ("suse opensuse", "zypper install libglvnd libxcb-icccm4"),
    ],
)
def test_other_systems_are_told_their_own_names(machine: Machine, system: str, line: str) -> None:
    machine.is_called(system)
    machine.has_libraries(
        *[name for name in LIBRARIES if not name.startswith(("libGL", "libxcb-icc"))]
    )
    done = machine.look("run", DISPLAY=":1")
    assert done.returncode == 1
    assert done.stderr.endswith(f"\n    sudo {line}\n")
    assert "apt" not in done.stderr
    assert machine.called() == []


def test_a_system_nobody_knows_is_only_warned(machine: Machine) -> None:
    machine.is_called("nixos")
    machine.has_libraries()
    done = machine.look("run")
    assert done.returncode == 0
    assert done.stderr == "`make run` may need what was not found here: libgthread-2.0.so.0\n"


def test_a_python_that_makes_no_environments_gets_the_module(machine: Machine) -> None:
    machine.has("sudo", "exit 1")
    machine.has("python3", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    assert machine.look("run").stderr.endswith(f"    sudo {LINE} python3-venv\n")
    machine.lacks("python3")
    machine.has("python3.11", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    assert machine.look("lint").stderr.endswith(f"    sudo {LINE} python3.11-venv\n")


def test_without_python_one_that_fits_is_chosen(machine: Machine) -> None:
    machine.has("sudo", "exit 1")
    machine.lacks("python3")
    assert machine.look("run").stderr.endswith(f"    sudo {LINE} python3 python3-venv\n")
    ubuntu_2204 = ("python3) echo 'Version: 3.10.6-1' ;;", "python3.11-venv) ;;", "*) exit 1 ;;")
    machine.has("apt-cache", "\n".join(('case "$2" in', *ubuntu_2204, "esac")))
    assert machine.look("run").stderr.endswith(f"    sudo {LINE} python3.11 python3.11-venv\n")


def test_where_no_python_can_be_had_nothing_is_installed(machine: Machine) -> None:
    machine.lacks("python3")
    machine.has_libraries()
    machine.has("apt-cache", 'echo "Version: 3.9.2-3"; [ "$2" = python3 ]')
    done = machine.look("run")
    assert done.returncode == 1
    assert "None of them was found on the PATH" in done.stderr
    assert "PYTHON=/path/to/python3" in done.stderr
    assert machine.called() == []


def test_macos_is_left_alone(machine: Machine) -> None:
    machine.has_libraries()
    machine.has("uname", "echo Darwin")
    done = machine.look("test")
    assert (done.returncode, done.stderr) == (0, "")
