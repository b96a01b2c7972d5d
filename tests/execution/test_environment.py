from __future__ import annotations

import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from playhead.execution.environment import (
    BOOT,
    SUPERVISOR,
    compile_ahead,
    is_bundled,
    kernel_command,
    kernel_environment,
)

PYTHON = "/usr/bin/python3"


def test_the_users_variables_stay_and_ours_go() -> None:
    base = {
        "HOME": "/home/ada",
        "LD_LIBRARY_PATH": "/opt/cuda",
        "PYTHONHOME": "x",
        "PYTHONPATH": "x",
        "QT_PLUGIN_PATH": "x",
        "PLAYHEAD_DATA_DIR": "x",
        "_PYI_ARCHIVE_FILE": "x",
        "VIRTUAL_ENV": "/home/ada/.venv",
        "SECRET": "x",
    }
    kept = kernel_environment(PYTHON, base, drop={"SECRET"})
    assert kept.keys() == {"HOME", "LD_LIBRARY_PATH", "MPLBACKEND", "PYTHONIOENCODING"}


def test_the_packaged_programs_library_path_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    base = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/opt/cuda"}
    assert kernel_environment(PYTHON, base)["LD_LIBRARY_PATH"] == "/opt/cuda"
    assert "LD_LIBRARY_PATH" not in kernel_environment(PYTHON, {"LD_LIBRARY_PATH": "/bundle"})


def test_a_venv_is_activated(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    kept = kernel_environment(str(tmp_path / "bin" / "python"), {"PATH": "/usr/bin:/bin"})
    assert kept["PATH"] == f"{tmp_path}/bin:/usr/bin:/bin"
    assert kept["VIRTUAL_ENV"] == str(tmp_path)


def test_a_kernel_is_started_by_its_boot_file() -> None:
    program, flag, *boot = kernel_command(PYTHON)
    assert (program, flag) == (PYTHON, "-u")
    assert [Path(file).is_file() for file in boot] == [True, True]


def test_the_packaged_program_starts_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_bundled(sys.executable)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert kernel_command(sys.executable) == [sys.executable, "--kernel"]
    assert kernel_command(PYTHON)[0] == PYTHON


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "openai_api_key",
        "SOME_NEW_VENDOR_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "HF_TOKEN",
        "AZURE_CLIENT_SECRET",
        "MISTRAL_APIKEY",
        "QT_QPA_PLATFORM",
        "QML2_IMPORT_PATH",
        "PYINSTALLER_CONFIG_DIR",
        "_PYI_SPLASH_IPC",
    ],
)
def test_keys_of_models_and_our_own_variables_do_not_reach_the_code(name: str) -> None:
    assert name not in kernel_environment(PYTHON, {name: "x"})


@pytest.mark.parametrize(
    "name",
    [
        *("HOME", "KEYBOARD", "SSH_CLIENT", "MONKEY", "PWD", "OLDPWD"),
        *("AWS_CA_BUNDLE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3"),
    ],
)
def test_what_is_the_users_own_stays(name: str) -> None:
    assert kernel_environment(PYTHON, {name: "x"})[name] == "x"


def test_other_languages_have_our_own_python_for_a_host(tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    boot = [str(SUPERVISOR), str(BOOT)]
    assert kernel_command(PYTHON, "bash") == [sys.executable, "-I", "-S", "-u", *boot]
    assert kernel_command(PYTHON, "python") == [PYTHON, "-u", *boot]


def test_without_an_interpreter_nothing_is_put_before_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyvenv.cfg").touch()
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path / "bin")
    assert kernel_environment("", {"PATH": "/usr/bin"})["PATH"] == "/usr/bin"


def test_what_kernels_load_is_compiled_where_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    paths = [tmp_path / "boot.py", tmp_path / "drivers" / "python.py"]
    paths[1].parent.mkdir()
    for path in paths:
        path.write_text("n = 1\n")
    compile_ahead(tmp_path)
    compiled = [Path(cache_from_source(path)) for path in paths]
    first = [path.stat().st_mtime_ns for path in compiled]
    compile_ahead(tmp_path)
    assert [path.stat().st_mtime_ns for path in compiled] == first
    compiled[1].unlink()
    compile_ahead(tmp_path)
    assert compiled[0].stat().st_mtime_ns == first[0]
    assert compiled[1].is_file()
