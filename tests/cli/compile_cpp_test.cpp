// How `rankscope exec` compiles programs in C++: once, with sanitizers, and for a debugger.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <tuple>

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

bool no_gdb() {
  if (test::run_process({"gdb", "--version"}).exit_code == 0) return false;
  WARN("left out: gdb is not installed (sudo apt install gdb)");
  return true;
}

constexpr std::string_view kSum = R"(#include <rankscope.hpp>
#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>
int main(int count, char**) {
  auto comm = rankscope::join();
  const int n = comm.size(), rank = comm.rank(), next = (rank + 1) % n, left = (rank - 1 + n) % n;
  int data = rank, in = -1, sum = rank;
  if (rank == 1) std::printf("pid %d\n", int(getpid())), std::fflush(stdout);
  for (int step = 1; step < n; ++step) {
    comm.sendrecv(next, data, left, in);  // line 12
    data = in;
    sum += in;
    if (count > 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  }
  std::printf("rank %d has %d\n", rank, sum);
}
)";

TEST_CASE("cli: exec --debug starts a rank under gdb, and the run ends well") {
  if (no_gdb()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "sum.cpp") << kSum;
  const auto debug = [&](const std::string& commands) {
    return run_rankscope({"exec", "-n", "3", "--timeout", "2", "--debug", "1", "-o",
                          folder / "a.rankscope", folder / "sum.cpp"},
                         ProcessOptions{.input = commands});
  };
  // The others wait at line 12 for longer than the run may take.
  const auto done =
      debug("break sum.cpp:12\nrun\nshell sleep 3\nnext\nprint in\ndelete\ncontinue\nquit\n");
  INFO(done.out << done.err);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, Contains("sum.cpp:12") && Contains("$1 = 0") && Contains("rank 1 has 3"));
  CHECK_THAT(done.err, Contains("ended well"));
  // Left in the middle: the others end, and none of them is a cause.
  const auto left = debug("break sum.cpp:12\nrun\nkill\nquit\n");
  INFO(left.out << left.err);
  CHECK(left.exit_code == 1);
  CHECK_THAT(left.err, Contains("lost rank  rank 1") && !Contains("lost rank  rank 2") &&
                           !Contains("lost rank  rank 0"));
  test::check_refused(run_rankscope({"exec", "-n", "3", "--debug", "3", folder / "sum.cpp"}),
                      "--debug");
  test::check_refused(run_rankscope({"exec", "-n", "3", "--debug", "0", "x.py"}), "breakpoint()");
}

TEST_CASE("cli: a rank that gdb holds is waited for") {
  if (no_gdb()) return;
  const TemporaryFolder folder;
  const std::string source = folder / "sum.cpp", out = folder / "out";
  std::ofstream(source) << kSum;
  // Attaches to rank 1 for longer than the run may take.
  std::ofstream(folder / "hold.sh")
      << "for i in $(seq 200); do grep -q pid " << out << " && break; sleep 0.05; done\n"
      << "gdb -q -batch -p $(sed -n 's/pid //p' " << out << ") -ex 'shell sleep 4' -ex detach\n";
  Finished held;
  std::thread gdb([&] { held = test::run_process({"/bin/sh", folder / "hold.sh"}); });
  const auto done = test::run_process(
      {"/bin/sh", "-c", "exec \"$@\" > \"$0\"", out, test::rankscope_binary().string(), "exec",
       "-n", "4", "--timeout", "3", "-o", folder / "a.rankscope", source, "slow"});
  gdb.join();
  INFO(held.out << held.err << done.err);
  if (held.err.find("ptrace") != std::string::npos) {
    WARN("left out: nothing may be traced here");
    return;
  }
  CHECK_THAT(held.out, Contains("detached"));
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.err, Contains("ended well") && !Contains("stopped"));
}

TEST_CASE("cli: exec --sanitize reports what a sanitizer finds as the rank's error") {
  const TemporaryFolder folder;
  std::ofstream(folder / "over.cpp") << R"(#include <rankscope.hpp>
#include <vector>
int main() {
  auto comm = rankscope::join();
  std::vector<int> data(4);
  volatile int beyond = 2147483647;
  if (comm.rank() == 1 && comm.size() == 2) data.data()[4] = 1;   // line 7
  if (comm.rank() == 1 && comm.size() == 3) beyond = beyond + 1;  // line 8
  comm.allreduce(data);
}
)";
  for (const auto& [ranks, kind, words, line] :
       {std::tuple{"2", "address", "rank 1 failed: AddressSanitizer: heap-buffer-overflow", ":7"},
        std::tuple{"3", "undefined", "rank 1 failed: UndefinedBehaviorSanitizer", ":8"}}) {
    const auto done = run_rankscope({"exec", "-n", ranks, "-o", folder / "a.rankscope",
                                     "--sanitize", kind, "--", folder / "over.cpp"});
    INFO(done.err);
    CHECK(done.exit_code == 1);
    CHECK_THAT(done.err, Contains(words) && Contains("over.cpp" + std::string(line)));
  }
  test::check_refused(
      run_rankscope({"exec", "-n", "2", "--sanitize", "memory", "--", folder / "over.cpp"}),
      "choose address, undefined or thread");
  test::check_refused(run_rankscope({"exec", "-n", "2", "--sanitize", "address", "--", "true"}),
                      "give a .cpp file");
}

TEST_CASE("cli: exec compiles a file again only if something that it was made from has changed") {
  const TemporaryFolder folder;
  // Counts the calls of the compiler, and passes them on.
  std::ofstream(folder / "count.sh") << "#!/bin/sh\necho once >> " << folder / "calls"
                                     << "\nexec g++ \"$@\"\n";
  std::filesystem::permissions(folder / "count.sh", std::filesystem::perms::owner_all);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    // What has just been written may be written again at the same time.
    std::filesystem::last_write_time(folder / name, std::filesystem::file_time_type::clock::now() -
                                                        std::chrono::hours(1) -
                                                        std::chrono::seconds(text.size()));
  };
  write("size.h", "constexpr int kSize = 3;\n");
  write("a.cpp", R"(#include <rankscope.hpp>
#include <cstdio>
#define SIZE_FILE "size.h"
#include SIZE_FILE
int main() {
  auto comm = rankscope::join();
  int unused;
  std::printf("size %d\n", kSize);
}
)");
  const auto run = [&](const std::string& flags, int calls, const char* words) {
    const auto done =
        run_rankscope({"exec", "-n", "1", "-o", folder / "a.rankscope", folder / "a.cpp"},
                      ProcessOptions{.environment = {{"XDG_CACHE_HOME", folder / "cache"},
                                                     {"CXX", folder / "count.sh"},
                                                     {"CXXFLAGS", flags}}});
    INFO(done.err);
    CHECK(done.exit_code == 0);
    CHECK_THAT(done.out, Contains(words));
    CHECK_THAT(done.err, Contains("unused variable"));  // said again, although not compiled again
    std::ifstream counted(folder / "calls");
    CHECK(std::count(std::istreambuf_iterator<char>(counted), {}, '\n') == calls);
  };
  run("", 1, "size 3");
  run("", 1, "size 3");
  write("size.h", "constexpr int kSize = 44;\n");
  run("", 2, "size 44");
  run("-O0", 3, "size 44");
  run("", 3, "size 44");
}

}  // namespace
}  // namespace rankscope
