"""Makes a list of mounts of a policy: all of this machine that code sees; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from playhead.domain.trust import Policy

MountKind = Literal["bind", "read", "hide", "tmpfs", "proc", "dev", "link"]
MEGABYTE = 1_000_000
_TEMPORARY = {"/tmp": 2000, "/run": 50, "/dev/shm": 2000}  # noqa: S108 - they are mounts of its own
"""The folders in memory and their sizes in MB."""


class Mount(Struct, frozen=True):
    """One thing of the view: a host's `source`, read-only or not, or something fresh.

    `hide` puts a file that cannot be opened in the place of one; a `link` points to its source.
    """

    kind: MountKind
    target: str
    source: str = ""
    size_bytes: int = 0


class Surroundings(Struct, frozen=True, kw_only=True):
    """The parts of this machine that matter for one working folder; all paths are absolute.

    `home` is the person's, `private_home` takes its place. `system` are folders that all can see,
    `links` those of the root that are links (`/bin`), `readable` what the kernel needs beyond
    them. Of the folder `held` are parts that cannot be replaced but written (`.git`), `pinned`
    those that are read-only, `hidden` the sockets in it. `masked` is hidden of the system,
    `parameters` are those of its kernel.
    """

    folder: str
    home: str
    private_home: str
    system: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    readable: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


class View(Struct, frozen=True, kw_only=True):
    """All that is seen inside, in the order in which it is put there."""

    mounts: tuple[Mount, ...]
    folder: str
    has_network: bool = False
    spool: str = ""


def view_of(policy: Policy, around: Surroundings, spool: str) -> View:
    """Return what code of a bounded policy sees."""
    is_writable = policy.files == "folder"
    mounts = [Mount("read", path, path) for path in around.system]
    mounts += [Mount("link", path, target) for path, target in around.links]
    mounts += [Mount("hide", path) for path in around.masked]
    mounts += [Mount("proc", "/proc"), Mount("dev", "/dev")]
    # bubblewrap covers these only where it takes them for writable, which it may be wrong about.
    mounts += [Mount("read", path, path) for path in around.parameters]
    mounts += [Mount("tmpfs", path, "", size * MEGABYTE) for path, size in _TEMPORARY.items()]
    mounts.append(Mount("bind", around.home, around.private_home))
    outer = [path for path in around.readable if not is_inside(path, around.folder)]
    mounts += [Mount("read", path, path) for path in sorted(outer)]
    kind: MountKind = "bind" if is_writable else "read"
    mounts.append(Mount(kind, around.folder, around.folder))
    if is_writable:
        mounts += [Mount("bind", path, path) for path in around.held]
        pinned = {*around.pinned, *around.readable} - set(outer)
        mounts += [Mount("read", path, path) for path in sorted(pinned)]
    mounts += [Mount("hide", path) for path in around.hidden]
    mounts.append(Mount("bind", spool, spool))
    return View(
        mounts=tuple(mounts),
        folder=around.folder,
        has_network=policy.network == "on",
        spool=spool,
    )


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or somewhere in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


_LET_IN = frozenset(
    {"PATH", "LANG", "LANGUAGE", "TZ", "TERM", "USER", "LOGNAME", "SHELL", "VIRTUAL_ENV"}
    | {"MPLBACKEND", "PYTHONIOENCODING", "PYTHONHASHSEED", "PYTHONUTF8", "JAVA_HOME"}
    | {"CONDA_PREFIX", "CONDA_DEFAULT_ENV", "R_HOME", "R_LIBS", "R_LIBS_SITE", "NODE_ENV"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
    | {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}
)
_LET_IN_WITH = ("LC_",)
_WITH_NETWORK = re.compile(r"(?i)(https?|all|no|ftp)_proxy|(pip|uv)_\w*(index|links|cert)\w*")
_THREADS = "_NUM_THREADS"
PACKAGES, R_PACKAGES = ".packages", ".packages-r"
"""The folders of the private home that have the packages that code has installed."""
SANDBOX = "PLAYHEAD_SANDBOX"
"""The variable by which programs can see that they are in the sandbox: the state of its network."""


def variables_let_in(
    variables: Mapping[str, str],
    home: str,
    has_network: bool,
    also: frozenset[str] = frozenset(),
) -> dict[str, str]:
    """Return the environment inside: those of a short list, and those that a person let in.

    Packages are installed into the private home, so that they are the working folder's alone.
    """
    kept = {
        name: value
        for name, value in variables.items()
        if name in _LET_IN
        or name in also
        or name.startswith(_LET_IN_WITH)
        or name.endswith(_THREADS)
        or (has_network and _WITH_NETWORK.fullmatch(name))
    }
    return {
        **kept,
        "HOME": home,
        "TMPDIR": "/tmp",  # noqa: S108 - a mount of its own
        "PIP_TARGET": f"{home}/{PACKAGES}",
        "PYTHONPATH": f"{home}/{PACKAGES}",
        "R_LIBS_USER": f"{home}/{R_PACKAGES}",
        **({SANDBOX: "on"} if has_network else {SANDBOX: "off", "PIP_RETRIES": "0"}),
    }


def misplaced(mountinfo: str, view: View) -> str:
    """Return a part of the folder that is not mounted where it belongs; "" if all of them are.

    `mountinfo` is that of a process inside. Who runs in the same folder could have put a link in
    the place of a part between our look at it and the mount.
    """
    found: dict[str, tuple[str, str]] = {}
    for line in mountinfo.splitlines():
        fields = line.split(" ")
        if len(fields) > 4:
            found[_plain(fields[4])] = fields[2], _plain(fields[3])
    device, root = found.get(view.folder, ("", ""))
    if not root:
        return view.folder
    for mount in view.mounts:
        if mount.source != mount.target or not is_inside(mount.target, view.folder):
            continue
        part = mount.target[len(view.folder) :]
        expected = root.rstrip("/") + part if part else root
        if found.get(mount.target) != (device, expected):
            return mount.target
    return ""


def _plain(field: str) -> str:
    """Return a path as it is: the system writes spaces and some others in octal."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, sign)
    return field
