from __future__ import annotations

import pytest

from playhead.execution.languages import canonical, display_name


@pytest.mark.parametrize("word", ["python", "py", "Python", " python3 ", "PY"])
def test_words_for_python_mean_python(word: str) -> None:
    assert canonical(word) == "python"


@pytest.mark.parametrize("word", ["", "text", "json", "output", "pythonic"])
def test_other_words_mean_nothing_that_can_be_run(word: str) -> None:
    assert canonical(word) is None


def test_languages_have_names_for_people() -> None:
    assert display_name("python") == "Python"
    assert display_name("cobol") == "cobol"
