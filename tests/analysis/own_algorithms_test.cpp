// No fault is found in any of our own algorithms, however they are called and no matter which rank is slow.
#include <random>

#include <fmt/format.h>

#include "engine/analysis/findings/findings.h"
#include "engine/core/run/job_json.h"
#include "engine/run/job/trace_meta.h"
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
  spec.algorithm = algorithm.name;
  spec.transport = "inproc";
  spec.world_size = static_cast<int>(1 + choice.below(choice.below(8) == 0 ? 16 : 8));
  const auto ranks = static_cast<Count>(spec.world_size);
  spec.dtype =
      choice.of({DType::uint8, DType::int32, DType::int64, DType::float32, DType::float64});
  spec.op = choice.of({ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::product});
  spec.root = static_cast<Rank>(choice.below(static_cast<std::uint64_t>(ranks)));
  const Count count =

      choice.of<Count>({0, 1, ranks - 1, ranks, ranks + 1, 3 * ranks, 2 * ranks + 3, 500});
  spec.shape = {count};
  if (algorithm.collective == Collective::alltoall) {
    spec.shape = {ranks * choice.of<Count>({1, 2, 3}), choice.of<Count>({1, ranks, 2 * ranks})};
    spec.gather_dim = static_cast<int>(choice.below(2));
  }
  spec.segment_bytes = choice.of<std::uint64_t>({0, 8, 64, 1024});
  spec.group_size =
      spec.world_size > 1
          ? static_cast<int>(choice.below(static_cast<std::uint64_t>(spec.world_size)))
          : 0;
  spec.left_ring = choice.below(2) == 1;
  spec.mode = choice.of({SendMode::buffered, SendMode::rendezvous});
  spec.eager_limit = choice.of<std::uint64_t>({0, 64, 4096});
  spec.every_wait = choice.below(2) == 1;
  spec.iterations = static_cast<int>(1 + choice.below(2));
  spec.trace_every = choice.below(2) == 1;
  for (Count rank = 0; rank < ranks; ++rank)
    spec.delays_us.push_back(choice.below(3) == 0 ? static_cast<double>(choice.below(150)) : 0);
  spec.seed = seed;
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
