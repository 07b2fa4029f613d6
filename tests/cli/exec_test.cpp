// `rankscope exec` with programs in C++ (those in Python have tests of their own), and `rankscope exercise`.
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/program/exec_limit.h"
#include "engine/analysis/findings/findings.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using Catch::Matchers::Contains;
using nlohmann::json;
using test::check_refused;
using test::run_rankscope;
using test::TemporaryFolder;

constexpr std::string_view kShift = R"(#include <rankscope.hpp>
#include <cstdio>
#include <cstring>
#include <vector>
int main(int argc, char** argv) {
  auto comm = rankscope::join();
  const bool first = argc > 1 && std::strcmp(argv[1], "receive") == 0;
  std::vector<float> out(4, float(comm.rank())), in(4);
  const int next = (comm.rank() + 1) % comm.size(), prev = (comm.rank() + comm.size() - 1) % comm.size();
  if (first) comm.recv(prev, std::span(in));
  comm.sendrecv(next, std::span(out), prev, std::span(in));
  std::printf("rank %d got %g\n", comm.rank(), in[0]);
}
)";

void write_program(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

TEST_CASE("exec: a program that makes no run has a time limit") {
  const ProgramHost host({});
  double cpu_s = 0;
  const auto computes = [&] { return cpu_s += 1; };
  CHECK_FALSE(cli::ExecLimit(0, 1e6).passed(host, computes));
  cli::ExecLimit limit(0, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(limit.passed(host, computes));
  CHECK(limit.text() == "the program made no run within 0 s");
}

TEST_CASE("exec: a program that sleeps instead of joining has no more than its time limit") {
  const ProgramHost host({});
  cli::ExecLimit limit(0, 1e6);
  const auto begin = Deadline::in(test::kWaitLimit);
  while (!limit.passed(host, [] { return 0.5; }) && !begin.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(limit.text() == "the program made no run within 0 s");
}

TEST_CASE("cli: exec says how a rank ended that never joined") {
  const TemporaryFolder folder;
  write_program(folder / "early.cpp",
                "#include <rankscope.hpp>\n#include <cstdlib>\n#include <string>\n"
                "int main() {\n  if (std::string(std::getenv(\"RANK\")) == \"1\") return 3;\n"
                "  rankscope::join().barrier();\n}\n");
  const auto done = run_rankscope({"exec", "-n", "3", folder / "early.cpp"});
  CHECK(done.exit_code == 1);
  CHECK_THAT(done.err, Contains("rank 1 exited with code 3 before it joined the others"));
}

TEST_CASE("cli: an empty TMPDIR is none") {
  const TemporaryFolder folder;
  write_program(folder / "shift.cpp", kShift);
  const auto done =
      run_rankscope({"exec", "-n", "2", "-o", folder / "t.rankscope", folder / "shift.cpp"},
                    {.environment = {{"TMPDIR", ""}}});
  CHECK_THAT(done.err, !Contains("temporary"));
  CHECK(done.exit_code == 0);
}

TEST_CASE("cli: exec compiles a program, runs its ranks and records them") {
  const TemporaryFolder folder;
  write_program(folder / "shift.cpp", kShift);
  const auto done = run_rankscope(
      {"--json", "exec", "-n", "3", "-o", folder / "shift.rankscope", folder / "shift.cpp"});
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  for (const char* line : {"rank 0 got 2", "rank 1 got 0", "rank 2 got 1"})
    CHECK_THAT(done.out, Contains(line));
  const json told = parse_json(done.out.substr(done.out.find('{')));
  REQUIRE(told["runs"].size() == 1);
  CHECK(told["runs"][0]["messages"] == 3);
  CHECK(told["runs"][0]["findings"].empty());
  const Trace trace = TraceReader::open(folder / "shift.rankscope");
  CHECK(trace.world_size() == 3);
  REQUIRE(trace.meta().sources.size() == 1);
  CHECK(trace.meta().sources[0].second == kShift);
}

TEST_CASE("cli: exec refuses a program that is linked against an MPI library") {
  const TemporaryFolder folder;
  write_program(folder / "mpi.c", "int MPI_Init(int* c, char*** v) { return c == v; }\n");
  write_program(folder / "main.c",
                "int MPI_Init(int*, char***); int main() { return MPI_Init(0, 0); }\n");
  for (const std::string& command :
       {fmt::format("cc -shared -fPIC -Wl,-soname,libmpi.so.40 -o {}/libmpi.so.40 {}/mpi.c",
                    folder.path(), folder.path()),
        fmt::format("cc -o {0}/program {0}/main.c {0}/libmpi.so.40", folder.path())})
    REQUIRE(test::run_process({"/bin/sh", "-c", command}).exit_code == 0);
  const auto done = run_rankscope({"exec", "-n", "2", folder / "program"});
  CHECK(done.exit_code == 2);
  CHECK_THAT(done.err, Contains("linked against an MPI library (libmpi.so.40)") &&
                           Contains("mpirun") && Contains("mpi4py"));
  CHECK(run_rankscope({"exec", "-n", "2", "true"}).err.find("MPI library") == std::string::npos);
}

TEST_CASE("cli: exec explains a deadlock and ends what is left") {
  const TemporaryFolder folder;
  write_program(folder / "shift.cpp", kShift);
  const auto done = run_rankscope(
      {"exec", "-n", "2", "-o", folder / "a.rankscope", folder / "shift.cpp", "receive"});
  CHECK(done.exit_code == 1);
  CHECK_FALSE(done.timed_out);
  CHECK_THAT(done.err,
             Contains("deadlock  0 → 1 → 0") && Contains("shift.cpp:10") && Contains("try: "));
  const auto checked = run_rankscope({"check", folder / "a.rankscope"});
  CHECK(checked.exit_code == 1);
  CHECK_THAT(checked.out, Contains("deadlock"));
}

TEST_CASE("cli: exec says what to do about what cannot be run") {
  const TemporaryFolder folder;
  write_program(folder / "bad.cpp", "#include <rankscope.hpp>\nint main() { return nothing; }\n");
  check_refused(run_rankscope({"exec", "-n", "2", folder / "bad.cpp"}), "bad.cpp:2",
                "cannot be compiled");
  check_refused(run_rankscope({"exec", folder / "bad.cpp"}), "say how many ranks");
  check_refused(run_rankscope({"exec", "-n", "2", "--", "/nowhere/program"}),
                "cannot start /nowhere/program");
  check_refused(run_rankscope({"exec", "--send-mode", "bufered", "--", "true"}),
                "did you mean 'buffered'");
  check_refused(run_rankscope({"exec", "--timeout", "soon", "--", "true"}), "is no time");
  check_refused(run_rankscope({"exec", "-n", "2", "--explore", folder / "bad.cpp"}),
                "--explore takes the number of orders");
  check_refused(run_rankscope({"exec", "--timeout", "-1", "--", "true"}), "the time-out must be");
  const auto alone = run_rankscope({"exec", "-n", "2", "--", "true"});
  CHECK(alone.exit_code == 0);
  CHECK_THAT(alone.err, Contains("no process became a rank"));
  CHECK(run_rankscope({"exec", "-n", "2", "--", "false"}).exit_code == 1);
}

TEST_CASE("cli: exec ends the other copies when one dies before it is a rank") {
  const TemporaryFolder folder;
  write_program(folder / "late.cpp", R"(#include <rankscope.hpp>
int main() {
  if (std::getenv("RANK")[0] == '1') return 3;
  auto comm = rankscope::join();
}
)");
  const auto done =
      run_rankscope({"exec", "-n", "2", "-o", folder / "a.rankscope", folder / "late.cpp"});
  CHECK_FALSE(done.timed_out);
  CHECK(done.exit_code == 1);
}

TEST_CASE("cli: exercise names the exercises, and what a folder lacks") {
  const TemporaryFolder folder;
  check_refused(run_rankscope({"exercise", "my-broadcst", folder.path()}), "my-broadcast",
                "ring-allreduce");
  check_refused(run_rankscope({"exercise", "my-broadcast", folder.path()}),
                "has no my_broadcast.py");
}

}  // namespace
}  // namespace rankscope
