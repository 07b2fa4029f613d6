// `rankscope schedule`: its options, and the actions prove, compare and synthesise.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/schedule/schedule_files.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/job.h"
#include "engine/run/sim/sim_runner.h"
#include "engine/studio/costs/schedule_comparison.h"
#include "engine/studio/formats/schedule_file.h"
#include "engine/studio/proof/proof.h"
#include "engine/studio/synthesis/synthesise.h"

namespace rankscope::cli {
namespace {

// ---- prove ---------------------------------------------------------------------------------------

constexpr int kMostDrawnRanks = 64;
constexpr std::size_t kMostDrawnMoves = 5000;
constexpr int kMostSimulated = 256;

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
  spec.call.algorithm = runs->name;
  spec.transport.name = "inproc";
  spec.call.dtype = DType::int32;
  spec.world.size = tasks.ranks();
  spec.call.root = tasks.root;
  // One element for each chunk of all data.
  const bool all = traits(*tasks.collective).counts_all_ranks();
  spec.call.shape = {
      static_cast<Count>(std::max(1, all ? tasks.chunks / tasks.ranks() : tasks.chunks))};
  spec.call.schedule = to_text(table);
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

// Returns the run's messages for the messages of a fault's path; a run sends each chunk by itself.
std::set<std::string> marked_groups(const TraceAnalysis& run, const TaskGraph& tasks,
                                    const account::Fault& fault) {
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

/// Runs the table on threads of this process, and draws who sends what to whom; the messages of a fault are red and the
/// others faint. Writes the file in the format of its ending. Throws UserError for a schedule that is no table, for a
/// collective that no table runs, and for an unknown ending.
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

/// Returns whether sends wait for their receives: as --send-mode says, else in all formats but MSCCL's, whose connections
/// have room for some messages, as NCCL's have.
bool waits_for_receives(const std::string& word, const ScheduleFile& file) {
  if (word.empty()) return file.format->format != ScheduleFormat::msccl;
  return one_of<bool>("--send-mode", word, {{"rendezvous", true}, {"buffered", false}});
}

nlohmann::json json_of(const account::Fault& fault, const TaskGraph& tasks) {
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
  out["chunk"] = fault.place < 0 ? nlohmann::json() : nlohmann::json(fault.place);
  out["step"] = fault.step == 0 ? nlohmann::json() : nlohmann::json(fault.step);
  out["source"] = fault.source() < 0 ? nlohmann::json() : nlohmann::json(fault.source());
  return out;
}

void print_fault(const Console& console, const account::Fault& fault, const TaskGraph& tasks) {
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
        "once, in every order; no rank is blocked for ever with {} sends.\n",
        console.out().good("Proved"), to_string(*tasks.collective), plural(tasks.ranks(), "rank"),
        plural(tasks.chunks, "chunk"), to_string(*tasks.collective), sends));
  else
    console.print(fmt::format(
        "{} in order only: the file does not say which chunks its messages carry. Each message has "
        "its receive, of the same length, and no rank is blocked for ever with {} sends.\n",
        console.out().good("Proved"), sends));
  if (!rendezvous && !with_rendezvous.right())
    console.note(fmt::format("With sends that wait for their receives it would be a deadlock: {}.",
                             with_rendezvous.faults.front().words));
}

int prove_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  const auto posting =
      one_of<Posting>("--posting", options.posting,
                      {{"nonblocking", Posting::nonblocking}, {"blocking", Posting::blocking}});
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

// ---- compare -------------------------------------------------------------------------------------

/// Returns what the algorithms without closed forms, those of plug-ins, take: counted in simulated runs.
std::vector<ComparedSchedule> simulated_algorithms(Collective collective,
                                                   const CostSetting& setting) {
  std::vector<ComparedSchedule> out;
  for (const Algorithm& one : algorithms()) {
    if (one.collective != collective || one.rounds != nullptr) continue;
    if (setting.in.n > kMostSimulated)
      throw UserError(fmt::format(
          "{} has no closed form, and is run up to {} ranks: leave --plugin out, or take fewer",
          one.name, kMostSimulated));
    JobSpec spec;
    spec.call.algorithm = one.name;
    spec.call.shape = setting.in.shape.extents();
    spec.call.dtype = setting.in.dtype;
    spec.call.root = setting.in.root;
    spec.world.size = setting.in.n;
    spec.transport.name = kSimTransport;
    spec.network.alpha_s = setting.link.alpha;
    spec.network.bandwidth = 1 / setting.link.beta;
    spec.network.gamma_s = setting.link.gamma;
    spec.recording.trace = TraceLevel::light;
    TraceBuilder trace(meta_of(spec));
    SimRunner runner;
    const JobResult result = runner.run(spec, trace);
    if (!result.ok()) throw UserError(fmt::format("{}: {}", one.name, result.message));
    const TraceAnalysis run(trace.finish());
    std::uint64_t busiest = 0;
    for (const RankStatistics& rank : run.statistics().ranks)
      busiest = std::max(busiest, rank.sent.bytes);
    out.push_back(
        {std::string(one.name), false, run.rounds().count, busiest, runner.summary().finish_s});
  }
  return out;
}

int compare_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  if (!file.tasks.collective)
    throw UserError(fmt::format("{} does not say its collective: give --collective",
                                escaped(options.files.front())));
  const TaskGraph tasks =
      file.table ? posted_tasks(*file.table, file.use(), Posting::nonblocking) : file.tasks;
  const ScheduleProof proof = prove(tasks, false);
  CostSetting setting = options.costs.setting();
  setting.in.n = tasks.ranks();
  setting.in.root = tasks.root;
  auto all = compare_with_algorithms(tasks, setting.in, setting.link);
  for (auto& one : simulated_algorithms(*tasks.collective, setting)) all.push_back(std::move(one));
  ranges::stable_sort(all, {}, &ComparedSchedule::seconds);
  const double bound = bound_times(*tasks.collective, setting).largest();
  if (console.json()) {
    auto rows = nlohmann::json::array();
    for (const auto& one : all)
      rows.push_back({{"name", one.name},
                      {"own", one.own},
                      {"rounds", one.rounds},
                      {"busiest_bytes", one.busiest},
                      {"time_s", one.seconds}});
    console.print_raw(json_text({{"rows", rows},
                                 {"lower_bound_s", bound},
                                 {"right", proof.right()},
                                 {"ranks", tasks.ranks()}}));
    return proof.right() ? kOk : kFailed;
  }
  Table table(
      {{"schedule or algorithm", kLeft}, "rounds", "busiest rank sends", "time", "bound / time"});
  for (const auto& one : all) {
    const std::string name = one.own ? console.out().bold(escaped(one.name)) : one.name;
    table.add_row({name, fmt::format("{}", one.rounds), format_bytes(one.busiest),
                   format_seconds(one.seconds),
                   fmt::format("{:.1f} %", one.seconds > 0 ? 100 * bound / one.seconds : 100.0)});
  }
  console.print(fmt::format("{}: {}\n\n{}", to_string(*tasks.collective), setting_text(setting),
                            table.to_string(console.out())));
  if (!proof.right()) console.note(fmt::format("But it is wrong: {}.", proof.faults.front().words));
  return proof.right() ? kOk : kFailed;
}

