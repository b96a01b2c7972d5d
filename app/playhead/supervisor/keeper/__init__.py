"""The far side of a kernel on another machine: keeps it while nobody is connected.

`door` is sent as text at each connection and hands it to the `keeper`, which lives on: the parent
of a supervisor with its kernel. A carrier at this end (`place_worker/carrier`) uses
`resumable_stream`, too. Standard library only, any Python from 3.9 on.
"""
