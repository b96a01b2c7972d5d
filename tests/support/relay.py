"""Stands in place of a model worker: passes bytes between its pipes and the shared one's socket.

It ends when either side does.
"""

import os
import selectors
import socket
import sys


def _write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def main(address: str, lane: str = "http") -> None:
    """Pass on until one side ends; the address is that of the lane's worker."""
    link = socket.socket(socket.AF_UNIX)
    link.connect(f"{address}.{lane}")
    sides = selectors.DefaultSelector()
    sides.register(0, selectors.EVENT_READ, (lambda: os.read(0, 65536), link.sendall))
    sides.register(link, selectors.EVENT_READ, (lambda: link.recv(65536), _write))
    while True:
        for key, _ in sides.select():
            read, put = key.data
            data = read()
            if not data:
                return
            put(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
