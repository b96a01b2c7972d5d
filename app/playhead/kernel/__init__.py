"""The kernel: runs approved code in a child process, standard library only, any Python from 3.9 on.

Of this package the parent process imports `protocol`, `driver` and `drivers.registry` only. The
child loads it by file as `_playhead_kernel`, so that no name of it stands in the way of the user's
own modules.
"""
