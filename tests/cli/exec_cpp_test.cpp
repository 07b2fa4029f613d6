// Programs in C++ under `rankscope exec`: how their ranks end is reported with the reason and its line.
#include <fstream>
#include <map>

#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using Catch::Matchers::Contains;
using test::Finished;
using test::ProcessOptions;
using test::run_rankscope;
using test::TemporaryFolder;

/// Compiles `text` to a binary, which is shorter than to have `exec` compile it for each case.
std::string compiled(const TemporaryFolder& folder, std::string_view text,
                     const std::string& name = "ring") {
  const std::string source = folder / (name + ".cpp"), binary = folder / name;
  std::ofstream(source) << text;
  const auto library = test::programs_library();
  const auto done = test::run_process(
      {"g++", "-std=c++20", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I",
       (test::source_root() / "engine/capi").string(), source, "-o", binary, library.string(),
       "-Wl,-rpath," + library.parent_path().string(), "-pthread"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  return binary;
}

/// Rank 1 of four ends as its argument says.
constexpr std::string_view kEnds = R"(#include <rankscope.hpp>
#include <cassert>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
struct Node { int value; Node* next; };
void fail(const std::string& how, rankscope::Communicator& comm, std::vector<int>& data) {
  Node last{1, nullptr};
  volatile int zero = 0;
  if (how == "throw") throw std::out_of_range("value 7");   // line 11
  if (how == "memory") data[0] = last.next->next->value;    // line 12
  if (how == "divide") data[0] = 8 / zero;                  // line 13
  if (how == "assert") assert(zero == 1);                   // line 14
  if (how == "exit") std::exit(3);                          // line 15
  if (how == "rank") comm.send(-5, std::span<int>(data));   // line 16
  while (how == "loop") zero = 0;                           // line 17
}
int main(int, char** argv) {
  const std::string how = argv[1];
  std::vector<int> data(8);
  if (how == "catch") {
    try {
      auto comm = rankscope::join();
      if (comm.rank() == 1) fail("throw", comm, data);      // line 25
      comm.allreduce(std::span<int>(data));
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      return 1;
    }
    return 0;
  }
  auto comm = rankscope::join();
  if (comm.rank() == 1) fail(how, comm, data);              // line 34
  if (comm.rank() == 1 && how == "return") return 3;
  if (how == "long" && comm.rank() == 0) comm.send(1, std::span<int>(data));            // line 36
  if (how == "long" && comm.rank() == 1) comm.recv(0, std::span<int>(data).first(4));   // line 37
  if (how != "return") comm.allreduce(std::span<int>(data));                            // line 38
}
)";

TEST_CASE("cli: exec reports how a rank in C++ ends, with its line") {
  const TemporaryFolder folder;
  const std::string ring = compiled(folder, kEnds);
  const std::map<std::string, std::vector<std::string>> expected{
      {"throw",
       {"rank 1 failed: std::out_of_range: value 7", "ring.cpp:11", "ring.cpp:34 in main",
        "[rank 1] std::out_of_range: value 7"}},
      {"memory", {"rank 1 failed: SIGSEGV", "ring.cpp:12"}},
      {"divide", {"rank 1 failed: SIGFPE: it divided by zero", "ring.cpp:13"}},
      {"assert", {"rank 1 failed: SIGABRT", "`zero == 1' failed", "ring.cpp:14"}},
      {"exit", {"rank 1 failed: exit(3) was called", "ring.cpp:15"}},
      {"rank", {"rank 1 failed: rankscope::Error: rank -5 does not exist", "ring.cpp:16"}},
      {"catch", {"rank 1 failed: std::out_of_range: value 7", "ring.cpp:11", "ring.cpp:25"}},
      {"return", {"4 ranks, ended well", "rank 1 exited with code 3"}},
      {"long", {"truncated message", "sent at ring.cpp:36, received at ring.cpp:37"}}};
  for (const auto& [how, words] : expected) {
    const auto done = run_rankscope({"exec", "-n", "4", "-o", folder / "a.rankscope", ring, how});
    INFO(how << '\n' << done.err);
    CHECK_FALSE(done.timed_out);
    CHECK(done.exit_code == 1);
    for (const std::string& word : words) CHECK_THAT(done.err, Contains(word));
    // One cause: neither ranks that could not go on because of it, nor lines of ours.
    for (const char* word : {"without a word", "terminate called", "engine/", "rankscope.hpp",
                             "ranks 0", "[rank 0]", "deadlock"})
      CHECK_THAT(done.err, !Contains(word));
    CHECK_THAT(done.err, Contains("rankscope: ring: 4 ranks"));
  }
}

TEST_CASE("cli: exec names the line of a rank in C++ that loops until the time is over") {
  const TemporaryFolder folder;
  const auto done = run_rankscope({"exec", "-n", "4", "--timeout", "1", "-o",
                                   folder / "a.rankscope", compiled(folder, kEnds), "loop"});
  INFO(done.err);
  CHECK(done.exit_code == 1);
  const auto loops = done.err.find("endless work  rank 1"), others = done.err.find("not ended");
  CHECK(loops != std::string::npos);
  CHECK(others != std::string::npos);
  CHECK(loops < others);
  CHECK_THAT(done.err, Contains("ring.cpp:17") && Contains("allreduce at ring.cpp:38"));
}

TEST_CASE("cli: exec --sim names the rank in C++ that threw") {
  const TemporaryFolder folder;
  const auto done = run_rankscope({"exec", "-n", "4", "--sim", "ring", "-o", folder / "a.rankscope",
                                   compiled(folder, kEnds), "throw"});
  INFO(done.err);
  CHECK(done.exit_code == 1);
  CHECK_THAT(done.err,
             Contains("rank 1 failed: std::out_of_range: value 7") && Contains("ring.cpp:11"));
}

TEST_CASE("cli: exec compiles with the words of CXX and CXXFLAGS") {
  const TemporaryFolder folder;
  std::ofstream(folder / "flags.cpp") << R"(#include <rankscope.hpp>
int main() { return GIVEN == 7 && PLAIN ? 0 : 1; }
)";
  const auto done = run_rankscope(
      {"exec", "-n", "1", folder / "flags.cpp"},
      ProcessOptions{.environment = {{"CXX", "g++ -DGIVEN=7"}, {"CXXFLAGS", "-O0 '-DPLAIN=1'"}}});
  INFO(done.err);
  CHECK(done.exit_code == 0);
}

}  // namespace
}  // namespace rankscope
