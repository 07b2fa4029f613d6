#!/usr/bin/env bash
# Plants decisions by name in a scratch tree and expects check_names.sh to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_names.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect <good|bad> <file> <line of code>
expect() {
  local verdict=bad
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/engine" "$scratch/$(dirname "$2")"
  printf '// A file.\n%s\n' "$3" >"$scratch/$2"
  "$check" "$scratch" >"$scratch/output" 2>&1 && verdict=good
  if [[ $verdict == bad ]] && ! grep -qF "$2:2:" "$scratch/output"; then
    verdict="bad, but the line is not named"
  fi
  if [[ $verdict != "$1" ]]; then
    echo "$2 with $3: expected $1, got $verdict"
    failures=$((failures + 1))
  fi
}

expect good engine/a.cpp 'if (meta.collective == Collective::alltoall) return;'
expect good engine/a.cpp 'if (const auto* row = find_algorithm(meta.algorithm)) return;'
expect good engine/a.cpp 'if (path.ends_with(".cpp")) return;'
expect good engine/a.cpp 'const auto phase = comm.phase("reduce");'
expect good engine/collectives/algorithm.h 'std::string_view short_name() const { return algorithm.substr(1); }'
expect good engine/a.cpp 'if (meta.algorithm == job.algorithm) return;'
expect good engine/a.cpp 'if (key == "algorithm" || buffer.name == "data") return;'
expect good engine/a.cpp 'if (meta.algorithm != "") return;'
expect good tests/a.cpp 'CHECK(algorithm.name.starts_with("allreduce."));'

expect bad engine/a.cpp 'if (trace.meta().algorithm.starts_with("scatter.")) return;'
expect bad engine/a.cpp 'const auto word = meta.algorithm.substr(0, 3);'
expect bad engine/a.cpp 'if (name.starts_with("alltoall.")) return;'
expect bad engine/a.cpp 'if (name.starts_with("reduce_scatter")) return;'
expect bad engine/a.cpp 'if (name.find("reduce") != std::string::npos) return;'
expect bad lessons/a.h 'if (one.name.ends_with(".auto")) return;'
expect bad gui/views/a.cpp 'if (job.algorithm.ends_with("hierarchical")) return;'
expect bad gui/state/a.cpp 'if (!w.ends_with(".schedule")) return;'
expect bad cli/a.cpp 'const auto dot = collective.find(kDot);'
expect bad cli/a.cpp 'const auto dot = algorithm->name.find(kDot);'

expect bad engine/a.cpp 'if (trace.meta().algorithm != "alltoall.bruck") return;'
expect bad engine/a.cpp 'return collective == "allreduce" ? 2 * bytes : bytes;'
expect bad engine/a.cpp 'if (name == "alltoall.linear") return;'
expect bad engine/a.cpp 'if (algorithm->name() == "mine") return;'
expect bad lessons/a.cpp 'const bool broadcast = call_.collective == "broadcast";'
expect bad lessons/a.cpp 'if ("reduce" == word) return;'

((failures == 0)) && echo "every planted decision was judged rightly"
