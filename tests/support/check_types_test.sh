#!/usr/bin/env bash
# Plants types of one name in a scratch tree and expects check_types.py to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_types.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/engine/a" "$scratch/gui"
failures=0

# expect <good|NAME> <text of one source> <text of another>
expect() {
  local output verdict=good
  printf '%s\n' "$2" >"$scratch/engine/a/one.h"
  printf '%s\n' "$3" >"$scratch/gui/two.cpp"
  output=$("$check" "$scratch" 2>&1) || verdict=bad
  if [[ $1 == good && $verdict == bad ]] || { [[ $1 != good ]] && ! grep -qF ": $1 is also defined in " <<<"$output"; }; then
    printf 'expected %s of\n%s\n%s\ngot: %s\n' "$1" "$2" "$3" "$output"
    failures=$((failures + 1))
  fi
}

expect r::Plan 'namespace r { struct Plan { int x; }; }' 'namespace r { class Plan final : public Other {}; }'
expect r::s::Plan 'namespace r::s { struct Plan {}; }' 'namespace r { namespace s { enum class Plan : int { a }; } }'
expect r::A::Plan 'namespace r { struct A { struct Plan {}; }; }' 'namespace r { struct A::Plan { int x; }; }'
expect r::Plan 'namespace r { template <class T> struct Plan {}; }' 'namespace r { DEFINE(Other, x) struct Plan {}; }'
expect good 'namespace r { struct Plan {}; }' 'namespace r { struct Plan; class Other {}; }'
expect good 'namespace r { struct Plan {}; }' 'namespace r { namespace { struct Plan {}; } }'
expect good 'namespace r { struct Plan {}; }' 'namespace r { void f() { struct Plan {}; } }'
expect good 'namespace r { struct Plan {}; }' 'namespace r { struct Plan g() { return {}; } }'
expect good 'namespace r { struct Plan {}; }' 'namespace s { struct Plan {}; }'
expect good 'namespace r { struct Plan {}; }' 'namespace r { // struct Plan {
const char* text = "struct Plan {"; }'
expect good 'namespace r { template <class T> struct Plan {}; }' 'namespace r { template <> struct Plan<int> {}; }'

# A root that has no sources is a wrong path.
rm -rf "${scratch:?}"/*
status=0
output=$("$check" "$scratch" 2>&1) || status=$?
if [[ $status != 2 || $output != *"no sources in $scratch"* ]]; then
  echo "no sources: expected 2 and a message, got $status: $output"
  failures=$((failures + 1))
fi
((failures == 0))
