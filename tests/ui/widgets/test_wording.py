"""Every text of the window goes through Qt's translation: in the source and on the screen."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from playhead.domain.conversation.payloads import Failure
from playhead.errors import AppError, phrase
from playhead.storage.history.row_codec import decode, encode
from playhead.ui.editor.code.editor_factory import plain_editor_reason
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import (
    folder_label,
    install_translation,
    mark,
    place_label,
    tr,
    tr_error,
    tr_n,
)
from tests.support.catalogue import WINDOW, all_texts, error_texts, errors_of
from tests.support.ports import coded, said
from tests.support.pseudo import pseudo, write_pseudo_language
from tests.support.source_tree import PACKAGE, module_paths, tree
from tests.support.waiting import until
from tests.support.window import opened

SHOWN_BY = (
    "QLabel QPushButton QAction QCheckBox QRadioButton QGroupBox QToolButton setText setToolTip "
    "setAccessibleName setAccessibleDescription setWindowTitle setPlaceholderText setStatusTip "
    "addAction addMenu addSection addTab setTabText setTabToolTip setTitle show_notice show_text "
    "BannerAction add_note setLabelText icon_spot setSuffix setPrefix"
)
NAMES = {"Playhead", "Aa", "JavaScript"}
"""What is called the same in every language."""
NOT_OURS = {
    "JetBrains Mono NL",
    "What's 34/24?",
    "No module named '([\\w.]+)'",
    "Traceback (most recent call last):",
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
}
"""Names, an example of code, and what Python says."""
SENTENCE = re.compile(r"[A-Z][a-z']+ \w")
WORD = re.compile(r"[^\W\d_]{2,}")
FILLED = {"tr", "tr_n", "phrase"}


@pytest.fixture(scope="module")
def catalogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the language lies that shows what is not translated."""
    folder = tmp_path_factory.mktemp("translations")
    write_pseudo_language(folder, "de")
    write_pseudo_language(folder, "ar")
    return folder


@pytest.fixture
def spoken(qapp: QApplication, catalogues: Path) -> Iterator[Path]:
    """The invented language, taken off again."""
    direction = qapp.layoutDirection()
    assert install_translation(qapp, catalogues, ["de"]) == "de"
    yield catalogues
    silence(qapp)
    qapp.setLayoutDirection(direction)


def silence(app: QApplication) -> None:
    for translator in app.findChildren(QTranslator):
        app.removeTranslator(translator)
        translator.deleteLater()


def modules() -> list[Path]:
    return sorted(WINDOW.rglob("*.py"))


def test_no_module_shows_a_text_without_translating_it() -> None:
    wrong = [
        f"{path.relative_to(WINDOW)}, {found}"
        for path in modules()
        for found in untranslated(tree(path))
    ]
    assert wrong == []


def test_a_sentence_that_is_a_constant_is_marked_for_the_translators() -> None:
    wrong = [
        f"{path.relative_to(WINDOW)}, {text!r}"
        for path in modules()
        for text in unmarked(tree(path))
        if text not in NOT_OURS
    ]
    assert wrong == []


def test_no_error_is_put_together_without_a_template() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path in module_paths()
        if "model_worker" not in path.parts  # a worker sends finished texts
        for text, line in errors_of(path)
        if text is None
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "error",
    [
        'StorageError(f"{path} is gone.")',
        'StorageError("It is gone.", detail="It was " + path)',
        'StorageError("It is gone.", remedy=f"Make {path}." if path else "")',
        'refused("It is gone: %s." % path)',
    ],
)
def test_an_error_that_is_put_together_is_found(error: str) -> None:
    source = f"def refused(title: str) -> StorageError: ...\ndef f(path):\n    raise {error}"
    found = [text for text, _ in error_texts(ast.parse(source), {"StorageError"})]
    assert None in found
    assert set(found) - {None, "It is gone."} == set()


def unmarked(module: ast.Module) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            calls = [one for one in ast.walk(node.value) if isinstance(one, ast.Call)]
            marked = {id(x) for one in calls if called(one) == "mark" for x in ast.walk(one)}
            for one in ast.walk(node.value):
                text = one.value if isinstance(one, ast.Constant) else None
                if isinstance(text, str) and id(one) not in marked and SENTENCE.match(text):
                    yield text


def untranslated(module: ast.Module) -> Iterator[str]:
    names = set(SHOWN_BY.split())
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and called(node) in names:
            for argument in node.args:
                for text in literals(argument):
                    words = re.sub(r"<[^>]*>", "", text)
                    if text not in NAMES and WORD.search(words) and is_shown(text):
                        yield f"line {node.lineno}: {text!r}"


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def literals(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, right=other):
            yield from literals(one)
            yield from literals(other)


