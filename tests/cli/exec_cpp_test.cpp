// Programs in C++ under `rankscope exec`: how their ranks end is reported with the reason and its line.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>

#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using Catch::Matchers::Contains;
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
#include <csignal>
#include <vector>
#include <unistd.h>
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
  if (how == "fork" && fork() == 0) std::exit(7); else if (how == "kill") kill(getpid(), SIGKILL);
  while (how == "loop") zero = 0;                           // line 18
}
int main(int, char** argv) {
  const std::string how = argv[1];
  std::vector<int> data(8);
  if (how == "catch") {
    try {
      auto comm = rankscope::join();
      if (comm.rank() == 1) fail("throw", comm, data);      // line 26
      comm.allreduce(std::span<int>(data));
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      return 1;
    }
    return 0;
  }
  auto comm = rankscope::join();
  if (comm.rank() == 1) fail(how, comm, data);              // line 35
  if (comm.rank() == 1 && how == "return") return 3;
  if (how == "long" && comm.rank() == 0) comm.send(1, std::span<int>(data));            // line 37
  if (how == "long" && comm.rank() == 1) comm.recv(0, std::span<int>(data).first(4));   // line 38
  if (how != "return") comm.allreduce(std::span<int>(data));                            // line 39
}
)";

TEST_CASE("cli: exec reports how a rank in C++ ends, with its line") {
  const TemporaryFolder folder;
  const std::string ring = compiled(folder, kEnds);
  const std::map<std::string, std::vector<std::string>> expected{
      {"throw",
       {"rank 1 failed: std::out_of_range: value 7", "ring.cpp:11", "ring.cpp:35 in main",
        "[rank 1] std::out_of_range: value 7"}},
      {"memory", {"rank 1 failed: SIGSEGV", "ring.cpp:12"}},
      {"divide", {"rank 1 failed: SIGFPE: it divided by zero", "ring.cpp:13"}},
      {"assert", {"rank 1 failed: SIGABRT", "`zero == 1' failed", "ring.cpp:14"}},
      {"exit", {"rank 1 failed: exit(3) was called", "ring.cpp:15"}},
      {"rank", {"rank 1 failed: rankscope::Error: rank -5 does not exist", "ring.cpp:16"}},
      {"catch", {"rank 1 failed: std::out_of_range: value 7", "ring.cpp:11", "ring.cpp:26"}},
      {"return", {"4 ranks, ended well", "rank 1 exited with code 3"}},
      {"long", {"truncated message", "sent at ring.cpp:37, received at ring.cpp:38"}}};
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

TEST_CASE("cli: a child that a rank in C++ forks does not leave the run for it") {
  const TemporaryFolder folder;
  const auto done = run_rankscope(
      {"exec", "-n", "4", "-o", folder / "a.rankscope", compiled(folder, kEnds), "fork"});
  INFO(done.err);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.err, Contains("ended well"));
}

