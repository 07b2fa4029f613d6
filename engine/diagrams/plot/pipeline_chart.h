// What each stage of a pipeline computes when, as a scene: a row a stage, a numbered bar a microbatch, the bubble hatched.
#pragma once

#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct PipelineBar {
  double begin = 0, end = 0;
  int microbatch = 0;
  bool backward = false;
};

struct PipelineRow {
  std::string name;
  std::vector<PipelineBar> bars;  ///< By ascending time, none over another.
  std::string note;               ///< At the row's end; empty: none.
};

struct PipelineChart {
  std::string title, caption;
  std::string time_title;  ///< What the time is counted in.
  std::vector<PipelineRow> rows;
  double width = 0;  ///< 0: as wide as the numbers in the bars need, from 640 to 1600.
};

/// Between 0 and the end of the last bar, what is free of bars is idle. Without bars: empty rows.
Scene pipeline_chart(const PipelineChart& chart, const Ruler& ruler);

}  // namespace rankscope
