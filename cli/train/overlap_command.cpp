// `rankscope overlap`: a training step whose gradients are averaged after the backward pass and during it, for several
// sizes of buckets.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/run/recorded_run.h"
#include "cli/sizes.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/diagrams/overlap/overlap_timeline.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/make_runner.h"
#include "engine/training/job/overlap_run.h"

namespace rankscope::cli {
namespace {

using training::OverlapMeasured;
using training::StepFigures;

std::string equality_of(const OverlapMeasured& one, const Style& style) {
  if (one.different > 0)
    return style.bad(fmt::format("NO: {}", counted(one.different, "other element")));
  return one.ranks_agree ? style.good("yes") : style.bad("NO: ranks differ");
}

constexpr Unit kMilliseconds{.size = 1e6, .name = "ms", .whole = false};

std::string milliseconds(std::int64_t ns) { return kMilliseconds.text(static_cast<double>(ns)); }

std::string summary_table(std::span<const OverlapMeasured> all, const Style& style) {
  Table table({"bucket size", "buckets", "apart", "overlapped", "saved", "computing", "allreduce",
               "hidden", "exposed", "closed form", "slack", "expected", "same bits"});
  for (const OverlapMeasured& one : all) {
    const StepFigures& with = one.slowest(true);
    const double saved = 1 - double(one.step_ns(true)) / double(one.step_ns(false));
    table.add_row({amount_text(one.run.bucket_bytes), fmt::format("{}", with.allreduces.size()),
                   milliseconds(one.step_ns(false)), milliseconds(one.step_ns(true)),
                   fmt::format("{:.0f} %", 100 * saved), milliseconds(with.times.computing),
                   milliseconds(with.times.communicating), milliseconds(with.times.hidden),
                   milliseconds(with.times.exposed), milliseconds(with.closed_form),
                   milliseconds(with.slack), milliseconds(one.expected_exposed()),
                   equality_of(one, style)});
  }
  return table.to_string(style);
}

std::string rank_table(const OverlapMeasured& one, const Style& style) {
  Table table({"rank", "overlapped", "computing", "allreduce", "hidden", "exposed", "closed form",
               "slack"});
  for (const StepFigures& rank : one.overlapped)
    table.add_row({fmt::format("{}", rank.rank), milliseconds(rank.times.total),
                   milliseconds(rank.times.computing), milliseconds(rank.times.communicating),
                   milliseconds(rank.times.hidden), milliseconds(rank.times.exposed),
                   milliseconds(rank.closed_form), milliseconds(rank.slack)});
  return fmt::format("\nBuckets of {}, by rank:\n{}", amount_text(one.run.bucket_bytes),
                     table.to_string(style, 2));
}

nlohmann::json json_of(const StepFigures& one) {
  auto buckets = nlohmann::json::array();
  for (std::size_t j = 0; j < one.allreduces.size(); ++j)
    buckets.push_back({{"full_ns", one.full[j]},
                       {"startable_ns", one.startable[j]},
                       {"begin_ns", one.allreduces[j].begin},
                       {"end_ns", one.allreduces[j].end}});
  return {{"rank", one.rank},
          {"step_ns", one.times.total},
          {"computing_ns", one.times.computing},
          {"communicating_ns", one.times.communicating},
          {"hidden_ns", one.times.hidden},
          {"exposed_ns", one.times.exposed},
          {"closed_form_ns", one.closed_form},
          {"slack_ns", one.slack},
          {"backward_end_ns", one.computed},
          {"buckets", std::move(buckets)}};
}

nlohmann::json json_of(std::span<const StepFigures> ranks) {
  auto out = nlohmann::json::array();
  for (const StepFigures& one : ranks) out.push_back(json_of(one));
  return out;
}

std::string figures_text(const OverlapMeasured& measured, bool overlapped) {
  const OverlapTimes& times = measured.slowest(overlapped).times;
  return fmt::format("{}: computing {}, communicating {}, of that exposed {}",
                     time_text(times.total), time_text(times.computing),
                     time_text(times.communicating), time_text(times.exposed));
}

/// Returns a table with a row for each bucket size and, with `per_rank`, a table of the ranks.
std::string overlap_text(std::span<const OverlapMeasured> all, bool per_rank, const Style& style) {
  std::string out = fmt::format("Times in {}, of the slowest rank.\n", kMilliseconds.name) +
                    summary_table(all, style);
  if (per_rank)
    for (const OverlapMeasured& one : all) out += rank_table(one, style);
  return out;
}

std::string overlap_json(std::span<const OverlapMeasured> all) {
  auto out = nlohmann::json::array();
  for (const OverlapMeasured& one : all)
    out.push_back({{"bucket_bytes", one.run.bucket_bytes},
                   {"allreduce", one.run.allreduce},
                   {"network", one.run.stack.empty() ? "lenet" : "made-up layers"},
                   {"step_apart_ns", one.step_ns(false)},
                   {"step_overlapped_ns", one.step_ns(true)},
                   {"slowest_rank", one.slowest(true).rank},
                   {"expected_exposed_ns", one.expected_exposed()},
                   {"same_bits", one.different == 0},
                   {"different_elements", one.different},
                   {"ranks_agree", one.ranks_agree},
                   {"apart", json_of(std::span<const StepFigures>(one.apart))},
                   {"overlapped", json_of(std::span<const StepFigures>(one.overlapped))}});
  return dump_json(nlohmann::json{{"sizes", std::move(out)}}, 2) + "\n";
}

/// Draws both forms of a trace's step below each other.
OverlapTimeline overlap_picture(const Trace& trace, const OverlapMeasured& measured) {
  using namespace training;
  return {
      .title = fmt::format("{} on {}, buckets of {}",
                           measured.run.stack.empty() ? "A step of LeNet-5" : "A training step",
                           counted(static_cast<std::uint64_t>(trace.world_size()), "rank"),
                           amount_text(measured.run.bucket_bytes)),
      .caption = fmt::format("Above: what a rank computes; below: the allreduces of its buckets "
                             "({}). Figures of the slowest rank",
                             measured.run.allreduce),
      .panels = {{.title = "Averaged after the backward pass",
                  .figures = figures_text(measured, false),
                  .ranks = work_of_ranks(trace, kApartPhase)},
                 {.title = "Averaged while it goes on",
                  .figures = figures_text(measured, true),
                  .ranks = work_of_ranks(trace, kOverlappedPhase)}}};
}

/// The closed form of a step with one size of buckets.
struct Forecast {
  training::OverlapRun run;
  RankWork apart, overlapped;
};

std::string figures_text(const RankWork& work) {
  const OverlapTimes times = overlap_times(work);
  return fmt::format("{}: exposed {}", time_text(times.total), time_text(times.exposed));
}

/// Reads "5ms" as microseconds, to a nanosecond. Throws UserError.
double parse_us(std::string_view text, std::string_view what) {
  const double seconds = parse_seconds(text, what);
  if (seconds >= 1000) throw UserError(fmt::format("{}: '{}' is not less than 1000s", what, text));
  return std::round(seconds * 1e9) / 1e3;
}

/// Reads "100us,1GiB", the latency of a message and the bytes per second. Throws UserError.
training::NetworkModel parse_network(std::string_view text) {
  const auto parts = split_at(text, ",");
  if (parts.size() != 2)
    throw UserError(fmt::format(
        "--model: '{}' is not LATENCY,BANDWIDTH, such as 100us,1GiB for 1 GiB per second", text));
  return {.alpha_us = parse_us(parts[0], "--model"),
          .bytes_per_s = static_cast<double>(parse_size(parts[1], "--model"))};
}

/// Returns a forecast for each run. Throws UserError.
std::vector<Forecast> forecasts(const std::vector<training::OverlapRun>& runs,
                                const training::NetworkModel& network, int ranks) {
  std::vector<Forecast> out;
  for (const training::OverlapRun& run : runs)
    out.push_back({run, training::modelled_step(run, network, ranks, false),
                   training::modelled_step(run, network, ranks, true)});
  return out;
}

std::string forecast_text(const std::vector<Forecast>& all, const Style& style) {
  Table table({"bucket size", "buckets", "apart", "overlapped", "saved", "computing", "allreduce",
               "hidden", "exposed"});
  for (const Forecast& one : all) {
    const OverlapTimes with = overlap_times(one.overlapped);
    const std::int64_t apart = one.apart.time.length();
    table.add_row(
        {amount_text(one.run.bucket_bytes), fmt::format("{}", one.overlapped.communicating.size()),
         time_text(apart), time_text(with.total),
         fmt::format("{:.0f} %", apart == 0 ? 0 : 100 - 100.0 * double(with.total) / double(apart)),
         time_text(with.computing), time_text(with.communicating), time_text(with.hidden),
         time_text(with.exposed)});
  }
  return table.to_string(style);
}

std::string forecast_json(const std::vector<Forecast>& all) {
  auto sizes = nlohmann::json::array();
  for (const Forecast& one : all) {
    const OverlapTimes with = overlap_times(one.overlapped);
    sizes.push_back({{"bucket_bytes", one.run.bucket_bytes},
                     {"buckets", one.overlapped.communicating.size()},
                     {"step_apart_ns", one.apart.time.length()},
                     {"step_overlapped_ns", with.total},
                     {"computing_ns", with.computing},
                     {"communicating_ns", with.communicating},
                     {"hidden_ns", with.hidden},
                     {"exposed_ns", with.exposed}});
  }
  return dump_json(nlohmann::json{{"model", std::move(sizes)}}, 2) + "\n";
}

/// Draws the step without overlap, and below it with overlap for each size.
OverlapTimeline forecast_picture(const std::vector<Forecast>& all, int ranks) {
  OverlapTimeline out{
      .title = fmt::format("A training step on {}, by the closed form",
                           counted(static_cast<std::uint64_t>(ranks), "rank")),
      .caption = "Above: what a rank computes; below: the allreduces of its buckets, one at a time",
      .panels = {}};
  for (const Forecast& one : all) {
    const std::string size = amount_text(one.run.bucket_bytes);
    if (out.panels.empty())
      out.panels.push_back(
          {.title = fmt::format("Averaged after the backward pass, buckets of {}", size),
           .figures = figures_text(one.apart),
           .ranks = {one.apart}});
    out.panels.push_back({.title = fmt::format("Averaged while it goes on, buckets of {}", size),
                          .figures = figures_text(one.overlapped),
                          .ranks = {one.overlapped}});
  }
  return out;
}

namespace fs = std::filesystem;
using training::MadeUpLayer;
using training::OverlapRun;

struct OverlapOptions {
  std::string buckets = "1KiB,16KiB,64KiB,1MiB", layers, allreduce = "allreduce.ring",
              transport = "ipc", output, picture, model;
  std::vector<std::string> read;
  int np = 8, batch = 32, repeat = 3;
  double delay_us = 200;
  double compute_scale = std::nan("");  ///< Not a number where it is not given: see scale_of().
  bool per_rank = false;
};

/// Returns 10 for LeNet-5, which computes too fast to hide messages behind it, and 1 for made-up layers, unless given.
double scale_of(const OverlapOptions& options) {
  if (!std::isnan(options.compute_scale)) return options.compute_scale;
  return options.layers.empty() ? 10 : 1;
}

/// A run and the figures of its trace.
struct Recorded {
  std::string file;
  Trace trace;
  OverlapMeasured measured;
};

/// Reads "5ms:64KiB,3x10ms:1MiB", the first layer first.
std::vector<MadeUpLayer> parse_layers(std::string_view text) {
  std::vector<MadeUpLayer> out;
  for (std::string_view part : split_at(text, ",")) {
    std::int64_t times = 1;
    if (const auto x = part.find('x'); x != std::string_view::npos) {
      times = parse_integer(part.substr(0, x), "--layers", 1, 256);
      part.remove_prefix(x + 1);
    }
    const auto colon = part.find(':');
    if (colon == std::string_view::npos)
      throw UserError(fmt::format(
          "--layers: '{}' is not TIME:SIZE, such as 5ms:64KiB, or 3x5ms:64KiB for three", part));
    const MadeUpLayer layer{.backward_us = parse_us(part.substr(0, colon), "--layers"),
                            .bytes = parse_size(part.substr(colon + 1), "--layers")};
    out.insert(out.end(), static_cast<std::size_t>(times), layer);
  }
  return out;
}

/// Returns "step-64KiB.rankscope" for "step.rankscope" where there are several sizes.
std::string file_for(const std::string& output, std::uint64_t bucket, bool several) {
  if (!several) return output;
  const fs::path path = output;
  std::string size = amount_text(bucket);
  std::erase(size, ' ');
  return (path.parent_path() / (path.stem().string() + "-" + size + path.extension().string()))
      .string();
}

class OverlapCommand {
 public:
  OverlapCommand(const Console& console, const OverlapOptions& options)
      : console_(console), options_(options), line_(console) {
    if (options.repeat < 1 || options.repeat > 1000) throw UserError("--repeat is 1 to 1000");
    if (!options.picture.empty() && format_of_file(options.picture) == nullptr)
      throw UserError(fmt::format("--picture: the name of the file ends in {}", endings(true)));
  }

