// Runs in virtual time: results as the oracle's, finish times as the closed forms'.
#include "engine/core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/cost_cases.h"
#include "transports/sim/sim_world.h"

using namespace rankscope;

namespace {

SimOptions options_of(const LinkCosts& link) {
  SimOptions options;
  options.model.alpha = link.alpha;
  options.model.beta = link.beta;
  options.model.gamma = link.gamma;
  return options;
}

/// Seconds in virtual time of a run without data.
double simulated_time(const CostCase& c, const LinkCosts& link) {
  SimWorld world(c.in.n, options_of(link));
  RankSettings settings;
  settings.ghost = true;
  world.run(
      [&](Communicator& comm) {
        Args args = args_of(c);
        const Extents extents = extents_on(c, comm.rank());
        args.in = Buffer::ghost(c.in.dtype, extents.in);
        args.out = Buffer::ghost(c.in.dtype, extents.out);
        run_algorithm(comm, *c.algorithm, args);
      },
      settings);
  return world.finish_s();
}

/// With data: what is wrong with the first rank's output that is not the oracle's.
std::string simulated_mismatch(const CostCase& c) {
  OracleJob job;
  job.collective = c.algorithm->collective;
  job.shape = c.in.shape;
  job.dtype = c.in.dtype;
  job.root = c.in.root;
  job.n = c.in.n;
  job.scatter_dim = c.in.scatter_dim;
  job.gather_dim = c.gather_dim;
  std::string wrong;
  SimWorld world(c.in.n, options_of(kCostLinks.front()));
  world.run([&](Communicator& comm) {
    Args args = args_of(c);
    const Extents extents = extents_on(c, comm.rank());
    args.in = Buffer::allocate(c.in.dtype, extents.in);
    args.out = Buffer::allocate(c.in.dtype, extents.out);
    fill_input(args.in, job.pattern, job.seed, comm.rank(), c.in.n, job.op, {});
    if (args.in.bytes() == args.out.bytes() && args.in.bytes() > 0)
      std::memcpy(args.out.data(), args.in.data(), args.in.bytes());
    run_algorithm(comm, *c.algorithm, args);
    const Mismatch found = check_output(job, comm.rank(), args.out);
    if (!found.ok() && wrong.empty())
      wrong = fmt::format("rank {}: element {} is {}, not {}", comm.rank(), found.index, found.got,
                          found.expected);
  });
  return wrong;
}

void compare_all(std::span<const int> worlds, std::span<const LinkCosts> links, bool all_counts) {
  for (const auto& algorithm : built_in_algorithms())
    for (const int n : worlds)
      for (const Count count : {Count{1000}, Count{n - 1}, Count{16 * n}}) {
        if (!all_counts && count != 1000) continue;
        for (const CostCase& c : cost_cases(algorithm, n, count)) {
          INFO(algorithm.name << " on " << n << " ranks, " << c.in.shape.count()
                              << " elements, root " << c.in.root << ", segments of "
                              << c.in.segment_bytes << " B, groups of " << c.in.group_size);
          CHECK(simulated_mismatch(c) == "");
          for (const LinkCosts& link : links) {
            INFO("alpha " << link.alpha << ", gamma " << link.gamma);
            CHECK(simulated_time(c, link) ==
                  Approx(time(cost_of(algorithm, c.in, link), link)).epsilon(1e-9));
          }
        }
      }
}

}  // namespace

TEST_CASE("simulated runs are right, and take what the closed forms say", "[sim]") {
  compare_all(std::array{1, 2, 7, 8}, std::span(kCostLinks).first(3), false);
}

TEST_CASE("simulated runs take what the closed forms say: all sizes, roots and uneven parts",
          "[sim][full]") {
  std::vector<int> worlds(16);
  std::iota(worlds.begin(), worlds.end(), 1);
  compare_all(worlds, kCostLinks, true);
}
