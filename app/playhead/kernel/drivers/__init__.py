"""One class per language that code can be run in; imported by the kernel's host and by its parent.

Standard library only, like all of the kernel. `registry` lists the classes. What every one of them
is and does stands in the module `driver` above; what those have in common that talk to a program of
another language stands in `child`.
"""
