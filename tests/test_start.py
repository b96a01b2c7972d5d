"""What the window's process loads, and when: nothing heavy before the first paint."""

from __future__ import annotations

import enum
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.bootstrap import import_cost
from tests.support.driver import write_settings
from tests.support.model_server import ModelServer, default_script

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tests" / "data" / "watched_start.py"


MOST_OWN_MODULES = 101
"""Of the first paint. One more is a fraction of a millisecond; a folder more is a slow start."""
LATER = (
    *("asyncio", "ssl", "email", "sqlite3", "subprocess", "importlib.metadata", "xml.etree"),
    *("PIL", "ziamath", "markdown_it", "keyring", "aiohttp", "litellm", "openai", "pydantic"),
    *("pyside6_scintilla", "lexilla", "qasync", "PySide6.QtNetwork", "zmq", "jupyter_client"),
    *("playhead.api", "playhead.execution", "playhead.formats", "playhead.kernel"),
    *("playhead.model_worker", "playhead.providers", "playhead.event_loop"),
    *("playhead.storage.history", "playhead.storage.keys", "playhead.bootstrap.core"),
    *("playhead.session.session", "playhead.session.sessions", "playhead.session.turn"),
    *("playhead.ui.timeline", "playhead.ui.dialogs", "playhead.ui.settings"),
    *("playhead.ui.commands.command_palette", "playhead.ui.commands.shortcuts_page"),
    *("playhead.ui.sidebar.search_results", "playhead.ui.sidebar.conversation_menus"),
    *("playhead.ui.editor.code.scintilla_editor", "playhead.ui.editor.code.plain_editor"),
    *("playhead.ui.editor.pane.diff_view", "playhead.ui.editor.pane.editor_find_bar"),
    *("playhead.ui.editor.variables_panel", "playhead.ui.composer.model_picker"),
)
"""Modules and folders that are loaded when they are asked for, or once the window is painted."""
AT_FIRST_USE = (
    *("csv", "xml", "playhead.formats.wire.cohere", "playhead.ui.timeline.find"),
    *("playhead.providers.attached_files", "playhead.providers.parser.typed_code"),
    *("playhead.storage.history.rescue", "playhead.ui.dialogs.policy_sheet"),
    *(f"playhead.ui.timeline.{name}" for name in ("cards", "model", "text", "view")),
    *("playhead.ui.editor.code.plain_editor", "playhead.ui.shell.past.past_binding", "lexilla"),
    *("playhead.execution.live_kernel", "playhead.execution.kernel_process"),
    *("playhead.execution.keeping", "playhead.execution.results", "playhead.kernel.drivers"),
    *("playhead.storage.history.damaged_file", "playhead.storage.variable_store"),
)
"""Modules and folders that a window at rest does without."""


def is_of(name: str, places: tuple[str, ...]) -> bool:
    return any(name == one or name.startswith(f"{one}.") for one in places)