// ---- synthesise ----------------------------------------------------------------------------------

LinkList links_asked(const ScheduleOptions& options) {
  const std::string& name = options.topology;
  if (name.empty())
    throw UserError(
        "synthesise needs --topology: ring:8, hypercube:16, full:4, star:8, torus:4x4, a "
        "topology's name or its file");
  std::error_code ignored;
  if (name.find(':') == std::string::npos || std::filesystem::exists(name, ignored))
    return links_of(open_topology(name), std::filesystem::path(name).filename().string());
  return named_links(name, parse_seconds(options.latency, "--latency"),
                     parse_bandwidth(options.costs.bandwidth, "--bandwidth"));
}

int synthesise_schedule(const Console& console, const ScheduleOptions& options) {
  const LinkList links = links_asked(options);
  const auto collective = collective_asked(options);
  const SynthesisTask task{.collective = collective.value_or(Collective::allreduce),
                           .bytes = message_sizes(options).bytes,
                           .chunks_per_rank = options.chunks,
                           .seed = options.seed};
  const auto begin = std::chrono::steady_clock::now();
  const SynthesisResult found = synthesise(links, task);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const ScheduleUse use{
      fmt::format("{} on {}", to_string(task.collective),
                  printable(std::filesystem::path(links.name).filename().string())),
      task.collective, links.ranks, 0};
  const TaskGraph tasks = dataflow_tasks(found.schedule, use);
  if (!prove(tasks).right()) throw std::logic_error("a synthesised schedule is wrong");
  if (console.json()) {
    if (!options.output.empty()) write_schedule(tasks, options.output, message_sizes(options));
    console.print_raw(json_text({{"topology", links.name},
                                 {"collective", to_string(task.collective)},
                                 {"ranks", links.ranks},
                                 {"chunks", found.schedule.chunks},
                                 {"steps", found.steps},
                                 {"messages", found.schedule.moves.size()},
                                 {"time_s", found.seconds},
                                 {"lower_bound_s", found.bound},
                                 {"share_of_bound", found.bound / found.seconds},
                                 {"file", options.output}}));
    return kOk;
  }
  console.note(
      fmt::format("{} of {} a rank on {} ({}): {} in {} steps with {}, {:.1f} % of the bandwidth "
                  "bound of {}; found and proved in {}.",
                  to_string(task.collective), format_bytes(task.bytes), printable(links.name),
                  plural(links.ranks, "rank"), format_seconds(found.seconds), found.steps,
                  plural(found.schedule.chunks, "chunk"), 100 * found.bound / found.seconds,
                  format_seconds(found.bound), format_seconds(took.count())));
  return write_and_report(console, tasks, options.output.empty() ? "-" : options.output, options);
}

