import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import (
    CodeError,
    FileChange,
    FileChanges,
    Frame,
    RunReport,
    Table,
)
from playhead.ui.timeline.cards.input_line import SendLine
from playhead.ui.widgets.wording import format_size

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
DIFF = "--- a/notes.md\n+++ b/notes.md\n@@ -1 +1,2 @@\n-old\n+new\n+more\n"


def table(rows=200, total=12_000, columns=3, name="df"):
    names = ("region", "units", "share", *(f"more {n}" for n in range(columns - 3)))[:columns]
    cells = (("North", 7, 0.5, *[1] * (columns - 3))[:columns] for _ in range(rows - 1))
    return Table(
        columns=names,
        dtypes=("object", "int64", "float64"),
        rows=(*cells, ("East", 1, None, *[2] * (columns - 3))),
        total_rows=total,
        total_columns=columns,
        name=name,
    )


def show(talk, kind, content, form=None):
    return talk.apply(Chunk(role="computer", type=kind, format=form, content=content))


def spot(view, tip, row=-1):
    """Where a button whose name begins so is on the screen."""
    index = view.canvas.visible_rows()[row] if row < 0 else row
    for one in view.canvas.sheet.card(index).spots(True):
        if one.tip.startswith(tip):
            return one.rect.translated(view.canvas.card_rect(index).topLeft())
    raise AssertionError(f"no {tip}")


def click(qtbot, view, tip, row=-1):
    point = spot(view, tip, row).center()
    qtbot.mouseMove(view.viewport(), point)
    qtbot.mouseClick(view.viewport(), LEFT, NONE, point)


def has_spot(view, tip, row=0):
    return any(one.tip.startswith(tip) for one in view.canvas.sheet.card(row).spots(True))


def test_a_table_shows_its_first_rows_and_all_when_it_is_opened(view, talk, qtbot, painted):
    show(talk, "table", table())
    view.set_conversation(talk)
    painted()
    folded = view.canvas.sheet.height
    assert folded < 450
    click(qtbot, view, "Show 200 rows")
    assert view.canvas.sheet.height > 200 * 24
    painted()


def test_the_head_of_a_long_table_stays_in_sight_while_it_is_scrolled(view, talk, qtbot, painted):
    show(talk, "table", table(total=200))
    view.set_conversation(talk)
    click(qtbot, view, "Show 200 rows")
    view.canvas.scroll_to(2_000)
    painted()
    assert spot(view, "units").top() < 60
    first = view.viewport().grab(QRect(0, 0, view.width(), 60)).toImage()
    view.canvas.scroll_by(260)
    painted()
    again = view.viewport().grab(QRect(0, 0, view.width(), 60)).toImage()
    assert first.copy(30, 40, 400, 20) == again.copy(30, 40, 400, 20)
    click(qtbot, view, "units")
    assert view.canvas.sheet.card(0).as_text("\t").split("\n")[1].startswith("East")


def test_a_click_on_a_head_sorts_rising_then_falling_then_not(view, talk, qtbot, painted):
    show(talk, "table", table(4, 4))
    view.set_conversation(talk)
    painted()

    def regions():
        return [
            line.split(",")[0] for line in view.canvas.sheet.card(0).as_text(",").split("\n")[1:-1]
        ]

    own = regions()
    click(qtbot, view, "region")
    assert regions() == ["East", "North", "North", "North"]
    click(qtbot, view, "region")
    assert regions() == ["North", "North", "North", "East"]
    click(qtbot, view, "region")
    assert regions() == own


def test_columns_that_have_room_are_told_of_all_that_the_frame_has(view, talk, painted):
    wide = table(3, 3, columns=40)
    wide = Table(
        columns=wide.columns, dtypes=wide.dtypes, rows=wide.rows, total_rows=3, total_columns=900
    )
    show(talk, "table", wide)
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.card(0).size_words().endswith(" of 900")


