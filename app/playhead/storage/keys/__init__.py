"""The keys of providers and the system's keyring; only `bootstrap` imports it."""
