"""The child process that talks to models; the parent imports only `protocol` of it."""
