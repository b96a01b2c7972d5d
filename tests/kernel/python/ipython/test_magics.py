from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playhead.kernel.python.ipython import magic_syntax
from tests.kernel.marks import error_of, lines_of, of_kind
from tests.support.package_index import wheel


@pytest.fixture(scope="module")
def kernel(make_talk: Callable[..., Any]) -> Any:
    return make_talk()


PIECES = st.sampled_from(
    ["x", "=", "%", "!", "!=", "(", ")", "[", "]", "'", '"', "'''", "\\", "\n", " ", "#", "%cd",
     "!ls", "?", "x?", "if x:", "    ", "pip install", "f'{", "}'", ",", "1"]
)  # fmt: skip


def is_python(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


@given(st.lists(PIECES, max_size=14).map("".join))
@example("x = '''\n%cd\n!ls\n'''\n")
@example("x = (1\n%cd\n)\ny = 5 \\\n%cd")
@example("'a' \\\n'!ls'\nx != 3\n")
def test_valid_python_is_never_changed(code: str) -> None:
    if is_python(code):
        assert magic_syntax.transform(code) is None


@given(st.lists(PIECES, max_size=14).map("".join))
def test_lines_keep_their_numbers_and_python_its_words(code: str) -> None:
    changed = magic_syntax.transform(code)
    if changed is None or code.lstrip().startswith("%%"):
        return
    before, after = code.splitlines(), changed.splitlines()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert new == old or magic_syntax.CALL in new or not new


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        ("%pip install a b", 0, "__playhead__.line('pip', 'install a b')"),
        ("x = 1\nif x:\n    !ls -l", 2, "    __playhead__.shell('ls -l')"),
        ("x = !ls", 0, "x = __playhead__.output_of('ls')"),
        ("a, b = %time f()", 0, "a, b = __playhead__.line('time', 'f()')"),
        ("s = '''\n!no\n'''\n!echo it's", 3, '__playhead__.shell("echo it\'s")'),
        ("f(a,\n%b)\n!ls", 2, "__playhead__.shell('ls')"),
        ("!a \\\n  b\nx = 1", 0, "__playhead__.shell('a   b')"),
        ("pip install x", 0, "__playhead__.line('pip', 'install x')"),
        ("x = 1\na.b??", 1, "__playhead__.about('a.b', True)"),
        ("?len", 0, "__playhead__.about('len', False)"),
    ],
)
def test_magics_become_calls(code: str, line: int, expected: str) -> None:
    changed = magic_syntax.transform(code)
    assert changed is not None
    assert changed.splitlines()[line] == expected
    assert is_python(changed) or "%b" in code


def test_magics_work_on_every_python(talk: Any, tmp_path: Path) -> None:
    text, marks = talk.run(
        "%matplotlib inline\nname = 'ä b'\n!echo {name} $name $HOME_LESS end\n"
        "lines = !printf 'one\\ntwo\\n'\nprint(lines, lines.s)\n%cd /\n%time 1 + 1"
    )
    assert text.startswith("ä b ä b end\n['one', 'two'] one two\n/\nCPU time: ")
    assert text.endswith("\n2\n")
    assert lines_of(marks)[:7] == [1, 2, 3, 4, 5, 6, 7]


def test_a_failing_line_after_a_magic_has_its_number(kernel: Any) -> None:
    text, marks = kernel.run("!true\n\n1 / 0")
    assert error_of(marks).rows("frames")[-1][1] == 3
    text, _ = kernel.run("!true\nx = = 1")
    assert "line 2" in text


def test_a_traceback_shows_the_magic_as_it_was_written(kernel: Any) -> None:
    text, _ = kernel.run("%cd /nowhere/at/all")
    assert "    %cd /nowhere/at/all" in text
    assert "magic_words" not in text


def test_names_of_a_function_are_filled_in(kernel: Any) -> None:
    assert kernel.run("def f(local):\n    !echo {local}\nf('here')")[0] == "here\n"


def test_braces_of_others_stay(kernel: Any) -> None:
    assert kernel.run("!echo 'a b' | awk '{print $2}'")[0] == "b\n"
    assert kernel.run("!echo $$HOME {{x}}")[0].strip().endswith("{x}")


def test_pip_is_the_one_of_this_python(kernel: Any) -> None:
    pytest.importorskip("pip")
    for code in ("%pip --version", "!pip --version", "!python -m pip --version"):
        assert str(Path(sys.prefix)) in kernel.run(code)[0]


def test_an_install_shows_its_progress_in_one_line_and_can_be_used(
    kernel: Any, tmp_path: Path
) -> None:
    pytest.importorskip("pip")
    file = tmp_path / "tiny_thing-1.0-py3-none-any.whl"
    file.write_bytes(wheel("tiny-thing", {"tiny_thing.py": "answer = 42\n"}))
    text, marks = kernel.run(f"pip install --no-index --no-deps --target {tmp_path}/lib {file}")
    assert not of_kind(marks, "error")
    assert "\r\x1b[KProcessing " in text
    assert text.count("\n") == 1
    assert text.endswith("\r\x1b[KSuccessfully installed tiny-thing-1.0\n")
    use = f"import sys\nsys.path.insert(0, '{tmp_path}/lib')\nimport tiny_thing\ntiny_thing.answer"
    assert kernel.run(use)[0] == "42\n"


def test_an_install_that_fails_says_all_and_is_an_error(kernel: Any) -> None:
    pytest.importorskip("pip")
    text, marks = kernel.run("%pip install --no-index no-such-thing\nprint('not reached')")
    assert "ERROR: No matching distribution found for no-such-thing\n" in text
    assert "not reached" not in text
    assert "were not installed" in str(error_of(marks).text("message"))


