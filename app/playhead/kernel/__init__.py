"""The kernel: runs approved code in a child process, standard library only, any Python from 3.9 on.

Of this package the parent process imports `protocol`, `driver` and `drivers.registry` only. The
child loads it by file as `_playhead_kernel`, so that its names do not shadow the user's own
modules.
"""