def test_columns_without_room_are_one_click_away(view, talk, qtbot, painted):
    show(talk, "table", table(3, 3, columns=40))
    view.set_conversation(talk)
    painted()
    assert not has_spot(view, "more 30")
    for _ in range(8):
        if not has_spot(view, "More columns"):
            break
        click(qtbot, view, "More columns")
        painted()
    assert has_spot(view, "more 36")
    click(qtbot, view, "Columns before")
    assert has_spot(view, "More columns")


def test_all_rows_are_one_click_away_where_the_kernel_can_give_them(view, talk, qtbot, painted):
    shown = show(talk, "table", replace(table(name=""), key="shown-1"))
    show(talk, "table", table(name=""))
    view.set_conversation(talk)
    painted()
    wanted = []
    view.result_requested.connect(lambda *what: wanted.append(what))
    click(qtbot, view, "Open all 12,000 rows", 0)
    assert [what[:2] for what in wanted] == [("table", shown)]
    assert not has_spot(view, "Open all", 1)


def test_a_table_without_rows_is_its_head(view, talk, painted):
    show(
        talk,
        "table",
        Table(
            columns=("a", "b"), dtypes=("object", "object"), rows=(), total_rows=0, total_columns=2
        ),
    )
    show(
        talk,
        "table",
        Table(columns=("",), dtypes=("category",), rows=(), total_rows=0, total_columns=1),
    )
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.card(0).size_words() == "0 rows · 2 columns"
    assert has_spot(view, "a ·")
    assert view.canvas.sheet.card(0).frame_height() > 80


def test_a_million_cells_are_shown_by_drawing_those_that_are_seen(view, talk, painted):
    rows = tuple(tuple(range(100)) for _ in range(10_000))
    names = tuple(f"c{n}" for n in range(100))
    show(
        talk,
        "table",
        Table(columns=names, dtypes=(), rows=rows, total_rows=10_000, total_columns=100),
    )
    view.set_conversation(talk)
    card = view.canvas.sheet.card(0)
    view.canvas.sheet.rows[0].is_open = True
    view.canvas.row_changed(view.canvas.sheet.rows[0].key)
    view.canvas.scroll_to(100_000)
    texts = []
    for column in card._columns:
        shown = column.text
        column.text = lambda cell, shown=shown: texts.append(cell) or shown(cell)
    painted()
    assert 0 < len(texts) < 600


def test_what_can_be_done_with_a_table_is_told(view, talk, qtbot, painted):
    key = show(talk, "table", table())
    view.set_conversation(talk)
    painted()
    told = []
    view.result_requested.connect(lambda *what: told.append(what[:2]))
    for tip in ("Save as", "Open the table"):
        click(qtbot, view, tip)
    assert told == [("save", key), ("table", key)]


def test_a_table_is_copied_as_it_is_shown(view, talk, qtbot, painted):
    show(talk, "table", table(3, 3))
    view.set_conversation(talk)
    painted()
    click(qtbot, view, "region")
    click(qtbot, view, "Copy table")
    clipboard = QGuiApplication.clipboard()
    assert clipboard.text() == "region\tunits\tshare\nEast\t1\t\n" + "North\t7\t0.5\n" * 2
    menu = view._pointer.menu_at(view.canvas.card_rect(0).center())
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy as CSV"].trigger()
    assert clipboard.text().startswith("region,units,share\nEast,1,\n")


def test_a_large_table_is_not_copied_within_the_frame(view, talk, qtbot, painted):
    key = show(talk, "table", table(9_000, 9_000))
    view.set_conversation(talk)
    painted()
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Copy table")
    assert asked.args[:2] == ["copy_table", key]


@pytest.mark.parametrize(
    "odd",
    [
        Table(columns=(), dtypes=(), rows=(), total_rows=0),
        Table(columns=("a",), dtypes=(), rows=(), total_rows=0),
        Table(columns=("a", "a"), dtypes=("x",), rows=((None, "\ud800"),), total_rows=1),
        Table(columns=("x" * 5_000,), dtypes=("",), rows=(("y" * 50_000,),), total_rows=1),
        Table(columns=("n",), dtypes=("int64",), rows=((10**400,),), total_rows=1),
    ],
)
def test_odd_tables_are_drawn(view, talk, painted, odd):
    show(talk, "table", odd)
    view.set_conversation(talk)
    painted()
    view.resize(280, 300)
    painted()
    assert view.canvas.sheet.height > 60


