"""AppleScript, one `osascript` for each block; not tested here, where there is no macOS."""

from __future__ import annotations

from .one_shot import OneShotDriver


class AppleScript(OneShotDriver):
    """Runs scripts with `osascript`, which prints their result itself."""

    word = "applescript"
    name = "AppleScript"
    aliases = ("osascript",)
    programs = ("osascript",)
    suffix = ".applescript"
