#!/bin/sh
# Make .venv hold exactly what a lock says: `setup.sh run` or `setup.sh dev`. Quick when it already does.
set -eu
cd "$(dirname "$0")/.."
part=${1:-run}
lock=requirements.lock
[ "$part" = run ] || lock=requirements-$part.lock

say() { printf '%s\n' "$*" >&2; }

# The stamp holds the folder too: a copied or moved .venv points at the old one.
wanted() { pwd; cksum requirements*.lock pyproject.toml packaging/setup.sh; }

is_done() { [ -x .venv/bin/python ] && [ "$(wanted)" = "$(cat ".venv/.playhead-$1" 2>/dev/null)" ]; }

is_supported() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

find_python() {
    for name in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if command -v "$name" >/dev/null && is_supported "$name"; then
            command -v "$name"
            return
        fi
    done
    say "Playhead needs Python 3.11, 3.12 or 3.13, and none was found on the PATH."
    say "Found: $(python3 --version 2>&1 || echo 'no python3 at all')."
    say "Install one (Debian 12, Ubuntu 24.04: sudo apt-get install python3 python3-venv), or name it:"
    say "    make run PYTHON=/path/to/python3.12"
    exit 1
}

make_venv() {
    python=$(find_python)
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -m venv --clear .venv
    else
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        say "This Python ($python) cannot make virtual environments. On Debian and Ubuntu:"
        say "    sudo apt-get install python3-venv || sudo apt-get install python$version-venv"
        exit 1
    fi
}

# What the tests need holds all that running needs.
if is_done dev || is_done "$part"; then exit 0; fi
say "Setting up .venv (once; it downloads about 250 MB) …"
is_supported .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1 || make_venv
pip() { .venv/bin/python -m pip --disable-pip-version-check --quiet "$@"; }
pip install --require-hashes --requirement "$lock"
# Hatchling stands in the lock, so that not even the build fetches anything without a hash.
pip install --no-deps --no-build-isolation --editable .
wanted >".venv/.playhead-$part"
