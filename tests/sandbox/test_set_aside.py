"""What a run in the sandbox leaves for other programs to run waits, until a person has decided."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import FileChanges
from playhead.domain.text.file_effects import limits_text
from playhead.domain.trust import Policy, Reach
from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from tests.support.kernels import request, run, text_of

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
INSIDE = Policy(files="folder", network="off")
CODE = """
from pathlib import Path
for name in (".vscode/tasks.json", ".github/workflows/x.yml", "Files.desktop", ".envrc",
             "sub/.git/hooks/post-checkout", "sub/.git/hooks/update.sample", "sub/.git/config",
             ".venv/bin/python", "conftest.py", "report.csv"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(name)
Path("renamed").rename("Start.desktop")
print("done")
"""
ASIDE = [
    ".envrc",
    ".github/workflows/x.yml",
    ".venv",
    ".vscode/tasks.json",
    "Files.desktop",
    "Start.desktop",
    "sub/.git/hooks/post-checkout",
]
"""All that other programs would run unasked."""


async def test_what_others_would_run_is_moved_away_and_kept_or_deleted(tmp_path: Path) -> None:
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")
    folder, data = tmp_path / "work", tmp_path / "data"
    folder.mkdir()
    (folder / "renamed").write_text("mine")
    files = FileWatch(data / "undo", data)
    sandbox = Sandbox(PrivatePlaces(home=str(tmp_path), homes=data / "homes", outside=(str(data),)))
    executor = ProcessExecutor(data / "output", sandbox=sandbox, files=files)
    try:
        chunks = await run(executor, replace(request(folder, CODE), policy=INSIDE))
        assert text_of(chunks) == "done\n"
        [changes] = [one.content for one in chunks if isinstance(one.content, FileChanges)]
        assert (changes.is_bounded, changes.conflicts, changes.note) == (True, (), "")
        assert sorted(one.path for one in changes.set_aside) == ASIDE
        assert not any((folder / path).exists() for path in ASIDE)
        assert not (folder / ".vscode").exists()
        created = {one.path: one.may_be_run for one in changes.created}
        assert created == {".github": False, "conftest.py": True, "report.csv": False}
        assert [(one.path, one.may_be_run) for one in changes.changed] == [("sub/.git", True)]
        assert [one.path for one in changes.deleted] == ["renamed"]

        for path in (".vscode/tasks.json", ".venv", "Start.desktop"):
            kept = await files.settle(str(folder), changes.id, path, is_kept=True)
            assert ([one.path for one in kept.created], kept.action) == ([path], "keep")
        assert (folder / ".venv/bin/python").read_text() == ".venv/bin/python"
        assert (folder / ".vscode/tasks.json").read_text() == ".vscode/tasks.json"
        (folder / ".envrc").write_text("mine")
        refused = await files.settle(str(folder), changes.id, ".envrc", is_kept=True)
        assert [one.reason for one in refused.conflicts] == ["changed"]
        gone = await files.settle(str(folder), changes.id, ".envrc", is_kept=False)
        assert ([one.path for one in gone.deleted], gone.action) == ([".envrc"], "delete")
        assert (folder / ".envrc").read_text() == "mine"

        undone = await files.undo(str(folder), changes.id)
        assert [one.path for one in undone.conflicts] == [".envrc"]
        assert sorted(one.name for one in folder.iterdir()) == [".envrc", ".venv", "renamed"]

        outside = await run(executor, replace(request(folder, CODE, "run-2"), policy=Policy()))
        [changes] = [one.content for one in outside if isinstance(one.content, FileChanges)]
        assert (changes.is_bounded, changes.set_aside) == (False, ())
        assert (folder / ".vscode/tasks.json").exists()
    finally:
        await executor.close()
        await files.close()


async def test_what_was_granted_to_be_changed_is_said_not_to_be_watched(tmp_path: Path) -> None:
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")
    folder, data, out = tmp_path / "work", tmp_path / "data", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    files = FileWatch(data / "undo", data)
    sandbox = Sandbox(PrivatePlaces(home=str(tmp_path), homes=data / "homes", outside=(str(data),)))
    executor = ProcessExecutor(data / "output", sandbox=sandbox, files=files)
    code = f"import os; os.mkdir('{out}/.vscode'); open('here', 'w').close()"
    try:
        await executor.set_reach("conversation", Reach(writable=(str(out),)))
        chunks = await run(executor, replace(request(folder, code), policy=INSIDE))
        [changes] = [one.content for one in chunks if isinstance(one.content, FileChanges)]
        assert [one.path for one in changes.created] == ["here"]
        assert limits_text(changes) == [
            f"It was also let change {out}: not watched, and not undone here."
        ]
    finally:
        await executor.close()
        await files.close()
    assert (out / ".vscode").exists()
