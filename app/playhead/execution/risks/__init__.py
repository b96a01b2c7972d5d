"""What code would do before it runs: read here, in a thread; imported by `bootstrap`."""
