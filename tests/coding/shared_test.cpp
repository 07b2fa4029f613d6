// What the programs of a class share: a box that was entered is one like any other, and so is what is compiled.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "lessons/coding/boxes.h"
#include "lessons/coding/cases.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/coding/loaded_libraries.h"
#include "lessons/course/read_lesson.h"
#include "tests/coding/box_options.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

// What a process has of the system, a line each; those that begin with "limit" are numbers that may be lower, those with
// "namespace" differ from box to box.
constexpr std::string_view kShows = R"(
import os, random, resource, sys

def shows(tensor):
    for line in open("/proc/self/status"):
        if line.split(":")[0] in ("Umask", "Uid", "Gid", "Groups", "NSpid", "NSpgid", "NSsid", "Threads", "SigBlk",
                                  "SigCgt", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp",
                                  "THP_enabled"):
            print(" ".join(line.split()))
        if line.startswith("SigIgn"):  # without the C library's own signal, which posix_spawn leaves ignored
            print("ignored %x" % (int(line.split()[1], 16) & ~(1 << 31)))
    for name in sorted(os.listdir("/proc/self/fd")):
        print("descriptor", name)
    for name in "mnt", "pid", "net", "ipc", "uts", "user", "cgroup":
        print("namespace", name, os.readlink("/proc/self/ns/" + name))
    for which in range(resource.RLIM_NLIMITS if hasattr(resource, "RLIM_NLIMITS") else 16):
        print("limit", which, *resource.getrlimit(which))
    print("first to end", open("/proc/self/oom_score_adj").read())
    print("control group", open("/proc/self/cgroup").read())
    for line in open("/proc/self/mountinfo"):
        fields = line.split()
        print("mount", fields[4], fields[5], *fields[fields.index("-") + 1:])
    for line in open("/proc/self/maps"):
        if "/rankscope" in line or "lessons" in line:
            print("file", line.split()[-1], line.split()[1])
    print("processes", sorted(filter(str.isdigit, os.listdir("/proc"))), os.getsid(0), os.getcwd(), os.uname().nodename)
    print("environment", sorted(os.environ.items()), open("/proc/self/environ", "rb").read().count(b"="))
    print("Python", sys.path, sys.argv, sys.flags, sys.modules["__main__"].__file__, sys.modules["rankscope"].__path__)
    print("command", open("/proc/self/cmdline").read().replace("\0", " "))
    print("modules", sorted(sys.modules))
    print("finders", sys.meta_path)

def draws(tensor):
    print(random.random())
)";

/// What rank 0 prints when it calls this function in a box.
std::string printed_by(CodeBoxes& boxes, const std::string& function) {
  JobSpec spec;
  spec.call.algorithm = "student.py";
  spec.call.platform = "torch";
  spec.world.size = 2;
  spec.data.check = false;
  spec.recording.timeout_s = 20;
  std::vector<capi::AgentTask> tasks(2);
  for (int rank = 0; rank < 2; ++rank) {
    auto& task = tasks[static_cast<std::size_t>(rank)];
    task.text = nlohmann::json{
        {"harness", "function"},
        {"file", "student.py"},
        {"function", function},
        {"rank", rank},
        {"size", 2},
        {"args",
         {1}}}.dump();
  }
  const CodeRun run = boxes.run(spec, tasks);
  INFO(run.result.message << " " << run.trouble << " " << run.ranks[0].error);
  REQUIRE(run.result.ok());
  REQUIRE(run.ranks[0].error.empty());
  for (const auto& result : run.ranks[0].results)
    if (result.name == "stdout")
      return {reinterpret_cast<const char*>(result.data.data()), result.data.size()};
  return {};
}

std::vector<std::string> lines_in(const std::string& text, std::string_view first, bool with) {
  std::vector<std::string> out;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);)
    if (line.starts_with(first) == with) out.push_back(line);
  return out;
}

// Namespaces, users of submissions, addresses of objects.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) out += c;
  return out;
}

