#!/bin/sh
# Writes the approved texts in tests/golden again from what the tests make now.
#   tests/support/accept_golden.sh [folder of tests, default diagrams] [filter of Catch2]
# BUILD names the build folder (default build-dev). Read `git diff tests/golden` afterwards.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-diagrams}
[ $# -gt 0 ] && shift
build=${BUILD:-$root/build-dev}
test_binary=$build/bin/test_$folder
if [ ! -x "$test_binary" ]; then
  echo "accept_golden.sh: no test_$folder in $build: build it first, or set BUILD" >&2
  exit 2
fi
RANKSCOPE_ACCEPT=1 "$test_binary" "$@"
git -C "$root" status --short tests/golden