def test_timeit_measures_lines_and_blocks(kernel: Any) -> None:
    assert "loops each" in kernel.run("n = 3\n%timeit -n 10 -r 2 sum(range(n))")[0]
    assert "of 1 run," in kernel.run("%%timeit -n 1 -r 1 k = 4\nx = n + k")[0]
    assert kernel.run("r = %timeit -o -q -n 1 -r 1 1\nr.loops")[0] == "1\n"


def test_a_timed_block_shows_its_lines(kernel: Any) -> None:
    text, marks = kernel.run("%%time\nx = 1\nx + 1")
    assert text.startswith("2\nCPU time: ")
    assert lines_of(marks) == [1, 2, 3]


def test_blocks_of_the_shell_and_of_files(kernel: Any, tmp_path: Path) -> None:
    assert kernel.run("# first\n%%bash\nfor i in 1 2; do echo $i; done")[0] == "1\n2\n"
    _, marks = kernel.run("%%sh\nexit 3")
    assert "status 3" in error_of(marks).text("message")
    kernel.run(f"%%writefile {tmp_path}/x.txt\none\n%two\n")
    assert (tmp_path / "x.txt").read_text() == "one\n%two\n"
    assert of_kind(kernel.run("%%html\n<b>x</b>")[1], "show")[0].text("kind") == "html"


@pytest.mark.parametrize("code", ["%nonsense", "%%nonsense\nx", "x = %nonsense"])
def test_what_is_not_known_is_said_in_words(kernel: Any, code: str) -> None:
    text, marks = kernel.run(code)
    assert "There is no magic" in error_of(marks).text("message")
    assert "_playhead_kernel" not in text


def test_a_sudo_that_cannot_ask_is_told_what_to_do(kernel: Any, tmp_path: Path) -> None:
    (tmp_path / "sudo").write_text("#!/bin/sh\necho 'a terminal is required' >&2\nexit 1\n")
    (tmp_path / "sudo").chmod(0o755)
    kernel.run(f"%env PATH={tmp_path}:/usr/bin:/bin")
    assert "sudo -S" in kernel.run("!sudo ls")[0]
    assert "There is no terminal" not in kernel.run("!sudo -n ls")[0]


def test_questions_are_answered_on_every_python(talk: Any) -> None:
    talk.run('def f(a, b=2):\n    """Doc of f."""')
    text, _ = talk.run("f?")
    assert text.startswith("Signature: f(a, b=2)\n")
    assert "Doc of f." in text
    assert talk.run("f??")[0] == 'def f(a, b=2):\n    """Doc of f."""\n'
    assert talk.run("nothing?")[0] == "There is no nothing.\n"
    assert "Value:     7" in talk.run("x = 7\nx?")[0]


def test_a_captured_block_keeps_what_it_and_its_children_wrote(talk: Any) -> None:
    code = "%%capture out\nimport os, sys\nprint('one')\nx = os.system('echo two')\n"
    text, marks = talk.run(code + "print('e', file=sys.stderr)\ndisplay(7)\n8")
    assert (text, of_kind(marks, "error")) == ("", [])
    assert lines_of(marks) == [1, 2, 3, 4, 5, 6, 7]
    kept = talk.run("out.stdout, out.stderr, out.outputs")[0]
    assert kept == "('one\\ntwo\\n', 'e\\n', [7, 8])\n"
    assert talk.run("out.show()")[0] == "one\ntwo\ne\n7\n8\n"


def test_a_captured_block_that_fails_shows_why_and_lets_go(kernel: Any) -> None:
    text, marks = kernel.run("%%capture\n!echo silent\n1/0")
    assert error_of(marks).text("name") == "ZeroDivisionError"
    assert "silent" not in text
    assert kernel.run("%%capture --no-stdout\nprint('seen')")[0] == "seen\n"


def test_a_captured_figure_is_shown_when_it_is_wanted(kernel: Any) -> None:
    pytest.importorskip("matplotlib")
    code = "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
    _, marks = kernel.run(f"%%capture figures\n{code}x = plt.plot([1, 2])")
    assert of_kind(marks, "show") == []
    assert len(of_kind(kernel.run("figures.show()")[1], "show")) == 1


def test_names_are_listed(new_talk: Callable[..., Any]) -> None:
    talk = new_talk()
    assert talk.run("%who")[0] == "There are no names yet.\n"
    talk.run("import os\nx, word = 1, 'a'\n_hidden = 0")
    assert talk.run("%who")[0] == "word  x\n"
    assert talk.run("%who int")[0] == "x\n"
    assert [line.split() for line in talk.run("%whos")[0].splitlines()][1:] == [
        ["word", "str", "'a'"],
        ["x", "int", "1"],
    ]
    assert talk.run("%reset -f\n%who_ls")[0] == "[]\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("%matplotlib inline", ""),
        ("%matplotlib notebook", "cannot be zoomed or moved"),
        ("%%python\nprint('other')", "other"),
        ("%%script python3 -u\nprint('by input')", "by input"),
        ("%%bash one two\necho $0 $2", "bash two"),
        ("%%perl6x\nx", "There is no magic %%perl6x here"),
        ("%%script nothing-like-this\nx", "There is no nothing-like-this on this machine."),
        ("%%bash --bg\nls", "does not support --bg here"),
        ("%debug", "There is no debugger here"),
        ("%prun sum([1])", "function calls"),
        ("y = %sx echo a\ny", "['a']"),
        ("%%file made.txt\nx", "Wrote made.txt"),
    ],
)
def test_what_notebooks_have_works_or_is_refused_in_words(
    kernel: Any, code: str, said: str
) -> None:
    assert said in kernel.run(code)[0]