  int run() {
    if (!options_.model.empty()) return forecast();
    if (!options_.read.empty()) {
      for (const std::string& file : options_.read) recorded_.push_back(read(file));
    } else if (const int code = record(); code != kOk) {
      return code;
    }
    line_.clear();
    return report();
  }

 private:
  OverlapRun settings(std::uint64_t bucket) const {
    OverlapRun run;
    if (!options_.layers.empty()) run.stack = parse_layers(options_.layers);
    run.batch = options_.batch;
    run.compute_scale = scale_of(options_);
    run.allreduce = options_.allreduce;
    run.bucket_bytes = bucket;
    run.validate();
    return run;
  }

  JobSpec job(std::uint64_t bucket) const {
    JobSpec spec = training::job_of(settings(bucket), options_.np);
    spec.transport.name = options_.transport;
    check_delay(options_.delay_us);
    if (options_.delay_us > 0)
      spec.world.delays_us.assign(static_cast<std::size_t>(options_.np), options_.delay_us);
    validate(spec);
    return spec;
  }

  std::vector<std::uint64_t> sizes() const { return parse_sizes(options_.buckets, "--bucket"); }

  int forecast() const {
    std::vector<OverlapRun> runs;
    for (const std::uint64_t size : sizes()) runs.push_back(settings(size));
    const auto all = forecasts(runs, parse_network(options_.model), options_.np);
    if (!options_.picture.empty())
      write_picture(forecast_picture(all, options_.np), TraceAnalysis());
    if (console_.json()) return console_.print_raw(forecast_json(all)), kOk;
    console_.print(forecast_text(all, console_.out()));
    console_.note("By the closed form, with ring allreduces: nothing was run.");
    return kOk;
  }

