#!/usr/bin/env bash
# Plants mistakes in the READMEs of a scratch tree and expects check_readmes.py to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_readmes.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git -C "$scratch" init -q
failures=0

# expect <good|FILE:LINE> <file> <its second line>
expect() {
  local output verdict=good
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/engine/core"
  touch "$scratch/engine/core/a.h"
  echo 'See [engine/](engine/README.md).' >"$scratch/ARCHITECTURE.md"
  echo 'Parts: [core/](core).' >"$scratch/engine/README.md"
  echo '# core' >"$scratch/engine/core/README.md"
  mkdir -p "$scratch/$(dirname "$2")"
  echo "$3" >>"$scratch/$2"
  output=$("$check" "$scratch") || verdict=bad
  if [[ $1 == good && $verdict == bad ]] || { [[ $1 != good ]] && ! grep -qF "$1: " <<<"$output"; }; then
    echo "$2 with $3: expected $1, got: $output"
    failures=$((failures + 1))
  fi
}

expect good engine/README.md 'Paths: `engine/core/a.h`, `core/a.h`, `core/`, `a.h`, `../engine/core`.'
expect good engine/README.md 'No paths: `engine/<name>/a.cpp`, `engine/*.h`, `core/NAME.toml`, `and/or`, `a b/c`.'
expect good engine/README.md '[there](https://example.org/core), [below](#parts), [above](../ARCHITECTURE.md#top)'
expect good CHANGELOG.md 'Gone: `engine/old.h`.'
expect good engine/README.md $'```sh\n`engine/old.h`\n```'
expect engine/README.md:2 engine/README.md 'Begin with `engine/old.h`.'
expect engine/README.md:2 engine/README.md 'Begin with `core/old.h`.'
expect engine/core/README.md:2 engine/core/README.md 'Begin with `../core/old.h`.'
expect engine/README.md:2 engine/README.md 'Begin with `old.h`.'
expect ARCHITECTURE.md:2 ARCHITECTURE.md 'Begin with `engine/old/`.'
expect engine/README.md:2 engine/README.md 'See [it](core/old.md).'
expect engine/model/README.md:1 engine/model/README.md '# model'
((failures == 0))
