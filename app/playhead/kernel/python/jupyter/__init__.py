"""This kernel's parts beside the shell of IPython, in a Jupyter kernel here or on a server.

Loaded by the place worker, into the kernel that it has run the code.
"""