def is_shown(text: str) -> bool:
    """Words for people; not the name of an icon, a colour or a shortcut, and no address."""
    return not text.startswith("http") and not re.fullmatch(
        r"[a-z0-9_.:-]+|((Ctrl|Alt|Shift)\+)+\S+|F\d+|Esc|Del", text
    )


def test_every_blank_of_a_text_is_filled() -> None:
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in module_paths()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and called(node) in FILLED and not is_filled(node)
    ]
    assert wrong == []


def is_filled(node: ast.Call) -> bool:
    given = {keyword.arg for keyword in node.keywords} - {"one", "about"}
    texts = list(literals(node.args[0]))
    if not given or not texts:
        return True
    return all(
        {name for _, name, _, _ in string.Formatter().parse(t) if name} == given for t in texts
    )


def test_english_needs_no_catalogue(qapp: QApplication) -> None:
    assert install_translation(qapp, Path("/nowhere"), ["en_GB", "de"]) == ""
    assert tr("Remove {name}", name="a {b}.csv") == "Remove a {b}.csv"
    assert mark("Save") == "Save" == tr("Save")
    assert tr("") == ""
    assert [tr_n("%n lines", n, one="1 line") for n in (0, 1, 2, 12_345)] == [
        "0 lines",
        "1 line",
        "2 lines",
        "12,345 lines",
    ]


def test_a_catalogue_has_every_text_and_each_number_its_form(spoken: Path) -> None:
    sources = {text.source for text in all_texts()}
    assert len(sources) > 500
    assert {"That version was deleted.", "{path} is not a folder.", "It is not TOML: {reason}."} < (
        sources
    )
    assert "The model fell silent." in sources
    assert "The key is missing or wrong" not in sources  # programs get it, never the window
    assert tr("Save") == "[Šåvé·]"
    assert tr_n("%n lines", 1, one="1 line") == "[1 ĺîñéš··]"


def test_a_language_that_is_not_there_leaves_the_window_in_english(
    qapp: QApplication, catalogues: Path
) -> None:
    assert install_translation(qapp, catalogues, ["fr_FR", "fr"]) == ""
    assert tr("Save") == "Save"


def in_the_own_language(text: str) -> bool:
    """Whether the English in a text stands in the brackets of the invented language."""
    inside = r"\[[^\[\]]*(\]|$)"  # a name may be a tip's beginning
    outside = re.sub(inside, "", re.sub(inside, "", text))
    return not WORD.search(outside)


def shown_texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """All that the widgets say, hidden ones too, but for what is the user's own."""
    for one in [root, *root.findChildren(QWidget)]:
        if isinstance(one, (QLabel, QAbstractButton)):
            yield one, one.text()
        if isinstance(one, (QLineEdit, QPlainTextEdit)):
            yield one, one.placeholderText()
        if isinstance(one, QComboBox) and not one.isEditable():
            yield from ((one, one.itemText(n)) for n in range(one.count()))
        yield one, one.toolTip()
        yield one, one.accessibleName()


def still_english(root: QWidget, known: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{type(one).__name__}: {text!r}"
        for one, text in shown_texts(root)
        if text not in NAMES and not in_the_own_language(without(text, known))
    ]


def without(text: str, known: tuple[str, ...]) -> str:
    for one in sorted(known, key=len, reverse=True):
        text = text.replace(one, "")
    return re.sub(r"\(((Ctrl|Alt|Shift)\+)*(\w+|\W)\)|<[^>]*>", "", text)


def clipped(root: QWidget) -> list[str]:
    """Labels and buttons whose words need more room than they have."""
    found: list[str] = []
    for one in root.findChildren(QWidget):
        if not one.isVisible() or not isinstance(one, (QLabel, QAbstractButton)) or not one.text():
            continue
        if isinstance(one, QLabel) and (one.wordWrap() or "Elided" in type(one).__name__):
            needed = one.heightForWidth(one.width()) if one.wordWrap() else 0
            if needed > one.height() + 1:
                found.append(f"{one.text()!r} is {one.height()} high, not {needed}")
        elif one.width() + 1 < one.minimumSizeHint().width():
            found.append(f"{one.text()!r} is {one.width()} wide, not {one.sizeHint().width()}")
    return found


FROM_THE_RIGHT = "The other editor cannot draw words that are written from right to left."
OWN = (
    "What's 34/24?",
    "!ls",
    "import sys; sys.version",
    "scratch",
    "Ollama",
    "llama3",
    "ollama_chat/llama3",
    "Python",
    "Playhead",
    "http://127.0.0.1:11434",
)


