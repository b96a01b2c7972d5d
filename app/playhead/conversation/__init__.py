"""The domain: values and folds, no I/O; anything above may import it, it imports only `errors`."""
