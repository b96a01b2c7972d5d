"""The Pythons and kernels that code runs in: found, made, installed into."""
