// A plot of lines over two axes, as a scene.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct PlotLine {
  std::string name;           ///< Stands at the line's end; empty if none.
  std::vector<Point> points;  ///< In the axes' units, by ascending x. y grows upwards.
  int color = 0;              ///< Index into the tones of series.
  bool reference = false;     ///< Something to compare with: dotted, grey, no marks.
  bool marks = false;         ///< A dot at each point.
  /// Bars from least to most at each point; empty if none.
  std::vector<std::pair<double, double>> spread = {};
};

/// A place that lines share, such as a crossing: a ring, a line down to the axis, and a label.
struct PlotMark {
  Point at;  ///< In the axes' units.
  std::string label;
};

/// A logarithmic axis has ticks at powers of `base` (2 or 10; of 10 also at 2 and 5 times them where there is room). All
/// values are above 0.
struct PlotScale {
  int base = 0;  ///< 0: linear.
  std::function<std::string(double value)>
      text{};  ///< The text of a tick; empty for the number itself.
};

struct LinePlot {
  std::string title, caption;
  std::string x_title, y_title;
  std::vector<PlotLine> lines;
  bool y_from_zero = true;
  bool percent = false;  ///< y is a share, shown in %.
  PlotScale x_scale{}, y_scale{};
  std::vector<PlotMark> marks{};
  bool whole_x = false;  ///< x has whole numbers only: each that occurs has its own tick.
  double width = 760, height = 440;
  double margin = 24;  ///< Around all of it.
};

/// Returns multiples of 1, 2 or 5 times a power of ten that cover `least` to `most` in about `count` steps.
std::vector<double> round_ticks(double least, double most, int count);

/// The same for a logarithmic axis.
std::vector<double> log_ticks(double least, double most, int base, int count);

/// Without points, draws empty axes.
Scene line_plot(const LinePlot& plot, const Ruler& ruler);

}  // namespace rankscope
