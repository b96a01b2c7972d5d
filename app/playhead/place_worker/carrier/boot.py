"""Starts a carrier, as a script or inside the executable."""

from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = os.path.dirname(_PACKAGE)


def main() -> int:
    """Carry until the app has gone or the kernel has ended."""
    if ROOT not in sys.path:
        sys.path.insert(0, ROOT)  # no code of a user runs in this process
    from playhead.place_worker.carrier.carrier import serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
