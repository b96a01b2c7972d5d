"""Saves what has changed in the namespace, and brings it back in another kernel.

The kernel itself does it where that can change nothing, and stops when a command arrives: that
takes far less than a copy of its process. Where code of blocks would run, a forked child does it.
That leaves the group, closes what it has inherited and only pickles; its parent is the supervisor,
so that code which waits for its own children does not get it. It ends by itself at a limit of time.
Where there is no fork, or the process is so large that its pages would be copied for long, it is
always the kernel.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import faulthandler
import gc
import importlib
import itertools
import json
import linecache
import os
import signal
import sys
import threading
import time
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Callable, Generator

from ...interrupts import start_thread
from ..short_text import class_of, module_of, name_of
from . import value_pickling
from .touched_names import TouchedNames, within_reach
from .value_collector import (
    Origin,
    ValueCollector,
    Wish,
    needs_threads,
    secrets_of_environment,
)

if TYPE_CHECKING:
    from ...driver import AnswerFiles
    from ...interrupts import Interrupts

_BLOCKS_KEPT = 200
_LEFT_OUT = frozenset({"In", "Out", "exit", "quit"})
_SOURCE_LIMIT = 100_000
_CALL_LINES = 30
_NICER = 10
_STEM = "%d-saved-"
_READ_BYTES = 1 << 16
_ALONE = ("file", "lock", "socket", "connection", "process")
"""Kinds of values that are not kept and hold none of other names."""
_NOT_READ = ("source", "again", "lost")
"""Verdicts of values that are not in a file: a class made again from its source is another one."""


class Saver:
    """Owner of what is known to be saved of one namespace; the main thread calls it at idle.

    `secrets` are texts that were typed as such. `is_awaited` returns whether a command has come.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        files: AnswerFiles,
        spool: str,
        interrupts: Interrupts,
        secrets: list[bytes],
    ) -> None:
        self._namespace = namespace
        self._files = files
        self._spool = spool
        self._interrupts = interrupts
        self._secrets = secrets
        self._numbers = itertools.count(1)
        self._blocks: list[tuple[ast.Module, str]] = []
        self._unsaved = TouchedNames()
        self._origins: dict[str, Origin] = {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._groups: list[dict[str, Any]] = []
        self._slow: dict[str, int] = {}
        self._aside: dict[str, Any] = {}  # what a restore took away and cannot be read again
        self._classes: weakref.WeakValueDictionary[str, type] = weakref.WeakValueDictionary()
        self._foreign: dict[str, int] = {}
        self._is_hasty = self._has_threads = False
        self._is_saving = False
        self._step = 0  # counts the states that an answer has described
        self.is_awaited: Callable[[], bool] = lambda: False

    def note(self, tree: ast.Module | None, code: str) -> None:
        """Remember a block that has run; what it may have changed is read at the next save."""
        if tree is None:
            return
        self._aside.clear()
        self._blocks.append((tree, code))
        if len(self._blocks) > _BLOCKS_KEPT:
            del self._blocks[0]
            self._unsaved.all = True

    def save(self, command: dict[str, Any]) -> None:
        """Save what may have changed; the answer comes when that is written.

        Whatever values do to it, their kernel goes on.
        """
        if self._is_saving:
            self._files.send(command["ask"], {"error": "busy"})
            return
        try:
            self._begin(command)
        except Exception:  # noqa: BLE001 - classes of code may raise anything, wherever asked
            self._is_saving = False
            self._unsaved.all = True
            with contextlib.suppress(OSError):
                self._files.send(command["ask"], {"error": "behind"})

    def _begin(self, command: dict[str, Any]) -> None:
        self._read_blocks()
        names = self._names()
        chosen = self._chosen(names, frozenset(command["known"]))
        gone = self._rows.keys() - names.keys()
        if not chosen and not gone and not command["is_whole"]:
            self._files.send(command["ask"], {"is_same": True})
            return
        self._clear_spool()
        wish = self._wish(command, chosen)
        saving = _Saving(command, wish, set(names), self._unsaved)
        saving.note({name: names[name] for name in chosen})
        self._unsaved = TouchedNames()
        self._is_saving = True
        needs_kernel = any(needs_threads(names[name]) for name in chosen)
        is_careful = not needs_kernel and not self._needs_copy(names, chosen)
        if is_careful and self._save_carefully(saving):
            return
        if needs_kernel or not _can_fork(command["most_forked"]):
            self._save_here(saving)
        else:
            self._save_in_child(saving)

    def _clear_spool(self) -> None:
        """Delete what saves have left that were given up, or that nobody has fetched."""
        for name in os.listdir(self._spool):
            if name.startswith(_STEM % os.getpid()):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self._spool, name))

    def _names(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in list(self._namespace.items())
            if type(name) is str and name[:2] != "__" and name not in ("_", *_LEFT_OUT)
        }

    def _read_blocks(self) -> None:
        blocks, self._blocks = self._blocks, []
        for tree, code in blocks:
            self._unsaved.add(tree, self._namespace)
            self._origins.update(_origins(tree, code))
        self._has_threads = any(_is_codes(thread) for thread in threading.enumerate())
        self._unsaved.all |= self._has_threads  # they change what they like

    def _chosen(self, names: dict[str, Any], known: frozenset[str]) -> list[str]:
        """Return the names to be saved: touched, new, with those that they are joined to."""
        if self._unsaved.all:
            touched = set(names)
        else:
            touched = {name for name in names if name in self._unsaved.names}
            touched |= names.keys() - self._rows.keys()
        hidden = [names[name] for name in touched if self._hides_others(name, names[name])]
        if hidden and touched != names.keys():
            touched |= within_reach(hidden, names, self._namespace)
        for group in self._groups:
            is_cut = not names.keys() >= set(group["names"])
            if is_cut or group["key"] not in known or not touched.isdisjoint(group["names"]):
                touched |= names.keys() & set(group["names"])
        return [name for name in names if name in touched and not self._is_slow(name, names[name])]

    def _hides_others(self, name: str, value: Any) -> bool:
        """Return whether a value that is not kept may hold, and so change, those of others."""
        row = self._rows.get(name)
        if row is None or row["verdict"] not in ("again", "lost"):
            return False
        kind = class_of(value)
        why = value_pickling.WHY.get((module_of(kind), name_of(kind)))
        return kind not in (str, bytes) and why not in _ALONE

    def _is_slow(self, name: str, value: Any) -> bool:
        """Return whether the save of this very value has ended a child before."""
        return self._slow.get(name) == id(value)

    def _wish(self, command: dict[str, Any], chosen: list[str]) -> Wish:
        number = next(self._numbers)
        return Wish(
            chosen,
            frozenset(command["known"]),
            command["limit"],
            tuple(self._secrets) + tuple(secrets_of_environment()),
            self._origins,
            self._spool,
            _STEM % os.getpid() + str(number),
            {name: row["hash"] for name, row in self._rows.items()},
        )

    def _needs_copy(self, names: dict[str, Any], chosen: list[str]) -> bool:
        """Return whether a save in the kernel would not be whole, or is known to be given up."""
        is_known = any(self._foreign.get(name) == id(names[name]) for name in chosen)
        return is_known or self._is_hasty or self._has_threads

    def _save_carefully(self, saving: _Saving) -> bool:
        """Save in the kernel, without running any code of blocks; a command ends it.

        Return False if that cannot be. It takes much less than a copy of the process.
        """
        ends_at = time.monotonic() + saving.command["seconds"]
        reported = [""]
        wish = saving.wish._replace(
            is_careful=True,
            is_wanted=lambda: not self.is_awaited() and time.monotonic() < ends_at,
            report=reported.append,
        )
        found: dict[str, Any] | None = None
        try:
            with _without_warnings(), _without_collections():
                found = ValueCollector(self._namespace, wish).collect()
        except InterruptedError:
            self._is_hasty = True  # a copy is not in the way of what comes
        except OSError as error:
            found = _no_file(error)
        except Exception:  # noqa: BLE001 - not careful, a copy may find out more
            name = reported[-1]
            self._foreign[name] = id(self._namespace.get(name))
            return False
        self._finish(saving, found)
        return True

    def _save_here(self, saving: _Saving) -> None:
        wish = saving.wish._replace(is_wanted=lambda: not self.is_awaited())
        found: dict[str, Any] = {}

        def collect() -> None:
            found.update(ValueCollector(self._namespace, wish).collect())

        try:
            self._interrupts.call_within(saving.command["seconds"], collect)
        except (KeyboardInterrupt, Exception):  # noqa: BLE001 - what any class of theirs raises
            self._finish(saving, None)
        else:
            self._finish(saving, found)

    def _save_in_child(self, saving: _Saving) -> None:
        reader, writer = os.pipe()
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the threads that a fork warns of are not used there
            child = os.fork()
        if child == 0:
            _begin_child(writer, saving.command["seconds"])
            _collect_in_child(self._namespace, saving.wish, writer)
        os.close(writer)
        saving.pause_s = time.perf_counter() - began
        start_thread(lambda: self._await(saving, child, reader), "playhead-saving")

    def _await(self, saving: _Saving, child: int, reader: int) -> None:
        """Take what the child reports (a thread of its own)."""
        with contextlib.suppress(ChildProcessError):  # code has waited for all of its children
            os.waitpid(child, 0)
        data = b""
        with os.fdopen(reader, "rb", buffering=0) as file:
            while piece := file.read(_READ_BYTES):
                data += piece
        *names, last = data.split(b"\n")
        try:
            found = json.loads(last)
        except ValueError:
            found = None
            name = names[-1].decode("utf-8", "replace") if names else ""
            if name in saving.places:  # by now it may have another value
                self._slow[name] = saving.places[name]
        self._finish(saving, found)

    def _finish(self, saving: _Saving, found: dict[str, Any] | None) -> None:
        """Answer with the state; without what was found all is still unsaved.

        Who knows the state before this one gets only the names that have changed since.
        """
        if found is None or "error" in found:
            self._unsaved.names |= saving.before.names
            self._unsaved.all |= saving.before.all
            reason = "behind" if found is None else found["error"]
            self._is_saving = False
            self._files.send(saving.command["ask"], {"error": reason})
            return
        new = {row["name"]: row for row in found["rows"]}
        before = self._rows
        rows = {name: row for name, row in before.items() if name in saving.names}
        self._rows = {**rows, **new}
        for row in found["rows"]:
            if row["verdict"] == "source" and row["name"] in saving.classes:
                self._classes[row["hash"]] = saving.classes[row["name"]]
        for name in self._slow:
            if name in saving.names and name not in new:
                row = {"name": name, "verdict": "lost", "why": "slow", "type": "", "line": 0}
                self._rows[name] = {**row, "hash": "slow-%x" % self._slow[name]}
        old = [{**group, "file": ""} for group in self._groups if not new.keys() & group["names"]]
        old = [group for group in old if all(name in saving.names for name in group["names"])]
        self._groups = old + found["groups"]
        self._is_saving = self._is_hasty = False
        is_known = saving.command.get("since") == self._step > 0
        self._step += 1
        answer = {
            "names": [
                row
                for name, row in self._rows.items()
                if not is_known or before.get(name) is not row
            ],
            "gone": [name for name in before if name not in self._rows] if is_known else None,
            "step": self._step,
            "groups": self._groups,
            "python": sys.implementation.cache_tag,
            "pause_s": saving.pause_s,
        }
        self._files.send(saving.command["ask"], answer)

    def restore(self, command: dict[str, Any]) -> None:
        """Bring back what was saved, here or by another kernel, as the file of the command says."""
        if self._is_saving:
            self._files.send(command["ask"], {"error": "busy"})
            return
        found: dict[str, Any] = {"back": [], "failed": []}
        plan: dict[str, Any] = {"delete": [], "rows": [], "groups": []}
        restoring = _Restoring(self._namespace, self._spool, found, self._put_aside)
        try:
            with open(os.path.join(self._spool, command["file"]), "rb") as file:
                plan = json.load(file)
            if plan["python"] != sys.implementation.cache_tag:
                plan["groups"] = []
                found["is_other_python"] = True
            self._read_blocks()
            unread = [row for row in plan["rows"] if row["verdict"] in _NOT_READ]
            found_here = [(row["name"], self._made_before(row)) for row in unread]
            plan["aside"] = [(name, value) for name, value in found_here if value is not None]
            self._interrupts.call_within(command["seconds"], lambda: restoring.run(plan))
        except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - what classes raise
            found["error_type"] = type(error).__name__
        found["deleted"] = sorted(restoring.deleted)
        self._record(plan, {row["name"] for row in found["back"]}, restoring.deleted)
        self._files.send(command["ask"], found)

    def _put_aside(self, name: str) -> None:
        """Keep a value that goes and could not be read again, until a block runs."""
        row = self._rows.get(name)
        if row is not None and name in self._namespace and row["verdict"] in _NOT_READ:
            self._aside.setdefault(row["hash"], self._namespace[name])

    def _made_before(self, row: dict[str, Any]) -> Any:
        """Return the very value of a name, if that still lives: its objects know it; else None."""
        for name, other in self._rows.items():
            if other["hash"] == row["hash"] and name in self._namespace:
                return self._namespace[name]
        return self._aside.get(row["hash"], self._classes.get(row["hash"]))

    def _record(self, plan: dict[str, Any], back: set[str], deleted: set[str]) -> None:
        """Take what came back as saved: as it was read, it is in the files that it came from."""
        self._step += 1
        changed = back | deleted
        for row in plan["rows"]:
            if row["name"] in back:
                is_made = row["verdict"] == "source"
                origin = Origin(row["line"], is_made or row["verdict"] == "again", row["source"])
                self._origins[row["name"]] = origin
        self._rows = {name: row for name, row in self._rows.items() if name not in changed}
        self._rows.update((row["name"], row) for row in plan["rows"] if row["name"] in back)
        groups = [(group, set(group["names"]) - changed) for group in self._groups]
        groups += [(group, back & set(group["names"])) for group in plan["groups"]]
        self._groups = [
            {**group, "names": [name for name in group["names"] if name in names], "file": ""}
            for group, names in groups
            if names
        ]


