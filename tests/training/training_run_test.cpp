// Training runs as jobs: settings, logs, checkpoints, the table of k*(N), and real worker processes.
#include "engine/training/job/training_run.h"

#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <zlib.h>

#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/run/job_json.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/training/job/speedup.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/training/made_up_pictures.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

namespace fs = std::filesystem;

TrainingRun small_run(const fs::path& folder) {
  TrainingRun run;
  run.sgd.batch = 4;
  run.sgd.step = 0.05;
  run.sgd.averaging = Averaging::gradients;
  run.sgd.momentum = 0.9;
  run.data = (folder / "data").string();
  run.log = (folder / "log.jsonl").string();
  run.checkpoints = (folder / "checkpoints").string();
  run.until = 0;
  run.every = 2;
  run.most = 12;
  run.checkpoint_every = 4;
  return run;
}

JobResult train(const TrainingRun& run, int ranks, RunnerOptions options = {}) {
  options.program = test::rankscope_binary().string();
  ProcessRunner runner(std::move(options));
  NoEvents nobody;
  return runner.run(job_of(run, ranks), nobody);
}

/// Loss and accuracy of each look, to the bit.
std::vector<std::tuple<std::int64_t, double, std::int64_t>> curve_of(const std::string& log) {
  std::vector<std::tuple<std::int64_t, double, std::int64_t>> out;
  for (const TrainingMoment& one : read_log(log))
    out.emplace_back(one.iteration, one.loss, one.right);
  return out;
}

SgdState<float> some_state(std::int64_t iteration) {
  SgdState<float> state;
  state.iteration = iteration;
  state.parameters = initial_parameters<float>(static_cast<std::uint64_t>(iteration));
  state.velocity = initial_parameters<float>(static_cast<std::uint64_t>(iteration) + 1);
  return state;
}

