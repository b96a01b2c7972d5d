"""Environments with the recorded versions, from an index on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.checking.check_report import CheckReport
from playhead.checking.checker import Checker, CheckPlan
from playhead.checking.recorded_cells import recording_of
from playhead.errors import ExecutionError
from playhead.execution.environments.locked_environments import LockedEnvironments
from tests.support.kernels import executor
from tests.support.package_index import PackageIndex
from tests.support.recorded_exports import checker, exported, recorded

CELL = "import tinypack\ntinypack.value()"


async def last_of(checks: Checker, plan: CheckPlan) -> CheckReport:
    found = [step async for step in checks.check(plan)][-1]
    assert isinstance(found, CheckReport)
    return found


async def test_another_version_is_found_and_the_recorded_one_proves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = PackageIndex()
    index.add("tinypack", {"tinypack.py": "def value(): return 'one'\n"}, "1.0")
    index.add("tinypack", {"tinypack.py": "def value(): return 'two'\n"}, "2.0")
    environments = LockedEnvironments()
    with index.serving():
        monkeypatch.setenv("UV_DEFAULT_INDEX", index.url)
        monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
        folder = tmp_path / "work"
        folder.mkdir()
        versions = [("1.0", tmp_path / "one"), ("2.0", tmp_path / "two")]
        one, two = [
            (await environments.make(place, "", [f"tinypack {version}"], sys.executable)).path
            for version, place in versions
        ]
        async with executor(tmp_path) as made, checker(tmp_path, environments) as checks:
            conversation = await recorded(made, folder, [CELL], one)
            data = await exported(conversation, folder, "ipynb")
            recording = recording_of(data, "export.ipynb")
            assert recording.manifest.packages == ("tinypack 1.0",)
            plan = CheckPlan(recording=recording, folder=str(folder), interpreter=two)
            proved = await last_of(checks, plan)
            assert (proved.is_same, proved.environment) == (True, "locked")
            assert proved.packages == ("tinypack 1.0",)
            other = await last_of(checks, replace(plan, environment="present"))
            assert [(one.kind, one.name) for one in other.differences] == [
                ("package", "tinypack"),
                ("text", ""),
            ]
            assert other.differences[1].cause == "another version of tinypack"
            gone = replace(recording.manifest, packages=("tinypack 3.0",))
            unknown = replace(plan, recording=replace(recording, manifest=gone))
            with pytest.raises(ExecutionError, match="recorded packages could not be installed"):
                await last_of(checks, unknown)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache-2"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    with pytest.raises(ExecutionError, match="index cannot be reached"):
        await environments.make(tmp_path / "three", "", ["tinypack 1.0"], sys.executable)
