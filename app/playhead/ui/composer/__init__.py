"""Where a message is written, with what goes with it."""
