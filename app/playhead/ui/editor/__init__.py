"""The code editor pane, its tabs and its running line; imported by `ui` only.

`code` holds the editing widgets, `pane` the pane around them; the modules here decide which tabs
the pane shows.
"""
