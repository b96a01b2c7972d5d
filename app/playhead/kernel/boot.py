"""Starts a kernel: as a script of any Python, or inside the program's own executable."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INSIDE = "--inside"
"""The first argument where the kernel is in a sandbox, before its supervisor's pipe and a limit."""


def main(
    argv: "list[str] | None" = None,
    wake: "tuple[int, int] | None" = None,
    make_driver: "Callable[[Any], Any] | None" = None,
) -> int:
    """Serve until the parent goes away; `argv` is what follows the executable's kernel flag.

    `wake` is the pipe by which a supervisor sees the main thread wait. `make_driver` makes what
    runs code, in the place of the driver of a language that the kernel knows.
    """
    if sys.version_info < (3, 9):
        sys.stderr.write("Python 3.9 or newer is needed, this is %s.\n" % sys.version.split()[0])
        return 2
    if argv and argv[0] == INSIDE:
        wake = _begin_inside(argv[1], int(argv[2]))
    if __package__:
        from . import host
    else:
        host = load_by_file("host")
    return host.serve(wake, make_driver)


def _begin_inside(descriptors: str, most_processes: int) -> "tuple[int, int]":
    """Become what a kernel is outside, too; wait until the supervisor has found this process.

    The limit of processes is set here because the system counts them by the user namespace.
    """
    import os
    import resource

    reading, writing = (int(word) for word in descriptors.split(","))
    os.setsid()
    os.read(reading, 1)
    for fd in (reading, writing):
        os.set_inheritable(fd, False)
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    most = most_processes if hard == resource.RLIM_INFINITY else min(hard, most_processes)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    return reading, writing


def load_by_file(name: str) -> "Any":
    """Load a module of the package beside this file, under a name that user code does not hit."""
    import importlib
    import importlib.util
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]
    spec = importlib.util.spec_from_file_location(
        "_playhead_kernel",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    assert spec is not None  # noqa: S101 - a file beside this one has a spec and a loader
    assert spec.loader is not None  # noqa: S101
    package = importlib.util.module_from_spec(spec)
    sys.modules["_playhead_kernel"] = package
    spec.loader.exec_module(package)
    return importlib.import_module("_playhead_kernel." + name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