TEST_CASE("cli: of ranks in C++ one that is killed is lost, and not those that wait for it") {
  const TemporaryFolder folder;
  const auto done = run_rankscope(
      {"exec", "-n", "4", "-o", folder / "a.rankscope", compiled(folder, kEnds), "kill"});
  INFO(done.err);
  CHECK(done.exit_code == 1);
  CHECK_THAT(done.err, Contains("lost rank  rank 1 was killed by signal 9"));
  for (const char* other : {"lost rank  rank 0", "lost rank  rank 2", "lost rank  rank 3"})
    CHECK_THAT(done.err, !Contains(other));
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
  CHECK_THAT(done.err, Contains("ring.cpp:18") && Contains("allreduce at ring.cpp:39"));
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

/// Each type and operator at its extremes, against a sum (product ...) in the type itself.
constexpr std::string_view kTypes = R"(#include <rankscope.hpp>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <vector>
using rankscope::Op;
template <class T>
T once(T a, T b, Op op) {
  if constexpr (std::is_same_v<T, bool>) {
    if (op == Op::sum || op == Op::max || op == Op::bor) return a || b;
    return op == Op::bxor ? a != b : a && b;
  } else {
    if (op == Op::min) return b < a ? b : a;
    if (op == Op::max) return a < b ? b : a;
    if constexpr (std::is_floating_point_v<T>) {
      return op == Op::sum ? a + b : a * b;
    } else {
      using Bits = std::uint64_t;
      const Bits x = static_cast<Bits>(a), y = static_cast<Bits>(b);
      return static_cast<T>(op == Op::sum       ? x + y
                            : op == Op::product ? x * y
                            : op == Op::band    ? x & y
                            : op == Op::bor     ? x | y
                                                : x ^ y);
    }
  }
}
template <class T>
std::vector<T> given(int rank) {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> some{Limits::lowest(), Limits::max(), T(0), T(1), T(2), T(-1), T(7), T(-5)};
  std::vector<T> out;
  for (std::size_t i = 0; i < some.size(); ++i)
    for (std::size_t j = 0; j < some.size(); ++j) out.push_back(some[rank % 2 == 0 ? i : j]);
  return out;
}
int wrong = 0;
template <class T>
void compare(const char* what, const std::vector<T>& got, const std::vector<T>& expected, Op op) {
  if (got == expected) return;
  ++wrong;
  std::printf("%s operator %d: wrong\n", what, static_cast<int>(op));
}
template <class T>
void test(rankscope::Communicator& comm, const char* name) {
  for (const Op op : {Op::sum, Op::product, Op::min, Op::max, Op::band, Op::bor, Op::bxor}) {
    if (std::is_floating_point_v<T> && op != Op::min && op != Op::max) continue;  // infinite sums
    std::vector<T> expected = given<T>(0);
    for (int rank = 1; rank < comm.size(); ++rank) {
      const auto more = given<T>(rank);
      for (std::size_t i = 0; i < more.size(); ++i) expected[i] = once<T>(expected[i], more[i], op);
    }
    if constexpr (!std::is_same_v<T, bool>) {  // std::vector<bool> is no memory
      auto data = given<T>(comm.rank());
      comm.allreduce(data, op);
      compare(name, data, expected, op);
      data = given<T>(comm.rank());
      comm.reduce(data, 1, op);
      if (comm.rank() == 1) compare(name, data, expected, op);
      data = given<T>(comm.rank());
      std::vector<T> part(data.size() / static_cast<std::size_t>(comm.size()));
      comm.reduce_scatter(data, part, op);
      const auto from = static_cast<std::size_t>(comm.rank()) * part.size();
      compare(name, part, std::vector<T>(expected.begin() + static_cast<long>(from), expected.begin() + static_cast<long>(from + part.size())), op);
      std::vector<T> moved(data.size());
      const int n = comm.size();
      comm.sendrecv((comm.rank() + 1) % n, data, (comm.rank() - 1 + n) % n, moved);
      compare(name, moved, given<T>((comm.rank() - 1 + n) % n), op);
    } else {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        bool one = given<T>(comm.rank())[i];
        comm.allreduce(one, op);
        if (one != expected[i]) compare<int>(name, {one}, {expected[i]}, op);
      }
    }
  }
}
struct Point { float x; short y; };
int main() {
  auto comm = rankscope::join();
  test<signed char>(comm, "signed char");
  test<unsigned char>(comm, "unsigned char");
  test<char>(comm, "char");
  test<bool>(comm, "bool");
  test<short>(comm, "short");
  test<unsigned short>(comm, "unsigned short");
  test<int>(comm, "int");
  test<unsigned>(comm, "unsigned");
  test<long>(comm, "long");
  test<unsigned long>(comm, "unsigned long");
  test<long long>(comm, "long long");
  test<unsigned long long>(comm, "unsigned long long");
  test<float>(comm, "float");
  test<double>(comm, "double");
  // Ranges, arrays and single values, as well as structs of them, are sent as they are.
  const int n = comm.size(), next = (comm.rank() + 1) % n, prev = (comm.rank() - 1 + n) % n;
  std::array<long double, 2> sent{1.5L, 2.5L}, got{};
  comm.sendrecv(next, sent, prev, got);
  if (got != sent) ++wrong;
  Point there{2.f, 3}, here{};
  comm.sendrecv(next, there, rankscope::any, here);
  if (here.x != 2.f || here.y != 3) ++wrong;
  std::vector<int> all(static_cast<std::size_t>(n));
  int mine = comm.rank();
  comm.gather(mine, all, 1);
  for (int i = 0; comm.rank() == 1 && i < n; ++i) wrong += all[static_cast<std::size_t>(i)] != i;
  comm.scatter(all, mine, 1);
  wrong += mine != comm.rank();
  comm.allgather(mine, all);
  std::vector<int> turned(all.size());
  comm.alltoall(all, turned);
  for (const int one : turned) wrong += one != comm.rank();
  auto half = comm.split(comm.rank() % 2);
  wrong += !half || half->size() != 2;
  std::vector<rankscope::Request> requests;
  requests.push_back(comm.irecv(prev, mine, 4));
  requests.push_back(comm.isend(next, next, 4));
  wrong += rankscope::wait_any(requests) < 0;
  rankscope::wait_all(requests);
  wrong += mine != comm.rank() || comm.probe(rankscope::any, rankscope::any);
  return wrong == 0 ? 0 : 1;
}
)";

