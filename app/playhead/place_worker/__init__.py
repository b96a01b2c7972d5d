"""Child process that looks like a kernel of ours and has a Jupyter kernel run the code.

The only importer of pyzmq. It is the host of `kernel/` with a driver of its own, so it takes the
same commands and sends the same marks. Of this package the app uses no module: it starts `boot.py`.
"""
