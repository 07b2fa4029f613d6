// A pipeline's schedule as a picture: as planned, and as a run measured it.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/trace/trace.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::cli {

/// Draws the schedule with backward twice as long as forward, and below it the spans of computing in `trace`, a step of
/// this form on `ranks` ranks.
Scene pipeline_picture(const training::ParallelForm& form,
                       const training::ParallelSettings& settings, int ranks, const Trace& trace,
                       const Ruler& ruler);

/// Throws UserError unless the form is a pipeline and the file's name ends in one of a still picture.
void check_schedule_file(const training::ParallelForm& form, const std::string& file);
/// `theme` is light, dark or print. Throws UserError.
void write_picture(const Scene& scene, const std::string& file, std::string_view theme);

}  // namespace rankscope::cli
