#!/usr/bin/env bash
# Plants what is too long in a scratch tree and expects check_sizes.py to name each of it.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_sizes.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git -C "$scratch" init -q
failures=0

# lines <number>
lines() { for ((i = 0; i < $1; ++i)); do echo "  call(\"} {\");"; done; }

# expect <good|FILE:LINE> <name of what is there>
expect() {
  local output verdict=good
  output=$("$check" "$scratch") || verdict=bad
  if [[ $1 == good && $verdict == bad ]] || { [[ $1 != good ]] && ! grep -qF "$1: " <<<"$output"; }; then
    echo "$2: expected $1, got: $output"
    failures=$((failures + 1))
  fi
  rm -rf "${scratch:?}"/*
}

{ echo 'namespace a {'; echo; echo 'int short_one(int x) {'; lines 98; echo '}'; echo '}'; } >"$scratch/a.cpp"
expect good 'a function of 100 lines'
{ echo 'namespace a {'; echo; echo 'A::A(int x)'; echo '    : x_(x) {'; lines 100; echo '}'; echo '}'; } >"$scratch/a.cpp"
expect a.cpp:3 'a constructor'
{ echo 'struct A {'; echo '  int f() {'; lines 100; echo '  }'; echo '};'; } >"$scratch/a.h"
expect a.h:2 'a function in a class'
lines 601 >"$scratch/a.cpp"
expect a.cpp:600 'a file'
{ echo 'def f():'; for i in {1..101}; do echo '    pass'; done; } >"$scratch/a.py"
expect a.py:1 'a function in Python'
{ echo 'f() {'; lines 100; echo '}'; } >"$scratch/a.sh"
expect a.sh:1 'a function of the shell'
{ echo 'function f(a) {'; lines 100; echo '}'; } >"$scratch/a.js"
expect a.js:1 'a function in JavaScript'
((failures == 0))
