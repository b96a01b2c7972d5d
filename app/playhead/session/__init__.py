"""The interpreter's loop in plain asyncio; imports `conversation`, `dialects` and `errors`, never an adapter."""
