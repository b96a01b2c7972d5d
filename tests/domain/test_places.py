"""Where a conversation runs, as one text."""

from __future__ import annotations

import pytest

from playhead.domain.execution import (
    Place,
    chosen_for,
    is_place,
    languages_at,
    named_at,
    place_of,
    runs_at,
)

R = Place(language="r", label="R: 4.2, 100 % “lab”", folder="/home/a b/kernels/ir:1")


LAB = Place(
    kind="server",
    language="python",
    label="lab.uni.edu: Python 3",
    address="https://lab.uni.edu/user/a%20b",
    program="python3",
    kernel_id="9c-1",
    folder="work/a:b",
)
BOX = Place(kind="ssh", language="python", label="gpu-box", address="gpu-box", folder="~/data")


@pytest.mark.parametrize(
    "place", [R, Place(language="julia", label="Julia", folder="C:\\k"), LAB, BOX]
)
def test_a_place_is_read_from_its_id(place: Place) -> None:
    assert place_of(place.id) == place
    assert is_place(place.id)


@pytest.mark.parametrize("path", ["", "/usr/bin/python3", "jupyter:", "jupyter:r:R", "C:\\a:b:c:d"])
def test_the_path_of_a_python_is_no_place(path: str) -> None:
    assert not is_place(path)
    assert chosen_for(path, "r") == path
    assert languages_at(path, ("python", "r")) == ("python", "r")


def test_a_place_has_to_do_with_its_own_language_only() -> None:
    assert chosen_for(R.id, "r") == R.id
    assert chosen_for(R.id, "python") == ""
    assert languages_at(R.id, ("python", "r", "bash")) == ("r", "python", "bash")


def test_nothing_runs_here_by_mistake_where_another_machine_was_chosen() -> None:
    assert chosen_for(BOX.id, "bash") == BOX.id
    assert languages_at(BOX.id, ("python", "r", "bash")) == ("python",)
    assert runs_at(BOX.id, "python", is_here=False)
    assert not runs_at(BOX.id, "bash", is_here=True)
    assert runs_at(R.id, "python", is_here=True)
    assert not runs_at("/usr/bin/python3", "r", is_here=False)
    assert (named_at(R.id, " R"), named_at(R.id, "python")) == ("r", None)
