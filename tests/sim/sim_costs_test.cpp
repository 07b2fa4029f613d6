// Runs in virtual time: results as the oracle's, finish times as the closed forms'.
#include "engine/core/base/error.h"
#include "engine/network/flow/make_network.h"
#include "tests/support/catch.h"
#include "tests/support/cost_cases.h"
#include "transports/sim/schedule_clock.h"
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

/// Without data.
void run_ghost(Communicator& comm, const CostCase& c) {
  Args args = args_of(c);
  const Extents extents = extents_on(c, comm.rank());
  args.in = Buffer::ghost(c.in.dtype, extents.in);
  args.out = Buffer::ghost(c.in.dtype, extents.out);
  run_algorithm(comm, *c.algorithm, args);
}

/// Seconds in virtual time.
double simulated_time(const CostCase& c, const SimOptions& options) {
  SimWorld world(c.in.n, options);
  RankSettings settings;
  settings.ghost = true;
  world.run([&](Communicator& comm) { run_ghost(comm, c); }, settings);
  return world.finish_s();
}

/// Those of the schedule; the fibers' where the program is none.
double scheduled_time(const CostCase& c, const SimOptions& options, bool& refused) {
  try {
    return carry_out(VerbSchedule(c.in.n, [&](Communicator& comm) { run_ghost(comm, c); }), options)
        .finish_s;
  } catch (const UserError& e) {
    CHECK_THAT(e.what(), Catch::Matchers::Contains("cannot be simulated as a schedule"));
    refused = true;
    return simulated_time(c, options);
  }
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
            const double seconds = simulated_time(c, options_of(link));
            const double form = time(cost_of(algorithm, c.in, link), link);
            CHECK(seconds == Approx(form).epsilon(1e-9));
            bool refused = false;
            CHECK(scheduled_time(c, options_of(link), refused) == seconds);
            // By split(), and by receives of whole ranges of chunks that are not all there.
            CHECK((!refused || algorithm.features.takes_group_size ||
                   algorithm.collective == Collective::scatter));
          }
        }
      }
}

}  // namespace

TEST_CASE("simulated runs are right, and take what the closed forms say", "[sim]") {
  compare_all(std::array{1, 2, 7, 8}, std::span(kCostLinks).first(3), false);
}

TEST_CASE("a schedule ends when the fibers do, also with LogGOPS terms and slow ranks", "[sim]") {
  SimOptions options = options_of(kCostLinks[2]);
  options.model.overhead = 3e-7;
  options.model.gap = 9e-7;
  options.model.byte_overhead = 2e-10;
  options.slowness = {1, 3.5, 1, 0.5};
  for (const auto& algorithm : built_in_algorithms()) {
    for (const CostCase& c : cost_cases(algorithm, 7, 1000)) {
      INFO(algorithm.name << ", root " << c.in.root << ", segments of " << c.in.segment_bytes);
      bool refused = false;
      CHECK(scheduled_time(c, options, refused) == simulated_time(c, options));
    }
  }
}

TEST_CASE("fibers, a schedule and a network without shared links give ports alike", "[sim]") {
  for (const PortModel ports : kAllPortModels)
    for (const bool loggops : {false, true}) {
      SimOptions options = options_of(kCostLinks[2]);
      options.model.ports = ports;
      if (loggops) options.model.overhead = 3e-7, options.model.gap = 9e-7;
      for (const auto& algorithm : built_in_algorithms())
        for (const CostCase& c : cost_cases(algorithm, 7, 1000)) {
          INFO(algorithm.name << ", root " << c.in.root << ", segments of " << c.in.segment_bytes
                              << ", ports " << to_string(ports) << ", LogGOPS " << loggops);
          const double alone = simulated_time(c, options);
          bool refused = false;
          if (ports != PortModel::none) CHECK(scheduled_time(c, options, refused) == alone);
          const auto network =
              make_uniform_network(c.in.n, kCostLinks[2].alpha, kCostLinks[2].beta);
          SimOptions shared = options;
          shared.network = network.get();
          CHECK(simulated_time(c, shared) == Approx(alone).epsilon(1e-9));
        }
    }
}

TEST_CASE("a program that decides by what arrives is no schedule", "[sim]") {
  const auto refused = [](const std::function<void(Communicator&)>& body, const char* why) {
    CHECK_THROWS_WITH(VerbSchedule(2, body), Catch::Matchers::Contains(why));
  };
  Buffer data = Buffer::ghost(DType::uint8, Shape::flat(8));
  refused([&](Communicator& comm) { comm.recv(kAnyRank, data); }, "from any rank");
  refused(
      [&](Communicator& comm) { comm.recv(1 - comm.rank(), Buffer::allocate(DType::uint8, 8)); },
      "may decide by");
  refused([&](Communicator& comm) { comm.probe(1 - comm.rank()); }, "has arrived");
  refused(
      [&](Communicator& comm) {
        std::array requests{comm.irecv(1 - comm.rank(), data), comm.irecv(1 - comm.rank(), data)};
        comm.wait_any(requests);
      },
      "one of several");
  const VerbSchedule circle(2, [&](Communicator& comm) { comm.recv(1 - comm.rank(), data); });
  CHECK_THROWS_WITH(carry_out(circle, {}), Catch::Matchers::Contains("wait for each other"));
}

TEST_CASE("simulated runs take what the closed forms say: all sizes, roots and uneven parts",
          "[sim][full]") {
  std::vector<int> worlds(16);
  std::iota(worlds.begin(), worlds.end(), 1);
  compare_all(worlds, kCostLinks, true);
}
