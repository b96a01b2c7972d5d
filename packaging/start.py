"""The frozen program's entry."""

import sys

from playhead.__main__ import main

sys.exit(main())
