"""`packaging/install.py`: uv as pip is set, and pip where uv cannot."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).parents[2] / "packaging/install.py"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with a uv and a pip that say what they were asked for."""
    spec = importlib.util.spec_from_file_location("install", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    put_program(tmp_path / "pip", 'echo pip "$@" >&2')
    put_program(tmp_path / "uv", 'echo uv "$@" >&2\necho " + one==1" >&2')
    (tmp_path / "lock").write_text(
        f"uv=={importlib.metadata.version('uv')} \\\n    --hash=sha256:0\n"
    )
    monkeypatch.setattr(module, "PIP", [str(tmp_path / "pip")])
    monkeypatch.setattr(module, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(module, "uv_program", lambda: str(tmp_path / "uv"))
    bundles = {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}
    for name in [name for name in os.environ if name.startswith("PIP_") or name in bundles]:
        monkeypatch.delenv(name)
    set_pip(tmp_path, monkeypatch)
    return module


def put_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)


def set_pip(folder: Path, monkeypatch: pytest.MonkeyPatch, *settings: str) -> None:
    """The only file that pip reads: PIP_CONFIG_FILE, with the places of files made empty."""
    config = folder / "pip.conf"
    config.write_text("\n".join(("[global]", *settings, "")), "utf-8")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(folder / "none"))


def run(module: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, "argv", ["install.py", "--requirement", "a.lock"])
    status = module.main()
    return status, capfd.readouterr().err


def test_uv_does_it_and_its_list_is_left_out(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    status, said = run(install, monkeypatch, capfd)
    assert status == 0
    assert said.startswith(f"uv pip install --python {sys.executable} ")
    assert said.endswith(" --requirement a.lock\n")


def test_uv_asks_where_pip_is_set_to_ask(
    install: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    show = 'echo "$SSL_CERT_FILE $HTTPS_PROXY $UV_HTTP_TIMEOUT" >&2\necho "$@" >&2'
    put_program(tmp_path / "uv", show)
    set_pip(
        tmp_path,
        monkeypatch,
        "index-url = https://index.example/simple",
        "extra-index-url = https://one.example https://two.example",
        "cert = /etc/of-global.pem",
        "[install]",
        "cert = /etc/of-install.pem",
        "proxy = http://proxy.example:3128",
    )
    monkeypatch.setenv("PIP_TIMEOUT", "77")
    status, said = run(install, monkeypatch, capfd)
    assert status == 0
    assert said.startswith("/etc/of-install.pem http://proxy.example:3128 77\n")
    assert "--default-index https://index.example/simple " in said
    assert "--index https://one.example --index https://two.example " in said


def test_the_certificates_of_requests_hold_for_uv(
    install: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/etc/company.pem")
    variables = install.installer.uv_variables
    assert variables({})["SSL_CERT_FILE"] == "/etc/company.pem"
    assert variables({"cert": "/etc/own.pem"})["SSL_CERT_FILE"] == "/etc/own.pem"


def test_a_setting_that_uv_does_not_know_is_left_to_pip(
    install: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    set_pip(tmp_path, monkeypatch, "no-binary = :all:")
    status, said = run(install, monkeypatch, capfd)
    assert (status, said.splitlines()) == (
        0,
        [
            "Using pip, not uv, because of pip's setting no-binary.",
            "pip install --quiet --requirement a.lock",
        ],
    )


def test_pip_goes_on_where_uv_fails(
    install: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    put_program(tmp_path / "uv", "echo error: no route >&2; exit 2")
    status, said = run(install, monkeypatch, capfd)
    assert status == 0
    assert said.splitlines() == [
        "error: no route",
        "uv could not do it (see above); trying pip, which takes longer.",
        "pip install --quiet --requirement a.lock",
    ]


def test_where_uv_cannot_be_had_pip_does_it_all(
    install: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "lock").write_text("uv==0 \\\n    --hash=sha256:0\n", "utf-8")
    put_program(tmp_path / "pip", 'case "$*" in *uv.lock*) exit 1 ;; esac\necho pip "$@" >&2')
    status, said = run(install, monkeypatch, capfd)
    assert status == 0
    assert said.splitlines() == [
        "uv cannot be had here (see above); using pip, which takes longer.",
        "pip install --quiet --requirement a.lock",
    ]


def test_where_nothing_can_be_had_it_says_what_to_do(
    install: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    put_program(tmp_path / "pip", "exit 1")
    put_program(tmp_path / "uv", "exit 2")
    status, said = run(install, monkeypatch, capfd)
    assert status == 1
    assert "behind a proxy" in said
    assert "Then run the same command again" in said
