// Draws planned and recorded slots as bars.
#include "cli/train/pipeline_picture.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cli/terminal/output.h"
#include "engine/analysis/overlap.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/plot/pipeline_chart.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope::cli {
namespace {

using training::ParallelForm;
using training::ParallelSettings;
using training::PipelineKind;

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

/// The times of the ranks from the start of the first computing to the end of the last.
struct MeasuredTimes {
  std::vector<std::vector<WorkSpan>> computing;  ///< By stage.
  std::vector<std::vector<Interval>>
      waiting;  ///< By stage: blocked in sends and receives, or at its end.
  std::int64_t begin = 0, end = 0;
  std::int64_t computes = 0, waits = 0;  ///< Sums over all stages.
};

MeasuredTimes times_of(int stages, const Trace& trace) {
  MeasuredTimes out;
  out.computing.resize(static_cast<std::size_t>(stages));
  out.waiting.resize(static_cast<std::size_t>(stages));
  out.begin = std::numeric_limits<std::int64_t>::max();
  const auto ranks = work_of_ranks(trace);
  for (const RankWork& work : ranks)
    for (const WorkSpan& span : work.computing) {
      out.begin = std::min(out.begin, span.time.begin);
      out.end = std::max(out.end, span.time.end);
    }
  for (const RankWork& work : ranks) {
    std::vector<Interval> computes, waits;
    for (const WorkSpan& span : work.computing) computes.push_back(span.time);
    if (!work.computing.empty())  // the stage is at its end
      waits.push_back({work.computing.back().time.end, out.end});
    for (const WorkSpan& span : work.communicating)
      waits.push_back({std::max(span.time.begin, out.begin), std::min(span.time.end, out.end)});
    std::erase_if(waits, [](const Interval& one) { return one.length() <= 0; });
    waits = without(std::move(waits), computes);
    for (const Interval& one : waits) out.waits += one.length();
    out.computes += covered(std::move(computes));
    out.computing.at(static_cast<std::size_t>(work.rank)) = work.computing;
    out.waiting.at(static_cast<std::size_t>(work.rank)) = std::move(waits);
  }
  return out;
}

PipelineChart measured(PipelineKind kind, int microbatches, int stages, const Trace& trace) {
  const MeasuredTimes times = times_of(stages, trace);
  const Unit unit = Unit::of_time(times.end - times.begin);
  const auto since_begin = [&](std::int64_t ns) { return double(ns - times.begin) / unit.size; };
  PipelineChart chart{.title = "The same step, as it ran",
                      .caption = "",
                      .time_title = fmt::format("time in {}, as measured", unit.name),
                      .rows = {},
                      .unit = std::string(unit.name),
                      .idle = "neither computes nor communicates",
                      .waiting = "waits for a message, or is done"};
  for (int stage = 0; stage < stages; ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    PipelineRow& row = chart.rows.emplace_back();
    row.name = stage_name(stage);
    row.note = " ";
    const auto slots = pipeline_schedule(kind, stage, microbatches, stages);
    for (std::size_t i = 0; i < std::min(slots.size(), times.computing[at].size()); ++i) {
      const Interval& time = times.computing[at][i].time;
      row.bars.push_back(
          {since_begin(time.begin), since_begin(time.end), slots[i].microbatch, slots[i].backward});
    }
    for (const Interval& one : times.waiting[at])
      row.waits.push_back({since_begin(one.begin), since_begin(one.end)});
  }
  const double all = std::max(1.0, double(times.end - times.begin) * stages);
  const double computes = double(times.computes) / all, waits = double(times.waits) / all;
  chart.caption = fmt::format(
      "Of the stages' time, {:.1f} % is computing, and {:.1f} % waiting: the bubble, the time of "
      "the messages, and ranks that were late. In {:.1f} % a stage does neither, and some bars are "
      "longer than others: it had no processor, since other ranks or programs had it.",
      100 * computes, 100 * waits, 100 * std::max(0.0, 1 - computes - waits));
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
  // Two clocks of different units would move against each other, so the picture is still.
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
