#!/bin/sh
# Install Playhead for the user who runs this: `./install.sh`, and `./install.sh --remove` takes it
# away again. Conversations, settings and keys are touched by neither.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
programs=${XDG_BIN_HOME:-$HOME/.local/bin}
program=$data/playhead-program

refresh() {
    for command in "update-desktop-database $data/applications" "update-mime-database $data/mime" \
        "gtk-update-icon-cache -q -t -f $data/icons/hicolor"; do
        # shellcheck disable=SC2086
        if command -v "${command%% *}" >/dev/null; then $command >/dev/null 2>&1 || :; fi
    done
}

remove() {
    if [ -d "$program" ] && [ ! -x "$program/playhead" ]; then
        echo "$program holds something else; it was left as it is." >&2
        exit 1
    fi
    rm -rf "$program"
    if [ "$(readlink "$programs/playhead" 2>/dev/null)" = "$program/playhead" ]; then
        rm -f "$programs/playhead"
    fi
    (cd "$here/share" && find . -type f) | while read -r file; do rm -f "$data/$file"; done
    refresh
}

if [ "${1:-}" = --remove ]; then
    remove
    echo "Playhead was removed. Your conversations and settings are where they were."
    exit 0
fi

remove
mkdir -p "$program" "$programs"
cp -R "$here/program/." "$program/"
ln -sfn "$program/playhead" "$programs/playhead"
(cd "$here/share" && find . -type f) | while read -r file; do
    mkdir -p "$data/$(dirname "$file")"
    cp "$here/share/$file" "$data/$file"
done
# The menu may know another PATH than this terminal.
sed "s|^Exec=playhead|Exec=\"$program/playhead\"|" "$here/share/applications/playhead.desktop" \
    >"$data/applications/playhead.desktop"
refresh
echo "Playhead was installed: look for it in the menu, or start $programs/playhead."
case ":$PATH:" in
*":$programs:"*) ;;
*) echo "($programs is not on the PATH of this terminal.)" ;;
esac
