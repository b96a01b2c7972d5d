"""The panel with the names of the kernel; imported by `ui` only."""
