"""Starts a carrier, as a script or inside the executable."""

from __future__ import annotations

import os
import sys

ROOT = os.path.abspath(__file__)
for _ in ("boot.py", "carrier", "place_worker", "playhead"):
    ROOT = os.path.dirname(ROOT)


def main() -> int:
    """Carry until the app has gone or the kernel has ended."""
    if ROOT not in sys.path:
        sys.path.insert(0, ROOT)  # no code of a user runs in this process
    from playhead.place_worker.carrier.carrier import serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
