// One line of a profile: the speed of one algorithm (or baseline) on one number of ranks and bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/model/auto_choice.h"

namespace rankscope {

struct ProfileRecord {
  std::string algorithm;  ///< "allreduce.ring", or a baseline's name: "gloo".
  std::string collective;
  std::string transport;
  bool baseline = false;
  std::string chosen;  ///< The algorithm that allreduce.auto chose; otherwise empty.
  int np = 0;
  std::uint64_t bytes = 0;                               ///< Size S of nccl-tests.
  int launches = 0;                                      ///< Jobs sent out, one per round.
  int warmup = 0, iterations = 0;                        ///< Per launch.
  double min_s = 0, median_s = 0, p99_s = 0, max_s = 0;  ///< Of iterations; the slowest rank's.
  double algbw = 0, busbw = 0;                           ///< Bytes per second, of the median.
  std::vector<double> round_median_s;  ///< One per round, to compare with the others' in pairs.
  std::string error;                   ///< The reason why there are no times.
  bool ok() const noexcept { return error.empty() && launches > 0; }
};

/// Computes the medians and bandwidths over all iterations.
void summarize_into(ProfileRecord& record, const std::vector<double>& times_s);

/// Returns the measurements of our own algorithms.
std::vector<ChoiceSample> samples_of(const std::vector<ProfileRecord>& records);

/// Returns a JSON array of objects with the names above, one record per line.
std::string to_json(const std::vector<ProfileRecord>& records);
std::string to_csv(const std::vector<ProfileRecord>& records);

}  // namespace rankscope
