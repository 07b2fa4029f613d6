// What `predict` and `sweep` are asked: algorithms, a call of all ranks, a network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/option_list.h"
#include "engine/core/base/rate_text.h"
#include "engine/model/costs/crossover.h"

namespace rankscope::cli {

struct CostOptions {
  std::vector<std::string> algorithms;
  std::string bytes = "1MiB", alpha = "5us", bandwidth = "10GB/s", gamma = "0", segment,
              type = "float32";
  int ranks = 8, root = 0, group = 0, radix = 0;

  /// The options beside the algorithms.
  void add_to(OptionList app);
  /// Algorithms by their names; the name of a collective stands for all of its own. Throws UserError.
  std::vector<const Algorithm*> chosen() const;
  /// Throws UserError for what is out of range.
  CostSetting setting() const;
};

/// Of a byte: a time ("0.05ns"), what is done in a second ("20GB/s"), or 0. Seconds.
double parse_gamma(std::string_view text, std::string_view what);

/// "5 us", "10 GB/s", "64 KiB", "16 ranks".
std::string axis_value_text(CostAxis axis, double value);
/// "1 MiB on 8 ranks, alpha 5 us, 10 GB/s", without the axis's own if there is one.
std::string setting_text(const CostSetting& setting, const CostAxis* without = nullptr);
/// "up to 64 KiB allreduce.bde is fastest, then allreduce.ring". Empty for one algorithm.
std::string fastest_text(const std::vector<FastestRange>& ranges,
                         const std::vector<const Algorithm*>& algorithms, CostAxis axis);

}  // namespace rankscope::cli
