"""Skip work that libraries do when they are imported and that the program does not need."""

from __future__ import annotations

import builtins
import enum
import importlib
import io
import os
import struct
import sys
import threading
import zlib
from functools import partial
from importlib.util import find_spec
from types import CodeType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

_FOR_SIGNATURES = frozenset(
    f"shibokensupport/signature/{name}.py"
    for name in (
        *("mapping", "parser", "layout", "errorhandler"),
        *("lib/enum_sig", "lib/pyi_generator", "lib/tool"),
    )
)
_FEATURE = "shibokensupport/feature.py"
_USES_NO_FEATURE = b"\n\ndef _mod_uses_pyside(module):\n    return False\n"


def leave_tls_out_of_asyncio() -> None:
    """Import asyncio without `ssl`: the window's own loop speaks no TLS.

    Its server is for this machine alone, and providers are reached by the model worker. Modules
    that want `ssl` itself find it as always.
    """
    if "ssl" in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType] - so an import is refused
    _import_late("asyncio.sslproto")
    try:
        asyncio: Any = importlib.import_module("asyncio")
    finally:
        del sys.modules["ssl"]
    asyncio.sslproto = sys.modules["asyncio.sslproto"]


def leave_extensions_out_of_msgspec() -> None:
    """Import msgspec without `typing_extensions`: Python has what it takes from there."""
    if "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # pyright: ignore[reportArgumentType] - as above
    try:
        importlib.import_module("msgspec")
    finally:
        del sys.modules["typing_extensions"]


def leave_openssl_out_of_hashlib() -> None:
    """Import hashlib without OpenSSL, which takes 3.4 MB: Python has these hashes of its own.

    Where a build of Python lacks one of them, nothing changes.
    """
    newer = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    own = ("_md5", "_sha1", newer, "_sha3", "_blake2")
    if "_hashlib" in sys.modules or not all(map(find_spec, own)):
        return
    sys.modules["_hashlib"] = None  # pyright: ignore[reportArgumentType] - so an import is refused
    try:
        for name in ("hashlib", "hmac"):
            importlib.import_module(name)
    finally:
        del sys.modules["_hashlib"]


def leave_sources_unread() -> None:
    """Keep PySide6 from searching each imported module's source for its own name.

    It searches (`shibokensupport.feature`) for modules that may use `from __feature__ import …`,
    which this program never does. That takes a tenth of the time to the first paint, and all that
    text stays in memory. If another version of PySide6 works differently, nothing changes.
    """
    _import_lightly()


def import_seldom_used_late() -> None:
    """Leave out what libraries import and a window at rest does not use, 3 MB.

    `inspect` comes with syntax trees, `msgspec.inspect` with a class for each type there is.
    """
    for name in ("ipaddress", "linecache", "locale", "msgspec.inspect", "shutil"):
        _import_late(name)
    _import_late("msgspec._json_schema", "schema", "schema_components")
    _import_late("tempfile", "gettempdir")
    _import_late("traceback", "extract_stack")
    _leave_python_out_of_datetime()
    if hasattr(os, "uname"):
        _import_late("platform", system=_system)
    for name, needed in (("bz2", "_bz2"), ("lzma", "_lzma"), ("unicodedata", "unicodedata")):
        if find_spec(needed):  # not each build of Python has them
            _import_late(name)
    _import_late("inspect", iscoroutinefunction=_is_coroutine_function)


def _system() -> str:
    """Return the name of the system as `platform.system` does, which `uuid` asks it for."""
    return os.uname().sysname


def _leave_python_out_of_datetime() -> None:
    """Import datetime without what Python 3.11 has of it in Python and replaces by C at once.

    Its classes would stay, since each refers to itself. From Python 3.12 on it is as here.
    """
    if sys.version_info >= (3, 12) or "datetime" in sys.modules or not find_spec("_datetime"):
        return
    written_in_c = vars(importlib.import_module("_datetime"))
    module = ModuleType("datetime")
    module.__spec__ = find_spec("datetime")
    vars(module).update({name: it for name, it in written_in_c.items() if name[:2] != "__"})
    sys.modules["datetime"] = module


def _is_coroutine_function(function: Any) -> bool:
    """Return whether a call gives a coroutine; asyncio asks it of each handler of a signal."""
    while isinstance(function, partial):
        function = function.func
    code = getattr(function, "__code__", None)
    return isinstance(code, CodeType) and bool(code.co_flags & _CO_COROUTINE)


_CO_COROUTINE = 0x80


