// `rankscope train`: LeNet-5 by several workers, for several world sizes and seeds, and the table of k*(N).
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/sizes.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/training/data/known_data.h"
#include "engine/training/job/speedup.h"
#include "engine/training/plots/training_plots.h"

namespace rankscope::cli {
namespace {

using training::FinishedRun;
using training::SpeedupRow;
using training::Spread;

// Returns "1260 ± 85 (1180 to 1390)", a single value, or a dash for none.
std::string text_of(const Spread& spread, int digits, std::string_view plus_minus) {
  if (spread.count == 0) return "-";
  if (spread.count == 1) return fmt::format("{:.{}f}", spread.mean, digits);
  return fmt::format("{:.{}f} {} {:.{}f} ({:.{}f} to {:.{}f})", spread.mean, digits, plus_minus,
                     spread.deviation, digits, spread.least, digits, spread.most, digits);
}

std::vector<std::string> cells_of(const SpeedupRow& row, std::string_view plus_minus) {
  const double total = row.computing_s + row.communicating_s;
  const auto seconds = [&](double value) {
    return row.reached == 0 ? "-" : fmt::format("{:.1f} s", value);
  };
  return {fmt::format("{}", row.ranks),
          text_of(row.iterations, 0, plus_minus),
          fmt::format("{} of {}", row.reached, row.runs),
          text_of(row.speedup, 2, plus_minus),
          seconds(row.computing_s),
          seconds(row.communicating_s),
          row.reached == 0 || total == 0
              ? "-"
              : fmt::format("{:.0f} %", 100 * row.communicating_s / total),
          seconds(row.testing_s)};
}

nlohmann::json json_of(const Spread& spread) {
  if (spread.count == 0) return nullptr;
  return {{"count", spread.count},
          {"mean", spread.mean},
          {"deviation", spread.deviation},
          {"least", spread.least},
          {"most", spread.most}};
}

double best_of(const FinishedRun& run) {
  double best = 0;
  for (const auto& one : run.log) best = std::max(best, one.accuracy());
  return best;
}

/// Returns a table for a terminal: k*, how many runs reached it, the speedup and where the time went.
std::string speedup_text(std::span<const SpeedupRow> rows, const Style& style) {
  Table table({"N", "k*(N)", "reached by", "k*(1)/k*(N)", "computing", "communicating", "share",
               "testing"});
  for (const SpeedupRow& row : rows) table.add_row(cells_of(row, style.utf8() ? "±" : "+-"));
  return table.to_string(style);
}

/// Returns a line for each run: ranks, seed, k* (empty when not reached), best accuracy, seconds.
std::string runs_csv(std::span<const FinishedRun> runs, double accuracy) {
  std::string out = "ranks,seed,iterations,best_accuracy,computing_s,communicating_s,testing_s\n";
  for (const FinishedRun& run : runs) {
    const auto needed = training::iterations_to(run.log, accuracy);
    const training::TrainingMoment last =
        run.log.empty() ? training::TrainingMoment{} : run.log.back();
    out += fmt::format("{},{},{},{:.4f},{:.3f},{:.3f},{:.3f}\n", run.ranks, run.seed,
                       needed ? fmt::format("{}", *needed) : "", best_of(run), last.computing_s,
                       last.communicating_s, last.testing_s);
  }
  return out;
}

std::string speedup_markdown(std::span<const SpeedupRow> rows) {
  std::string out =
      "| N | k*(N) | reached by | k*(1)/k*(N) | computing | communicating | share | testing |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const SpeedupRow& row : rows)
    out += fmt::format("| {} |\n", fmt::join(cells_of(row, "±"), " | "));
  return out;
}

std::string speedup_latex(std::span<const SpeedupRow> rows) {
  std::string out =
      "\\begin{tabular}{rrrrrrrr}\n\\hline\n$N$ & $k^*(N)$ & reached by & $k^*(1)/k^*(N)$ & "
      "computing & communicating & share & testing \\\\\n\\hline\n";
  for (const SpeedupRow& row : rows) {
    auto cells = cells_of(row, "$\\pm$");
    for (std::string& cell : cells)
      if (cell.ends_with('%')) cell.replace(cell.size() - 1, 1, "\\%");
    out += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  }
  return out + "\\hline\n\\end{tabular}\n";
}

/// Returns the table's rows and the runs, with null where nothing was measured.
std::string speedup_json(std::span<const SpeedupRow> rows, std::span<const FinishedRun> runs,
                         double accuracy) {
  nlohmann::json out{{"accuracy", accuracy},
                     {"table", nlohmann::json::array()},
                     {"runs", nlohmann::json::array()}};
  for (const SpeedupRow& row : rows)
    out["table"].push_back({{"ranks", row.ranks},
                            {"runs", row.runs},
                            {"reached", row.reached},
                            {"iterations", json_of(row.iterations)},
                            {"speedup", json_of(row.speedup)},
                            {"computing_s", row.computing_s},
                            {"communicating_s", row.communicating_s},
                            {"testing_s", row.testing_s}});
  for (const FinishedRun& run : runs) {
    const auto needed = training::iterations_to(run.log, accuracy);
    out["runs"].push_back(
        {{"ranks", run.ranks},
         {"seed", run.seed},
         {"iterations", needed ? nlohmann::json(*needed) : nlohmann::json(nullptr)},
         {"best_accuracy", best_of(run)}});
  }
  return dump_json(out, 2) + "\n";
}

namespace fs = std::filesystem;
using training::TrainingRun;

struct TrainOptions {
  std::string network = "lenet", data = "mnist", np = "1,2,4,8", average = "parameters",
              sharing = "sampled", style = "1998";
  std::string allreduce = "allreduce.ring", out = "training", transport = "ipc", bucket = "0";
  int seeds = 5, batch = 32, period = 1, warmup = 0, every = 10, most = 5000,
      checkpoint_every = 100;
  double until = 0.97, step = 0.1, momentum = 0;
  bool scale_step = false, again = false;
};

TrainingRun settings_of(const TrainOptions& o) {
  using namespace training;
  if (o.network != "lenet")
    throw UserError(fmt::format("there is no network '{}': choose lenet", o.network));
  TrainingRun run;
  if (one_of<bool>("--style", o.style, {{"1998", false}, {"today", true}}))
    run.sgd.network = {Activation::relu, Pooling::max};
  run.sgd.averaging = one_of<Averaging>("--average", o.average,
                                        {{"parameters", Averaging::parameters},
                                         {"gradients", Averaging::gradients},
                                         {"gossip", Averaging::gossip}});
  run.sgd.sharing = one_of<Sharing>("--share", o.sharing,
                                    {{"sampled", Sharing::sampled}, {"sharded", Sharing::sharded}});
  run.sgd.batch = o.batch;
  run.sgd.step = o.step;
  run.sgd.momentum = o.momentum;
  run.sgd.period = o.period;
  run.sgd.warmup = o.warmup;
  run.sgd.bucket_bytes = parse_size(o.bucket, "--bucket");
  run.data = training::resolve_data(o.data).string();
  run.allreduce = o.allreduce;
  run.until = o.until;
  run.every = o.every;
  run.most = o.most;
  run.checkpoint_every = o.checkpoint_every;
  run.resume = true;  // from the checkpoint of an interrupted call, if there is one
  run.validate();
  return run;
}

/// The runs of each world size with each seed.
class Training {
 public:
  Training(const Console& console, const TrainOptions& options)
      : console_(console),
        options_(options),
        settings_(settings_of(options)),
        sizes_(parse_integers(options.np, "--np", 1, 1024)),
        line_(console) {
    if (options.seeds < 1) throw UserError("--seeds is 1 or more");
  }

