"""What Python does, read from its syntax tree; imported by `code_facts`."""
