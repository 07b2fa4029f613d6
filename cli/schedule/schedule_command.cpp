// `rankscope schedule`: its actions and options.
#include <array>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/schedule/schedule_actions.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"

namespace rankscope::cli {
namespace {

struct ScheduleAction {
  std::string_view name;
  std::size_t files;
  std::string_view wants;    ///< For messages.
  std::string_view options;  ///< That it takes, with blanks around each.
  int (*run)(const Console&, const ScheduleOptions&);
};

constexpr auto kActions = std::to_array<ScheduleAction>({
    {"prove", 1, "one file",
     " --collective --ranks --root --posting --send-mode --picture --no-sandbox ", prove_schedule},
    {"show", 1, "one file", " --collective --ranks --root --no-sandbox ", show_schedule},
    {"convert", 2, "a file to read and one to write",
     " --collective --ranks --root --bytes --dtype --gamma --no-sandbox ", convert_schedule},
    {"compare", 1, "one file",
     " --collective --ranks --root --bytes --dtype --alpha --bandwidth --gamma --no-sandbox ",
     compare_schedule},
    {"from-trace", 1, "one trace",
     " --collective --root --chunks --output --bytes --dtype --gamma ", schedule_from_trace},
    {"synthesise", 0, "no file, but --topology",
     " --topology --collective --chunks --seed --output --bytes --dtype --bandwidth --latency "
     "--gamma ",
     synthesise_schedule},
});
constexpr auto kOptions = std::to_array<const char*>(
    {"--collective", "--ranks", "--root", "--posting", "--send-mode", "--picture", "--no-sandbox",
     "--bytes", "--dtype", "--alpha", "--bandwidth", "--gamma", "--chunks", "--output",
     "--topology", "--seed", "--latency"});

const ScheduleAction& schedule_action(const std::string& name) {
  const auto* const found = ranges::find(kActions, name, &ScheduleAction::name);
  if (found != kActions.end()) return *found;
  std::vector<std::string> known;
  for (const auto& one : kActions) known.emplace_back(one.name);
  const std::string guess = did_you_mean(name, known);
  throw UserError(
      fmt::format("`rankscope schedule` cannot '{}'{}{}: prove, show, convert, compare, from-trace "
                  "and synthesise are known",
                  name, guess.empty() ? "" : "; ", guess));
}

void check_use(const ScheduleAction& action, OptionList app, const ScheduleOptions& options) {
  if (options.files.size() != action.files)
    throw UserError(fmt::format("`rankscope schedule {}` takes {}, not {}", action.name,
                                action.wants, options.files.size()));
  for (const char* const one : kOptions)
    if (app.count(one) > 0 &&
        action.options.find(fmt::format(" {} ", one)) == std::string_view::npos)
      throw UserError(fmt::format("`rankscope schedule {}` takes no {}; it takes{}", action.name,
                                  one, action.options.substr(0, action.options.size() - 1)));
  if (app.count("--ranks") > 0 && (options.ranks < 1 || options.ranks > 1 << 16))
    throw UserError(fmt::format("--ranks is 1 to 65536, not {}", options.ranks));
  if (app.count("--root") > 0 && options.root < 0) throw UserError("--root is 0 or more");
  if (app.count("--chunks") > 0 && options.chunks < 1) throw UserError("--chunks is 1 or more");
}

void add_schedule_options(OptionList app, ScheduleOptions& o) {
  const OptionList what = app.in_group("The schedule");
  what.add_option("--collective", "COLLECTIVE", o.collective,
                  "What it computes, where the file does not say; synthesise: else allreduce");
  what.add_option("-n,--ranks,--np", "COUNT", o.ranks, "Ranks, of a table or a program");
  what.add_option("--root", "RANK", o.root, "Of collectives that have one");
  what.add_flag("--no-sandbox", o.no_sandbox,
                "Run a program in Python without a sandbox: only for your own");
  const OptionList proof = app.in_group("prove");
  proof
      .add_option("--posting", "nonblocking|blocking", o.posting,
                  "How a rank posts a table's step: all sends at once, then receives, as "
                  "NAME.schedule runs it; or one after the other, sends first")
      .capture_default_str();
  proof
      .add_option("--send-mode", "rendezvous|buffered", o.send_mode,
                  "Sends wait for their receives, or not")
      .default_str("rendezvous; of MSCCL's XML buffered, as NCCL's connections are");
  proof.add_option(
      "--picture", "FILE", o.picture,
      "Of a table: draw its run (.svg, .pdf, .png), the counter-example's messages marked");
  const OptionList call =
      app.in_group("Sizes and network: convert, compare, from-trace, synthesise");
  call.add_option("--bytes", "SIZE", o.costs.bytes, "What one rank passes in")
      .capture_default_str();
  call.add_option("--dtype", "DTYPE", o.costs.type,
                  "Type of an element; chunks are cut between elements")
      .capture_default_str();
  call.add_option("--alpha", "TIME", o.costs.alpha, "compare: latency of a message")
      .capture_default_str();
  call.add_option("--bandwidth", "SIZE/s", o.costs.bandwidth,
                  "compare: of each rank's port; synthesise: of each link of a named network")
      .capture_default_str();
  call.add_option("--gamma", "TIME", o.costs.gamma, "Of reducing one byte: 0.05ns or 20GB/s")
      .capture_default_str();
  const OptionList making = app.in_group("from-trace, synthesise");
  making.add_option("-o,--output", "FILE", o.output, "Where to write it; its ending says how")
      .default_str("the table, printed");
  making
      .add_option("--chunks", "COUNT", o.chunks,
                  "from-trace: chunks of the data; synthesise: chunks of a rank's block")
      .default_str("what fits");
  making.add_option(
      "--topology", "NAME", o.topology,
      "ring:8, hypercube:16, full:4, star:8, torus:4x4; or a topology by its name or file");
  making.add_option("--latency", "TIME", o.latency, "Of each link of a named network")
      .capture_default_str();
  making.add_option("--seed", "SEED", o.seed, "Of random choices").capture_default_str();
}

}  // namespace

Action define_schedule(OptionList app) {
  const auto options = std::make_shared<ScheduleOptions>();
  app.add_option("ACTION", "prove|show|convert|compare|from-trace|synthesise", options->action,
                 "What to do")
      .required();
  app.add_option(
      "FILE", "FILE", options->files,
      "Of a table (.txt, .schedule), Python (.py), MSCCL (.xml), GOAL (.goal) or Chakra (.et)");
  add_schedule_options(app, *options);
  return [options, app](const Console& console) {
    const ScheduleAction& action = schedule_action(options->action);
    check_use(action, app, *options);
    return action.run(console, *options);
  };
}

}  // namespace rankscope::cli
