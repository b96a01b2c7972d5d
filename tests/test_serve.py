"""`playhead serve` as an operator meets it: one line, a token, a port, an end."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

from playhead import __version__
from playhead.client.server_process import start_folder
from tests.support.model_server import ModelServer, execute, text
from tests.support.served import END_S, PROVIDER_KEY, START_S, Served, served
from tests.support.waiting import until_now
from tests.support.workers import SharedWorker

ROOT = Path(__file__).parents[1]


def serve(*arguments: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """The command, which has to end by itself."""
    environment = {
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "app"),
        "PLAYHEAD_DATA_DIR": str(home / "data"),
        "PLAYHEAD_CONFIG_DIR": str(home / "config"),
    }
    return subprocess.run(
        [sys.executable, "-m", "playhead", "serve", *arguments],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def test_a_taken_port_is_a_clear_line_and_an_exit_code_of_its_own(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = serve("--port", str(port), home=tmp_path)
    assert ended.returncode == 3
    assert f"Port {port} is taken" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


def test_other_machines_are_served_only_with_tls_and_a_name(tmp_path):
    ended = serve("--host", "0.0.0.0", home=tmp_path)
    assert ended.returncode == 1
    assert "TLS" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_working_folder_that_is_not_there_is_not_replaced_by_another(tmp_path):
    ended = serve("--working-dir", str(tmp_path / "gone"), home=tmp_path)
    assert ended.returncode == 1
    assert "is not a folder" in ended.stderr
    assert (ended.stdout, "token" in ended.stderr) == ("", False)


def test_an_access_that_does_not_exist_is_a_clear_line(tmp_path):
    for ended in (
        serve("--allow-access", "screen", home=tmp_path),
        serve(home=tmp_path, PLAYHEAD_ALLOW_ACCESS="agent,screen"),
    ):
        assert ended.returncode == 1
        assert ended.stderr.startswith("screen is not a kind of access. The kinds are display,")


def test_an_impossible_port_is_a_usage_error(tmp_path):
    ended = serve("--port", "70000", home=tmp_path)
    assert ended.returncode == 2
    assert "--port" in ended.stderr


def test_without_a_token_one_is_made_and_printed_once(tmp_path):
    with served(tmp_path, model="", environment={"PLAYHEAD_TOKEN": ""}) as server:
        tokens = re.findall(r"^token: (\S+)$", server.log, re.MULTILINE)
        assert len(tokens) == 1
        assert len(tokens[0]) >= 40
        accepted = {"Authorization": f"Bearer {tokens[0]}"}
        assert httpx.get(f"{server.address}/v1/models", headers=accepted).status_code == 200
        assert httpx.get(f"{server.address}/v1/models").status_code == 401


def test_it_needs_no_display_and_maps_no_window_library(tmp_path):
    with served(tmp_path, model="") as server:
        maps = Path(f"/proc/{server.process.pid}/maps").read_text("utf-8")
        assert "QtCore" in maps
        assert "QtGui" not in maps
        assert "QtWidgets" not in maps
        health = httpx.get(f"{server.address}/v1/health").json()
    assert health == {
        "status": "healthy",
        "version": __version__,
        "llm": {"model": "playhead/direct", "status": "ready"},
        "history": {"status": "ok"},
        "instances": {"active": 0, "max": 200},
    }


def test_the_key_of_the_start_goes_to_its_model_and_into_no_childs_environment(tmp_path):
    code = "import os\nprint(sorted(n for n in os.environ if 'PLAYHEAD' in n or 'KEY' in n))"
    with (
        ModelServer([execute(code), text("done")]) as model,
        served(tmp_path, api_base=model.base_url, arguments=("--allow-auto-run",)) as server,
    ):
        answer = _ask(server, auto_run=True)
        (printed,) = (m["content"] for m in answer["messages"] if m["type"] == "console")
        assert PROVIDER_KEY not in printed
        assert "PLAYHEAD_PROVIDER_KEY" not in printed
        assert "PLAYHEAD_TOKEN" not in printed
        assert model.requests[0].headers["authorization"] == f"Bearer {PROVIDER_KEY}"
        log = server.log
    assert PROVIDER_KEY not in log
    assert server.token not in log


def test_a_signal_ends_it_with_every_run(tmp_path: Path):
    code = "import time\nprint('here', flush=True)\ntime.sleep(600)"
    with (
        served(tmp_path, model="", arguments=("--allow-auto-run",)) as server,
        httpx.stream(
            "POST",
            f"{server.address}/v1/chat",
            headers=server.headers,
            json=_body(code, auto_run=True) | {"stream": True},
            timeout=END_S,
        ) as response,
    ):
        lines = response.iter_lines()
        assert any("here" in line and "output" in line for line in lines)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(END_S) == 0
        until_now(lambda: not server.processes())


def _body(asked: str = "go on", *, auto_run: bool = False) -> dict:
    message = {"role": "user", "type": "message", "content": asked}
    return {"messages": [message], "auto_run": auto_run}


def _ask(server: Served, *, auto_run: bool) -> dict:
    answer = httpx.post(
        f"{server.address}/v1/chat",
        headers=server.headers,
        json=_body(auto_run=auto_run),
        timeout=END_S,
    )
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


_CODE = "print(6 * 7)"
_SAID = {"messages": [{"role": "user", "content": _CODE}]}


def test_direct_mode_can_be_chosen_at_the_start_for_every_format(tmp_path):
    asked: dict[str, dict] = {
        "/v1/chat": {"messages": [{"role": "user", "type": "message", "content": _CODE}]},
        "/v1/chat/completions": {"model": "playhead/direct", **_SAID},
        "/v2/chat": {"model": "playhead/direct", **_SAID},
        "/v1/kernel/stream": {"messages": [{"type": "input", "text": _CODE}]},
        "/v1/threads/runs": {"assistant_id": "asst_interpreter", "thread": _SAID, "stream": True},
    }
    with (
        served(tmp_path, model="playhead/direct") as server,
        httpx.Client(base_url=server.address, headers=server.headers, timeout=START_S) as client,
    ):
        health = client.get("/v1/health").json()["llm"]
        assert health == {"model": "playhead/direct", "status": "ready"}
        for path, body in asked.items():
            answer = client.post(path, json=body)
            assert (answer.status_code, _CODE in answer.text) == (200, True), answer.text
        question = asked["/v1/chat"]["messages"]
        code, _ = client.post("/v1/chat", json=asked["/v1/chat"]).json()["messages"]
        go = {"role": "user", "type": "command", "content": "go"}
        ran = client.post("/v1/chat", json={"messages": [*question, code, go]}).json()["messages"]
        assert ran[0]["content"] == "42\n"


def test_code_runs_in_the_folder_that_it_was_started_in(tmp_path):
    with served(tmp_path, model="", arguments=["--allow-auto-run", "--working-dir", ""]) as server:
        body = _body("import os; print('in', os.getcwd())", auto_run=True)
        answer = httpx.post(
            f"{server.address}/v1/chat", json=body, headers=server.headers, timeout=END_S
        )
    assert f"in {tmp_path}" in answer.text


def test_where_a_service_is_started_each_conversation_has_a_folder_of_its_own(tmp_path):
    arguments = ["--allow-auto-run", "--working-dir", ""]
    with served(tmp_path, model="", arguments=arguments, start_folder=Path("/")) as server:
        body = _body("import os; print('in', os.getcwd())", auto_run=True)
        answer = httpx.post(
            f"{server.address}/v1/chat", json=body, headers=server.headers, timeout=END_S
        )
        (folder,) = (path for path in tmp_path.rglob("Playhead/*") if path.is_dir())
    assert f"in {folder}" in answer.text


def test_code_of_a_program_in_the_root_runs_in_a_folder_of_its_own(monkeypatch):
    monkeypatch.chdir("/")
    assert start_folder() == ""
    monkeypatch.chdir("/usr")
    assert start_folder() == "/usr"


def test_a_way_that_the_settings_claim_for_a_key_is_refused_until_it_is_named(
    tmp_path: Path, model_worker: SharedWorker
) -> None:
    def ask(server: Served) -> httpx.Response:
        return httpx.post(
            f"{server.address}/v1/chat/completions",
            headers=server.headers,
            json={"model": "openai/test", "messages": [{"role": "user", "content": "hello"}]},
            timeout=START_S,
        )

    with ModelServer(text("By the new way.")) as model:
        settings = {"model": "openai/test", "api_base": model.base_url}
        program = model_worker.program
        with served(tmp_path, program=program, model="", settings=settings) as server:
            refused = ask(server)
            assert refused.status_code == 500
            assert refused.json()["error"]["code"] == "upstream_auth_error"
            words = refused.json()["error"]["message"]
            assert "its way has changed" in words
            assert PROVIDER_KEY not in words
            assert model.requests == []
        (digest,) = set(re.findall(r"--key-route (\w+)", words))
        named: tuple[dict[str, Any], ...] = (
            {"arguments": ["--key-route", digest]},
            {"environment": {"PLAYHEAD_KEY_ROUTE": f"x,{digest}"}},
        )
        for options in named:
            with served(
                tmp_path, program=program, model="", settings=settings, **options
            ) as server:
                assert "By the new way." in ask(server).text
