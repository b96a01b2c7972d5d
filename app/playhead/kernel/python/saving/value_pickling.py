"""Pickle values of a namespace with the functions that its blocks define, and read them again.

Large buffers (arrays, the blocks of frames) stay out of the pickle: they are hashed and written as
they are in memory. Functions go by their code, which this Python alone can read; classes of blocks
by their name, they have to be there again before. Views of arrays stay views.
"""

from __future__ import annotations

import array
import functools
import importlib
import io
import itertools
import marshal
import pickle
import struct
import sys
import types
from typing import Any, Callable, Iterable, Sequence

try:
    from _blake2 import blake2b  # `hashlib` has the same one, and loads OpenSSL
except ImportError:
    from hashlib import blake2b

from ..short_text import bases_of, class_of, library, module_of, name_of
from .touched_names import is_flat

PROTOCOL = 5
MAGIC = b"playhead-values-1\n"
"""The first bytes of a file of values."""
_HOME = "_playhead_values"
"""The module that pickles name for what reads them; it has only those functions."""
_COUNT, _LENGTH = struct.Struct("<I"), struct.Struct("<Q")
_PIECE = 1 << 22
_HASH_BYTES = 16
_VIEW_FACTOR = 4
_MANY = 100
_HASHED = 1 << 16
_HASHES_FAST = sys.hash_info.algorithm.startswith("siphash") and sys.hash_info.hash_bits == 64


class NotKeptError(Exception):
    """A value that cannot be kept; its text is one of the words of `protocol.WHY_LOST`."""


class ForeignClassError(Exception):
    """A value of a class whose pickling may change something."""


class Packed:
    """Values as bytes: the pickle and the buffers beside it. `linked` are shared objects by id.

    `parts` are those that the pickle itself has. `classes` are those of blocks that it names: with
    other ones the values would be others.
    """

    def __init__(self, pickler: _Pickler, linked: dict[int, Any], parts: dict[int, Any]) -> None:
        self._pickler = pickler
        self.linked = linked
        self.parts = parts
        self._finish()

    def _finish(self) -> None:
        self.pickled = self._pickler.target.bytes()
        self.buffers = self._pickler.buffers
        self.classes = sorted(self._pickler.classes)
        self.size = len(self.pickled) + sum(one.nbytes for one in self.buffers)

    def add(self, values: dict[str, Any]) -> None:
        """Add names of `parts`: in the file they are no more than references to these."""
        self._pickler.dump(values)
        self._finish()

    def digest(self, is_wanted: Callable[[], bool] = lambda: True) -> str:
        """Return the hash of the content, which this process alone knows again.

        Raises InterruptedError when it is not wanted any more.
        """
        found = blake2b(digest_size=_HASH_BYTES)
        for one in (memoryview(self.pickled), *self.buffers):
            found.update(_LENGTH.pack(one.nbytes))
            if one.nbytes <= _HASHED or not _HASHES_FAST:
                found.update(one)
                continue
            for at in range(0, one.nbytes, _PIECE):
                if not is_wanted():
                    raise InterruptedError
                found.update(_hashes(one[at : at + _PIECE]))
        return found.hexdigest()

    def pieces(self) -> Iterable[Any]:
        """Yield the bytes of the file."""
        yield MAGIC + _COUNT.pack(len(self.buffers)) + _LENGTH.pack(len(self.pickled))
        yield from (_LENGTH.pack(one.nbytes) for one in self.buffers)
        for part in (memoryview(self.pickled), *self.buffers):
            for at in range(0, part.nbytes, _PIECE):
                yield part[at : at + _PIECE]


def _hashes(part: memoryview) -> bytes:
    """Return the hashes that Python itself has for bytes: 64 bits for each piece of a part."""
    size = part.nbytes
    pieces = [hash(bytes(part[at : at + _HASHED])) for at in range(0, size, _HASHED)]
    return array.array("q", pieces).tobytes()


