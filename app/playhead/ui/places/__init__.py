"""The choice of where a conversation runs: its menus, and the sheets of servers and machines.

Only `shell` imports it.
"""