// ---- rankscope schedule --------------------------------------------------------------------------

constexpr std::string_view kReading = "prove show convert compare";
constexpr std::string_view kSizing = "convert compare from-trace synthesise";
constexpr std::string_view kMaking = "from-trace synthesise";

void add_schedule_options(const ActionList& actions, ScheduleOptions& o) {
  const auto group = [&](std::string_view takers, const char* heading) {
    return actions.only(takers).in_group(heading);
  };
  constexpr const char* kWhat = "The schedule";
  group("prove show convert compare from-trace synthesise", kWhat)
      .add_option("--collective", "COLLECTIVE", o.collective,
                  "What it computes, if the file does not say; synthesise: default allreduce");
  group(kReading, kWhat)
      .add_option("-n,--ranks,--np", "COUNT", o.ranks, "Ranks, of a table or a program");
  group("prove show convert compare from-trace", kWhat)
      .add_option("--root", "RANK", o.root, "Root of collectives that have one");
  group(kReading, kWhat)
      .add_flag("--no-sandbox", o.no_sandbox,
                "Run a program in Python without a sandbox: only for your own");
  const OptionList proof = group("prove", "prove");
  proof.add_with_default(
      "--posting", "nonblocking|blocking", o.posting,
      "The posting of a step: all sends at once, then receives, as NAME.schedule runs it; "
      "or one after the other, sends first");
  proof
      .add_option("--send-mode", "rendezvous|buffered", o.send_mode,
                  "Sends wait for their receives, or not")
      .default_str("rendezvous; of MSCCL's XML buffered, as NCCL's connections are");
  proof.add_option(
      "--picture", "FILE", o.picture,
      "Draw the run of a table (.svg, .pdf, .png), the counter-example's messages marked");
  constexpr const char* kCall = "Sizes and network: convert, compare, from-trace, synthesise";
  group(kSizing, kCall)
      .add_with_default("--bytes", "SIZE", o.costs.bytes, "Size of one rank's input");
  group(kSizing, kCall)
      .add_with_default("--dtype", "DTYPE", o.costs.type,
                        "Type of an element; chunks are cut between elements");
  group("compare", kCall)
      .add_with_default("--alpha", "TIME", o.costs.alpha, "compare: latency of a message");
  group("compare synthesise", kCall)
      .add_with_default(
          "--bandwidth", "SIZE/s", o.costs.bandwidth,
          "compare: of each rank's port; synthesise: of each link of a named network");
  group(kSizing, kCall)
      .add_with_default("--gamma", "TIME", o.costs.gamma,
                        "Time to reduce one byte: 0.05ns or 20GB/s");
  constexpr const char* kFound = "from-trace, synthesise";
  group(kMaking, kFound)
      .add_option("-o,--output", "FILE", o.output, "File to write; its ending chooses the format")
      .default_str("the table, printed");
  group(kMaking, kFound)
      .add_option("--chunks", "COUNT", o.chunks,
                  "from-trace: chunks of the data; synthesise: chunks of a rank's block")
      .default_str("as many as fit");
  const OptionList synthesis = group("synthesise", kFound);
  synthesis.add_option(
      "--topology", "NAME", o.topology,
      "ring:8, hypercube:16, full:4, star:8, torus:4x4; or a topology by its name or file");
  synthesis.add_with_default("--latency", "TIME", o.latency,
                             "Latency of each link of a named network");
  synthesis.add_with_default("--seed", "SEED", o.seed, "Seed of random choices");
}

