"""`python -m tests.packaging.clean_root PACKAGE.deb`: install it on a bare Debian and use it there.

Needs root and debootstrap; `make package-test` runs it in a mount namespace of its own, so that
nothing of it stays mounted. The bare system has no Python; the program runs as a user without
rights with a bare PATH and an empty home, against a real model server on this machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.packaging import checks
from tests.support.display import virtual_display
from tests.support.driver import ROOT, App, running_app, write_settings
from tests.support.model_server import ModelServer

USER = 1000
SETTLED_S = 0.5
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
SUITE = os.environ.get("DEBIAN_SUITE", "bookworm")
BARE = ROOT / "build" / f"bare-{SUITE}.tar"
PICTURES = ROOT / "dist"
OPENER = ("/usr/bin/gio", "launch", "/usr/share/applications/playhead.desktop")


def main() -> int:
    """Every step; the first that fails ends it with its reason."""
    package = Path(*sys.argv[1:2]).resolve()
    if package.suffix != ".deb" or not package.is_file():
        raise SystemExit("There is no Debian package in dist/: `make package` makes one.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root, home = Path(folder) / "root", Path(folder) / "home"
        unpack_bare_system(root)
        with mounted(root, home):
            install(root, package)
            use(root, home)
            remove(root, home)
    print(f"{package.name}: installed, used, removed; pictures: dist/package-test-*.png.")
    return 0


def unpack_bare_system(root: Path) -> None:
    """A Debian with what is essential and nothing else; it is downloaded once."""
    if not BARE.exists():
        BARE.parent.mkdir(exist_ok=True)
        call("debootstrap", "--variant=minbase", SUITE, root, MIRROR)
        call("tar", "-C", root, "-cf", BARE, ".")
        return
    root.mkdir()
    call("tar", "-C", root, "-xf", BARE)


@contextmanager
def mounted(root: Path, home: Path) -> Iterator[None]:
    """The kernel's file systems, and the home at the same place inside and outside."""
    home.mkdir(mode=0o700)
    os.chown(home, USER, USER)
    inside = root / home.relative_to("/")
    inside.mkdir(parents=True)
    os.chmod(home.parent, 0o755)
    shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
    places = [("/proc", root / "proc"), ("/dev", root / "dev"), (str(home), inside)]
    for source, place in places:
        call("mount", "--rbind", source, place)
    try:
        yield
    finally:
        for _, place in reversed(places):
            call("umount", "--recursive", "--lazy", place)


def install(root: Path, package: Path) -> None:
    """As a person would, with what it depends on and nothing that it only recommends."""
    shutil.copyfile(package, root / "playhead.deb")
    rules = root / "etc/apparmor.d/abi/4.0"  # as where AppArmor knows user namespaces
    rules.parent.mkdir(parents=True, exist_ok=True)
    rules.touch()
    chroot(root, "apt-get", "update", "-q")
    chroot(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "/playhead.deb")
    # The desktop's part: it starts what a menu entry says, with a file that was dropped on it.
    chroot(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", "libglib2.0-bin")
    chroot(root, "useradd", "--uid", str(USER), "--no-create-home", "tester")
    assert not list(root.glob("usr/bin/python*")), "there is a Python"
    assert (root / "usr/bin/bwrap").exists()
    assert "userns," in (root / "etc/apparmor.d/playhead").read_text("utf-8")


def use(root: Path, home: Path) -> None:
    """Ask, approve by click, see the answer; open a picture with it; run code; close."""
    with (
        virtual_display() as display,
        ModelServer(checks.answers) as server,
    ):
        known = {"theme": "light", "folder": str(checks.working_folder(home))}
        settings = {"model": checks.SEEING_MODEL, "api_base": server.base_url}
        write_settings(home, **known, **settings)
        checks.put_script_inside(home)
        picture = checks.draw_picture(home / "red.png")
        give(home)
        start = inside(root, home, display)
        with running_app(home, display, command=[*start, "/usr/bin/playhead"]) as app:
            checks.run_the_dialogue(app)
            keep_picture(app, "dialogue")
            checks.check_open_with(app, server, picture, [*start, *OPENER, str(picture)])
            keep_picture(app, "picture")
            checks.close(app)
        write_settings(home, **{**known, "theme": "dark"})
        give(home)
        with running_app(home, display, "dark", [*start, "/usr/bin/playhead"]) as app:
            checks.check_bundle(app)
            keep_picture(app, "bundle")
            checks.stop_code(app)
            checks.close(app)


def keep_picture(app: App, name: str) -> None:
    """The screen, to be looked at, once it rests."""
    before, now = None, app.look()
    while before is None or now.tobytes() != before.tobytes():
        time.sleep(SETTLED_S)
        before, now = now, app.look()
    now.save(PICTURES / f"package-test-{name}.png")


def inside(root: Path, home: Path, display: Mapping[str, str]) -> list[str]:
    """What a command begins with to run there without rights, with next to no environment."""
    own = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "DISPLAY": display["DISPLAY"],
        "XDG_RUNTIME_DIR": str(home / "run"),
        "PLAYHEAD_DATA_DIR": str(home / "data"),
        "PLAYHEAD_CONFIG_DIR": str(home / "config"),
        "PLAYHEAD_CACHE_DIR": str(home / "cache"),
        "OPENAI_API_KEY": "test-key",
        "LANG": "C.UTF-8",
    }
    variables = [f"{name}={value}" for name, value in own.items()]
    enter = ["chroot", f"--userspec={USER}:{USER}", str(root)]
    return [*enter, "/usr/bin/env", "-i", f"--chdir={home}", *variables]


def remove(root: Path, home: Path) -> None:
    """What the user has made stays where it is."""
    before = sorted(home.rglob("*"))
    chroot(root, "apt-get", "purge", "-y", "-q", "playhead")
    assert sorted(home.rglob("*")) == before
    assert (home / "data" / "history.sqlite3").exists()
    left = [place for place in root.glob("usr/**/*playhead*") if not place.is_symlink()]
    assert not left, left
    assert not (root / "etc/apparmor.d/playhead").exists()


def give(folder: Path) -> None:
    """All of it to the user."""
    (folder / "run").mkdir(mode=0o700, exist_ok=True)
    for place in (folder, *folder.rglob("*")):
        os.chown(place, USER, USER)


def chroot(root: Path, *command: str) -> None:
    """A step inside, as root."""
    call("chroot", root, "/usr/bin/env", "DEBIAN_FRONTEND=noninteractive", *command)


def call(*command: object) -> None:
    """A step; what it says is shown only when it fails."""
    if not shutil.which(str(command[0])):
        raise SystemExit(f"{command[0]} is not installed; `make package-test` sees to it.")
    done = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(str(part) for part in command)}\n{done.stdout[-4000:]}")


if __name__ == "__main__":
    sys.exit(main())