def test_a_frame_is_not_said_twice(view, talk):
    talk.code("df")
    talk.report(RunReport(state="started"))
    printed = "  region  units  share\n0  North      7    0.5\n"
    talk.output(f"total 3\n{printed}")
    show(talk, "table", replace(table(1, 1), text=printed.rstrip("\n")))
    view.set_conversation(talk)
    assert view.canvas.sheet.card(1).source() == "total 3"


def test_files_are_listed_with_what_happened_to_them(view, talk, qtbot, painted, tmp_path):
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    picture.fill(0xFF3B5BDB)
    picture.save(str(tmp_path / "plot.png"))
    changes = FileChanges(
        folder=str(tmp_path),
        created=(FileChange(path="plot.png", size_bytes=900, kind="image"),),
        changed=(FileChange(path="notes.md", size_bytes=20, kind="text", diff=DIFF),),
        deleted=(FileChange(path="old.txt", size_bytes=10, kind="text"),),
        note="node_modules was not looked at.",
    )
    show(talk, "files", changes)
    view.set_conversation(talk)
    painted()
    card = view.canvas.sheet.card(0)
    assert card.summary() == "1 created · 1 changed · 1 deleted"
    assert not has_spot(view, "Open old.txt")
    closed = view.canvas.sheet.height
    click(qtbot, view, "Show what changed in notes.md")
    painted()
    assert view.canvas.sheet.height > closed + 60
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Open plot.png")
    assert asked.args[2] == "plot.png"
    blue = view.canvas.card_rect(0).topLeft() + QPoint(62, 67)
    qtbot.waitUntil(lambda: view.grab().toImage().pixelColor(blue).name() == "#3b5bdb")
    click(qtbot, view, "Hide what changed in notes.md")
    assert view.canvas.sheet.height == closed


def test_a_file_cannot_hide_its_name(view, talk, painted):
    names = ("rtl\u202egnp.exe", "two\nlines.txt", "\udcff.txt", "Foto 1\u202fAM é.txt")
    show(
        talk,
        "files",
        FileChanges(folder="/x", created=tuple(FileChange(path=name) for name in names)),
    )
    view.set_conversation(talk)
    painted()
    for name in ("rtl�gnp.exe", "two�lines.txt", "�.txt", names[3]):
        assert has_spot(view, f"Open {name}")


