"""The code editor pane and its running line; imported by `ui` only."""