std::string bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("coding: a rank of a box that was entered has what one of a box of its own has") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py") << kShows;
  CodeBoxesOptions options = test::box_options(folder.path());
  CodeBoxes plain(options, 2);
  const std::string started = printed_by(plain, "shows");
  options.libraries = std::make_shared<LoadedLibraries>();
  REQUIRE(options.libraries->ready(options));
  CodeBoxes shared(options, 2), other(options, 2);
  const std::string entered = printed_by(shared, "shows");
  REQUIRE(options.libraries->entered() == 1);

  const auto left = lines_in(started, "limit", false), right = lines_in(entered, "limit", false);
  REQUIRE(left.size() == right.size());
  CHECK(entered.find(options.python_files.string()) == std::string::npos);
  CHECK(entered.find("THP_enabled: 0\n") != std::string::npos);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].starts_with("command")) continue;
    const bool numbered = left[i].starts_with("namespace") || left[i].starts_with("mount") ||
                          left[i].starts_with("finders");
    CHECK((numbered ? without_numbers(left[i]) : left[i]) ==
          (numbered ? without_numbers(right[i]) : right[i]));
  }
  // Above the limits of a box of its own is none of them.
  const auto before = lines_in(started, "limit", true), now = lines_in(entered, "limit", true);
  REQUIRE(before.size() == now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::istringstream a(before[i]), b(now[i]);
    std::string word;
    int which = 0;
    long long soft = 0, hard = 0, own_soft = 0, own_hard = 0;
    a >> word >> which >> soft >> hard;
    b >> word >> which >> own_soft >> own_hard;
    INFO(before[i] << " / " << now[i]);
    CHECK((soft == -1 || (own_soft >= 0 && own_soft <= soft)));
    CHECK((hard == -1 || (own_hard >= 0 && own_hard <= hard)));
  }
  // Its namespaces are nobody else's: not ours, which the process with the libraries has, too, nor another submission's.
  const std::string third = printed_by(other, "shows");
  CHECK(options.libraries->entered() == 2);
  for (const std::string& line : lines_in(entered, "namespace", true)) {
    std::istringstream words(line);
    std::string word, name, number;
    words >> word >> name >> number;
    INFO(line);
    if (name != "cgroup") CHECK(fs::read_symlink("/proc/self/ns/" + name) != number);
    if (name != "cgroup") CHECK(third.find(number) == std::string::npos);
  }
  CHECK(printed_by(shared, "draws") != printed_by(other, "draws"));
}

TEST_CASE("coding: one that enters a box is in the box's control group") {
  if (test::lacks_boxes_or_torch()) return;
  // Without controllers, where version 1 has them: whose group it is can be seen all the same.
  fs::path parent;
  for (const char* path : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"})
    if (parent.empty() && fs::exists(fs::path(path) / "cgroup.procs") && ::access(path, W_OK) == 0)
      parent = path;
  if (parent.empty()) {
    WARN("left out: no control group can be made here");
    return;
  }
  const TemporaryFolder folder;
  std::ofstream(folder / "student.py")
      << "def where(tensor):\n    print(open('/proc/self/cgroup').read())\n";
  CodeBoxesOptions options = test::box_options(folder.path());
  options.support.cgroup = parent;
  options.limits.memory = options.limits.processes = 0;  // nothing that needs a controller
  const auto groups = [&] {
    const std::string prefix = "rankscope-" + std::to_string(::getpid());
    return std::count_if(fs::directory_iterator(parent), {}, [&](const auto& entry) {
      return entry.path().filename().string().starts_with(prefix);
    });
  };
  for (const bool enters : {false, true}) {
    INFO(enters);
    if (enters) options.libraries = std::make_shared<LoadedLibraries>();
    CodeBoxes boxes(options, 2);
    // Seen from the group in which the box was made: from outside of it, this would be "/..".
    CHECK(lines_in(printed_by(boxes, "where"), "0::", true) == std::vector<std::string>{"0::/"});
    CHECK(groups() == 1);
  }
  CHECK(options.libraries->entered() == 1);
  CHECK(groups() == 0);
}

TEST_CASE("coding: a program compiled with the headers of a class is the same, bit by bit",
          "[full]") {
  if (test::lacks_boxes_or_torch()) return;
  Complaints complaints;
  std::optional<CodingExercise> exercise;
  for (const auto& folder : lesson_folders(test::source_root() / "lessons/content"))
    for (const CodingExercise& one : read_lesson(folder, complaints).coding)
      if (one.id == "my-broadcast") exercise = one;
  REQUIRE(exercise);
  const TemporaryFolder folder;
  fs::copy(test::source_root() / "tests/students/cpp/my-broadcast/right_binomial.cpp",
           fs::path(folder.path()) / "my_broadcast.cpp");
  CodeBoxesOptions options = test::box_options(folder.path());
  const CppProgram alone(*exercise, options);
  options.headers = std::make_shared<CppHeaders>();
  REQUIRE_FALSE(options.headers->folder(options).empty());
  const CppProgram shared(*exercise, options);
  INFO(shared.diagnostics());
  REQUIRE(alone.diagnostics().empty());
  REQUIRE(shared.diagnostics().empty());
  CHECK(bytes_of_file(alone.binary()).size() > 1000);
  CHECK(bytes_of_file(alone.binary()) == bytes_of_file(shared.binary()));
}

}  // namespace rankscope
