"""Where a conversation runs: the menus, the sheets of servers and machines, the head's words.

Only `shell` imports it.
"""
