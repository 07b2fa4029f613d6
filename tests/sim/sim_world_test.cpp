// Virtual time: ports, protocols, strands, deadlines, chance, failures, and what a deadlock is.
#include "transports/sim/sim_world.h"

#include "engine/core/base/error.h"
#include "engine/network/flow/make_network.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"
#include "transports/sim/fiber_sanitizers.h"

using namespace rankscope;

namespace {

constexpr double kAlpha = 2e-6, kBeta = 1e-9;

SimOptions simple_options() {
  SimOptions options;
  options.model.alpha = kAlpha;
  options.model.beta = kBeta;
  return options;
}

RankSettings sim_settings(SendMode mode = SendMode::buffered) {
  RankSettings settings;
  settings.ghost = true;
  settings.mode = mode;
  return settings;
}

Buffer ghost_bytes(Count bytes) { return Buffer::ghost(DType::uint8, Shape::flat(bytes)); }

using Program = std::function<void(Communicator&)>;

double finish_of(int ranks, SimOptions options, const Program& body,
                 const RankSettings& settings = sim_settings()) {
  SimWorld world(ranks, std::move(options));
  world.run(body, settings);
  return world.finish_s();
}

/// Every other rank sends 1000 bytes to rank 0.
void gather_here(Communicator& comm) {
  Buffer data = ghost_bytes(1000);
  if (comm.rank() != 0) return comm.send(0, data);
  for (Rank from = 1; from < comm.size(); ++from) comm.recv(from, data);
}

void swap_pair(Communicator& comm) {
  Buffer data = ghost_bytes(1000), into = ghost_bytes(1000);
  comm.sendrecv(1 - comm.rank(), data, 1 - comm.rank(), into);
}

std::vector<StepEvent> events_of(const Program& body, SimOptions options, int ranks) {
  CollectingSink sink;
  SimWorld world(ranks, std::move(options), &sink);
  RankSettings settings;
  settings.trace = TraceLevel::full;
  world.run(body, settings);
  std::vector<StepEvent> out;
  for (const EventBatch& batch : sink.take())
    out.insert(out.end(), batch.events.begin(), batch.events.end());
  return out;
}

}  // namespace

TEST_CASE("ports serve one message at a time, both ways at once or not", "[sim]") {
  const double one = kAlpha + 1000 * kBeta;
  SimOptions options = simple_options();
  CHECK(finish_of(4, options, gather_here) == Approx(3 * one).epsilon(1e-12));
  CHECK(finish_of(2, options, swap_pair) == Approx(one).epsilon(1e-12));
  options.model.ports = PortModel::half;
  CHECK(finish_of(2, options, swap_pair) == Approx(2 * one).epsilon(1e-12));
  options.model.ports = PortModel::none;
  CHECK(finish_of(4, options, gather_here) == Approx(one).epsilon(1e-12));
}

TEST_CASE("a free port takes what is ready, and first what its rank waits for", "[sim]") {
  const double one = kAlpha + 1000 * kBeta;
  const auto finish_by_rank = [](const SimOptions& options, const Program& body) {
    SimWorld world(4, options);
    world.run(body, sim_settings());
    std::vector<double> ends;
    for (int r : steps(4)) ends.push_back(world.rank(r).ended_at.seconds());
    return ends;
  };
  const auto network = make_uniform_network(4, kAlpha, kBeta);
  for (const bool shared : {false, true}) {
    CAPTURE(shared);
    SimOptions options = simple_options();
    if (shared) options.network = network.get();
    // Rank 0's message to 2 waits for its own port; it keeps no place at that of 2, which serves rank 1 meanwhile.
    const auto waits_for_sender = finish_by_rank(options, [](Communicator& comm) {
      Buffer data = ghost_bytes(1000);
      if (comm.rank() == 0) comm.send(3, data), comm.send(2, data);
      if (comm.rank() == 1) comm.send(2, data);
      if (comm.rank() == 2) comm.recv(1, data), comm.recv(0, data);
      if (comm.rank() == 3) comm.recv(0, data);
    });
    CHECK(waits_for_sender[2] == Approx(2 * one).epsilon(1e-12));
    // Both are ready at once: rank 2's goes first, since rank 3 sleeps for it; then that of 1, then that of 0.
    const auto awaited = finish_by_rank(options, [](Communicator& comm) {
      Buffer data = ghost_bytes(1000);
      if (comm.rank() < 3) {
        if (comm.rank() == 0) comm.compute(std::chrono::nanoseconds(1));
        return comm.send(3, data);
      }
      comm.recv(2, data);
      comm.compute(std::chrono::microseconds(20));
      comm.recv(0, data);
    });
    CHECK(awaited[3] == Approx(std::max(one + 20e-6, 3 * one)).epsilon(1e-12));
  }
}

