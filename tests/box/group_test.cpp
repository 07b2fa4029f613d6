// Groups of boxes as their users see them.
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/box/process_view.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/process_stat.h"
#include "tests/box/boxes.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope::test {
namespace {

struct SocketPair {
  Fd ours, theirs;
  SocketPair() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
};

bool readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 30'000) == 1;
}

BoxSpec shell(const std::string& script) {
  auto spec = attack("good");
  spec.argv = {"/bin/sh", "-c", script};
  return spec;
}

// What is still there after some seconds. Nothing: for so long that what was still starting (and did not
// show the mark yet) would have shown.
std::vector<std::string> left_with(const std::string& mark) {
  std::vector<std::string> left;
  int empty = 0;
  for (int look = 0; look < 400 && empty < 20; ++look, ::usleep(20'000)) {
    const auto found = processes_with(mark);
    empty = found.empty() ? empty + 1 : 0;
    if (!found.empty()) left = found;
  }
  return empty == 20 ? std::vector<std::string>{} : left;
}

}  // namespace

TEST_CASE("a program gets its descriptor, folder, files and environment, and nothing more") {
  if (boxes_are_missing()) return;
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::ofstream(folder / "data") << "some data";
  REQUIRE(::setenv("RANKSCOPE_SECRET_OF_THE_GRADER", "1", 1) == 0);

  SocketPair pair;
  auto spec = attack("hello", {"7"});
  spec.directory = "/work";
  spec.environment = {"ANSWER=a=b:/c"};
  spec.binds.push_back({folder.path(), "/work"});
  spec.descriptors = {{pair.theirs.get(), 7}};
  BoxGroup group(boxes(), small_limits());
  group.start({spec});
  pair.theirs.reset();
  REQUIRE(::write(pair.ours.get(), "you", 3) == 3);
  REQUIRE(readable(pair.ours.get()));
  char text[32] = {};
  CHECK(::read(pair.ours.get(), text, sizeof(text) - 1) == 9);
  CHECK(std::string(text) == "heard you");
  REQUIRE(
      readable(pair.ours.get()));  // nobody else holds the other end: it closes with the program
  CHECK(::read(pair.ours.get(), text, sizeof(text)) == 0);
  REQUIRE(group.wait(test::kWaitLimit));
  const auto& box = group.outcome().boxes[0];
  INFO(box.err);
  CHECK(box.out ==
        "/work ['ANSWER', 'HOME', 'LANG', 'LOGNAME', 'PATH', 'PWD', 'USER'] some data\n");
  ::unsetenv("RANKSCOPE_SECRET_OF_THE_GRADER");
}

TEST_CASE("how a program ended is told") {
  if (boxes_are_missing()) return;
  const auto run = run_boxes({shell("echo out; echo err >&2; exit 3"), shell("kill -SEGV $$"),
                              shell("exit 0"), attack("no_such_attack")});
  CHECK(run.box(0).end == BoxEnd::ended);
  CHECK(run.box(0).exit_code == 3);
  CHECK(run.box(0).words == "ended with code 3");
  CHECK(run.box(0).out == "out\n");
  CHECK(run.box(0).err == "err\n");
  CHECK(run.box(1).end == BoxEnd::killed_by);
  CHECK(run.box(1).signal == 11);
  CHECK(run.box(2).end == BoxEnd::ended);
  CHECK(run.box(2).exit_code == 0);
  CHECK(run.box(3).exit_code == 2);  // Python's own complaint
  CHECK(run.outcome.end == BoxEnd::ended);
}

TEST_CASE("what cannot be started says why, and the others go on") {
  if (boxes_are_missing()) return;
  auto missing = shell("");
  missing.argv = {"no-such-program"};
  auto unbound = shell("exit 0");
  unbound.binds = {{"/no/such/folder", "/work"}};
  const auto run = run_boxes({missing, unbound, shell("echo fine")});
  CHECK(std::string(name_of(run.box(0).end)) == "could_not_start");
  CHECK_THAT(run.box(0).words, ContainsSubstring("no-such-program"));
  CHECK(std::string(name_of(run.box(1).end)) == "could_not_start");
  CHECK_THAT(run.box(1).words, ContainsSubstring("/no/such/folder"));
  CHECK(run.box(2).out == "fine\n");
  CHECK(run.left == std::vector<std::string>{});
}

