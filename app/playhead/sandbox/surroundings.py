"""Looks at what a view needs of this machine: the system's folders, Pythons, parts of a folder.

Nothing that it finds is run, and links inside a working folder are not followed: code may have put
them there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import time
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from pathlib import Path

from playhead.sandbox.view import is_inside

_SYSTEM = ("/usr", "/etc", "/opt", "/nix/store", "/gnu/store", "/sys/devices/system")
_SYSTEM_PARTS = ("/var/cache/fontconfig", "/var/lib/flatpak/runtime", "/var/lib/snapd/snap")
_ROOT_FOLDERS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ROOTS_SECRETS = ("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers")
_HELD, _GIT_PINNED = ".git", ("hooks", "config", "info", "config.worktree")
_PINNED = (".venv", "venv", ".vscode", ".idea", ".envrc", ".env", ".github")
_LEFT_OUT = frozenset({"node_modules", "__pycache__", ".venv", "venv", "site-packages"})
"""Folders in which nothing is looked for: they are large, and nothing in them is of this kind."""
LOOK_LIMIT = 50_000
"""Entries of a working folder that are looked at."""


def system_folders() -> tuple[str, ...]:
    """Return the folders of the system that all code sees."""
    own = [path for path in _ROOT_FOLDERS if os.path.isdir(path) and not os.path.islink(path)]
    return tuple(path for path in (*_SYSTEM, *_SYSTEM_PARTS, *own) if os.path.isdir(path))


def root_links() -> tuple[tuple[str, str], ...]:
    """Return the links of the root folder, as `/bin`, and where they point to."""
    return tuple((path, os.readlink(path)) for path in _ROOT_FOLDERS if os.path.islink(path))


def roots_secrets() -> tuple[str, ...]:
    """Return the files below `/etc` that this process can read and other people cannot."""
    if os.geteuid() != 0:
        return ()
    return tuple(path for path in _ROOTS_SECRETS if os.path.isfile(path))


def kernel_parameters() -> tuple[str, ...]:
    """Return the files below `/proc` by which root changes the system, as this process has them."""
    return tuple(path for path in ("/proc/sys", "/proc/sysrq-trigger") if os.path.exists(path))


def top_folders() -> tuple[str, ...]:
    """Return the names of the folders of the root that are no part of the system."""
    shown = {*_ROOT_FOLDERS, *_SYSTEM, "/proc", "/sys", "/dev", "/boot", "/lost+found"}
    try:
        found = [entry for entry in os.scandir("/") if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return ()
    return tuple(sorted(entry.name for entry in found if entry.path not in shown))


def resolver_files() -> tuple[str, ...]:
    """Return the file that `/etc/resolv.conf` points to, if it is not below `/etc`."""
    real = resolver()
    return () if not real or is_inside(real, "/etc") else (real,)


def resolver() -> str:
    """Return the file that names the name server; "" without one."""
    real = os.path.realpath("/etc/resolv.conf")
    return real if os.path.isfile(real) else ""


_CLOCK_S = 0.02
"""The time by which the stamps of files may lag behind the clock."""
_LISTED, _LOOKED_AT_ONCE, _DEPTH = 20, 100, 20
_MOST_HELD = 30


class HomeLook:
    """Sees in no time whether code has surely written nothing to its private home; each run waits.

    It keeps the folders of a small home open, with the time at which each had its entries changed
    last: while these times stand still, nothing was made, moved or removed in it, and the files
    that were found are all there are. So no path is walked that code could have led elsewhere, and
    nothing is listed again. What is written by way of hidden folders is no matter, and of those for
    `packages` only what is put into them or removed. `close` lets go of all of it.
    """

    def __init__(self, home: str, packages: Iterable[str]) -> None:
        self._home = home
        self._packages = tuple(packages)
        self._folders: dict[int, float] = {}
        self._files: list[tuple[int, str]] = []
        self._is_known = False

    def is_untouched(self, since: float) -> bool:
        """Return whether that is so since a time; False where it cannot be seen at once."""
        since -= _CLOCK_S
        try:
            if not self._is_known or any(_stamp(fd) != at for fd, at in self._folders.items()):
                self._look()
            return (
                bool(self._folders)
                and all(at < since for at in self._folders.values())
                and all(_stamp(name, folder) < since for folder, name in self._files)
            )
        except OSError:
            self.close()
            return False

    def _look(self) -> None:
        """Open the folders, and list what is in them; none if there is too much. Raises OSError."""
        self.close()
        for name in self._packages:
            with contextlib.suppress(FileNotFoundError):
                self._open(f"{self._home}/{name}")
        entries, new = 0, [self._open(self._home)]
        while new:
            folder = new.pop()
            with os.scandir(folder) as found:
                for one in found:
                    entries += 1
                    if entries > _LOOKED_AT_ONCE or len(self._folders) > _MOST_HELD:
                        self.close()
                        return
                    if one.name.startswith("."):
                        continue
                    if one.is_dir(follow_symlinks=False):
                        new.append(self._open(one.name, folder))
                    else:
                        self._files.append((folder, one.name))
        # A change right after it was listed may have the same stamp: then it is listed once more.
        self._is_known = max(self._folders.values()) < time.time() - _CLOCK_S

    def _open(self, path: str, folder: int | None = None) -> int:
        fd = os.open(path, _FOLDER_FLAGS | getattr(os, "O_CLOEXEC", 0), dir_fd=folder)
        self._folders[fd] = _stamp(fd)  # before it is listed
        return fd

    def close(self) -> None:
        """Close the folders; they are opened again when they are needed."""
        for fd in self._folders:
            os.close(fd)
        self._folders, self._files, self._is_known = {}, [], False


def _stamp(place: int | str, folder: int | None = None) -> float:
    """Return when it was changed last. Raises OSError."""
    if folder is None:
        return os.stat(place).st_ctime
    return os.stat(place, dir_fd=folder, follow_symlinks=False).st_ctime


def written_since(home: str, since: float) -> list[str]:
    """Return the paths of up to 20 files of a private home that were changed since a time."""
    looked = islice(_entries_of(home), LOOK_LIMIT)
    found = [os.fsencode(path) for path, changed in looked if changed >= since - _CLOCK_S]
    found.sort(key=lambda path: (path.count(b"/"), path))
    return [path.decode("utf-8", "backslashreplace") for path in found[:_LISTED]]


def _entries_of(
    name: str, above: int | None = None, way: str = "", depth: int = 0
) -> Iterator[tuple[str, float]]:
    """Yield what is in a private home and, of files that are not hidden, when each was changed.

    For all else that is 0, and nothing in hidden folders is looked at. No link is followed,
    whatever code puts into the way meanwhile.
    """
    below: list[str] = []
    with (
        contextlib.suppress(OSError),
        _opened(name, _FOLDER_FLAGS, above) as fd,
        os.scandir(fd) as entries,
    ):
        for one in entries:
            changed = 0.0
            if not one.name.startswith("."):
                if one.is_dir(follow_symlinks=False):
                    below.append(one.name)
                else:
                    with contextlib.suppress(OSError):
                        changed = one.stat(follow_symlinks=False).st_ctime
            yield f"{way}{one.name}", changed
        for folder in below if depth < _DEPTH else ():
            yield from _entries_of(folder, fd, f"{way}{folder}/", depth + 1)


def _changed_at(path: str) -> float:
    """Return when a folder was changed; 0 if it is not there."""
    try:
        return os.stat(path, follow_symlinks=False).st_ctime
    except OSError:
        return 0.0


def packages_since(folder: str, since: float) -> list[str]:
    """Return the packages of Python that were installed into a folder since a time: name, version.

    Code may have put anything there, so only what looks like one counts.
    """
    found = (_DIST_INFO.fullmatch(name) for name, _ in _changed_since(folder, since, "METADATA"))
    return [f"{one[1].replace('_', '-')} {one[2]}" for one in found if one]


def r_packages_since(folder: str, since: float) -> list[str]:
    """Return the packages of R that were installed into a folder since a time: name, version."""
    found: list[str] = []
    for name, text in _changed_since(folder, since, "DESCRIPTION"):
        version = _R_VERSION.search(text)
        if version and _R_NAME.fullmatch(name):
            found.append(f"{name} {version[1]}")
    return found


_DIST_INFO = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._]{0,80})-([A-Za-z0-9][A-Za-z0-9.!+_]{0,40})\.dist-info"
)
_R_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.]{0,80}")
_R_VERSION = re.compile(r"^Version: *([0-9][0-9.-]{0,40})$", re.MULTILINE)
_DESCRIPTION_BYTES = 20_000
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


def _changed_since(folder: str, since: float, file: str) -> list[tuple[str, str]]:
    """Return the names of folders in a folder that have a file, with the beginning of that.

    Those that were made or changed since a time. Code may have put a link or a pipe there: no
    link is followed and nothing is waited for.
    """
    found: list[tuple[str, str]] = []
    if _changed_at(folder) < since - _CLOCK_S:
        return found  # none was put in
    with (
        contextlib.suppress(OSError),
        _opened(folder, _FOLDER_FLAGS) as fd,
        os.scandir(fd) as every,
    ):
        for one in every:
            with contextlib.suppress(OSError):
                if one.stat(follow_symlinks=False).st_ctime < since - _CLOCK_S:
                    continue
                with _opened(one.name, _FOLDER_FLAGS, fd) as below:
                    found.append((one.name, _beginning(file, below)))
    return sorted(found)


def _beginning(name: str, folder: int) -> str:
    """Return the beginning of a text. Raises OSError for anything but a plain file."""
    with _opened(name, _FILE_FLAGS, folder) as fd:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return os.read(fd, _DESCRIPTION_BYTES).decode("utf-8", "replace")


@contextlib.contextmanager
def _opened(path: str, flags: int, folder: int | None = None) -> Generator[int]:
    fd = os.open(path, flags | getattr(os, "O_CLOEXEC", 0), dir_fd=folder)
    try:
        yield fd
    finally:
        os.close(fd)


def private_folders(home: str) -> tuple[str, ...]:
    """Return the folders of a home that no installation may bring with it, as `~/.local` would."""
    names = (".ssh", ".gnupg", ".config", ".local/share", ".mozilla", ".aws", ".cache")
    return tuple(os.path.join(home, name) for name in names)


def program_parts(programs: Iterable[str], private: Iterable[str]) -> tuple[str, ...]:
    """Return what programs need to be readable: their installations, or at least their files.

    An installation that would show one of the `private` folders is left out.
    """
    system = (*system_folders(), *_ROOT_FOLDERS)
    found: set[str] = set()
    hidden = tuple(private)
    for program in filter(None, programs):
        for place in {os.path.abspath(program), os.path.realpath(program)}:
            prefix = os.path.dirname(os.path.dirname(place))
            if _is_installation(prefix) and not _shows(prefix, hidden):
                found.add(prefix)
                found.update(_base_installation(prefix, hidden))
            elif os.path.exists(place):
                found.add(place)
    return tuple(
        sorted(path for path in found if not any(is_inside(path, folder) for folder in system))
    )


def _shows(prefix: str, private: tuple[str, ...]) -> bool:
    return any(is_inside(folder, prefix) for folder in private)


def _is_installation(prefix: str) -> bool:
    """Return whether it has programs and a library of Python, node, Ruby, R or Java."""
    if not os.path.isdir(os.path.join(prefix, "bin")):
        return False
    for name in ("lib", "lib64"):
        try:
            inside = os.listdir(os.path.join(prefix, name))
        except OSError:
            continue
        words = ("python3", "node_modules", "ruby", "R", "modules", "jvm.cfg")
        if any(entry.startswith(words) for entry in inside):
            return True
    return False


def _base_installation(prefix: str, private: tuple[str, ...]) -> Iterator[str]:
    """Yield the installation that an environment was made from."""
    try:
        text = Path(prefix, "pyvenv.cfg").read_text("utf-8")
    except (OSError, ValueError):
        return
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == "home":
            for home in {value.strip(), os.path.realpath(value.strip())}:
                base = os.path.dirname(home)
                if os.path.isabs(base) and _is_installation(base) and not _shows(base, private):
                    yield base


class FolderParts:
    """Holds the special parts of a working folder, as far as it was looked at."""

    def __init__(self, folder: str) -> None:
        self.held: list[str] = []
        self.pinned: list[str] = []
        self.hidden: list[str] = []
        self._seen = 0
        self._look(folder, is_top=True)

    def _look(self, folder: str, *, is_top: bool = False) -> None:
        if self._seen > LOOK_LIMIT:
            return
        try:
            entries = list(os.scandir(folder))
        except OSError:
            return
        self._seen += len(entries)
        for entry in entries:
            self._take(entry, is_top)

    def _take(self, entry: os.DirEntry[str], is_top: bool) -> None:
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except OSError:
            return
        is_folder = stat.S_ISDIR(mode)
        if stat.S_ISSOCK(mode):
            self.hidden.append(entry.path)
        elif entry.name == _HELD and is_folder:
            self._take_repository(entry.path)
        elif entry.name == _HELD or (is_top and entry.name in _PINNED):
            if is_folder or stat.S_ISREG(mode):
                self.pinned.append(entry.path)
        elif is_folder and entry.name not in _LEFT_OUT:
            self._look(entry.path)

    def _take_repository(self, path: str) -> None:
        self.held.append(path)
        self.pinned += _present(path, _GIT_PINNED)
        for parent, folders, _ in os.walk(os.path.join(path, "modules")):
            if "objects" in folders:
                self.pinned += _present(parent, _GIT_PINNED)
                folders[:] = [name for name in folders if name == "modules"]


def kind_of(path: str) -> bool | None:
    """Return whether a path is a folder, without following a link; None if it is not there."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return None


