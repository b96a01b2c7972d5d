"""What the bundle is made of, and under which licences: `licences.py FOLDER COLLECT.toc`.

Refuses what may not be shipped: everything but permissive licences, the weak copyleft that Mozilla
and the LGPL ask for, and Python's. Writes `licences/` into the bundle, with a table of all parts.
"""

from __future__ import annotations

import ast
import importlib.metadata as metadata
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = re.compile(
    r"MIT(-0|-CMU)?( License)?|The MIT License.*|BSD[- ](2|3)[- ]Clause|BSD License|ISC"
    r"|Apache[- ](License,? )?(Version )?2\.0|Apache(-2\.0)? Software License|Apache License 2\.0"
    r"|PSF-2\.0|Python Software Foundation License|CNRI-Python|Unlicense|0BSD|Zlib"
    r"|MPL-2\.0|Mozilla Public License 2\.0 \(MPL 2\.0\)|LGPL-3\.0-only",
    re.IGNORECASE,
)
# Where the metadata says nothing that could be read by a program; read by a person.
READ = {
    "jedi": "MIT AND Apache-2.0",  # the latter are the stubs of typeshed
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "pyzmq": "BSD-3-Clause AND MPL-2.0 AND ISC AND Apache-2.0",  # libzmq, libsodium, of tornado
    "tiktoken": "MIT",
}
# The system's libraries in the bundle by Debian package, read in their copyright files. None of
# them is under the GPL: LGPL ones lie there as shared libraries of their own and can be exchanged.
# The GCC runtime's exception lets every program be shipped with it.
SYSTEM = {
    "libblkid1": "LGPL-2.1+",
    "libbrotli1": "MIT",
    "libbsd0": "BSD-3-Clause",
    "libbz2-1.0": "bzip2-1.0.6",
    "libcap2": "BSD-3-Clause",
    "libcom-err2": "MIT",
    "libdbus-1-3": "AFL-2.1",
    "libexpat1": "MIT",
    "libffi8": "MIT",
    "libfontconfig1": "MIT",
    "libfreetype6": "FTL",
    "libgcc-s1": "GPL-3.0+ WITH GCC-exception-3.1",
    "libgcrypt20": "LGPL-2.1+",
    "libglib2.0-0": "LGPL-2.1+",
    "libgpg-error0": "LGPL-2.1+",
    "libgraphite2-3": "LGPL-2.1+",
    "libgssapi-krb5-2": "MIT",
    "libharfbuzz0b": "MIT",
    "libk5crypto3": "MIT",
    "libkeyutils1": "LGPL-2.1+",
    "libkrb5-3": "MIT",
    "libkrb5support0": "MIT",
    "liblz4-1": "BSD-2-Clause",
    "liblzma5": "public domain",
    "libmd0": "BSD-3-Clause",
    "libmount1": "LGPL-2.1+",
    "libncursesw6": "MIT",
    "libnsl2": "LGPL-2.1+",
    "libpcre2-8-0": "BSD-3-Clause",
    "libpng16-16": "libpng-2.0",
    "libselinux1": "public domain",
    "libsqlite3-0": "public domain",
    "libssl3": "Apache-2.0",
    "libstdc++6": "GPL-3.0+ WITH GCC-exception-3.1",
    "libsystemd0": "LGPL-2.1+",
    "libtinfo6": "MIT",
    "libtirpc3": "BSD-3-Clause",
    "libuuid1": "BSD-3-Clause",
    "libx11-6": "MIT",
    "libx11-xcb1": "MIT",
    "libxau6": "MIT",
    "libxcb-cursor0": "MIT",
    "libxcb-glx0": "MIT",
    "libxcb-icccm4": "MIT",
    "libxcb-image0": "MIT",
    "libxcb-keysyms1": "MIT",
    "libxcb-randr0": "MIT",
    "libxcb-render-util0": "MIT",
    "libxcb-render0": "MIT",
    "libxcb-shape0": "MIT",
    "libxcb-shm0": "MIT",
    "libxcb-sync1": "MIT",
    "libxcb-util1": "MIT",
    "libxcb-xfixes0": "MIT",
    "libxcb-xkb1": "MIT",
    "libxdmcp6": "MIT",
    "libxext6": "MIT",
    "libxkbcommon-x11-0": "MIT",
    "libxkbcommon0": "MIT",
    "libzstd1": "BSD-3-Clause",
    "zlib1g": "Zlib",
}
COMMON = ("Apache-2.0", "GPL-3", "LGPL-2.1", "LGPL-3")
"""The texts that Debian's copyright files only name, and of Qt's packages, which have none."""
_A_TEXT = re.compile(r"(?i)^(licen[cs]es?|copying|notice|copyright)")


