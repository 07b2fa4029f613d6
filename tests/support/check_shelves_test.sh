#!/usr/bin/env bash
# Plants circles between shelves in a scratch tree and expects check_shelves.py to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_shelves.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# add <file> <included file>
add() {
  mkdir -p "$scratch/$(dirname "$1")"
  printf '#pragma once\n#include "%s"\n' "$2" >"$scratch/$1"
}

# expect <good|FILE:LINE> <name of what is there>
expect() {
  local output verdict=good
  output=$("$check" "$scratch" 2>&1) || verdict=bad
  if [[ $1 == good && $verdict == bad ]] || { [[ $1 != good ]] && ! grep -qF "$1: " <<<"$output"; }; then
    echo "$2: expected $1, got: $output"
    failures=$((failures + 1))
  fi
  rm -rf "${scratch:?}"/*
}

add engine/core/run/a.h engine/core/trace/b.h
add engine/core/trace/b.cpp engine/core/base/c.h
add engine/core/message/d.cpp engine/core/base/c.h
expect good 'arrows in one direction'
add engine/core/run/a.h engine/core/run/b.h
add engine/core/run/b.h engine/core/run/a.h
expect good 'files of one shelf'
add engine/core/run/a.h engine/core/trace/b.h
add engine/core/trace/c.cpp engine/core/run/d.h
expect engine/core/trace/c.cpp:2 'two shelves'
add engine/core/run/a.h engine/core/trace/b.h
add engine/core/trace/c.cpp engine/core/base/d.h
add engine/core/base/e.h engine/core/run/f.h
expect engine/core/base/e.h:2 'three shelves'
add engine/core/run/a.h engine/core/b.h
add engine/core/c.cpp engine/core/run/d.h
expect engine/core/c.cpp:2 'a shelf and the files of the folder'
add transports/zeromq/link/a.h transports/zeromq/socket/b.h
add transports/zeromq/socket/b.h transports/zeromq/link/c.h
expect transports/zeromq/socket/b.h:2 'shelves of a shelf'
add lessons/coding/a.h lessons/coding/worker/b.h
add lessons/coding/worker/b.h lessons/coding/c.h
expect lessons/coding/worker/b.h:2 'a shelf and the files of a folder that is a shelf itself'

# A root that has no sources is a wrong path.
rm -rf "${scratch:?}"/*
status=0
output=$("$check" "$scratch" 2>&1) || status=$?
if [[ $status != 2 || $output != *"no sources in $scratch"* ]]; then
  echo "no sources: expected 2 and a message, got $status: $output"
  failures=$((failures + 1))
fi
((failures == 0))
