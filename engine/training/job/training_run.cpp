// The settings of a training run as JSON, and its log.
#include "engine/training/job/training_run.h"

#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/utf8.h"
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
  if (require_algorithm(allreduce).collective != Collective::allreduce)
    throw UserError(
        fmt::format("{} is no allreduce: `rankscope list allreduce` has them", allreduce));
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
  spec.algorithm = "lenet";
  spec.platform = kTrainingPlatform;
  spec.program = to_json(run);
  spec.world_size = world_size;
  spec.trace = TraceLevel::off;
  spec.timeout_s = kNoLimit;
  return spec;
}

}  // namespace rankscope::training