  int record() {
    const auto sizes = this->sizes();
    for (const std::uint64_t size : sizes) job(size);  // throws before anything runs
    RunnerOptions runner_options;
    runner_options.interrupt_fd = interrupt_.fd();
    const auto runner = make_runner(options_.transport, std::move(runner_options));
    line_.show("connecting the ranks");
    JobSpec first = job(sizes.front());
    first.recording.trace = TraceLevel::off;  // sets up connections, memory and threads
    first.world.delays_us.clear();
    if (const int code = check(run_recorded(*runner, first, "").result); code != kOk) return code;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::vector<Recorded> runs;
      for (int repeat = 0; repeat < options_.repeat; ++repeat) {
        line_.show(fmt::format("size {} of {}: buckets of {}, run {} of {}", i + 1, sizes.size(),
                               amount_text(sizes[i]), repeat + 1, options_.repeat));
        const std::string file = (scratch_.path() / fmt::format("{}-{}", i, repeat)).string();
        if (const int code = check(run_recorded(*runner, job(sizes[i]), file).result); code != kOk)
          return code;
        runs.push_back(read(file));
      }
      Recorded& median = median_of(runs);
      if (!options_.output.empty())
        keep(median, file_for(options_.output, sizes[i], sizes.size() > 1));
      recorded_.push_back(std::move(median));
    }
    return kOk;
  }

