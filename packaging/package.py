"""`make package`: freeze it, check the licences, try it, pack it, try the packages, sum them up."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tools import tool

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "dist" / "playhead"
DEB_LIMIT_MB = 170


def main() -> int:
    """The named steps, by default all, one after the other; the first that fails ends it."""
    steps = {"freeze": freeze, "smoke": smoke, "pack": pack, "wheel": wheel, "sums": write_sums}
    wanted = sys.argv[1:] or [*steps]
    if unknown := set(wanted) - set(steps):
        sys.exit(f"There is no step {' or '.join(unknown)}; these are: {', '.join(steps)}.")
    for name in wanted:
        steps[name]()
    return 0


def freeze() -> None:
    """The one folder with the program, of parts that may be shipped."""
    if sys.platform == "linux" and not shutil.which("objcopy"):
        sys.exit("PyInstaller needs objcopy here; on Debian: sudo apt-get install binutils")
    run("-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "build.spec")
    strip_python()
    run("packaging/licences.py", FROZEN, ROOT / "build" / "build" / "COLLECT-00.toc")
    if sys.platform == "darwin":
        put_licences_into_app()
    print_sizes()


def strip_python() -> None:
    """Take the debugging symbols out of Python itself, which has them where pyenv built it.

    Only there: libraries of wheels were patched when they were made, and strip can break those.
    """
    if sys.platform == "linux" and shutil.which("strip"):
        inner = FROZEN / "_internal"
        own = [*inner.glob("libpython3*.so*"), *inner.glob("python3*/lib-dynload/*.so")]
        call("strip", "--strip-unneeded", *own)


def put_licences_into_app() -> None:
    """PyInstaller has sealed it before there were any; without an identity it is signed ad hoc."""
    app = ROOT / "dist" / "Playhead.app"
    place = app / "Contents/Resources/licences"
    shutil.copytree(FROZEN / "licences", place, dirs_exist_ok=True)
    rights = ROOT / "packaging/macos/entitlements.plist"
    call("codesign", "--force", "--sign", "-", "--entitlements", rights, app)


def smoke() -> None:
    """All that the frozen program can do, done once; less of it where there is no Xvfb."""
    if sys.platform == "linux":
        run("-m", "tests.packaging.smoke", FROZEN)
    else:
        run("-m", "tests.packaging.elsewhere", program())


def pack() -> None:
    """What a person of this system downloads."""
    if sys.platform == "linux":
        pack_for_linux()
    elif sys.platform == "darwin":
        pack_for_macos()
    else:
        pack_for_windows()


def wheel() -> None:
    """What pip and pipx install; the same for all systems, so it is made on one of them."""
    if sys.platform != "linux":
        print("sdist and wheel are made on Linux.")
        return
    run("packaging/wheel.py", ROOT / "dist")
    (made,) = (ROOT / "dist").glob(f"playhead-{version()}-*.whl")
    run("-m", "tests.packaging.installed_wheel", made, tool("pipx"))


def pack_for_linux() -> None:
    """The Debian package and the archive for one user, both checked."""
    name = f"playhead-{version()}-linux-{platform.machine()}"
    package, archive = ROOT / f"dist/{name}.deb", ROOT / f"dist/{name}.tar.gz"
    check_descriptions()
    run("packaging/linux/deb.py", FROZEN, package)
    run("packaging/linux/tarball.py", FROZEN, archive)
    if shutil.which("lintian"):
        call("lintian", "--fail-on", "error", package)
    else:
        print("lintian is not installed: the package was not checked by it.")
    size_mb = package.stat().st_size / 1e6
    if size_mb > DEB_LIMIT_MB:
        sys.exit(f"{package.name} has {size_mb:.0f} MB, more than {DEB_LIMIT_MB}.")
    run("-m", "tests.packaging.archive", archive)


def check_descriptions() -> None:
    """What menus and software centres will read, as it will be installed."""
    sys.path.insert(0, str(ROOT / "packaging" / "linux"))
    import deb  # pyright: ignore[reportMissingImports] - beside the file above

    share = ROOT / "build" / "share"
    shutil.rmtree(share, ignore_errors=True)
    deb.place_for_desktop(share, version(), deb.release_date())
    for name, *arguments in (
        ("desktop-file-validate", share / "applications/playhead.desktop"),
        (
            "appstreamcli",
            "validate",
            "--no-net",
            share / "metainfo/app.playhead.Playhead.metainfo.xml",
        ),
        ("xmllint", "--noout", share / "mime/packages/playhead.xml"),
    ):
        if shutil.which(name):
            call(name, *arguments)
        else:
            print(f"{name} is not installed: what it checks was not checked.")


def pack_for_macos() -> None:
    """The disk image of the app that build.spec has bundled."""
    target = ROOT / f"dist/playhead-{version()}-macos-{platform.machine()}.dmg"
    call(tool("dmgbuild"), "-s", "packaging/macos/dmg.py", "Playhead", target)


def pack_for_windows() -> None:
    """The installer by Inno Setup."""
    name = f"playhead-{version()}-windows-{platform.machine().lower()}"
    call("iscc", f"/DVersion={version()}", f"/F{name}", "packaging/windows/playhead.iss")


def write_sums() -> None:
    """SHA-256 of each artefact of this version, as `sha256sum --check` reads it."""
    kinds = ("deb", "tar.gz", "whl", "dmg", "exe")
    found = [
        path for kind in kinds for path in (ROOT / "dist").glob(f"playhead-{version()}*.{kind}")
    ]
    lines = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in found]
    (ROOT / "dist/SHA256SUMS").write_text("".join(lines), "ascii")
    for one in found:
        print(f"{one.relative_to(ROOT)}: {one.stat().st_size / 1e6:.1f} MB")


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


def program() -> Path:
    """The frozen program with the window."""
    return FROZEN / ("playhead.exe" if sys.platform == "win32" else "playhead")


def version() -> str:
    """What the package says of itself."""
    text = (ROOT / "app/playhead/__init__.py").read_text("utf-8")
    return text.partition('__version__ = "')[2].partition('"')[0]


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
