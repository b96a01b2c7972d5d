"""Makes a list of mounts of a policy: all of this machine that code sees; pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypedDict

from msgspec import Struct

from playhead.domain.trust import Policy, Reach, is_below

MountKind = Literal["bind", "read", "hide", "empty", "tmpfs", "proc", "dev", "link"]
MEGABYTE = 1_000_000
_TEMPORARY = {"/tmp": 2000, "/run": 50, "/dev/shm": 2000}  # noqa: S108 - they are mounts of its own
"""The folders in memory and their sizes in MB."""


class Mount(Struct, frozen=True):
    """One thing of the view: a host's `source`, read-only or not, or something fresh.

    `hide` puts a file that cannot be opened in the place of one, `empty` an empty folder; a `link`
    points to its source.
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
    `parameters` are those of its kernel. `tops` are names of the folders of the root that can have
    more of a person's in them, `resolver` is the file that names the name server. `granted` is what
    a person lets code reach besides, `denied` what of all this it does not.
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
    tops: tuple[str, ...] = ()
    resolver: str = ""
    granted: tuple[Mount, ...] = ()
    denied: tuple[Mount, ...] = ()


class PathParts(Protocol):
    """The special parts of a folder, as those of a working folder."""

    held: list[str]
    pinned: list[str]
    hidden: list[str]


class View(Struct, frozen=True, kw_only=True):
    """All that is seen inside, in the order in which it is put there."""

    mounts: tuple[Mount, ...]
    folder: str
    has_network: bool = False
    is_in_space: bool = False
    spool: str = ""


PLACES, RESOLVER = "places", "resolv.conf"
"""What the supervisor puts into its staging folder."""


def view_of(policy: Policy, around: Surroundings, spool: str, staging: str = "") -> View:
    """Return what code of a bounded policy sees.

    With a `staging` folder the sandbox is in the supervisor's own space, which has what is granted
    and denied, and the network: it can change while the sandbox lives.
    """
    is_writable = policy.files == "folder"
    mounts = [Mount("read", path, path) for path in around.system]
    mounts += [Mount("link", path, target) for path, target in around.links]
    mounts += [Mount("hide", path) for path in around.masked]
    mounts += [Mount("proc", "/proc"), Mount("dev", "/dev")]
    # bubblewrap covers these only where it takes them for writable, which it may be wrong about.
    mounts += [Mount("read", path, path) for path in around.parameters]
    memory = {path: size for path, size in _TEMPORARY.items() if path.strip("/") not in around.tops}
    if not staging:
        memory = _TEMPORARY
    else:
        mounts += [_top(one, f"{staging}/{PLACES}/{one}") for one in around.tops]
    mounts += [Mount("tmpfs", path, "", size * MEGABYTE) for path, size in memory.items()]
    mounts.append(Mount("bind", around.home, around.private_home))
    outer = [path for path in around.readable if not is_inside(path, around.folder)]
    parts = [Mount("read", path, path) for path in outer]
    parts.append(Mount("bind" if is_writable else "read", around.folder, around.folder))
    if is_writable:
        parts += [Mount("bind", path, path) for path in around.held]
        pinned = {*around.pinned, *around.readable} - set(outer)
        parts += [Mount("read", path, path) for path in pinned]
    parts += [Mount("hide", path) for path in around.hidden]
    mounts += _in_order(parts if staging else [*parts, *around.granted, *around.denied])
    mounts.append(Mount("bind", spool, spool))
    if staging and around.resolver:
        mounts = [one for one in mounts if one.target != around.resolver]
        mounts.append(Mount("read", around.resolver, f"{staging}/{RESOLVER}"))
    return View(
        mounts=tuple(mounts),
        folder=around.folder,
        has_network=policy.network == "on",
        is_in_space=bool(staging),
        spool=spool,
    )


def _top(name: str, source: str) -> Mount:
    return Mount("bind" if "/" + name in _TEMPORARY else "read", "/" + name, source)


class Part(TypedDict):
    """One thing for the supervisor to mount, as its protocol has it."""

    path: str
    kind: str
    root: str
    inside: str
    is_folder: bool


def living_parts(around: Surroundings, staging: str) -> list[Part]:
    """Return what is granted and denied as the supervisor mounts it, before a sandbox and later."""
    parts: list[Part] = []
    for mount in _in_order([*around.granted, *around.denied]):
        root, inside = _living_place(mount.target, around, staging)
        kind = {"bind": "write", "read": "read"}.get(mount.kind, "hide")
        if root and inside:
            is_folder = mount.kind == "empty"
            parts.append(
                Part(path=mount.target, kind=kind, root=root, inside=inside, is_folder=is_folder)
            )
    return parts


def _living_place(path: str, around: Surroundings, staging: str) -> tuple[str, str]:
    """Return the folder that the sandbox sees, and where in it a path is; "" if in none."""
    top = path.split("/")[1]
    for seen, root in (
        (around.folder, around.folder),
        (around.home, around.private_home),
        ("/" + top, f"{staging}/{PLACES}/{top}" if top in around.tops else "/" + top),
    ):
        if is_inside(path, seen):
            return root, path[len(seen) :].strip("/")
    return "", ""


