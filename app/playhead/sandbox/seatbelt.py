"""Makes the text of a profile for macOS's sandbox from a view; pure.

Written after what others have published of the language, and not run on a Mac yet: until the
boundary test has held there, no sandbox is claimed on macOS, and nothing starts code with this.
"""

from __future__ import annotations

from collections.abc import Iterable

from playhead.sandbox.view import View, is_inside

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt",
    "/private/etc",
    "/private/var/db",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_SERVICES = ("com.apple.system.opendirectoryd.libinfo", "com.apple.system.notification_center")
_NETWORK_SERVICES = ("com.apple.SystemConfiguration.configd", "com.apple.trustd.agent")
_RESOLVER = "/private/var/run/mDNSResponder"
_ALWAYS = (
    "(version 1)",
    "(deny default)",
    "(allow process-fork process-exec)",
    "(allow signal process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow file-read-metadata)",
)
"""Semaphores are multiprocessing's. The metadata of files are seen: no path resolves without."""


def seatbelt_profile(view: View) -> str:
    """Return the profile; of several lines that fit, the last one decides.

    There are no mounts: the private home has its own path, and so have temporary files, in the
    folder of the kernel.
    """
    reads = [mount.source for mount in view.mounts if mount.kind == "read"]
    writes = [mount.source for mount in view.mounts if mount.kind == "bind"]
    pinned = [path for path in reads if any(is_inside(path, other) for other in writes)]
    held = [path for path in writes if path != view.folder and is_inside(path, view.folder)]
    hidden = [mount.target for mount in view.mounts if mount.kind == "hide"]
    lines = [
        *_ALWAYS,
        _rule("allow", "file-read*", '(literal "/")', *_below((*_SYSTEM, *reads))),
        _rule("allow", "file-read* file-write*", *_below(writes)),
        _rule("allow", "file-read* file-write-data", *_exactly(_DEVICES)),
        _rule("allow", "mach-lookup", *_named(_SERVICES)),
    ]
    if view.has_network:
        lines += [
            "(allow system-socket)",
            _rule("allow", "network-outbound", "(remote ip)", *_exactly((_RESOLVER,))),
            "(allow network-inbound network-bind (local ip))",
            _rule("allow", "mach-lookup", *_named(_NETWORK_SERVICES)),
        ]
    for operation, filters in (
        ("file-write*", _below(pinned)),
        ("file-write-unlink", _exactly((view.folder, *held))),
        ("file-read* file-write*", _below(hidden)),
    ):
        lines += [_rule("deny", operation, *filters)] if filters else []
    return "\n".join(lines) + "\n"


def _rule(verdict: str, operation: str, *filters: str) -> str:
    return f"({verdict} {operation}{''.join(f' {one}' for one in filters)})"


def _below(paths: Iterable[str]) -> list[str]:
    return [f"(subpath {_quoted(path)})" for path in paths]


def _exactly(paths: Iterable[str]) -> list[str]:
    return [f"(literal {_quoted(path)})" for path in paths]


def _named(services: Iterable[str]) -> list[str]:
    return [f"(global-name {_quoted(name)})" for name in services]


def _quoted(text: str) -> str:
    """Return a string of the language, whatever is in a path."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
