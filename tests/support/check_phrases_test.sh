#!/usr/bin/env bash
# Plants decisions by the words of messages in a scratch tree and expects check_phrases.py to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_phrases.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect <good|bad> <file> <line of code>
expect() {
  local verdict=good output
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/$(dirname "$2")"
  printf '// A file.\n%s\n' "$3" >"$scratch/$2"
  output=$("$check" "$scratch" 2>&1) || verdict=bad
  if [[ $verdict == bad ]] && ! grep -qF "$2:2:" <<<"$output"; then
    verdict="bad, but the line is not named"
  fi
  if [[ $verdict != "$1" ]]; then
    echo "$2 with $3: expected $1, got $verdict"
    failures=$((failures + 1))
  fi
}

expect good lessons/a.cpp 'if (run.cause == Cause::machine) return;'
expect good lessons/a.cpp 'if (run.failure.empty() || failure == "") return;'
expect good lessons/a.cpp "const auto end = words.find('\\n');"
expect good lessons/a.cpp 'show(failure);  // failure.find("x") would decide by words'
expect good engine/core/run/cause.cpp 'if (error.ends_with(" failed")) return Cause::stopped;'
expect good tests/a.cpp 'CHECK(run.failure.find("took longer") != npos);'

expect bad cli/a.cpp 'if (run.failure.find(words) != std::string::npos) return;'
expect bad cli/a.cpp 'if (grade.diagnostics.starts_with(kCompilerEnded)) return;'
expect bad lessons/a.cpp 'if (error.what().ends_with("timed out")) return;'
expect bad gui/a.h 'if (result.message.contains("deadlock")) return;'
expect bad engine/a.cpp 'if (run->trouble_.find("signal 9") != 0) return;'
expect bad engine/a.cpp 'if (strstr(message, "memory") != nullptr) return;'
expect bad lessons/a.cpp 'if (smallest.failure == "deadlock") return;'
((failures == 0))
