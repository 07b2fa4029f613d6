// Starts attack programs in boxes and collects what they leave behind.
#include "tests/box/boxes.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/fd.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

// Of a file in /proc, whose process may end meanwhile.
std::string text_of(const fs::path& path) {
  std::string text;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char part[4096];
  for (ssize_t count = 0; file && (count = ::read(file.get(), part, sizeof(part))) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  return text;
}

std::string mark_of_this_run() {
  static std::random_device random;
  return fmt::format("box_test_{:08x}{:08x}", random(), random());
}

}  // namespace

const BoxOutcome& BoxRun::box(std::size_t i) const {
  if (i >= outcome.boxes.size()) FAIL("the boxes did not end in time");
  return outcome.boxes[i];
}

const BoxSupport& boxes() {
  static const BoxSupport support = box_support();
  return support;
}

bool boxes_are_missing() {
  if (boxes().works()) return false;
  const char* const ci = std::getenv("CI");
  if (ci != nullptr && *ci != '\0') FAIL(boxes().problem);
  WARN("left out: " << boxes().problem);
  return true;
}

BoxLimits small_limits() {
  BoxLimits limits;
  limits.wall = std::chrono::milliseconds(20'000);
  limits.cpu_seconds = 20;
  limits.memory = 200 * kMiB;
  limits.processes = 48;
  limits.output = 4 * kMiB;
  limits.disk = 48 * kMiB;
  limits.files = 2000;
  return limits;
}

BoxSpec attack(const std::string& name, const std::vector<std::string>& arguments) {
  BoxSpec spec;
  spec.argv = {"/usr/bin/python3", "-S", "-E", "-B", "/attacks/" + name + ".py"};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.binds = {{source_root() / "tests" / "box" / "attacks", "/attacks"}};
  spec.tmp_size = spec.shm_size = 16 * kMiB;
  spec.rlimits.address_space = 1024 * kMiB;
  return spec;
}

std::vector<std::string> processes_with(const std::string& mark) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(entry.path() / "environ").find(mark) != std::string::npos ||
        text_of(entry.path() / "cmdline").find(mark) != std::string::npos)
      found.push_back(name + ": " + text_of(entry.path() / "comm"));
  }
  return found;
}

BoxRun run_boxes(const BoxSupport& support, std::vector<BoxSpec> specs, const BoxLimits& limits) {
  const auto mark = mark_of_this_run();
  for (auto& spec : specs) spec.environment.push_back("MARK=" + mark);
  BoxRun run;
  {
    BoxGroup group(support, limits);
    group.start(std::move(specs));
    run.in_time = group.wait(kWaitLimit);
    if (!run.in_time) group.stop("hung");
    if (group.wait(kWaitLimit)) run.outcome = group.outcome();
    run.left = processes_with(mark);
  }
  return run;
}

BoxRun run_boxes(std::vector<BoxSpec> specs, const BoxLimits& limits) {
  return run_boxes(boxes(), std::move(specs), limits);
}

}  // namespace rankscope::test