def _import_late(name: str, *functions: str, **names: Any) -> None:
    """Have a module imported when it is first asked for any but these names.

    `functions` may be asked for, too, and have it imported when they are called.
    """
    if name in sys.modules:
        return
    stand_in = ModuleType(name)
    if "." not in name:  # for the search of a part its whole would be imported
        stand_in.__spec__ = find_spec(name)

    def load(attribute: str) -> Any:
        if attribute.startswith("__"):  # what imports ask of any module
            raise AttributeError(attribute)
        with _loading:
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]
                try:
                    vars(stand_in).update(vars(importlib.import_module(name)))
                except BaseException:  # it may be there without a library that it needs
                    sys.modules[name] = stand_in
                    raise
        return getattr(sys.modules[name], attribute)

    def late(function: str) -> Callable[..., Any]:
        return lambda *arguments, **options: load(function)(*arguments, **options)

    vars(stand_in).update(names, __getattr__=load)
    vars(stand_in).update({function: late(function) for function in functions})
    sys.modules[name] = stand_in


_loading = threading.RLock()


def make_enums_late() -> None:
    """Have the bindings' enumerations made without members, which come when they are looked at.

    The bindings make all those of a class when the class is first used, 6,000 names in a window at
    rest, of which it needs a fifth. Python's `enum` would take a sixth of the time to the first
    paint for them, and 3 MB. With a version of Python that this was not tried with, nothing
    changes.
    """
    if sys.version_info >= (3, 14) or not hasattr(enum.Flag, "_singles_mask_"):
        return  # the first versions of 3.11, as in Debian 12, count the bits in another way
    kind: Any = enum.EnumType
    really = kind._create_
    bodies: dict[type[enum.Enum], dict[str, Any]] = {}

    def create(cls: type[enum.Enum], name: str, names: Any, **options: Any) -> Any:
        # Only the bindings keep unknown values and give lists.
        is_bound = options.get("boundary") is enum.KEEP and names.__class__ is list
        if not is_bound or not all(map(_is_plain, names)):
            return really(cls, name, names, **options)
        if cls not in bodies:
            empty: object = really(cls, name, [], **options | {"module": cls.__module__})
            bodies[cls] = {key: value for key, value in vars(empty).items() if key != "__dict__"}
        # The bindings set the module later.
        body = {"__module__": options.get("module") or cls.__module__}
        made = type.__new__(_LateEnum, name, (cls,), body)
        members = " ".join([name for name, _ in names]), tuple([value for _, value in names])
        _LateEnum.waiting[made] = bodies[cls], *members
        return _fill(made) if _LateEnum.has_ended else made

    kind._create_ = create


