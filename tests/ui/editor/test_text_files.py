"""Files are opened whatever their form, and saved as they were."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from playhead.ui.editor import text_files
from playhead.ui.editor.text_files import FileError, FileForm, read, write


@pytest.mark.parametrize(
    ("data", "text", "said"),
    [
        (b"a\nb\n", "a\nb\n", ""),
        (b"a\r\nb\r\n", "a\nb\n", "CRLF"),
        ("\ufeffä\n".encode(), "ä\n", "byte order mark"),
        ("\ufeffä\n".encode("utf-16-le"), "ä\n", "UTF-16"),
        ("\ufeffä\r\n".encode("utf-16-be"), "ä\n", "UTF-16"),
        (b"caf\xe9\n", "café\n", "Latin-1"),
        (b"", "", ""),
        (b"\x1b[1mcolour\x1b[0m\n", "\x1b[1mcolour\x1b[0m\n", ""),
    ],
)
def test_a_file_is_read_and_saved_back_as_it_was(
    tmp_path: Path, data: bytes, text: str, said: str
) -> None:
    path = tmp_path / "a file.txt"
    path.write_bytes(data)
    found = read(str(path))
    assert found.text == text
    assert said in found.note
    assert bool(found.note) == bool(said)
    write(found.form, found.text)
    assert path.read_bytes() == data


def test_mixed_line_ends_are_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\nb\r\nc\n")
    found = read(str(path))
    assert "mixed" in found.note
    assert found.form.line_end == "\r\n"


def test_binary_files_large_ones_and_none_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(FileError, match="cannot be opened") as refusal:
        read(str(path))
    assert "binary" in refusal.value.detail
    with pytest.raises(FileError, match="cannot be opened"):
        read(str(tmp_path / "none"))
    monkeypatch.setattr(text_files, "LARGEST_BYTES", 3)
    with pytest.raises(FileError, match="cannot be opened"):
        read(str(path))


def test_a_text_that_the_encoding_cannot_hold_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"caf\xe9")
    form = read(str(path)).form
    with pytest.raises(FileError, match="cannot hold"):
        write(form, "日本")
    assert path.read_bytes() == b"caf\xe9"


def test_saving_keeps_links_and_permissions_and_leaves_nothing_behind(tmp_path: Path) -> None:
    target, link = tmp_path / "target.sh", tmp_path / "link.sh"
    target.write_text("echo 1\n")
    target.chmod(0o750)
    link.symlink_to(target)
    write(read(str(link)).form, "echo 2\n")
    assert link.is_symlink()
    assert target.read_text() == "echo 2\n"
    assert target.stat().st_mode & 0o777 == 0o750
    assert sorted(os.listdir(tmp_path)) == ["link.sh", "target.sh"]


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be saved"):
        write(FileForm(path=str(tmp_path / "gone" / "a.txt")), "x")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "notes.txt")
    with pytest.raises(FileError, match="cannot be opened"):
        read(str(tmp_path / "notes.txt"))
