"""Of the attempts to get out most succeed without a sandbox, and none in it: of any language."""

from __future__ import annotations

import sys

import pytest

from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.sandbox.landlock_rules import is_enough, landlock_version
from tests.hostile.escapes import escaped, ordinary_python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
LEAST_OF_CONTROL = 90
OPEN_BY_RULES = 15
"""As docs/security.md says."""


@pytest.fixture(autouse=True, scope="module")
def _person() -> None:
    if not ordinary_python():
        pytest.skip("an ordinary user can start no Python of this version here")


@pytest.fixture
def _sandbox() -> None:
    found = look_for_sandbox()
    if problem := found.problem or found.weakness:
        pytest.skip(f"no sandbox here: {problem}")


def named(what: str, outcome: str) -> list[str]:
    return [f"{one.group}: {one.name}" for one in escaped(what) if one.outcome == outcome]


@pytest.mark.requires_system("bwrap")
def test_most_attempts_succeed_where_nothing_is_in_their_way() -> None:
    assert len(named("control", "through")) >= LEAST_OF_CONTROL


def test_of_the_weaker_sandbox_only_what_it_names_gets_through() -> None:
    if not is_enough(landlock_version()):
        pytest.skip("the system's kernel has no Landlock")
    found = escaped("rules")
    assert [one.name for one in found if one.outcome == "through"] == []
    assert sum(one.outcome == "open" for one in found) == OPEN_BY_RULES


@pytest.mark.requires_system("bwrap")
@pytest.mark.usefixtures("_sandbox")
@pytest.mark.parametrize("way", ["inside", "python", "bash"])
def test_no_attempt_gets_out_of_the_sandbox(way: str) -> None:
    assert named(way, "through") == []


@pytest.mark.requires_system("bwrap")
@pytest.mark.usefixtures("_sandbox")
def test_of_attempts_in_a_copy_nothing_reaches_the_folder_either() -> None:
    found = escaped("copy")
    assert [one.name for one in found if one.outcome in ("through", "open")] == []


@pytest.mark.slow_group("languages")
@pytest.mark.usefixtures("_sandbox")
@pytest.mark.requires_system("bwrap")
@pytest.mark.parametrize(
    "language",
    [
        pytest.param("javascript", marks=pytest.mark.requires_system("node")),
        pytest.param("r", marks=pytest.mark.requires_system("Rscript")),
        pytest.param("ruby", marks=pytest.mark.requires_system("ruby")),
        pytest.param("java", marks=pytest.mark.requires_system("java")),
    ],
)
def test_no_attempt_of_another_language_gets_out(language: str) -> None:
    assert named(language, "through") == []
