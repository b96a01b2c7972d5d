"""Docstrings, comments and the window's texts are plain English, as Python and Qt write it.

`python -m tests.support.wording` prints what is not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.source_tree import module_name, module_paths
from tests.support.wording import findings, opens_with_verb


@pytest.mark.parametrize("path", module_paths(), ids=module_name)
def test_a_module_is_written_in_plain_english(path: Path) -> None:
    found = findings(path)
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("word", ["Return", "Stop", "Process", "Feed", "GET", "`%time`", "Write:"])
def test_a_verb_may_open_a_docstring(word: str) -> None:
    assert opens_with_verb(word)


@pytest.mark.parametrize("word", ["The", "Whether", "Raises", "Closing", "Called", "JSON"])
def test_no_other_word_opens_a_docstring(word: str) -> None:
    assert not opens_with_verb(word)