  int run() {
    check_pictures();
    prepare_folder();
    console_.note(
        fmt::format("batch {} a worker, step {}{}, momentum {}, test pictures every {} iterations, "
                    "until {:.4g} % are right",
                    options_.batch, options_.step, options_.scale_step ? " times N" : "",
                    options_.momentum, options_.every, 100 * options_.until));
    for (const int ranks : sizes_)
      for (int seed = 1; seed <= options_.seeds; ++seed)
        if (const int code = run_one(ranks, static_cast<std::uint64_t>(seed)); code != kOk)
          return code;
    line_.clear();
    report();
    return kOk;
  }

 private:
  /// Throws UserError for bad pictures before anything is started.
  void check_pictures() const {
    const training::KnownData* known = training::find_known_data(options_.data);
    if (known != nullptr && training::folder_of(*known) == fs::path(settings_.data)) try {
        training::check_files(*known, settings_.data);
      } catch (const FormatError& e) {
        throw FormatError(
            fmt::format("{}. Remove {}, then: {}", e.what(), settings_.data, known->advice));
      }
    training::load_pictures(settings_.data);
  }

  std::string place(int ranks, std::uint64_t seed) const {
    return (fs::absolute(options_.out) / fmt::format("np{}-seed{}", ranks, seed)).string();
  }

