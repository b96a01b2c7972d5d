"""`make package`: freeze, check the licences, start it once, pack it, and say what is big in it."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "dist" / "playhead"
DEB_LIMIT_MB = 170


def main() -> int:
    """Every step, one after the other; the first that fails ends it."""
    run("-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "build.spec")
    run("packaging/licences.py", FROZEN, ROOT / "build" / "build" / "COLLECT-00.toc")
    run("-m", "tests.support.display", "--", sys.executable, "-m", "tests.packaging.smoke", FROZEN)
    if sys.platform == "linux":
        artefacts = pack_for_linux()
    elif sys.platform == "darwin":
        artefacts = pack_for_macos()
    else:
        artefacts = pack_for_windows()
    write_sums(artefacts)
    print_sizes()
    return 0


def pack_for_linux() -> list[Path]:
    """The Debian package and the archive for one user, both checked."""
    name = f"playhead-{version()}-linux-{platform.machine()}"
    package, archive = ROOT / f"dist/{name}.deb", ROOT / f"dist/{name}.tar.gz"
    check_descriptions()
    run("packaging/linux/deb.py", FROZEN, package)
    run("packaging/linux/tarball.py", FROZEN, archive)
    if shutil.which("lintian"):
        call("lintian", "--fail-on", "error", "--suppress-tags", "bad-distribution", package)
    else:
        print("lintian is not installed: the package was not checked by it.")
    size_mb = package.stat().st_size / 1e6
    if size_mb > DEB_LIMIT_MB:
        sys.exit(f"{package.name} has {size_mb:.0f} MB, more than {DEB_LIMIT_MB}.")
    return [package, archive]


def check_descriptions() -> None:
    """What menus and software centres will read, as it will be installed."""
    sys.path.insert(0, str(ROOT / "packaging" / "linux"))
    import deb

    share = ROOT / "build" / "share"
    shutil.rmtree(share, ignore_errors=True)
    deb.place_for_desktop(share, version(), deb.release_date())
    for tool, *arguments in (
        ("desktop-file-validate", share / "applications/playhead.desktop"),
        (
            "appstreamcli",
            "validate",
            "--no-net",
            share / "metainfo/app.playhead.Playhead.metainfo.xml",
        ),
        ("xmllint", "--noout", share / "mime/packages/playhead.xml"),
    ):
        if shutil.which(tool):
            call(tool, *arguments)
        else:
            print(f"{tool} is not installed: what it checks was not checked.")


def pack_for_macos() -> list[Path]:
    """The disk image of the app that build.spec has bundled."""
    target = ROOT / f"dist/playhead-{version()}-macos-{platform.machine()}.dmg"
    call("dmgbuild", "-s", "packaging/macos/dmg.py", "Playhead", target)
    return [target]


def pack_for_windows() -> list[Path]:
    """The installer by Inno Setup."""
    name = f"playhead-{version()}-windows-{platform.machine().lower()}"
    call("iscc", f"/DVersion={version()}", f"/F{name}", "packaging/windows/playhead.iss")
    return [ROOT / f"dist/{name}.exe"]


def write_sums(artefacts: list[Path]) -> None:
    """SHA-256 of each, as `sha256sum --check` reads it."""
    lines = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in artefacts]
    (ROOT / "dist/SHA256SUMS").write_text("".join(lines), "ascii")
    for one in artefacts:
        print(f"{one.relative_to(ROOT)}: {one.stat().st_size / 1e6:.0f} MB")


def print_sizes() -> None:
    """The biggest parts of the folder."""
    places = [*FROZEN.iterdir(), *(FROZEN / "_internal").iterdir()]
    sizes = {place: size_of(place) for place in places if place.name != "_internal"}
    print(f"dist/playhead: {size_of(FROZEN) / 1e6:.0f} MB, of it")
    for place, size in sorted(sizes.items(), key=lambda item: -item[1])[:12]:
        print(f"  {size / 1e6:6.1f} MB  {place.name}")


def size_of(place: Path) -> int:
    """Bytes of a file, or of all in a folder."""
    files = [place] if place.is_file() else place.rglob("*")
    return sum(file.lstat().st_size for file in files if file.is_file() and not file.is_symlink())


def version() -> str:
    """What the frozen program says."""
    program = FROZEN / ("playhead.exe" if sys.platform == "win32" else "playhead")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return said.stdout.split()[1]


def run(*arguments: object) -> None:
    """With this Python."""
    call(sys.executable, *arguments)


def call(*command: object) -> None:
    """A step; its failure is ours."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(str(part) for part in command[:3])} failed ({done.returncode}).")


if __name__ == "__main__":
    sys.exit(main())
