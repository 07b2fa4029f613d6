// Runs a table on small data, and marks messages in the scene of the run.
#include "cli/schedule/fault_picture.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/trace_meta.h"

namespace rankscope::cli {
namespace {

constexpr int kMostDrawnRanks = 64;
constexpr std::size_t kMostDrawnMoves = 5000;

JobSpec job_of_table(const ScheduleFile& file) {
  const TaskGraph& tasks = file.tasks;
  const Algorithm* runs = nullptr;
  for (const Algorithm& one : schedule_algorithms())
    if (one.collective == *tasks.collective) runs = &one;
  if (runs == nullptr)
    throw UserError(
        fmt::format("--picture: no table runs as {}; leave it out", to_string(*tasks.collective)));
  const Schedule table = table_of(file);
  if (tasks.ranks() > kMostDrawnRanks || table.moves.size() > kMostDrawnMoves)
    throw UserError(fmt::format("--picture is for at most {} ranks and {} moves: take fewer ranks",
                                kMostDrawnRanks, kMostDrawnMoves));
  JobSpec spec;
  spec.algorithm = runs->name;
  spec.transport = "inproc";
  spec.dtype = DType::int32;
  spec.world_size = tasks.ranks();
  spec.root = tasks.root;
  // An element for each chunk of the whole.
  const bool all = traits(*tasks.collective).counts_all_ranks();
  spec.shape = {static_cast<Count>(std::max(1, all ? tasks.chunks / tasks.ranks() : tasks.chunks))};
  spec.schedule = to_text(table);
  return spec;
}

TraceAnalysis run_of(const JobSpec& spec) {
  TraceMeta meta = meta_of(spec);
  TraceBuilder trace(meta);
  meta.outcome = InprocRunner().run(spec, trace);
  meta.complete = true;
  trace.set_meta(meta);
  return TraceAnalysis(trace.finish());
}

// The messages of the run that a task's message is: a run sends each chunk by itself.
std::set<std::string> marked_groups(const TraceAnalysis& run, const TaskGraph& tasks,
                                    const ScheduleFault& fault) {
  std::set<std::tuple<Rank, Rank, int, int>> wanted;  // sender, receiver, step, chunk
  for (const TaskId id : fault.path) {
    const ScheduleTask& task = tasks[id];
    const bool receives = task.does(ScheduleTask::receives);
    if (!receives && !task.does(ScheduleTask::sends)) continue;
    const ChunkPlace& at = receives ? task.target : task.source;
    for (int k = 0; k < task.chunks; ++k)
      wanted.emplace(receives ? task.from : id.rank, receives ? id.rank : task.to, task.step,
                     at.chunk + k);
  }
  std::set<std::string> out;
  for (std::size_t m = 0; m < run.messages().size(); ++m) {
    const MessageRecord& one = run.messages()[m];
    if (one.sync || one.sent == kNoEvent) continue;
    const auto* phase =
        run.trace().definition(Definition::Kind::phase, run.trace()[one.sent].phase);
    const Piece piece = run.pieces().of(one);
    const bool named = ranges::any_of(wanted, [&](const auto& key) {
      const auto& [from, to, step, chunk] = key;
      const bool there =
          piece.whole || (piece.elements.offset <= chunk && chunk < piece.elements.end());
      return from == one.from && to == one.to && there && phase != nullptr &&
             phase->name == fmt::format("step {}", step);
    });
    if (named) out.insert(fmt::format("m{}", m));
  }
  return out;
}

void mark(Scene& scene, const std::set<std::string>& groups) {
  constexpr float kFaint = 0.25F;
  constexpr double kThicker = 2;
  for (Mark& one : scene.marks) {
    if (one.group < 0) continue;
    const std::string& id = scene.groups[static_cast<std::size_t>(one.group)].id;
    if (!id.starts_with('m')) continue;
    const bool strong = groups.contains(id);
    for (auto* ink : {&one.fill, &one.stroke}) {
      if (!*ink) continue;
      if (!strong) (*ink)->alpha *= kFaint;
      else if ((*ink)->tone != Tone::page && (*ink)->tone != Tone::on_chunk)
        **ink = {Tone::error, 0, (*ink)->alpha};
    }
    if (strong) one.line_width *= kThicker;
  }
}

}  // namespace

void draw_schedule(const ScheduleFile& file, const TaskGraph& tasks, const ScheduleProof& proof,
                   const std::string& output) {
  if (!file.table)
    throw UserError("--picture is for tables of moves: convert the schedule into a table first");
  const FileFormat* format = format_of_file(output);
  if (format == nullptr || !format->picture())
    throw UserError(fmt::format("--picture: end '{}' in {}", escaped(output), endings(true)));
  const DiagramKind* kind = find_diagram("spacetime");
  const TraceAnalysis run = run_of(job_of_table(file));
  TraceExport what;
  what.format = format;
  what.output = output;
  what.how = " with --picture";
  what.kind = kind;
  what.request.title =
      proof.right() ? tasks.name
                    : fmt::format("{}: {}", tasks.name, to_string(proof.faults.front().kind));
  what.drawn = kind->draw(run, what.request);
  if (!proof.right()) mark(*what.drawn, marked_groups(run, tasks, proof.faults.front()));
  export_trace(run, what);
}

}  // namespace rankscope::cli
