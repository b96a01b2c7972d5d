#!/bin/sh
# Sign and notarise dist/Playhead.app and the disk image:
#     IDENTITY="Developer ID Application: …" PROFILE=notary-profile packaging/macos/sign.sh IMAGE.dmg
# The profile is made once by `xcrun notarytool store-credentials`; no password is in any file.
set -eu
cd "$(dirname "$0")/../.."
app=dist/Playhead.app
find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -exec \
    codesign --force --timestamp --options runtime --sign "$IDENTITY" {} +
codesign --force --timestamp --options runtime --entitlements packaging/macos/entitlements.plist \
    --sign "$IDENTITY" "$app"
codesign --verify --deep --strict "$app"
.venv/bin/dmgbuild -s packaging/macos/dmg.py Playhead "$1"
codesign --force --timestamp --sign "$IDENTITY" "$1"
xcrun notarytool submit "$1" --keychain-profile "$PROFILE" --wait
xcrun stapler staple "$1"
