"""The composition root: the only package that knows every part; builds, joins, closes them.

`window` is the program with its window, `headless` the servers; each imports the other's parts
never, for a server loads no display's libraries.
"""
