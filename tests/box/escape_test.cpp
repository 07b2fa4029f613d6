// Programs that reach for what is not theirs: each says what it got at, and that is nothing.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/core/base/fd.h"
#include "tests/box/boxes.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

void check_contained(const BoxRun& run, std::size_t box = 0) {
  INFO(run.box(box).words << "\n" << run.box(box).err);
  CHECK(run.in_time);
  CHECK(run.left == std::vector<std::string>{});
  CHECK(run.box(box).out == "contained\n");
}

// A folder that a box may be given: its user need not be ours.
struct OpenFolder : TemporaryFolder {
  OpenFolder() { fs::permissions(path(), fs::perms(0755)); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name) << text;
    return *this / name;
  }
};

}  // namespace

TEST_CASE("files of the grader and of other submissions are not there") {
  if (boxes_are_missing()) return;
  const OpenFolder folder;
  const auto key = folder.write("key.toml", "answer = 42");
  check_contained(run_boxes({attack("read_files", {key, "/root/.profile", "/var/log/dpkg.log"})}));
}

TEST_CASE("nothing is written through links, or into the system") {
  if (boxes_are_missing()) return;
  const OpenFolder folder;
  const auto target = folder.write("results.json", "{}");
  auto links = attack("write_links", {target, folder / "new"});
  links.binds.push_back({folder.path(), "/work"});
  check_contained(run_boxes({links}));
  check_contained(run_boxes({attack("write_system")}));
  std::ifstream file(target);
  std::string text;
  file >> text;
  CHECK(text == "{}");
  CHECK_FALSE(fs::exists(folder / "new"));
  CHECK_FALSE(fs::exists(folder / "planted"));
  CHECK_FALSE(fs::exists("/usr/lib/planted"));
}

TEST_CASE("other processes cannot be seen, read, traced or ended") {
  if (boxes_are_missing()) return;
  const auto us = std::to_string(::getpid()), parent = std::to_string(::getppid());
  check_contained(run_boxes({attack("parent_memory", {us, parent})}));
  const auto run = run_boxes({attack("kill_pids", {us, parent}), attack("good", {"1"})});
  check_contained(run, 0);
  check_contained(run, 1);
}

TEST_CASE("killing everybody ends its own box only") {
  if (boxes_are_missing()) return;
  const auto run = run_boxes({attack("kill_all"), attack("good", {"1"})});
  CHECK(std::string(name_of(run.box(0).end)) == "killed_by");
  CHECK(run.box(0).signal == 9);
  CHECK_THAT(run.box(0).words, ContainsSubstring("was ended by signal 9"));
  check_contained(run, 1);
  CHECK(run.outcome.end == BoxEnd::ended);
}

TEST_CASE("what a program leaves behind ends with it") {
  if (boxes_are_missing()) return;
  for (const char* name : {"daemon", "daemon_with_output"}) {
    INFO(name);
    const auto run = run_boxes({attack(name)});
    check_contained(run);
    CHECK(run.outcome.end == BoxEnd::ended);
  }
}

TEST_CASE("system calls that lead out of a box are refused") {
  if (boxes_are_missing()) return;
  check_contained(run_boxes({attack("system_calls")}));
  check_contained(run_boxes({attack("hide_memory")}));
#if defined(__x86_64__)
  const auto run = run_boxes({attack("other_processor")});
  CHECK(std::string(name_of(run.box().end)) == "killed_by");
  CHECK(run.box().out.empty());
#endif
}

TEST_CASE("there is no network, and no socket of the system") {
  if (boxes_are_missing()) return;
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(::bind(listener.get(), any, size) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  REQUIRE(::getsockname(listener.get(), any, &size) == 0);

  const Fd abstract(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto name = "rankscope-test-" + std::to_string(::getpid());
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  REQUIRE(::bind(abstract.get(), reinterpret_cast<sockaddr*>(&local), length) == 0);
  REQUIRE(::listen(abstract.get(), 1) == 0);

  check_contained(run_boxes({attack("network", {std::to_string(ntohs(address.sin_port)), name})}));
}

TEST_CASE("a program has the descriptors that it was given, and no other") {
  if (boxes_are_missing()) return;
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);  // inheritable, as a careless caller's
  const Fd ours(ends[0]), theirs(ends[1]);
  auto spec = attack("descriptors", {"3", "77"});
  spec.descriptors = {{theirs.get(), 3}, {theirs.get(), 77}};
  check_contained(run_boxes({spec}));
  check_contained(run_boxes({attack("descriptors")}));
  check_contained(run_boxes({attack("fill_descriptors")}));
}

TEST_CASE("nobody becomes another user, whatever bits a program has") {
  if (boxes_are_missing()) return;
  check_contained(run_boxes({attack("setuid")}));
}

TEST_CASE("clocks, priorities and limits cannot be changed; an alarm rings for its owner") {
  if (boxes_are_missing()) return;
  const auto run = run_boxes({attack("timers")});
  check_contained(run);
  CHECK(std::string(name_of(run.box().end)) == "killed_by");
  CHECK_THAT(run.box().words, ContainsSubstring("signal 14"));
}

TEST_CASE("arguments of any size harm nobody") {
  if (boxes_are_missing()) return;
  check_contained(run_boxes({attack("huge_arguments")}));
  auto spec = attack("good", {"0"});
  spec.argv.emplace_back(8 * kMiB, 'x');
  const auto run = run_boxes({spec, attack("good", {"0"})});
  CHECK(std::string(name_of(run.box(0).end)) == "could_not_start");
  check_contained(run, 1);
}

}  // namespace rankscope::test
