// Students' programs in the window: run, saved, run again and compared; stopped, and refused with what to do.
#include <filesystem>
#include <fstream>

#include "gui/state/code/program_run.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

/// A ring that adds what comes from the left; `exchange` is its line 9, with the step's number in `step`.
std::string ring(const std::string& exchange, const std::string& more = "") {
  return "from array import array\n"
         "from mpi4py import MPI\n"
         "\n"
         "comm = MPI.COMM_WORLD\n"
         "rank, size = comm.Get_rank(), comm.Get_size()\n"
         "data, got = array('d', [rank + 1.0]), array('d', [0.0])\n"
         "total = data[0]\n"
         "for step in range(size - 1):\n"
         "    " +
         exchange +
         "\n"
         "    data[0], total = got[0], total + got[0]\n"
         "print(f'rank {rank} of {size}: {total}'" +
         more + ")\n";
}
constexpr const char* kRight =
    "comm.Sendrecv(data, (rank + 1) % size, recvbuf=got, source=(rank - 1) % size)";
constexpr const char* kDeadlock =
    "comm.Ssend(data, (rank + 1) % size); comm.Recv(got, (rank - 1) % size)";

/// As editors save: another file takes the place of this one.
void save(const std::string& file, const std::string& text) {
  std::ofstream(file + "~") << text;
  fs::rename(file + "~", file);
}

struct Watched : Driven {
  std::string file = home / "ring.py";
  using Driven::Driven;

  void open(const std::string& text) {
    save(file, text);
    REQUIRE(does("open " + test::quoted(file)));
    CHECK(value("exec.state") == "running");
    INFO(message());
    REQUIRE(ran(1));
  }
  bool ran(int times) {
    return until([&] { return app.state().program.runs == times && !app.animating(); });
  }
  void saved(const std::string& text, int times) {
    save(file, text);
    INFO(value("exec.problem") << message());
    REQUIRE(ran(times));
  }
};

}  // namespace

TEST_CASE("a student's program runs, and again when it is saved", "[gui_state]") {
  Watched program;
  program.open(ring(kDeadlock));
  CHECK(program.value("state") == "deadlock");
  CHECK(program.value("view.side") == "problems");
  CHECK(program.value("exec.says").empty());
  const auto first = program.app.state().document;
  CHECK(first->end(ClockBase::rounds) > 0);

  program.saved(ring(kRight), 2);
  CHECK(
      program.value("exec.says") ==
      "Now differs from before in line 9: rank 0 receives 8 B from rank 3; before, it sent 8 B to "
      "rank 1; ended well instead of deadlock");
  CHECK(program.app.state().other == first);
  CHECK(program.value("state") == "ended well");
  CHECK(program.value("view.side") == "code");
  CHECK_THAT(program.value("exec.output"), ContainsSubstring("rank 3 of 4: 10.0"));

  program.saved(ring(kRight) + "# a comment\n", 3);
  CHECK(program.value("exec.says") == "The same messages and values as before");
  program.saved(ring(kRight, ", '!'"), 4);
  CHECK_THAT(program.value("exec.says"), ContainsSubstring("instead of"));
  CHECK_THAT(program.value("exec.says"),
             ContainsSubstring("after a change of line 11; the messages are the same as before"));

  // What a save has replaced comes back.
  for (int i = 0; i < 3; ++i) REQUIRE(program.does("undo"));
  CHECK(program.app.state().document == first);
  CHECK(program.value("state") == "deadlock");
  REQUIRE(program.does("redo"));
  CHECK(program.value("state") == "ended well");
  CHECK_THAT(program.value("exec.says"), ContainsSubstring("in line 9"));

  // "This again" is the program, as it is saved now.
  REQUIRE(program.does("rerun"));
  REQUIRE(program.ran(5));
  CHECK(program.value("algorithm") == "ring.py");
  REQUIRE(program.does("exec ranks=3"));
  REQUIRE(program.ran(6));
  CHECK(program.value("ranks") == "3");
  CHECK(program.value("exec.says") == "Now 3 ranks instead of 4");
  CHECK_FALSE(program.does("live"));
  CHECK_THAT(program.message(), ContainsSubstring("step through its recorded run"));

  // Another run leaves it: what is saved now runs no more.
  REQUIRE(program.does("run allreduce.ring ranks=2"));
  REQUIRE(program.until([&] { return program.value("status") == "ok"; }));
  CHECK(program.value("exec").empty());
  REQUIRE(program.does("exec " + test::quoted(program.file)));
  CHECK(program.value("exec.ranks") == "3");  // as it was run last
  REQUIRE(program.ran(1));
}

