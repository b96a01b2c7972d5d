from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playhead.kernel.protocol import Mark
from tests.kernel import stand_ins
from tests.kernel.marks import error_of, of_kind

PNG = b"\x89PNG\r\n\x1a\n and so on"
FORMS = [
    ("_repr_png_", PNG, "png", "png"),
    ("_repr_jpeg_", b"\xff\xd8\xff", "png", "jpg"),
    ("_repr_svg_", "<svg/>", "svg", "svg"),
    ("_repr_markdown_", "# ä", "markdown", "md"),
    ("_repr_latex_", "$x$", "latex", "tex"),
    ("_repr_html_", "<b>ä</b>", "html", "html"),
    ("_repr_javascript_", "alert(1)", "javascript", "js"),
]


@pytest.fixture
def kernel(new_talk: Callable[..., Any]) -> Any:
    return new_talk()


def shown(marks: list[Mark]) -> list[str]:
    return [mark.text("kind") for mark in of_kind(marks, "show")]


def content(talk: Any, mark: Mark) -> bytes:
    return (talk.spool / mark.text("file")).read_bytes()


def table(talk: Any, marks: list[Mark]) -> dict[str, Any]:
    (mark,) = of_kind(marks, "show")
    assert mark.text("kind") == "table"
    return json.loads(content(talk, mark))


@pytest.mark.parametrize(("method", "data", "kind", "suffix"), FORMS)
def test_an_object_is_shown_in_the_form_that_it_has(
    kernel: Any, method: str, data: Any, kind: str, suffix: str
) -> None:
    text, marks = kernel.run(f"class A:\n    def {method}(self): return {data!r}\nA()")
    (mark,) = of_kind(marks, "show")
    assert text == ""
    assert mark.text("kind") == kind
    assert mark.text("file").endswith("." + suffix)
    assert content(kernel, mark) == (data if isinstance(data, bytes) else data.encode())


def test_forms_work_on_every_python(talk: Any) -> None:
    text, marks = talk.run(
        "class A:\n    def _repr_html_(self): return '<b>'\n"
        "print('before')\ndisplay(A(), 'text', 5)\nprint('after')"
    )
    assert text == "before\n'text'\n5\nafter\n"
    assert shown(marks) == ["html"]


def test_a_bundle_gives_its_best_form(kernel: Any) -> None:
    bundle = {"text/plain": "p", "text/html": "<b>", "image/svg+xml": "<svg/>"}
    code = f"class A:\n    def _repr_mimebundle_(self, **k): return {bundle!r}, {{}}\nA()"
    assert shown(kernel.run(code)[1]) == ["svg"]
    assert shown(kernel.run(f"display({bundle!r}, raw=True)")[1]) == ["svg"]
    assert kernel.run("display({'text/plain': 'p'}, raw=True)")[0] == "p\n"


@pytest.mark.parametrize(
    "body",
    ["raise ValueError", "return None", "return ''", "return 5", "return object()"],
)
def test_a_form_that_fails_leaves_the_text(kernel: Any, body: str) -> None:
    code = (
        "class A:\n"
        f"    def _repr_html_(self): {body}\n"
        f"    def _repr_mimebundle_(self): {body}\n"
        f"    def _ipython_display_(self): raise ValueError\n"
        "    def __repr__(self): return 'the text'\nA()"
    )
    text, marks = kernel.run(code)
    assert text == "the text\n"
    assert of_kind(marks, "error") == []


def test_what_answers_to_every_name_is_shown_as_text(kernel: Any) -> None:
    code = (
        "class A:\n    def __getattr__(self, name): return lambda *a: '<b>'\n"
        "    def __repr__(self): return 'text'\nA()"
    )
    assert kernel.run(code)[0] == "text\n"
    assert "class" in kernel.run("class B:\n    def _repr_html_(self): return 'x'\nB")[0]


def test_an_object_may_show_itself(kernel: Any) -> None:
    text, _ = kernel.run("class A:\n    def _ipython_display_(self): print('shown')\nA()")
    assert text == "shown\n"