  /// Keeps results of other settings apart.
  void prepare_folder() {
    std::error_code error;
    fs::create_directories(options_.out, error);
    if (error)
      throw UserError(
          fmt::format("the folder {} cannot be made: {}", options_.out, error.message()));
    const fs::path file = fs::path(options_.out) / "settings.json";
    const std::string wanted = training::to_json(settings_) + "\n";
    const std::string found = fs::exists(file, error) ? read_or_nothing(file) : wanted;
    if (found != wanted && !options_.again)
      throw UserError(fmt::format(
          "{} holds runs with other settings: choose another --output, or start over with --again",
          options_.out));
    if (options_.again)
      for (const auto& entry : fs::directory_iterator(options_.out, error))
        if (entry.path().filename().string().starts_with("np")) fs::remove_all(entry.path(), error);
    write_whole(file.string(), wanted);
  }

  int run_one(int ranks, std::uint64_t seed) {
    TrainingRun run = settings_;
    run.sgd.seed = seed;
    if (options_.scale_step) run.sgd.step *= ranks;
    run.log = place(ranks, seed) + ".jsonl";
    run.checkpoints = place(ranks, seed);
    const fs::path done = place(ranks, seed) + ".done";
    std::error_code ignored;
    if (!fs::exists(done, ignored)) {
      const JobResult result = carry_out(run, ranks);
      if (result.status == JobResult::Status::interrupted) {
        line_.clear();
        console_.note("interrupted: the same command goes on from the last checkpoint");
        return kInterrupted;
      }
      if (!result.ok()) {
        line_.clear();
        fmt::print(stderr,
                   "rankscope train: {}\nThe same command goes on from the last checkpoint.\n",
                   result.message);
        return kFailed;
      }
      write_whole(done.string(), "");
      fs::remove_all(run.checkpoints, ignored);
    }
    finished_.push_back({ranks, seed, training::read_log(run.log)});
    return kOk;
  }

  JobResult carry_out(const TrainingRun& run, int ranks) {
    RunnerOptions runner_options;
    runner_options.interrupt_fd = interrupt_.fd();
    runner_options.on_progress = [&](const RunProgress& progress) { show(run, ranks, progress); };
    ProcessRunner runner(std::move(runner_options));
    JobSpec spec = training::job_of(run, ranks);
    spec.transport.name = options_.transport;
    NoEvents nobody;
    return runner.run(spec, nobody);
  }

  /// Shows "run 3 of 20: N = 2, seed 3, iteration 420, 95.2 %, about 12 min left".
  void show(const TrainingRun& run, int ranks, const RunProgress& progress) {
    std::vector<training::TrainingMoment> log;
    try {
      log = training::read_log(run.log);
    } catch (const UserError&) {  // the file is not there yet, or that of an earlier run
    }
    const std::size_t all = sizes_.size() * static_cast<std::size_t>(options_.seeds);
    std::string text = fmt::format("run {} of {}: N = {}, seed {}", finished_.size() + 1, all,
                                   ranks, run.sgd.seed);
    if (!log.empty())
      text += fmt::format(", iteration {}, {:.2f} % right", log.back().iteration,
                          100 * log.back().accuracy());
    const double spent =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (!finished_.empty())
      text += fmt::format(", about {:.0f} min left",
                          std::max(0.0, (spent - progress.elapsed_s) / double(finished_.size()) *
                                                double(all - finished_.size()) -
                                            progress.elapsed_s) /
                              60);
    line_.show(text);
  }

  void report() {
    const auto table = training::speedup_table(finished_, settings_.until);
    const auto write = [&](const char* name, const std::string& text) {
      write_whole((fs::path(options_.out) / name).string(), text);
    };
    write("runs.csv", runs_csv(finished_, settings_.until));
    write("speedup.md", speedup_markdown(table));
    write("speedup.tex", speedup_latex(table));
    const Ruler& ruler = system_ruler();
    const Theme theme(Theme::Kind::light);
    write("loss.svg", to_svg(training::loss_plot(finished_, ruler), theme));
    write("accuracy.svg",
          to_svg(training::accuracy_plot(finished_, settings_.until, ruler), theme));
    write("speedup.svg", to_svg(training::speedup_plot(table, settings_.until, ruler), theme));
    if (console_.json()) return console_.print_raw(speedup_json(table, finished_, settings_.until));
    console_.print(speedup_text(table, console_.out()));
    console_.note(fmt::format(
        "k*(N): the first iteration, of every {}, with {:.4g} % of the test pictures right; mean ± "
        "standard deviation over seeds. Times: rank 0's until then, computing and communicating in "
        "iterations, testing between them. In {}: the table (.md, .tex, .csv), plots (.svg) and a "
        "log for each run",
        options_.every, 100 * settings_.until, options_.out));
  }

