#!/usr/bin/env bash
# run.sh <rankscope> <folder for packages>: plays an exported page in Chromium. 77: skipped.
set -euo pipefail
rankscope=$1 packages=$2
version=1.65.1 # of playwright-core
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# In CI, what cannot be had is a failure.
skip() {
  echo "browser test skipped: $*" >&2
  if [[ ${CI:-} == true || ${CI:-} == 1 ]]; then exit 1; fi
  exit 77
}

browser=
for candidate in chromium chromium-browser google-chrome; do
  browser=$(command -v "$candidate") && break
done
[[ -n $browser ]] || skip "no chromium (apt install chromium)"
command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm (apt install nodejs npm)"
# Ubuntu's package is a stub that wants snap.
"$browser" --version >/dev/null 2>&1 || skip "$browser does not start"

installed() { grep -qs "\"version\": \"$version\"" "$packages/node_modules/playwright-core/package.json"; }
if ! installed; then
  mkdir -p "$packages"
  echo '{"private": true}' >"$packages/package.json"
  npm install --prefix "$packages" --no-audit --no-fund --ignore-scripts "playwright-core@$version" ||
    skip "npm could not install playwright-core $version"
fi
exec node "$here/player_test.mjs" "$rankscope" "$packages" "$browser"
