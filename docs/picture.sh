#!/bin/sh
# Remakes docs/report.png: the top of the public report of an event or a bundle, as a desktop browser shows it.
#
#   docs/picture.sh workspaces/demo
#
# Needs the factory command (FACTORY names another one) and a Chromium (CHROMIUM names the program).
set -eu
target=${1:?give the folder of an event or of a bundle}
factory=${FACTORY:-factory}
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || {
  echo "no Chromium was found; install one or name it in CHROMIUM" >&2
  exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$factory" report "$target" --public --lang en --out "$folder/report.html"
sandbox=
[ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
"$browser" --headless $sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" \
  --window-size=1280,1400 --screenshot="$(dirname "$0")/report.png" "file://$folder/report.html" >/dev/null 2>&1
ls -l "$(dirname "$0")/report.png"
