"""Language models become chunks here; only `bootstrap` imports it."""
