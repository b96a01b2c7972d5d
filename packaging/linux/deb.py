"""Packs the frozen program as a Debian package: `python packaging/linux/deb.py FOLDER TARGET.deb`.

The program lies whole in /usr/lib/playhead; what the desktop looks for lies where it looks.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MAINTAINER = "The Playhead authors <playhead@localhost.localdomain>"
NOT_NEEDED = (
    "fonts-dejavu-core",  # only what a window without fonts of the system would miss
)


def main() -> int:
    """Stage the tree and have dpkg-deb pack it."""
    frozen, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "playhead"
        stage.mkdir(mode=0o755)
        fill(stage, frozen, version_of(frozen), release_date())
        pack(stage, target)
    return 0


def fill(stage: Path, frozen: Path, version: str, date: str) -> None:
    """The whole tree of the package."""
    skipped = shutil.ignore_patterns("__pycache__")  # of kernels that ran from the build folder
    shutil.copytree(frozen, stage / "usr/lib/playhead", symlinks=True, ignore=skipped)
    (stage / "usr/bin").mkdir(parents=True)
    (stage / "usr/bin/playhead").symlink_to("../lib/playhead/playhead")
    place_for_desktop(stage / "usr/share", version, date)
    (stage / "usr/share/playhead").mkdir()
    shutil.copyfile(HERE / "apparmor", stage / "usr/share/playhead/apparmor")
    documents = stage / "usr/share/doc/playhead"
    documents.mkdir(parents=True)
    shutil.copyfile(HERE / "copyright", documents / "copyright")
    write_gzip(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_bytes())
    write_gzip(documents / "changelog.Debian.gz", debian_changelog(version).encode())
    overrides = stage / "usr/share/lintian/overrides/playhead"
    overrides.parent.mkdir(parents=True)
    shutil.copyfile(HERE / "lintian-overrides", overrides)
    settle_modes(stage)
    write_control(stage, version)


def place_for_desktop(share: Path, version: str, date: str) -> None:
    """Menu entry, icons, file types, what software centres show, and the manual page."""
    for name, place in {
        "playhead.desktop": "applications/playhead.desktop",
        "playhead.xml": "mime/packages/playhead.xml",
        "playhead.metainfo.xml": "metainfo/app.playhead.Playhead.metainfo.xml",
        "playhead.1": "man/man1/playhead.1",
    }.items():
        target = share / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (HERE / name).read_text("utf-8")
        target.write_text(text.replace("@VERSION@", version).replace("@DATE@", date), "utf-8")
    page = share / "man/man1/playhead.1"
    write_gzip(page.with_suffix(".1.gz"), page.read_bytes())
    page.unlink()
    for picture in (ROOT / "resources/app").glob("playhead-*.png"):
        side = picture.stem.rpartition("-")[2]
        target = share / f"icons/hicolor/{side}x{side}/apps/playhead.png"
        target.parent.mkdir(parents=True)
        shutil.copyfile(picture, target)
    scalable = share / "icons/hicolor/scalable/apps/playhead.svg"
    scalable.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "resources/app/playhead.svg", scalable)


def write_control(stage: Path, version: str) -> None:
    """What dpkg must know; the libraries are those that Qt needs and that are not in the bundle."""
    size = sum(path.lstat().st_size for path in stage.rglob("*") if not path.is_dir())
    control = stage / "DEBIAN"
    control.mkdir(mode=0o755)
    for name in ("postinst", "postrm"):
        shutil.copyfile(HERE / f"{name}.sh", control / name)
        (control / name).chmod(0o755)
    (control / "control").write_text(
        "\n".join(
            (
                "Package: playhead",
                f"Version: {version}-1",
                f"Architecture: {ARCHITECTURES[os.uname().machine]}",
                f"Maintainer: {MAINTAINER}",
                f"Installed-Size: {size // 1024}",
                f"Depends: {', '.join(dependencies())}",
                "Recommends: gnome-keyring | libsecret-1-0, python3-venv, xdg-utils",
                "Section: devel",
                "Priority: optional",
                "Description: desktop code interpreter",
                " Talk with any language model; it answers with messages and code; you approve,",
                " the code runs on this computer, and you watch the running line move while its",
                " output, figures and tables come back into the conversation.",
                "",
            )
        ),
        "utf-8",
    )


def dependencies() -> list[str]:
    """The packages that the window and the sandbox need, from the list that `make` reads."""
    lines = (ROOT / "packaging/system-packages.txt").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines if line.startswith(("core ", "window ", "sandbox "))]
    libc = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 2.36"
    needed = [row[1] for row in rows if row[1] not in NOT_NEEDED]
    return [f"libc6 (>= {libc.split()[1]})", *needed]


def settle_modes(stage: Path) -> None:
    """As the policy wants them: programs and folders 755, the rest 644, no more rights."""
    for path in stage.rglob("*"):
        if path.is_symlink():
            continue
        is_program = path.is_dir() or path == stage / "usr/lib/playhead/playhead"
        path.chmod(0o755 if is_program else 0o644)


def pack(stage: Path, target: Path) -> None:
    """Owned by root. lintian takes no zstd; a higher level takes minutes to save a few MB."""
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["dpkg-deb", "--build", "--root-owner-group", "-Zxz", "-z2", str(stage), str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def debian_changelog(version: str) -> str:
    """In the form that Debian's tools read; what is new stands in the other one."""
    return (
        f"playhead ({version}-1) unstable; urgency=medium\n\n"
        f"  * Release {version}.\n\n"
        f" -- {MAINTAINER}  {of_last_commit('%cD')}\n"
    )


def write_gzip(path: Path, data: bytes) -> None:
    """The same bytes give the same file."""
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def version_of(frozen: Path) -> str:
    """What the program itself says."""
    said = subprocess.run(
        [frozen / "playhead", "--version"], capture_output=True, text=True, check=True
    )
    return said.stdout.split()[1]


def release_date() -> str:
    """Of the sources, year first."""
    return of_last_commit("%cs")


def of_last_commit(what: str) -> str:
    """A field of it in git's words."""
    command = ["git", "log", "-1", f"--format={what}"]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