class _Saving:
    """One save under way."""

    def __init__(
        self, command: dict[str, Any], wish: Wish, names: set[str], before: TouchedNames
    ) -> None:
        self.command = command
        self.wish = wish
        self.names = names
        self.before = before
        self.pause_s = 0.0
        self.places: dict[str, int] = {}
        self.classes: dict[str, type] = {}

    def note(self, values: dict[str, Any]) -> None:
        """Remember which objects are saved: code that runs meanwhile may bind their names again."""
        for name, value in values.items():
            self.places[name] = id(value)
            if issubclass(class_of(value), type):
                self.classes[name] = value


def _is_codes(thread: threading.Thread) -> bool:
    """Return whether code has started a thread."""
    return thread is not threading.main_thread() and not thread.name.startswith("playhead-")


def _can_fork(most_bytes: int) -> bool:
    """Return whether the pages that only this process has are few enough."""
    if not hasattr(os, "fork"):
        return False
    try:
        with open("/proc/self/statm", "rb") as file:
            resident, of_files = map(int, file.read().split()[1:3])
    except (OSError, ValueError):
        return True
    return (resident - of_files) * os.sysconf("SC_PAGE_SIZE") <= most_bytes


def _begin_child(writer: int, seconds: float) -> None:
    """Become a process that nothing waits for, with one descriptor."""
    try:
        if os.fork():
            os._exit(0)
        faulthandler.disable()
        gc.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        os.setpgid(0, 0)
        os.nice(_NICER)
        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(nothing, fd)
        for name in os.listdir("/dev/fd"):
            if int(name) > 2 and int(name) != writer:
                try:
                    os.close(int(name))
                except OSError:
                    continue  # what has read the list itself
    except BaseException:  # noqa: BLE001 - it must never return into the kernel's own code
        os._exit(1)