TEST_CASE("with o, g or O the terms are those of LogGOPS", "[sim]") {
  SimOptions options = simple_options();
  options.model.overhead = 5e-7;
  options.model.byte_overhead = 1e-10;
  const double handled = 5e-7 + 1000 * 1e-10;
  // o, the bytes, L, o: then a port is free before the message has arrived.
  CHECK(finish_of(2, options, gather_here) ==
        Approx(handled + 1000 * kBeta + kAlpha + handled).epsilon(1e-12));
  options.model.gap = 3e-6;
  const auto two = [](Communicator& comm) {
    Buffer data = ghost_bytes(1000);
    for (int i : steps(2)) {
      (void)i;
      if (comm.rank() == 0) comm.send(1, data);
      else comm.recv(0, data);
    }
  };
  CHECK(finish_of(2, options, two) ==
        Approx(handled + 3e-6 + 1000 * kBeta + kAlpha + handled).epsilon(1e-12));
}

TEST_CASE("a rendezvous announces itself and is answered", "[sim]") {
  const auto late = [](Communicator& comm) {
    Buffer data = ghost_bytes(1000);
    if (comm.rank() == 0) return comm.send(1, data);
    comm.compute(std::chrono::microseconds(50));
    comm.recv(0, data);
  };
  const double flow = kAlpha + 1000 * kBeta;
  CHECK(finish_of(2, simple_options(), late) == Approx(50e-6).epsilon(1e-12));
  CHECK(finish_of(2, simple_options(), late, sim_settings(SendMode::rendezvous)) ==
        Approx(50e-6 + kAlpha + flow).epsilon(1e-12));
  CHECK(finish_of(2, simple_options(), gather_here, sim_settings(SendMode::rendezvous)) ==
        Approx(2 * kAlpha + flow).epsilon(1e-12));
}

