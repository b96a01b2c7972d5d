"""What a model is given of tables and folders beside their paths."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from playhead.atomic_file import read_plain
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import AttachedContent
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import ModelFacts, ModelSettings
from playhead.model_worker.file_parts import FileError, file_bytes
from playhead.providers.attached_files import read_attached
from playhead.providers.request_writer import RequestWriter
from tests.support.link_swapper import swapping

TABLE = "name;born;height;member\n" + "".join(
    f'"Doe, {n}";2001-02-0{n};1.{n};true\n' for n in range(1, 8)
)


def test_a_table_is_given_with_its_columns_their_types_and_five_rows(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    content = read_attached(path)
    assert (content.kind, content.columns, content.rows) == ("table", 4, 5)
    assert content.text.splitlines() == [
        "4 columns: name (text), born (date), height (float), member (bool)",
        "The first 5 rows:",
        *TABLE.replace('"', "").splitlines()[1:6],
    ]


def test_only_the_head_of_a_large_table_is_read_and_long_cells_are_clipped(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("id,words\n")
        for number in range(300_000):
            file.write(f"{number},{'w' * 100}\n")
    content = read_attached(path)
    assert content.text.startswith("2 columns: id (int), words (text)")
    assert len(content.text) < 1_000


def test_what_is_no_table_and_what_has_no_end_gives_nothing(tmp_path: Path) -> None:
    for name, data in (("a.csv", b""), ("b.csv", b"a,b\0"), ("c.txt", b"a,b\n1,2\n")):
        (tmp_path / name).write_bytes(data)
        assert read_attached(tmp_path / name) == AttachedContent()
    os.mkfifo(tmp_path / "pipe.csv")
    assert read_attached(tmp_path / "pipe.csv") == AttachedContent()
    assert read_attached(tmp_path / "gone.csv") == AttachedContent()


@given(st.binary(max_size=2_000))
def test_any_bytes_are_read_without_an_error(tmp_path_factory, data: bytes) -> None:
    place = tmp_path_factory.mktemp("any")
    for name in ("any.csv", "any.pdf"):
        (place / name).write_bytes(data)
        assert len(read_attached(place / name).text) < 20_000


PAGES = b"<</Type/Pages /Kids[3 0 R 4 0 R]/Resources<</Font<</A 5 0 R>> >>/Count 12>>"
OUTLINES = b"1 0 obj<</Type/Outlines/Count 99>>endobj "


def test_a_pdf_is_given_with_the_number_of_its_pages_also_of_a_packed_list(tmp_path: Path) -> None:
    packed = b"7 0 obj<</Type/ObjStm/N 1/First 4>>stream\n" + zlib.compress(PAGES) + b"\nendstream"
    for name, body in (("plain.pdf", b"2 0 obj" + PAGES + b"endobj"), ("packed.pdf", packed)):
        (tmp_path / name).write_bytes(b"%PDF-1.7\n" + OUTLINES + body)
        content = read_attached(tmp_path / name)
        assert (content.kind, content.text, content.rows) == ("pages", "12 pages", 12)
    (tmp_path / "other.pdf").write_bytes(b"%PDF-1.7\n/Type/Pages << >> /Count")
    assert read_attached(tmp_path / "other.pdf") == AttachedContent()


def test_a_folder_is_given_as_a_tree_without_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "a.csv").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "read.me").write_text("")
    content = read_attached(tmp_path)
    assert content.text == "data/\n  raw/\n    a.csv\nread.me\nup"
    for number in range(200):
        (tmp_path / f"z{number}").write_text("")
    cut = read_attached(tmp_path)
    assert cut.is_cut
    assert cut.text.endswith("\n…")


async def test_the_model_is_sent_what_was_shown_and_earlier_messages_stay(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    shown = read_attached(path).text
    talk = Conversation()
    talk.apply(Chunk(role="user", type="file", format="path", content=str(path)))
    talk.apply(Chunk(role="user", type="message", content="Which is the tallest?"))
    request = TurnRequest(
        turn_id="t",
        conversation_id=talk.id,
        messages=tuple(talk.messages),
        model=ModelSettings(model="o/m"),
    )
    writer = RequestWriter()
    await writer.prepare(request)
    sent = writer.messages(request)[-1]["content"]
    assert sent.startswith(f"[Attached file: {path}]\n{shown}\n")
    path.write_text("other\n1\n")
    await writer.prepare(request)
    assert writer.messages(request)[-1]["content"] == sent
    fitted = writer.fitted(request, ModelFacts(model="o/m"))
    assert fitted.tokens > len(shown) // 5


def test_what_code_swaps_for_a_link_in_its_folder_is_not_read_for_the_model(
    tmp_path: Path,
) -> None:
    """A file or a folder on the way; a link that was there when the file was attached is none."""
    folder, others = tmp_path / "project", tmp_path / "others"
    for place, word in ((folder / "data", "own"), (others, "secret")):
        place.mkdir(parents=True)
        (place / "x.csv").write_text(f"{word},b\n1,2\n")
        (place / f"{word}.txt").touch()
    data, table = folder / "data", folder / "data" / "x.csv"
    own = 0
    with swapping([(table, others / "x.csv"), (data, others)]):
        for rounds in range(20_000):
            if rounds >= 500 and own >= 50:
                break
            texts = [read_attached(path, str(folder)).text for path in (table, data)]
            with suppress(OSError):
                texts.append((read_plain(table, 1_000, folder) or b"").decode())
            with suppress(FileError):
                texts.append(file_bytes(str(table), folder=str(folder)).decode())
            assert "secret" not in "".join(texts)
            own += any("own" in text for text in texts)
    assert own >= 50
    assert "secret" in read_attached(others / "x.csv", str(folder)).text
    (folder / "link.csv").symlink_to(others / "x.csv")
    assert read_attached(folder / "link.csv", str(folder)) == AttachedContent()
