#!/bin/sh
# Print the path of a Python that runs Playhead and can make environments. The exit status is 1 if
# none was found, 2 if the one printed lacks the module venv. `python.sh minors` lists the supported
# versions, `supports PATH` tests for one of them, `explain` prints why none was found.
set -eu
cd "$(dirname "$0")/.."

# pyproject.toml alone says which: requires-python = ">=3.11,<3.15".
range=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)".*/\1 \2/p' pyproject.toml)
oldest=${range% *} next=${range#* }

minors() { # newest first
    minor=$next
    while [ "$minor" -gt "$oldest" ]; do
        minor=$((minor - 1))
        echo "$minor"
    done
}

is_supported() {
    "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] < (3, $next))" 2>/dev/null
}

case "${1:-find}" in
minors) minors ;;
supports) is_supported "$2" ;;
explain)
    versions=$(minors | sed 's/^/3./' | tr '\n' ' ')
    {
        echo "Playhead runs on Python ${versions% }. None of them was found on the PATH"
        echo "with its module venv (here is $(python3 --version 2>&1 || echo no python3))."
        # Of one that is too new the program knows what has no release for it.
        PYTHONPATH=app python3 -B -m playhead --version 2>&1 | grep 'no release' || :
        echo "Install one, or name it:"
        echo "    make run PYTHON=/path/to/python3"
    } >&2
    ;;
find)
    poor=
    for name in ${PYTHON:-} python3 $(minors | sed 's/^/python3./') python; do
        if ! path=$(command -v "$name") || ! is_supported "$path"; then continue; fi
        if "$path" -c 'import ensurepip, venv' 2>/dev/null; then
            echo "$path"
            exit
        fi
        poor=${poor:-$path}
    done
    [ -n "$poor" ] || exit 1
    echo "$poor"
    exit 2
    ;;
esac