async def test_the_whole_window_speaks_the_language_and_has_room_for_it(
    spoken: Path, tmp_path: Path, theme: Theme
) -> None:
    code = "total = 34 / 24\nprint(total)"
    async with opened(theme, tmp_path, coded(code), said("**1.42**")) as bench:
        window = bench.window
        window.resize(1280, 800)
        paths = (str(path) for path in (tmp_path, Path.home(), Path.cwd().name))
        own = (*OWN, *paths, "harvest", "openai/test")
        assert still_english(window, own) == []
        assert clipped(window) == []
        bench.send("harvest")
        await bench.asked()
        bench.parts.approval.setFocus()
        assert still_english(window, own) == []
        assert clipped(window) == []


async def test_an_error_of_any_layer_is_shown_in_the_language(
    spoken: Path, tmp_path: Path, theme: Theme
) -> None:
    limit = AppError(
        phrase("Stopped after {steps} steps.", steps=8), remedy="Wait for it or stop it first."
    )
    async with opened(theme, tmp_path, [limit]) as bench:
        assert not bench.window.view.do(lambda session: session.set_folder("/not/here"))
        (banner,) = bench.parts.notifications.banners
        assert banner.words == (
            pseudo("{path} is not a folder.").format(path="/not/here"),
            pseudo("Choose another one."),
        )
        bench.send("harvest")
        await until(lambda: len(bench.provider.requests) == 1)
        await bench.rests()
        bench.parts.timeline.coalescer.flush_now()
        failed = bench.session.conversation.messages[-1].content
        assert isinstance(failed, Failure)
        assert failed.title == "Stopped after 8 steps."  # what is stored, and sent to programs
        stored = decode(*encode(failed))
        assert isinstance(stored, Failure)
        for one in (limit, stored):
            assert tr_error(one).title == pseudo("Stopped after {steps} steps.").format(steps=8)
            assert tr_error(one).remedy == pseudo("Wait for it or stop it first.")
        cards = bench.parts.timeline.canvas.sheet
        card = cards.card(len(bench.parts.timeline.model.rows) - 1)
        assert card.source() == f"{tr_error(stored).title}\n{tr_error(stored).remedy}"


@pytest.mark.parametrize("text", ["a\ud800b", "a\0b", "two\nlines", "{brace", "100 %n", ""])
def test_a_foreign_text_of_an_error_stays_as_it_is(spoken: Path, text: str) -> None:
    error = tr_error(AppError("Choose another one.", detail=text))
    assert (error.title, error.detail) == (pseudo("Choose another one."), text)


def test_a_text_of_an_error_is_one_line_that_can_be_printed() -> None:
    texts = [text for path in module_paths() for text, _ in errors_of(path) if text]
    assert [text for text in texts if not text.isprintable()] == []


async def test_a_language_from_the_right_mirrors_the_window_but_not_the_code(
    qapp: QApplication, catalogues: Path, tmp_path: Path, theme: Theme
) -> None:
    before = qapp.layoutDirection()
    try:
        assert install_translation(qapp, catalogues, ["ar"]) == "ar"
        async with opened(theme, tmp_path) as bench:
            parts = bench.parts
            sidebar, pane = parts.sidebar, parts.pane
            assert left_of(pane) < left_of(parts.timeline) < left_of(sidebar)
            assert not parts.timeline.isRightToLeft()
            assert not pane.editor.widget.isRightToLeft()
            assert plain_editor_reason() == pseudo(FROM_THE_RIGHT)
    finally:
        silence(qapp)
        qapp.setLayoutDirection(before)


def left_of(widget: QWidget) -> int:
    return widget.mapToGlobal(widget.rect().topLeft()).x()


async def test_the_hint_in_the_message_field_is_cut_where_it_would_need_a_second_line(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, coded("1")) as bench:
        field = bench.parts.composer.text_edit
        bench.send("go")
        await bench.asked()
        whole = field.placeholderText()
        assert whole.endswith("turn…")
        bench.window.resize(480, 600)
        await until(lambda: field.width() < 440)
        assert field.placeholderText() != whole
        assert field.placeholderText().endswith("…")
        bench.window.resize(1480, 940)
        await until(lambda: field.placeholderText() == whole)


def test_the_place_names_where_the_code_has_gone(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    folder = str(tmp_path / "work")
    assert place_label(folder, "") == "work"
    assert place_label(folder, f"{folder}/sub/deep") == "work/sub/deep"
    assert place_label(folder, "/srv/data") == "/srv/data"


def test_a_folder_with_a_date_is_named_by_its_title_in_a_narrow_place() -> None:
    assert folder_label("/d/2026-11-23 What's 34 24") == "What's 34 24"
    assert folder_label("/d/2026-11-23 How does 1000 at 4 % grow") == "How does 10…"
    assert folder_label("/work/data") == "data"
