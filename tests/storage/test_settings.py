"""The settings file survives what happens to files."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead import __version__
from playhead.domain.model import ModelOverride, ModelParameters
from playhead.domain.settings import AppSettings, Profile
from playhead.errors import StorageError
from playhead.storage.settings import SettingsFile, stored_scale
from tests.support.waiting import LIMIT_S

FULL = AppSettings(
    model="openai/small",
    api_base="http://localhost:8080/v1",
    parameters=ModelParameters(temperature=0.5, max_tokens=800, top_p=0.5, stop=("END",)),
    instructions="Be brief — “please”.",
    max_steps=7,
    theme="dark",
    interpreter="/usr/bin/python3",
    folder="/data/with space",
    window={"geometry": "abc"},
    favourite_models=("openai/small", "anthropic/claude"),
    provider_fields={"azure.api_version": "2025-01-01"},
    model_overrides={"openai/small": ModelOverride(takes_tools=False, context_tokens=8000)},
    profiles=(
        Profile(name="brief", parameters=ModelParameters(temperature=0.1)),
        Profile(name="long", parameters=ModelParameters(max_tokens=9), auto_run=True),
    ),
    profile="brief",
    budget=2.5,
    connect_limit_s=3,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")


def aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.corrupt-*"))


def test_without_a_file_the_defaults_hold(path):
    settings = SettingsFile(path)
    assert settings.current == AppSettings()
    assert settings.notice == ""


def test_what_is_saved_is_there_after_a_restart(path):
    asyncio.run(SettingsFile(path).save(FULL))
    again = SettingsFile(path)
    assert again.current == FULL
    assert again.notice == ""


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_file_is_for_its_user_only(path):
    asyncio.run(SettingsFile(path).save(FULL))
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "text", ["{not json", "[1, 2]", "", "\ud800".encode("utf-8", "surrogatepass")]
)
def test_a_file_that_makes_no_sense_is_put_aside_whole(path, text):
    path.parent.mkdir()
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    settings = SettingsFile(path)
    assert settings.current == AppSettings()
    (kept,) = aside(path)
    assert kept.read_bytes() == content
    assert str(kept) in settings.notice
    asyncio.run(settings.save(FULL))
    assert SettingsFile(path).current == FULL
    assert kept.read_bytes() == content


@pytest.mark.parametrize("depth", [200, 50_000])
def test_a_file_nested_too_deeply_is_put_aside_and_playhead_starts(path: Path, depth: int):
    write(path, '{"model": "openai/small", "window": ' + "[" * depth + "]" * depth + "}")
    assert stored_scale(path) == 100
    settings = SettingsFile(path)
    assert settings.current == AppSettings()
    assert len(aside(path)) == 1
    assert "nested too deeply" in settings.notice


def test_a_folder_in_the_file_s_place_is_put_aside(path):
    path.mkdir(parents=True)
    settings = SettingsFile(path)
    asyncio.run(settings.save(FULL))
    assert SettingsFile(path).current == FULL
    assert aside(path)[0].is_dir()


def test_two_broken_files_in_one_second_are_both_kept(path):
    for text in ("{one", "{two"):
        write(path, text)
        SettingsFile(path)
    assert sorted(kept.read_text() for kept in aside(path)) == ["{one", "{two"]


def test_fields_of_a_newer_version_are_kept_when_saving(path):
    write(path, json.dumps({"model": "openai/small", "hologram": {"depth": 3}}))
    settings = SettingsFile(path)
    assert settings.notice == ""
    asyncio.run(settings.save(replace(settings.current, theme="light")))
    stored = json.loads(path.read_text())
    assert stored["hologram"] == {"depth": 3}
    assert stored["theme"] == "light"
    assert stored["model"] == "openai/small"


NEWER = {
    "written_by": "99.1",
    "theme": "sepia",
    "shortcuts": {"window.new": "Ctrl+M", "window.teleport": 7},
    "profiles": [{"name": "a", "voice": "low", "max_tokens": 9}, {"name": "b", "voice": "high"}],
}


def test_all_that_only_a_newer_version_knows_is_kept_wherever_it_stands(path):
    write(path, json.dumps(NEWER))
    settings = SettingsFile(path)
    assert "newer Playhead" in settings.notice
    assert "theme" in settings.notice
    assert aside(path) == []
    changed = Profile(name="a", parameters=ModelParameters(max_tokens=10))
    mine = replace(
        settings.current,
        profiles=(Profile(name="new"), changed),
        shortcuts={"window.new": "Ctrl+K"},
        max_steps=3,
    )
    asyncio.run(settings.save(mine))
    stored = json.loads(path.read_text())
    assert stored["written_by"] == "99.1"
    assert stored["theme"] == "sepia"
    assert stored["shortcuts"] == {"window.new": "Ctrl+K", "window.teleport": 7}
    assert stored["profiles"][1]["voice"] == "low"
    assert stored["profiles"][1]["max_tokens"] == 10
    assert [profile["name"] for profile in stored["profiles"]] == ["new", "a"]
    again = SettingsFile(path).current
    assert (again.profiles, again.max_steps) == ((Profile(name="new"), changed), 3)


def test_what_is_chosen_here_takes_the_place_of_a_newer_versions_choice(path):
    write(path, json.dumps(NEWER))
    settings = SettingsFile(path)
    asyncio.run(settings.save(replace(settings.current, theme="dark")))
    assert SettingsFile(path).current.theme == "dark"


def test_the_file_names_the_version_that_wrote_it(path):
    asyncio.run(SettingsFile(path).save(FULL))
    assert json.loads(path.read_text())["written_by"] == __version__
    write(path, json.dumps({"written_by": "0.0.1", "theme": "sepia"}))
    settings = SettingsFile(path)
    asyncio.run(settings.save(settings.current))
    stored = json.loads(path.read_text())
    assert (stored["written_by"], stored["theme"]) == (__version__, "system")
    assert len(aside(path)) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", 7),
        ("temperature", "warm"),
        ("temperature", True),
        ("max_tokens", 1.5),
        ("max_tokens", -1),
        ("max_steps", None),
        ("max_steps", 0),
        ("theme", "pink"),
        ("window", ["a"]),
        ("window", {"a": 1}),
        ("favourite_models", "openai/x"),
        ("favourite_models", [7]),
        ("profiles", [{"temperature": 1}]),
        ("profiles", {"name": "x"}),
        ("model_overrides", {"openai/x": 3}),
        ("connect_limit_s", 0),
        ("silence_limit_s", float("inf")),
        ("retries", 1000),
        ("budget", -1),
    ],
)
def test_a_wrong_value_falls_back_alone_and_is_kept_in_a_copy(path, field, value):
    before = json.dumps({"instructions": "kept", field: value})
    write(path, before)
    settings = SettingsFile(path)
    assert settings.current == AppSettings(instructions="kept")
    assert field in settings.notice
    assert aside(path)[0].read_text() == before


def test_a_wrong_value_inside_a_profile_falls_back_alone(path):
    profiles = [{"name": "a", "temperature": "warm", "max_tokens": 9}, 5, {"name": "b"}]
    overrides = {"x": {"takes_tools": 1, "context_tokens": 10}, "y": None}
    write(path, json.dumps({"profiles": profiles, "model_overrides": overrides}))
    settings = SettingsFile(path)
    assert settings.current.profiles == (
        Profile(name="a", parameters=ModelParameters(max_tokens=9)),
        Profile(name="b"),
    )
    assert settings.current.model_overrides == {"x": ModelOverride(context_tokens=10)}
    told = settings.notice
    for name in ("profiles 1.temperature", "profiles 2", "model_overrides x.takes_tools", "s y"):
        assert name in told


def test_a_whole_number_is_a_good_temperature(path):
    write(path, '{"temperature": 1}')
    assert SettingsFile(path).current.parameters.temperature == 1


def test_a_disk_that_refuses_is_told_and_leaves_the_old_file_whole(path):
    write(path, '{"model": "old"}')
    code = f"""
        import asyncio, resource
        from pathlib import Path
        from playhead.domain.settings import AppSettings
        from playhead.errors import StorageError
        from playhead.storage.settings import SettingsFile, stored_scale
        settings = SettingsFile(Path({str(path)!r}))
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        try:
            asyncio.run(settings.save(AppSettings(model="new")))
        except StorageError as error:
            print(error.title, settings.current.model)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stdout == "The settings were not saved. new\n", done.stderr
    assert path.read_text() == '{"model": "old"}'
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings = SettingsFile(tmp_path / "file" / "settings.json")
    with pytest.raises(StorageError, match="not saved"):
        asyncio.run(settings.save(FULL))
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_a_link(path, tmp_path):
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    path.parent.mkdir()
    path.symlink_to(target)
    asyncio.run(SettingsFile(path).save(FULL))
    assert path.is_symlink()
    assert SettingsFile(target).current == FULL


async def test_of_many_saves_the_last_one_stays(path):
    settings = SettingsFile(path)
    models = [f"model-{number}" for number in range(10)]
    await asyncio.gather(*(settings.save(AppSettings(model=model)) for model in models))
    assert SettingsFile(path).current.model == "model-9"
