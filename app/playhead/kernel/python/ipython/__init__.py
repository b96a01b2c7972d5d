"""What blocks know from notebooks: magics, `display`, `get_ipython()`, `IPython.display`.

`runner` and `python_kernel` import it; it imports from the folder above how values are shown.
"""
