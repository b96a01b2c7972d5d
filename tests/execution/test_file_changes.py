"""What a run did to the files of its folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.domain.conversation.payloads import FileChanges
from playhead.execution import file_changes
from playhead.execution.file_changes import Comparison, KnownTexts, Snapshot, diff_of
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import executor, report_of, request, run
from tests.support.waiting import LIMIT_S


def never() -> bool:
    return False


def changes_of(folder: Path, act: Callable[[], object]) -> FileChanges:
    """What a comparison says when `act` is all that happens in between."""
    texts = KnownTexts()
    before = file_changes.take(str(folder), "", never)
    texts.learn(str(folder), before, never)
    act()
    after = file_changes.take(str(folder), "", never)
    return Comparison(str(folder), before, after, texts).changes(never)


def test_created_changed_and_deleted_files_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("one\ntwo\n")
    (tmp_path / "gone.txt").write_text("bye\n")
    (tmp_path / "same.txt").write_text("same\n")

    def act() -> None:
        (tmp_path / "old.txt").write_text("one\nthree\n")
        (tmp_path / "gone.txt").unlink()
        (tmp_path / "deep").mkdir()
        (tmp_path / "deep" / "new.txt").write_text("hello\n")

    changes = changes_of(tmp_path, act)
    assert [change.path for change in changes.created] == ["deep/new.txt"]
    assert [change.path for change in changes.deleted] == ["gone.txt"]
    (changed,) = changes.changed
    assert (changed.path, changed.kind, changed.size_bytes) == ("old.txt", "text", 10)
    assert changed.diff.splitlines()[2:] == ["@@ -1,2 +1,2 @@", " one", "-two", "+three"]
    assert changes.created[0].diff.endswith("+hello")
    assert changes.deleted[0].diff.endswith("-bye")


def test_images_and_other_bytes_have_a_kind_and_no_diff(tmp_path: Path) -> None:
    def act() -> None:
        (tmp_path / "a.PNG").write_bytes(b"png")
        (tmp_path / "b.bin").write_bytes(b"\0\1")

    image, other = changes_of(tmp_path, act).created
    assert (image.kind, other.kind, image.diff, other.diff) == ("image", "other", "", "")


def test_a_text_of_the_same_length_is_changed_too(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    changes = changes_of(tmp_path, lambda: (tmp_path / "a").write_text("2"))
    assert "-1\n+2" in changes.changed[0].diff


def test_what_nobody_looks_at_is_said(tmp_path: Path) -> None:
    for name in (".git", "node_modules", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "own" / "pyvenv.cfg").touch()

    def act() -> None:
        for name in (".git", "node_modules", "own"):
            (tmp_path / name / "new").touch()
        (tmp_path / "new").touch()

    changes = changes_of(tmp_path, act)
    assert [change.path for change in changes.created] == ["new"]
    assert changes.note == "Not looked at: .git, node_modules, own."


def test_caches_of_libraries_are_no_results(tmp_path: Path) -> None:
    def act() -> None:
        for name in (".cache", ".matplotlib", "__pycache__", ".ipynb_checkpoints"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "kept").touch()
        (tmp_path / "result.csv").touch()

    assert [change.path for change in changes_of(tmp_path, act).created] == ["result.csv"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()

    def act() -> None:
        (folder / "link").symlink_to(tmp_path / "outside")
        (tmp_path / "outside" / "new").touch()
        os.mkfifo(folder / "pipe.txt")

    changes = changes_of(folder, act)
    assert [change.path for change in changes.created] == ["link", "pipe.txt"]
    assert all(change.diff == "" for change in changes.created)


def test_thousands_of_files_are_counted_not_listed(tmp_path: Path) -> None:
    def act() -> None:
        for number in range(250):
            (tmp_path / f"{number}.txt").touch()

    changes = changes_of(tmp_path, act)
    assert len(changes.created) == 200
    assert (changes.counts, changes.note) == ((250, 0, 0), "")


def test_a_long_diff_is_cut_and_a_huge_one_left_out() -> None:
    lines = "".join(f"{number}\n" for number in range(1000))
    diff = diff_of("a", "", lines)
    assert len(diff.splitlines()) == 401
    assert diff.endswith("more lines")
    huge = lines * 5
    assert diff_of("a", huge, huge + "x") == ""


def test_texts_are_known_only_for_the_state_they_had(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    texts = KnownTexts()
    before = file_changes.take(str(tmp_path), "", never)
    (tmp_path / "a").write_text("one and a half")
    texts.learn(str(tmp_path), before, never)
    assert texts.get("a", before.files["a"]) is None


def test_texts_have_a_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_changes, "ALL_TEXTS_LIMIT", 10)
    for number, name in enumerate("abc"):
        (tmp_path / name).write_text("12345")
        os.utime(tmp_path / name, (number, number))
    texts = KnownTexts()
    found = file_changes.take(str(tmp_path), "", never)
    texts.learn(str(tmp_path), found, never)
    assert [texts.get(name, found.files[name]) for name in "abc"] == [None, "12345", "12345"]
    for name in "abc":
        (tmp_path / name).unlink()
    (tmp_path / "d").write_text("1234567890")
    found = file_changes.take(str(tmp_path), "", never)
    texts.learn(str(tmp_path), found, never)
    assert texts.get("d", found.files["d"]) == "1234567890"


def test_too_many_files_are_no_whole_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_changes, "FILE_LIMIT", 3)
    for number in range(5):
        (tmp_path / str(number)).touch()
    assert not file_changes.take(str(tmp_path), "", never).is_whole
    assert not file_changes.take(str(tmp_path), "", lambda: True).is_whole


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No look takes too long, except where a test wants it to."""
    for name in ("BEFORE_LIMIT_S", "TEXTS_LIMIT_S", "AFTER_LIMIT_S"):
        monkeypatch.setattr(file_changes, name, LIMIT_S)


