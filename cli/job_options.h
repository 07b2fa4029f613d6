// The options that say what is to be run, shared by the commands that run something.
#pragma once

#include <string>
#include <vector>

#include "cli/option_list.h"
#include "engine/run/job/job.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {

/// As typed; spec() reads them. Every option is optional, with JobSpec's own default.
struct JobOptions {
  std::string algorithm = "allreduce.ring";
  std::string ranks = "4", count, bytes, shape;
  std::string dtype = "float32", op = "SUM", root = "0", scatter_dim = "0", gather_dim = "0";
  std::string segment = "0", group = "0", schedule;
  bool left_ring = false;
  std::string transport{kDefaultTransport}, send_mode = "buffered", eager_limit = "0";
  std::string input = "exact", seed = "1", values;
  bool no_check = false;
  std::string trace = "full";
  std::vector<std::string> delays;
  std::string warmup = "0", iterations = "1", timeout = "60";

  void add_algorithm(OptionList app, bool required);
  void add_job(OptionList app);
  void add_transport(OptionList app);
  void add_measuring(OptionList app);
  void add_timeout(OptionList app);

  /// Validated. Throws UserError.
  JobSpec spec() const;
};

}  // namespace rankscope::cli
