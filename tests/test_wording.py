"""Docstrings, comments and the window's texts are plain English, as Python and Qt write it.

`python -m tests.support.wording` prints what is not; `tests/data/wording_pending.txt` says how much
of it each module that nobody has rewritten may have. These numbers only fall.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.source_tree import module_name, module_paths
from tests.support.wording import findings, opens_with_verb, pending

PENDING = pending()


@pytest.mark.parametrize("path", module_paths(), ids=module_name)
def test_a_module_is_written_in_plain_english(path: Path) -> None:
    found = findings(path)
    assert len(found) <= PENDING.get(module_name(path), 0), "\n".join(map(str, found))


def test_what_is_pending_is_there() -> None:
    gone = PENDING.keys() - set(map(module_name, module_paths()))
    assert not gone, "write the list again: python -m tests.support.wording --write"


@pytest.mark.parametrize("word", ["Return", "Stop", "Process", "Feed", "GET", "`%time`", "Write:"])
def test_a_verb_may_open_a_docstring(word: str) -> None:
    assert opens_with_verb(word)


@pytest.mark.parametrize("word", ["The", "Whether", "Raises", "Closing", "Called", "JSON"])
def test_no_other_word_opens_a_docstring(word: str) -> None:
    assert not opens_with_verb(word)
