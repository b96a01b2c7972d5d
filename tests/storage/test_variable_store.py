"""Saved variables on the disk: what is used, what makes room, what a half-written save leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.saved_variables import Origin
from playhead.storage.variable_store import VariableStore


def _found(key: str, file: str = "one.values") -> dict[str, Any]:
    names = [{"name": "x", "type": "int", "verdict": "kept", "line": 1, "size": 9}]
    groups = [{"key": key, "names": ["x"], "file": file, "size": 9, "is_sealed": False}]
    return {"names": names, "groups": groups, "python": "cpython-311"}


def _take(
    store: VariableStore, conversation: str, content: bytes, key: str = "k", run_id: str = ""
) -> None:
    def fetch(name: str, target: Path, limit: int) -> bool:
        target.write_bytes(content)
        return len(content) <= limit

    store.take(conversation, _found(key), fetch, origin=Origin(id=run_id, place=run_id))


def test_a_conversation_reads_its_own_last_save(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first")
    _take(store, "a", b"second", key="other")
    found = VariableStore(tmp_path / "variables").read("a")
    assert found is not None
    assert [group.key for group in found.groups] == ["other"]
    assert store.read("b") is None
    blobs = [path for path in tmp_path.glob("variables/*/*") if "-" not in path.name]
    assert {path.read_bytes() for path in blobs} == {b"first", b"second"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("variables/*/*")} == {0o600}
    assert (tmp_path / "variables" / "key").stat().st_mode & 0o777 == 0o600
    store.delete("a")
    assert store.read("a") is None


def test_a_save_that_lacks_a_file_changes_nothing(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first")
    with pytest.raises(ValueError, match="no file of x"):
        store.take("a", _found("new"), lambda name, target, limit: False)
    found = store.read("a")
    assert found is not None
    folder = tmp_path / "kernel"
    folder.mkdir()
    plan, lost = store.lay_out(found, folder)
    assert (lost, store.write_plan(plan, folder) in os.listdir(folder)) == ([], True)
    assert (folder / "restored-0.values").read_bytes() == b"first"


def test_a_file_that_is_gone_is_written_again(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first")
    for path in tmp_path.glob("variables/*/[0-9a-f]*"):
        path.unlink()
    assert store.known("a", "") == ["k"]
    with pytest.raises(ValueError, match="no file of x"):
        store.take("a", _found("k", file=""), lambda *_: False)
    assert store.known("a", "") == []


def test_a_store_of_another_key_is_not_read(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first")
    (tmp_path / "variables" / "key").write_bytes(b"k" * 32)
    assert VariableStore(tmp_path / "variables").read("a") is None


def test_the_oldest_conversations_go_first_where_the_budget_ends(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables", budget=8_000)
    for age, conversation in enumerate(("new", "middle", "old")):
        _take(store, conversation, b"x" * 3_000)
        (one,) = tmp_path.glob(f"variables/{store._place(conversation).name}/checkpoint-*")
        os.utime(one, (10_000 - age, 10_000 - age))
    _take(store, "now", b"x" * 3_000)
    kept = {name for name in ("new", "middle", "old", "now") if store.read(name) is not None}
    assert kept == {"new", "now"}


def test_each_run_has_its_own_checkpoint_and_one_that_changes_nothing_is_small(
    tmp_path: Path,
) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first", "k1", "run 1")
    _take(store, "a", b"second", "k2", "run 2")
    last = store.read("a")
    assert last is not None
    store.put(replace(last, origin=Origin(id="run 3", before="run 2", place="run 3")))
    (path,) = tmp_path.glob("variables/*/checkpoint-3")
    assert path.stat().st_size < 500
    again = VariableStore(tmp_path / "variables")
    found = [again.find("a", run_id) for run_id in ("run 1", "run 2", "run 3", "run 4", "")]
    keys = [None if one is None else [group.key for group in one.groups] for one in found]
    assert keys == [["k1"], ["k2"], ["k2"], None, []]
    assert [origin.id for origin, _ in again.origins("a")] == ["run 1", "run 2", "run 3"]


def test_a_checkpoint_that_was_cut_off_leaves_the_one_before_it(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first", "k1", "run 1")
    _take(store, "a", b"second", "k2", "run 2")
    (path,) = tmp_path.glob("variables/*/checkpoint-2")
    path.write_bytes(path.read_bytes()[:-1])
    again = VariableStore(tmp_path / "variables")
    found = again.read("a")
    assert found is not None
    assert found.origin.id == "run 1"
    _take(again, "a", b"third", "k3", "run 3")  # and what belonged to it goes
    blobs = [path for path in tmp_path.glob("variables/*/*") if "-" not in path.name]
    assert {path.read_bytes() for path in blobs} == {b"first", b"third"}


def test_a_list_of_names_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    _take(store, "a", b"first", run_id="run 1")
    found = _found("k", file="")
    row = {**found["names"][0], "verdict": "source", "source": "x" * 8_000_000}
    found["names"] = [{**row, "name": name} for name in "wxyz"]
    with pytest.raises(OSError, match="too many variables"):
        store.take("a", found, lambda *_: False, origin=Origin(id="run 2", place="run 2"))
    for one in (store, VariableStore(tmp_path / "variables")):
        newest = one.read("a")
        assert newest is not None
        assert newest.origin.id == "run 1"
    _take(store, "a", b"second", key="other", run_id="run 3")
    assert [origin.id for origin, _ in store.origins("a")] == ["run 1", "run 3"]


def test_the_oldest_checkpoints_go_before_any_last_one(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables", budget=14_000)
    _take(store, "old", b"o" * 3_000, "k", "last of old")
    for number in range(4):
        _take(store, "a", b"%d" % number * 3_000, f"k{number}", f"run {number}")
    kept = [store.find("a", f"run {number}") is not None for number in range(4)]
    assert kept == [False, False, True, True]
    assert store.read("old") is not None
    names = {path.name for path in tmp_path.glob("variables/*/*")}
    assert len([name for name in names if "-" not in name]) == 3


def test_what_code_in_a_sandbox_has_saved_is_not_taken_for_another_kernels(
    tmp_path: Path,
) -> None:
    store = VariableStore(tmp_path / "variables")

    def fetch(name: str, target: Path, limit: int) -> bool:
        target.write_bytes(b"forged")
        return True

    store.take("a", _found("k"), fetch, bounds="folder off")
    assert store.known("a", "folder off") == ["k"]
    assert store.known("a", "") == []
    with pytest.raises(ValueError, match="no file of x"):
        store.take("a", _found("k", file=""), fetch, bounds="")