class Kinds:
    """Keeps how values of classes are written; each class is asked once.

    With `is_careful` nothing is pickled whose class could run code of blocks in its methods for
    that, or whose library may change something then.
    """

    def __init__(self, *, is_careful: bool = False) -> None:
        self.is_careful = is_careful
        self._writers: dict[type, Any] = {}
        self._can_change: dict[type, bool] = {}

    def writer(self, kind: type) -> Any:
        """Return what writes values of a class: a function, None, or why they are not kept.

        Raises ForeignClassError.
        """
        try:
            return self._writers[kind]
        except KeyError:
            pass
        write: Any = _WRITERS.get(kind) or _library_writer(kind)
        if write is None and issubclass(kind, type):
            write = _Pickler.write_class
        if write is None:
            write = WHY.get((module_of(kind), name_of(kind)))
        if write is None and self.is_careful and not _is_harmless(kind):
            raise ForeignClassError(name_of(kind))
        self._writers[kind] = write
        return write

    def changing(self, memo: dict[int, Any], namespace: dict[str, Any]) -> dict[int, Any]:
        """Return the objects of a memo that can change: names that share one stay together."""
        known = self._can_change
        found: dict[int, Any] = {}
        for key, (_, value) in memo.items():
            kind = class_of(value)
            can_change = known.get(kind)
            if can_change is None:
                can_change = known[kind] = _can_change(kind)
            if can_change and (kind is not types.FunctionType or value.__globals__ is namespace):
                found[key] = value
        return found


def pack(
    values: dict[str, Any],
    namespace: dict[str, Any],
    limit: int,
    is_wanted: Callable[[], bool] = lambda: True,
    owners: frozenset[int] = frozenset(),
    kinds: Kinds | None = None,
) -> Packed:
    """Pickle values together. Raises NotKeptError, and whatever their classes raise.

    An array that is a view of one in `owners` (by id) is written as a view of it.
    """
    kinds = kinds or Kinds()
    target = _Target(limit, is_wanted)
    pickler = _Pickler(target, namespace, owners, kinds)
    is_all_flat = all(is_flat(value) for value in values.values())
    # Without a memo long lists of texts take a fifth of the time; nothing in them can be shared.
    pickler.fast = is_all_flat and len(values) == 1 and _has_many(values)
    pickler.dump(values)
    for one in pickler.buffers:
        target.count(one.nbytes)
    if is_all_flat:  # also much faster for long ones
        linked: dict[int, Any] = {id(value): value for value in values.values()}
        return Packed(pickler, linked, {})
    parts = kinds.changing(pickler.memo.copy(), namespace)
    del parts[id(values)]
    return Packed(pickler, {**parts, **pickler.owners_seen}, parts)


