// `rankscope schedule prove`: is a schedule right, and free of deadlock?
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/schedule_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/trace_meta.h"
#include "engine/studio/formats/schedule_file.h"
#include "engine/studio/proof/proof.h"

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
  meta.result_json = to_json(InprocRunner().run(spec, trace));
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

/// Runs the table on threads of this process, and draws who sends what to whom; with a fault, its messages are red and
/// the others faint. Writes the file in the format of its ending. Throws UserError for a file that is no table, for a
/// collective that no table runs, and for an ending of no picture.
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

Posting posting_of(const std::string& word) {
  if (word == "nonblocking") return Posting::nonblocking;
  if (word == "blocking") return Posting::blocking;
  throw UserError(fmt::format("--posting is nonblocking or blocking, not '{}'", word));
}

/// NCCL's connections have room for some messages, and so have MSCCL's; other sends are taken to wait.
bool waits_for_receives(const std::string& word, const ScheduleFile& file) {
  if (word.empty()) return file.format->format != ScheduleFormat::msccl;
  if (word == "rendezvous") return true;
  if (word == "buffered") return false;
  throw UserError(fmt::format("--send-mode is rendezvous or buffered, not '{}'", word));
}

nlohmann::json json_of(const ScheduleFault& fault, const TaskGraph& tasks) {
  auto path = nlohmann::json::array();
  for (const TaskId id : fault.path)
    path.push_back({{"rank", id.rank},
                    {"task", id.task},
                    {"does", words_of(tasks[id])},
                    {"step", tasks[id].step}});
  nlohmann::json out{{"kind", to_string(fault.kind)},
                     {"rank", fault.rank},
                     {"words", fault.words},
                     {"counter_example", path}};
  out["chunk"] = fault.chunk < 0 ? nlohmann::json() : nlohmann::json(fault.chunk);
  out["step"] = fault.step == 0 ? nlohmann::json() : nlohmann::json(fault.step);
  out["source"] = fault.source < 0 ? nlohmann::json() : nlohmann::json(fault.source);
  return out;
}

void print_fault(const Console& console, const ScheduleFault& fault, const TaskGraph& tasks) {
  std::string text =
      fmt::format("{}: {}.\n", console.out().bad(std::string(to_string(fault.kind))), fault.words);
  if (fault.path.size() > 1) {
    text += "Counter-example:\n";
    for (const TaskId id : fault.path)
      text += fmt::format("  rank {} {}\n", id.rank, words_of(tasks[id]));
  }
  console.print(text);
}

void print_right(const Console& console, const ScheduleProof& proof, const TaskGraph& tasks,
                 bool rendezvous, const ScheduleProof& with_rendezvous) {
  const std::string sends = rendezvous ? "rendezvous" : "buffered";
  if (proof.knows_data)
    console.print(fmt::format(
        "{}: {} on {} in {}. Every rank ends with what {} promises, each contribution exactly "
        "once, in every order; "
        "no rank is blocked for ever with {} sends.\n",
        console.out().good("Proved"), to_string(*tasks.collective), plural(tasks.ranks(), "rank"),
        plural(tasks.chunks, "chunk"), to_string(*tasks.collective), sends));
  else
    console.print(
        fmt::format("{} in order only: the file does not say which chunks its messages carry. Each "
                    "message has its receive, of "
                    "the same length, and no rank is blocked for ever with {} sends.\n",
                    console.out().good("Proved"), sends));
  if (!rendezvous && !with_rendezvous.right())
    console.note(fmt::format("With sends that wait for their receives it would be a deadlock: {}.",
                             with_rendezvous.faults.front().words));
}

}  // namespace

int prove_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  const Posting posting = posting_of(options.posting);
  const bool rendezvous = waits_for_receives(options.send_mode, file);
  if (!file.table && options.posting != "nonblocking")
    throw UserError(
        "--posting is for tables of moves: a file of another format says itself what waits for "
        "what");
  const TaskGraph tasks = file.table ? posted_tasks(*file.table, file.use(), posting) : file.tasks;
  const ScheduleProof proof = prove(tasks, rendezvous);
  const ScheduleProof with_rendezvous = rendezvous || !proof.right() ? proof : prove(tasks, true);
  if (!options.picture.empty()) draw_schedule(file, tasks, proof, options.picture);
  if (console.json()) {
    auto faults = nlohmann::json::array();
    for (const auto& fault : proof.faults) faults.push_back(json_of(fault, tasks));
    console.print_raw(json_text({{"right", proof.right()},
                                 {"knows_data", proof.knows_data},
                                 {"send_mode", rendezvous ? "rendezvous" : "buffered"},
                                 {"right_with_rendezvous", with_rendezvous.right()},
                                 {"wrong_places", proof.wrong_places},
                                 {"ranks", tasks.ranks()},
                                 {"chunks", tasks.chunks},
                                 {"faults", std::move(faults)}}));
    return proof.right() ? kOk : kFailed;
  }
  if (proof.right()) {
    print_right(console, proof, tasks, rendezvous, with_rendezvous);
    return kOk;
  }
  for (const auto& fault : proof.faults) print_fault(console, fault, tasks);
  if (proof.wrong_places > 1)
    console.print(fmt::format("In the end {} are wrong.\n", plural(proof.wrong_places, "chunk")));
  return kFailed;
}

}  // namespace rankscope::cli
