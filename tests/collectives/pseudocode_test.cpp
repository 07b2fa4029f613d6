// Every algorithm has pseudocode, and every round of its runs is one of the lines.
#include "engine/collectives/pseudocode.h"

#include <algorithm>

#include "engine/analysis/statistics.h"
#include "engine/analysis/trace_analysis.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;

TEST_CASE("pseudocode: each step of each algorithm is a line of its text", "[collectives]") {
  for (const Algorithm& algorithm : built_in_algorithms()) {
    CAPTURE(algorithm.name);
    const auto lines = pseudocode_of(algorithm.name);
    CHECK(lines.size() >= 3);
    CHECK(lines.size() <= 10);
    for (const int ranks : {4, 5}) {
      const TraceAnalysis analysis(test::trace_of_algorithm(algorithm.name, ranks, 2));
      const Trace& trace = analysis.trace();
      for (const MessageRecord& message : analysis.messages()) {
        if (message.sync) continue;
        const std::string phase = phase_path(trace, trace[message.sent].phase);
        CAPTURE(ranks, phase);
        CHECK(std::ranges::any_of(lines, [&](const auto& line) { return line.done_in(phase); }));
      }
    }
    for (const auto& line : lines) {
      CHECK_FALSE(line.text.empty());
      CHECK(line.text.find('>') == std::string::npos);
    }
  }
  CHECK(pseudocode_of("no.such").empty());
}

TEST_CASE("pseudocode: a phase is found in a path, as a whole", "[collectives]") {
  const PseudocodeLine line{"send", {"reduce"}};
  CHECK(line.done_in("reduce"));
  CHECK(line.done_in("group reduce / reduce"));
  CHECK(line.done_in("reduce/x"));
  CHECK_FALSE(line.done_in("reduce-scatter"));
  CHECK_FALSE(line.done_in(""));
}
