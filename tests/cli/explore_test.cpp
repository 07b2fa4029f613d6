// `--explore` and `--replay` with real programs: exercises in boxes, and programs under `rankscope exec`.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using test::run_rankscope;
using test::TemporaryFolder;

// The programs' buffers are bytes: loading NumPy would take most of the time of a run, and there are hundreds.
// Rank 0 takes the first message for rank 1's. The sleep would hide it from any number of ordinary runs.
constexpr std::string_view kRace = R"(from mpi4py import MPI
import time
comm = MPI.COMM_WORLD
data = bytearray([comm.rank])
if comm.rank == 0:
    for expected in range(1, comm.size):
        comm.Recv(data, source=MPI.ANY_SOURCE)
        assert data[0] == expected, "expected %d" % expected
else:
    time.sleep(0.02 * comm.rank)
    comm.Send(data, dest=0)
)";

constexpr std::string_view kSendFirst = R"(from mpi4py import MPI
# Both ranks send first.
comm = MPI.COMM_WORLD
out, into = bytearray([comm.rank]), bytearray(1)
peer = 1 - comm.rank
comm.Send(out, dest=peer)
comm.Recv(into, source=peer)
assert into[0] == peer
)";

constexpr std::string_view kRight = R"(from mpi4py import MPI
import time
comm = MPI.COMM_WORLD
data = bytearray([comm.rank])
if comm.rank == 0:
    got = 0
    for _ in range(1, comm.size):
        comm.Recv(data, source=MPI.ANY_SOURCE)
        got += data[0]
    assert got == comm.size * (comm.size - 1) // 2
else:
    time.sleep(0.05)
    comm.Send(data, dest=0)
total = comm.allreduce(comm.rank)
assert total == comm.size * (comm.size - 1) // 2
)";

constexpr std::string_view kPolls = R"(from mpi4py import MPI
comm = MPI.COMM_WORLD
data = bytearray([comm.rank])
if comm.rank == 0:
    for peer in range(1, comm.size):
        while not comm.iprobe(source=peer):
            pass
        request = comm.Irecv(data, source=peer)
        while not request.Test():
            pass
        assert data[0] == peer
else:
    comm.Send(data, dest=0)
)";

bool lacks(const char* module) {
  // Without importing it, as torch takes a second to load.
  const auto there = test::run_process(
      {"/usr/bin/python3", "-c",
       fmt::format("import importlib.util; assert importlib.util.find_spec('{}')", module)});
  if (there.exit_code == 0) return false;
  REQUIRE(std::getenv("CI") == nullptr);
  WARN("left out: " << module << " is missing here");
  return true;
}

std::string program(const TemporaryFolder& folder, std::string_view text) {
  std::ofstream(folder / "program.py") << text;
  return folder / "program.py";
}

// Each order starts Python once a rank.
test::Finished run(const std::vector<std::string>& arguments) {
  test::ProcessOptions options;
  return run_rankscope(arguments, options);
}

json told(const test::Finished& done) {
  INFO(done.out << done.err);
  REQUIRE(done.out.find('{') != std::string::npos);
  return parse_json(done.out.substr(done.out.find('{')));
}

// By rank: what happened, without times. Ids of operations count each rank's verbs.
std::vector<std::string> story(const std::string& file) {
  const Trace trace = TraceReader::open(file);
  std::vector<std::string> out(static_cast<std::size_t>(trace.world_size()));
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    auto& mine = out[static_cast<std::size_t>(event.rank)];
    mine += std::string(to_string(event.kind)) + " " + std::string(to_string(event.verb));
    for (const auto number : {event.op, event.cause, static_cast<OpId>(event.bytes)})
      mine += " " + std::to_string(number);
    mine += "\n";
  }
  return out;
}

