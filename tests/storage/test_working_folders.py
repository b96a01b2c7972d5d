"""The folders of new conversations: proposed by title, made when code runs, never renamed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from playhead.errors import StorageError
from playhead.storage.working_folders import WorkingFolders


@pytest.fixture
def folders(tmp_path: Path) -> WorkingFolders:
    return WorkingFolders(tmp_path / "Documents" / "Playhead", tmp_path / "Playhead")


def test_a_folder_is_named_by_date_and_title_and_made_only_when_it_is_needed(
    folders: WorkingFolders, tmp_path: Path
) -> None:
    folder, problem = folders.propose("What's 34/24?")
    assert problem is None
    date, _, words = Path(folder).name.partition(" ")
    assert (len(date), words) == (10, "What's 34 24")
    assert Path(folder).parent == tmp_path / "Documents" / "Playhead"
    assert list(tmp_path.iterdir()) == []
    assert folders.make(folder)
    assert Path(folder).is_dir()


def test_two_conversations_of_one_title_have_a_folder_each(folders: WorkingFolders) -> None:
    first, _ = folders.propose("Sales")
    second, _ = folders.propose("Sales")
    assert second == f"{first} 2"


@pytest.mark.parametrize("title", ["", "../../etc", "a\x00b", "🎬" * 100, "CON", "x. ", "/"])
def test_any_title_makes_one_folder_below_the_base(folders: WorkingFolders, title: str) -> None:
    folder, _ = folders.propose(title)
    assert folders.make(folder)
    assert str(Path(folder).resolve().parent) == os.path.realpath(folders.base)


def test_no_other_folder_is_made(folders: WorkingFolders, tmp_path: Path) -> None:
    assert not folders.make(str(tmp_path / "project"))
    assert not folders.is_own(folders.base)
    assert not (tmp_path / "project").exists()


def test_where_documents_take_nothing_another_place_is_proposed_and_said(tmp_path: Path) -> None:
    documents = tmp_path / "Documents"
    documents.write_text("a file where the folder should be")
    folders = WorkingFolders(documents / "Playhead", tmp_path / "Playhead")
    folder, problem = folders.propose("Sales")
    assert Path(folder).parent == tmp_path / "Playhead"
    assert problem is not None
    assert str(documents) in problem.detail
    assert folder in problem.detail


@pytest.mark.skipif(sys.platform == "win32", reason="a file is in the way there, too")
def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path: Path) -> None:
    folders = WorkingFolders(tmp_path / "Documents" / "Playhead", tmp_path / "Playhead")
    folder, _ = folders.propose("Sales")
    (tmp_path / "Documents").write_text("meanwhile")
    with pytest.raises(StorageError) as caught:
        folders.make(folder)
    assert folder in caught.value.detail
