"""The past of a conversation: undo of runs, variables that survive; imported by `session`."""
