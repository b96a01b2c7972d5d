#!/bin/sh
# What is missing of the system's packages: `system.sh check run|test` says so, `system.sh install` mends it.
set -eu
cd "$(dirname "$0")/.."
list=packaging/system-packages.txt

packages() { sed -n 's/^\(run\|test\)  *\([^ ]*\).*/\2/p' "$list" | tr '\n' ' '; }
programs() { sed -n 's/^test  *[^ ]*  *\([^ ]*\).*/\1/p' "$list"; }

root() { [ "$(id -u)" = 0 ] || echo "sudo "; }
apt_line() { echo "$(root)apt-get install --no-install-recommends $(packages)"; }

# Libraries that Qt's own ones cannot be loaded without, as the dynamic loader sees it.
missing_libraries() {
    command -v ldd >/dev/null || return 0
    for folder in .venv/lib/python3*/site-packages/PySide6; do
        ldd "$folder/Qt/plugins/platforms/libqxcb.so" "$folder"/Qt/lib/libQt6Widgets.so.6 2>/dev/null
    done | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u
}

missing_programs() {
    for name in $(programs); do
        command -v "$name" >/dev/null || echo "$name"
    done
}

advise() { # what, missing
    {
        echo "$1 $(echo "$2" | tr '\n' ' ')"
        if command -v apt-get >/dev/null; then
            echo "\`make system\` installs it, or by hand:"
            echo "    $(apt_line)"
        fi
    } >&2
}

check() {
    [ "$(uname -s)" = Linux ] || return 0
    libraries=$(missing_libraries)
    if [ -n "$libraries" ]; then
        advise "The window needs system libraries that are missing:" "$libraries"
        return 1
    fi
    [ "$1" = test ] || return 0
    tools=$(missing_programs)
    [ -z "$tools" ] || advise "Some tests are skipped, because these programs are missing:" "$tools"
}

case "${1:-}" in
check) check "${2:-run}" ;;
install)
    command -v apt-get >/dev/null || { echo "No apt-get here: see README.md, Installation." >&2; exit 1; }
    # apt-get update may fail for one unreachable source while the packages are to be had.
    $(root)apt-get update -q || echo "(apt-get update failed; going on with the old lists)" >&2
    $(root)env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(packages)
    ;;
*) echo "usage: system.sh check run|test | install" >&2; exit 2 ;;
esac
