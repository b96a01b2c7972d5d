"""What every face can say: a terminal has no buttons, and nobody there can click on our links."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import playhead

APP = Path(playhead.__file__).parent
OF_THE_WINDOW = re.compile(
    r"playhead:\w|\b[Pp]ress (?!Ctrl)[A-Z]|\b[Cc]lick |window's head|“Settings"
)


def told_texts(path: Path) -> Iterator[str]:
    """The texts of a module, but its docstrings and those below what they explain."""
    tree = ast.parse(path.read_text("utf-8"))
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in explained:
                yield text


def test_no_text_outside_of_the_window_names_its_buttons_or_links():
    windows = {APP / "ui", APP / "bootstrap" / "window.py"}
    modules = [path for path in APP.rglob("*.py") if not windows & {path, *path.parents}]
    assert len(modules) > 100
    found = [
        f"{path.relative_to(APP)}: {text}"
        for path in modules
        for text in told_texts(path)
        if OF_THE_WINDOW.search(text)
    ]
    assert found == []