def test_nothing_heavy_is_loaded_before_the_first_paint_and_litellm_never(tmp_path: Path):
    with ModelServer(default_script) as server:
        write_settings(
            tmp_path, model="openai/test", api_base=server.base_url, interpreter=sys.executable
        )
        said = subprocess.run(
            [sys.executable, str(SCRIPT)],
            env={
                **os.environ,
                "QT_QPA_PLATFORM": "offscreen",
                "PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)]),
                "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
                "PLAYHEAD_DATA_DIR": str(tmp_path / "data"),
            },
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert said.returncode == 0, said.stderr
    loaded = json.loads(said.stdout.splitlines()[-1])
    assert loaded["answer"] == ["The result of the division 34/24 is approximately 1.42."]
    assert [name for name in loaded["first_paint"] if is_of(name, LATER)] == []
    assert [name for name in loaded["rest"] if is_of(name, AT_FIRST_USE)] == []
    assert "QCalendarWidget" not in loaded["kinds"], "a widget of Qt's own was asked for"
    own = [name for name in loaded["first_paint"] if name.split(".")[0] == "playhead"]
    assert len(own) <= MOST_OWN_MODULES, own
    assert [name for name in loaded["turn_over"] if name != "keyring"] == []


LIGHT = """
import sys
from playhead.bootstrap import import_cost
import_cost.make_enums_late()
import_cost.leave_sources_unread()
from PySide6.QtCore import QObject, Qt
from shibokensupport.signature import mapping, parser
assert len(Qt.Key) > 400 and Qt.Key(ord("A")) is Qt.Key.Key_A == ord("A")
assert "_source" in vars(mapping), "it was asked for something"
try:
    QObject().setObjectName(object())
except TypeError as error:
    assert "Supported signatures" in str(error), error
assert parser.type_map is mapping.type_map
"""


def test_signatures_of_qt_wait_until_they_are_asked_for():
    said = subprocess.run(
        [sys.executable, "-c", LIGHT],
        env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, "")


LATE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from playhead.bootstrap import import_cost
import_cost.import_seldom_used_late()
import_cost.leave_extensions_out_of_msgspec()
import_cost.make_enums_late()
import_cost.leave_sources_unread()
import asyncio, importlib.util, inspect, msgspec, qasync, shutil, subprocess, urllib.parse
from PySide6.QtCore import QEvent, Qt
async def wait(): ...
assert asyncio.iscoroutinefunction(wait) and asyncio.iscoroutinefunction(partial(wait))
assert not asyncio.iscoroutinefunction(len) and not asyncio.iscoroutinefunction(print)
from playhead.bootstrap.core import build_core
core = build_core()
asyncio.run(core.warm_model(core.settings.current))
assert "playhead.providers.provider" not in sys.modules, "there is no model to ask"
late = "bz2", "inspect", "ipaddress", "locale", "lzma", "msgspec.inspect"
assert not {"ast", "dis", "_bz2", "_lzma"} & set(sys.modules)
assert not [name for name in late if hasattr(sys.modules[name], "__file__")]
assert all(importlib.util.find_spec(name) for name in late[:-1])
import lzma
sys.modules["_lzma"] = None
for _ in range(2):
    try:
        lzma.compress
    except ImportError:
        continue
    raise AssertionError("it cannot be loaded")
del sys.modules["_lzma"]
assert import_cost._LateEnum is type(QEvent.Type) is type(Qt.WindowType)
with ThreadPoolExecutor(8) as pool:  # nobody sees one with some of its members
    assert set(pool.map(lambda _: len(QEvent.Type), range(8))) == {len(QEvent.Type)}
    signatures = list(pool.map(lambda _: inspect.signature(wait), range(8)))
assert len(QEvent.Type) > 170 and len({*map(str, signatures)}) == 1
assert Qt.WindowType.Dialog in Qt.WindowType and Qt.WindowType(3) == Qt.WindowType.Dialog
assert Qt.WindowType["Window"] is next(one for one in Qt.WindowType if one.name == "Window")
assert "MyComputerIcon" not in dir(Qt.CheckState) and list(reversed(Qt.CheckState))[0].value == 2
import bz2, ipaddress, locale, lzma
assert bz2.decompress(bz2.compress(b"x")) == lzma.decompress(lzma.compress(b"x")) == b"x"
assert ipaddress.ip_address("::1").is_loopback and locale.getlocale()
assert type(msgspec.inspect.type_info(int)).__name__ == "IntType"
assert inspect.iscoroutinefunction(wait)
import asyncio.sslproto, datetime, pickle, platform, tempfile, traceback, uuid, zipfile
assert zipfile.__file__ and zipfile.ZipFile.__module__ == "zipfile" and uuid.uuid4()
assert pickle.loads(pickle.dumps(datetime.timedelta(3))) == datetime.timedelta(days=3)
assert msgspec.json.encode(datetime.datetime(2026, 1, 2)) == b'"2026-01-02T00:00:00"'
assert datetime.datetime.strptime("2026", "%Y").replace(tzinfo=datetime.timezone.utc)
assert platform.system() and platform.machine() and tempfile.gettempdir()
assert asyncio.sslproto.SSLProtocol and traceback.format_exception_only(ValueError("x"))
"""


def test_modules_and_enumerations_that_wait_are_whole_once_they_are_used(tmp_path: Path):
    said = subprocess.run(
        [sys.executable, "-c", LATE],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "app"),
            "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
            "PLAYHEAD_DATA_DIR": str(tmp_path / "data"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (said.returncode, said.stderr) == (0, "")


MEMBERS = {
    "numbers": [("One", 1), ("Two", 2), ("Deux", 2), ("Less", -5), ("real", 3), ("Key", 1 << 28)],
    "bits": [("No", 0), ("B", 2), ("A", 1), ("AB", 3), ("Both", 3), ("Far", 1 << 31), ("All", -1)],
    "names that mean something": [("name", 1), ("value", 2), ("_hidden", 3)],
    "none": [],
}


MASKS = ("_flag_mask_", "_singles_mask_", "_all_bits_")


@pytest.mark.parametrize("kind", [enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag])
@pytest.mark.parametrize("names", MEMBERS.values(), ids=MEMBERS)
def test_enumerations_of_the_bindings_are_what_python_makes(
    kind: Any, names: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
):
    of_all: Any = enum.EnumType
    really = of_all._create_
    monkeypatch.setattr(of_all, "_create_", really)  # is put back
    import_cost.make_enums_late()
    of_all._create_(kind, "Other", [("One", 1)], boundary=enum.KEEP)
    bound, usual = (
        make(kind, "Bound", names, module=__name__, boundary=enum.KEEP)
        for make in (of_all._create_, really)
    )
    assert (bound.__name__, bound.__module__, bound.__qualname__) == ("Bound", __name__, "Bound")
    assert list(map(repr, bound)) == list(map(repr, usual))
    assert vars(bound).keys() == vars(usual).keys()
    assert {name: vars(one) for name, one in bound.__members__.items()} == {
        name: vars(one) | {"__objclass__": bound} for name, one in usual.__members__.items()
    }
    if names and issubclass(kind, enum.Flag):
        assert [repr(bound(bits)) for bits in range(6)] == [repr(usual(bits)) for bits in range(6)]
        assert [repr(~one) for one in bound] == [repr(~one) for one in usual]
        assert [vars(bound)[name] for name in MASKS] == [vars(usual)[name] for name in MASKS]
    for name, value in names:
        one = bound[name]
        assert (one.name, one.value) == (usual[name].name, usual[name].value)
        assert one is bound(value)
        assert one in bound
        assert getattr(bound, name) is one or name in ("name", "value")


OPENSSL = """
import sys
from playhead.bootstrap import import_cost
import_cost.leave_tls_out_of_asyncio()
import_cost.leave_openssl_out_of_hashlib()
from playhead.providers.catalog import probe_server
import hashlib, hmac
assert probe_server("nobody", int(sys.argv[1])) is None
assert hashlib.sha256(b"x").hexdigest().startswith("2d711642b726b044")
assert hmac.compare_digest(hmac.digest(b"k", b"m", "md5"), hmac.new(b"k", b"m", "md5").digest())
print(*sorted({"_hashlib", "_ssl", "email", "http.client"} & set(sys.modules)))
import ssl
assert ssl.create_default_context()
"""


def test_an_idle_window_is_spared_openssl_and_mail():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # nobody listens there
        said = subprocess.run(
            [sys.executable, "-c", OPENSSL, str(unused.getsockname()[1])],
            env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (said.returncode, said.stdout.strip(), said.stderr) == (0, "", "")
