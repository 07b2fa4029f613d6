#!/usr/bin/env bash
# check_names.sh [root]: does no source decide by the look of an algorithm's or a collective's name?
# A student's file may have any name. What a run is of is in its job and its trace (TraceMeta::collective);
# what an algorithm does is in its row (engine/collectives/algorithm.h), what a collective does in
# engine/core/base/collective.h. Only whole names are looked up.
set -euo pipefail
root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"

folders=()
for folder in engine transports lessons gui cli; do
  [[ -d $folder ]] && folders+=("$folder")
done
if ((${#folders[@]} == 0)); then
  echo "check_names: no source folders in $root" >&2
  exit 2
fi

operation='(starts_with|ends_with|contains|compare|substr|remove_prefix|remove_suffix|r?find|find_first_of)'
# algorithm.name.starts_with(...), meta.algorithm.substr(...), collective.find(...)
on_names="(algorithm|collective)[A-Za-z_]*(\\(\\))?((\\.|->)name)?(\\.|->)$operation\\("
# name.ends_with("_pipelined"), name.starts_with("alltoall.")
words='allreduce|reduce_scatter|allgather|alltoall|scatter|gather|broadcast|barrier|p2p|exercise|reduce'
parts='[.]auto|[.]schedule|_?pipelined|hierarchical|bucketed|chain'
by_words="(\\.|->)$operation\\(\"(($words)[.\"]|[^\"]*($parts)\")"

# What is let through: a name cut at its dot for people, and a search for what somebody typed.
allowed='^(engine/collectives/algorithm\.h:[0-9]+:.*short_name\(\)|cli/list_command\.cpp:[0-9]+:.*algorithm\.name\.find\(which\))'

found=$(grep -rnE --include='*.h' --include='*.hpp' --include='*.cpp' -e "$on_names" -e "$by_words" "${folders[@]}" |
  grep -vE "$allowed" || true)
if [[ -n $found ]]; then
  printf '%s\n' "$found"
  echo "Ask the algorithm's row, the catalogue of collectives or the trace instead of the name (CONTRIBUTING.md)." >&2
  exit 1
fi