Action define_schedule(OptionList app) {
  const auto options = std::make_shared<ScheduleOptions>();
  ActionList actions(app);
  const auto action = [&](const char* word, const char* summary, ActionList::Names files,
                          int (*run)(const Console&, const ScheduleOptions&)) {
    actions.add(word, summary, files,
                [options, run](const Console& out) { return run(out, *options); });
  };
  action("prove",
         "follow every rank's contribution without running data, and look for ranks that wait for "
         "each other; a wrong schedule is refused with the rank, chunk and step, and the shortest "
         "counter-example",
         {1, 1, "one file"}, prove_schedule);
  action("show", "each rank's sends, receives and sums, and what they wait for", {1, 1, "one file"},
         show_schedule);
  action("convert",
         "write it in another format, so that it runs on GPUs or in LogGOPSim and ASTRA-sim",
         {2, 2, "a file to read and one to write"}, convert_schedule);
  action("compare", "set it beside all algorithms of its collective", {1, 1, "one file"},
         compare_schedule);
  action("from-trace", "extract it from a recorded run", {1, 1, "one trace"}, schedule_from_trace);
  action("synthesise", "find one for a topology, greedily, of up to 128 ranks",
         {0, 0, "no file, but --topology"}, synthesise_schedule);
  app.add_option(
      "FILE", "FILE", options->files,
      "A table (.txt, .schedule), Python (.py), MSCCL (.xml), GOAL (.goal) or Chakra (.et)");
  add_schedule_options(actions, *options);
  return [options, app, actions](const Console& console) {
    const auto check = [&](const char* option, int value, int least, int most, const char* range) {
      if (app.count(option) > 0 && (value < least || value > most))
        throw UserError(fmt::format("{} is {}, not {}", option, range, value));
    };
    check("--ranks", options->ranks, 1, 1 << 16, "1 to 65536");
    check("--root", options->root, 0, std::numeric_limits<int>::max(), "0 or more");
    check("--chunks", options->chunks, 1, std::numeric_limits<int>::max(), "1 or more");
    return actions.run(console, options->files);
  };
}

}  // namespace

constinit const CommandEntry kScheduleCommand{
    .name = "schedule",
    .group = kMeasuring,
    .summary = "prove a schedule, exchange it with MSCCL, GOAL and Chakra, compare or find one",
    .details =
        "A schedule is a table of moves, as NAME.schedule runs it, or a file of another format; "
        "its ending says which. A program in Python has a function moves(n) that yields send(step, "
        "src, dst, chunk, \"add\"), and runs in a sandbox. The exit code is 1 for a schedule that "
        "is proved wrong, 2 for bad input.",
    .examples =
        "rankscope schedule prove ring.txt -n 8 --collective allreduce\n"
        "rankscope schedule prove ring.txt -n 8 --collective allreduce --posting blocking  # "
        "sends that wait: a cycle\n"
        "rankscope schedule convert ring.py ring.xml -n 8 --collective allreduce  # for MSCCL\n"
        "rankscope schedule compare ring.xml --bytes 64KiB --alpha 2us\n"
        "rankscope schedule from-trace run.rankscope -o run.goal\n"
        "rankscope schedule synthesise --topology torus:4x4 --collective allgather -o t.xml\n"
        "rankscope schedule show t.xml --json  # for a script",
    .define = define_schedule,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
