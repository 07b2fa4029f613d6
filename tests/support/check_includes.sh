#!/usr/bin/env bash
# check_includes.sh [root]: does every #include go down the arrows of ARCHITECTURE.md?
# The build enforces most of this by itself (see rankscope_library in CMakeLists.txt); this check
# also covers headers that nobody includes yet, the libraries of others, and every folder to come.
set -euo pipefail
root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"

folders=()
for folder in engine transports lessons gui cli tests; do
  [[ -d $folder ]] && folders+=("$folder")
done
if ((${#folders[@]} == 0)); then
  echo "check_includes: no source folders in $root" >&2
  exit 2
fi

find "${folders[@]}" -type f \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \) -print0 | sort -z |
  xargs -0 --no-run-if-empty awk '
  # The layer of a path: the key of `allowed`.
  function layer_of(path, part) {
    split(path, part, "/")
    if (path ~ /^engine\/run\/baselines\//) return "engine/run/baselines"  # programs of their own
    if (path ~ /^engine\/model\/costs\//) return "engine/model/costs"
    if (path ~ /^engine\/training\/(job|plots)\//) return "engine/training/" part[3]
    if (part[1] == "engine") return "engine/" part[2]
    if (part[1] == "transports") return (path ~ /^transports\/[^\/]+\/./) ? "transports/" part[2] : "transports"
    if (path ~ /^gui\/(state|views)\//) return "gui/" part[2]
    return part[1]
  }
  # Does the blank-separated list of patterns hold one that matches the whole of `text`?
  function in_list(text, list, n, i, pattern) {
    n = split(list, pattern, " ")
    for (i = 1; i <= n; i++) if (text ~ ("^(" pattern[i] ")$")) return 1
    return 0
  }
  function complain(message) {
    printf "%s:%d: %s\n", FILENAME, FNR, message
    bad++
  }
  BEGIN {
    below_run = "engine/core engine/account engine/collectives engine/model engine/analysis"
    allowed["engine/core"] = ""
    allowed["engine/account"] = "engine/core"
    allowed["engine/collectives"] = "engine/core"
    allowed["engine/model"] = "engine/core"
    allowed["engine/toml"] = "engine/core"
    allowed["engine/network"] = "engine/core engine/toml"
    allowed["engine/model/costs"] = "engine/core engine/collectives engine/model"
    allowed["engine/studio"] = "engine/core engine/account engine/collectives engine/model engine/model/costs engine/analysis engine/network"
    allowed["engine/training"] = "engine/core engine/collectives"
    allowed["engine/training/job"] = below_run " engine/run engine/training"
    allowed["engine/training/plots"] = "engine/core engine/diagrams engine/training engine/training/job"
    allowed["engine/analysis"] = "engine/core engine/account"
    allowed["engine/run"] = below_run " engine/network transports"
    allowed["engine/run/baselines"] = ""
    allowed["engine/explore"] = "engine/core engine/account engine/analysis engine/run"
    allowed["engine/diagrams"] = "engine/core engine/account engine/analysis engine/model engine/network"
    allowed["engine/box"] = "engine/core"
    allowed["engine/capi"] = below_run " engine/run"
    allowed["transports"] = "engine/core transports/.*"
    allowed["transports/*"] = "engine/core"
    allowed["transports/sim"] = "engine/core engine/network"
    allowed["lessons"] = "engine/.*"
    allowed["gui/state"] = "engine/.* lessons"
    allowed["gui/views"] = "engine/.* transports transports/.* lessons gui gui/state"
    allowed["gui"] = "engine/.* transports transports/.* lessons gui/.*"
    allowed["cli"] = "engine/.* transports transports/.* lessons"
    allowed["tests"] = "engine/.* transports transports/.* lessons gui gui/.* cli"

    # Single files that are let through: the conductor has ZeroMQ sockets of its own, and the runner
    # of threads hands out mailboxes.
    files["engine/run"] = "transports/(zeromq/(zmq_util|curve_gate|wake_fd)|inproc/inproc_link|sim/(sim_world|sim_options|schedule_clock))[.]h"

    # Libraries that belong to some folders only: header pattern -> folders.
    library["zmq[a-z_]*[.]h(pp)?"] = "transports/zeromq engine/run engine/run/baselines tests"
    library["(imgui|implot|GLFW|glad|GL).*"] = "gui gui/views tests"
    library["cairo.*"] = "engine/diagrams tests"
    library["toml[+][+]/.*"] = "engine/toml tests"
    library["(md4c|archive).*"] = "lessons tests"
    library["seccomp[.]h"] = "engine/box"
    library["boost/.*"] = "transports/sim"
    library["(Eigen/.*|zlib[.]h)"] = "engine/training tests"
    library["CLI/.*"] = "cli gui"
    library["X11/.*"] = "tests"
    library["catch2/.*"] = "tests"
    library["mpi[.]h"] = "transports/mpi engine/run/baselines"
    library["gloo/.*"] = "engine/run/baselines"
  }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    target = $0
    sub(/^[^"<]*["<]/, "", target)
    sub(/[">].*$/, "", target)
    from = layer_of(FILENAME)
    rule = (from in allowed) ? from : (from ~ /^transports\// ? "transports/*" : "")
    if (rule == "") {
      complain("the folder " from " has no rule in tests/support/check_includes.sh")
      next
    }
    if (target ~ /^(engine|transports|lessons|gui|cli|tests)\//) {
      to = layer_of(target)
      if (to != from && !in_list(to, allowed[rule]) && !in_list(target, files[rule]))
        complain(from " must not include " to " (" target ")")
      next
    }
    for (pattern in library)
      if (target ~ ("^(" pattern ")$") && !in_list(from, library[pattern]))
        complain(from " must not include " target "; only " library[pattern] " may")
    if ($0 ~ /include[ \t]*"/ && target !~ /^(imgui|implot|GLFW|glad)/)
      complain("write the path from the root of the repository: " target)
  }
  END { exit bad > 0 }
' || {
  echo "Include the layer below, or move the code to the layer that it belongs to (ARCHITECTURE.md)." >&2
  exit 1
}