def clear_way(private_home: str, path: str) -> None:
    """Remove what is in the way of a mount in a private home: code may have put a link there."""
    place = private_home
    for part in path.split("/"):
        place = os.path.join(place, part)
        if os.path.islink(place):
            os.unlink(place)


def remove_place(private_home: str, path: str) -> None:
    """Remove an empty folder that was mounted on; those above it may be another kernel's, too.

    Links are not followed: code may have put them there.
    """
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
    *way, name = path.split("/")
    with contextlib.ExitStack() as held, contextlib.suppress(OSError):
        place = os.open(private_home, flags)
        held.callback(os.close, place)
        for part in way:
            place = os.open(part, flags, dir_fd=place)
            held.callback(os.close, place)
        os.rmdir(name, dir_fd=place)


def _present(folder: str, names: Iterable[str]) -> list[str]:
    paths = [os.path.join(folder, name) for name in names]
    return [path for path in paths if os.path.exists(path) and not os.path.islink(path)]


_GIT_SECTION = re.compile(r"^\s*\[\s*(?P<name>[\w.-]+)[^\]]*\]")
_GIT_VALUE = re.compile(
    r"^\s*(?P<name>name|email)\s*=\s*(?P<value>[^\"\\#;]+?|\"[^\"\\]+\")\s*$", re.I
)


def git_identity(home: str) -> str:
    """Return the name and the address of a person's commits, as a file of git's; "" for none.

    Nothing else of that file is for code: it names programs, and places of passwords.
    """
    found: dict[str, str] = {}
    for place in (".config/git/config", ".gitconfig"):  # the second one counts
        try:
            lines = Path(home, place).read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        section = ""
        for line in lines:
            if header := _GIT_SECTION.match(line):
                section = header["name"].lower()
            elif section == "user" and (value := _GIT_VALUE.match(line)):
                found[value["name"].lower()] = value["value"].strip('"')
    rows = [f'\t{name} = "{value}"\n' for name, value in sorted(found.items())]
    return "".join(["[user]\n", *rows]) if rows else ""


def own_code() -> tuple[str, ...]:
    """Return the folders of this program's code that kernels need, and nothing of theirs else."""
    if getattr(sys, "frozen", False):
        return (os.path.dirname(sys.executable),)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return tuple(os.path.join(package, name) for name in ("kernel", "place_worker"))
