"""Saved variables on the disk: what is used, what makes room, what a half-written save leaves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from playhead.storage.variable_store import VariableStore


def _found(key: str, file: str = "one.values") -> dict[str, Any]:
    names = [{"name": "x", "type": "int", "verdict": "kept", "line": 1, "size": 9}]
    groups = [{"key": key, "names": ["x"], "file": file, "size": 9, "is_sealed": False}]
    return {"names": names, "groups": groups, "python": "cpython-311"}


def _take(store: VariableStore, conversation: str, content: bytes, key: str = "k") -> None:
    def fetch(name: str, target: Path, limit: int) -> bool:
        target.write_bytes(content)
        return len(content) <= limit

    store.take(conversation, _found(key), fetch)


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