@pytest.mark.parametrize(("size", "words"), [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes")])
def test_one_byte_is_no_bytes(size, words):
    assert format_size(size) == words


def test_of_many_files_the_first_are_shown(view, talk, qtbot, painted):
    show(
        talk,
        "files",
        FileChanges(
            folder="/x", created=tuple(FileChange(path=f"f{n}.bin") for n in range(10_000))
        ),
    )
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.height < 400
    click(qtbot, view, "Show 500 files")
    assert view.canvas.sheet.height > 500 * 28
    painted()
    card = view.canvas.sheet.card(0)
    assert card.summary() == "10,000 created"
    assert card.notes() == ["9,500 more are not listed."]
    assert len(card.source().split("\n")) == 10_000


def test_files_that_are_not_listed_are_counted_in_the_head(view, talk, qtbot, painted):
    listed = tuple(FileChange(path=f"f{number}.bin") for number in range(200))
    show(
        talk,
        "files",
        FileChanges(folder="/x", created=listed, changed=listed[:1], created_total=12_345),
    )
    view.set_conversation(talk)
    painted()
    card = view.canvas.sheet.card(0)
    assert card.summary() == "12,345 created · 1 changed"
    click(qtbot, view, "Show 201 files")
    painted()
    assert card.notes() == ["12,145 more are not listed."]


def test_a_page_shows_no_more_than_its_name_until_its_source_is_asked_for(
    view, talk, qtbot, painted
):
    key = talk.say("computer", "code", "<script>alert(1)</script>\n" * 50, "html")
    view.set_conversation(talk)
    painted()
    made = view.maker.made
    closed = view.canvas.sheet.height
    with qtbot.waitSignal(view.result_requested) as asked:
        click(qtbot, view, "Your browser")
    assert asked.args == ["page", key, key]
    assert view.maker.made == made
    click(qtbot, view, "Show the source")
    assert view.canvas.sheet.height > closed + 300
    click(qtbot, view, "Hide the source")
    assert view.canvas.sheet.height == closed


def test_a_script_is_shown_and_cannot_be_opened(view, talk, painted):
    talk.say("computer", "code", "alert(1)", "javascript")
    view.set_conversation(talk)
    painted()
    assert not has_spot(view, "Your browser")
    assert has_spot(view, "Show the source")


def test_markdown_of_the_code_is_set_as_prose_in_a_frame(view, talk, painted):
    talk.say("computer", "code", "# Title\n\n> quoted", "markdown")
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.rows[0].kind == "rendered"
    view.canvas.select_all()
    assert "Title" in view.canvas.selected_text()


def test_a_drawing_is_drawn_and_a_refused_one_says_why(view, talk, qtbot, painted):
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">'
    talk.say("computer", "image", head + '<rect width="200" height="100" fill="#3B5BDB"/></svg>',
             "svg")  # fmt: skip
    talk.say("computer", "image", head + '<image href="file:///etc/passwd"/></svg>', "svg")
    view.set_conversation(talk)
    qtbot.waitUntil(lambda: view.canvas.sheet.bottom_of(1) - view.canvas.sheet.top_of(1) == 56)
    view.canvas.scroll_to(0)
    middle = view.canvas.card_rect(0).center()
    qtbot.waitUntil(lambda: view.grab().toImage().pixelColor(middle).name() == "#3b5bdb")


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        ("$\\displaystyle x^{2}$", "$$\\displaystyle x^{2}$$"),
        ("$$x$$", "$$x$$"),
        ("\\begin{equation*}\n\nx = 1\n\\end{equation*}", "$$x = 1$$"),
        ("\\begin{align}x &= 1\\end{align}", "$$\\begin{aligned}x &= 1\\end{aligned}$$"),
        ("\\frac{1}{2}", "$$\\frac{1}{2}$$"),
        ("It is $x$ here.", "It is $x$ here."),
    ],
)
def test_a_result_in_latex_is_typeset_and_copied_as_it_was(view, talk, painted, latex, shown):
    show(talk, "code", latex, "latex")
    view.set_conversation(talk)
    painted()
    [row] = view.canvas.sheet.rows
    assert (row.kind, row.text) == ("rendered", shown)
    spots = view.canvas.sheet.card(0).spots(True)
    assert [spot.intent.text for spot in spots if spot.tip == "Copy LaTeX"] == [latex]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_beside_a_picture_is_its_own_ground_or_a_neutral_one(view, talk, qtbot, tmp_path, mode):
    view.theme.set_mode(mode)
    grounds = {"#c81e1e": view.theme.tokens.code_bg, "#eaeaf2": "#eaeaf2", "#00000000": "#ffffff"}
    for number, colour in enumerate(grounds):
        image = QImage(200, 60, QImage.Format.Format_ARGB32)
        image.fill(QColor(f"#00{colour[3:]}" if len(colour) > 7 else colour))
        image.save(str(tmp_path / f"{number}.png"))
        talk.say("computer", "image", str(tmp_path / f"{number}.png"), "path")
    view.set_conversation(talk)
    for number, ground in enumerate(grounds.values()):
        qtbot.waitUntil(lambda n=number: view.canvas.card_rect(n).height() == 62)
        view.canvas.scroll_to(0)
        place = view.canvas.card_rect(number).center() - QPoint(250, 0)
        assert view.grab().toImage().pixelColor(place).name() == ground.lower()


