"""`pip install` in an environment of the program's own: real uv, a real index, no network."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.execution.environment import uv_program
from playhead.execution.environments.interpreters import InterpreterFinder
from playhead.kernel.python.ipython import package_installer
from tests.kernel.marks import error_of, of_kind
from tests.support.package_index import PackageIndex
from tests.support.waiting import until_now

MANY = {f"tiny_thing/part_{number}.py": f"n = {number}\n" for number in range(500)}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as the program makes it, with pip; to be copied from."""
    folder = tmp_path_factory.mktemp("environments")
    base = str(getattr(sys, "_base_executable", sys.executable))
    asyncio.run(InterpreterFinder(folder, [base]).default())
    return folder / "default"


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    """The index that pip, not uv, is set to."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with PackageIndex().serving() as served:
        monkeypatch.setenv("PIP_INDEX_URL", served.url)
        served.add("tiny-thing", {"tiny_thing/__init__.py": "answer = 42\n"} | MANY)
        yield served


@pytest.fixture
def start(
    made: Path, tmp_path: Path, index: PackageIndex, new_talk: Callable[..., Any]
) -> Callable[..., Any]:
    """Starts a kernel of an own copy of the environment, on a machine that has uv."""
    assert uv_program(), "uv is a dependency: make setup-dev"

    def make(*, has_pip: bool = True) -> Any:
        place = tmp_path / "own"
        shutil.copytree(made, place, symlinks=True)
        if not has_pip:
            for found in site(place).glob("pip*"):
                shutil.rmtree(found)
        return new_talk(str(place / "bin" / "python"), uv=uv_program())

    return make


def site(place: Path) -> Path:
    return next((place / "lib").glob("python*")) / "site-packages"


def test_every_way_of_writing_it_goes_to_uv_and_the_kernel_sees_the_package(
    start: Callable[..., Any], index: PackageIndex
) -> None:
    talk = start()
    assert "No module named 'tiny_thing'" in talk.run("import tiny_thing")[0]
    text, marks = talk.run("!pip install tiny-thing")
    assert not of_kind(marks, "error")
    assert text.endswith("\r\x1b[KSuccessfully installed tiny-thing==1.0\n")
    assert text.count("\n") == 1
    assert talk.run("import tiny_thing; tiny_thing.answer")[0] == "42\n"
    for code in ("%pip install tiny-thing", "pip install -q tiny-thing --no-input"):
        assert "All of it is installed already." in talk.run(code)[0]
    index.add("tiny-thing", {"tiny_thing/__init__.py": "answer = 43\n"}, "2.0")
    text, _ = talk.run("!python -m pip install --no-cache-dir -U 'tiny-thing>=1'")
    assert text.endswith("Successfully installed tiny-thing==2.0\n")
    assert index.programs() == {"uv"}
    assert "tiny-thing" in talk.run("!pip list")[0]  # by pip, which knows what uv installs
    assert "Successfully uninstalled tiny-thing-2.0" in talk.run("!pip uninstall -y tiny-thing")[0]


def test_without_pip_uv_does_it_and_gets_pip_where_nothing_else_helps(
    start: Callable[..., Any], index: PackageIndex
) -> None:
    talk = start(has_pip=False)
    assert "Successfully installed" in talk.run("pip install tiny-thing")[0]
    assert "tiny-thing 1.0" in talk.run("!pip list")[0]
    assert "- tiny-thing==1.0" in talk.run("%pip uninstall -y tiny-thing")[0]
    assert "could not be had" in str(error_of(talk.run("%pip cache dir")[1]).text("message"))
    index.add("pip", {"pip/__init__.py": "", "pip/__main__.py": "print('pip here')\n"})
    assert talk.run("!pip --version")[0].endswith("pip here\n")


def test_what_only_pip_understands_is_left_to_it_and_said(
    start: Callable[..., Any], index: PackageIndex, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    talk = start()
    text, marks = talk.run(f"%pip install --prefix {tmp_path}/lib tiny-thing")
    assert "Using pip, not uv, because of --prefix.\n" in text
    assert not of_kind(marks, "error")
    talk.run("%env PIP_PREFER_BINARY=1")
    text, _ = talk.run("%pip install tiny-thing")
    assert "Using pip, not uv, because of pip's setting prefer-binary.\n" in text
    assert text.endswith("Successfully installed tiny-thing-1.0\n")
    assert index.programs() == {"pip"}


def test_a_stop_while_it_is_fetched_leaves_nothing(
    start: Callable[..., Any], index: PackageIndex, tmp_path: Path
) -> None:
    talk = start()
    before = sorted(site(tmp_path / "own").iterdir())
    index.flows.clear()
    talk.begin("pip install tiny-thing")
    until_now(lambda: any("/files/" in path for path, _ in index.asked))
    talk.process.send_signal(signal.SIGINT)
    _, marks = talk.read_until("idle")
    assert marks[-1].text("state") == "interrupted"
    assert sorted(site(tmp_path / "own").iterdir()) == before
    index.flows.set()
    assert "Successfully installed" in talk.run("pip install tiny-thing")[0]


def test_a_stop_while_it_is_written_comes_when_it_is_whole(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    """uv, killed there, leaves a package that it then neither repairs nor removes."""
    talk = start()
    place = site(tmp_path / "own")
    talk.begin("pip install tiny-thing")
    until_now(lambda: (place / "tiny_thing").exists())
    talk.process.send_signal(signal.SIGINT)
    talk.read_until("idle")
    assert (place / "tiny_thing-1.0.dist-info" / "RECORD").exists()
    assert len(list((place / "tiny_thing").iterdir())) == len(MANY) + 1


def test_without_a_network_it_takes_what_uv_has_or_says_so(
    start: Callable[..., Any], index: PackageIndex
) -> None:
    talk = start()
    talk.run("pip install tiny-thing")
    talk.run("pip uninstall -y tiny-thing")
    index.is_locked = True
    assert "passwords in variables of the environment" in talk.run("pip install third-thing")[0]
    index.stop()
    assert "Successfully installed" in talk.run("pip install tiny-thing")[0]
    text, marks = talk.run("pip install another-thing")
    assert "The package index cannot be reached." in text
    assert "were not installed" in str(error_of(marks).text("message"))


def test_without_a_network_in_the_sandbox_nothing_is_tried_again(
    start: Callable[..., Any], index: PackageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYHEAD_SANDBOX", "off")
    text, marks = start().run("%pip install tiny-thing")
    assert "network was disabled" in text
    assert error_of(marks).text("name") == "InstallError"
    assert "A person can allow 127.0.0.1" in error_of(marks).text("message")
    assert index.programs() == set()


def test_a_cut_installation_is_made_whole_and_a_wrong_name_is_said(
    start: Callable[..., Any], index: PackageIndex, tmp_path: Path
) -> None:
    """And a folder that code works in does not say where packages come from."""
    (tmp_path / "pyproject.toml").write_text('[tool.uv]\nindex-url = "http://127.0.0.1:9/x"\n')
    talk, place = start(), site(tmp_path / "own")
    assert "Successfully installed" in talk.run("pip install tiny-thing")[0]
    (place / "tiny_thing-1.0.dist-info" / "RECORD").unlink()
    (place / "tiny_thing" / "__init__.py").unlink()
    assert "Successfully installed" in talk.run("pip install tiny-thing")[0]
    assert talk.run("import tiny_thing; tiny_thing.answer")[0] == "42\n"
    text, marks = talk.run("pip install no-such-thing")
    assert "no-such-thing was not found in the package registry" in text
    assert of_kind(marks, "error")
    assert index.programs() == {"uv"}


@pytest.fixture
def pip_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The person's own file of pip, the only one."""
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "pip" / "pip.conf"
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(package_installer, "_system_folders", lambda program: [])
    return path


