// Shared memory beside Open MPI's and Gloo, the copies that it makes, and how far it is from this machine's memory.
#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "cli/bench/bench.h"
#include "engine/core/base/buffer.h"
#include "engine/core/base/copy_bytes.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/model/statistics.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kKibi = 1024, kMebi = 1024 * kKibi;
constexpr int kRanks = 8;

struct ShmGoal {
  std::string_view collective;
  std::uint64_t bytes;
  std::string_view baseline;
  double wanted;  ///< Times as fast.
};
constexpr std::array kShmGoals = {
    ShmGoal{"allreduce", 32 * kMebi, "openmpi", 2},
    ShmGoal{"allreduce", 32 * kMebi, "gloo", 4},
    ShmGoal{"allreduce", kMebi, "openmpi", 1.5},
    ShmGoal{"allreduce", 64 * kKibi, "openmpi", 1.5},
    ShmGoal{"allreduce", kKibi, "openmpi", 1},
    ShmGoal{"allreduce", 8, "openmpi", 1},
    ShmGoal{"broadcast", 32 * kMebi, "openmpi", 1},
    ShmGoal{"broadcast", kMebi, "openmpi", 1},
    ShmGoal{"allgather", 32 * kMebi, "openmpi", 1},
    ShmGoal{"allgather", kMebi, "openmpi", 1},
    ShmGoal{"reduce_scatter", 32 * kMebi, "openmpi", 1},
    ShmGoal{"reduce_scatter", kMebi, "openmpi", 1},
    ShmGoal{"alltoall", 32 * kMebi, "openmpi", 1},
    ShmGoal{"alltoall", kMebi, "openmpi", 1},
};

const ProfileRecord* record_of(const std::vector<ProfileRecord>& records, const ShmGoal& goal,
                               bool baseline) {
  const auto found = ranges::find_if(records, [&](const ProfileRecord& one) {
    return one.ok() && one.bytes == goal.bytes && one.collective == goal.collective &&
           one.baseline == baseline &&
           (baseline ? one.algorithm == goal.baseline : one.transport == kSharedTransport);
  });
  return found == records.end() ? nullptr : &*found;
}

Goal compared(const ShmGoal& wanted, const std::vector<ProfileRecord>& records) {
  return speed_goal(
      fmt::format("shm: {} of {}: {} {}", wanted.collective, format_bytes(wanted.bytes),
                  wanted.wanted > 1 ? fmt::format("{:g} times as fast as", wanted.wanted)
                                    : "no slower than",
                  wanted.baseline),
      record_of(records, wanted, false), record_of(records, wanted, true), wanted.wanted, false,
      fmt::format("shm-{}-{}/{}", wanted.collective, format_bytes(wanted.bytes), wanted.baseline));
}

// Returns the bytes per second, read and written, when a thread on each processor copies past the caches.
double memory_bandwidth() {
  constexpr std::size_t kBytes = 64 * kMebi;
  constexpr int kTimes = 6;
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<double> rates;
  std::vector<Buffer> from, into;
  for (unsigned i = 0; i < threads; ++i) {
    from.push_back(Buffer::allocate(DType::uint8, static_cast<Count>(kBytes)));
    into.push_back(Buffer::allocate(DType::uint8, static_cast<Count>(kBytes)));
  }
  for (int time = 0; time < kTimes; ++time) {
    std::vector<std::thread> running;
    const auto begin = now_ns();
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, i] { copy_bytes(into[i].data(), from[i].data(), kBytes); });
    for (std::thread& one : running) one.join();
    const double seconds = static_cast<double>(now_ns() - begin) * 1e-9;
    rates.push_back(2.0 * static_cast<double>(kBytes) * threads / seconds);
  }
  return *ranges::max_element(rates);
}

