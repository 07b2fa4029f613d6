// Limits by the kernel, where it lets us.
#include "engine/box/cgroup.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "engine/box/spawn.h"
#include "tests/box/boxes.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

TEST_CASE("a delegated cgroup is this process's own or one above, with both controllers") {
  const TemporaryFolder mount;
  const std::string own = "12:pids:/x\n0::/user.slice/app.slice/term.scope\n";
  for (const char* folder :
       {"", "user.slice", "user.slice/app.slice", "user.slice/app.slice/term.scope"}) {
    fs::create_directories(mount / folder);
    write(mount / folder + "/cgroup.procs", "");
    write(mount / folder + "/cgroup.subtree_control", "");
  }
  CHECK(delegated_cgroup(mount.path(), own).empty());
  write(mount / "user.slice/cgroup.subtree_control", "cpu memory pids\n");
  CHECK(delegated_cgroup(mount.path(), own) == mount / "user.slice");
  write(mount / "user.slice/app.slice/cgroup.subtree_control", "memory\n");
  CHECK(delegated_cgroup(mount.path(), own) == mount / "user.slice");
  write(mount / "user.slice/app.slice/cgroup.subtree_control", "memory pids\n");
  CHECK(delegated_cgroup(mount.path(), own) == mount / "user.slice/app.slice");
  CHECK(delegated_cgroup(mount.path(), "3:memory:/user.slice\n").empty());
  CHECK(delegated_cgroup(mount.path(), "0::/../user.slice\n").empty());
}

TEST_CASE("a group that the kernel limits, too") {
  if (boxes_are_missing()) return;
  if (boxes().cgroup.empty()) {
    WARN("left out: no cgroup with memory and pids is delegated to this process");
    return;
  }
  auto specs = std::vector<BoxSpec>(2, attack("memory_bomb"));
  const auto run = run_boxes(specs);
  CHECK(run.outcome.end == BoxEnd::memory);
  for (const auto& entry : fs::directory_iterator(boxes().cgroup))
    CHECK_FALSE(
        entry.path().filename().string().starts_with("rankscope-" + std::to_string(::getpid())));
}

TEST_CASE("a program starts in the cgroup that it is given, which goes with it") {
  // A hierarchy without controllers will do, and where these are of version 1 there is one.
  fs::path parent;
  for (const char* path : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"})
    if (parent.empty() && fs::exists(fs::path(path) / "cgroup.procs") && ::access(path, W_OK) == 0)
      parent = path;
  if (parent.empty()) {
    WARN("left out: no cgroup can be made here");
    return;
  }
  BoxLimits limits;
  limits.memory = 0;
  limits.processes = 0;
  fs::path path;
  SpawnPlan plan;
  plan.argv = {"/bin/sleep", "60"};
  plan.confined = true;
  pid_t pid = -1;
  {
    const Cgroup cgroup(parent, limits, 1);
    path = cgroup.path();
    plan.cgroup = cgroup.fd();
    const Spawned spawned = spawn(plan);
    pid = spawned.pid;
    std::ifstream file(path / "cgroup.procs");
    std::vector<pid_t> inside;
    for (pid_t each = 0; file >> each;) inside.push_back(each);
    CHECK(inside.size() == 2);  // the first of its PID namespace, and sleep
    CHECK(std::ranges::find(inside, pid) != inside.end());
    CHECK_FALSE(cgroup.out_of_memory());
    kill_pidfd(spawned.pidfd, SIGKILL);
    CHECK(::waitpid(pid, nullptr, 0) == pid);
  }
  CHECK_FALSE(fs::exists(path));
}

}  // namespace rankscope::test