TEST_CASE("messages of a pair are matched in the order of posting, whichever arrives first",
          "[sim]") {
  for (const bool shared : {false, true}) {
    const auto network = make_uniform_network(2, kAlpha, kBeta);
    SimOptions options = simple_options();
    options.model.ports = PortModel::none;
    if (shared) options.network = network.get();
    SimWorld world(2, options);
    std::vector<std::uint64_t> sizes;
    world.run(
        [&](Communicator& comm) {
          if (comm.rank() == 0) {
            comm.send(1, ghost_bytes(100'000));
            return comm.send(1, ghost_bytes(10));
          }
          for (int i : steps(2)) (void)i, sizes.push_back(comm.recv(0, ghost_bytes(100'000)).bytes);
        },
        sim_settings());
    CHECK(sizes == std::vector<std::uint64_t>{100'000, 10});
  }
}

TEST_CASE("a network that shares no link takes as long as none", "[sim]") {
  for (const PortModel ports : kAllPortModels)
    for (const bool loggops : {false, true})
      for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous}) {
        SimOptions options = simple_options();
        options.model.ports = ports;
        if (loggops) options.model.gap = 3e-7, options.model.overhead = 1e-7;
        const auto ring = [](Communicator& comm) {
          Buffer data = ghost_bytes(777), into = ghost_bytes(777);
          const Rank next = (comm.rank() + 1) % comm.size();
          const Rank before = (comm.rank() + comm.size() - 1) % comm.size();
          for (int i : steps(5)) (void)i, comm.sendrecv(next, data, before, into);
        };
        const double alone = finish_of(5, options, ring, sim_settings(mode));
        const auto network = make_uniform_network(5, kAlpha, kBeta);
        options.network = network.get();
        CAPTURE(to_string(ports), loggops, mode);
        CHECK(finish_of(5, options, ring, sim_settings(mode)) == Approx(alone).epsilon(1e-12));
      }
}

TEST_CASE("strands are fibers of their rank, and share its processor", "[sim]") {
  const auto program = [](Communicator& comm) {
    std::vector<Work> works;
    for (int i : steps(3))
      works.push_back(comm.start([i](Communicator& own) {
        own.compute(std::chrono::microseconds(10));
        Buffer data = ghost_bytes(100 * (i + 1)), into = ghost_bytes(100 * (i + 1));
        own.sendrecv(1 - own.rank(), data, 1 - own.rank(), into);
      }));
    while (!works.front().test()) {
    }
    for (Work& work : works) work.wait();
  };
  CHECK(finish_of(2, simple_options(), program) == Approx(32e-6 + 300 * kBeta).epsilon(1e-12));
}

TEST_CASE("a deadline passes in virtual time", "[sim]") {
  SimWorld world(2, simple_options());
  RankSettings settings = sim_settings();
  settings.wait_limit = std::chrono::hours(30);
  std::int64_t waited_ns = 0;
  CHECK_THROWS_AS(world.run(
                      [&](Communicator& comm) {
                        if (comm.rank() != 0) return;
                        try {
                          comm.recv(1, ghost_bytes(1));
                        } catch (const CommError& e) {
                          CHECK(e.reason() == CommError::Reason::deadline);
                          waited_ns = comm.now();
                          throw;
                        }
                      },
                      settings),
                  CommError);
  CHECK(static_cast<double>(waited_ns) == Approx(30 * 3600e9));
}

TEST_CASE("the same seed gives the same events, another one others", "[sim]") {
  const auto ring = [](Communicator& comm) {
    Buffer data = comm.scratch(DType::int32, 50), into = comm.scratch(DType::int32, 50);
    for (int i : steps(8)) {
      (void)i;
      comm.sendrecv((comm.rank() + 1) % comm.size(), data,
                    (comm.rank() + comm.size() - 1) % comm.size(), into);
      comm.reduce(data, into, ReduceOp::sum);
    }
  };
  SimOptions options = simple_options();
  options.model.gamma = 1e-9;
  options.jitter = 0.3;
  const auto times = [&](std::uint64_t seed) {
    options.seed = seed;
    std::vector<std::tuple<Rank, std::uint32_t, std::int64_t, std::int64_t>> out;
    for (const StepEvent& event : events_of(ring, options, 7))
      out.emplace_back(event.rank, event.seq, event.begin_ns, event.time_ns);
    return out;
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
  options.slowness = {1, 1, 100};
  const double slow = finish_of(7, options, ring), fast = 8 * (kAlpha + 200 * kBeta);
  CHECK(slow > fast + 8 * 100 * 200e-9);
}

TEST_CASE("ranks that wait for each other are stopped at once", "[sim]") {
  struct Seen : SimWorld::Watch {
    int deadlocks = 0;
    void on_deadlock() override { ++deadlocks; }
  } seen;
  SimWorld world(3, simple_options(), nullptr, &seen);
  CHECK_THROWS_AS(
      world.run([](Communicator& comm) { comm.recv((comm.rank() + 1) % 3, ghost_bytes(1)); },
                sim_settings()),
      CommError);
  CHECK(seen.deadlocks == 1);
}

TEST_CASE("a rank that throws ends the run, and its error is reported", "[sim]") {
  SimWorld world(3, simple_options());
  CHECK_THROWS_WITH(world.run(
                        [](Communicator& comm) {
                          if (comm.rank() == 1) throw UserError("no such luck");
                          comm.recv(1, ghost_bytes(1));
                        },
                        sim_settings()),
                    "no such luck");
}

TEST_CASE("a rank fails at its time", "[sim]") {
  struct Seen : SimWorld::Watch {
    Rank rank = -1;
    void on_failure(Rank who, const std::string&) override { rank = who; }
  } seen;
  SimOptions options = simple_options();
  options.failures = {{2, 5e-6}};
  SimWorld world(4, options, nullptr, &seen);
  const auto ring = [](Communicator& comm) {
    for (int i : steps(100)) {
      (void)i;
      comm.sendrecv((comm.rank() + 1) % 4, ghost_bytes(10), (comm.rank() + 3) % 4, ghost_bytes(10));
    }
  };
  CHECK_THROWS_AS(world.run(ring, sim_settings()), CommError);
  CHECK(seen.rank == 2);
  CHECK(world.now().seconds() == Approx(5e-6));
}

TEST_CASE("a run that is abandoned unwinds no rank", "[sim]") {
  constexpr int kRanks = 64;
  struct GivesUp : SimWorld::Watch {
    SimWorld* world = nullptr;
    std::optional<std::string> stop_reason() override {
      world->abandon("enough");
      return "enough";
    }
  } watch;
  struct Unwound {
    int& count;
    ~Unwound() { ++count; }
  };
  int unwound = 0;
  SimWorld world(kRanks, simple_options(), nullptr, &watch);
  watch.world = &world;
  const auto endless = [&](Communicator& comm) {
    const Unwound counted{unwound};
    Buffer data = ghost_bytes(10), into = ghost_bytes(10);
    while (true)
      comm.sendrecv((comm.rank() + 1) % kRanks, data, (comm.rank() + kRanks - 1) % kRanks, into);
  };
  if (kLostMemoryIsReported) {
    CHECK_THROWS_AS(world.run(endless, sim_settings()), CommError);
    CHECK(unwound == kRanks);
    CHECK(world.abandoned() == 0);
  } else {
    world.run(endless, sim_settings());
    CHECK(unwound == 0);
    CHECK(world.abandoned() == kRanks);
  }
}

TEST_CASE("a message without data cannot fill a real buffer", "[sim]") {
  SimWorld world(2, simple_options());
  CHECK_THROWS_AS(world.run([](Communicator& comm) {
    if (comm.rank() == 0) return comm.send(1, ghost_bytes(8));
    comm.recv(0, Buffer::allocate(DType::uint8, 8));
  }),
                  CommError);
}

TEST_CASE("options that cannot be are refused", "[sim]") {
  const auto refused = [](auto change) {
    SimOptions options = simple_options();
    change(options);
    CHECK_THROWS_AS(SimWorld(2, options), UserError);
  };
  refused([](SimOptions& o) { o.model.alpha = -1; });
  refused([](SimOptions& o) { o.model.beta = std::nan(""); });
  refused([](SimOptions& o) { o.jitter = -0.1; });
  refused([](SimOptions& o) { o.slowness = {1, 1, 1}; });
  refused([](SimOptions& o) { o.slowness = {0}; });
  refused([](SimOptions& o) { o.failures = {{2, 1}}; });
  const auto small = make_uniform_network(1, 0, 0);
  refused([&](SimOptions& o) { o.network = small.get(); });
}

TEST_CASE("times that are equal on paper are equal", "[sim]") {
  CHECK(SimTime::of_decimal(1e-6) == SimTime::of_decimal(1e-9).times(1000));
  CHECK(SimTime::of_decimal(3.1e-9).times(10) == SimTime::of_decimal(3.1e-8));
  CHECK(SimTime::of_decimal(1 / 1e10).times(10'000'000'000) == SimTime::of_decimal(1));
  CHECK(SimTime::of_decimal(0).is_zero());
  CHECK(SimTime::of_decimal(1e-30).is_zero());
  CHECK(SimTime::of_decimal(6e-25) == SimTime::of_decimal(1e-24));
  CHECK(SimTime::of_decimal(123456.789).seconds() == Approx(123456.789).epsilon(1e-15));
  CHECK(SimTime::of_decimal(1.5).ns() == 1'500'000'000);
}