// Compares the bytes that a large collective copies with the least possible.
void count_copies(const BenchOptions& options, double bandwidth, BenchReport& report) {
  ProcessRunner runner(bench_runner(options));
  NoEvents sink;
  for (const Collective collective :
       {Collective::allreduce, Collective::broadcast, Collective::allgather,
        Collective::reduce_scatter, Collective::alltoall}) {
    JobSpec spec;
    spec.call.algorithm = fmt::format("{}.auto", to_string(collective));
    spec.world.size = kRanks;
    spec.transport.name = kSharedTransport;
    spec.call.shape = {count_of(collective, 32 * kMebi, kRanks, DType::float32)};
    spec.recording.trace = TraceLevel::off;
    spec.data.check = false;
    constexpr int kIterations = 9;
    spec.recording.warmup = 2;
    spec.recording.iterations = kIterations;
    spec = resolve_auto(spec);
    const JobResult result = runner.run(spec, sink);
    if (!result.ok()) {
      report.notes.push_back(result.message);
      return;
    }
    double read = 0, copied = 0;
    for (const RankOutcome& rank : result.ranks) {
      read += static_cast<double>(rank.bytes_received);
      copied += static_cast<double>(rank.bytes_copied);
    }
    const double all =
        (kIterations + spec.recording.warmup) * static_cast<double>(kRanks) * 32 * kMebi;
    const double per_byte = (read + copied) / all, part = (kRanks - 1.0) / kRanks;
    const double least = collective == Collective::allreduce ? 2 * part : part;
    // Each received byte is read once and written once; a reduction also reads its own operand.
    const bool reduces = traits(collective).reduces;
    const double traffic = 2 * per_byte * kRanks * 32 * kMebi;
    const double rate = traffic / median(result.times_s());
    report.notes.push_back(fmt::format(
        "shm, 32 MiB {}: {:.2f} copies a byte (the least possible: {:.2f}), of them {:.2f} by the "
        "transport itself; {} at {}/s of messages{}, {:.0f} % of the {}/s that copying reaches in "
        "this machine's memory",
        spec.call.algorithm, per_byte, least, copied / all,
        format_seconds(median(result.times_s())), format_bytes(static_cast<std::uint64_t>(rate)),
        reduces ? " (read and written once)" : "", 100 * rate / bandwidth,
        format_bytes(static_cast<std::uint64_t>(bandwidth))));
  }
}

/// Returns a plan of sizes that are compared with the same libraries.
ProfilePlan plan_for(std::string_view collective, bool beside_gloo, const BenchOptions& options) {
  const auto compares_with_gloo = [&](std::uint64_t bytes) {
    return ranges::any_of(kShmGoals, [&](const ShmGoal& one) {
      return one.collective == collective && one.bytes == bytes && one.baseline == "gloo";
    });
  };
  ProfilePlan plan;
  plan.algorithms = {fmt::format("{}.auto", collective)};
  plan.world_sizes = {kRanks};
  plan.transports = {std::string(kSharedTransport)};
  for (const ShmGoal& one : kShmGoals)
    if (one.collective == collective && compares_with_gloo(one.bytes) == beside_gloo &&
        ranges::find(plan.sizes, one.bytes) == plan.sizes.end())
      plan.sizes.push_back(one.bytes);
  plan.baselines = {"openmpi"};
  if (beside_gloo) plan.baselines.emplace_back("gloo");
  plan.trace = TraceLevel::off;  // like the others; bench_tracing() measures tracing
  plan.rounds = options.quick ? 5 : 9;
  plan.budget_s = options.quick ? 0.3 : 1;
  return plan;
}

}  // namespace

void bench_shm(const BenchOptions& options, BenchReport& report) {
  Profiler profiler(bench_profiler(options));
  std::vector<ProfileRecord> records;
  for (const std::string_view collective :
       {"allreduce", "broadcast", "allgather", "reduce_scatter", "alltoall"})
    for (const bool beside_gloo : {true, false}) {
      const ProfilePlan plan = plan_for(collective, beside_gloo, options);
      if (plan.sizes.empty() || report.interrupted) continue;
      Profile profile = profiler.run(plan);
      std::ranges::move(profile.records, std::back_inserter(records));
      std::ranges::move(profile.notes, std::back_inserter(report.notes));
      report.interrupted |= profile.interrupted;
    }
  for (const ShmGoal& one : kShmGoals) report.goals.push_back(compared(one, records));
  std::ranges::move(records, std::back_inserter(report.records));
  if (report.interrupted) return;
  options.progress("the copies that shared memory makes");
  count_copies(options, memory_bandwidth(), report);
}

}  // namespace rankscope::cli
