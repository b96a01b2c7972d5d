"""Puts back what a block took away from Python itself, and names it: the kernel needs it too.

A block may clear `builtins`, replace functions of `os` or leave a trace function behind. What runs
here between two statements of such a block uses no builtin by its name.
"""

from __future__ import annotations

import builtins
import json
import operator
import os
import queue
import signal
import sys
import threading
import time
from types import ModuleType
from typing import Any

Failure = BaseException
"""For `except` where the name may be gone from `builtins`."""

_OWN = {module.__name__: module for module in (json, os, queue, signal, threading, time)}
_NEEDED = ("sys", "builtins", "warnings", "_frozen_importlib", "_frozen_importlib_external")
_LEAST_RECURSION = 200
_LONGEST_SWITCH_S = 1.0
_MOST_NAMES = 5

_callable, _any, _len = callable, any, len
_map: Any = map
_is_not: Any = operator.is_not


def own_modules(package: str) -> None:
    """Give the modules of a package copies of the modules that they call functions of.

    Code of the user may replace those functions: in the copies they stay what they were.
    """
    copies = {name: _copy_of(module) for name, module in _OWN.items()}
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.") and not name.endswith(".interpreter_guard"):
            for word, copy in copies.items():
                if module.__dict__.get(word) is _OWN[word]:
                    module.__dict__[word] = copy


def _copy_of(module: ModuleType) -> ModuleType:
    copy = ModuleType(module.__name__, module.__doc__)
    copy.__dict__.update(module.__dict__)
    return copy


class InterpreterGuard:
    """Knows the builtins, the modules and the limits of the time when it was made."""

    def __init__(self) -> None:
        self._builtins = builtins.__dict__
        self._known = self._builtins.copy()
        self._seen = self._known
        self._modules = sys.modules
        self._needed = {
            name: module
            for name, module in sys.modules.items()
            if name in _NEEDED or name.partition(".")[0] == "_playhead_kernel"
        }
        self._recursion = sys.getrecursionlimit()
        self._switch_s = sys.getswitchinterval()
        self._gone: dict[str, None] = {}

    def restore(self) -> None:
        """Put back what is missing; cheap enough for every statement."""
        now, seen = self._builtins, self._seen
        # Not by `!=`: `_` is among them, and frames and arrays refuse to be compared.
        if _len(now) != _len(seen) or _any(_map(_is_not, now.values(), seen.values())):
            self._restore_builtins()
        for name in _NEEDED:
            if name not in self._modules or sys.modules is not self._modules:
                self._restore_modules()
        if sys.getrecursionlimit() < _LEAST_RECURSION:
            sys.setrecursionlimit(self._recursion)
            self._gone["the recursion limit"] = None

    def end_block(self) -> None:
        """Put back everything after a block."""
        self.restore()
        self._restore_modules()
        if sys.gettrace() is not None or sys.getprofile() is not None:  # they would see our code
            sys.settrace(None)
            sys.setprofile(None)
        if sys.getswitchinterval() > _LONGEST_SWITCH_S:
            sys.setswitchinterval(self._switch_s)
            self._gone["the switch interval"] = None

    def take_notice(self) -> str:
        """Return what a person is to know of what was put back since the last call, if anything."""
        gone, self._gone = list(self._gone), {}
        if not gone:
            return ""
        more = len(gone) - _MOST_NAMES
        names = ", ".join(gone[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        return (
            f"Restart the kernel: this code took away what all of Python needs ({names}). "
            "It was put back, but other things may be damaged.\n"
        )

    def _restore_modules(self) -> None:
        for name, module in self._needed.items():
            if name not in self._modules:
                self._modules[name] = module
                self._gone[f"the module {name}"] = None
        if sys.modules is not self._modules:
            sys.modules = self._modules
            self._gone["sys.modules"] = None

    def _restore_builtins(self) -> None:
        """Put back names that are missing, or that cannot be called any more.

        A function in the place of another one is the user's choice.
        """
        now = self._builtins
        for name, value in self._known.items():
            if name in now and (now[name] is value or _callable(now[name])):
                continue
            if name in now and not _callable(value):
                continue
            now[name] = value
            self._gone[name] = None
        self._seen = now.copy()
