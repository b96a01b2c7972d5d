"""Packages of sandboxed code come into an environment from the index, never from the sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from playhead.domain.trust import LayerPackage
from playhead.errors import ExecutionError
from playhead.execution.environments.package_keeper import PackageKeeper
from tests.support.package_index import PackageIndex
from tests.support.package_layers import environment, has, layered

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the paths are of Linux")


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with PackageIndex().serving() as served:
        monkeypatch.setenv("PIP_INDEX_URL", served.url)
        yield served


async def test_what_is_installed_is_the_index_s_and_exactly_what_was_chosen(
    tmp_path: Path, index: PackageIndex
) -> None:
    folder, python = tmp_path / "work", environment(tmp_path / "env")
    folder.mkdir()
    index.add("tiny", {"tiny.py": "one = 1\n"}, needs="other")
    index.add("tiny", {"tiny.py": "one = 2 + 0\n"}, "2.0")
    index.add("other", {"other.py": "one = 3\n"})
    (folder / "sitecustomize.py").write_text("open('ran', 'w')")
    strange = ("-r 1.0", "x==1;y 1.0", "tiny @file:///x", "big 9.9")
    keeper = PackageKeeper(lambda folder: [*layered_words, *strange])
    layered_words = layered(tmp_path, folder, "tiny 1.0").packages(str(folder))
    assert layered_words == ["tiny 1.0"]
    offer = await keeper.offered(str(folder), str(python), (str(folder),))
    assert offer.packages == (LayerPackage("big", "9.9"), LayerPackage("tiny", "1.0"))
    with pytest.raises(ExecutionError, match="could not be installed"):
        await keeper.install(str(python), offer.packages, (str(folder),))
    await keeper.install(str(python), offer.packages[1:], (str(folder),))
    assert (has(python, "tiny"), has(python, "other")) == ("1", "ModuleNotFoundError")
    keeper = PackageKeeper(lambda folder: ["Tiny 1.0", "TINY 2.0"])
    offer = await keeper.offered(str(folder), str(python))
    assert offer.packages == (LayerPackage("TINY", "2.0", "1.0"),)
    await keeper.install(str(python), offer.packages)
    assert has(python, "tiny") == "2"
    assert (await keeper.offered(str(folder), str(python))).packages == ()
    assert not (folder / "ran").exists()


async def test_a_python_that_code_could_have_changed_is_not_started(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    for place in (folder, tmp_path / "granted"):
        program = place / ".venv" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        program.chmod(0o755)
    (tmp_path / "linked").symlink_to(folder / ".venv" / "bin")
    conda = tmp_path / "conda" / "bin" / "python"  # it has no pyvenv.cfg
    conda.parent.mkdir(parents=True)
    conda.write_bytes(program.read_bytes())
    conda.chmod(0o755)
    (tmp_path / "python").symlink_to(conda)
    own = environment(tmp_path / "env")
    keeper = PackageKeeper(lambda folder: ["tiny 1.0"])
    parts = str(tmp_path / "env" / "lib"), str(tmp_path / "conda" / "lib")
    within = (str(folder), str(tmp_path / "granted"), *parts)
    for python in (
        folder / ".venv/bin/python",
        tmp_path / "granted/.venv/bin/python",
        tmp_path / "linked" / "python",
        own,
        conda,
        tmp_path / "python",
    ):
        with pytest.raises(ExecutionError, match="a folder that code may change"):
            await keeper.offered(str(folder), str(python), within)
        with pytest.raises(ExecutionError, match="a folder that code may change"):
            await keeper.install(str(python), [LayerPackage("tiny", "1.0")], within)
    keeper = PackageKeeper(lambda folder: [], find_uv=lambda: str(program))  # nor such an installer
    with pytest.raises(ExecutionError, match="could not be installed"):
        await keeper.install(sys.executable, [LayerPackage("t", "0")], within)
    assert not (tmp_path / "ran").exists()
