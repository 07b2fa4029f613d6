// `rankscope calibrate`: fits the costs of messages on this machine, and compares predictions with other measured runs.
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/model/machine_file.h"
#include "cli/model/recorded_plan.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/model/costs/cost_table.h"
#include "engine/run/job/transports.h"
#include "engine/run/profile/profiler.h"

namespace rankscope::cli {
namespace {

// Each predicted size lies between two sizes of the fit.
constexpr std::string_view kFitted = "64,1KiB,8KiB,64KiB,512KiB,4MiB";
constexpr std::string_view kHeldOut = "256,4KiB,32KiB,256KiB,2MiB";
constexpr double kGoodError = 0.2;

struct CalibrateOptions {
  std::string collective = "allreduce", np = "2,4,8", transport{kDefaultTransport};
  std::string sizes{kFitted}, held_out{kHeldOut}, records, output;
  double budget_s = 0.25;
  int rounds = 5;
};

struct Comparison {
  ProfileRecord record;
  PlannedTime planned;
  double predicted() const noexcept { return planned.seconds; }
  double error() const noexcept { return predicted() / record.median_s - 1; }
};

struct Calibration {
  std::vector<FittedMachine> machines;
  std::vector<Comparison> fitted, held_out;
};

RunPlan plan_of(const ProfileRecord& record) {
  const Algorithm& algorithm = require_algorithm(record.algorithm);
  return recorded_plan(algorithm, {.n = record.np,
                                   .shape = Shape::flat(count_of(algorithm.collective, record.bytes,
                                                                 record.np, DType::float32))});
}

std::vector<std::string> algorithms_of(const std::string& text) {
  std::vector<std::string> names;
  for (const Algorithm& one : algorithms())
    if ((to_string(one.collective) == text || one.name == text) && find_cost_row(one) != nullptr)
      names.emplace_back(one.name);
  if (names.empty())
    throw UserError(
        fmt::format("there is no collective or algorithm '{}' with a closed form: `rankscope list` "
                    "shows them",
                    text));
  return names;
}

ProfilePlan plan_of(const CalibrateOptions& o, const std::string& sizes) {
  ProfilePlan plan;
  plan.algorithms = algorithms_of(o.collective);
  plan.sizes = parse_sizes(sizes, "--sizes");
  plan.world_sizes = parse_integers(o.np, "--np", 2, 64);
  plan.transports = {o.transport};
  plan.trace = TraceLevel::off;
  plan.interleave_sizes = true;
  plan.rounds = o.rounds;
  plan.budget_s = o.budget_s;
  return plan;
}

/// Measures both sets of sizes in one run, so that the machine is in one state.
std::vector<ProfileRecord> measure(const Console& console, const CalibrateOptions& o,
                                   bool& interrupted) {
  ProfilePlan plan = plan_of(o, o.held_out.empty() ? o.sizes : o.sizes + "," + o.held_out);
  ranges::sort(plan.sizes);
  plan.validate();
  const Interrupt interrupt;
  ProgressLine line(console);
  Profiler::Options options;
  options.runner.interrupt_fd = interrupt.fd();
  options.on_progress = [&](const ProfileProgress& progress) {
    line.show(fmt::format("{} of {} measured: {}", progress.done, progress.total, progress.what));
  };
  Profile profile = Profiler(std::move(options)).run(plan);
  interrupted = profile.interrupted;
  for (const ProfileRecord& record : profile.records)
    if (!record.ok() && !interrupted)
      throw UserError(fmt::format("{} on {} could not be measured: {}", record.algorithm,
                                  plural(record.np, "rank"), record.error));
  return std::move(profile.records);
}

/// Reads the records of `rankscope profile --json` that have the given ranks, transport and algorithms.
std::vector<ProfileRecord> read_records(const CalibrateOptions& o) {
  std::ifstream in(o.records);
  if (!in) throw UserError(fmt::format("cannot read the file {}", o.records));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto names = algorithms_of(o.collective);
  const auto ranks = parse_integers(o.np, "--np", 2, 64);
  std::vector<ProfileRecord> records;
  try {
    for (const auto& one : parse_json(text)) {
      ProfileRecord record;
      one.at("algorithm").get_to(record.algorithm);
      one.at("transport").get_to(record.transport);
      one.at("np").get_to(record.np);
      one.at("bytes").get_to(record.bytes);
      one.at("median_s").get_to(record.median_s);
      if (record.transport == o.transport && record.median_s > 0 &&
          ranges::find(names, record.algorithm) != names.end() &&
          ranges::find(ranks, record.np) != ranks.end())
        records.push_back(std::move(record));
    }
  } catch (const nlohmann::json::exception&) {
    throw UserError(fmt::format(
        "{} is not a profile: create one with `rankscope profile COLLECTIVE --json`", o.records));
  }
  return records;
}

Calibration calibrate(const CalibrateOptions& o, const std::vector<ProfileRecord>& records) {
  const auto held_out =
      o.held_out.empty() ? std::vector<std::uint64_t>{} : parse_sizes(o.held_out, "--held-out");
  const auto is_held_out = [&](const ProfileRecord& one) {
    return ranges::find(held_out, one.bytes) != held_out.end();
  };
  Calibration out;
  const int processors = usable_processors();
  for (const int ranks : parse_integers(o.np, "--np", 2, 64)) {
    std::vector<const ProfileRecord*> chosen;
    for (const ProfileRecord& one : records)
      if (one.np == ranks) chosen.push_back(&one);
    std::vector<RunPlan> plans;
    for (const ProfileRecord* one : chosen) plans.push_back(plan_of(*one));
    std::vector<MeasuredRun> runs;
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (!is_held_out(*chosen[i])) runs.push_back({&plans[i], chosen[i]->median_s});
    FittedMachine machine{host_name(), processors, o.transport, ranks, {}};
    machine.costs = fit_machine_costs(runs, processors);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      (is_held_out(*chosen[i]) ? out.held_out : out.fitted)
          .push_back({*chosen[i], planned_time(machine.costs, plans[i], processors)});
    out.machines.push_back(machine);
  }
  return out;
}

double share_within(const std::vector<Comparison>& all) {
  const auto good = ranges::count_if(
      all, [](const Comparison& one) { return std::abs(one.error()) <= kGoodError; });
  return all.empty() ? 1 : static_cast<double>(good) / static_cast<double>(all.size());
}

std::string costs_table(const Console& console, const Calibration& calibration) {
  std::vector<Table::Column> columns{{"cost", kLeft}};
  for (const FittedMachine& one : calibration.machines)
    columns.push_back({plural(one.ranks, "rank")});
  Table table(std::move(columns));
  for (std::size_t k = 0; k < kMachineTerms; ++k) {
    std::string name(kMachineTermRows[k].name);
    ranges::replace(name, '_', ' ');
    std::vector<std::string> row{name};
    for (const FittedMachine& one : calibration.machines)
      row.push_back(kMachineTermRows[k].per_byte
                        ? fmt::format("{:.3f} ns/B", one.costs.seconds[k] * 1e9)
                        : format_seconds(one.costs.seconds[k]));
    table.add_row(std::move(row));
  }
  std::vector<std::string> caches{"cache"};
  for (const FittedMachine& one : calibration.machines)
    caches.push_back(one.costs.cache_bytes > 0
                         ? format_bytes(static_cast<std::uint64_t>(one.costs.cache_bytes))
                         : "none");
  table.add_row(std::move(caches));
  return table.to_string(console.out(), 0, console.width());
}

std::string comparison_table(const Console& console, const std::vector<Comparison>& all) {
  Table table({"ranks", "bytes", {"algorithm", kLeft}, "predicted", "measured", "error"});
  for (const Comparison& one : all)
    table.add_row({fmt::format("{}", one.record.np), format_bytes(one.record.bytes),
                   one.record.algorithm, format_seconds(one.predicted()),
                   format_seconds(one.record.median_s),
                   fmt::format("{:+.0f} %", 100 * one.error())});
  return table.to_string(console.out());
}

void print(const Console& console, const Calibration& calibration, const std::string& file) {
  std::string text = costs_table(console, calibration) + "\n";
  if (!calibration.held_out.empty())
    text += comparison_table(console, calibration.held_out) +
            fmt::format(
                "\nOf {} runs that were not fitted, {:.0f} % are predicted within 20 %; of the {} "
                "fitted, {:.0f} %.\n",
                calibration.held_out.size(), 100 * share_within(calibration.held_out),
                calibration.fitted.size(), 100 * share_within(calibration.fitted));
  console.print(text);
  console.note(fmt::format("Kept in {}: `rankscope predict ALGORITHM --machine` uses it.", file));
}

nlohmann::ordered_json counts_json(const MachineTerms& counts) {
  nlohmann::ordered_json json;
  for (std::size_t k = 0; k < kMachineTerms; ++k) json[kMachineTermRows[k].name] = counts[k];
  return json;
}

nlohmann::ordered_json json_of(const std::vector<Comparison>& all) {
  auto json = nlohmann::ordered_json::array();
  for (const Comparison& one : all)
    json.push_back({{"ranks", one.record.np},
                    {"bytes", one.record.bytes},
                    {"algorithm", one.record.algorithm},
                    {"predicted_s", one.predicted()},
                    {"measured_s", one.record.median_s},
                    {"round_median_s", one.record.round_median_s},
                    {"error", one.error()},
                    {"path", counts_json(one.planned.counts)}});
  return json;
}

void print_json(const Console& console, const Calibration& calibration) {
  auto json = nlohmann::ordered_json::parse(to_json(calibration.machines));
  json["held_out"] = json_of(calibration.held_out);
  json["fitted"] = json_of(calibration.fitted);
  json["held_out_within_20_percent"] = share_within(calibration.held_out);
  console.print_raw(json.dump(2) + "\n");
}

int run_calibrate(const Console& console, const CalibrateOptions& o) {
  const std::string file = o.output.empty() ? machine_file() : o.output;
  if (file.empty()) throw UserError("there is no home to keep the fit in: give -o FILE");
  read_machine_file(file);  // throws if it is another file, before anything is measured
  bool interrupted = false;
  const auto records = o.records.empty() ? measure(console, o, interrupted) : read_records(o);
  if (interrupted) return kInterrupted;
  const Calibration calibration = calibrate(o, records);
  add_to_machine_file(file, calibration.machines);
  if (console.json()) print_json(console, calibration);
  else print(console, calibration, file);
  return kOk;
}

Action define_calibrate(OptionList app) {
  const auto o = std::make_shared<CalibrateOptions>();
  app.add_with_default("COLLECTIVE", "COLLECTIVE", o->collective,
                       "What to measure: all algorithms of a collective, or one algorithm");
  app.add_with_default("-n,--np", "LIST", o->np, "Numbers of ranks");
  app.add_with_default("-t,--transport", transport_names("|", &Transport::processes), o->transport,
                       "The transport between the ranks");
  app.add_with_default("--sizes", "LIST", o->sizes, "Sizes to fit to");
  app.add_with_default("--held-out", "LIST", o->held_out,
                       "Sizes that are predicted and then compared; \"\" for none");
  app.add_with_default("--budget", "S", o->budget_s, "Seconds of timed work for each measurement");
  app.add_with_default("--rounds", "N", o->rounds, "Interleaved rounds");
  app.add_option("--records", "FILE", o->records,
                 "Fit to what `rankscope profile --json` wrote, in place of measuring");
  app.add_option("-o,--output", "FILE", o->output, "Keep the fit here")
      .default_str("machines.json in the user's configuration");
  return [o](const Console& console) { return run_calibrate(console, *o); };
}

}  // namespace

constinit const CommandEntry kCalibrateCommand{
    .name = "calibrate",
    .group = kMeasuring,
    .summary = "fit what messages cost on this machine, and compare predictions with runs",
    .details =
        "Measures some sizes, fits latency, time per byte and per byte reduced, and the processor "
        "time of messages, which ranks share where there are more of them than processors. Sizes "
        "in between are then predicted and compared. The fit is kept for this machine, transport "
        "and number of ranks, and used by `rankscope predict --machine`. Let nothing else run "
        "meanwhile.",
    .examples =
        "rankscope calibrate  # every allreduce on 2, 4 and 8 ranks: some minutes\n"
        "rankscope calibrate broadcast --np 4 --transport tcp  # another collective\n"
        "rankscope calibrate allreduce.ring --held-out \"\" --json  # one algorithm, no "
        "comparison",
    .define = define_calibrate,
};

}  // namespace rankscope::cli
