"""What tests stand on: servers, kernels, displays and drivers; only tests import it."""
