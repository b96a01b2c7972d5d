"""The pane around the code: header, tabs, status, find bar, changes, running line.

It may import `ui.editor.code`.
"""
