// Students' programs in the window: one for an exercise is graded in boxes, and its failing run opens at the place; another one runs,
// is saved, and runs again.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/gui/screen.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

namespace {

/// The first rank sends to all others, and to the last one twice.
constexpr const char* kTwice = R"(import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, size, data = dist.get_rank(), dist.get_world_size(), tensor.clone().contiguous()
    if rank == src:
        for other in range(size):
            if other != src:
                dist.send(data, other)
                dist.send(data, other)
    else:
        dist.recv(data, src)
        dist.recv(data, src)
    return tensor.copy_(data)
)";

Finished carried_out(const Screen& screen, std::vector<std::string> lines) {
  lines.emplace_back("quit");
  return screen.gui({"--script", screen.write_script(lines)});
}

bool cannot_grade() {
  const auto torch = run_process({"/usr/bin/python3", "-c", "import torch"});
  const auto boxes = run_process({"bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"});
  if (torch.exit_code == 0 && boxes.exit_code == 0) return false;
  if (std::getenv("CI") != nullptr) FAIL("boxes or python3-torch are missing");
  WARN("left out: boxes or python3-torch are missing here");
  return true;
}

}  // namespace

TEST_CASE("a wrong program is graded in the window and opens where it goes wrong", "[gui][slow]") {
  if (!can_see() || cannot_grade()) return;
  const Screen screen;
  const std::string file = screen / "my_broadcast.py";
  std::ofstream(file) << kTwice;
  const Finished done =
      carried_out(screen, {"welcome off", "lesson broadcast", "wait lesson broadcast",
                           "program my-broadcast " + file, "grade my-broadcast",
                           "expect grading.my-broadcast running",
                           "wait grading.my-broadcast graded", "wait run", "expect view.main stage",
                           "print grade.my-broadcast", "print fault.my-broadcast",
                           "show-fault my-broadcast", "wait run", "expect view.side code",
                           "print selected-line", "print selected-event", "print problem"});
  INFO(done.err << done.out);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, ContainsSubstring("selected-line=my_broadcast.py:11"));
  CHECK_THAT(done.out, !ContainsSubstring("selected-event=-1"));
  CHECK_THAT(done.out, ContainsSubstring("grade.my-broadcast=4.5 of 6"));
}

TEST_CASE("the window closes in the middle of a grading and leaves nothing", "[gui][slow]") {
  if (!can_see() || cannot_grade()) return;
  const Screen screen;
  const std::string file = screen / "my_broadcast.py";
  std::ofstream(file)
      << "import time\n\n\ndef my_broadcast(tensor, src=0):\n    time.sleep(1000)\n";
  const Finished done =
      carried_out(screen, {"welcome off", "lesson broadcast", "wait lesson broadcast",
                           "program my-broadcast " + file, "grade my-broadcast", "wait 3",
                           "expect grading.my-broadcast running"});
  INFO(done.err << done.out);
  CHECK(done.exit_code == 0);
  CHECK(eventually([&] { return screen.processes().empty(); }));
}

namespace {

/// A ring in which all ranks send first, or not; what is sent is the rank, plus `more`.
std::string python_ring(bool right, int more) {
  return std::string("from array import array\nfrom mpi4py import MPI\n\n") +
         "comm = MPI.COMM_WORLD\nrank, size = comm.Get_rank(), comm.Get_size()\n" +
         "data, got = array('d', [rank + " + std::to_string(more) + "]), array('d', [0])\n" +
         (right ? "comm.Sendrecv(data, (rank + 1) % size, recvbuf=got)\n"
                : "comm.Ssend(data, (rank + 1) % size); comm.Recv(got)\n");
}

std::string cpp_ring(bool right, int more) {
  return std::string("#include <rankscope.hpp>\n#include <vector>\nint main() {\n") +
         "  auto comm = rankscope::join();\n" + "  std::vector<double> data{comm.rank() + " +
         std::to_string(more) + ".0}, got(1);\n" +
         "  const int right = (comm.rank() + 1) % comm.size();\n" +
         "  const int left = (comm.rank() + comm.size() - 1) % comm.size();\n" +
         (right ? "  comm.sendrecv(right, data, left, got);\n}\n"
                : "  comm.recv(left, got); comm.send(right, data);\n}\n");
}

}  // namespace

TEST_CASE("a student's program is mended while the window looks on", "[gui][slow]") {
  if (!can_see()) return;
  const bool cpp = GENERATE(false, true);
  const auto text = cpp ? cpp_ring : python_ring;
  const Screen screen;
  const std::string file = screen / (cpp ? "ring.cpp" : "ring.py");
  const auto save = [&](const std::string& now) {
    std::ofstream(file + ".new") << now;
    std::filesystem::rename(file + ".new", file);
  };
  save(text(false, 1));
  const std::string script = screen.write_script(
      {"welcome off", "wait exec.runs 1", "expect view.main stage", "expect view.side problems",
       "print state", "wait exec.runs 2", "print exec.says", "expect state \"ended well\"",
       "view main compare", "screenshot " + screen / "compare.txt", "rerun", "wait exec.runs 3",
       "print algorithm", "print exec.runs", "wait exec.runs 4", "print other", "quit"});
  Background gui({gui_program(), "--script", script, file}, screen.environment(), screen / "gui");
  REQUIRE(gui.says("state=deadlock"));
  save(text(true, 1));
  REQUIRE(gui.says("exec.says=Now differs from before in line "));
  CHECK(gui.says("ended well instead of deadlock"));
  REQUIRE(gui.says("exec.runs=3"));
  save(text(true, 2));
  CHECK(gui.end() == 0);
  INFO(gui.out() << gui.err());
  CHECK_THAT(gui.out(), ContainsSubstring(cpp ? "algorithm=ring.cpp" : "algorithm=ring.py"));
  std::ifstream in(screen / "compare.txt");
  const std::string drawn((std::istreambuf_iterator<char>(in)), {});
  CHECK_THAT(drawn, ContainsSubstring("Now differs from before"));
}

TEST_CASE("the window closes while a student's program runs, and leaves nothing", "[gui]") {
  if (!can_see()) return;
  const bool killed = GENERATE(false, true);
  const Screen screen;
  const std::string file = screen / "sleep.py";
  std::ofstream(file) << "import time\nfrom mpi4py import MPI\ntime.sleep(1000)\n";
  const std::string script =
      screen.write_script({"welcome off", "wait exec.state running", "wait 1.5", "print exec.state",
                           killed ? "wait 1000" : "quit"});
  Background gui({gui_program(), "--script", script, file}, screen.environment(), screen / "gui");
  REQUIRE(gui.says("exec.state=running"));
  if (killed) gui.signal(SIGKILL);
  (void)gui.end();
  CHECK(eventually([&] { return screen.processes().empty(); }));
}
