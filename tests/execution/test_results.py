"""What a kernel shows, true and forged."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Table
from playhead.execution import results
from playhead.execution.results import Results, Spool, table_of, variables_of
from tests.support.link_swapper import swapping


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    made = Spool(tmp_path / "spool")
    made.make()
    return made


@pytest.fixture
def shown(spool: Spool, tmp_path: Path) -> Results:
    return Results(spool, tmp_path, "run-1")


def put(spool: Spool, name: str, data: bytes) -> str:
    (spool.folder / name).write_bytes(data)
    return name


def texts(chunks: list[Chunk] | str) -> list[tuple[str, str | None, object]]:
    assert not isinstance(chunks, str)
    return [(chunk.type, chunk.format, chunk.content) for chunk in chunks]


def test_an_image_moves_to_the_output_folder(spool: Spool, shown: Results, tmp_path: Path) -> None:
    chunks = shown.take("png", put(spool, "7-1.png", b"PNG"))
    path = tmp_path / "run-1-7-1.png"
    assert texts(chunks)[1] == ("image", "path", str(path))
    assert path.read_bytes() == b"PNG"
    assert list(spool.folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["html", "javascript", "markdown", "latex"])
def test_markup_comes_as_its_text(spool: Spool, shown: Results, kind: str) -> None:
    chunks = shown.take(kind, put(spool, "a", "<b>ü</b>".encode()))
    assert texts(chunks) == [
        ("code", kind, None),
        ("code", kind, "<b>ü</b>"),
        ("code", kind, None),
    ]


def test_a_drawing_comes_as_an_image_of_text(spool: Spool, shown: Results) -> None:
    chunks = shown.take("svg", put(spool, "a.svg", b"<svg/>"))
    assert texts(chunks)[1] == ("image", "svg", "<svg/>")


def test_long_markup_comes_in_pieces_and_whole(spool: Spool, shown: Results) -> None:
    text = "".join(f"<p>{number}</p>" for number in range(50_000))
    chunks = shown.take("html", put(spool, "a.html", text.encode()))
    pieces = [content for _, _, content in texts(chunks) if content]
    assert len(pieces) > 1
    assert "".join(map(str, pieces)) == text


def test_markup_that_is_too_long_is_kept_as_a_file_and_said(
    spool: Spool, shown: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MARKUP_LIMIT", 10)
    note = shown.take("html", put(spool, "a.html", b"x" * 11))
    path = tmp_path / "run-1-a.html"
    assert note == f"[html of 11 bytes, too long to be shown: {path}]\n"
    assert path.read_bytes() == b"x" * 11


def test_a_table_is_one_value(spool: Spool, shown: Results) -> None:
    fields = {
        "columns": ["a", "b"],
        "dtypes": ["int64", "object"],
        "rows": [[1, "x"], [2.5, None]],
        "total_rows": 900,
        "total_columns": 7,
        "name": "df",
    }
    ((_, _, content),) = texts(
        shown.take("table", put(spool, "t.json", json.dumps(fields).encode()))
    )
    assert content == Table(
        columns=("a", "b"),
        dtypes=("int64", "object"),
        rows=((1, "x"), (2.5, None)),
        total_rows=900,
        total_columns=7,
        name="df",
    )


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"{}", b'{"columns": 3, "rows": []}', b"\xff", b"[" * 100_000]
)
def test_a_broken_table_shows_nothing(spool: Spool, shown: Results, data: bytes) -> None:
    assert shown.take("table", put(spool, "t.json", data)) == []


def test_a_table_of_the_wrong_shape_is_made_fit() -> None:
    table = table_of(
        {
            "columns": ["a", 5],
            "rows": [[1], "x", [1, 2, 3], [[1], 10**30], [float("nan"), True]],
            "total_rows": -1,
            "total_columns": 10**400,
        }
    )
    assert table == Table(
        columns=("a", ""),
        dtypes=("", ""),
        rows=((1, None), (None, None), (1, 2), ("[1]", str(10**30)), ("nan", True)),
        total_rows=5,
        total_columns=2,
    )


def test_variables_that_are_none_are_left_out() -> None:
    rows = [{"name": "x", "type": "int", "size_bytes": -4, "is_table": 1}, {"name": ""}, 7]
    (variable,) = variables_of({"variables": rows})
    assert (variable.name, variable.size_bytes, variable.is_table) == ("x", 0, False)
    assert variables_of({"variables": {}}) == []


@pytest.mark.parametrize("kind", ["png", "svg", "html", "table", "text"])
@pytest.mark.parametrize("name", ["../secret", "", ".", "..", "/etc/passwd", "nothing", "a\0b"])
def test_a_forged_name_gets_nowhere(shown: Results, tmp_path: Path, kind: str, name: str) -> None:
    (tmp_path / "secret").write_text("secret")
    assert not shown.take(kind, name)
    assert (tmp_path / "secret").read_text() == "secret"


@pytest.mark.parametrize("kind", ["png", "svg", "html", "table", "text"])
@pytest.mark.parametrize("trap", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_not_read(
    spool: Spool, shown: Results, tmp_path: Path, kind: str, trap: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    place = spool.folder / "trap"
    match trap:
        case "link":
            place.symlink_to(tmp_path / "secret")
        case "pipe":
            os.mkfifo(place)
        case _:
            place.mkdir()
    assert not shown.take(kind, "trap")
    assert (tmp_path / "secret").read_text() == "secret"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("run-1")]


def test_a_link_swapped_in_at_any_moment_leads_to_no_other_file(
    spool: Spool, tmp_path: Path
) -> None:
    """Neither in the place of a file nor of the whole folder; what it leads to stays there."""
    others = tmp_path / "others"
    others.mkdir()
    for name in ("1.png", "2"):
        (others / name).write_bytes(b"secret")
    target = tmp_path / "taken.png"
    taken = read = 0
    swapped = [(spool.folder / "1.png", others / "1.png"), (spool.folder / "2", others / "2")]
    with swapping([*swapped, (spool.folder, others)]):
        for rounds in range(20_000):
            if rounds >= 800 and min(taken, read) >= 50:
                break
            spool_put(spool, "1.png")
            spool_put(spool, "2")
            if spool.take("1.png", target, 100):
                assert not target.is_symlink()
                assert target.read_bytes() == b"own"
                target.unlink()
                taken += 1
            data = spool.read("2", 100)
            assert data in (None, b"own")
            read += data is not None
    assert not os.path.lexists(target)
    # What is put there may itself have met a link between the look and the write.
    assert {path.name.removesuffix(".new") for path in others.iterdir()} == {"1.png", "2"}
    assert min(taken, read) >= 50


def spool_put(spool: Spool, name: str) -> None:
    """Write a file of the kernel's own, wherever its folder is at the moment."""
    for folder in (spool.folder, Path(f"{spool.folder}.aside")):
        with suppress(OSError):
            path = folder / f"{name}.new"
            if not folder.is_symlink():
                path.write_bytes(b"own")
                path.replace(folder / name)
                return


def test_a_file_with_another_name_elsewhere_is_not_taken(
    spool: Spool, shown: Results, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("secret")
    os.link(tmp_path / "secret", spool.folder / "1.png")
    assert not shown.take("png", "1.png")


def test_an_image_that_is_too_large_is_dropped(
    spool: Spool, shown: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "IMAGE_LIMIT", 10)
    assert shown.take("png", put(spool, "a.png", b"x" * 11)) == []
    assert [path.name for path in tmp_path.iterdir()] == ["spool"]
