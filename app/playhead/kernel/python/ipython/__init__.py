"""The features of notebooks in blocks: magics, `display`, `get_ipython()`, `IPython.display`.

`runner` and `python_kernel` import it; from the folder above it imports how values are shown.
"""
