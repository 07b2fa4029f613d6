// Measures our collectives beside other libraries.

#include <fmt/format.h>

#include "cli/bench/bench.h"
#include "engine/core/base/quantity.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kOneKi = 1024, kOneMi = 1024 * kOneKi;

const ProfileRecord* find(const std::vector<ProfileRecord>& records, std::string_view algorithm,
                          std::string_view transport, std::uint64_t bytes) {
  for (const auto& r : records)
    if (r.ok() && r.bytes == bytes &&
        (r.baseline ? r.algorithm == algorithm && transport.empty()
                    : r.algorithm == algorithm && r.transport == transport))
      return &r;
  return nullptr;
}

// A goal "at least `wanted` times as fast as the baseline", in every round or in the median.
struct BesideOther {
  std::string_view what, transport;
  std::uint64_t bytes;
  std::string_view baseline;
  double wanted;
  bool every_round = false;
};
constexpr BesideOther kBesideOthers[] = {
    {"32 MiB over ipc: 1.7 times as fast as Gloo", "ipc", 32 * kOneMi, "gloo", 1.7},
    {"32 MiB over ipc: twice as fast as Gloo", "ipc", 32 * kOneMi, "gloo", 2},
    {"32 MiB over ipc: as fast as Open MPI (shared memory) in every round", "ipc", 32 * kOneMi,
     "openmpi", 1, true},
    {"32 MiB over ipc: within 5 % of a bare ring on ZeroMQ", "ipc", 32 * kOneMi, "zeromq", 0.95},
    {"32 MiB over tcp: as fast as Gloo", "tcp", 32 * kOneMi, "gloo", 1},
    {"32 MiB over tcp: as fast as Open MPI over TCP", "tcp", 32 * kOneMi, "openmpi-tcp", 1},
    {"1 MiB over tcp: as fast as Open MPI over TCP", "tcp", kOneMi, "openmpi-tcp", 1},
    {"1 KiB over ipc: 250 us where Open MPI over TCP takes 260", "ipc", kOneKi, "openmpi-tcp",
     1.04},
    {"1 KiB over tcp: 1/3 as fast as Open MPI over TCP", "tcp", kOneKi, "openmpi-tcp", 1.0 / 3},
    {"1 KiB over ipc: 50 times as fast as Gloo", "ipc", kOneKi, "gloo", 50},
    {"1 KiB over tcp: 50 times as fast as Gloo", "tcp", kOneKi, "gloo", 50},
};

}  // namespace

void bench_speed(const BenchOptions& options, BenchReport& report) {
  Profiler profiler(bench_profiler(options));
  ProfilePlan plan;
  plan.algorithms = {"allreduce.auto"};
  plan.sizes = {32 * kOneMi, kOneMi, kOneKi};
  plan.transports = {"ipc", "tcp"};
  plan.baselines = {"gloo", "openmpi", "openmpi-tcp", "zeromq"};
  plan.rounds = options.quick ? 3 : 9;
  plan.budget_s = options.quick ? 0.5 : 1.5;
  plan.trace = TraceLevel::off;  // like the others; bench_tracing() measures tracing
  Profile profile = profiler.run(plan);
  report.interrupted |= profile.interrupted;
  std::ranges::move(profile.records, std::back_inserter(report.records));
  std::ranges::move(profile.notes, std::back_inserter(report.notes));
  for (const BesideOther& one : kBesideOthers)
    report.goals.push_back(speed_goal(
        std::string(one.what), find(report.records, "allreduce.auto", one.transport, one.bytes),
        find(report.records, one.baseline, "", one.bytes), one.wanted, one.every_round,
        fmt::format("{}-{}/{}{}", format_bytes(one.bytes), one.transport, one.baseline,
                    one.every_round ? "-worst" : "")));
}

}  // namespace rankscope::cli
