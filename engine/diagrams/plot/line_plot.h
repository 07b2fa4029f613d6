// A plot of lines over two axes, as a scene.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct PlotLine {
  std::string name;           ///< Stands at the line's end; empty: none.
  std::vector<Point> points;  ///< In the axes' units, by ascending x. y grows upwards.
  int color = 0;              ///< Index into the palette of ranks.
  bool reference = false;     ///< Something to compare with: dotted, grey, no marks.
  bool marks = false;         ///< A dot at each point.
  /// Bars from least to most at each point; empty: none.
  std::vector<std::pair<double, double>> spread = {};
};

struct LinePlot {
  std::string title, caption;
  std::string x_title, y_title;
  std::vector<PlotLine> lines;
  bool y_from_zero = true;
  bool percent = false;  ///< y is a share, shown in %.
  bool whole_x = false;  ///< x has whole numbers only: each that occurs has its own tick.
  double width = 760, height = 440;
  double margin = 24;  ///< Around all of it.
};

/// Round numbers (1, 2 or 5 times a power of ten) that cover `least` to `most` in at most `count` steps.
std::vector<double> round_ticks(double least, double most, int count);

/// Throws nothing; without points it is the empty axes.
Scene line_plot(const LinePlot& plot, const Ruler& ruler);

}  // namespace rankscope
