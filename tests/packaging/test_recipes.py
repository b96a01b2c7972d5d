"""The recipes of the packages say what they should, as far as that can be read here."""

from __future__ import annotations

import plistlib
import re
import runpy
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
SCRIPTS = sorted(PACKAGING.rglob("*.sh"))
INNO = (PACKAGING / "windows/playhead.iss").read_text("utf-8")
KNOWN_TO_INNO = {
    "Setup",
    "Languages",
    "Tasks",
    "Files",
    "InstallDelete",
    "Icons",
    "Registry",
    "Run",
}


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.name for script in SCRIPTS])
def test_shell_scripts_are_whole(script: Path) -> None:
    done = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert script.read_text("utf-8").splitlines()[0] == "#!/bin/sh"


def test_the_menu_entry_takes_files_and_its_types_are_those_of_the_other_systems() -> None:
    entry = RawConfigParser()
    entry.read(PACKAGING / "linux/playhead.desktop", "utf-8")
    values = entry["Desktop Entry"]
    assert values["Exec"] == "playhead %F"
    types = set(values["MimeType"].strip(";").split(";"))
    assert types == {"application/x-ipynb+json", "text/csv", "text/x-python", "inode/directory"}
    assert re.findall(r'SupportedTypes".*ValueName: "(\.\w+)"', INNO) == [".ipynb", ".csv", ".py"]
    assert 'CFBundleTypeExtensions": ["ipynb", "csv", "py"]' in (ROOT / "build.spec").read_text()


def test_the_window_says_the_name_of_its_menu_entry() -> None:
    """Else Wayland and the task bar show it without its icon."""
    entry = (PACKAGING / "linux/playhead.desktop").read_text("utf-8")
    assert "StartupWMClass=playhead" in entry
    window = (ROOT / "app/playhead/bootstrap/window.py").read_text("utf-8")
    assert 'setDesktopFileName("playhead")' in window


def test_descriptions_are_well_formed() -> None:
    for name in ("linux/playhead.metainfo.xml", "linux/playhead.xml"):
        assert ElementTree.parse(PACKAGING / name).getroot().tag
    rights = plistlib.loads((PACKAGING / "macos/entitlements.plist").read_bytes())
    assert all(value is True for value in rights.values())


def test_the_disk_image_holds_the_app_and_a_way_to_install_it() -> None:
    settings = runpy.run_path(str(PACKAGING / "macos/dmg.py"))
    assert Path(settings["files"][0]).name == "Playhead.app"
    assert settings["symlinks"] == {"Applications": "/Applications"}
    assert set(settings["icon_locations"]) == {"Playhead.app", "Applications"}


def test_the_installer_of_windows_is_whole() -> None:
    assert set(re.findall(r"^\[(\w+)\]$", INNO, re.MULTILINE)) == KNOWN_TO_INNO
    licence = re.search(r"^LicenseFile=(.+)$", INNO, re.MULTILINE)
    assert licence is not None
    assert (PACKAGING / "windows" / licence[1].replace("\\", "/")).resolve() == ROOT / "LICENSE"
    assert 'Source: "..\\..\\dist\\playhead\\*"' in INNO
    lines = [line for line in INNO.splitlines() if line.startswith(("Root:", "Name:", "Source:"))]
    assert all(line.count('"') % 2 == 0 for line in lines)


def test_the_workflow_packs_on_all_three_systems_after_the_tests() -> None:
    text = (ROOT / ".github/workflows/package.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert [job["runs-on"].partition("-")[0] for job in jobs.values()] == [
        "ubuntu",
        "ubuntu",
        "macos",
        "windows",
    ]
    for name in ("linux", "macos", "windows"):
        assert jobs[name]["needs"] == "test"
        steps = "\n".join(step.get("run", "") for step in jobs[name]["steps"])
        assert "make package" in steps or "package.py" in steps
    targets = set(re.findall(r"\bmake ([\w-]+)", text))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


@pytest.mark.skipif(not shutil.which("desktop-file-validate"), reason="needs desktop-file-utils")
def test_the_menu_entry_is_valid() -> None:
    entry = PACKAGING / "linux/playhead.desktop"
    done = subprocess.run(["desktop-file-validate", entry], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_profile_of_apparmor_is_for_the_program_as_it_is_installed() -> None:
    profile = (PACKAGING / "linux/apparmor").read_text("utf-8")
    (path,) = re.findall(r"^profile playhead (\S+) flags=\(unconfined\) \{$", profile, re.MULTILINE)
    recipe = (PACKAGING / "linux/deb.py").read_text("utf-8")
    assert path == "/usr/lib/playhead/playhead"
    assert path.lstrip("/") in recipe
    assert "\n  userns,\n" in profile
    assert profile.rstrip().endswith("}")
    for name in ("postinst", "postrm"):
        script = (PACKAGING / f"linux/{name}.sh").read_text("utf-8")
        assert "profile=/etc/apparmor.d/playhead\n" in script
    assert "/usr/share/playhead/apparmor" in (PACKAGING / "linux/postinst.sh").read_text("utf-8")
    assert "bubblewrap" in runpy.run_path(str(PACKAGING / "linux/deb.py"))["dependencies"]()


def test_the_table_of_licences_names_the_weak_copyleft_of_libraries_in_wheels() -> None:
    parts = list(runpy.run_path(str(PACKAGING / "licences.py"))["python_parts"]())
    under_mozilla = {
        part.name: part.licence
        for part in parts
        for text in part.texts
        if re.match(r"(?i)(licen[cs]e|copying)", text.name)
        and "Mozilla Public License" in text.read_text("utf-8", "replace")
    }
    assert "pyzmq" in under_mozilla
    unnamed = {
        name: one for name, one in under_mozilla.items() if not re.search("MPL|Mozilla", one)
    }
    assert unnamed == {}
