"""The composition root: the only package that knows every part; builds, joins, closes them.

`window` is the program with its window up to the first paint, `window_life` from there to its end,
`headless` the servers; these import nothing of the window's, for a server loads no display's
libraries.
"""