def _collect_in_child(namespace: dict[str, Any], wish: Wish, writer: int) -> None:
    try:
        wish = wish._replace(report=_reporter(writer))
        try:
            found = ValueCollector(namespace, wish).collect()
        except OSError as error:
            found = _no_file(error)
        _write_all(writer, json.dumps(found).encode("ascii"))
    finally:
        os._exit(0)


def _no_file(error: OSError) -> dict[str, Any]:
    return {"error": "no_room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "behind"}


@contextlib.contextmanager
def _without_warnings() -> Generator[None, None, None]:
    """Show no warnings: of libraries, about their own ways to pickle."""
    shown = warnings.showwarning
    warnings.showwarning = _show_nothing
    try:
        yield
    finally:
        warnings.showwarning = shown


@contextlib.contextmanager
def _without_collections() -> Generator[None, None, None]:
    """Collect no garbage: a save makes many small objects, which are seldom in cycles."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _show_nothing(*args: Any, **named: Any) -> None:
    """Stand in for `warnings.showwarning`."""


def _reporter(writer: int) -> Callable[[str], None]:
    return lambda name: _write_all(writer, name.encode("utf-8", "replace") + b"\n")


def _write_all(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


class _Restoring:
    """Brings names back: imports, classes, then values; what needs others once these are there.

    `put_aside` is called with each name before its value goes.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        spool: str,
        found: dict[str, Any],
        put_aside: Callable[[str], None],
    ) -> None:
        self._namespace = namespace
        self._spool = spool
        self._found = found
        self._put_aside = put_aside
        self.deleted: set[str] = set()

    def run(self, plan: dict[str, Any]) -> None:
        """Bring back all of a plan; what fails although all others are there is noted."""
        for name, value in plan["aside"]:
            self._take({name: value})
        for name in plan["delete"]:
            self._put_aside(name)
            self._namespace.pop(name, None)
            self.deleted.add(name)
        known = {name for name, _ in plan["aside"]}
        waiting = [one for one in (*plan["imports"], *plan["classes"]) if one["name"] not in known]
        for group in plan["groups"]:
            apart = [[name] for name in group["names"]] if group["is_sealed"] else [group["names"]]
            waiting += [{**group, "names": names} for names in apart]
        is_further = True
        while waiting and is_further:
            self._found["failed"] = []
            left = [one for one in waiting if not self._try(one)]
            is_further = len(left) < len(waiting)
            waiting = left

    def _try(self, one: dict[str, Any]) -> bool:
        """Bring back a name, or a group of names; return whether that went well."""
        make = self._load if "file" in one else self._define if one.get("source") else self._import
        names = one["names"] if "file" in one else [one["name"]]
        if make == self._define:
            self._put_aside(one["name"])
        try:
            values = make(one)
        except Exception as error:  # noqa: BLE001 - whatever their classes raise
            why = "no_module" if isinstance(error, ImportError) else "unreadable"
            self._found["failed"] += [{"name": name, "why": why} for name in names]
            return False
        self._take(values)
        return True

    def _take(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self._put_aside(name)
            self._namespace[name] = value
            self._found["back"].append({"name": name})

    def _import(self, row: dict[str, Any]) -> dict[str, Any]:
        return {row["name"]: importlib.import_module(row["module"])}

    def _define(self, row: dict[str, Any]) -> dict[str, Any]:
        """Run the source of a class, at the line that it had in its block."""
        block = "<saved %s>" % row["name"]
        source = "\n" * (row["line"] - 1) + row["source"]
        linecache.cache[block] = (len(source), None, source.splitlines(True), block)
        code = compile(source, block, "exec", dont_inherit=True)
        exec(code, self._namespace)
        return {row["name"]: self._namespace[row["name"]]}

    def _load(self, group: dict[str, Any]) -> dict[str, Any]:
        values = value_pickling.read(os.path.join(self._spool, group["file"]))
        if group["is_sealed"]:
            return {name: value_pickling.unpack(values[name])[name] for name in group["names"]}
        return {name: values[name] for name in group["names"]}


def _origins(tree: ast.Module, code: str) -> dict[str, Origin]:
    """Return for each name the statement of a block that has bound it last."""
    lines = code.splitlines()
    found: dict[str, Origin] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            source = "\n".join(lines[first - 1 : node.end_lineno])
            source = source if len(source) < _SOURCE_LIMIT else ""
            found[node.name] = Origin(first, True, source)
            continue
        source = ""  # of a call, which may have made a class
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            is_short = (node.end_lineno or node.lineno) - node.lineno < _CALL_LINES
            source = ast.unparse(node) if is_short else ""
        is_binding = isinstance(node, (ast.Assign, ast.AnnAssign, ast.With, ast.Import))
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found[inner.id] = Origin(node.lineno, is_binding, source)
            elif isinstance(inner, ast.alias):
                found[inner.asname or inner.name.partition(".")[0]] = Origin(node.lineno, True)
            elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[inner.name] = Origin(node.lineno, True)
    return found
