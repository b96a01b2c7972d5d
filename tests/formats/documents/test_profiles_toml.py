"""Profiles are handed on as TOML, and what comes back is read with suspicion."""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.model import ModelParameters
from playhead.domain.settings import Profile
from playhead.errors import StorageError
from playhead.formats.documents.profiles_toml import MOST_PROFILES, from_toml, to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=20)
PROFILES = st.lists(
    st.builds(
        Profile,
        name=NAMES,
        model=st.none() | TEXT,
        api_base=st.none() | TEXT,
        parameters=st.builds(
            ModelParameters,
            temperature=st.none() | st.floats(0, 2),
            max_tokens=st.none() | st.integers(1, 10**9),
            top_p=st.none() | st.floats(0, 1),
            stop=st.none() | st.lists(NAMES).map(tuple),
        ),
        max_steps=st.none() | st.integers(1, 1000),
        budget=st.none() | st.floats(0, 1e6),
        system_prompt=st.none() | TEXT,
        instructions=st.none() | TEXT,
        auto_run=st.sampled_from([None, False]),
    ),
    max_size=5,
    unique_by=lambda profile: profile.name,
)


@given(PROFILES)
def test_what_is_exported_comes_back_as_it_was(profiles):
    read = from_toml(to_toml(profiles).encode())
    assert read.profiles == tuple(profiles)
    assert read.notes == ()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_in_words(data):
    with suppress(StorageError):  # anything else would be a defect
        assert all(profile.name for profile in from_toml(data).profiles)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "does not say"),
        ("playhead_profiles = true", "does not say"),
        ("playhead_profiles = 99", "newer version"),
        ("playhead_profiles = 1\nprofile = 3", "not a list"),
        ("playhead_profiles = 1\nprofile = [3]", "not a table"),
        ("playhead_profiles = 1\n[[profile]]\nmodel = 'x'", "has no name"),
        ("playhead_profiles = 1\n[[profile]]\nname = ' '", "has no name"),
        (f"playhead_profiles = 1\n[[profile]]\nname = '{'x' * 81}'", "too long"),
        ("playhead_profiles = 1\n[[profile]]\nname = 'a\\u202eb'".replace("'", '"'), "odd"),
        ("playhead_profiles = 1\n" + "[[profile]]\nname = 'a'\n" * 2, "have the name"),
        ("playhead_profiles = 1\n" + "[[profile]]\n" * (MOST_PROFILES + 1), "more than"),
        ("x = " + "[" * 100_000, "TOML|deeply"),
        ("x = 1" + "0" * 6000, "cannot be read"),
        ("#" * 1_000_001, "megabyte"),
        ("not toml", "not TOML"),
    ],
)
def test_a_hostile_file_is_refused_in_words(text, reason):
    with pytest.raises(StorageError) as caught:
        from_toml(text.encode())
    assert re.search(reason, caught.value.detail)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(StorageError, match="cannot be imported"):
        from_toml(b"\xff\xfe\x00")


def test_what_does_not_fit_is_left_out_and_said():
    text = (
        "playhead_profiles = 1\n[[profile]]\nname = 'a'\ntemperature = 'warm'\nmax_tokens = 5\n"
        "api_key = 'sk-1'\nbudget = nan\n"
    )
    read = from_toml(text.encode())
    assert read.profiles == (Profile(name="a", parameters=ModelParameters(max_tokens=5)),)
    said = " ".join(read.notes)
    assert "temperature" in said
    assert "api_key" in said
    assert "budget" in said
    assert "sk-1" not in said


def test_an_imported_profile_never_runs_code_unasked():
    text = to_toml([Profile(name="a", auto_run=True)])
    assert tomllib.loads(text)["profile"][0]["auto_run"] is True
    read = from_toml(text.encode())
    assert read.profiles == (Profile(name="a"),)
    assert "without asking" in read.notes[0]
    loose = Profile(name="b", sandbox_files="look", sandbox_network="on", sandbox_ask="outside")
    read = from_toml(to_toml([loose]).encode())
    assert read.profiles == (Profile(name="b", sandbox_files="look"),)
    assert "more in the sandbox" in read.notes[0]


def test_the_example_of_the_documentation_can_be_imported():
    text = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")
    example = text.split("```toml\n")[1].split("```")[0]
    read = from_toml(example.encode())
    assert [profile.name for profile in read.profiles] == ["Data work"]
    assert read.notes == ()
