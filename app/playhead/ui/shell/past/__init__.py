"""The window as it was after an earlier run; imported by `ui.shell.main_window`."""
