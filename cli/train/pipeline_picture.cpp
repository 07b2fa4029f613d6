// Makes bars of slots that are planned and of those that a trace has.
#include "cli/train/pipeline_picture.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cli/terminal/write_file.h"
#include "engine/analysis/messages.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/plot/pipeline_chart.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope::cli {
namespace {

using training::ParallelForm;
using training::ParallelSettings;
using training::PipelineKind;
using training::PipelineSlot;

constexpr double kPictureDpi = 144;

std::string stage_name(int stage) { return fmt::format("stage {}", stage); }

PipelineChart planned(PipelineKind kind, int microbatches, int stages) {
  PipelineChart chart{
      .title = fmt::format("{}: {} stages, {} microbatches", title_of(kind), stages, microbatches),
      .caption = fmt::format(
          "Planned, a backward pass twice as long as a forward one. Each stage is idle for "
          "(P-1)/(M+P-1) = {}/{} = {:.1f} % of the time.",
          stages - 1, microbatches + stages - 1,
          100 * training::bubble_share(microbatches, stages)),
      .time_title = "time, in forward passes of one microbatch through one stage",
      .rows = {}};
  const auto times = pipeline_times(kind, microbatches, stages);
  for (int stage = 0; stage < stages; ++stage) {
    PipelineRow& row = chart.rows.emplace_back();
    row.name = stage_name(stage);
    row.note = fmt::format("keeps {}", most_activations(kind, stage, microbatches, stages));
    for (const auto& [slot, begin, end] : times[static_cast<std::size_t>(stage)])
      row.bars.push_back({begin, end, slot.microbatch, slot.backward});
  }
  return chart;
}

/// Times in microseconds, from the first slot's begin.
PipelineChart measured(PipelineKind kind, int microbatches, int stages, const Trace& trace) {
  std::vector<std::vector<std::pair<double, double>>> spans(static_cast<std::size_t>(stages));
  double first = std::numeric_limits<double>::infinity(), last = 0, busy = 0;
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind != EventKind::local || event.verb != Verb::compute) continue;
    const double begin = double(begin_ns(trace, k)) * 1e-3, end = double(trace.time_ns(k)) * 1e-3;
    spans.at(static_cast<std::size_t>(event.rank)).emplace_back(begin, end);
    first = std::min(first, begin);
    last = std::max(last, end);
    busy += end - begin;
  }
  PipelineChart chart{.title = "The same step, as it ran",
                      .caption = "",
                      .time_title = "time in µs, as measured: each rank's computing",
                      .rows = {}};
  for (int stage = 0; stage < stages; ++stage) {
    PipelineRow& row = chart.rows.emplace_back();
    row.name = stage_name(stage);
    row.note = " ";
    const auto slots = pipeline_schedule(kind, stage, microbatches, stages);
    const auto& of_stage = spans[static_cast<std::size_t>(stage)];
    for (std::size_t i = 0; i < std::min(slots.size(), of_stage.size()); ++i)
      row.bars.push_back({of_stage[i].first - first, of_stage[i].second - first,
                          slots[i].microbatch, slots[i].backward});
  }
  const double idle = last > first ? 1 - busy / ((last - first) * stages) : 0;
  chart.caption = fmt::format(
      "Idle here, with messages and everything else that the machine did: {:.1f} %. With small "
      "layers, and with fewer processors than ranks, that is more than the bubble.",
      100 * idle);
  return chart;
}

}  // namespace

Scene pipeline_picture(const ParallelForm& form, const ParallelSettings& settings, int ranks,
                       const Trace& trace, const Ruler& ruler) {
  const PipelineKind kind = form.pipeline.value();
  PipelineChart plan = planned(kind, settings.microbatches, ranks);
  Scene above = pipeline_chart(plan, ruler);
  PipelineChart run = measured(kind, settings.microbatches, ranks, trace);
  run.width = above.width;
  Scene below = pipeline_chart(run, ruler);
  // Two clocks of different units on one page would move against each other: the picture stands still.
  for (Scene* one : {&above, &below}) {
    one->clock_axis.reset();
    one->clock_end = 0;
    for (Group& group : one->groups) group.end = group.begin - 1;
  }
  return stacked({above, below});
}

void check_schedule_file(const ParallelForm& form, const std::string& file) {
  need_file_name(file);
  if (!form.pipeline)
    throw UserError(fmt::format(
        "--schedule is for pipelines, and {} is none: leave it out, or take gpipe or 1f1b",
        form.name));
  const FileFormat* format = format_of_file(file);
  if (format == nullptr || !format->picture() || format->moves)
    throw UserError(fmt::format(
        "--schedule writes .svg, .png or .pdf, not '{}': give its name one of these endings",
        file));
}

void write_picture(const Scene& scene, const std::string& file, std::string_view theme) {
  const Theme colors = theme_named(theme);
  const std::string_view format = format_of_file(file)->name;
  if (format == "svg") write_whole(file, to_svg(scene, colors));
  else if (format == "pdf") write_whole(file, to_pdf({&scene}, colors));
  else write_whole(file, to_png(scene, colors, kPictureDpi));
}

}  // namespace rankscope::cli
