#!/bin/sh
# Try the README's two commands on new machines: `packaging/bare-machine.sh [--no-test] [SUITE…]`, as
# root, with debootstrap; by default on Debian's bookworm. Such a machine has only make, python3 and
# python3-venv (or what BARE_WITH names); the last commit is unpacked into a folder with a space in its
# name, and the home is empty. The output is also written to build/bare-machine-SUITE.log.
#
# BARE_CA=FILE    certificates that reach the package indexes from here, if the usual ones do not
# BARE_APT=FILE   apt's settings for the mirror, if it needs some: a copy that is no longer fresh
# BARE_ENV="A=B"  more variables; none of them with a space
# DEBIAN_MIRROR   where the system comes from; it is kept in build/, as for `make package-test`
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

unpack() {
    bare=build/bare-$suite.tar
    if [ ! -e "$bare" ]; then
        debootstrap --variant=minbase "$suite" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
        tar -C "$root" -cf "$bare" .
    else
        mkdir -p "$root"
        tar -C "$root" -xf "$bare"
    fi
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    mkdir -p "$root/home/new user/play head"
    git archive HEAD | tar -C "$root/home/new user/play head" -x
    [ -z "${BARE_CA:-}" ] || cp "$BARE_CA" "$root/etc/own-certificates.pem"
    [ -z "${BARE_APT:-}" ] || cp "$BARE_APT" "$root/etc/apt/apt.conf.d/99own"
}

inside() { # as on a new machine: next to no variables
    set -- PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="/home/new user" \
        LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${BARE_ENV:-} "$@"
    [ -z "${BARE_CA:-}" ] || set -- SSL_CERT_FILE=/etc/own-certificates.pem \
        PIP_CERT=/etc/own-certificates.pem NODE_EXTRA_CA_CERTS=/etc/own-certificates.pem "$@"
    chroot "$root" /usr/bin/env -i "$@"
}

# Stands apart from the rest, in namespaces of its own: nothing stays mounted and nothing runs on.
try() {
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    say "$suite, with ${BARE_WITH:-make python3 python3-venv}"
    inside DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        ${BARE_WITH:-make python3 python3-venv} >/dev/null 2>&1
    rm -rf "$root"/var/lib/apt/lists/* # as in the images of containers
    say "make run </dev/null"
    make_inside run </dev/null
    say "printf \"What's 34/24?\\n\" | make run ARGS=--yes"
    printf "What's 34/24?\n" | make_inside run ARGS=--yes | tee "$root/said"
    grep -qx 1.4166666666666667 "$root/said"
    [ "$with_test" = no ] || {
        say "make test"
        make_inside test </dev/null
    }
    say "$suite: all of it went well"
}

make_inside() { inside sh -c 'cd "$HOME/play head" && exec make "$@"' sh "$@"; }

if [ "${1:-}" = --try ]; then
    root=$2 suite=$3 with_test=$4
    try
    exit
fi
with_test=yes
[ "${1:-}" != --no-test ] || { with_test=no && shift; }
[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || {
    echo "This needs root and debootstrap (Debian, Ubuntu: apt-get install debootstrap)." >&2
    exit 1
}
mkdir -p build
status=0
for suite in "${@:-bookworm}"; do
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
    unpack
    {
        echo failed >"$root/outcome"
        ! unshare --mount --pid --fork --kill-child --propagation private \
            sh packaging/bare-machine.sh --try "$root" "$suite" "$with_test" 2>&1 ||
            echo passed >"$root/outcome"
    } | tee "build/bare-machine-$suite.log"
    [ "$(cat "$root/outcome")" = passed ] || { status=1 && echo "$suite: failed" >&2; }
    rm -rf --one-file-system "$root"
done
exit $status