@dataclass(frozen=True, slots=True)
class Part:
    """Something in the bundle; `texts` are the files that its licence is in."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...] = ()


def main() -> int:
    """Check, then write; the exit status says whether all may be shipped."""
    bundle, toc = Path(sys.argv[1]), Path(sys.argv[2])
    shipped = rows_of(toc)
    parts = [*python_parts(), *(system_parts(shipped) if sys.platform == "linux" else ())]
    if refused := [part for part in parts if not may_be_shipped(part)]:
        for part in refused:
            print(f"May not be shipped: {part.name} ({part.licence or 'no licence found'})")
        return 1
    write(bundle / "licences", parts)
    print(f"{len(parts)} parts, all under licences that let them be shipped.")
    return 0


def rows_of(toc: Path) -> list[tuple[str, str]]:
    """Place in the bundle and origin of every file, from what PyInstaller wrote down."""

    def rows(value: Any) -> Iterator[tuple[str, str]]:
        if isinstance(value, tuple) and len(value) >= 3 and isinstance(value[0], str):
            yield value[0], str(value[1])
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from rows(item)

    return list(rows(ast.literal_eval(toc.read_text("utf-8"))))


def python_parts() -> Iterator[Part]:
    """Every package of the lock that is installed here."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    for name in re.findall(r"^([A-Za-z0-9_.-]+)==", lock, re.MULTILINE):
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system
            continue
        texts = [Path(str(found.locate_file(file))) for file in found.files or ()]
        kept = tuple(text for text in texts if _A_TEXT.match(text.name) and text.is_file())
        yield Part(name, found.version, licence_of(found), kept)


def licence_of(found: metadata.Distribution) -> str:
    """The expression of the metadata, else the classifiers, else what stands in its place."""
    about: Any = found.metadata  # a Message, which its protocol does not say
    if read := READ.get(found.name.lower()):
        return read
    if expression := about.get("License-Expression"):
        return expression
    classifiers = about.get_all("Classifier") or []
    names = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License ::")]
    said = (about.get("License") or "").strip().partition("\n")[0]
    return said if said and len(said) < 80 else " AND ".join(names)


def system_parts(shipped: list[tuple[str, str]]) -> Iterator[Part]:
    """The system's libraries, by the package that each belongs to."""
    origins = {src for _, src in shipped if src.startswith(("/lib/", "/lib64/", "/usr/lib/"))}
    packages = sorted({package_of(src) for src in origins})
    for package in packages:
        text = Path("/usr/share/doc", package, "copyright")
        texts = (text,) if text.is_file() else ()
        yield Part(package, "", SYSTEM.get(package, ""), texts)


def package_of(path: str) -> str:
    """The Debian package of a file; dpkg knows it by its old or by its merged place."""
    real = os.path.realpath(path)
    for place in (path, real, real.removeprefix("/usr"), f"/usr{path}"):
        said = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True)
        if said.returncode == 0:
            return said.stdout.partition(":")[0]
    return path


def may_be_shipped(part: Part) -> bool:
    """Whether one of its alternatives holds, with all of what that one joins."""
    if SYSTEM.get(part.name) == part.licence:
        return True
    alternatives = re.split(r"\s+OR\s+", part.licence)
    return any(
        all(ALLOWED.fullmatch(one) for one in re.split(r"\s+AND\s+", alternative))
        for alternative in alternatives
    )


def write(folder: Path, parts: list[Part]) -> None:
    """A folder a part with its texts, and the table."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for part in parts:
        for text in part.texts:
            (folder / part.name).mkdir(exist_ok=True)
            place = folder / part.name / text.name
            if place.exists():  # a part that brings another one with it
                place = place.with_name(f"{text.parent.name}-{text.name}")
            shutil.copyfile(text, place)
    rows = [f"{part.name}\t{part.version}\t{part.licence}" for part in parts]
    (folder / "LICENCES.tsv").write_text("\n".join(("part\tversion\tlicence", *rows, "")), "utf-8")
    for name in COMMON if sys.platform == "linux" else ():
        shutil.copyfile(Path("/usr/share/common-licenses", name), folder / f"{name}.txt")
    for text in (ROOT / "resources/licences").glob("*.txt"):
        shutil.copyfile(text, folder / text.name)
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")


if __name__ == "__main__":
    sys.exit(main())
