// The boxes of these tests: with this build's Python package and library, and the sources that programs in C++ need.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "lessons/coding/boxes.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope::test {

inline CodeBoxesOptions box_options(const std::filesystem::path& submission) {
  static const BoxSupport support = box_support();
  CodeBoxesOptions options;
  options.support = support;
  options.submission = submission;
  options.python_files =
      std::filesystem::canonical(rankscope_binary().parent_path() / "../lesson-files/python");
  options.library = programs_library();
  options.first_process = options.library.parent_path() / "rankscope/first-process";
  options.cpp_files = source_root() / "lessons/cpp";
  options.include = source_root() / "engine/capi";
  return options;
}

// In CI everything is there; elsewhere a machine may lack torch, or forbid boxes, and the test is left out.
inline bool lacks_boxes_or_torch() {
  const auto torch = run_process({"/usr/bin/python3", "-c", "import torch"});
  if (torch.exit_code == 0 && box_support().works()) return false;
  REQUIRE(std::getenv("CI") == nullptr);
  WARN("left out: boxes or python3-torch are missing here");
  return true;
}

}  // namespace rankscope::test
