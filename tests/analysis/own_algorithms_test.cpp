// No fault is found in any of our own algorithms, however they are called and no matter which rank is slow.
#include <random>

#include <fmt/format.h>

#include "engine/analysis/findings/findings.h"
#include "engine/core/run/job_json.h"
#include "engine/run/job/job.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

using namespace rankscope;

namespace {

/// The same for the same seed, on every machine.
class Choice {
 public:
  explicit Choice(std::uint32_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <class T>
  T of(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

 private:
  std::mt19937_64 random_;
};

JobSpec random_job(const Algorithm& algorithm, std::uint32_t seed) {
  Choice choice(seed);
  JobSpec spec;
  spec.call.algorithm = algorithm.name;
  spec.transport.name = "inproc";
  spec.world.size = static_cast<int>(1 + choice.below(choice.below(8) == 0 ? 16 : 8));
  const auto ranks = static_cast<Count>(spec.world.size);
  spec.call.dtype =
      choice.of({DType::uint8, DType::int32, DType::int64, DType::float32, DType::float64});
  spec.call.op = choice.of({ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::product});
  spec.call.root = static_cast<Rank>(choice.below(static_cast<std::uint64_t>(ranks)));
  const Count count =

      choice.of<Count>({0, 1, ranks - 1, ranks, ranks + 1, 3 * ranks, 2 * ranks + 3, 500});
  spec.call.shape = {count};
  if (algorithm.collective == Collective::alltoall) {
    spec.call.shape = {ranks * choice.of<Count>({1, 2, 3}),
                       choice.of<Count>({1, ranks, 2 * ranks})};
    spec.call.gather_dim = static_cast<int>(choice.below(2));
  }
  spec.call.segment_bytes = choice.of<std::uint64_t>({0, 8, 64, 1024});
  spec.call.group_size =
      spec.world.size > 1
          ? static_cast<int>(choice.below(static_cast<std::uint64_t>(spec.world.size)))
          : 0;
  spec.call.left_ring = choice.below(2) == 1;
  spec.transport.mode = choice.of({SendMode::buffered, SendMode::rendezvous});
  spec.transport.eager_limit = choice.of<std::uint64_t>({0, 64, 4096});
  spec.recording.every_wait = choice.below(2) == 1;
  spec.recording.iterations = static_cast<int>(1 + choice.below(2));
  spec.recording.trace_every = choice.below(2) == 1;
  for (Count rank = 0; rank < ranks; ++rank)
    spec.world.delays_us.push_back(choice.below(3) == 0 ? static_cast<double>(choice.below(150))
                                                        : 0);
  spec.data.seed = seed;
  return spec;
}

/// The finding; "" when all is well.
std::string found_in(const Algorithm& algorithm, std::uint32_t seed) {
  const JobSpec spec = random_job(algorithm, seed);
  CollectingSink sink;
  InprocRunner runner;
  const JobResult result = runner.run(spec, sink);
  std::string out = result.ok() ? "" : result.message + "\n";
  TraceMeta meta = meta_of(spec);
  meta.outcome = result;
  meta.complete = true;
  for (const Finding& one : findings(make_trace(sink.take(), meta))) out += one.what + "\n";
  return out.empty() ? out : fmt::format("seed {}: {}\n{}", seed, to_json(spec), out);
}

void check_seeds(std::uint32_t first, std::uint32_t seeds) {
  std::size_t runs = 0;
  for (std::uint32_t seed = first; seed < first + seeds; ++seed)
    for (const Algorithm& algorithm : algorithms()) {
      const std::string found = found_in(algorithm, seed);
      ++runs;
      if (!found.empty()) FAIL_CHECK(found);
    }
  CHECK(runs == seeds * algorithms().size());
  WARN(fmt::format("{} runs of {} algorithms", runs, algorithms().size()));
}

}  // namespace

TEST_CASE("no fault is found in our own algorithms: twenty seeds") { check_seeds(1, 20); }

TEST_CASE("no fault is found in our own algorithms: a thousand seeds", "[full]") {
  check_seeds(1, 1000);
}
