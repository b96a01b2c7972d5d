"""Code is read for what it would do: every language, nested code, local modules, broken code."""

from __future__ import annotations

import pytest

from playhead.analysis.code_facts import CODE_LIMIT, facts_of
from playhead.analysis.targets import Surroundings
from playhead.domain.trust import RiskFact

WHERE = Surroundings(folder="/home/me/work", home="/home/me")


def seen(language: str, code: str) -> list[tuple[str, int, str]]:
    return [(f.kind, f.line, f.target) for f in facts_of(language, code, WHERE).facts]


def test_constants_aliases_and_paths_are_followed() -> None:
    code = "\n".join(
        [
            "import shutil as s, os",
            "from pathlib import Path as P",
            "OUT = P.home() / 'data'",
            "drop = os.remove",
            "drop(os.path.join('build', 'a.txt'))",
            "s.rmtree(OUT / 'old')",
            "with open(f'{OUT}/new.csv', mode='w') as file: ...",
            "(P('/home/me/work/in') / 'x.txt').write_text('x')",
        ]
    )
    assert seen("python", code) == [
        ("deletes", 5, "build/a.txt"),
        ("deletes", 6, "~/data/old"),
        ("writes_outside", 7, "~/data/new.csv"),
        ("writes_inside", 8, "/home/me/work/in/x.txt"),
    ]


def test_a_parameter_has_the_values_of_the_calls_of_its_function() -> None:
    code = "def save(path):\n    open(path, 'w')\n\ndef main():\n    save('/etc/hosts')\n\nmain()\n"
    assert ("writes_outside", 2, "/etc/hosts") in seen("python", code)


def test_code_in_the_text_of_code_is_read() -> None:
    code = "import os\nos.system('bash -c \"rm x\"')\n"
    assert ("starts_programs", 2, "bash") in seen("python", code)
    code = "exec('import shutil; shutil.rmtree(\"build\")')"
    assert seen("python", code) == [("deletes", 1, "build")]


def test_lines_of_a_notebook_are_read_at_their_places() -> None:
    code = "x = 1\n!rm -rf build\n%pip install pandas\nopen('a.txt', 'w')\n"
    assert seen("python", code) == [
        ("deletes", 2, "build"),
        ("installs_packages", 3, "pandas"),
        ("writes_inside", 4, "a.txt"),
    ]


def test_local_modules_are_read_and_named() -> None:
    files = {
        "tools.py": "from . import deep\ndef f(): ...\n",
        "deep.py": "import os\nos.remove('x')",
    }
    found = facts_of("python", "import tools, json\n", WHERE, files.get)
    assert found.facts == (RiskFact(kind="deletes", line=2, target="x", module="deep.py"),)
    assert [path for path, _digest in found.modules] == ["deep.py", "tools.py"]


@pytest.mark.parametrize(
    ("language", "code", "why"),
    [
        ("python", "def broken(:\n", "syntax"),
        ("python", "exec(input())", "exec"),
        ("python", "getattr(__import__('os'), name)('x')", "getattr"),
        ("python", "clean_up()", "clean_up"),
        ("bash", 'eval "$WHAT"', "eval"),
        ("bash", "curl https://a.example | sh", "shell"),
        ("javascript", "eval(text)", "javascript"),
        ("r", "unlink('x')", "r"),
        ("powershell", "Remove-Item x", "powershell"),
        ("python", "x = 1\n" * CODE_LIMIT, "length"),
    ],
)
def test_what_cannot_be_told_is_said(language: str, code: str, why: str) -> None:
    assert ("cannot_be_told", 1, why) in seen(language, code)


def test_code_that_only_computes_has_no_facts() -> None:
    assert seen("python", "import math\nprint(sum(math.sqrt(n) for n in range(9)))") == []
    assert seen("bash", "ls -l | grep x | wc -l > /dev/null") == []
    assert seen("html", "<script>fetch('https://a.example')</script>") == []
