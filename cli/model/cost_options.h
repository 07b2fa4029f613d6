// The options of `predict` and `sweep`: algorithms, a call of all ranks, a network.
#pragma once

#include <string>
#include <vector>

#include "cli/option_list.h"
#include "engine/core/base/quantity.h"
#include "engine/model/costs/crossover.h"

namespace rankscope::cli {

struct CostOptions {
  std::vector<std::string> algorithms;
  std::string bytes = "1MiB", alpha = "5us", bandwidth = "10GB/s", gamma = "0", segment,
              type = "float32";
  int ranks = 8, root = 0, group = 0, radix = 0;

  /// Adds all options except the algorithms.
  void add_to(OptionList app);
  /// Returns the named algorithms; a collective's name stands for all its algorithms. Throws UserError.
  std::vector<const Algorithm*> chosen() const;
  /// Throws UserError for a value out of range.
  CostSetting setting() const;
};

/// Returns "5 us", "10 GB/s", "64 KiB" or "16 ranks".
std::string axis_value_text(CostAxis axis, double value);
/// Returns "1 MiB a rank, 8 ranks, latency 5 us, 10 GB/s", without the value of the axis `without`.
std::string setting_text(const CostSetting& setting, const CostAxis* without = nullptr);
/// Returns "allreduce.bde is the fastest up to 64 KiB, then allreduce.ring"; "" for a single algorithm.
std::string fastest_text(const std::vector<FastestRange>& ranges,
                         const std::vector<const Algorithm*>& algorithms, CostAxis axis);

}  // namespace rankscope::cli
