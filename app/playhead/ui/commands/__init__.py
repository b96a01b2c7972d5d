"""What can be done, by menu, by keys and by name."""
