#!/bin/sh
# Sign and notarise dist/Playhead.app and the disk image:
#     IDENTITY="Developer ID Application: …" PROFILE=notary-profile packaging/macos/sign.sh IMAGE.dmg
# The profile is made once by `xcrun notarytool store-credentials`; no password is in any file.
set -eu
cd "$(dirname "$0")/../.."
app=dist/Playhead.app
# From the inside out; libraries of frameworks have no ending that they could be known by.
find "$app/Contents" -type f ! -path "$app/Contents/MacOS/*" | while read -r file; do
    case $(file -b "$file") in
    Mach-O*) codesign --force --timestamp --options runtime --sign "$IDENTITY" "$file" ;;
    esac
done
codesign --force --timestamp --options runtime --entitlements packaging/macos/entitlements.plist \
    --sign "$IDENTITY" "$app"
codesign --verify --deep --strict "$app"
build/tools/bin/dmgbuild -s packaging/macos/dmg.py Playhead "$1"
codesign --force --timestamp --sign "$IDENTITY" "$1"
xcrun notarytool submit "$1" --keychain-profile "$PROFILE" --wait
xcrun stapler staple "$1"