  const Console& console_;
  const TrainOptions& options_;
  const TrainingRun settings_;
  const std::vector<int> sizes_;
  Interrupt interrupt_;
  ProgressLine line_;
  std::vector<FinishedRun> finished_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Action define_train(OptionList app) {
  const auto o = std::make_shared<TrainOptions>();
  app.add_option("network", "NETWORK", o->network, "What is trained: lenet").default_str("lenet");
  const auto data = app.in_group("Data");
  data.add_with_default(
      "--data", "mnist|fashion-mnist|DIR", o->data,
      "Pictures: a data set of `rankscope data`, or a folder with its four files, plain or as .gz");
  data.add_with_default("--share", "sampled|sharded", o->sharing,
                        "Each worker draws from all training pictures, or from its own share");
  const auto workers = app.in_group("Workers");
  workers.add_with_default("--np", "LIST", o->np, "World sizes");
  workers.add_with_default("--seeds", "COUNT", o->seeds,
                           "Runs of each world size, with seeds 1, 2, 3 ...");
  workers.add_with_default(
      "--average", "parameters|gradients|gossip", o->average,
      "The averaged values: parameters after each step, gradients before it, or parameters of the "
      "two neighbours");
  workers.add_with_default("--period", "COUNT", o->period,
                           "Average the parameters after so many iterations (local SGD)");
  workers.add_with_default("--allreduce", "ALGORITHM", o->allreduce, "Algorithm that averages");
  workers.add_with_default(
      "--bucket", "SIZE", o->bucket,
      "Average gradients in buckets of this size during the backward pass; 0: after it");
  workers.add_with_default("-t,--transport", "ipc|tcp", o->transport, "The transport of messages");
  const auto steps = app.in_group("Steps");
  steps.add_with_default("--batch", "COUNT", o->batch, "Pictures per worker and iteration");
  steps.add_with_default("--step", "NUMBER", o->step, "Step size");
  steps.add_flag("--scale-step", o->scale_step, "Multiply the step by the number of workers");
  steps.add_with_default("--warmup", "COUNT", o->warmup,
                         "Iterations in which the step grows to its size");
  steps.add_with_default("--momentum", "NUMBER", o->momentum, "0 to less than 1");
  steps.add_with_default("--style", "1998|today", o->style,
                         "tanh and averages, or ReLU and maxima");
  const auto end = app.in_group("End and results");
  end.add_with_default("--until", "SHARE", o->until, "Share of the test pictures to get right");
  end.add_with_default("--every", "COUNT", o->every, "Iterations between two tests");
  end.add_with_default("--most", "COUNT", o->most, "Give up after this many iterations");
  end.add_with_default("--checkpoint-every", "COUNT", o->checkpoint_every, "Iterations");
  end.add_with_default("-o,--output", "DIR", o->out, "Folder for logs, tables and checkpoints");
  end.add_flag("--again", o->again, "Start over, removing the runs in the folder");
  return [o](const Console& console) { return Training(console, *o).run(); };
}

}  // namespace

constinit const CommandEntry kTrainCommand{
    .name = "train",
    .group = kMeasuring,
    .summary = "train LeNet-5 by several workers, and count the iterations that they need",
    .details =
        "Distributed SGD as the homework has it: each worker makes a step with its own gradient, "
        "then the parameters are averaged by an allreduce. For each world size and seed it counts "
        "the iterations until the share --until of test pictures is recognised, k*(N), and prints "
        "the speedup k*(1)/k*(N). Interrupted, the same command goes on from the last checkpoint.",
    .examples =
        "rankscope train lenet --data mnist-small --np 1,4 --until 0.9  # a first look\n"
        "rankscope train lenet --np 1,2,4,8 --until 0.97 --seeds 5  # the homework's table\n"
        "rankscope train lenet --np 4 --average gradients --momentum 0.9 --step 0.02  # as DDP "
        "does\n"
        "rankscope train lenet --np 1,4 --period 10 -o local  # local SGD\n"
        "rankscope train lenet --np 8 --average gossip --seeds 1  # neighbours only\n"
        "rankscope train lenet --data fashion-mnist --until 0.8  # other pictures",
    .define = define_train,
    .takes_plugins = true,
};

}  // namespace rankscope::cli
