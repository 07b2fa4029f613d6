#!/usr/bin/env bash
# check_names.sh [root]: does no source decide by an algorithm's or a collective's name, by its look or as a whole?
# A student's file may have any name. What a run is of is in its job and its trace (TraceMeta::collective);
# what an algorithm does is in its row (engine/collectives/algorithm.h), what a collective does in
# engine/core/base/collective.h. Only what somebody typed in is looked up by its name.
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
# meta.algorithm == "bruck", row->name != "alltoall.linear", "reduce" == name
whole_names="(algorithm|collective)[A-Za-z_]*(\\(\\))?((\\.|->)name(\\(\\))?)? *[!=]= *\"[a-z]"
whole_words="[!=]= *\"($words)([.][a-z_]+)?\"|\"($words)([.][a-z_]+)?\" *[!=]="

# What is let through: a name cut at its dot for people, and a search for what somebody typed.
allowed='^(engine/collectives/algorithm\.h:[0-9]+:.*short_name\(\)'
allowed+='|cli/list_command\.cpp:[0-9]+:.*algorithm\.name\.find\(which\))'

found=$(grep -rnE --include='*.h' --include='*.hpp' --include='*.cpp' -e "$on_names" -e "$by_words" \
  -e "$whole_names" -e "$whole_words" "${folders[@]}" | grep -vE "$allowed" || true)
if [[ -n $found ]]; then
  printf '%s\n' "$found"
  echo "Ask the algorithm's row, the catalogue of collectives or the trace instead of the name (CONTRIBUTING.md)." >&2
  exit 1
fi
