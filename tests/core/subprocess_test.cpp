// Other programs: what they are given, how they end, and that nothing of them stays.
#include "engine/core/base/subprocess.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace std::chrono_literals;

namespace {

std::string output_of(SubprocessOptions options) {
  FdPair pipe = pipe_pair("a test");
  options.descriptors.push_back({.theirs = STDOUT_FILENO, .ours = pipe.theirs.get()});
  Subprocess program(options);
  pipe.theirs.reset();
  std::string text;
  char block[512];
  for (ssize_t n = 0; (n = ::read(pipe.ours.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  CHECK(program.wait(Deadline::in(test::kWaitLimit)) == 0);
  return text;
}

SubprocessOptions shell(const std::string& script) { return {.words = {"sh", "-c", script}}; }

}  // namespace

TEST_CASE("subprocess: words reach it as they are, without a shell", "[core]") {
  CHECK(output_of({.words = {"printf", "%s|", "a b", "$HOME", "*"}}) == "a b|$HOME|*|");
}

TEST_CASE("subprocess: environment, folder and input are as asked", "[core]") {
  ::setenv("RANKSCOPE_TEST_GONE", "1", 1);
  ::setenv("RANKSCOPE_TEST_OTHER", "old", 1);
  auto options = shell("echo \"${RANKSCOPE_TEST_GONE-none} $RANKSCOPE_TEST_OTHER $(pwd)\"; cat");
  options.environment = {"RANKSCOPE_TEST_GONE", "RANKSCOPE_TEST_OTHER=new"};
  options.folder = "/";
  CHECK(output_of(options) == "none new /\n");  // and cat finds an empty input
}

TEST_CASE("subprocess: how it ended is known", "[core]") {
  CHECK(Subprocess(shell("exit 7")).wait(Deadline::in(test::kWaitLimit)) == 7);
  CHECK(Subprocess(shell("kill -TERM $$")).wait(Deadline::never()) == 128 + SIGTERM);
  CHECK_THROWS_AS(Subprocess({.words = {"/no/such/program"}}), UserError);
  pid_t pid = -1;
  CHECK(start_process({.words = {"rankscope-no-such-program"}}, pid) == ENOENT);
}

TEST_CASE("subprocess: a deadline passes, and the program goes with all of its group", "[core]") {
  FdPair pipe = pipe_pair("a test");
  auto options = shell("sleep 600 & sleep 600");
  options.descriptors = {{.theirs = STDOUT_FILENO, .ours = pipe.theirs.get()}};
  {
    Subprocess program(options);
    pipe.theirs.reset();
    CHECK_FALSE(program.wait(Deadline::in(20ms)));
  }
  char byte = 0;
  CHECK(::read(pipe.ours.get(), &byte, 1) == 0);  // nobody holds the other end any more
}

TEST_CASE("subprocess: what an ended program left of its group goes, too", "[core]") {
  FdPair pipe = pipe_pair("a test");
  auto options = shell("sleep 600 & exit 3");
  options.descriptors = {{.theirs = STDOUT_FILENO, .ours = pipe.theirs.get()}};
  {
    Subprocess program(options);
    pipe.theirs.reset();
    CHECK(program.wait(Deadline::in(test::kWaitLimit)) == 3);
    CHECK(program.wait(Deadline::never()) == 3);
  }
  char byte = 0;
  CHECK(::read(pipe.ours.get(), &byte, 1) == 0);  // nobody holds the other end any more
}

TEST_CASE("subprocess: descriptors that it was not given are closed", "[core]") {
  const int inherited = ::open("/dev/null", O_RDONLY);  // not closed by exec
  REQUIRE(inherited > 2);
  auto options = shell("[ -e /proc/self/fd/" + std::to_string(inherited) + " ] && echo open");
  options.words.back() += " || echo closed";
  CHECK(output_of(options) == "open\n");
  options.close_from = 3;
  CHECK(output_of(options) == "closed\n");
  ::close(inherited);
}