TEST_CASE("a module beside a program is watched, too", "[gui_state]") {
  Watched program;
  fs::create_directory(program.home / "parts");
  save(program.home / "parts/right.py", "def right(rank, size):\n    return (rank + 2) % size\n");
  const std::string text = "from parts.right import right\n" +
                           ring("comm.Sendrecv(data, right(rank, size), recvbuf=got)");
  program.open(text);
  save(program.home / "parts/right.py", "def right(rank, size):\n    return (rank + 1) % size\n");
  REQUIRE(program.ran(2));
  CHECK(program.value("exec.says") ==
        "Now differs from before in line 10: rank 0 sends to rank 1 instead of rank 2");

  std::ofstream(program.home / "a.h") << "#include \"b.h\"\n";
  std::ofstream(program.home / "b.h") << "#include <vector>\n";
  std::ofstream(program.home / "x.cpp") << "#include <array>\n  # include \"a.h\"\n";
  CHECK(files_of_program(program.home / "x.cpp") == std::vector<std::string>{program.home / "x.cpp",
                                                                             program.home / "a.h",
                                                                             program.home / "b.h"});
}

TEST_CASE("a program that makes no run says why and what to do", "[gui_state]") {
  Watched program;
  CHECK_FALSE(program.does("open " + test::quoted(program.home / "none.py")));
  CHECK_THAT(program.message(), ContainsSubstring("check its path"));
  CHECK(program.value("exec").empty());
  CHECK_FALSE(program.does("exec ranks=3"));
  const auto failed = [&] {
    return program.until([&] { return program.value("exec.state") == "failed"; });
  };
  save(program.file, "import no_such_module\n");
  REQUIRE(program.does("open " + test::quoted(program.file)));
  REQUIRE(failed());
  CHECK_THAT(program.value("exec.problem"), ContainsSubstring("no_such_module"));
  REQUIRE(program.app.state().problems.size() == 1);
  CHECK(program.app.state().problems[0].stands.front().marked == 1);
  CHECK_THAT(program.app.state().problems[0].advice, ContainsSubstring("it runs again by itself"));
  CHECK_FALSE(program.does("exec ranks=0"));
  CHECK_FALSE(program.does("exec as=allthings"));
  CHECK_FALSE(program.does("exec colour=red"));

  // Mended, and broken once more: the run before stays, marked as such.
  program.saved(ring(kRight), 1);
  CHECK(program.value("problems") == "0");
  save(program.file, "def f(:\n");
  REQUIRE(failed());
  CHECK(program.value("ranks") == "4");
  CHECK(program.app.state().asked.failed);
  CHECK(program.app.state().asked.note == "the picture is the run before");

  const std::string source = program.home / "ring.cpp";
  save(source, "#include <rankscope.hpp>\nint main() { int x = \"a\"; }\n");
  REQUIRE(program.does("open " + test::quoted(source)));
  REQUIRE(failed());
  CHECK_THAT(program.value("exec.problem"),
             ContainsSubstring("ring.cpp cannot be compiled, line 2: "));
}

TEST_CASE("a program is stopped, and leaves nothing with the window", "[gui_state]") {
  const std::string endless = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" +
                              ring("pass") + "while True: pass\n";
  {
    Watched program;
    save(program.file, endless);
    REQUIRE(program.does("open " + test::quoted(program.file)));
    CHECK(program.value("state") == "program running");
    REQUIRE(program.does("stop"));
    REQUIRE(program.until([&] { return program.value("exec.state") == "stopped"; }));
    REQUIRE(program.does("rerun"));
    REQUIRE(program.until([] { return !children().empty(); }));
  }
  CHECK(eventually([] { return children().empty(); }));
}

TEST_CASE("what programs print is compared whatever the order of their ranks", "[gui_state]") {
  CHECK(printed_difference("a\nb\n", "b\na\n").empty());
  CHECK(printed_difference("a 1\nb 1\n", "b 2\na 1\n") ==
        "prints \u201Cb 2\u201D instead of \u201Cb 1\u201D");
  CHECK(printed_difference("", "x\n") == "prints \u201Cx\u201D, too");
  CHECK(printed_difference("x\nx\n", "x\n") == "no longer prints \u201Cx\u201D");
}