def test_a_result_that_is_not_known_is_one_quiet_line(view, talk, painted):
    show(talk, "hologram", "x")
    show(talk, "table", "no table")
    show(talk, "image", "x", "jpeg-xl")
    view.set_conversation(talk)
    painted()
    assert [row.kind for row in view.canvas.sheet.rows] == ["unknown"] * 3
    assert "hologram" in view.canvas.sheet.rows[0].text


def test_an_error_is_said_once_and_its_traceback_on_demand(view, talk, qtbot, painted):
    talk.code("1/0")
    talk.report(RunReport(state="started"))
    trace = 'Traceback (most recent call last):\n  File "<block 1>", line 3, in <module>\n    1/0\n'
    printed = f"{trace}ZeroDivisionError: division by zero\n"
    talk.output(f"before\n{printed}")
    frames = (Frame("", 3, "<module>"), Frame("/x/helper.py", 12, "f"))
    show(
        talk,
        "error",
        CodeError(
            name="ZeroDivisionError",
            message="division by zero",
            frames=frames,
            printed=len(printed),
        ),
    )
    view.set_conversation(talk)
    painted()
    console, problem = view.canvas.sheet.card(1), view.canvas.sheet.card(2)
    assert console.source() == "before"
    assert problem.title() == "ZeroDivisionError: division by zero"
    assert problem.where() == "line 3 → line 12 of helper.py, in f"
    closed = view.canvas.sheet.height
    click(qtbot, view, "Show traceback")
    assert view.canvas.sheet.height > closed + 40
    click(qtbot, view, "Copy traceback")
    copied = QGuiApplication.clipboard().text()
    assert copied == f"{trace}ZeroDivisionError: division by zero"


def test_a_long_error_leaves_room_for_the_button_beside_it(view, talk, painted):
    talk.code("1/0")
    talk.report(RunReport(state="started"))
    talk.output(printed := "Traceback\nValueError: many words\n")
    for words in ("many words " * 40, "W" * 300):
        error = CodeError(name="ValueError", message=words, printed=len(printed))
        show(talk, "error", error)
    view.set_conversation(talk)
    painted()
    card = view.canvas.sheet.card(2)
    [copy] = [one for one in card.spots(True) if one.tip == "Copy traceback"]
    card.text_box()  # lays the title out
    assert card._title_column.height > 40  # it has several lines
    assert 40 + card._title_column.width <= copy.rect.left()


@pytest.mark.parametrize(
    "file", ["<string>", "<block 7>", "//elsewhere/x.py", "\\\\elsewhere\\x.py"]
)
def test_what_is_no_file_of_this_machine_is_no_link(view, talk, qtbot, painted, file):
    talk.code("1/0")
    talk.report(RunReport(state="started"))
    printed = f'  File "{file}", line 1, in f\n  File "/here/x.py", line 2, in g\nError\n'
    talk.output(printed)
    show(talk, "error", CodeError(name="Error", message="", printed=len(printed)))
    view.set_conversation(talk)
    painted()
    click(qtbot, view, "Show traceback")
    card = view.canvas.sheet.card(2)
    assert [spot.intent.text for spot in card.spots(True) if spot.look == "bare"] == [
        "2 /here/x.py"
    ]


def test_an_error_says_what_to_do_under_its_title(view, talk, qtbot, painted):
    talk.code("grow()")
    talk.report(RunReport(state="started"))
    trace = 'Traceback (most recent call last):\n  File "<block 1>", line 1, in <module>\n'
    remedy = "This run may take 200 MB: the limit in Settings."
    printed = f"{trace}numpy._core._exceptions._ArrayMemoryError: no room\n{remedy}\n"
    talk.output(printed)
    frames = (Frame("", 1, "<module>"),)
    error = CodeError(name="MemoryError", message="no room", frames=frames, printed=len(printed))
    show(talk, "error", error)
    show(
        talk,
        "error",
        replace(error, remedy=remedy, printed=0),
    )
    view.set_conversation(talk)
    painted()
    assert view.canvas.sheet.card(0).source() == "grow()"
    plain, helpful = view.canvas.sheet.card(2), view.canvas.sheet.card(3)
    assert plain.source().endswith(f"no room\n{remedy}")
    assert helpful.source().endswith(remedy)
    assert helpful.frame_height() > plain.frame_height() + 16
    click(qtbot, view, "Show traceback", 3)


