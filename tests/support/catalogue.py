"""`python -m tests.support.catalogue`: lists the window's texts for translators, compiles theirs.

Qt's own lister finds only what is called by Qt's own names, and takes no plural from Python.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

import PySide6

from playhead.ui.widgets.wording import CONTEXT

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "app" / "playhead"
WINDOW = PACKAGE / "ui"
WORDS = PACKAGE / "domain" / "text"
FOLDER = ROOT / "resources" / "translations"
_CALLS = {"tr", "tr_n", "mark"}


@dataclass(frozen=True, slots=True)
class Text:
    """One text of the window; `places` are where it stands."""

    source: str
    about: str
    places: tuple[str, ...]

    @property
    def is_plural(self) -> bool:
        """Whether it tells a number of things."""
        return "%n" in self.source


def main() -> int:
    """Write the list of English texts, and a .qm beside each translation."""
    write(FOLDER / "playhead.ts", all_texts(), {})
    for translated in sorted(FOLDER.glob("playhead_*.ts")):
        compile_catalogue(translated)
    return 0


def all_texts(folders: Sequence[Path] = (WINDOW, WORDS)) -> list[Text]:
    """Return every text in the folders' modules, in their order."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in (path for folder in folders for path in sorted(folder.rglob("*.py"))):
        for source, about in texts_in(ast.parse(path.read_text("utf-8"))):
            places = found.setdefault((source, about), [])
            place = path.relative_to(PACKAGE).as_posix()
            if place not in places:
                places.append(place)
    return [Text(source, about, tuple(places)) for (source, about), places in found.items()]


def texts_in(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Text and remark of each call of a module."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _CALLS:
                about = next((k.value for k in node.keywords if k.arg == "about"), None)
                for one in _literals(first):
                    yield one, next(_literals(about), "") if about else ""


def _literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)) if text:
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _literals(one)
            yield from _literals(other)


def write(
    path: Path, texts: Sequence[Text], said: dict[str, Sequence[str]], name: str = ""
) -> None:
    """A catalogue in Qt's format; `said` has the translations of a source, one for each number."""
    root = Xml.Element("TS", {"version": "2.1", "sourcelanguage": "en"})
    if name:
        root.set("language", name)
    context = Xml.SubElement(root, "context")
    Xml.SubElement(context, "name").text = CONTEXT
    for text in texts:
        extra = {"numerus": "yes"} if text.is_plural else {}
        message = Xml.SubElement(context, "message", extra)
        for place in text.places:
            Xml.SubElement(message, "location", filename=f"../../app/playhead/{place}")
        Xml.SubElement(message, "source").text = text.source
        if text.about:
            Xml.SubElement(message, "comment").text = text.about
        forms = said.get(text.source, ())
        translation = Xml.SubElement(
            message, "translation", {} if forms else {"type": "unfinished"}
        )
        if text.is_plural:
            for form in forms:
                Xml.SubElement(translation, "numerusform").text = form
        else:
            translation.text = "".join(forms[:1])
    Xml.indent(root)
    body = Xml.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', "utf-8")


def compile_catalogue(path: Path) -> Path:
    """The .qm of a catalogue, made by Qt's lrelease beside it."""
    made = path.with_suffix(".qm")
    tool = Path(PySide6.__file__).parent / "lrelease"
    subprocess.run([tool, "-silent", path, "-qm", made], check=True)
    return made


if __name__ == "__main__":
    sys.exit(main())
