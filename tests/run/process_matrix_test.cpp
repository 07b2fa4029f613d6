// Every algorithm on real processes: a pairwise-covering selection of what the tests of collectives
// run whole on threads.
#include <algorithm>
#include <array>

#include "engine/core/run/job_json.h"
#include "engine/run/conductor/process_runner.h"
#include "tests/support/catch.h"
#include "tests/support/pairwise.h"
#include "tests/support/paths.h"

using namespace rankscope;

namespace {

constexpr std::array kWorldSizes{1, 2, 3, 4, 5, 7, 8, 13, 16};
constexpr std::array<std::string_view, 3> kTransports{"ipc", "tcp", "shm"};
constexpr std::array kModes{SendMode::buffered, SendMode::rendezvous};
constexpr int kCounts = 7;
constexpr Count kManyElements =
    20'000;  // large enough to be lent, not copied, and for frames of two parts
enum Parameter { kTransport, kSize, kAlgorithm, kCount, kType, kOp, kMode };

Count count_at(int level, int n) {
  const std::array<Count, kCounts> counts{0, 1, n - 1, n, n + 1, 1000, kManyElements};
  return counts[static_cast<std::size_t>(level)];
}

bool allowed(const test::Case& c) {
  if (c[kType] < 0 || c[kOp] < 0) return true;
  return !(is_bitwise(kAllReduceOps[c[kOp]]) && is_floating(kAllDTypes[c[kType]]));
}

JobSpec spec_of(const test::Case& c) {
  JobSpec spec;
  spec.transport.name = kTransports[static_cast<std::size_t>(c[kTransport])];
  spec.world.size = kWorldSizes[static_cast<std::size_t>(c[kSize])];
  spec.call.algorithm = algorithms()[static_cast<std::size_t>(c[kAlgorithm])].name;
  spec.call.shape = {count_at(c[kCount], spec.world.size)};
  spec.call.dtype = kAllDTypes[c[kType]];
  spec.call.op = kAllReduceOps[c[kOp]];
  spec.transport.mode = kModes[static_cast<std::size_t>(c[kMode])];
  spec.call.root = static_cast<Rank>(spec.call.shape[0] + c[kAlgorithm]) % spec.world.size;
  spec.data.seed = static_cast<std::uint64_t>(c[kAlgorithm] * 97 + c[kSize]);
  const bool many =
      spec.call.shape[0] == kManyElements;  // 64 bytes each would be thousands of segments
  spec.call.segment_bytes = c[kMode] == 0 ? 0 : many ? 16384 : 64;
  spec.recording.trace = TraceLevel::light;
  return spec;
}

/// Counts what arrives.
class CountingSink : public EventSink {
 public:
  void deliver(EventBatch&& batch) override { events += batch.events.size(); }
  std::uint64_t events = 0;
};

void run_plan(std::uint64_t seed) {
  auto plan = test::pairwise_cases(
      {static_cast<int>(kTransports.size()), static_cast<int>(kWorldSizes.size()),
       static_cast<int>(algorithms().size()), kCounts, static_cast<int>(std::size(kAllDTypes)),
       static_cast<int>(std::size(kAllReduceOps)), static_cast<int>(kModes.size())},
      seed, allowed);
  std::ranges::sort(plan);  // by transport and size: a world serves many jobs
  REQUIRE(plan.size() >= kWorldSizes.size() * algorithms().size());
  RunnerOptions options;
  options.program = test::rankscope_binary().string();
  ProcessRunner runner(options);
  for (const auto& c : plan) {
    const JobSpec spec = spec_of(c);
    CountingSink sink;
    const JobResult result = runner.run(spec, sink);
    INFO(to_json(spec));
    INFO(to_json(result));
    REQUIRE(result.ok());
    REQUIRE(result.ranks.size() == static_cast<std::size_t>(spec.world.size));
    REQUIRE(sink.events == result.events);
    REQUIRE(result.lost_events == 0);
  }
}

}  // namespace

TEST_CASE("pairwise plans cover every allowed pair", "[run]") {
  const std::vector<int> levels{3, 4, 2, 5};
  const test::Allowed rule = [](const test::Case& c) { return !(c[0] == 1 && c[3] == 2); };
  const auto cases = test::pairwise_cases(levels, 7, rule);
  CHECK(cases.size() < 3 * 4 * 2 * 5 / 2);
  for (std::size_t p = 0; p < levels.size(); ++p)
    for (std::size_t q = p + 1; q < levels.size(); ++q)
      for (int v = 0; v < levels[p]; ++v)
        for (int w = 0; w < levels[q]; ++w) {
          if (p == 0 && q == 3 && v == 1 && w == 2) continue;
          INFO(p << "=" << v << ", " << q << "=" << w);
          CHECK(std::ranges::any_of(cases, [&](const auto& c) { return c[p] == v && c[q] == w; }));
        }
}

TEST_CASE("all algorithms agree with the oracle on processes", "[run][slow]") { run_plan(1); }

TEST_CASE("all algorithms agree with the oracle on processes, more seeds", "[run][full]") {
  for (std::uint64_t seed = 2; seed < 12; ++seed) run_plan(seed);
}
