"""The package for pip and pipx: makes sdist and wheel in a folder, sees whether all is in them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tools import tool

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Build, check; the exit status."""
    target = Path(sys.argv[1]).resolve()
    made = build(ROOT / "build" / "python")
    subprocess.run([tool("twine"), "check", "--strict", *made], check=True)
    for file in made:
        shutil.copyfile(file, target / file.name)
    return 0


def build(target: Path) -> list[Path]:
    """The sdist, and the wheel made from it, so that the sdist is known to be whole."""
    shutil.rmtree(target, ignore_errors=True)
    # Without isolation hatchling is the one of the lock and nothing is fetched unseen.
    command = [tool("python"), "-m", "build", "--no-isolation", "--outdir", target, ROOT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    check_wheel(wheel)
    check_sdist(sdist)
    return [sdist, wheel]


def check_wheel(wheel: Path) -> None:
    """Every file of the package and of the resources is in it, and nothing else is."""
    with zipfile.ZipFile(wheel) as opened:
        there = {name for name in opened.namelist() if ".dist-info/" not in name}
    wanted = {
        *(name.removeprefix("app/") for name in tracked("app")),
        *(f"playhead/{name}" for name in tracked("resources")),
    }
    complain(wheel, missing=wanted - there, surplus=there - wanted)


def check_sdist(sdist: Path) -> None:
    """What the wheel is made of is in it, and no file that git does not know."""
    with tarfile.open(sdist) as opened:
        names = {member.name.partition("/")[2] for member in opened.getmembers()}
    wanted = {*tracked("app"), *tracked("resources"), "pyproject.toml", "LICENSE", "README.md"}
    complain(sdist, missing=wanted - names, surplus=names - {*tracked("."), "PKG-INFO"})


def complain(about: Path, missing: set[str], surplus: set[str]) -> None:
    """End with the names, if there are any."""
    for what, names in (("lacks", missing), ("has, unknown to git,", surplus)):
        if names:
            sys.exit(f"{about.name} {what} {', '.join(sorted(names)[:10])}")


def tracked(folder: str) -> set[str]:
    """What git knows of a folder, or does not ignore."""
    which = ("--cached", "--others", "--exclude-standard")
    command = ["git", "ls-files", "-z", *which, "--", folder]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name for name in said.stdout.split("\0") if name and (ROOT / name).is_file()}


if __name__ == "__main__":
    sys.exit(main())