/// As on a full disk: files end at this size, also those of processes that are started meanwhile.
class SmallFiles {
 public:
  explicit SmallFiles(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

std::vector<TrainingMoment> log_of(const std::vector<int>& right) {
  std::vector<TrainingMoment> log;
  for (std::size_t i = 0; i < right.size(); ++i)
    log.push_back({.iteration = static_cast<std::int64_t>(10 * (i + 1)),
                   .right = right[i],
                   .pictures = 100,
                   .computing_s = double(i),
                   .communicating_s = 1});
  return log;
}

}  // namespace

TEST_CASE("training: settings come back from their JSON, and others are refused", "[training]") {
  TrainingRun run;
  run.sgd = {.network = {Activation::relu, Pooling::max},
             .averaging = Averaging::gossip,
             .sharing = Sharing::sharded,
             .batch = 7,
             .step = 0.25,
             .momentum = 0.5,
             .period = 1,
             .warmup = 3,
             .seed = 42};
  run.data = "x";
  run.until = 0.5;
  CHECK(to_json(training_run_from_json(to_json(run))) == to_json(run));
  CHECK_THROWS_AS(training_run_from_json("{}"), UserError);
  CHECK_THROWS_AS(training_run_from_json("no"), UserError);
  run.sgd.averaging = Averaging::parameters;
  run.allreduce = "broadcast.flat";
  CHECK_THROWS_WITH(run.validate(), ContainsSubstring("broadcast.flat is no allreduce"));
  run.allreduce = "allreduce.ring";
  run.until = 97;
  CHECK_THROWS_WITH(run.validate(), ContainsSubstring("such as 0.97"));
  run.until = 0.97;
  run.every = 0;
  CHECK_THROWS_AS(run.validate(), UserError);
}

TEST_CASE("training: a log is read up to where its run was killed", "[training]") {
  const ScratchFolder folder("log");
  const std::string file = (folder.path() / "log").string();
  CHECK_THROWS_AS(read_log(file), UserError);
  const std::string line = line_of({.iteration = 10, .loss = 0.1, .right = 3, .pictures = 4});
  std::ofstream(file) << line << "nonsense\n" << line.substr(0, line.size() / 2);
  REQUIRE(read_log(file).size() == 1);
  CHECK(read_log(file)[0].loss == 0.1);
  CHECK(read_log(file)[0].accuracy() == 0.75);

  std::ofstream(file) << line << "{\"epoch\":1,\"loss\":0.5}\n";
  CHECK_THROWS_WITH(read_log(file), ContainsSubstring("another version of rankscope (line 2") &&
                                        ContainsSubstring("--again"));
}

TEST_CASE("training: checkpoints are whole, of their run and rank, or not there", "[training]") {
  const ScratchFolder folder("checkpoints");
  Checkpoints mine(folder.path(), "a", 0, 2);
  CHECK(mine.iterations().empty());
  for (const std::int64_t k : {4, 8, 12}) mine.write(some_state(k));
  CHECK(mine.iterations() == std::vector<std::int64_t>{12, 8});  // two are kept
  CHECK(mine.read(12)->parameters == some_state(12).parameters);
  CHECK(mine.read(12)->velocity == some_state(12).velocity);
  CHECK(Checkpoints(folder.path(), "b", 0, 2).iterations().empty());
  CHECK(Checkpoints(folder.path(), "a", 1, 2).iterations().empty());
  CHECK(Checkpoints(folder.path(), "a", 0, 3).iterations().empty());

  const fs::path newest = folder.path() / "rank0of2-12.sgd";
  SECTION("a damaged one is passed over") {
    std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(1000);
    file.put('!');
    file.close();
    CHECK(mine.iterations() == std::vector<std::int64_t>{8});
  }
  SECTION("one that was cut off, too") {
    fs::resize_file(newest, fs::file_size(newest) - 1);
    CHECK(mine.iterations() == std::vector<std::int64_t>{8});
  }
  SECTION("and one that goes on") {
    std::ofstream(newest, std::ios::app) << "x";
    CHECK(mine.iterations() == std::vector<std::int64_t>{8});
  }
  SECTION("a folder that cannot be made is an error") {
    CHECK_THROWS_WITH(Checkpoints(newest / "below", "a", 0, 1),
                      ContainsSubstring("cannot be made"));
  }
}

TEST_CASE("training: a full disk loses no checkpoint, and what is left is named", "[training]") {
  const ScratchFolder folder("train");
  test::write_pictures(folder.path() / "data", test::made_up_pictures(200, 100));
  TrainingRun run = small_run(folder.path());
  run.most = 8;
  REQUIRE(train(run, 2).ok());
  const fs::path kept = fs::path(run.checkpoints) / "rank0of2-8.sgd";
  REQUIRE(fs::exists(kept));
  run.resume = true;
  run.most = 16;
  {
    const SmallFiles full(fs::file_size(kept) / 10 * 9);  // a worker's own memory is smaller
    const JobResult broken = train(run, 2);
    INFO(broken.message);
    CHECK(broken.status == JobResult::Status::failed);
    CHECK_THAT(broken.message, ContainsSubstring("cannot write") &&
                                   ContainsSubstring("Free some space") &&
                                   ContainsSubstring("The checkpoint of iteration 8 is whole") &&
                                   ContainsSubstring("of2-8.sgd"));
    const ScratchFolder empty("checkpoints");
    CHECK_THROWS_WITH(Checkpoints(empty.path(), "a", 0, 2).write(some_state(4)),
                      ContainsSubstring("No earlier checkpoint is there"));
    CHECK(fs::is_empty(empty.path()));  // no part of a file either
  }
  for (const auto& entry : fs::directory_iterator(run.checkpoints))
    CHECK(entry.path().extension() == ".sgd");
  REQUIRE(train(run, 2).ok());
  TrainingRun whole = run;
  whole.resume = false;
  whole.log = (folder.path() / "whole.jsonl").string();
  whole.checkpoints.clear();
  REQUIRE(train(whole, 2).ok());
  CHECK(curve_of(run.log) == curve_of(whole.log));
}

TEST_CASE("training: k*(N) and the speedup, by hand", "[training]") {
  const std::vector<FinishedRun> runs{{1, 1, log_of({50, 90, 97, 99})},
                                      {1, 2, log_of({50, 97, 96})},
                                      {4, 1, log_of({97})},
                                      {4, 2, log_of({10, 20, 96})},
                                      {2, 3, log_of({97, 97})}};
  CHECK(iterations_to(runs[0].log, 0.97) == 30);
  CHECK(!iterations_to(runs[3].log, 0.97));
  const auto table = speedup_table(runs, 0.97);
  REQUIRE(table.size() == 3);
  CHECK(table[0].ranks == 1);
  CHECK(table[0].iterations.mean == 25);
  CHECK(std::abs(table[0].iterations.deviation - std::sqrt(50.0)) < 1e-12);
  CHECK(table[0].speedup.mean == 1);
  CHECK(table[1].ranks == 2);
  CHECK(table[1].iterations.mean == 10);
  CHECK(table[1].speedup.count == 0);  // its seed was not run with one worker
  CHECK(table[2].runs == 2);
  CHECK(table[2].reached == 1);
  CHECK(table[2].iterations.mean == 10);
  CHECK(table[2].speedup.mean == 3);
  CHECK(table[2].communicating_s == 1);
  CHECK(spread_of(std::vector<double>{}).count == 0);
}

TEST_CASE("training: a killed run goes on to the curve of one that was never stopped",
          "[training]") {
  const ScratchFolder folder("train");
  test::write_pictures(folder.path() / "data", test::made_up_pictures(200, 100));

  // Killed somewhere in the middle, once a checkpoint is there.
  TrainingRun killed = small_run(folder.path());
  killed.most = 1'000'000;
  RunnerOptions options;
  bool dead = false;
  options.on_progress = [&](const RunProgress& progress) {
    std::error_code ignored;
    if (!dead && fs::exists(killed.checkpoints, ignored) &&
        !fs::is_empty(killed.checkpoints, ignored))
      dead = ::kill(progress.pids.at(1), SIGKILL) == 0;
  };
  const JobResult broken = train(killed, 3, std::move(options));
  CHECK(broken.status == JobResult::Status::failed);
  CHECK_THAT(broken.message,
             ContainsSubstring("rank 1") && ContainsSubstring("killed by signal 9"));
  const auto seen = curve_of(killed.log);
  REQUIRE(!seen.empty());

  killed.resume = true;
  killed.most = std::get<0>(seen.back()) + 20;
  const JobResult resumed = train(killed, 3);
  INFO(to_json(resumed));
  REQUIRE(resumed.ok());

  TrainingRun whole = killed;
  whole.resume = false;
  whole.log = (folder.path() / "whole.jsonl").string();
  whole.checkpoints.clear();
  REQUIRE(train(whole, 3).ok());
  const auto curve = curve_of(whole.log);
  CHECK(curve.size() == static_cast<std::size_t>(whole.most / whole.every));
  CHECK(curve_of(killed.log) == curve);
}

TEST_CASE("training: what is wrong with the data is the run's message", "[training]") {
  const ScratchFolder folder("train");
  TrainingRun run = small_run(folder.path());
  const JobResult result = train(run, 2);
  CHECK(result.status == JobResult::Status::failed);
  CHECK_THAT(result.message, ContainsSubstring("train-images-idx3-ubyte"));
}
