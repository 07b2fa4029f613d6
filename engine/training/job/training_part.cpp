// One rank's part of a training run: trains, looks at the test pictures, logs, and leaves checkpoints.
#include <fstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/new_file.h"
#include "engine/core/base/utf8.h"
#include "engine/core/message/communicator.h"
#include "engine/training/job/checkpoint.h"
#include "engine/training/job/training_run.h"

namespace rankscope::training {
namespace {

constexpr std::int64_t kNone = -1;

/// The smallest of the ranks' numbers, on every rank.
std::int64_t smallest(Communicator& comm, std::int64_t mine) {
  const std::vector<std::int64_t> value{mine};
  Buffer in = Buffer::of(value), out = Buffer::of(value);
  run_algorithm(comm, require_algorithm("allreduce.bde"),
                {.in = in, .out = out, .op = ReduceOp::min});
  return out.as<std::int64_t>().front();
}

/// What runs must have in common to go on from each other's checkpoints: all but where they end and write.
std::string kinship(TrainingRun run) {
  run.until = 0;
  run.most = 1;
  run.every = run.checkpoint_every = 1;
  run.log.clear();
  run.checkpoints.clear();
  run.resume = false;
  return to_json(run);
}

/// Rank 0's file with a line for each look at the test pictures.
class Log {
 public:
  /// Keeps the lines of what a run that goes on has done already.
  Log(const std::string& file, std::int64_t begin) : file_(file) {
    if (file_.empty()) return;
    std::string kept;
    if (begin > 0 && std::ifstream(file_))
      for (const TrainingMoment& one : read_log(file_))
        if (one.iteration <= begin) kept += line_of(one);
    write_whole(file_, kept);
    out_.open(file_, std::ios::app);
  }
  void add(const TrainingMoment& moment) {
    if (file_.empty()) return;
    if (!(out_ << line_of(moment) << std::flush))
      throw UserError(
          fmt::format("the log {} cannot be written: is the disk full?", escaped(file_)));
  }

 private:
  std::string file_;
  std::ofstream out_;
};

class Part {
 public:
  Part(RankContext& rank, const TrainingRun& run)
      : run_(run),
        comm_(rank),
        pictures_(load_pictures(run.data)),
        sgd_(comm_, pictures_, run.sgd,
             run.sgd.averaging == Averaging::gossip ? nullptr : &require_algorithm(run.allreduce)) {
    if (!run.checkpoints.empty())
      checkpoints_.emplace(run.checkpoints, kinship(run), comm_.rank(), comm_.size());
  }

  void train() {
    if (run_.resume && checkpoints_) resume();
    std::optional<Log> log;
    if (comm_.rank() == 0) log.emplace(run_.log, sgd_.state().iteration);
    double loss = 0;
    std::int64_t since = 0, next_checkpoint = sgd_.state().iteration + run_.checkpoint_every;
    while (sgd_.state().iteration < run_.most) {
      loss += sgd_.step().loss;
      ++since;
      const std::int64_t iteration = sgd_.state().iteration;
      if (iteration % run_.every != 0 && iteration < run_.most) continue;
      const TrainingMoment moment = look(loss / double(since));
      if (log) log->add(moment);
      if (run_.until > 0 && moment.accuracy() >= run_.until) return;
      loss = 0;
      since = 0;
      if (!checkpoints_ || iteration < next_checkpoint) continue;
      checkpoints_->write(sgd_.state());
      next_checkpoint = iteration + run_.checkpoint_every;
    }
  }

 private:
  TrainingMoment look(double loss) {
    const auto seconds = [](std::chrono::nanoseconds time) {
      return std::chrono::duration<double>(time).count();
    };
    return {.iteration = sgd_.state().iteration,
            .loss = loss,
            .right = sgd_.evaluate(),
            .pictures = static_cast<std::int64_t>(pictures_.test.size()),
            .computing_s = seconds(sgd_.times().computing),
            .communicating_s = seconds(sgd_.times().communicating),
            .testing_s = seconds(sgd_.times().testing)};
  }

  /// From the newest checkpoint that all ranks have; from the beginning when there is none.
  void resume() {
    const auto mine = checkpoints_->iterations();
    const std::int64_t common = smallest(comm_, mine.empty() ? kNone : mine.front());
    auto state = common == kNone ? std::nullopt : checkpoints_->read(common);
    if (smallest(comm_, state ? 1 : 0) == 1) sgd_.resume(std::move(*state));
  }

  const TrainingRun& run_;
  Communicator comm_;
  PictureData pictures_;
  DistributedSgd<float> sgd_;
  std::optional<Checkpoints> checkpoints_;
};

}  // namespace

void train_lenet(RankContext& rank, std::string_view settings) {
  const TrainingRun run = training_run_from_json(settings);
  run.validate();
  Part(rank, run).train();
}

}  // namespace rankscope::training
