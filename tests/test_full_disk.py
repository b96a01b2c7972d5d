"""A disk that fills up under the running program: said, asked about at the end, nothing lost."""

from __future__ import annotations

import json
import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx

from tests.support.driver import FROM_SOURCE
from tests.support.model_server import ModelServer, text
from tests.support.namespaces import with_mount
from tests.support.served import END_S, Served, served
from tests.support.waiting import until_now

ROOT = Path(__file__).parents[1]
SMALL = (
    "mount -t tmpfs -o size=6m none {place} && mkdir {place}/config &&"
    ' echo \'{{"interpreter": "/usr/bin/python3"}}\' > {place}/config/settings.json'
)


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)]),
    }


def test_what_a_full_disk_refused_is_saved_when_there_is_room_and_closing_asks_before(tmp_path):
    program = [sys.executable, str(ROOT / "tests" / "data" / "watched_full_disk.py")]
    place = tmp_path / "disk"
    command = with_mount(place, SMALL, [*program, "--data-dir", str(place)])
    done = subprocess.run(
        command,
        env=environment(tmp_path) | {"QT_QPA_PLATFORM": "offscreen"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *banners, question = json.loads(done.stdout.splitlines()[-1])
    (words,) = [detail for title, detail in banners if "not being saved" in title]
    assert "The disk is full: free some space." in words
    assert "are not saved" in question[0]
    assert "Playhead saves by itself" in question[1]


def set_limit(server: Served, size_bytes: int) -> None:
    """Have no file of the server grow beyond a size: what a full disk is to whoever is not root."""
    limits = (size_bytes, resource.RLIM_INFINITY)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)


def asked(server: Served, method: str, path: str, body: dict | None = None) -> httpx.Response:
    address = f"{server.address}/v1/{path}"
    return httpx.request(method, address, headers=server.headers, json=body, timeout=END_S)


def question(words: str) -> dict:
    return {"messages": [{"role": "user", "type": "message", "content": words}], "stream": False}


def stored(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return [text for (text,) in database.execute("SELECT content FROM message ORDER BY seq")]


def test_a_server_on_a_full_disk_says_so_and_refuses_before_it_asks_the_model(tmp_path):
    """It goes on by itself, and what it could not write at once is then written."""
    path = tmp_path / "data" / "history.sqlite3"
    large = "never stored twice " * 20_000
    with (
        ModelServer([text("one"), text(large), text("three")]) as model,
        served(tmp_path, api_base=model.base_url) as server,
    ):
        session_id = asked(server, "POST", "sessions", {}).json()["session_id"]
        chat = f"sessions/{session_id}/messages"
        assert asked(server, "POST", chat, question("first")).status_code == 200
        assert asked(server, "GET", "health").json()["history"] == {"status": "ok"}
        journal = path.with_name(path.name + "-wal").stat().st_size
        set_limit(server, journal + 200_000)  # room for a question, not for its answer
        assert asked(server, "POST", chat, question("second")).status_code == 200
        until_now(lambda: asked(server, "GET", "health").json()["status"] == "degraded")
        assert len(model.requests) == 2
        for method, place, body in (
            ("POST", "sessions", {}),
            ("POST", chat, question("the quail")),
            ("PATCH", f"sessions/{session_id}", {"title": "other"}),
            ("POST", "threads", {}),
            ("POST", "assistants", {"model": "openai/test"}),
        ):
            refused = asked(server, method, place, body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (
                507,
                "insufficient_storage",
            ), (method, place)
            assert "not being saved" in refused.json()["error"]["message"]
            assert str(tmp_path) not in refused.text
        history = asked(server, "GET", "health").json()["history"]
        assert (history["status"], history["unsaved"] > 0) == ("insufficient_storage", True)
        visit = asked(server, "POST", "chat", question("not to be stored"))
        assert (visit.status_code, "three" in visit.text) == (200, True)
        assert len(model.requests) == 3
        for log in (server.log, (tmp_path / "data" / "logs" / "playhead.log").read_text("utf-8")):
            assert log.count("The conversations are not being saved.") == 1
        set_limit(server, resource.RLIM_INFINITY)
        until_now(lambda: asked(server, "GET", "health").json()["status"] == "healthy")
        assert asked(server, "POST", "sessions", {}).status_code == 201
        assert "being saved again" in server.log
    kept = stored(path)
    assert [large in words for words in kept].count(True) == 1
    assert not any("the quail" in words for words in kept)


def test_a_server_over_conversations_that_it_may_only_read_says_so(tmp_path):
    path = tmp_path / "data" / "history.sqlite3"
    with served(tmp_path, model="") as server:
        session_id = asked(server, "POST", "sessions", {"title": "Birds"}).json()["session_id"]
    with closing(sqlite3.connect(path)) as future, future:
        future.execute("PRAGMA user_version = 1000")
    before = path.read_bytes()
    with served(tmp_path, model="") as server:
        health = asked(server, "GET", "health").json()
        assert (health["status"], health["history"]["status"]) == ("degraded", "read_only")
        assert "newer Playhead" in health["history"]["message"]
        assert [row["title"] for row in asked(server, "GET", "sessions").json()["sessions"]] == [
            "Birds"
        ]
        for place, body in (
            ("sessions", {}),
            (f"sessions/{session_id}/messages", question("1+1")),
        ):
            refused = asked(server, "POST", place, body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (507, "read_only")
        assert asked(server, "POST", "chat", question("1+1")).status_code == 200
        assert "written by a newer Playhead" in server.log.split("listening")[0]
    assert path.read_bytes() == before


def test_a_second_server_of_one_data_folder_is_refused_and_names_the_first(tmp_path):
    command = [*FROM_SOURCE, "serve", "--port", "0", "--data-dir", str(tmp_path / "data")]
    with served(tmp_path, model="") as first:
        made = asked(first, "POST", "sessions", {"title": "of the first"})
        second = subprocess.run(
            command, env=environment(tmp_path), capture_output=True, text=True, check=False
        )
        assert (second.returncode, second.stdout) == (1, "")
        assert f"in use by playhead serve (process {first.process.pid})" in second.stderr
        assert "PLAYHEAD_DATA_DIR" in second.stderr
        assert "Traceback" not in second.stderr
        assert asked(first, "GET", f"sessions/{made.json()['session_id']}").status_code == 200