namespace {

/// Each replay `times` times over.
void find_and_replay_a_race(int times) {
  const TemporaryFolder folder;
  const std::string file = program(folder, kRace);
  const auto usual = run({"exec", "-n", "3", "--replay", "0:", file});  // the default order
  CHECK(usual.exit_code == 0);
  const auto found = run(
      {"--json", "exec", "-n", "3", "--explore", "24", "-o", folder / "failing.rankscope", file});
  CHECK(found.exit_code == 1);
  const json all = told(found);
  CHECK(all["orders"] == 24);
  CHECK(all["failed"] > 0);
  CHECK(all["failed"] < 24);
  const json& shortest = all["shortest"];
  CHECK(shortest["deviations"] <= 2);
  CHECK(shortest["minimal"] == true);
  CHECK(shortest["same_again"] == shortest["replays"]);
  CHECK(shortest["exact"] == true);
  REQUIRE(shortest["words"].size() == 1);
  CHECK_THAT(shortest["words"][0].get<std::string>(),
             Contains("rank 2's message to rank 0 (program.py:11) arrives before rank 1's") &&
                 Contains("(program.py:7)"));
  CHECK_THAT(shortest["says"].get<std::string>(), Contains("AssertionError"));
  // While the machine has other things to do.
  std::atomic<bool> over{false};
  std::vector<std::thread> load;
  for (int k = 0; k < 3; ++k)
    load.emplace_back([&] {
      while (!over) std::this_thread::yield();
    });
  const std::string schedule = shortest["schedule"],
                    seed = std::to_string(all["seeds"][0].get<int>());
  for (const std::string& what : {schedule, seed}) {
    std::vector<std::string> first;
    for (int k = 0; k < times; ++k) {
      const std::string trace = folder / "again.rankscope";
      const auto again = run({"--json", "exec", "-n", "3", "--replay", what, "-o", trace, file});
      CHECK(again.exit_code == 1);
      auto events = story(trace);
      if (k == 0) first = events;
      REQUIRE(events == first);
    }
  }
  over = true;
  for (auto& thread : load) thread.join();
}

}  // namespace

TEST_CASE("explore: a race that sleeping hides is found, shortened, and replayed the same",
          "[slow]") {
  find_and_replay_a_race(2);
}

TEST_CASE("explore: a race is replayed the same 20 times", "[full]") { find_and_replay_a_race(20); }

TEST_CASE("explore: code that is correct only with buffered sends is found where MPI may do either",
          "[slow]") {
  const TemporaryFolder folder;
  const std::string file = program(folder, kSendFirst);
  const json all = told(run({"--json", "exec", "-n", "2", "--explore", "12", file}));
  CHECK(all["failed"] > 0);
  CHECK(all["failed"] < 12);
  CHECK(all["kinds"].contains("deadlock"));
  const json& shortest = all["shortest"];
  CHECK(shortest["deviations"] == 2);  // one of them alone ends well
  CHECK_THAT(dump_json(shortest["words"]),
             Contains("waits until the receive is posted") && Contains("program.py:6"));
}

TEST_CASE("explore: programs that are right, slow or polling pass in all orders", "[slow]") {
  for (const std::string_view text : {kRight, kPolls}) {
    const TemporaryFolder folder;
    const auto done = run({"exec", "-n", "3", "--explore", "10", program(folder, text)});
    INFO(done.out << done.err);
    CHECK(done.exit_code == 0);
    CHECK_THAT(done.out, Contains("Ends well, with the same output, in all 10 orders") &&
                             Contains("name the collective with --as"));
  }
}

TEST_CASE("explore: a program that prints something else in another order is never right",
          "[slow]") {
  if (lacks("numpy")) return;
  const TemporaryFolder folder;
  const std::string file = program(folder, R"(from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    print("first", comm.recv(source=MPI.ANY_SOURCE), flush=True)
    comm.recv(source=MPI.ANY_SOURCE)
else:
    comm.send(comm.rank, dest=0)
)");
  const auto done = run({"--json", "exec", "-n", "3", "--explore", "12", file});
  INFO(done.out << done.err);
  CHECK(done.exit_code == 1);
  const json all = told(done);
  CHECK(all["kinds"].contains("other output"));
  CHECK_THAT(all["shortest"]["says"].get<std::string>(),
             Contains("rank 0 prints \"first 2\", in the usual order \"first 1\""));
  // The same program, where somebody says what it means: its result is wrong in whatever order.
  const auto meant = run({"exec", "-n", "3", "--as", "allreduce:sum", "--explore", "2",
                          program(folder, R"(from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
x = np.array([comm.rank + 1.0])
comm.Allreduce(MPI.IN_PLACE, x, op=MPI.MAX)
)")});
  CHECK(meant.exit_code == 1);
  CHECK_THAT(meant.out, Contains("wrong result: 2") && Contains("is the maximum"));
}

// Rank 0 takes the first message for rank 1's; the groups are made one after the other.
constexpr std::string_view kForks = R"(import multiprocessing, rankscope, sys
def work(rank, group):
    comm = rankscope.join(rank, 3, "group %d" % group)
    data = bytearray([rank])
    if rank > 0:
        comm.send(data, 0)
    else:
        for expected in (1, 2):
            comm.recv(data, -1)
            assert data[0] == expected, "expected %d" % expected
for group in range(int(sys.argv[1])):
    ranks = [multiprocessing.get_context("fork").Process(target=work, args=(r, group)) for r in range(3)]
    [rank.start() for rank in ranks]
    [rank.join() for rank in ranks]
)";

TEST_CASE("explore: the ranks that a program starts itself") {
  const TemporaryFolder folder;
  const std::string file = program(folder, kForks);
  const auto replay = [&](const std::string& schedule, const char* groups) {
    return run({"exec", "--replay", schedule, "--", "/usr/bin/python3", file, groups});
  };
  const auto usual = replay("0:", "1"), other = replay("0:late1-0.0", "1");
  INFO(usual.out << usual.err << other.out << other.err);
  CHECK(usual.exit_code == 0);
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.out, Contains("Fails: AssertionError: expected 1") &&
                            Contains("rank 2's message to rank 0 (program.py:6) arrives before"));
  const auto several = replay("0:", "2"), none = replay("0:", "0");
  CHECK(several.exit_code == 2);
  CHECK_THAT(several.err, Contains("makes several groups of ranks"));
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Contains("no process became a rank"));
}

