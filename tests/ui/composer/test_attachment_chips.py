"""What the model will see of an attachment is said before it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from playhead.domain.conversation.message import AttachedContent, Attachment
from playhead.domain.model import ModelFacts
from playhead.domain.settings import AppSettings
from playhead.ui.composer.attachment_chips import DOCUMENT_LIMIT_BYTES, AttachmentChip, note_for
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

SEES = ModelFacts(model="m", supports_images=True, takes_documents=True)
BLIND = ModelFacts(model="m", supports_images=False, takes_documents=False)
UNKNOWN = ModelFacts(model="m")


@pytest.mark.parametrize(
    ("path", "facts", "words"),
    [
        ("/a.png", BLIND, "cannot see"),
        ("/a.png", SEES, ""),
        ("/a.png", UNKNOWN, ""),
        ("/a.heic", BLIND, "cannot see"),
        ("/a.heic", SEES, "shown to the model"),
        ("/a.PDF", SEES, "read by the model"),
        ("/a.pdf", BLIND, "for code to open"),
        ("/a.pdf", UNKNOWN, "for code to open"),
        ("/a.xlsx", SEES, "for code to open"),
        ("/a.csv", SEES, ""),
        ("/a.csv", None, ""),
    ],
)
def test_each_kind_of_file_has_its_words(path: str, facts: ModelFacts | None, words: str):
    kind = "image" if path.endswith("png") else "file"
    note = note_for(Attachment(kind=kind, path=path, name=path[1:], size_bytes=10), facts)
    assert (note.words if note else "") == "" if not words else note and words in note.words


def test_a_document_comes_with_its_pages():
    pdf = Attachment(kind="file", path="/a.pdf", name="a.pdf", size_bytes=10)
    pages = AttachedContent(kind="pages", text="3 pages", rows=3)
    note = note_for(pdf, SEES, pages)
    assert note is not None
    assert note.words == "3 pages · read by the model"


def test_a_document_that_nobody_takes_is_a_warning():
    note = note_for(
        Attachment(kind="file", path="/a.pdf", name="a.pdf", size_bytes=DOCUMENT_LIMIT_BYTES + 1),
        SEES,
    )
    assert note is not None
    assert note.is_warning
    assert "too large" in note.words


def chip_of(bench: Bench) -> AttachmentChip:
    return next(iter(bench.window.findChildren(AttachmentChip)))


async def test_a_chip_follows_the_model_that_is_chosen(theme: Theme, tmp_path: Path):
    path = tmp_path / "photo.png"
    Image.new("RGB", (30, 20), "red").save(path)
    settings = AppSettings(model="openai/blind")
    async with opened(theme, tmp_path, settings=settings) as bench:
        bench.provider.known = [
            ModelFacts(model="openai/blind", supports_images=False),
            ModelFacts(model="openai/sees", supports_images=True),
        ]
        bench.parts.composer.attach_paths([str(path)])
        chip = chip_of(bench)
        await until(lambda: "cannot see" in chip.note.text())
        assert chip.note.isVisible()
        assert chip.note.property("kind") == "warn"
        assert "cannot see" in chip.remove.accessibleName()
        assert "path" in chip.toolTip()
        await bench.settings.save(AppSettings(model="openai/sees"))
        bench.window.show_place()
        await until(lambda: not chip.note.isVisible())
        await bench.settings.save(AppSettings(model=""))
        bench.window.show_place()
        assert chip.note.text() == ""


async def test_a_chip_says_before_sending_what_the_model_gets_of_tables_and_folders(
    theme: Theme, tmp_path: Path
):
    place = tmp_path / "given"
    place.mkdir()
    (place / "sums.csv").write_text("name,sum\n<b>a</b>,1\nb,2\n")
    settings = AppSettings(model="openai/sees")
    async with opened(theme, tmp_path, settings=settings) as bench:
        bench.parts.composer.attach_paths([str(place / "sums.csv")])
        bench.parts.composer.attach_paths([str(place)])
        table, folder = bench.window.findChildren(AttachmentChip)
        await until(lambda: table.note.text() == "the model gets 2 columns with types, 2 rows")
        await until(lambda: folder.note.text() == "the model gets the tree of 1 entry")
        given = table.remove.accessibleDescription()
        assert "name (text), sum (int)" in given
        assert "<b>a</b>,1" in given
        assert "&lt;b&gt;a&lt;/b&gt;,1" in table.toolTip()
        assert "sums.csv" in folder.toolTip()