  /// Returns the run with the median time of both steps together.
  static Recorded& median_of(std::vector<Recorded>& runs) {
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::ranges::nth_element(runs, middle, {}, [](const Recorded& one) {
      return one.measured.step_ns(false) + one.measured.step_ns(true);
    });
    return *middle;
  }

  /// Copies the trace's file to its final name.
  static void keep(Recorded& run, const std::string& output) {
    std::ifstream from(run.file, std::ios::binary);
    write_whole(output, [&](std::ostream& to) { to << from.rdbuf(); });
    run.file = output;
  }

  int check(const JobResult& result) {
    if (result.ok()) return kOk;
    line_.clear();
    if (result.status == JobResult::Status::interrupted) {
      console_.note("interrupted");
      return kInterrupted;
    }
    fmt::print(stderr, "rankscope overlap: {}\n", result.message);
    return kFailed;
  }

  static Recorded read(const std::string& file) {
    Trace trace = TraceReader::open(file);
    OverlapMeasured measured = training::overlap_measured(trace);
    return {file, std::move(trace), std::move(measured)};
  }

  int report() {
    if (!options_.picture.empty()) draw();
    std::vector<OverlapMeasured> measured;
    for (const Recorded& one : recorded_) measured.push_back(one.measured);
    const bool same = ranges::all_of(
        measured, [](const OverlapMeasured& one) { return one.different == 0 && one.ranks_agree; });
    const int code = same ? kOk : kFailed;
    if (console_.json()) return console_.print_raw(overlap_json(measured)), code;
    console_.print(overlap_text(measured, options_.per_rank, console_.out()));
    explain();
    return code;
  }

  void explain() const {
    console_.note(
        "apart: averaged after the backward pass. exposed: allreduces run and nothing computes, by "
        "the trace.\nclosed form: max(0, max_j(r_j + a_j + ... + a_last) - end of the backward "
        "pass), with the trace's r_j (bucket j is full) and\na_j (its allreduce lasts); it differs "
        "from the trace by the slack at most. expected: the same from the step apart alone.");
    if (!options_.read.empty() || options_.output.empty()) return;
    for (const Recorded& one : recorded_)
      console_.note(fmt::format("To look at it: rankscope export {} --diagram overlap", one.file));
  }

