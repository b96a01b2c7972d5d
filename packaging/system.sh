#!/bin/sh
# See that the system has what a command of make needs, before that command downloads anything:
# `system.sh run|lint|test|all|package|package-test`; `system.sh system` gets what all tests need.
# As root, or where sudo asks nothing, what is missing is installed; at a terminal the user is asked;
# else the line to type is printed. With PLAYHEAD_NO_SYSTEM=1 the system is only looked at.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin # where ldconfig lies, which the PATH of a user leaves out
part=$1

say() { printf '%s\n' "$*" | fold -s -w 80 >&2; }

groups() {
    case $part in
    lint) echo python ;;
    run)
        echo python core
        # What __main__.py asks before it opens a window.
        [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ] || echo window
        ;;
    test) echo python core window sandbox test ;;
    all | system) echo python core window sandbox test all ;;
    package) echo python core window test package ;;
    package-test) echo python core window test debian ;;
    esac
}

# Which of them is installed tells nothing: Fedora has an apt, and Debian a dnf.
find_manager() {
    case " $(. /etc/os-release 2>/dev/null && echo "${ID:-} ${ID_LIKE:-}") " in
    *" debian "* | *" ubuntu "*) echo apt-get ;;
    *" fedora "* | *" rhel "*) echo dnf ;;
    *" arch "*) echo pacman ;;
    *" suse "* | *" opensuse "*) echo zypper ;;
    esac
}

# List the libraries that the loader finds, but for those of other kinds of processor.
list_libraries() {
    case $(uname -m) in
    x86_64) kind=,x86-64 ;;
    aarch64) kind=,AArch64 ;;
    *) kind= ;;
    esac
    ldconfig -p 2>/dev/null | sed -n "s/^[[:space:]]*\([^ ]*\) (libc6$kind.*/\1/p"
    (IFS=: && for folder in ${LD_LIBRARY_PATH:-}; do ls "$folder" 2>/dev/null || :; done)
}

is_there() {
    case $1 in
    python) [ "$python" = 0 ] ;;
    lib*.so.*) case " $libraries " in *" $1 "*) ;; *) return 1 ;; esac ;;
    /*) for path in $1; do [ ! -e "$path" ] || return 0; done && return 1 ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# A line for each thing that is missing: what tells, and the packages that bring it.
list_missing() {
    wanted=" $(echo $(groups)) "
    while read -r group apt tells dnf pacman zypper; do
        case $wanted in *" $group "*) ;; *) continue ;; esac
        ! is_there "$tells" || continue
        case $manager in
        apt-get) name=$apt ;;
        dnf) name=$dnf ;;
        pacman) name=$pacman ;;
        zypper) name=$zypper ;;
        *) name=$tells ;;
        esac
        [ "$name" != python3-venv ] || name=$(choose_python)
        [ "$name" = - ] || echo "$tells $name"
    done <packaging/system-packages.txt
}

# Debian's packages of a Python: the system's own if it fits, else the newest that stands beside it.
choose_python() {
    if [ "$python" = 2 ]; then # this one lacks nothing but its module venv
        case $found in
        */python3.*) echo "${found##*/}-venv" ;;
        *) echo python3-venv ;;
        esac
        return
    fi
    fitting=$(sh packaging/python.sh minors)
    own=$(apt-cache show python3 2>/dev/null | sed -n 's/^Version: 3\.\([0-9]*\).*/\1/p' | head -n 1)
    if [ -z "$own" ] || echo "$fitting" | grep -qx "$own"; then
        echo python3 python3-venv
        return
    fi
    for minor in $fitting; do
        if apt-cache show "python3.$minor-venv" >/dev/null 2>&1; then
            echo "python3.$minor python3.$minor-venv"
            return
        fi
    done
    echo none
}

# "2 system libraries", or "1 system package" where it is not libraries alone.
count() {
    set -- $packages
    if echo "$missing" | grep -qv '^lib'; then
        one=package many=packages
    else
        one=library many=libraries
    fi
    [ $# = 1 ] && echo "1 system $one" || echo "$# system $many"
}

apt_get() { # a new machine may still be busy with its own updates: their lock is waited for
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" </dev/null
}

# apt says much: it is shown when it has failed. Its lists are fetched only when they do not do: a new
# machine has none, and old ones name what is no longer there.
install() {
    log=$(mktemp)
    for try in 1 2; do
        if apt_get install -y --no-install-recommends $packages >>"$log" 2>&1; then
            rm "$log"
            return
        fi
        [ $try = 2 ] || apt_get update >>"$log" 2>&1 || : # one source of many may not answer
    done
    cat "$log" >&2
    rm "$log"
    return 1
}

# Without a library or Python nothing starts; without a program its tests are skipped.
is_vital() { echo "$missing" | grep -q '^lib\|^python '; }

# The line to type, and the end.
give_up() {
    case $manager in
    apt-get) line="apt-get install --no-install-recommends" ;;
    dnf) line="dnf install" ;;
    pacman) line="pacman -S --needed" ;;
    zypper) line="zypper install" ;;
    esac
    say "$1"
    if [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; then
        [ "$(id -u)" = 0 ] || line="sudo $line"
        echo "    $line $packages" >&2 # whole, to be copied
    else
        echo "    su -c '$line $packages'" >&2
    fi
    if ! is_vital; then
        say "Or go on without them, and without what needs them:"
        say "    PLAYHEAD_NO_SYSTEM=1 $command"
    fi
    exit 1
}

[ "$(uname -s)" = Linux ] || exit 0
command="make $part"
[ "$part" != all ] || command="make test ALL=1"
python=0 found=
.venv/bin/python -c '' 2>/dev/null || found=$(sh packaging/python.sh) || python=$?
manager=$(find_manager)
libraries=$(list_libraries | tr '\n' ' ')
missing=$(list_missing)
[ -n "$missing" ] || exit 0
case $missing in *"python none"*) sh packaging/python.sh explain && exit 1 ;; esac
packages=$(echo "$missing" | cut -d ' ' -f 2- | tr ' ' '\n' | awk '!seen[$0]++' | tr '\n' ' ')
packages=${packages% }
lacks="\`$command\` needs $(count) more: $packages"

if [ -z "$manager" ]; then # nobody knows what its packages are called, nor whether it is true
    say "\`$command\` may need what was not found here: $packages"
    exit 0
fi
if [ "${PLAYHEAD_NO_SYSTEM:-}" = 1 ]; then
    say "$lacks"
    is_vital || exit 0
    exit 1
fi
[ $manager = apt-get ] || give_up "$lacks"
can_ask=
[ ! -t 0 ] || [ ! -t 2 ] || ! command -v sudo >/dev/null || can_ask=1
if [ "$(id -u)" = 0 ]; then
    sudo=
elif [ "$can_ask" ]; then
    sudo=sudo
    say "$lacks"
    printf 'Install %s with sudo? [Y/n] ' "$(count)" >&2
    read -r answer || answer=n
    case $answer in "" | [Yy]*) ;; *) give_up "Nothing was installed. By hand:" ;; esac
elif sudo -n true 2>/dev/null; then
    sudo="sudo -n"
else
    give_up "$lacks"
fi
[ "$sudo" = sudo ] && say "Installing …" || say "Installing $(count) that \`$command\` needs: $packages"
install || give_up "apt-get could not install what \`$command\` needs (see above). By hand:"