def _has_many(values: dict[str, Any]) -> bool:
    """Return whether a flat container has many items, few of them more than once."""
    items: Any = next(iter(values.values()))
    if not hasattr(items, "__len__") or len(items) < _MANY:
        return False
    some: list[Any] = list(itertools.islice(items, 0, None, len(items) // _MANY))
    return len(set(map(id, some))) > len(some) // 2


def unpack(data: bytes | memoryview) -> dict[str, Any]:
    """Return the values of a file. Raises ValueError, and whatever their classes raise."""
    view = memoryview(data)
    at = len(MAGIC)
    if bytes(view[:at]) != MAGIC:
        raise ValueError("not a file of values")
    (count,) = _COUNT.unpack_from(view, at)
    at += _COUNT.size
    lengths = [_LENGTH.unpack_from(view, at + n * _LENGTH.size)[0] for n in range(count + 1)]
    at += (count + 1) * _LENGTH.size
    parts: list[memoryview] = []
    for length in lengths:
        parts.append(view[at : at + length])
        at += length
    # Arrays are changed in place by code: each gets memory of its own that it may write.
    buffers = [bytearray(part) for part in parts[1:]]
    return _loaded(parts[0], buffers)


def _loaded(pickled: Any, buffers: list[bytearray]) -> dict[str, Any]:
    """Return the values of the pickles, which follow each other and share objects."""
    file = io.BytesIO(pickled)
    reader = pickle.Unpickler(file, buffers=buffers)  # noqa: S301 - authenticated by the parent
    values: dict[str, Any] = {}
    while file.tell() < len(pickled):
        values.update(reader.load())
    return values


def read(path: str) -> dict[str, Any]:
    """Return the values of a file as `unpack` does; large buffers are read to where they stay."""
    with open(path, "rb", buffering=0) as file:
        head = file.read(len(MAGIC) + _COUNT.size)
        if head[: len(MAGIC)] != MAGIC:
            raise ValueError("not a file of values")
        (count,) = _COUNT.unpack_from(head, len(MAGIC))
        sizes = _filled(file, (count + 1) * _LENGTH.size)
        parts = [_filled(file, length) for (length,) in _LENGTH.iter_unpack(sizes)]
    return _loaded(parts[0], parts[1:])


def _filled(file: Any, length: int) -> bytearray:
    """Read so many bytes."""
    part = bytearray(length)
    view = memoryview(part)
    while view:
        count = file.readinto(view)
        if not count:
            raise ValueError("the file ends too early")
        view = view[count:]
    return part


class _Target(io.RawIOBase):
    """Takes the frames of a pickle; refuses more than a limit, and goes on while it is wanted."""

    def __init__(self, limit: int, is_wanted: Callable[[], bool]) -> None:
        super().__init__()
        self._data = bytearray()  # joined parts would be all of it once more
        self._left = limit
        self._is_wanted = is_wanted

    def write(self, data: Any) -> int:
        """Take a part."""
        if not self._is_wanted():
            raise InterruptedError
        self.count(len(data))
        self._data += data
        return len(data)

    def count(self, size: int) -> None:
        """Count bytes. Raises NotKeptError over the limit."""
        self._left -= size
        if self._left < 0:
            raise NotKeptError("too_large")

    def bytes(self) -> bytearray:
        """Return all of them, and those to come."""
        return self._data

    def part(self) -> _Target:
        """Return a target for a pickle inside this one."""
        return _Target(self._left, self._is_wanted)


class _Pickler(pickle.Pickler):
    def __init__(
        self,
        target: _Target,
        namespace: dict[str, Any],
        owners: frozenset[int],
        kinds: Kinds,
        whole: Any = None,
    ) -> None:
        self.buffers: list[Any] = []
        self.owners_seen: dict[int, Any] = {}
        self.classes: set[str] = set()
        self.target = target
        self._namespace = namespace
        self._owners = owners
        self._kinds = kinds
        self._whole = whole
        super().__init__(target, PROTOCOL, buffer_callback=self._take_buffer)

    def _take_buffer(self, buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < 1024:
            return True  # small ones go into the pickle
        self.buffers.append(raw)
        return False

    def reducer_override(self, value: Any) -> Any:
        """Return how a value is written, NotImplemented where its class says that."""
        if value is self._whole:
            return NotImplemented
        write = self._kinds.writer(class_of(value))
        if write is None:
            return NotImplemented
        if type(write) is str:
            raise NotKeptError(write)
        return write(self, value)

    def write_function(self, function: Any) -> Any:
        """Write a function of a block by its code."""
        if function.__globals__ is not self._namespace:
            return NotImplemented
        slots = {
            "__defaults__": function.__defaults__,
            "__kwdefaults__": function.__kwdefaults__,
            "__dict__": function.__dict__,
            "__doc__": function.__doc__,
            "__qualname__": function.__qualname__,
            "__module__": function.__module__,
            "__annotations__": _annotations(function),
        }
        arguments = (marshal.dumps(function.__code__), function.__name__, function.__closure__)
        return _function, arguments, slots, None, None, _fill_function

    def write_class(self, kind: Any) -> Any:
        """Refuse a class that is not found by its name when it is read again."""
        if kind.__module__ != "__main__":
            return NotImplemented
        found: Any = self._namespace
        try:
            for name in kind.__qualname__.split("."):
                found = found[name] if found is self._namespace else getattr(found, name)
        except (KeyError, AttributeError):
            raise NotKeptError("local_class") from None
        if found is not kind:
            raise NotKeptError("class_changed")
        self.classes.add(kind.__qualname__.partition(".")[0])
        return NotImplemented

    def write_frame(self, value: Any) -> Any:
        """Write a frame that copies on write by itself: memory that it shares is not seen."""
        inner = _Pickler(self.target.part(), self._namespace, frozenset(), self._kinds, value)
        inner.dump(value)
        self.classes |= inner.classes
        return _nested, (bytes(inner.target.bytes()), *map(pickle.PickleBuffer, inner.buffers))

    def write_array(self, value: Any) -> Any:
        """Write an array that is a view as one, if what it is a view of is written, too."""
        owner = value
        while type(getattr(owner, "base", None)) is type(value):
            owner = owner.base
        if owner is value or value.dtype.hasobject:
            return NotImplemented
        is_near = owner.nbytes <= _VIEW_FACTOR * value.nbytes
        if not is_near and id(owner) not in self._owners:
            self.owners_seen[id(owner)] = owner
            return NotImplemented
        interface, base = value.__array_interface__, owner.__array_interface__
        offset = interface["data"][0] - base["data"][0]
        if not owner.flags.c_contiguous or offset < 0:
            return NotImplemented
        layout = (value.shape, value.strides, offset, bool(value.flags.writeable))
        return _view, (owner, value.dtype, *layout)


def _annotations(function: Any) -> Any:
    try:
        return function.__annotations__
    except Exception:  # noqa: BLE001 - on Python 3.14 they are code
        return {}


def _tensor(pickler: _Pickler, value: Any) -> Any:
    if value.device.type != "cpu":
        raise NotKeptError("gpu")
    return NotImplemented


def _library_writer(kind: type[Any]) -> Callable[[Any, Any], Any] | None:
    """Return what writes values of a library's class, if they need one of their own."""
    top = module_of(kind).partition(".")[0]
    if top == "numpy" and kind.__name__ == "ndarray":
        return _Pickler.write_array
    if top == "pandas" and kind.__name__ in ("DataFrame", "Series"):
        return _Pickler.write_frame if _copies_on_write() else None
    if top == "torch" and kind.__name__ in ("Tensor", "Parameter"):
        return _tensor
    return None


def _copies_on_write() -> bool:
    version = getattr(sys.modules.get("pandas"), "__version__", "0")
    return version.partition(".")[0].isdigit() and int(version.partition(".")[0]) >= 3


def _contents(cell: Any) -> Any:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _import(name: str) -> Any:
    return importlib.import_module(name)


def _namespace() -> Any:
    return sys.modules["__main__"].__dict__


def _cell() -> Any:
    return types.CellType()


def _fill_cell(cell: Any, contents: Any) -> None:
    if contents:
        cell.cell_contents = contents[0]


def _function(code: bytes, name: str, closure: Any) -> Any:
    return types.FunctionType(marshal.loads(code), _namespace(), name, None, closure)  # noqa: S302


def _fill_function(function: Any, slots: dict[str, Any]) -> None:
    function.__dict__.update(slots.pop("__dict__"))
    for name, value in slots.items():
        setattr(function, name, value)


def _cache(function: Any, parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


def _view(owner: Any, dtype: Any, shape: Any, strides: Any, offset: int, is_writable: bool) -> Any:
    view = type(owner)(shape, dtype, buffer=owner, offset=offset, strides=strides)
    view.flags.writeable = is_writable and view.flags.writeable
    return view


def _nested(pickled: bytes, *buffers: Any) -> Any:
    return pickle.loads(pickled, buffers=buffers)  # noqa: S301 - authenticated by the parent


def _make_home(functions: Sequence[Any]) -> None:
    """Give the functions that pickles name a place that does not depend on where this file is."""
    home = types.ModuleType(_HOME)
    for function in functions:
        function.__module__ = _HOME
        setattr(home, function.__name__, function)
    sys.modules[_HOME] = home


_make_home((_import, _cache, _cell, _fill_cell, _function, _fill_function, _view, _nested))


def _module(pickler: _Pickler, value: Any) -> Any:
    return _import, (value.__name__,)


def _cached(pickler: Any, value: Any) -> Any:
    """Write a function with a cache, without what is in the cache."""
    if getattr(value.__wrapped__, "__module__", "") != "__main__":
        return NotImplemented
    return _cache, (value.__wrapped__, dict(value.cache_parameters()))


def _cell_of(pickler: _Pickler, value: Any) -> Any:
    return _cell, (), _contents(value), None, None, _fill_cell


_WRITERS: dict[type, Callable[[Any, Any], Any]] = {
    types.FunctionType: _Pickler.write_function,
    types.ModuleType: _module,
    types.CellType: _cell_of,
    type(functools.lru_cache(len)): _cached,
    type: _Pickler.write_class,
}
WHY: dict[tuple[str, str], str] = {
    **{("builtins", name): "generator" for name in ("generator", "coroutine", "async_generator")},
    **{("builtins", name): "generator" for name in ("map", "filter", "zip", "enumerate")},
    **{("_io", name): "file" for name in ("TextIOWrapper", "BufferedReader", "BufferedWriter")},
    **{("_io", name): "file" for name in ("BufferedRandom", "FileIO")},
    **{("_thread", name): "lock" for name in ("lock", "RLock")},
    ("builtins", "frame"): "frame",
    ("builtins", "traceback"): "frame",
    ("builtins", "memoryview"): "view",
    ("socket", "socket"): "socket",
    ("sqlite3", "Connection"): "connection",
    ("sqlite3", "Cursor"): "connection",
    ("subprocess", "Popen"): "process",
    ("threading", "Thread"): "thread",
    ("weakref", "ReferenceType"): "reference",
}
_UNLINKED = frozenset(
    {str, bytes, int, float, complex, bool, type(None), type, tuple, frozenset, range, slice}
    | {types.BuiltinFunctionType, types.ModuleType, pickle.PickleBuffer}
)
"""Kinds that code cannot change: names that share such objects need not stay together."""
_CONSTANT = frozenset({"datetime", "decimal", "fractions", "uuid", "zoneinfo", "re", "ipaddress"})


def _can_change(kind: type[Any]) -> bool:
    if kind in _UNLINKED:
        return False
    top = module_of(kind).partition(".")[0]
    if issubclass(kind, type) or top in _CONSTANT:
        return False
    if top == "numpy":
        return not any(base.__name__ in ("dtype", "generic", "ufunc") for base in kind.__mro__)
    return True


_HARMLESS = frozenset(
    {"builtins", "numpy", "pandas", "scipy", "sklearn", "matplotlib", "pyarrow", "mpl_toolkits"}
    | {"collections", "datetime", "decimal", "fractions", "uuid", "pathlib", "re", "functools"}
    | {"itertools", "operator", "array", "types", "enum", "zoneinfo", "random", "string", "abc"}
    | {"statistics", "_random", "_io", "io", "ipaddress", "typing", "calendar", "copy", "joblib"}
    | {"_collections", "_decimal", "_pickle", "_struct", "weakref", "_weakref", "_thread"}
    | {"contourpy", "kiwisolver", "dateutil", "pytz", "PIL", "time", "_operator", "_functools"}
)
"""Libraries whose classes pickle their values and do nothing else, with no threads and no files."""
_BASES = frozenset(
    {"builtins", "abc", "typing", "enum", "collections", "dataclasses", "sklearn", "contextlib"}
)
"""Libraries whose classes those of blocks may inherit from, to be pickled like these."""
_REDUCERS = frozenset(
    {"__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__"}
    | {"__getattribute__", "__getattr__", "__dict__", "__class__"}
)
_ITERATING = frozenset({"__iter__", "__len__", "__getitem__", "items"})
_CYTHON = frozenset({"cython_function_or_method", "fused_cython_function"})
"""Functions of libraries in Cython, which go by their names; their classes have no module."""
_HEAP_TYPE = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: the class was made while the program runs, perhaps by a block."""


def _is_harmless(kind: type[Any]) -> bool:
    """Return whether values of a class are pickled without running any code of blocks."""
    if name_of(kind) in _CYTHON:
        return True
    if _library(type(kind)) not in _HARMLESS:
        return False
    if _library(kind) in _HARMLESS:
        return True
    bases = bases_of(kind)
    is_container = any(base in (list, dict, set, frozenset, tuple) for base in bases)
    asked = _REDUCERS | _ITERATING if is_container else _REDUCERS
    return all(_library(base) in _BASES or _is_reduced_plainly(base, asked) for base in bases)


def _library(kind: type[Any]) -> str:
    if kind.__flags__ & _HEAP_TYPE:
        return library(kind)
    return module_of(kind).partition(".")[0]


def _is_reduced_plainly(kind: type[Any], asked: frozenset[str]) -> bool:
    """Return whether a class is of a block, and leaves it to Python how it is pickled."""
    members = vars(kind)
    found = [members[name] for name in asked.intersection(members)]
    return module_of(kind) == "__main__" and all(map(_is_of_library, found))


def _is_of_library(member: Any) -> bool:
    if type(member) is types.FunctionType:  # as of a named tuple, or of a data class with slots
        return member.__globals__.get("__name__") in _BASES
    return type(member) is types.GetSetDescriptorType
