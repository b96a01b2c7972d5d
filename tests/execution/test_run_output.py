from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.left_out import printed_lines, split_left_out
from playhead.domain.conversation.payloads import OutputTail
from playhead.execution.run_output import LIVE_LIMIT, TAIL_LIMIT, RunOutput, file_name


def test_short_output_is_shown_as_it_is_and_leaves_no_file(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt")
    assert output.add(b"hello\n") == "hello\n"
    assert output.close() == ""
    assert output.path is None
    assert list(tmp_path.iterdir()) == []


def test_long_output_shows_its_head_and_tail_and_keeps_all_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.txt"
    output = RunOutput(path, shown=1000)
    text = "".join(f"line {number}\n" for number in range(50_000))
    data = text.encode()
    shown = "".join(output.add(data[at : at + 777]) for at in range(0, len(data), 777))
    rest = output.close()
    assert shown == text[: text.rindex("\n", 0, 1000) + 1]
    before, left_out, tail = split_left_out(rest) or ("", 0, "")
    assert (before, left_out) == ("", 50_000 - shown.count("\n") - tail.count("\n"))
    assert text.endswith("\n" + tail)
    assert TAIL_LIMIT - 20 < len(tail) <= TAIL_LIMIT
    size = len(text) - len(shown) - len(tail)
    words = f"[… {left_out:,} lines ({size:,} bytes) not shown, whole output in {path}]\n"
    assert rest == words + tail
    assert path.read_text() == text
    assert output.path == str(path)


def test_while_it_goes_on_the_last_lines_are_shown_with_their_true_number(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=1000)
    shown = "".join(output.add(f"line {number}\n".encode()) for number in range(100_000))
    output.add(b"and so")
    assert output.has_news
    tail = output.tail()
    assert not output.has_news
    assert len(tail.text) <= LIVE_LIMIT
    first = shown.count("\n") + tail.lines
    told = [f"line {number}" for number in range(first, 100_000)]
    assert tail.text.split("\n") == [*told, "and so"]
    output.close()


def test_a_progress_bar_of_any_length_goes_on_in_its_line(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=1000)
    for number in range(20_000):
        output.add(f"\r{number:05} of 20000".encode())
    tail = output.tail()
    assert (tail.lines, tail.text[0]) == (0, "\r")
    assert tail.text.endswith("\r19999 of 20000")
    output.close()


def test_before_a_picture_the_tail_so_far_is_shown_and_then_that_of_what_follows(
    tmp_path: Path,
) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=100)
    for number in range(20_000):
        output.add(f"{number}\n".encode())
    first = output.settle()
    assert first.endswith("\n19999\n")
    assert "lines (" in first
    output.add(b"Which one? ")
    assert output.tail() == OutputTail(0, "Which one? ")
    assert output.settle() == "Which one? "
    for number in range(100_000):
        output.add(f"{number}\n".encode())
    _, left_out, last = split_left_out(output.close()) or ("", 0, "")
    assert left_out + last.count("\n") == 100_000


@given(
    lines=st.lists(st.text("ab\r é", max_size=30), max_size=60),
    size=st.integers(1, 50),
    shown=st.integers(0, 300),
)
def test_whatever_is_printed_all_lines_are_counted_and_none_is_cut(lines, size, shown) -> None:
    with TemporaryDirectory() as folder:
        output = RunOutput(Path(folder) / "run.txt", shown=shown, tail=100)
        text = "".join(f"{line}\n" for line in lines)
        data = text.encode()
        got = "".join(output.add(data[at : at + size]) for at in range(0, len(data), size))
        got += output.close()
    assert printed_lines(got) == len(lines)
    before, _, after = split_left_out(got) or (got, 0, "")
    assert text.startswith(before)
    assert text.endswith(after)
    assert {before[-1:], text[: len(text) - len(after)][-1:]} <= {"", "\n"}


def test_a_little_more_than_is_shown_loses_nothing(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=10)
    head = output.add(b"0123456789abc")
    assert head.startswith("0123456789")
    assert output.close() == "abc"


def test_over_its_limit_the_file_holds_head_and_tail_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.txt"
    output = RunOutput(path, shown=10, kept=100)
    data = "".join(f"{number:06}\n" for number in range(20_000)).encode()
    for at in range(0, len(data), 999):
        output.add(data[at : at + 999])
    assert f"head and tail of the output in {path}" in output.close()
    missing = len(data) - 100
    note = f"\n[… {missing:,} bytes are missing here: the limit of the settings …]\n"
    assert path.read_bytes() == data[:50] + note.encode() + data[-50:]


def test_output_of_just_the_limit_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    output = RunOutput(path, shown=10, kept=1000)
    data = bytes(range(97, 122)) * 40
    for at in range(0, len(data), 30):
        output.add(data[at : at + 30])
    assert output.close() == data[10:].decode()
    assert path.read_bytes() == data


def test_without_a_limit_all_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    output = RunOutput(path, shown=10, kept=0)
    for _ in range(100):
        output.add(b"x" * 100_000)
    output.close()
    assert path.stat().st_size == 10_000_000


def test_invalid_bytes_are_shown_and_kept_as_they_are(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=5)
    assert output.add(b"caf\xe9 ") == "caf\\xe9 "
    output.add(b"\xff!")
    assert output.close() == "\\xff!"
    assert (tmp_path / "run.txt").read_bytes() == b"caf\xe9 \xff!"


def test_a_letter_in_two_pieces_is_whole_and_one_cut_off_by_the_end_is_shown(
    tmp_path: Path,
) -> None:
    output = RunOutput(tmp_path / "run.txt")
    letter = "é".encode()
    assert output.add(letter[:1]) + output.add(letter[1:] + letter[:1]) == "é"
    assert output.close() == "\\xc3"


def test_no_letter_is_cut_where_the_head_ends_and_the_tail_begins(tmp_path: Path) -> None:
    output = RunOutput(tmp_path / "run.txt", shown=1001)
    data = "€".encode() * 60_000
    shown = "".join(output.add(data[at : at + 4096]) for at in range(0, len(data), 4096))
    assert "\\x" not in shown + output.close()


def test_a_disk_that_takes_nothing_does_not_stop_the_run(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("a file where a folder should be")
    output = RunOutput(tmp_path / "blocked" / "run.txt", shown=10)
    assert output.add(b"0123456789" + b"x" * 200_000).startswith("0123456789")
    assert "could not be kept" in output.close()
    assert output.path is None


def test_a_run_id_cannot_lead_out_of_the_folder() -> None:
    assert file_name("../../etc/passwd") == "______etc_passwd"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_disk_that_is_full_ends_no_run(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.symlink_to("/dev/full")
    output = RunOutput(path, shown=10)
    output.add(b"x" * (TAIL_LIMIT + 100))
    rest = output.close()
    assert "could not be kept: No space left on device" in rest
    assert output.path is None


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_does_not_matter_to_output_that_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.symlink_to("/dev/full")
    output = RunOutput(path)
    assert output.add(b"hello\n") == "hello\n"
    assert output.close() == ""
