"""Skip work that libraries do when they are imported and that the program does not need."""

from __future__ import annotations

import builtins
import enum
import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_FOR_SIGNATURES = frozenset(
    f"shibokensupport/signature/{name}.py"
    for name in (
        *("mapping", "parser", "layout", "errorhandler"),
        *("lib/enum_sig", "lib/pyi_generator"),
    )
)


def leave_tls_out_of_asyncio() -> None:
    """Import asyncio without `ssl`: the window's own loop speaks no TLS.

    Its server is for this machine alone, and providers are reached by the model worker. Modules
    that want `ssl` itself find it as always.
    """
    if "ssl" in sys.modules or "asyncio" in sys.modules:
        return
    sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType] - so an import is refused
    try:
        importlib.import_module("asyncio")
    finally:
        del sys.modules["ssl"]


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
    from importlib.util import find_spec

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
    _import_lightly()  # puts shibokensupport in its place
    try:
        feature = importlib.import_module("shibokensupport.feature")
    except ImportError:
        return
    if hasattr(feature, "_mod_uses_pyside"):
        feature.__dict__["_mod_uses_pyside"] = _uses_no_feature


def make_enums_quickly() -> None:
    """Have the bindings' enumerations made in a fifth of the time.

    They make all those of a class when the class is first used, 4,000 names before the first paint,
    and Python's `enum` takes a sixth of the time to it: it checks each name for all that a class
    body may hold. With a version of Python that this was not tried with, nothing changes.
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
        body = {key: _own(value) for key, value in bodies[cls].items()}
        body["__module__"] = options.get("module") or cls.__module__  # the bindings set it later
        made = type.__new__(kind, name, (cls,), body)
        _add_members(made, names)
        return made

    kind._create_ = create


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
    bits = [member._value_ for member in made]
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
        if str(filename) not in _FOR_SIGNATURES:
            return really(source, filename, *rest, **options)
        stand_in = _STAND_IN.format(filename=str(filename), source=source)
        return really(stand_in, filename, *rest, **options)

    builtins.compile = compile_later
    try:
        importlib.import_module("PySide6.QtCore")
    finally:
        builtins.compile = really


_STAND_IN = """
def __getattr__(name):
    if source := globals().pop("_source", ""):
        exec(compile(source, {filename!r}, "exec"), globals())
    if name not in globals():
        raise AttributeError(name)
    return globals()[name]

def update_mapping():  # the library looks for this one in the dictionary
    return __getattr__("update_mapping")()

_source = {source!r}
"""


def _uses_no_feature(_module: ModuleType) -> bool:
    return False