  /// Draws the size with the shortest step.
  void draw() const {
    const Recorded& best = *ranges::min_element(
        recorded_, {}, [](const Recorded& one) { return one.measured.step_ns(true); });
    write_picture(overlap_picture(best.trace, best.measured), TraceAnalysis(best.trace));
  }

  void write_picture(const OverlapTimeline& picture, const TraceAnalysis& analysis) const {
    TraceExport what;
    what.format = format_of_file(options_.picture);
    what.output = options_.picture;
    for (const Recorded& one : recorded_) what.sources.push_back(one.file);
    what.how = " with --picture";
    what.drawn = overlap_timeline(picture, system_ruler());
    export_trace(analysis, what);
  }

  const Console& console_;
  const OverlapOptions& options_;
  Interrupt interrupt_;
  ProgressLine line_;
  ScratchFolder scratch_{"overlap"};
  std::vector<Recorded> recorded_;  ///< One for each size.
};

Action define_overlap(OptionList app) {
  const auto o = std::make_shared<OverlapOptions>();
  const auto network = app.in_group("What is computed");
  network
      .add_option("--layers", "LAYERS", o->layers,
                  "Instead of LeNet-5: made-up layers, first layer first, each as TIME:SIZE of its "
                  "backward pass and gradient, or COUNTxTIME:SIZE: 5ms:64KiB,3x10ms:1MiB")
      .default_str("");
  network.add_with_default("--batch", "COUNT", o->batch, "LeNet-5: pictures per rank");
  network
      .add_option("--compute-scale", "FACTOR", o->compute_scale,
                  "Slow computing down by this factor")
      .default_str("10, with --layers 1");
  const auto gradients = app.in_group("How gradients are averaged");
  gradients.add_with_default("--bucket", "SIZES", o->buckets,
                             "Bytes that fill a bucket; a layer is not divided");
  gradients.add_with_default("--allreduce", "ALGORITHM", o->allreduce, "What averages a bucket");
  const auto ranks = app.in_group("Ranks and network");
  ranks.add_with_default("--np", "COUNT", o->np, "Ranks");
  ranks.add_with_default(
      "--delay", "US", o->delay_us,
      "A slow network: this many microseconds before each send and receive, on all ranks");
  ranks.add_with_default("-t,--transport", "ipc|tcp", o->transport, "The transport of messages");
  const auto results = app.in_group("Results");
  results.add_with_default("--repeat", "COUNT", o->repeat,
                           "Runs of each size, of which the one with the median time counts");
  results.add_flag("--per-rank", o->per_rank, "The figures of each rank");
  results.add_option(
      "-o,--output", "FILE", o->output,
      "Write the trace; with several bucket sizes one file for each, named after it");
  results.add_option("--picture", "FILE", o->picture,
                     "Draw both steps, of the size with the shortest step: .svg, .pdf or .png");
  results.add_option("--model", "LATENCY,BANDWIDTH", o->model,
                     "Run nothing: the closed form of --layers in a network with this latency of "
                     "messages and these bytes per second");
  results.add_option("--read", "FILE", o->read,
                     "Run nothing: the figures of traces that --output wrote");
  return [o](const Console& console) { return OverlapCommand(console, *o).run(); };
}

}  // namespace

constinit const CommandEntry kOverlapCommand{
    .name = "overlap",
    .group = kMeasuring,
    .summary = "average gradients after and during the backward pass, and measure what overlaps",
    .details =
        "Gradients are gathered in buckets, last layer first, and the allreduce of a full bucket "
        "starts while the backward pass goes on, as in PyTorch's DistributedDataParallel. Prints "
        "for each bucket size how long the step takes without and with overlap, how much "
        "communication stays exposed by the trace and by the closed form, and whether both "
        "averages have the same bits.",
    .examples =
        "rankscope overlap  # LeNet-5 on 8 ranks, in a slow network\n"
        "rankscope overlap --delay 0 --compute-scale 1  # this machine as it is\n"
        "rankscope overlap --layers 6x10ms:64KiB --bucket 64KiB,128KiB,1MiB  # made-up layers\n"
        "rankscope overlap --bucket 1KiB --picture overlap.svg -o step.rankscope  # to look at\n"
        "rankscope overlap --layers 6x10ms:64KiB --model 500us,100MB --picture model.svg  # by the "
        "closed form\n"
        "rankscope overlap --read step.rankscope --per-rank  # its figures again",
    .define = define_overlap,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
