"""Child process that reads code without running it; the parent imports only its `protocol`."""
