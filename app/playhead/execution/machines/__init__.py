"""Other machines and containers: found, and asked about; for `execution` and `bootstrap`."""
