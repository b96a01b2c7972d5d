"""Packs the frozen program for one user: `python tarball.py FOLDER TARGET.tar.gz`."""

from __future__ import annotations

import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import deb


def main() -> int:
    """The program, what the desktop looks for, and the script that puts both in place."""
    frozen, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder) / "playhead"
        shutil.copytree(frozen, stage / "program", symlinks=True)
        deb.place_for_desktop(stage / "share", deb.version_of(frozen), deb.release_date())
        shutil.copy(deb.HERE / "install.sh", stage / "install.sh")
        shutil.copyfile(deb.ROOT / "LICENSE", stage / "LICENSE")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(target, "w:gz", compresslevel=6) as archive:
            archive.add(stage, target.name.removesuffix(".tar.gz"), filter=owned_by_nobody)
    return 0


def owned_by_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Not by whoever built it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    sys.exit(main())