def can_change(changed: Iterable[str], view: View) -> bool:
    """Return whether these can be changed under a living sandbox: none of its parts is there."""
    return view.is_in_space and not any(is_below(one.target, changed) for one in view.mounts)


def mounted_on(view: View, around: Surroundings) -> list[tuple[str, str]]:
    """Return the paths in read-only folders of the root that a view needs, and their sources."""
    tops = ["/" + one for one in around.tops if "/" + one not in _TEMPORARY]
    own = around.home, around.folder  # what is below these can be made, or is there
    return [
        (one.target, "/dev/null" if one.kind == "hide" else one.source)
        for one in view.mounts
        if is_below(one.target, tops) and one.target not in tops
        if one.target in own or not is_below(one.target, own)
    ]


_STRICTNESS: Mapping[MountKind, int] = {"bind": 0, "read": 1, "hide": 2, "empty": 2}


def _in_order(mounts: Sequence[Mount]) -> list[Mount]:
    """Return mounts with each folder before its parts; of several for one path the strictest."""
    chosen: dict[str, Mount] = {}
    for mount in sorted(mounts, key=lambda one: _STRICTNESS[one.kind]):
        chosen[mount.target] = mount
    return [chosen[target] for target in sorted(chosen)]


def granted_mounts(
    reach: Reach, folder: str, look: Callable[[str], PathParts]
) -> tuple[Mount, ...]:
    """Return the mounts of what a person lets code reach; `look` finds what is special in a path.

    That is treated as in the working folder, in which all can be read anyway.
    """
    mounts: list[Mount] = []
    for path in (*reach.readable, *reach.writable):
        is_writable = path in reach.writable
        if is_inside(path, folder) and not is_writable:
            continue
        parts = look(path)
        mounts.append(Mount("bind" if is_writable else "read", path, path))
        if is_writable:
            mounts += [Mount("bind", one, one) for one in parts.held]
            mounts += [Mount("read", one, one) for one in parts.pinned]
        mounts += [Mount("hide", one) for one in parts.hidden]
    return tuple(mounts)


def denied_mounts(
    reach: Reach, roots: Mapping[str, bool], is_folder: Callable[[str], bool | None]
) -> tuple[Mount, ...]:
    """Return the mounts that keep code from parts of the `roots`, which it sees or may change.

    `is_folder` returns None for what is not there. In a root that can be changed the folders on the
    way are held: code cannot move a part to where it would be seen after the next start.
    """
    mounts: list[Mount] = []
    for path in (*reach.hidden, *reach.fixed):
        around = [root for root in roots if is_inside(path, root) and path != root]
        kind = is_folder(path) if around else None
        if kind is None:
            continue
        for root in around:
            way = path[len(root) :].strip("/").split("/")[:-1] if roots[root] else []
            steps = ["/".join((root, *way[: number + 1])) for number in range(len(way))]
            mounts += [Mount("bind", step, step) for step in steps]
        if path in reach.hidden:
            mounts.append(Mount("empty" if kind else "hide", path))
        else:
            mounts.append(Mount("read", path, path))
    return tuple(mounts)


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder, or somewhere in it."""
    return is_below(path, (folder,))


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
    network: str,
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
        or (network != "off" and _WITH_NETWORK.fullmatch(name))
    }
    return {
        **kept,
        "HOME": home,
        "TMPDIR": "/tmp",  # noqa: S108 - a mount of its own
        "PIP_TARGET": f"{home}/{PACKAGES}",
        "PYTHONPATH": f"{home}/{PACKAGES}",
        **({"PATH": f"{home}/{PACKAGES}/bin:{kept['PATH']}"} if "PATH" in kept else {}),
        "R_LIBS_USER": f"{home}/{R_PACKAGES}",
        **network_variables(network),
    }


def network_variables(network: str) -> dict[str, str]:
    """Return the variables that say what the network inside is; without one nobody tries again."""
    none = {"PIP_RETRIES": "0", "UV_OFFLINE": "1"} if network == "off" else {}
    return {SANDBOX: network, **none}


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


def upper_over(mountinfo: str, folder: str) -> str:
    """Return the layer of changes of the overlay that is over a folder; "" if there is none."""
    upper = ""
    for line in mountinfo.splitlines():
        where, _, what = line.partition(" - ")
        fields = where.split(" ")
        if len(fields) > 4 and _plain(fields[4]) == folder:
            kind, _, options = what.partition(" ")
            found = re.search(r"[ ,]upperdir=([^,]*)", options)
            upper = _plain(found[1]) if kind == "overlay" and found else ""
    return upper


def _plain(field: str) -> str:
    """Return a path as it is: the system writes spaces and some others in octal."""
    for code, sign in (
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
        ("\\054", ","),
        ("\\075", "="),
    ):
        field = field.replace(code, sign)
    return field
