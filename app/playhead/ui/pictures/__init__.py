"""Pictures in a window of their own."""