def for_uv(words: str) -> tuple[str, dict[str, str]]:
    arguments, variables = package_installer.for_uv(words.split(), package_installer.pip_settings())
    assert arguments[:2] == ["--project", sys.prefix]
    return " ".join(arguments[2:]), variables


def test_pips_file_variables_and_options_mean_to_uv_what_they_mean_to_pip(
    pip_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_file.write_text(
        "[global]\nindex-url = https://one.example/simple\nextra_index_url =\n  https://a.example\n"
        "  https://b.example\ntrusted-host = a.example\ncert = /etc/global.pem\nretries = 9\n"
        "[install]\ncert = /etc/install.pem\nproxy = http://proxy.example:3128\n"
    )
    monkeypatch.setenv("PIP_TIMEOUT", "77")
    arguments, variables = for_uv("pandas")
    assert arguments == (
        "--default-index https://one.example/simple --index https://a.example"
        " --index https://b.example --allow-insecure-host a.example pandas"
    )
    assert variables["SSL_CERT_FILE"] == "/etc/install.pem"
    assert variables["HTTPS_PROXY"] == variables["HTTP_PROXY"] == "http://proxy.example:3128"
    assert variables["UV_HTTP_TIMEOUT"] == "77"
    assert variables["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    arguments, variables = for_uv("-i https://two.example x --cert=/c.pem --progress-bar off -r r")
    assert arguments.startswith("--default-index https://two.example --index https://a.example")
    assert arguments.endswith(" x --requirement r")
    assert variables["SSL_CERT_FILE"] == "/c.pem"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (
            "-U flask>=2 rich[all]",
            "flask>=2 rich[all] --upgrade-package flask --upgrade-package rich",
        ),
        ("-U -r all.txt", "--upgrade --requirement all.txt"),
        ("--upgrade ./mine", "--upgrade ./mine"),
        ("--pre -q --no-cache-dir --no-deps x", "--pre --no-deps x"),
        ("--no-index -f /wheels x", "--no-index --find-links /wheels x"),
        ("-e . -c pins.txt", "--constraint pins.txt --editable ."),
    ],
)
@pytest.mark.usefixtures("pip_file")
def test_options_are_translated(words: str, meant: str) -> None:
    assert for_uv(words)[0] == meant


