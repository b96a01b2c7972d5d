"""Other programs' kernels: which there are, how they start; for `bootstrap` and `execution`."""
