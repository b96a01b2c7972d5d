"""Starts a program under a supervisor: as a script of any Python, or inside the executable.

As a script its argument is the boot file of the program, which has `main(argv, wake)`. Where the
first argument is `INSIDE`, the program is another one: a filter of system calls, then the command
that makes a sandbox and starts the kernel in it; or one of `AWAITED` and `SPACE`, where the app
says later what it is.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


INSIDE = "--inside"
AWAITED, SPACE = "@awaited", "@space"
"""As in the protocol, which is not loaded yet."""
LANDLOCK = "landlock"
"""What follows the filter where rules of Landlock make the sandbox, in place of a command."""


def main(program: "Callable[[Any, Any], int]", command: "list[str] | None" = None) -> int:
    """Continue as the program, in a child of this process if the app wants a supervisor.

    `command` is what follows `INSIDE`: then it is that what the child becomes.
    """
    wake = None
    if sys.version_info >= (3, 9):  # else the program says what it needs
        wake = _begin(command or [])
    if command:
        return 1  # there was nobody to supervise it for; what was started ends with this process
    return program([], wake)


def _begin(command: "list[str]") -> "Any":
    """Fork; a sandbox is started before the rest is loaded, which takes as long."""
    sandbox = space = None
    if command and command[0] in (AWAITED, SPACE):
        control = os.environ.get("PLAYHEAD_CONTROL", "")  # of the protocol, which is not loaded yet
        if not control.isdigit():
            return None
        command, space = _load("sandbox_start").await_command(
            int(control), command[0] == SPACE, lambda: _load("supervision")
        )
    if command[1:2] == [LANDLOCK]:
        sandbox = _load("landlock_start").LandlockStart(command)
    elif command:
        sandbox = _load("sandbox_start").SandboxStart(command, space)
    return _load("supervision").begin(sandbox)


def _load(name: str) -> "Any":
    if __package__:
        from . import landlock_start, sandbox_start, supervision

        known = (landlock_start, sandbox_start, supervision)
        return next(one for one in known if one.__name__.endswith("." + name))
    return _load_by_file(name)


def _load_by_file(name: str) -> "Any":
    """Load a module beside this file, under a name that user code cannot hit by accident."""
    import importlib

    if "_playhead_supervisor" in sys.modules:
        return importlib.import_module("_playhead_supervisor." + name)
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        del sys.path[0]
    package = _module("_playhead_supervisor", os.path.join(folder, "__init__.py"), [folder])
    return importlib.import_module(package.__name__ + "." + name)


def _module(name: str, path: str, places: "list[str] | None" = None) -> "Any":
    """Load a file, without importlib.util: that loads as much again as a start needs."""
    import importlib.machinery

    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=path, is_package=bool(places))
    spec.has_location = True
    spec.submodule_search_locations = places
    module = type(sys)(name)
    module.__spec__, module.__file__, module.__loader__ = spec, path, loader
    module.__package__ = spec.parent
    if places:
        module.__path__ = places
    sys.modules[name] = module
    loader.exec_module(module)
    return module


if __name__ == "__main__":
    inside = sys.argv[2:] if sys.argv[1] == INSIDE else []
    sys.exit(main(lambda argv, w: _module("_playhead_boot", sys.argv[1]).main(argv, w), inside))
