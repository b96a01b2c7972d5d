"""Patch other people's modules as soon as they are imported, wherever that happens.

Libraries that open windows or browsers show their figures here instead. A process that is started
by 'spawn' or 'forkserver' looks functions of `__main__` up in a file that a block does not have. A
worker of a Pool would end with that error, and the pool would start new ones for ever while the
task is lost. Here the sender refuses; processes started by 'fork' have the names, and so 'fork'
remains the default where it was before Python 3.14.
"""

from __future__ import annotations

import builtins
import io
import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Sequence

from .display_publisher import choose_formats

if TYPE_CHECKING:
    from .display_publisher import DisplayPublisher


Patch = Callable[[Any], None]


class ImportHooks:
    """A finder that lets the others find and adds a patch to the loader of what it knows."""

    def __init__(self, patches: Mapping[str, Patch]) -> None:
        self._patches = patches

    def install(self) -> None:
        """Install it before all other finders; patch modules that are already imported."""
        sys.meta_path.insert(0, self)  # type: ignore[arg-type]
        for name, patch in self._patches.items():
            if name in sys.modules:
                patch(sys.modules[name])

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        """Wrap the loader that is found for a known name; every other module is left alone."""
        if name not in self._patches:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    _wrap_loader(spec.loader, self._patches[name])
                return spec
        return None


def _wrap_loader(loader: Any, patch: Patch) -> None:
    execute = loader.exec_module

    def exec_module(module: Any) -> None:
        execute(module)
        patch(module)

    loader.exec_module = exec_module


def patch_context(context: Any) -> None:
    """Fork if the code chose no method and Python 3.14 or newer would use a "forkserver"."""
    default = context._default_context
    if default._default_context.get_start_method() == "forkserver":
        default._default_context = context._concrete_contexts["fork"]


def patch_reduction(reduction: Any) -> None:
    """Look through what `multiprocessing.reduction` sends to other processes."""
    own_pid = os.getpid()
    plain_dump = reduction.dump

    def dump(obj: Any, file: Any, protocol: Any = None) -> None:
        """Write the orders of a starting process, which gets them in this way if it is no fork."""
        buffer = io.BytesIO()
        plain_dump(obj, buffer, protocol)
        data = buffer.getvalue()
        if os.getpid() == own_pid:
            _refuse_local_names(data)
        file.write(data)

    def dumps(cls: Any, obj: Any, protocol: Any = None) -> bytes:
        """Return what queues and pools send; bytes, as Python 3.12.1 may crash over a view."""
        buffer = io.BytesIO()
        cls(buffer, protocol).dump(obj)
        data = buffer.getvalue()
        if os.getpid() == own_pid and _has_spawned_children():
            _refuse_local_names(data)
        return data

    reduction.dump = dump
    reduction.ForkingPickler.dumps = classmethod(dumps)


def _has_spawned_children() -> bool:
    process: Any = sys.modules.get("multiprocessing.process")
    children = list(getattr(process, "_children", ()))
    starters = [getattr(child, "_popen", None) for child in children]
    return any(
        getattr(starter, "method", "fork") != "fork" and starter.returncode is None
        for starter in starters
        if starter is not None
    )


def _refuse_local_names(data: bytes) -> None:
    name = next(_names_of_main(data), None) if b"__main__" in data else None
    if name is None:
        return
    import pickle

    raise pickle.PicklingError(
        f"{name!r} is defined in a block of this conversation, where a process started by"
        " 'spawn' or 'forkserver' cannot find it. Write it into a module file and import it"
        " from there, or use multiprocessing.get_context('fork')."
    )


def _names_of_main(data: bytes) -> Iterator[str]:
    """Yield what a pickle looks up in `__main__`; a name is the last two strings before it."""
    import pickletools  # slow, and needed only where something may be wrong

    memo: dict[Any, Any] = {}
    strings: list[Any] = ["", ""]
    value: Any
    for opcode, value, _ in pickletools.genops(data):
        if opcode.name == "MEMOIZE":
            memo[len(memo)] = strings[-1]
        elif opcode.name in ("BINPUT", "LONG_BINPUT"):
            memo[value] = strings[-1]
        elif opcode.name in ("BINGET", "LONG_BINGET"):
            strings = [strings[-1], memo.get(value)]
        elif opcode.name == "FRAME":
            continue  # a frame, which may be between any two others
        elif opcode.name == "GLOBAL" and value.startswith("__main__ "):
            yield value.partition(" ")[2]
        elif opcode.name == "STACK_GLOBAL":
            if strings[0] == "__main__":
                yield str(strings[1])
            strings = [strings[-1], None]
        else:
            strings = [strings[-1], value if isinstance(value, str) else None]


_SHOWN_BY_METHOD = {
    "PIL.Image": "Image",
    "plotly.basedatatypes": "BaseFigure",
    "altair.vegalite.v5.api": "TopLevelMixin",
    "altair.vegalite.v6.api": "TopLevelMixin",
}
"""Classes whose `show` would start another program."""


def display_patches(display: DisplayPublisher) -> dict[str, Patch]:
    """Return the patch of each module."""
    shown = {module: _show_method_patch(display, name) for module, name in _SHOWN_BY_METHOD.items()}
    return {
        **shown,
        "matplotlib.pyplot": _pyplot_patch(display),
        "bokeh.io.showing": _show_function_patch(display),
        "IPython.core.display_functions": _patch_display_functions,
        "matplotlib_inline.backend_inline": _formats_patch(display),
    }


def _pyplot_patch(display: DisplayPublisher) -> Patch:
    """Return a patch for pyplot: the Agg backend would only warn that it has no window."""

    def show(*args: Any, **kwargs: Any) -> None:  # a function: pyplot sets attributes on it
        display.show_open_figures()

    def show_one(figure: Any, warn: bool = True) -> None:
        display.show_figure(figure)

    def patch(pyplot: Any) -> None:
        pyplot.show = show
        pyplot.Figure.show = show_one

    return patch


def _show_method_patch(display: DisplayPublisher, class_name: str) -> Patch:
    def show(self: Any, *args: Any, **kwargs: Any) -> None:
        display.show(self)

    def patch(module: Any) -> None:
        getattr(module, class_name).show = show

    return patch


def _show_function_patch(display: DisplayPublisher) -> Patch:
    def show(obj: Any, *args: Any, **kwargs: Any) -> None:
        display.show(obj)

    def patch(module: Any) -> None:
        module.show = show

    return patch


def _patch_display_functions(functions: Any) -> None:
    """Replace `display`, which would print the text of everything without IPython's shell."""
    functions.display = vars(builtins)["display"]


def _formats_patch(display: DisplayPublisher) -> Patch:
    def set_formats(*formats: str, **kwargs: Any) -> None:
        choose_formats(display, formats)

    def patch(backend: Any) -> None:
        backend.set_matplotlib_formats = set_formats

    return patch
