"""AppleScript, one `osascript` for each block; not run here, where there is no macOS."""

from __future__ import annotations

from .one_shot import OneShotDriver


class AppleScript(OneShotDriver):
    """What a script returns is printed by `osascript` itself."""

    word = "applescript"
    name = "AppleScript"
    aliases = ("osascript",)
    programs = ("osascript",)
    suffix = ".applescript"
