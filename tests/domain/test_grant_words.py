"""What is said of paths that a sandbox hid from code, and of grants."""

from __future__ import annotations

import pytest

from playhead.domain.text.grant_words import hidden_path
from playhead.domain.trust import Reach

HOME = "/home/me"
FOLDER = f"{HOME}/work"
DATA = f"{HOME}/Downloads/my data.csv"
PLAIN = f"{HOME}/Downloads/a.csv"


@pytest.mark.parametrize(
    ("printed", "path"),
    [
        (f"FileNotFoundError: [Errno 2] No such file or directory: '{DATA}'", DATA),
        (f"OSError: [Errno 30] Read-only file system: '{PLAIN}'", PLAIN),
        (f"cat: {PLAIN}: No such file or directory\n", PLAIN),
        (f"ls: cannot access '{DATA}': No such file or directory", DATA),
        (f"Error: ENOENT: no such file or directory, open '{DATA}'", DATA),
        (f"  cannot open file '{DATA}': No such file or directory", DATA),
        (f"No such file or directory @ rb_sysopen - {PLAIN} (Errno::ENOENT)", PLAIN),
        (f"java.io.FileNotFoundException: {PLAIN} (No such file or directory)", PLAIN),
        (f"'{PLAIN}' was read\nKeyError: 'a'", ""),
        (f"No such file or directory: '{FOLDER}/no.csv'", ""),
        ("No such file or directory: 'no.csv'", ""),
        ("No such file or directory: '/usr/lib/no.so'", ""),
        (f"No such file or directory: '{HOME}/.cache/thing'", ""),
        (f"No such file or directory: '{HOME}/given/no.csv'", ""),
        (f"No such file or directory: '{FOLDER}/../Downloads'", f"{HOME}/Downloads"),
    ],
)
def test_the_path_that_was_hidden_is_found_in_what_was_printed(
    printed: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", HOME)
    assert hidden_path(printed, FOLDER, Reach(readable=(f"{HOME}/given",))) == path
