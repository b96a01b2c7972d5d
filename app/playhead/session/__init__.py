"""The interpreter's loop in plain asyncio; imports values and ports, never an adapter."""