def files_of(chunks: list) -> FileChanges | None:  # type: ignore[type-arg]
    return next((c.content for c in chunks if isinstance(c.content, FileChanges)), None)


async def test_a_run_tells_what_it_changed_just_before_its_report(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("old\n")
    code = "open('notes.txt', 'w').write('new\\n')\nopen('plot.png', 'wb').write(b'png')"
    async with executor(tmp_path) as made:
        first = await run(made, request(tmp_path, code))
        second = await run(made, request(tmp_path, "print('nothing')"))
        third = await run(made, request(tmp_path, "open('notes.txt', 'a').write('more\\n')"))
    assert [chunk.type for chunk in first[-2:]] == ["files", "run"]
    changes = files_of(first)
    assert changes is not None
    assert changes.folder == str(tmp_path)
    assert [change.path for change in changes.created] == ["plot.png"]
    assert changes.changed[0].diff.endswith("-old\n+new")
    assert files_of(second) is None
    later = files_of(third)
    assert later is not None
    assert later.changed[0].diff.endswith(" new\n+more")


async def test_our_own_files_are_not_the_runs(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, "print('x' * 2_000_000)"))
    assert report_of(chunks).output_path is not None
    assert files_of(chunks) is None


async def test_our_data_below_the_working_folder_are_not_the_runs(tmp_path: Path) -> None:
    own = tmp_path / "data"
    own.mkdir()
    code = "open('data/history', 'w').write('1')\nopen('mine.txt', 'w').write('1')"
    made = ProcessExecutor(own / "outputs", own_dir=own)
    try:
        changes = files_of(await run(made, request(tmp_path, code)))
    finally:
        await made.close()
    assert changes is not None
    assert [change.path for change in changes.created] == ["mine.txt"]


def slow(folder: str, without: str, is_given_up: Callable[[], bool]) -> Snapshot:
    while not is_given_up():
        time.sleep(0.001)
    return Snapshot({}, is_whole=False)


async def test_what_takes_too_long_again_and_again_is_given_up_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_changes, "BEFORE_LIMIT_S", 0.01)
    monkeypatch.setattr(file_changes, "_LAST_MOMENT_S", 0.01)
    monkeypatch.setattr(file_changes, "take", slow)
    async with executor(tmp_path) as made:
        blocks = [request(tmp_path, f"open('{name}', 'w').close()") for name in "abcd"]
        said = [files_of(await run(made, block)) for block in blocks]
    notes = [changes.note if changes else "" for changes in said]
    assert "at this moment" in notes[0]
    assert notes[1] == notes[0]
    assert "nor will it be" in notes[2]
    assert notes[3] == ""


async def test_a_slow_moment_is_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = file_changes.FileWatch("")
    with monkeypatch.context() as patched:
        patched.setattr(file_changes, "BEFORE_LIMIT_S", 0.01)
        patched.setattr(file_changes, "_LAST_MOMENT_S", 0.01)
        patched.setattr(file_changes, "take", slow)
        look = watch.look(str(tmp_path))
        await look.before()
        missed = await look.after()
    assert missed is not None
    assert "at this moment" in missed.note
    look = watch.look(str(tmp_path))
    await look.before()
    (tmp_path / "new.txt").write_text("1")
    changes = await look.after()
    await watch.close()
    assert changes is not None
    assert [change.path for change in changes.created] == ["new.txt"]


async def test_too_many_files_are_given_up_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_changes, "FILE_LIMIT", 1)
    for name in "abc":
        (tmp_path / name).write_text(name)
    watch = file_changes.FileWatch("")
    notes: list[str] = []
    for _ in range(2):
        look = watch.look(str(tmp_path))
        await look.before()
        changes = await look.after()
        notes.append(changes.note if changes else "")
    await watch.close()
    assert "nor will it be" in notes[0]
    assert notes[1] == ""
