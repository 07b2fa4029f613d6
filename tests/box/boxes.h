// Shared by the tests of boxes: whether boxes work here, small limits, and the attack programs.
#pragma once

#include <string>
#include <vector>

#include "engine/box/box_group.h"

namespace rankscope::test {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Found once. In CI the tests fail where boxes cannot be made; else they are left out, with a warning.
const BoxSupport& boxes();
bool boxes_are_missing();

// Small enough for any machine, and seconds at most.
BoxLimits small_limits();

// tests/box/attacks/NAME.py, with these arguments.
BoxSpec attack(const std::string& name, const std::vector<std::string>& arguments = {});

struct BoxRun {
  BoxGroupOutcome outcome;
  bool in_time = false;           // it came to an end by itself
  std::vector<std::string> left;  // processes that are still there
  const BoxOutcome& box(std::size_t i = 0) const;
};

// Runs them to their end, and looks for what is left.
BoxRun run_boxes(std::vector<BoxSpec> specs, const BoxLimits& limits = small_limits());
BoxRun run_boxes(const BoxSupport& support, std::vector<BoxSpec> specs, const BoxLimits& limits);

// Processes on this machine with this in their environment or command line.
std::vector<std::string> processes_with(const std::string& mark);

}  // namespace rankscope::test
