// What `rankscope parallel` prints: the forms, and a step's lines with their bytes.
#pragma once

#include <string>

#include "cli/terminal/console.h"
#include "engine/training/job/parallel_run.h"

namespace rankscope::cli {

std::string forms_text(const Style& style);
std::string forms_json();

/// A step that was run.
struct ParallelStep {
  const training::ParallelRun& run;
  const JobSpec& spec;
  const training::StepReport& report;
  const std::string& trace_file;
};
std::string step_text(const ParallelStep& step, const Style& style);
std::string step_json(const ParallelStep& step);

}  // namespace rankscope::cli
