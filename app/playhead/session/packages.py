"""From a missing module to the code that installs it."""

from __future__ import annotations

import re

from playhead.errors import SessionError

# Modules whose package on PyPI has another name; the ones that models use most.
_PACKAGES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "PIL": "pillow",
    "pptx": "python-pptx",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}

_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def package_for(module: str) -> str:
    """The package that provides a module. Raises SessionError if that is no module's name."""
    if not _MODULE.fullmatch(module):
        raise SessionError(f"“{module}” is not the name of a module.")
    top = module.partition(".")[0]
    return _PACKAGES.get(top, top)


def install_code(module: str) -> str:
    """Python that installs the module's package into the interpreter that runs it."""
    package = package_for(module)
    return (
        "import importlib, subprocess, sys\n"
        f'subprocess.run([sys.executable, "-m", "pip", "install", "{package}"], check=True)\n'
        "importlib.invalidate_caches()\n"
    )
