// Runs of real ranks whose order is chosen: found, replayed, shortened.
#include <array>
#include <atomic>
#include <thread>

#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/core/run/outcome.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/explore/explore.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/execute.h"
#include "engine/run/job/job.h"
#include "engine/run/step/step_gate.h"
#include "tests/support/catch.h"
#include "transports/inproc/inproc_world.h"

namespace rankscope::explore {
namespace {

using Program = std::function<void(Communicator&)>;

struct Running {
  JobSpec spec;
  Program program;

  Outcome operator()(std::uint32_t, InterleavingOrder& order) const {
    CollectingSink sink;
    RunnerOptions options;
    options.order = &order;
    options.part = [&](RankContext& rank, const JobSpec& job, std::uint32_t epoch) {
      RankOutcome out;
      out.rank = rank.rank();
      try {
        rank.begin_job(epoch, settings_of(job, TraceLevel::full));
        Communicator comm(rank);
        program(comm);
        out.ok = true;
      } catch (const std::exception& e) {
        out.error = e.what();
      }
      rank.recorder().flush();
      return out;
    };
    const JobResult result = InprocRunner(std::move(options)).run(spec, sink);
    Outcome out;
    out.meta = meta_of(spec);
    out.trace.emplace(make_trace(sink.take(), out.meta));
    out.failure = {{way_of(result.status), {}}, result.message};
    return out;
  }
};

JobSpec spec_of(int ranks, SendMode mode = SendMode::rendezvous) {
  JobSpec spec;
  spec.call.algorithm = "program";
  spec.call.platform = "native";
  spec.world.size = ranks;
  spec.transport.name = "inproc";
  spec.transport.mode = mode;
  spec.data.check = false;
  spec.recording.timeout_s = 20;
  return spec;
}

ExploreSettings settings_for(int ranks, int orders, bool may_wait = false) {
  ExploreSettings out;
  out.orders = orders;
  out.ranks = {ranks};
  out.order.may_wait = may_wait;
  return out;
}

struct Number {
  std::array<std::int32_t, 1> value{};
  Slice slice() { return {reinterpret_cast<std::byte*>(value.data()), DType::int32, 1, 0, 0}; }
};

// Rank 0 takes for granted that messages come in the order of the ranks.
void by_arrival(Communicator& comm) {
  Number number;
  if (comm.rank() > 0) {
    number.value[0] = comm.rank();
    return comm.send(0, number.slice());
  }
  for (Rank r = 1; r < comm.size(); ++r) {
    comm.recv(kAnyRank, number.slice());
    if (number.value[0] != r) throw UserError("not the message that was expected");
  }
}

// All send first, then receive.
void send_first(Communicator& comm) {
  Number out, in;
  const Rank peer = comm.rank() ^ 1;
  comm.send(peer, out.slice());
  comm.recv(peer, in.slice());
}

void around(Communicator& comm) {
  Number out, in;
  for (int step = 0; step < 3; ++step) {
    const Rank next = (comm.rank() + 1) % comm.size();
    const Rank previous = (comm.rank() + comm.size() - 1) % comm.size();
    out.value[0] = comm.rank();
    comm.sendrecv(next, out.slice(), previous, in.slice());
    if (in.value[0] != previous) throw UserError("wrong");
  }
}

// Once only: in a second round, its first messages could be taken for the last ones of this one.
void right(Communicator& comm) {
  around(comm);
  Number out, in;
  out.value[0] = comm.rank();
  if (comm.rank() > 0) return comm.send(0, out.slice());
  int sum = 0;
  for (Rank r = 1; r < comm.size(); ++r) {
    comm.recv(kAnyRank, in.slice());
    sum += in.value[0];
  }
  if (sum != comm.size() * (comm.size() - 1) / 2) throw UserError("wrong");
}

/// Keeps the machine busy.
class Load {
 public:
  Load() {
    for (int k = 0; k < 4; ++k)
      threads_.emplace_back([this] {
        while (!over_) std::this_thread::yield();
      });
  }
  ~Load() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

// What happened on each rank, without times.
std::vector<std::string> story(const Trace& trace) {
  std::vector<std::string> out(static_cast<std::size_t>(trace.world_size()));
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    out[static_cast<std::size_t>(event.rank)] +=
        std::string(to_string(event.kind)) + " " + std::string(to_string(event.verb)) + " " +
        std::to_string(event.op) + " " + std::to_string(event.cause) + " " +
        std::to_string(event.peer) + "\n";
  }
  return out;
}

TEST_CASE("orders: a race is found, shortened to its one message, and told") {
  const Running run{spec_of(4), by_arrival};
  InterleavingOrder usual({}, {});
  CHECK_FALSE(run(0, usual).fails());
  const Exploration all = explore(settings_for(4, 60), run);
  CHECK(all.orders == 60);
  CHECK(all.inexact == 0);
  REQUIRE(all.failed > 0);
  CHECK(all.failed < 60);
  REQUIRE(all.shortest);
  const FailingOrder& shortest = *all.shortest;
  CHECK(shortest.minimal);
  CHECK(shortest.interleaving.deviations.size() == 1);
  CHECK(shortest.outcome.failure.text() == "failed");
  CHECK(shortest.replays == 3);
  CHECK(shortest.same_again == 3);
  REQUIRE(shortest.words.size() == 1);
  INFO(shortest.words[0]);
  CHECK(shortest.words[0].find("message to rank 0") != std::string::npos);
  CHECK(shortest.words[0].find("arrives before rank") != std::string::npos);
}

// The machine is busy, and ranks take their time: the order does not care.
TEST_CASE("orders: a seed's run is the same each time, event by event") {
  const Load load;
  for (const Program& program : {Program(by_arrival), Program(right)}) {
    const Running run{spec_of(4), program};
    for (const std::uint64_t seed : {3, 4, 10}) {
      const Replay first = replay_seed(seed, settings_for(4, 1), run);
      REQUIRE(first.moves > 3);
      const auto told = story(first.outcome.trace->trace());
      for (int k = 0; k < 20; ++k) {
        const Replay again = replay_seed(seed, settings_for(4, 1), run);
        REQUIRE(again.digest == first.digest);
        REQUIRE(again.outcome.failure == first.outcome.failure);
        REQUIRE(story(again.outcome.trace->trace()) == told);
      }
    }
  }
}

TEST_CASE("orders: a program that is right is right in all of them") {
  const Running run{spec_of(5), right};
  const Exploration all = explore(settings_for(5, 60), run);
  CHECK(all.orders == 60);
  CHECK(all.failed == 0);
  CHECK_FALSE(all.shortest);
}

TEST_CASE("orders: two that wait for each other are found by their sends") {
  // Sends that wait for their receives are the gate's to ask for: agents do it (tests/coding).
  const Running run{spec_of(2), send_first};
  const Exploration all = explore(settings_for(2, 4), run);
  CHECK(all.failed == 4);
  REQUIRE(all.shortest);
  CHECK(all.shortest->interleaving.deviations.empty());
  CHECK(all.shortest->outcome.failure.text() == "deadlock");
  const Running buffered{spec_of(2, SendMode::buffered), send_first};
  CHECK(explore(settings_for(2, 4), buffered).failed == 0);
}

TEST_CASE(
    "orders: a rank that computes for longer than anybody waits is left behind, and said so") {
  const Program slow = [](Communicator& comm) {
    around(comm);
    if (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    around(comm);
  };
  const Running run{spec_of(3), slow};
  ExploreSettings patient = settings_for(3, 4), hasty = patient;
  hasty.order.compute_limit = std::chrono::milliseconds(50);
  const Exploration waited = explore(patient, run), left = explore(hasty, run);
  CHECK(waited.failed + left.failed == 0);
  CHECK(waited.inexact == 0);
  CHECK(left.inexact == 4);
}

TEST_CASE("orders: at its beginning a rank is waited for as long as it takes") {
  const Program late = [](Communicator& comm) {
    if (comm.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    right(comm);
  };
  ExploreSettings hasty = settings_for(3, 2);
  hasty.order.compute_limit = std::chrono::milliseconds(50);
  CHECK(explore(hasty, Running{spec_of(3), late}).inexact == 0);
}

TEST_CASE("orders: kinds of failures are told apart by their errors") {
  const auto kind = [](const char* words) {
    return FailureKind{FailureKind::Way::failed, error_class(words)};
  };
  CHECK(kind("rank 0: AssertionError: 3 (a.py:3)").text() == "failed: AssertionError");
  CHECK(kind("rank 0: AssertionError: 3 (a.py:3)") == kind("rank 1: AssertionError: 4 (a.py:9)"));
  CHECK(kind("rank 0: AssertionError: 3 (a.py:3)") != kind("rank 0: KeyError: 3 (a.py:3)"));
  CHECK(kind("rank 0 raised torch.cuda.OutOfMemoryError").text() ==
        "failed: torch.cuda.OutOfMemoryError");
  CHECK(kind("exited with code 3").text() == "failed");
  CHECK(kind("exited with code 3") != FailureKind{way_of(JobResult::Status::deadlock), {}});
}

TEST_CASE("orders: a program that polls gets on, and so does who waits for it") {
  const Program polls = [](Communicator& comm) {
    // A reference: without such a gate the run fails. Assertions of the test are for its own thread only.
    auto& gate = dynamic_cast<StepGate&>(*comm.context().gate());
    Number number;
    if (comm.rank() > 0) {
      comm.send(0, number.slice());
      return comm.recv(0, number.slice()), void();
    }
    for (Rank r = 1; r < comm.size(); ++r) {
      auto request = comm.irecv(r, number.slice());
      while (!comm.test(request)) gate.poll_found_nothing(0);
      comm.wait(request);
      comm.send(r, number.slice());
    }
  };
  const Running run{spec_of(3), polls};
  const Exploration all = explore(settings_for(3, 20), run);
  CHECK(all.orders == 20);
  CHECK(all.failed == 0);
  CHECK(all.inexact == 0);
  const Replay one = replay_seed(2, settings_for(3, 1), run);
  CHECK(replay_seed(2, settings_for(3, 1), run).digest == one.digest);
}

TEST_CASE("orders: collectives on strands of their own are ordered, too") {
  const Program asynchronous = [](Communicator& comm) {
    std::array<Number, 2> numbers;
    std::vector<Work> works;
    for (Number& number : numbers)
      works.push_back(comm.start([&number](Communicator& own) {
        Number in;
        number.value[0] = own.rank();
        const Rank next = (own.rank() + 1) % own.size();
        own.sendrecv(next, number.slice(), (own.rank() + own.size() - 1) % own.size(), in.slice());
      }));
    for (Work& work : works) work.wait();
  };
  const Running run{spec_of(3), asynchronous};
  const Exploration all = explore(settings_for(3, 20), run);
  CHECK(all.orders == 20);
  CHECK(all.failed == 0);
  CHECK(all.inexact == 0);
}

TEST_CASE("orders: an endless loop ends with its time, a deadlock with its words") {
  std::atomic<bool> over{false};
  const Program endless = [&](Communicator& comm) {
    Number number;
    if (comm.rank() == 1)
      while (!comm.context().progress().stopped()) std::this_thread::yield();
    comm.recv(1 - comm.rank(), number.slice());
  };
  JobSpec spec = spec_of(2);
  spec.recording.timeout_s = 1;
  ExploreSettings settings = settings_for(2, 1);
  settings.replays = 0;
  const Exploration all = explore(settings, Running{spec, endless});
  CHECK(all.failed == 1);
  REQUIRE(all.shortest);
  CHECK(all.shortest->outcome.failure.text() == "timeout");
}

}  // namespace
}  // namespace rankscope::explore
