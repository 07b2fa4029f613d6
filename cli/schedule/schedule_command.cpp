// `rankscope schedule`: its actions and options.
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/schedule/schedule_actions.h"
#include "engine/core/base/error.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kReading = "prove show convert compare";
constexpr std::string_view kSizing = "convert compare from-trace synthesise";
constexpr std::string_view kMaking = "from-trace synthesise";

void add_schedule_options(const ActionList& actions, ScheduleOptions& o) {
  const auto add = [](OptionList app, const char* names, const char* placeholder, auto& into,
                      const char* help) { return app.add_option(names, placeholder, into, help); };
  const auto group = [&](std::string_view takers, const char* heading) {
    return actions.only(takers).in_group(heading);
  };
  constexpr const char* kWhat = "The schedule";
  add(group("prove show convert compare from-trace synthesise", kWhat), "--collective",
      "COLLECTIVE", o.collective,
      "What it computes, where the file does not say; synthesise: else allreduce");
  add(group(kReading, kWhat), "-n,--ranks,--np", "COUNT", o.ranks,
      "Ranks, of a table or a program");
  add(group("prove show convert compare from-trace", kWhat), "--root", "RANK", o.root,
      "Of collectives that have one");
  group(kReading, kWhat)
      .add_flag("--no-sandbox", o.no_sandbox,
                "Run a program in Python without a sandbox: only for your own");
  const OptionList proof = group("prove", "prove");
  add(proof, "--posting", "nonblocking|blocking", o.posting,
      "How a rank posts a table's step: all sends at once, then receives, as NAME.schedule runs "
      "it; or one after the other, sends first")
      .capture_default_str();
  add(proof, "--send-mode", "rendezvous|buffered", o.send_mode,
      "Sends wait for their receives, or not")
      .default_str("rendezvous; of MSCCL's XML buffered, as NCCL's connections are");
  add(proof, "--picture", "FILE", o.picture,
      "Of a table: draw its run (.svg, .pdf, .png), the counter-example's messages marked");
  constexpr const char* kCall = "Sizes and network: convert, compare, from-trace, synthesise";
  add(group(kSizing, kCall), "--bytes", "SIZE", o.costs.bytes, "What one rank passes in")
      .capture_default_str();
  add(group(kSizing, kCall), "--dtype", "DTYPE", o.costs.type,
      "Type of an element; chunks are cut between elements")
      .capture_default_str();
  add(group("compare", kCall), "--alpha", "TIME", o.costs.alpha, "compare: latency of a message")
      .capture_default_str();
  add(group("compare synthesise", kCall), "--bandwidth", "SIZE/s", o.costs.bandwidth,
      "compare: of each rank's port; synthesise: of each link of a named network")
      .capture_default_str();
  add(group(kSizing, kCall), "--gamma", "TIME", o.costs.gamma,
      "Of reducing one byte: 0.05ns or 20GB/s")
      .capture_default_str();
  constexpr const char* kFound = "from-trace, synthesise";
  add(group(kMaking, kFound), "-o,--output", "FILE", o.output,
      "Where to write it; its ending says how")
      .default_str("the table, printed");
  add(group(kMaking, kFound), "--chunks", "COUNT", o.chunks,
      "from-trace: chunks of the data; synthesise: chunks of a rank's block")
      .default_str("what fits");
  const OptionList synthesis = group("synthesise", kFound);
  add(synthesis, "--topology", "NAME", o.topology,
      "ring:8, hypercube:16, full:4, star:8, torus:4x4; or a topology by its name or file");
  add(synthesis, "--latency", "TIME", o.latency, "Of each link of a named network")
      .capture_default_str();
  add(synthesis, "--seed", "SEED", o.seed, "Of random choices").capture_default_str();
}

Action define_schedule(OptionList app) {
  const auto options = std::make_shared<ScheduleOptions>();
  ActionList actions(app);
  const auto action = [&](const char* word, ActionList::Names files,
                          int (*run)(const Console&, const ScheduleOptions&)) {
    actions.add(word, files, [options, run](const Console& out) { return run(out, *options); });
  };
  action("prove", {1, 1, "one file"}, prove_schedule);
  action("show", {1, 1, "one file"}, show_schedule);
  action("convert", {2, 2, "a file to read and one to write"}, convert_schedule);
  action("compare", {1, 1, "one file"}, compare_schedule);
  action("from-trace", {1, 1, "one trace"}, schedule_from_trace);
  action("synthesise", {0, 0, "no file, but --topology"}, synthesise_schedule);
  app.add_option(
      "FILE", "FILE", options->files,
      "Of a table (.txt, .schedule), Python (.py), MSCCL (.xml), GOAL (.goal) or Chakra (.et)");
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
        "A schedule is a table of moves, as NAME.schedule runs it, or a file of another "
        "format; "
        "its ending says which. prove follows every rank's contribution without running data, "
        "and looks for ranks that wait for each other; a wrong schedule is refused with the "
        "rank, chunk and step, and the shortest counter-example. convert writes it in another "
        "format, so that it runs on GPUs or in LogGOPSim and ASTRA-sim. compare sets it beside "
        "all algorithms of its collective. from-trace reads it off a recorded run. synthesise "
        "finds one for a topology, greedily, of up to 128 ranks. A program in Python has a "
        "function moves(n) that yields send(step, src, dst, chunk, \"add\"), and runs in a "
        "sandbox. The exit code is 1 for a schedule that is proved wrong, 2 for bad input.",
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
};

}  // namespace rankscope::cli