TEST_CASE("mistakes of a caller are refused") {
  if (boxes_are_missing()) return;
  BoxGroup group(boxes(), small_limits());
  CHECK_THROWS_AS(group.start({}), UserError);
  CHECK_THROWS_AS(group.start({BoxSpec{}}), UserError);
  auto spec = shell("exit 0");
  spec.descriptors = {{0, 2}};
  CHECK_THROWS_AS(group.start({spec}), UserError);
  spec.descriptors = {{0, 5}, {0, 5}};
  CHECK_THROWS_AS(group.start({spec}), UserError);
}

TEST_CASE("a group can be stopped, at any moment, and ends with its object") {
  if (boxes_are_missing()) return;
  const std::string mark = "stop_test_" + std::to_string(::getpid());
  for (int delay = 0; delay < 12; ++delay) {
    auto spec = attack("good", {"60", mark});
    BoxGroup group(boxes(), small_limits());
    group.start({spec, spec});
    ::usleep(static_cast<useconds_t>(delay) * 1000);  // any moment of the start
    if (delay % 2 == 0) group.stop("the user had enough");
    if (delay % 2 != 0) continue;
    REQUIRE(group.wait(test::kWaitLimit));
    CHECK(std::string(name_of(group.outcome().end)) == "stopped");
    CHECK(group.outcome().boxes[1].words == "the user had enough");
  }
  CHECK(processes_with(mark) == std::vector<std::string>{});
}

TEST_CASE("every end is told once, while the others run") {
  if (boxes_are_missing()) return;
  std::vector<std::size_t> order;
  BoxGroup group(boxes(), small_limits());
  group.on_end = [&](std::size_t box, const BoxOutcome& outcome) {
    order.push_back(box);
    CHECK(outcome.end == BoxEnd::ended);
  };
  SocketPair pair;
  auto waiting = shell("read x <&4");
  waiting.descriptors = {{pair.theirs.get(), 4}};
  group.start({waiting, shell("exit 0")});
  pair.theirs.reset();
  CHECK_FALSE(group.wait(std::chrono::milliseconds(300)));
  pair.ours.reset();
  REQUIRE(group.wait(test::kWaitLimit));
  CHECK(order == std::vector<std::size_t>{1, 0});
}

