"""`python -m tests.packaging.archive ARCHIVE.tar.gz`: install it for one user, use, remove it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.packaging import checks
from tests.support.display import virtual_display
from tests.support.driver import program_environment, running_app, write_settings
from tests.support.model_server import ModelServer, default_script


def main() -> int:
    """Every step; the first that fails ends it with its reason."""
    archive = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place, home = Path(folder) / "un packed", Path(folder) / "home"
        with tarfile.open(archive) as opened:
            opened.extractall(place, filter="tar")
        (unpacked,) = place.iterdir()
        home.mkdir()
        assert "was installed" in run_script(unpacked, home)
        use(home)
        before = set((home / "data").rglob("*"))
        assert "was removed" in run_script(unpacked, home, "--remove")
        check_what_is_left(home, before)
    print(f"{archive.name}: installed for one user, used, removed.")
    return 0


def run_script(unpacked: Path, home: Path, *arguments: str) -> str:
    """The archive's own script, with next to nothing in its environment."""
    done = subprocess.run(
        [unpacked / "install.sh", *arguments],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def use(home: Path) -> None:
    """What the menu entry starts does the main job."""
    entry = (home / ".local/share/applications/playhead.desktop").read_text("utf-8")
    (line,) = [line for line in entry.splitlines() if line.startswith("Exec=")]
    program = line.removeprefix("Exec=").removesuffix(" %F").strip('"')
    with virtual_display() as display, ModelServer(default_script) as server:
        write_settings(home, theme="light", model="openai/test", api_base=server.base_url)
        with running_app(home, display, command=[program]) as app:
            checks.run_the_dialogue(app)
            picture = checks.draw_picture(home / "red.png")
            wanted = program_environment(home, display)
            variables = [f"{name}={value}" for name, value in wanted.items()]
            link = home / ".local/bin/playhead"
            subprocess.run(["env", *variables, link, picture], check=True)
            app.wait_for("the picture's chip", lambda: checks.has_thumbnail(app))
            checks.close(app)


def check_what_is_left(home: Path, before: set[Path]) -> None:
    """The user's data, and nothing of the program but what the desktop's tools have made."""
    assert (home / "data" / "history.sqlite3").exists()
    assert set((home / "data").rglob("*")) == before
    left = list((home / ".local").rglob("*playhead*"))
    assert not left, left


if __name__ == "__main__":
    sys.exit(main())
