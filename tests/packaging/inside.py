"""Runs in the frozen program's own kernel: imports what must be in the bundle, says what is not.

As a script in the Python that was frozen it prints which modules of the standard library these are.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pkgutil
import ssl
import sys

# Of what is under the GPL, of Tcl/Tk, Python's own tests, the installer of pip.
NOT_SHIPPED = frozenset(
    {"_dbm", "_gdbm", "_tkinter", "dbm.gnu", "dbm.ndbm", "ensurepip", "idlelib"}
    | {"readline", "test", "tkinter", "turtle", "turtledemo"}
)
# One opens a browser, one prints a poem, one is whoever asks.
NOT_ASKED = frozenset({"antigravity", "this", "__main__"})
LIST = "modules.json"
OURS = (
    "PIL.JpegImagePlugin",
    "PIL.WebPImagePlugin",
    "keyring.backends.SecretService",
    "keyring.backends.chainer",
    "keyring.backends.kwallet",
    "lexilla",
    "msgspec",
    "pyside6_scintilla",
    "qasync",
    "rich.console",
    "secretstorage",
    "tomli_w",
)


def modules_here() -> list[str]:
    """The names of all modules of the standard library that this Python can import."""
    names: list[str] = []
    for name in sorted(sys.stdlib_module_names - NOT_SHIPPED - NOT_ASKED):
        if failure(name):
            continue  # another system's
        names.append(name)
        parts = getattr(sys.modules[name], "__path__", ())
        names += [found.name for found in pkgutil.walk_packages(parts, name + ".")]
    return [name for name in names if not is_left_out(name) and not failure(name)]


def is_left_out(name: str) -> bool:
    """A module that is not shipped, or one of its tests."""
    parents = {name[:end] for end, sign in enumerate(name) if sign == "."}
    return not NOT_SHIPPED.isdisjoint({name, *parents}) or ".test" in name or "__main__" in name


def failure(name: str) -> str:
    """Why it cannot be imported; empty if it can."""
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is told
        return f"{name}: {error!r}"
    return ""


def check() -> None:
    """Import all that is listed beside this file, use what has data; a line says how that went."""
    with open(os.path.join(os.path.dirname(__file__), LIST), encoding="utf-8") as file:
        asked = [*json.load(file), *OURS]
    failures = [said for said in map(failure, asked) if said]
    for use in (use_pictures, use_formula, use_certificates):
        try:
            use()
        except Exception as error:  # noqa: BLE001
            failures.append(f"{use.__name__}: {error!r}")
    print(f"bundle: {len(asked)} modules, {len(failures)} problems")
    print("\n".join(failures))


def use_pictures() -> None:
    """Encode and decode what models are sent."""
    from PIL import Image

    for kind in ("PNG", "JPEG", "WEBP", "GIF"):
        file = io.BytesIO()
        Image.new("RGB", (8, 8), "red").save(file, kind)
        assert Image.open(io.BytesIO(file.getvalue())).convert("RGB").size == (8, 8), kind


def use_formula() -> None:
    """Draw one with the type that lies in the bundle."""
    from ziamath.zmath import Latex

    assert "<svg" in Latex(r"\frac{1}{2}").svg()


def use_certificates() -> None:
    """Read the list of those who vouch for servers."""
    import certifi

    assert os.path.isfile(certifi.where())
    ssl.create_default_context(cafile=certifi.where())


if __name__ == "__main__":
    print(json.dumps(modules_here()))