TEST_CASE("when the grader is killed, its boxes end") {
  if (boxes_are_missing()) return;
  const std::string mark = "orphan_test_" + std::to_string(::getpid());
  for (const useconds_t delay : {300'000U, 30'000U, 12'000U, 8'000U, 5'000U, 3'000U, 1'000U}) {
    const pid_t grader = ::fork();
    if (grader == 0) {
      BoxGroup group(boxes(), small_limits());
      group.start({attack("good", {"60", mark}), attack("sleep", {mark})});
      ::pause();
      ::_exit(0);
    }
    ::usleep(delay);
    REQUIRE(::kill(grader, SIGKILL) == 0);
    REQUIRE(::waitpid(grader, nullptr, 0) == grader);
    INFO(delay);
    CHECK(left_with(mark) == std::vector<std::string>{});
  }
}

TEST_CASE("without boxes the same programs run at their own places, watched") {
  const auto support = box_support({.no_sandbox = true, .bwrap = {}});
  REQUIRE(support.works());
  const TemporaryFolder folder;
  std::ofstream(folder / "data") << "some data";
  auto spec = shell("cat data; cat $WHERE/data; pwd; echo $0");
  spec.argv.emplace_back("/work/data");
  spec.environment = {"WHERE=/work"};
  spec.directory = "/work";
  spec.binds = {{folder.path(), "/work"}};
  auto limits = small_limits();
  const auto run = run_boxes(support, {spec}, limits);
  CHECK(run.box().out == "some datasome data" + folder.path() + "\n" + folder / "data" + "\n");
  CHECK(run.left == std::vector<std::string>{});

  limits.wall = std::chrono::milliseconds(1000);
  CHECK(run_boxes(support, {attack("sleep")}, limits).outcome.end == BoxEnd::wall_time);
  const auto flood = run_boxes(support, {attack("output_flood")}, limits);
  CHECK(flood.outcome.end == BoxEnd::output);
  const auto memory =
      run_boxes(support, {attack("memory_share", {"40"}), attack("memory_share", {"40"})}, [] {
        auto small = small_limits();
        small.memory = 60 * kMiB;
        return small;
      }());
  CHECK(memory.outcome.end == BoxEnd::memory);
  const auto daemon = run_boxes(support, {attack("daemon")}, small_limits());
  CHECK(daemon.left == std::vector<std::string>{});
}

TEST_CASE("as another user, a program becomes nobody else and leaves nothing behind") {
  const auto none = box_support({.no_sandbox = false, .bwrap = "/no/such/bwrap"});
  const auto support = as_other_user(none);
  if (::geteuid() != 0) {
    CHECK_FALSE(support.works());
    CHECK_THAT(support.problem, ContainsSubstring("only root"));
    return;
  }
  REQUIRE(support.works());
  CHECK_THAT(other_user_warning(support), ContainsSubstring("apt install bubblewrap"));
  // A session of its own, without the mark in its environment, of a parent that is gone; it cannot become root either.
  const auto run =
      run_boxes(support,
                {shell("id -u; grep NoNewPrivs /proc/self/status; cat /proc/1/environ; "
                       "(env -i setsid sleep 987654 &) ")},
                small_limits());
  const BoxOutcome& one = run.box(0);
  INFO(one.out << one.err);
  CHECK(std::atol(one.out.c_str()) > 60'000);
  CHECK_THAT(one.out, ContainsSubstring("NoNewPrivs:\t1"));
  CHECK_THAT(one.err, ContainsSubstring("Permission denied"));
  CHECK(run_process({"pgrep", "-f", "sleep 987654"}).exit_code == 1);
  // It goes on in a child of its own, again and again, and makes its /proc root's.
  const auto in_turns = run_boxes(
      support,
      {shell("id -u; python3 -c 'import ctypes, os\nif os.fork(): os._exit(0)\nos.setsid()\n"
             "while True:\n  ctypes.CDLL(None).prctl(4, 0)\n  if os.fork(): os._exit(0)'")},
      small_limits());
  INFO(in_turns.box(0).out << in_turns.box(0).err);
  const auto user = static_cast<uid_t>(std::atol(in_turns.box(0).out.c_str()));
  CHECK(user > 60'000);
  const Fd proc = open_proc();
  for (const pid_t pid : processes_in(proc.get()))
    if (const auto stat = process_stat(proc.get(), pid); stat && stat->state != 'Z')
      CHECK(user_of(proc.get(), pid) != user);
  const auto bomb = run_boxes(support, {shell("while :; do sleep 987653 & done")}, [] {
    auto few = small_limits();
    few.processes = 20;
    return few;
  }());
  // The kernel's limit of processes, or ours, whichever it comes to first.
  CHECK((bomb.outcome.end == BoxEnd::processes || bomb.box(0).exit_code != 0));
  CHECK(run_process({"pgrep", "-f", "sleep 987653"}).exit_code == 1);
}

// The exit code of `work` in a process of its own, whose system may be changed.
int exit_code_of(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("as another user, programs start in a container whose filter knows no clone3") {
  if (::geteuid() != 0) return;
  const auto started = [] {
    const sock_filter refuse[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{static_cast<unsigned short>(std::size(refuse)),
                            const_cast<sock_filter*>(refuse)};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return false;
    const auto support =
        as_other_user(box_support({.no_sandbox = false, .bwrap = "/no/such/bwrap"}));
    return run_boxes(support, {shell("id -u")}, small_limits()).box(0).exit_code == 0;
  };
  CHECK(exit_code_of(started) == 0);
}

TEST_CASE("boxes are made in a container that has hardly any process") {
  if (::geteuid() != 0 || boxes_are_missing()) return;
  const auto works = [] {
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return false;
    return exit_code_of([] {
             return ::mount("proc", "/proc", "proc", 0, nullptr) == 0 && box_support().works();
           }) == 0;
  };
  CHECK(exit_code_of(works) == 0);
}

TEST_CASE("where boxes cannot be made, nothing runs, and the words say what to do") {
  const auto support = box_support({.no_sandbox = false, .bwrap = "/no/such/bwrap"});
  CHECK_FALSE(support.works());
  CHECK_THAT(support.problem, ContainsSubstring("apt install bubblewrap"));
  CHECK_THROWS_WITH(BoxGroup(support, BoxLimits{}), ContainsSubstring("--no-sandbox"));
  CHECK_THROWS_AS(BoxGroup(support, BoxLimits{}), NoBoxes);

  // One that fails, as where user namespaces are forbidden.
  const auto broken = box_support({.no_sandbox = false, .bwrap = "/bin/false"});
  CHECK_FALSE(broken.works());
  CHECK_THROWS_WITH(BoxGroup(broken, BoxLimits{}), ContainsSubstring("could not be started"));
  // One that runs the program, but in no box.
  const auto fake = box_support({.no_sandbox = false, .bwrap = "/bin/true"});
  CHECK_FALSE(fake.works());
}

}  // namespace rankscope::test
