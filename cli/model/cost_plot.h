// Times over an axis, computed and drawn.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "engine/model/costs/crossover.h"

namespace rankscope::cli {

struct CostSweep {
  CostSetting setting;
  CostAxis axis = CostAxis::bytes;
  std::vector<const Algorithm*> algorithms;
  std::vector<double> values{};              ///< Of the axis, ascending.
  std::vector<std::vector<double>> times{};  ///< Seconds, by algorithm and value.
  std::vector<double> bounds{};  ///< Seconds, by value; empty: the algorithms have different ones.
  std::vector<FastestRange> fastest{};
};

/// False: `stopped`, which is asked before each point, said so. Throws what cost_of() throws.
bool fill_sweep(CostSweep& sweep,
                const std::function<bool(std::size_t done, std::size_t all)>& stopped);

/// Each point takes so little that a plot may have many.
bool is_quick(const CostSweep& sweep);

struct PlotSize {
  double width = 760, height = 440;
};
/// "760x440", 320x240 to 4000x4000. Throws UserError.
PlotSize parse_plot_size(std::string_view text);

/// Both axes are logarithmic; a mark wherever another algorithm becomes the fastest. Algorithms with the same times share
/// a line.
Scene cost_plot(const CostSweep& sweep, const PlotSize& size, const Ruler& ruler);

}  // namespace rankscope::cli
