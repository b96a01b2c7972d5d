"""One class per language that code can be run in; imported by the kernel's host and by its parent.

Standard library only, like all of the kernel. `registry` lists the classes. The module `driver`
above documents their interface; `child` has what is common to those that talk to a program of
another language.
"""
