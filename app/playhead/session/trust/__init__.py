"""The rules of what code may do and when a person is asked; imported by `session`."""