@pytest.mark.parametrize(
    ("words", "setting", "why"),
    [
        ("--user x", "", "--user"),
        ("-t lib x", "", "-t"),
        ("--global-option=x y", "", "--global-option"),
        ("x -r", "", "--requirement"),
        ("x", "no-binary = :all:", "pip's setting no-binary"),
        ("x", "keyring-provider = import", "pip's setting keyring-provider"),
        ("x", "no equals sign", "unreadable"),
    ],
)
def test_what_uv_cannot_do_is_named(pip_file: Path, words: str, setting: str, why: str) -> None:
    pip_file.write_text(f"[global]\n{setting}\n")
    with pytest.raises(package_installer.NotForUv, match=why.replace("unreadable", "pip.conf")):
        for_uv(words)


def test_what_is_set_for_uv_itself_is_stronger_than_pips_indexes(
    pip_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_file.write_text("[global]\nindex-url = https://of-pip.example\ncert = /etc/pip.pem\n")
    own = pip_file.parents[1] / "uv" / "uv.toml"
    own.parent.mkdir()
    own.write_text('[[index]]\nurl = "https://of-uv.example"\ndefault = true\n')
    arguments, variables = for_uv("x")
    assert arguments == "x"
    assert variables["SSL_CERT_FILE"] == "/etc/pip.pem"
    assert "UV_INDEX_STRATEGY" not in variables
    own.write_text("offline = true\n")
    assert for_uv("x")[0] == "--default-index https://of-pip.example x"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://of-uv.example")
    assert for_uv("x")[0] == "x"