class _LateEnum(enum.EnumType):
    """The type of an enumeration whose members are not made: any look at them makes them.

    From then on the type is that of all enumerations. What asks the type in C and not by an
    attribute (`len`, `in`, a call) comes by the methods below.
    """

    waiting: ClassVar[dict[Any, tuple[dict[str, Any], str, tuple[int, ...]]]] = {}
    """The class body of such an enumeration, the names, by blanks, and the values."""
    has_ended: ClassVar = False

    def __getattribute__(cls, name: str) -> Any:
        if name not in _ASKED_OF_ALL:
            _fill(cls)
        return type.__getattribute__(cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        type.__setattr__(cls, name, value)

    def __call__(cls, *values: Any, **options: Any) -> Any:
        return _fill(cls)(*values, **options)

    def __contains__(cls, value: Any) -> bool:
        return value in _fill(cls)

    def __getitem__(cls, name: str) -> Any:
        return _fill(cls)[name]

    def __iter__(cls) -> Any:
        return iter(_fill(cls))

    def __reversed__(cls) -> Any:
        return reversed(_fill(cls))

    def __len__(cls) -> int:
        return len(_fill(cls))

    def __dir__(cls) -> list[str]:
        return dir(_fill(cls))


_ASKED_OF_ALL = frozenset(("__class__", "__module__", "__mro__", "__name__", "__qualname__"))
"""Attributes of a class that have nothing to do with its members."""


def _fill(made: Any) -> Any:
    """Give an enumeration its members, and return it."""
    with _filling:  # another thread waits until all members are there
        if found := _LateEnum.waiting.pop(made, None):
            body, names, values = found
            for key, value in body.items():
                if key != "__module__":
                    type.__setattr__(made, key, _own(value))
            _add_members(made, list(zip(names.split(), values, strict=True)))
            type.__setattr__(made, "__class__", enum.EnumType)
    return made


_filling = threading.RLock()


def make_members() -> None:
    """Make the members of all enumerations, and from now on at once.

    The bindings look for a name without its enumeration, such as `Qt.AlignLeft`, in C. Nothing here
    uses such names but their own texts of signatures.
    """
    _LateEnum.has_ended = True
    for made in [*_LateEnum.waiting]:
        _fill(made)


def _own(value: Any) -> Any:
    """Return the value, or an empty one in place of what each class has for itself."""
    return [] if isinstance(value, list) else {} if isinstance(value, dict) else value


def _is_plain(pair: tuple[str, object]) -> bool:
    """Return whether a name means nothing to an enumeration, and its value is a number."""
    name, value = pair
    return type(value) is int and name[0] != "_" and name not in ("name", "value", "mro")


def _add_members(made: Any, pairs: list[tuple[str, int]]) -> None:
    """Add members to an empty enumeration; a value that is there already gets one more name."""
    is_int, is_flag = made._member_type_ is int, issubclass(made, enum.Flag)
    names, by_value = made._member_names_, made._value2member_map_
    hashable = getattr(made, "_hashable_values_", [])  # from Python 3.13 on
    for name, value in pairs:
        member = by_value.get(value)
        if member is None:
            member = int.__new__(made, value) if is_int else object.__new__(made)
            by_value[value] = member
            member.__dict__.update(
                _value_=value, _name_=name, __objclass__=made, _sort_order_=len(names)
            )
            if not is_flag or _is_bit(value):
                names.append(name)
            hashable.append(value)
        made._member_map_[name] = member
        type.__setattr__(made, name, member)
    if is_flag:
        _set_masks(made, [value for _, value in pairs])


def _is_bit(value: int) -> bool:
    return value != 0 and value & (value - 1) == 0


def _set_masks(made: Any, values: list[int]) -> None:
    """Set what an enumeration of flags knows of the bits of all its members."""
    for value in values:
        made._flag_mask_ |= value
        if _is_bit(value):
            made._singles_mask_ |= value
    made._all_bits_ = 2 ** made._flag_mask_.bit_length() - 1
    bits = [made._member_map_[name]._value_ for name in made._member_names_]
    if bits != sorted(bits):
        made._iter_member_ = made._iter_member_by_def_


def _import_lightly() -> None:
    """Import PySide6 without what takes apart the signatures of its functions.

    It compiles these modules from a zip file at each start, a tenth of the time to the first paint,
    and needs them for the text of a TypeError, `help` and stub files. They run when they are first
    asked for a name.
    """
    really: Any = builtins.compile

    def compile_later(source: object, filename: object, *rest: Any, **options: Any) -> Any:
        if str(filename) == _FEATURE and isinstance(source, bytes):
            source += _USES_NO_FEATURE
        if str(filename) not in _FOR_SIGNATURES:
            return really(source, filename, *rest, **options)
        stand_in = _STAND_IN.format(filename=str(filename), source=source)
        return really(stand_in, filename, *rest, **options)

    builtins.compile = compile_later
    _import_late("zipfile", ZipFile=_Archive)
    try:
        importlib.import_module("PySide6.QtCore")
    finally:
        builtins.compile = really
        if vars(sys.modules["zipfile"]).get("ZipFile") is _Archive:
            del sys.modules["zipfile"]


class _Archive:
    """The files of a zip archive in memory, as far as the bindings' own importer reads them.

    Python's `zipfile` is half as large as all else that Python loads before them.
    """

    def __init__(self, file: io.BytesIO, mode: str = "r") -> None:
        self._data = data = file.getvalue()
        self.filelist: list[SimpleNamespace] = []
        entries, place = struct.unpack_from("<10xH4xI", data, data.rindex(b"PK\5\6"))
        for _ in range(entries):
            method, size, name, extra, comment, start = struct.unpack_from(
                "<10xH8xI4x3H8xI", data, place
            )
            end = place + 46 + name
            self.filelist.append(
                SimpleNamespace(
                    filename=data[place + 46 : end].decode(), method=method, size=size, start=start
                )
            )
            place = end + extra + comment

    def namelist(self) -> list[str]:
        """Return the names of the files."""
        return [one.filename for one in self.filelist]

    def open(self, name: str, mode: str = "r") -> io.BytesIO:
        """Return a file, to be read."""
        one = next(one for one in self.filelist if one.filename == name)
        begin = one.start + 30 + sum(struct.unpack_from("<26xHH", self._data, one.start))
        content = self._data[begin : begin + one.size]
        return io.BytesIO(zlib.decompress(content, -zlib.MAX_WBITS) if one.method else content)


_STAND_IN = """
def __getattr__(name):
    if source := globals().pop("_source", ""):
        from playhead.bootstrap.import_cost import make_members
        make_members()
        exec(compile(source, {filename!r}, "exec"), globals())
    if name not in globals():
        raise AttributeError(name)
    return globals()[name]

def update_mapping():  # the library looks for this one in the dictionary
    return __getattr__("update_mapping")()

_source = {source!r}
"""