TEST_CASE("cli: in C++ each element type reduces as the serial operator does, at its extremes") {
  const TemporaryFolder folder;
  const auto done = run_rankscope({"exec", "-n", "4", "--no-findings", "-o", folder / "a.rankscope",
                                   compiled(folder, kTypes, "types")});
  INFO(done.out << done.err);
  CHECK(done.exit_code == 0);
}

TEST_CASE("cli: what rankscope.hpp cannot send is refused with the repair, in eight lines") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> refused[] = {
      {"std::vector<std::string> v; comm.send(1, v);", "plain bytes (numbers, structs of numbers)"},
      {"const std::vector<int> v(3); comm.recv(0, v);", "pass memory that may be written"},
      {"const std::vector<int> v(3); comm.recv(0, std::span(v));",
       "pass memory that may be written"},
      {"const std::vector<int> v(3); comm.allreduce(v);", "pass memory that may be written"},
      {"std::vector<bool> v(3); comm.allreduce(v);", "pass a std::span, std::vector or std::array"},
      {"int x = 1; int* p = &x; comm.send(1, p);", "pass a std::span, std::vector or std::array"},
      {"long double x = 1; comm.allreduce(x);", "only they can be reduced"},
      {"auto sent = comm.isend(1, comm.rank() + 1);", "pass memory that lasts until the wait"},
      {"auto got = comm.irecv(1, std::vector<int>(3));", "pass memory that lasts until the wait"},
      {"std::vector<int> a(4); std::vector<float> b(4); comm.allgather(a, b);",
       "the same type of elements on both sides"}};
  const auto compile = [&](const std::string& text, const char* standard) {
    std::ofstream(folder / "a.cpp") << text;
    return test::run_process({"g++", standard, "-fsyntax-only", "-I",
                              (test::source_root() / "engine/capi").string(), folder / "a.cpp"});
  };
  for (const auto& [line, words] : refused) {
    const auto done = compile(std::string("#include <rankscope.hpp>\nint main() {\n  auto comm = "
                                          "rankscope::join();\n  ") +
                                  line + "\n}\n",
                              "-std=c++20");
    INFO(line << '\n' << done.err);
    CHECK(done.exit_code == 1);
    CHECK_THAT(done.err, Contains(words) && Contains("a.cpp:4"));
    CHECK(std::count(done.err.begin(), done.err.end(), '\n') <= 8);
  }
  CHECK_THAT(compile("#include <rankscope.hpp>\n", "-std=c++17").err,
             Contains("needs C++20: compile with -std=c++20"));
}

