"""Runs blocks of Python in the host's own process.

Only the driver of Python imports it, when a kernel starts: kernels of other languages and the
parent process load none of it. Standard library only, like all of the kernel.
"""
