"""One module per kind of card; imported by `ui.timeline` only."""
