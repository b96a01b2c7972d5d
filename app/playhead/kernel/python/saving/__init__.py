"""Save the variables of the namespace while no block runs, and bring them back; stdlib only.

Imported by `python_kernel` alone.
"""