TEST_CASE("cli: exec says what to do about <mpi.h>, and about the rank -1") {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.cpp") << "#include <cstdio>\n# include <mpi.h>\nint main() {}\n";
  test::check_refused(run_rankscope({"exec", "-n", "2", folder / "a.cpp"}), "a.cpp:2",
                      "rankscope.hpp");
  const auto done = run_rankscope(
      {"exec", "-n", "3", "-o", folder / "a.rankscope", compiled(folder, R"(#include <rankscope.hpp>
int main() {
  auto comm = rankscope::join();
  int from = 0;
  if (comm.rank() == 0) comm.recv((comm.rank() - 1) % comm.size(), from);
  else comm.send(0, from);
}
)")});
  CHECK(done.exit_code == 1);
  CHECK_THAT(done.err, Contains("ring.cpp:5: rank -1 does not exist") &&
                           Contains("write (rank - 1 + size) % size"));
}

TEST_CASE("cli: no deadlock is proved while a thread of a C++ program may still send") {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, R"(#include <rankscope.hpp>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
int main(int, char** argv) {
  const bool sends = std::strcmp(argv[1], "sends") == 0, undeclared = std::strcmp(argv[1], "undeclared") == 0;
  auto comm = undeclared ? rankscope::join() : rankscope::join(rankscope::Threads::multiple);
  int got = 0;
  if (comm.rank() == 1) {
    comm.recv(0, got);
    comm.send(0, got);
  } else if (sends || undeclared) {
    // The main thread sleeps in a receive, and its thread will send.
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      comm.send(1, 7);
    });
    comm.recv(1, got);
    later.join();
  } else {
    std::thread worker([&] { comm.recv(1, got); });  // line 22
    worker.join();
  }
}
)");
  const auto right =
      run_rankscope({"exec", "-n", "2", "-o", folder / "a.rankscope", program, "sends"});
  INFO(right.err);
  CHECK(right.exit_code == 0);
  const auto wrong = run_rankscope(
      {"exec", "-n", "2", "--timeout", "60", "-o", folder / "a.rankscope", program, "waits"});
  INFO(wrong.err);
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.err, Contains("deadlock") && Contains("ring.cpp:22"));
  const auto refused =
      run_rankscope({"exec", "-n", "2", "-o", folder / "a.rankscope", program, "undeclared"});
  INFO(refused.err);
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, Contains("another thread of this rank is in a call") &&
                              Contains("Threads::multiple") && Contains("ring.cpp:17"));
}

TEST_CASE("cli: exec --as judges the arrays that a C++ program watches") {
  const TemporaryFolder folder;
  const std::string program = compiled(folder, R"(#include <rankscope.hpp>
#include <cstdlib>
#include <vector>
int main(int, char** argv) {
  auto comm = rankscope::join();
  const int n = comm.size(), next = (comm.rank() + 1) % n, prev = (comm.rank() - 1 + n) % n;
  std::vector<float> data(8, float(comm.rank() + 1)), in(8);
  comm.watch("data", data);
  std::vector<float> pass = data;
  for (int step = 0; step < n - std::atoi(argv[1]); ++step) {
    comm.sendrecv(next, pass, prev, in);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] += in[i];
    pass = in;
  }
}
)");
  for (const auto& [missing, code, words] :
       {std::tuple{"1", 0, "allreduce"}, std::tuple{"2", 1, "data"}}) {
    const auto done = run_rankscope({"exec", "-n", "4", "--as", "allreduce", "--data", "data", "-o",
                                     folder / "a.rankscope", program, missing});
    INFO(done.err);
    CHECK(done.exit_code == code);
    CHECK_THAT(done.err, Contains(words) && !Contains("cannot say") && !Contains("No rank sends"));
  }
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("cli: the example at the head of rankscope.hpp runs as it is printed") {
  const TemporaryFolder folder;
  std::istringstream header(text_of(test::source_root() / "engine/capi/rankscope.hpp"));
  std::string program;
  for (std::string line; std::getline(header, line) && line.starts_with("//");)
    if (line.starts_with("//   ")) program += line.substr(5) + '\n';
  std::ofstream(folder / "first.cpp") << program;
  const auto done =
      run_rankscope({"exec", "-n", "4", "-o", folder / "a.rankscope", folder / "first.cpp"});
  INFO(program << done.err);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, Contains("rank 3 has 6"));
}

TEST_CASE("cli: the programs of lessons/cpp run and are right") {
  const TemporaryFolder folder;
  const std::string text = text_of(test::source_root() / "lessons/cpp/README.md");
  int programs = 0;
  constexpr std::string_view kBegin = "```cpp\n";
  for (auto at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at)) {
    at += kBegin.size();
    const std::string program = text.substr(at, text.find("```", at) - at);
    const std::string binary = compiled(folder, program, "p" + std::to_string(++programs));
    std::vector<std::string> words{"exec", "-n", "4", "-o", folder / "a.rankscope"};
    if (program.find("watch(") != std::string::npos)
      words.insert(words.end(), {"--as", "allreduce", "--data", "data"});
    words.push_back(binary);
    const auto done = run_rankscope(words);
    INFO(program << done.err);
    CHECK(done.exit_code == 0);
    CHECK_THAT(done.err, !Contains("error") && !Contains("warning"));
  }
  CHECK(programs == 6);
}

}  // namespace
}  // namespace rankscope
