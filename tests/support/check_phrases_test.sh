#!/usr/bin/env bash
# Plants decisions by the words of messages in a scratch tree and expects check_phrases.py to name each of them.
set -euo pipefail
check="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/check_phrases.py"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect <good|number of the line> <file> <lines of code, the first of which is line 2>
expect() {
  local output named start='// A file.'
  if [[ $2 == *.py ]]; then start='# A file.'; fi
  rm -rf "${scratch:?}"/*
  mkdir -p "$scratch/$(dirname "$2")"
  printf '%s\n%s\n' "$start" "$3" >"$scratch/$2"
  output=$("$check" "$scratch" 2>&1) || true
  # The lines that are named, such as "2" or "2 3"; the last line of the output is advice.
  named=$(grep -F "$2:" <<<"$output" | cut -d: -f2 | paste -sd' ') || true
  if [[ ${named:-good} != "$1" ]]; then
    printf '%s with\n%s\nexpected %s, got: %s\n' "$2" "$3" "$1" "$output"
    failures=$((failures + 1))
  fi
}

expect good lessons/a.cpp 'if (run.cause == Cause::machine) return;'
expect good lessons/a.cpp 'if (run.failure.empty() || failure == "" || !message) return;'
expect good lessons/a.cpp 'if (outcome.failure == "") return "failed";'
expect good lessons/a.cpp "const auto end = words.find('\\n');"
expect good lessons/a.cpp 'show(failure);  // failure.find("x") would decide by words'
expect good lessons/a.cpp 'show("failure.find(x)", run.failure.substr(0, 80));'
expect good lessons/a.cpp 'if (has(words, "memory")) show(run.failure);'
expect good lessons/a.cpp 'if (ranges::find(kLacks, error_number) != end) return;'
expect good lessons/a.cpp 'if (words[0] == "off" || what == "wait") return;'
expect good lessons/a.cpp '{ const std::string text = run.failure; show(text); }
if (text.starts_with("x")) return;'
expect good tests/a.cpp 'CHECK(run.failure.find("took longer") != npos);'
expect good lessons/a.py 'for error in errors:
    print("not in error", error, sep="in error")'
expect good lessons/a.py 'names = [name for name in message]'

expect 2 cli/a.cpp 'if (run.failure.find(words) != std::string::npos) return;'
expect 2 cli/a.cpp 'if (grade.diagnostics.starts_with(kCompilerEnded)) return;'
expect 2 lessons/a.cpp 'if (std::string_view(error.what()).ends_with("timed out")) return;'
expect 2 gui/a.h 'if (result.message.contains("deadlock")) return;'
expect 2 engine/a.cpp 'if (run->trouble_.find("signal 9") != 0) return;'
expect 2 engine/a.cpp 'if (strstr(message, "memory") != nullptr) return;'
expect 2 lessons/a.cpp 'if (smallest.failure == "deadlock") return;'
expect 2 lessons/a.cpp 'if (std::string_view(run.failure).find("took longer") != npos) return;'
expect 2 lessons/a.cpp 'if (run.failure.substr(0, 6) == "killed") return;'
expect 2 lessons/a.cpp 'if (has(run.failure, "memory")) return;'
expect 2 lessons/a.cpp 'if (std::regex_search(run.failure, re)) return;'
expect 2 lessons/a.cpp 'if (box.err.find("memory") != npos) return;'
expect 3 lessons/a.cpp 'if (a &&
    run.failure
        .find("memory") != npos) return;'
expect 2 lessons/a.cpp 'if (strcmp(e.what(), "x") == 0) return;'
expect 2 lessons/a.cpp 'if (!ranges::search(run.failure, w).empty()) return;'
expect 4 lessons/a.cpp 'std::string_view text = run.failure;
show(text);
if (text.starts_with("x")) return;'
expect 2 lessons/a.cpp 'if ("deadlock" == run.failure) return;'
expect 2 lessons/a.cpp 'if (run.failures[0].find("memory") != npos || run.failures.empty()) return;'
expect 3 lessons/a.cpp 'if (const std::string& head = run.failure.substr(0, 6); a) show(head);
const auto head = run.failure.substr(0, 6); if (head == "killed") return;'
expect '2 3' lessons/a.cpp 'if (fails(run) && run.reason != "left") return;
if (contains(error.str(), "memory")) return;'
expect 2 lessons/python/a.py 'if word in str(error): pass'
expect 2 lessons/python/a.py 'found = [word for word in WORDS if word not in failed.message]'
expect 2 lessons/python/a.py 'if error.args[0].startswith("x"): pass'
expect 2 lessons/python/a.py 'if re.search("memory", str(error)): pass'
expect 2 lessons/python/a.py "if run.failure == 'deadlock': pass"
expect 4 lessons/python/a.py 'def f(error):
    text = str(error)
    return "memory" in text
def g(text): return "memory" in text'

# A place is allowed by its whole path and what stands there.
allowed='if (!error.ends_with(kEnd)) return false;'
expect 2 engine/core/run/outcome.cpp 'if (error.ends_with(" failed")) return Cause::stopped;'
expect 2 lessons/cause.cpp "$allowed"
expect good engine/core/run/outcome.cpp "$allowed"

# An allowed place that is not there any more is named.
if [[ $("$check" "$scratch" 2>&1) != *'outcome.cpp has no line with words.find(ending) any more'* ]]; then
  echo 'an allowed place that is gone is not named'
  failures=$((failures + 1))
fi

# A root that has no sources is a wrong path.
rm -rf "${scratch:?}"/*
status=0
output=$("$check" "$scratch" 2>&1) || status=$?
if [[ $status != 2 || $output != *"no sources in $scratch"* ]]; then
  echo "no sources: expected 2 and a message, got $status: $output"
  failures=$((failures + 1))
fi
((failures == 0))
