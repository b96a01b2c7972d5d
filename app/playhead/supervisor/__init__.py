"""The supervisor: the small parent of a kernel, standard library only, any Python from 3.9 on.

It reaps all that the kernel starts, reports what is seen from outside, and ends all of it when the
app goes away. It never holds the pipe of the output. For a sandbox it has namespaces of its own,
with a gate outside and a catcher inside for its network. Of this package the app imports `protocol`
and, to look without asking first, `outside_view`; the executable starts `boot`, which loads the
rest by file as `_playhead_supervisor`.
"""
