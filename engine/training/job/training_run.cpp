// A training run: settings as JSON, log, checkpoints, and the loop on a rank.
#include "engine/training/job/training_run.h"

#include <array>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/training/job/training_program.h"

namespace rankscope::training {

NLOHMANN_JSON_SERIALIZE_ENUM(Activation, {{Activation::tanh, "tanh"}, {Activation::relu, "relu"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Pooling, {{Pooling::average, "average"}, {Pooling::max, "max"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Averaging, {{Averaging::parameters, "parameters"},
                                         {Averaging::gradients, "gradients"},
                                         {Averaging::gossip, "gossip"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Sharing,
                             {{Sharing::sampled, "sampled"}, {Sharing::sharded, "sharded"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LeNet5Options, activation, pooling)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SgdSettings, network, averaging, sharing, batch, step, momentum,
                                   period, warmup, bucket_bytes, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainingRun, sgd, data, allreduce, until, every, most, log,
                                   checkpoints, checkpoint_every, resume)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainingMoment, iteration, loss, right, pictures, computing_s,
                                   communicating_s, testing_s)

void TrainingRun::validate() const {
  sgd.validate();
  const auto need = [](bool good, const char* what) {
    if (!good) throw UserError(what);
  };
  need(until >= 0 && until <= 1, "the accuracy to reach is a share from 0 to 1, such as 0.97");
  need(every >= 1, "the test pictures are looked at after 1 or more iterations");
  need(most >= 1, "a run has at least 1 iteration");
  need(checkpoint_every >= 1, "a checkpoint is written after 1 or more iterations");
  if (sgd.averaging == Averaging::gossip) return;
  require_algorithm(allreduce, Collective::allreduce);
}

std::string to_json(const TrainingRun& run) { return dump_json(nlohmann::json(run)); }

TrainingRun training_run_from_json(std::string_view text) try {
  return parse_json(text).get<TrainingRun>();
} catch (const nlohmann::json::exception& e) {
  throw UserError(fmt::format("these are no settings of a training run: {}", e.what()));
}

std::string line_of(const TrainingMoment& moment) {
  return dump_json(nlohmann::json(moment)) + "\n";
}

std::vector<TrainingMoment> read_log(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw UserError(fmt::format("the log {} cannot be read", escaped(file)));
  std::vector<TrainingMoment> out;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto json = parse_json_or_none(line);
    if (!json.is_object()) continue;
    try {
      out.push_back(json.get<TrainingMoment>());
    } catch (const nlohmann::json::exception&) {
      throw UserError(fmt::format(
          "the log {} is of another version of rankscope (line {} is not what this one writes): "
          "`rankscope train` with --again trains from the start, or choose another folder with "
          "--output",
          escaped(file), number));
    }
  }
  return out;
}

JobSpec job_of(const TrainingRun& run, int world_size) {
  run.validate();
  constexpr double kNoLimit = 1e8;  // seconds
  JobSpec spec;
  spec.call.algorithm = "lenet";
  spec.call.platform = kTrainingPlatform;
  spec.call.program = to_json(run);
  spec.world.size = world_size;
  spec.recording.trace = TraceLevel::off;
  spec.recording.timeout_s = kNoLimit;
  return spec;
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic{'R', 'S', 'S', 'G', 'D', '0', '0', '1'};

/// The head of a checkpoint, in this machine's byte order, as no other machine reads it.
struct Head {
  std::array<char, 8> magic = kMagic;
  std::uint64_t run = 0;
  std::int64_t iteration = 0;
  std::int32_t rank = 0, ranks = 0;
  std::uint64_t checksum = 0;  ///< Of the bytes that follow.
};
static_assert(sizeof(Head) == 40);

constexpr std::size_t kValues = 2 * LeNet5Layout::kParameters;

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::string run, Rank rank, int ranks)
    : folder_(std::move(folder)),
      run_(XXH3_64bits(run.data(), run.size())),
      rank_(rank),
      ranks_(ranks) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw UserError(fmt::format("the folder {} for checkpoints cannot be made: {}",
                                escaped(folder_.string()), error.message()));
}

fs::path Checkpoints::file_of(std::int64_t iteration) const {
  return folder_ / fmt::format("rank{}of{}-{}.sgd", rank_, ranks_, iteration);
}

std::vector<std::int64_t> Checkpoints::all_iterations() const {
  std::vector<std::int64_t> out;
  std::error_code error;
  const std::string head = fmt::format("rank{}of{}-", rank_, ranks_);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    std::int64_t iteration = 0;
    if (name.starts_with(head) &&
        std::sscanf(name.c_str() + head.size(), "%ld.sgd", &iteration) == 1 &&
        entry.path() == file_of(iteration))
      out.push_back(iteration);
  }
  ranges::sort(out, std::greater());
  return out;
}

void Checkpoints::write(const SgdState<float>& state) {
  std::vector<float> values(state.parameters.begin(), state.parameters.end());
  values.insert(values.end(), state.velocity.begin(), state.velocity.end());
  const std::size_t bytes = values.size() * sizeof(float);
  const Head head{.run = run_,
                  .iteration = state.iteration,
                  .rank = rank_,
                  .ranks = ranks_,
                  .checksum = XXH3_64bits(values.data(), bytes)};
  std::string text(sizeof head + bytes, '\0');
  std::memcpy(text.data(), &head, sizeof head);
  std::memcpy(text.data() + sizeof head, values.data(), bytes);
  try {
    NewFile file(file_of(state.iteration).string(), "Free some space, or choose another place.");
    file.write([&](std::ostream& out) {
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
    });
    file.finish();
  } catch (const UserError& e) {
    const auto whole = iterations();
    throw UserError(fmt::format(
        "{} {}", e.what(),
        whole.empty() ? std::string("No earlier checkpoint is there.")
                      : fmt::format("The checkpoint of iteration {} is whole, {}: "
                                    "training goes on from it.",
                                    whole.front(), escaped(file_of(whole.front()).string()))));
  }
  const auto all = all_iterations();
  std::error_code ignored;
  for (std::size_t i = 2; i < all.size(); ++i) fs::remove(file_of(all[i]), ignored);
}

std::optional<SgdState<float>> Checkpoints::read(std::int64_t iteration) const {
  std::ifstream in(file_of(iteration), std::ios::binary);
  Head head{.magic = {}};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  std::vector<float> values(kValues);
  const auto bytes = static_cast<std::streamsize>(kValues * sizeof(float));
  in.read(reinterpret_cast<char*>(values.data()), bytes);
  if (!in || in.peek() != std::ifstream::traits_type::eof() || head.magic != kMagic ||
      head.run != run_ || head.iteration != iteration || head.rank != rank_ ||
      head.ranks != ranks_ || head.checksum != XXH3_64bits(values.data(), kValues * sizeof(float)))
    return std::nullopt;
  SgdState<float> state;
  state.iteration = iteration;
  state.parameters.assign(values.begin(), values.begin() + kValues / 2);
  state.velocity.assign(values.begin() + kValues / 2, values.end());
  return state;
}

std::vector<std::int64_t> Checkpoints::iterations() const {
  auto all = all_iterations();
  std::erase_if(all, [&](std::int64_t one) { return !read(one); });
  return all;
}

namespace {

constexpr std::int64_t kNone = -1;

/// Returns the smallest of the ranks' numbers, on every rank.
std::int64_t smallest(Communicator& comm, std::int64_t mine) {
  const std::vector<std::int64_t> value{mine};
  Buffer in = Buffer::of(value), out = Buffer::of(value);
  run_algorithm(comm, require_algorithm("allreduce.bde"),
                {.in = in, .out = out, .op = ReduceOp::min});
  return out.as<std::int64_t>().front();
}

/// Returns the settings that runs must share to go on from each other's checkpoints: all but when they end, test and
/// write, and where to.
std::string kinship(TrainingRun run) {
  run.until = 0;
  run.most = 1;
  run.every = run.checkpoint_every = 1;
  run.log.clear();
  run.checkpoints.clear();
  run.resume = false;
  return to_json(run);
}

/// Rank 0's file with a line for each test.
class Log {
 public:
  /// Keeps the lines up to iteration `begin`, from which a run goes on.
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

  /// Goes on from the newest checkpoint that all ranks have; from the beginning if there is none.
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