@pytest.mark.parametrize("has_error", [True, False])
def test_an_interrupt_is_told_by_its_report_alone(view, talk, has_error):
    talk.code("while True: pass")
    talk.report(RunReport(state="started"))
    trace = "Traceback (most recent call last):\n  File …\nKeyboardInterrupt\n"
    talk.output(f"x\n{trace}")
    if has_error:
        show(talk, "error", CodeError(name="KeyboardInterrupt", message=""))
    talk.report(RunReport(state="interrupted", seconds=12.34, line=37, printed=len(trace)))
    view.set_conversation(talk)
    assert [row.kind for row in view.canvas.sheet.rows] == ["code", "console", "run"]
    assert view.canvas.sheet.card(1).source() == "x"
    assert view.canvas.sheet.card(0).state_text() == "stopped at line 37 after 12.3 s"


def test_text_is_sent_to_a_program_while_the_code_runs(view, talk, qtbot, painted):
    talk.code("import os; os.system('cat')")
    view.set_conversation(talk)
    painted()
    assert not has_spot(view, "Send text")
    talk.report(RunReport(state="started"))
    painted()
    sent = []
    view.text_sent.connect(lambda *what: sent.append(what))
    click(qtbot, view, "Send text")
    [line] = view.findChildren(SendLine)
    assert line.isVisible()
    assert view.canvas.card_rect(0).contains(line.geometry())
    qtbot.keyClicks(line.field, "yes")
    qtbot.keyClick(line.field, Qt.Key.Key_Return)
    assert line.field.text() == ""
    qtbot.mouseClick(line.end_button, LEFT)
    assert sent == [("yes\n", False), ("", True)]
    assert not line.isEnabled()
    talk.report(RunReport(state="finished", seconds=0.5))
    painted()
    qtbot.waitUntil(lambda: not view.findChildren(SendLine))


def test_calls_that_wait_for_another_are_queued(view, talk):
    first, second = talk.code("1"), talk.code("2")
    view.set_conversation(talk)
    talk.propose(first, "1")
    assert view.canvas.sheet.card(1).state_text() == "queued"
    talk.propose(second, "2")
    assert view.canvas.sheet.rows[1].state == "waiting"


def test_a_turn_that_was_stopped_before_its_first_word_leaves_a_line(view, talk):
    talk.ask("Hello")
    view.set_conversation(talk)
    talk.apply(Chunk(role="server", type="status", content="cancelled"))
    assert [row.kind for row in view.canvas.sheet.rows] == ["question", "run"]
    assert view.canvas.sheet.rows[1].text == "Stopped before the answer began."


def test_the_seconds_stand_on_the_card_while_it_runs(view, talk, qtbot):
    talk.code("sleep")
    view.set_conversation(talk)
    talk.report(RunReport(state="started"))
    qtbot.waitUntil(lambda: view.canvas.sheet.card(0).state_text() in ("1 s", "2 s"))
    talk.report(RunReport(state="finished", seconds=1.2))
    assert view.canvas.sheet.card(0).state_text() == "ran in 1.2 s"


def test_the_heads_of_a_table_in_prose_stand_over_their_cells(view, talk, painted):
    talk.answer("| a | b |\n|---|--:|\n| 1 | 2 |\n\n> quoted")
    view.set_conversation(talk)
    painted()
    column = view.canvas.sheet.card(0).column
    frame = column._document(0).rootFrame().childFrames()[0]
    sides = [frame.cellAt(0, n).firstCursorPosition().blockFormat().alignment() for n in (0, 1)]
    assert sides[1] & Qt.AlignmentFlag.AlignRight
    assert not sides[0] & Qt.AlignmentFlag.AlignRight
    assert len(column._document(1).quotations()) == 1