def test_notebook_imports_work_without_ipython(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(PNG)
    text, marks = kernel.run(
        "from IPython.display import display, HTML, Markdown, Image, Latex, clear_output\n"
        "import IPython\n"
        "clear_output(wait=True)\n"
        "display(HTML('<b>'), Markdown('# t'), Image('p.png'), Image(filename='p.png'))\n"
        "display(Latex('$x$'))\n"
        "import IPython.core.magic"
    )
    assert shown(marks) == ["html", "markdown", "png", "png", "latex"]
    assert content(kernel, of_kind(marks, "show")[2]) == PNG
    assert text == "clear_output changes nothing here: what was shown stays in the conversation.\n"
    assert kernel.run("clear_output()\nclear_output()")[0] == ""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("Audio([0] * 22050, rate=22050)", "A sound of 1.0 s, not played here"),
        ("Audio('a.wav')", "a.wav"),
        ("Video(b'12')", "A film of 2 bytes, not shown here"),
        ("Video('nowhere.mp4')", "FileNotFoundError: There is no file nowhere.mp4."),
        ("FileLink('a.wav')", "a.wav"),
        ("FileLinks('.', recursive=False)", "a.wav"),
        ("for n in ProgressBar(2): pass", "] 2/2\n"),
        ("h = display(1, display_id=True)\nh.update(2)\nupdate_display(3, display_id='x')", "3\n"),
        ("SomethingNew('x')", "IPython is not installed here"),
    ],
)
def test_what_a_notebook_would_play_or_embed_is_said_in_words(
    kernel: Any, tmp_path: Path, code: str, said: str
) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    _, marks = kernel.run(
        "from IPython.display import *\nfrom IPython.display import Audio, Video, FileLink,"
        " FileLinks, ProgressBar, SomethingNew, display, update_display"
    )
    assert of_kind(marks, "error") == []
    assert said in kernel.run(code)[0]


def test_a_page_of_the_net_is_a_link(kernel: Any) -> None:
    kernel.run("from IPython.display import IFrame, YouTubeVideo")
    (mark,) = of_kind(kernel.run("IFrame('https://example.org/a b', 700, 350)")[1], "show")
    assert content(kernel, mark) == b"A page, not embedded here: <https://example.org/a%20b>"
    (mark,) = of_kind(kernel.run("YouTubeVideo('abc')")[1], "show")
    assert b"watch?v=abc" in content(kernel, mark)


