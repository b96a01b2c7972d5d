#!/bin/sh
# Takes the AppArmor profile away with the program.
set -e
profile=/etc/apparmor.d/playhead
case "$1" in
remove | purge)
    if [ -e "$profile" ]; then
        if [ -d /sys/kernel/security/apparmor ] && command -v apparmor_parser >/dev/null; then
            apparmor_parser --remove "$profile" || :
        fi
        rm -f "$profile"
    fi
    ;;
esac
