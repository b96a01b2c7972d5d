"""Settings of dmgbuild: the app beside a link to the folder that it is dragged into."""

from pathlib import Path

APP = str(Path("dist/Playhead.app").resolve())

files = [APP]
symlinks = {"Applications": "/Applications"}
icon_locations = {"Playhead.app": (140, 150), "Applications": (400, 150)}
window_rect = ((200, 200), (540, 320))
icon_size = 96
format = "ULFO"