def test_only_blocks_have_a_shell(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(
        "try:\n    get_ipython()\n    found = True\nexcept NameError:\n    found = False"
    )
    code = "get_ipython().system('echo hi')\nget_ipython().run_line_magic('matplotlib', 'inline')"
    assert kernel.run(f"from IPython import get_ipython\n{code}")[0] == "hi\n"
    assert kernel.run(code + "\nx = get_ipython().getoutput('echo a')\nx")[0] == "hi\n['a']\n"
    assert kernel.run("import library\nlibrary.found")[0] == "False\n"
    assert "has no ask_exit" in kernel.run("get_ipython().ask_exit()")[0]


def test_a_library_does_not_take_the_stand_in_for_a_notebook(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(
        "try:\n    import IPython\n    found = True\nexcept ImportError:\n    found = False"
    )
    assert kernel.run("import library\nlibrary.found")[0] == "False\n"


def test_a_frame_of_pandas_is_a_table_after_its_text(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(stand_ins.PANDAS)
    text, marks = kernel.run(
        "import pandas, datetime\nnan = float('nan')\n"
        "pandas.DataFrame({'n': [1, 2], 'x': [1.5, nan], ('a', 'b'): ['ä', None],"
        " 'd': [datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3)], 'l': [[1], {}]},"
        " index=['mo', 'tu'])"
    )
    assert text == "the text of a frame\n"
    assert len(of_kind(marks, "display")) == 1
    page = table(kernel, marks)
    assert page["columns"] == ["day", "n", "x", "a · b", "d", "l"]
    assert page["rows"] == [
        ["mo", 1, 1.5, "ä", "2020-01-02", "[1]"],
        ["tu", 2, "NaN", None, "2020-01-02T03:00:00", "{}"],
    ]
    assert (page["total_rows"], page["total_columns"]) == (2, 6)


def test_a_table_is_a_page_of_a_frame(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(stand_ins.PANDAS)
    (tmp_path / "polars.py").write_text(stand_ins.POLARS)
    for name in ("pandas", "polars"):
        code = f"import {name}\n{name}.DataFrame({{str(n): list(range(500)) for n in range(60)}})"
        page = table(kernel, kernel.run(code)[1])
        assert (len(page["rows"]), len(page["columns"])) == (200, 50)
        assert (page["total_rows"], page["total_columns"]) == (500, 60)
        assert page["rows"][199] == [199] * 50


def test_a_series_is_a_table_of_one_column(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "polars.py").write_text(stand_ins.POLARS)
    page = table(kernel, kernel.run("import polars\npolars.Series('a', [1, None])")[1])
    assert (page["columns"], page["dtypes"]) == (["a"], ["Int64"])
    assert page["rows"] == [[1], [None]]


@pytest.mark.parametrize("change", ["start = 3", "step = 2", "name = 'k'"])
def test_an_index_that_does_not_count_from_nought_is_kept(
    kernel: Any, tmp_path: Path, change: str
) -> None:
    (tmp_path / "pandas.py").write_text(stand_ins.PANDAS)
    code = (
        "import pandas\nframe = pandas.DataFrame({'a': [1, 2]})\n"
        f"frame.index = pandas.RangeIndex([3, 5])\nframe.index.{change}\nframe"
    )
    page = table(kernel, kernel.run(code)[1])
    assert (page["columns"], page["rows"]) == (["day", "a"], [[3, 1], [5, 2]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_the_real_libraries_are_tables(kernel: Any, library: str) -> None:
    pytest.importorskip(library)
    code = f"import {library}\n{library}.DataFrame({{'a': [1, 2], 'b': ['x', None]}})"
    page = table(kernel, kernel.run(code)[1])
    assert page["rows"] == [[1, "x"], [2, None]]


def test_what_is_missing_is_named_as_pandas_names_it(kernel: Any) -> None:
    pytest.importorskip("pandas")
    code = (
        "import pandas as pd\npd.DataFrame({'f': [1.5, None], 'c': pd.Categorical(['a', None]),"
        " 'd': pd.to_datetime(['2026-01-01', None]), 'i': pd.array([1, None], dtype='Int64'),"
        " 'o': pd.Series([None, float('nan')], dtype=object),"
        " 'n': pd.to_timedelta(['1 days', None])})"
    )
    page = table(kernel, kernel.run(code)[1])
    assert page["missing"] == ["NaN", "NaN", "NaT", "<NA>", "None", "NaT"]
    assert page["rows"][1] == [None, None, None, None, "NaN", None]


def test_what_is_missing_is_named_as_polars_names_it(kernel: Any) -> None:
    pytest.importorskip("polars")
    code = "import polars\npolars.DataFrame({'f': [None, float('nan')], 's': [None, 'None']})"
    page = table(kernel, kernel.run(code)[1])
    assert page["missing"] == ["null", "null"]
    assert page["rows"] == [[None, None], ["NaN", "None"]]


def test_an_empty_frame_is_its_heads_and_one_without_columns_its_text(kernel: Any) -> None:
    pytest.importorskip("pandas")
    text, marks = kernel.run("import pandas as pd\npd.DataFrame({'a': [], 'b': []})")
    page = table(kernel, marks)
    assert (page["columns"], page["rows"], page["total_rows"]) == (["a", "b"], [], 0)
    assert text == page["text"] + "\n"
    for code in ("pd.DataFrame()", "pd.Series([], dtype=float)", "pd.DataFrame(index=[1])"):
        text, marks = kernel.run(code)
        assert text
        assert shown(marks) == []


def ask(kernel: Any, name: str, first: int) -> dict[str, Any]:
    kernel.send("table", ask="1", name=name, first=first, rows=2)
    (mark,) = of_kind(kernel.read_until("answer")[1], "answer")
    return json.loads(content(kernel, mark))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_shown_frame_is_read_on_after_later_blocks(kernel: Any, library: str) -> None:
    pytest.importorskip(library)
    code = f"import {library}\nframe = {library}.DataFrame({{'a': list(range(900))}})\n"
    page = table(kernel, kernel.run(code + "frame * 2")[1])
    assert page["name"] == ""
    named = table(kernel, kernel.run("frame")[1])
    assert named["name"] == "frame"
    kernel.run("del frame" if library == "polars" else "frame['b'] = 1")
    assert ask(kernel, page["key"], 800)["rows"] == [[1600], [1602]]
    again = ask(kernel, named["key"], 898)
    assert (again["columns"], again["rows"], again["total_rows"]) == (["a"], [[898], [899]], 900)


def test_of_many_shown_frames_the_last_are_kept(kernel: Any) -> None:
    pytest.importorskip("pandas")
    first = table(kernel, kernel.run("import pandas as pd\npd.DataFrame({'a': range(999)})")[1])
    kernel.run("for _ in range(39): display(pd.DataFrame({'a': range(999)}))")
    assert ask(kernel, first["key"], 0)["rows"] == [[0], [1]]
    kernel.run("display(pd.DataFrame({'a': range(999)}))")
    assert "Run the code again" in ask(kernel, first["key"], 0)["error"]


def test_large_frames_are_let_go_early_but_never_the_last(kernel: Any) -> None:
    pytest.importorskip("pandas")
    code = "import numpy as np, pandas as pd\npd.DataFrame(np.zeros((20_000_000, 1)))"
    first = table(kernel, kernel.run(code)[1])["key"]
    second = table(kernel, kernel.run("pd.DataFrame(np.zeros((20_000_000, 1)))")[1])["key"]
    assert "error" in ask(kernel, first, 0)
    assert ask(kernel, second, 19_999_998)["rows"] == [[0.0], [0.0]]
    small = table(kernel, kernel.run("pd.DataFrame(np.zeros((300, 1)))")[1])
    assert "error" not in ask(kernel, small["key"], 250)


def test_a_frame_whose_rows_are_all_here_is_not_kept(kernel: Any) -> None:
    pytest.importorskip("pandas")
    page = table(kernel, kernel.run("import pandas as pd\npd.DataFrame({'a': [1]})")[1])
    assert "key" not in page


def test_a_frame_that_cannot_be_cut_is_its_text(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text(
        "class DataFrame:\n    def __repr__(self): return 'the text'"
    )
    text, marks = kernel.run("import pandas\npandas.DataFrame()")
    assert text == "the text\n"
    assert shown(marks) == []
    assert of_kind(marks, "error") == []


def test_figures_stand_where_they_were_shown(kernel: Any) -> None:
    pytest.importorskip("matplotlib")
    text, marks = kernel.run(
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "x = plt.plot([1, 2])\nplt.show()\nprint('between')\nx = plt.plot([2, 1])"
    )
    kinds = [mark.kind for mark in marks if mark.kind in {"show", "line"}]
    assert text == "between\n"
    assert shown(marks) == ["png", "png"]
    assert kinds[-2:] == ["line", "show"]


def test_figures_are_as_sharp_as_the_screen_or_drawings(new_talk: Callable[..., Any]) -> None:
    pytest.importorskip("matplotlib")
    talk = new_talk(dpi=300)
    code = (
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "figure = plt.figure(figsize=(2, 1))\nx = plt.plot([1])"
    )
    (mark,) = of_kind(talk.run(code)[1], "show")
    width = int.from_bytes(content(talk, mark)[16:20], "big")
    assert 500 < width < 700
    (mark,) = of_kind(talk.run("plt.figure(figsize=(2, 1))\nplt.plot([1]);", dpi=600)[1], "show")
    assert int.from_bytes(content(talk, mark)[16:20], "big") > 1000
    _, marks = talk.run("%config InlineBackend.figure_format = 'svg'\nplt.plot([1]);")
    assert shown(marks) == ["svg"]


def test_figures_of_a_stopped_block_are_not_the_next_ones(kernel: Any) -> None:
    pytest.importorskip("matplotlib")
    _, marks = kernel.run(
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
        "x = plt.plot([1])\nraise KeyboardInterrupt"
    )
    assert marks[-1].text("state") == "interrupted"
    assert shown(kernel.run("1")[1]) == []


def test_pillow_shows_here(kernel: Any) -> None:
    pytest.importorskip("PIL")
    _, marks = kernel.run(
        "from PIL import Image\nimage = Image.new('RGB', (4, 3))\nimage.show()\nimage"
    )
    assert shown(marks) == ["png", "png"]


def test_an_unknown_magic_is_said_in_words(kernel: Any) -> None:
    error = error_of(kernel.run("%nonsense 1")[1])
    assert "no magic %nonsense" in error.text("message")
