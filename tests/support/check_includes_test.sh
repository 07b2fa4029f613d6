#!/usr/bin/env bash
# Plants wrong includes in a scratch tree and expects check_includes.sh to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_includes.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect <good|bad> <file> <include>
expect() {
  local verdict=bad
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/$(dirname "$2")"
  printf '#pragma once\n#include %s\n' "$3" >"$scratch/$2"
  "$check" "$scratch" >"$scratch/output" 2>&1 && verdict=good
  if [[ $verdict == bad ]] && ! grep -qF "$2:2:" "$scratch/output"; then
    verdict="bad, but the line is not named"
  fi
  if [[ $verdict != "$1" ]]; then
    echo "$2 with #include $3: expected $1, got $verdict"
    failures=$((failures + 1))
  fi
}

expect good engine/core/a.h '<vector>'
expect good engine/core/a.h '"engine/core/b.h"'
expect good engine/collectives/a.cpp '"engine/core/b.h"'
expect good engine/run/a.cpp '"transports/factory.h"'
expect good engine/run/a.cpp '<zmq.hpp>'
expect good engine/run/a.cpp '"transports/zeromq/zmq_util.h"'
expect good transports/zeromq/a.cpp '<zmq.h>'
expect good transports/factory.cpp '"transports/zeromq/link.h"'
expect good engine/run/baselines/a.cpp '<mpi.h>'
expect good engine/diagrams/a.cpp '<cairo.h>'
expect good cli/a.cpp '"engine/run/b.h"'
expect good gui/views/a.cpp '<imgui.h>'
expect good gui/views/a.cpp '"gui/state/b.h"'
expect good gui/a.cpp '"gui/views/b.h"'
expect good gui/state/a.cpp '"engine/run/b.h"'
expect good tests/run/a.cpp '"cli/b.h"'

expect bad engine/core/a.h '"engine/collectives/b.h"'
expect bad engine/run/a.cpp '<mpi.h>'
expect bad engine/run/baselines/a.cpp '"engine/core/b.h"'
expect bad engine/core/a.h '"transports/factory.h"'
expect bad engine/core/a.h '"neighbour.h"'
expect bad engine/core/a.h '<zmq.hpp>'
expect bad engine/collectives/a.cpp '"engine/run/b.h"'
expect bad engine/model/a.cpp '"engine/analysis/b.h"'
expect bad engine/analysis/a.cpp '  "engine/run/b.h"'
expect bad engine/run/a.cpp '"transports/zeromq/zeromq_link.h"'
expect bad engine/core/a.cpp '"transports/zeromq/zmq_util.h"'
expect bad engine/run/a.cpp '"cli/b.h"'
expect bad engine/diagrams/a.cpp '"engine/run/b.h"'
expect bad engine/surprise/a.cpp '<vector>'
expect bad transports/inproc/a.cpp '"transports/zeromq/link.h"'
expect bad transports/inproc/a.cpp '<zmq.h>'
expect bad transports/factory.cpp '"engine/run/b.h"'
expect bad lessons/a.cpp '"transports/factory.h"'
expect bad cli/a.cpp '"gui/b.h"'
expect bad cli/a.cpp '"gui/state/b.h"'
expect bad gui/state/a.cpp '<imgui.h>'
expect bad gui/state/a.cpp '"gui/views/b.h"'
expect bad gui/state/a.cpp '"gui/b.h"'
expect bad gui/state/a.cpp '"transports/factory.h"'
expect bad gui/a.cpp '"cli/b.h"'
expect bad gui/views/a.cpp '"cli/b.h"'
expect bad cli/a.cpp '<imgui.h>'
expect bad engine/run/a.cpp '<cairo/cairo.h>'
expect bad engine/core/a.h '"tests/support/b.h"'

((failures == 0)) && echo "every planted include was judged rightly"
