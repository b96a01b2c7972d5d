"""Keep tests away from the user's files, keys and settings."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

REQUIRE_ALL = "PLAYHEAD_REQUIRE_ALL"
"""Set to 1, a program that is missing fails the tests that need it."""
RUNS_ALL = os.environ.get("PLAYHEAD_TEST_ALL") == "1"
"""Whether the groups of `SLOW_GROUPS` run, and generators make all of their examples."""
SLOW_GROUPS = {
    "languages": "programs of other languages",
    "pythons": "kernels of other Pythons than this one",
    "clients": "SDKs in environments of their own",
    "jupyter": "ipykernel in the window, the sandbox and the terminal",
}
_KEY_VARIABLE = re.compile(
    r"(_API_KEY|_API_TOKEN|_AUTH_TOKEN|_ACCESS_KEY|_SECRET|_SECRET_KEY|_TOKEN)$"
    r"|^(AWS|AZURE|GOOGLE|VERTEXAI|WATSONX)_"
    r"|^PLAYHEAD_(?!(REQUIRE|TEST)_ALL$)"
)


def forget_keys() -> None:
    """Take keys, provider settings and our own variables out of this process's environment."""
    for name in [name for name in os.environ if _KEY_VARIABLE.search(name)]:
        del os.environ[name]


def settle_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point everything that names a place of the user's into `home`."""
    places = {
        "HOME": home,
        "USERPROFILE": home,
        "XDG_DATA_HOME": home / "xdg-data",
        "XDG_CONFIG_HOME": home / "xdg-config",
        "XDG_CACHE_HOME": home / "xdg-cache",
        "XDG_STATE_HOME": home / "xdg-state",
        "XDG_RUNTIME_DIR": home / "run",
        "PLAYHEAD_DATA_DIR": home / "data",
        "PLAYHEAD_CONFIG_DIR": home / "config",
        "PLAYHEAD_CACHE_DIR": home / "cache",
    }
    (home / "run").mkdir(mode=0o700)
    for variable, place in places.items():
        monkeypatch.setenv(variable, str(place))


def skip_unless_all_run(group: str) -> None:
    """Skip by name what only the whole run has."""
    if not RUNS_ALL:
        pytest.skip(f"{group} ({SLOW_GROUPS[group]}): make test ALL=1 runs them")


def skip_without(*programs: str) -> None:
    """Skip by name when a system program is missing; fail where everything must be there."""
    folders = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])  # a user's may lack it
    missing = [program for program in programs if shutil.which(program, path=folders) is None]
    if not missing:
        return
    reason = f"needs {', '.join(missing)}: run make system"
    if os.environ.get(REQUIRE_ALL) == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