TEST_CASE("explore: an exercise's program with a race is found and shortened; the trace is kept",
          "[slow]") {
  if (lacks("torch")) return;
  const TemporaryFolder folder;
  const std::string file =
      (test::source_root() / "tests/students/my-allgather/wrong_arrival.py").string();
  const auto found = run(
      {"--json", "exercise", "my-allgather", file, "--explore", "40", "--trace", folder / "runs"});
  CHECK(found.exit_code == 1);
  const json all = told(found);
  CHECK(all["failed"] > 0);
  CHECK(all["shortest"]["deviations"] <= 2);
  CHECK(all["shortest"]["same_again"] == all["shortest"]["replays"]);
  CHECK_THAT(dump_json(all["shortest"]["words"]), Contains("arrives before rank"));
  CHECK(std::filesystem::exists(all["shortest"]["trace"].get<std::string>()));
  const auto again = run({"exercise", "my-allgather", file, "--replay",
                          all["shortest"]["schedule"].get<std::string>()});
  CHECK(again.exit_code == 1);
  CHECK_THAT(again.out, Contains("Fails with ") && Contains("arrives before rank"));
}

TEST_CASE("explore: an exercise's program in C++ gets what the grader gives it", "[slow]") {
  const auto students = test::source_root() / "tests/students/cpp/my-broadcast";
  const auto right = run(
      {"exercise", "my-broadcast", (students / "right_binomial.cpp").string(), "--explore", "4"});
  INFO(right.out << right.err);
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Contains("Right in all 4 orders"));
  const json all = told(run({"--json", "exercise", "my-broadcast",
                             (students / "wrong_deadlock.cpp").string(), "--explore", "1"}));
  CHECK(all["failed"] == 1);
  CHECK_THAT(dump_json(all["shortest"]), Contains("my_broadcast.cpp:7"));
}

TEST_CASE("explore: a rank that dies, or never ends, is the failure of its order and nothing hangs",
          "[slow]") {
  const TemporaryFolder folder;
  const std::string dies = program(folder, R"(import os
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 1:
    os._exit(3)
comm.recv(source=1 - comm.rank)
)");
  const json all = told(run({"--json", "exec", "-n", "2", "--explore", "2", dies}));
  CHECK(all["failed"] == 2);
  CHECK(all["shortest"]["deviations"] == 0);
  const std::string endless = program(folder, R"(from mpi4py import MPI
comm = MPI.COMM_WORLD
while comm.rank == 1:
    pass
comm.recv(source=1)
)");
  const json late =
      told(run({"--json", "exec", "-n", "2", "--timeout", "2", "--replay", "1", endless}));
  CHECK(late["failure"] == "timeout");
}

TEST_CASE("explore: what does not fit together is refused with what to do") {
  const TemporaryFolder folder;
  const std::string file = program(folder, kRight);
  for (const auto& [arguments, words] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--explore", "5"}, "-n 4"},
           {{"-n", "2", "--explore", "5", "--replay", "3"}, "give one of them"},
           {{"-n", "2", "--explore", "0"}, "--explore"},
           {{"-n", "2", "--replay", "0:early"}, "late, slow or wait"},
           {{"-n", "2", "--replay", "7:"}, "there are only 1"}}) {
    std::vector<std::string> command{"exec"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(file);
    const auto done = run(command);
    INFO(done.err);
    CHECK(done.exit_code != 0);
    CHECK_THAT(done.err, Contains(words));
  }
}

}  // namespace
}  // namespace rankscope
