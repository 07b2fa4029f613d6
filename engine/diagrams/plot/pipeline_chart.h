// A pipeline's stages over time: one row per stage, one numbered bar per microbatch, idle time hatched.
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

struct PipelineWait {
  double begin = 0, end = 0;
};

struct PipelineRow {
  std::string name;
  std::vector<PipelineBar> bars;         ///< By ascending time, none over another.
  std::vector<PipelineWait> waits = {};  ///< Times between bars that have a reason of their own.
  std::string note = {};                 ///< At the row's end; empty if none.
};

struct PipelineChart {
  std::string title, caption;
  std::string time_title;  ///< The title of the time axis.
  std::vector<PipelineRow> rows;
  std::string unit = {};                  ///< Unit of time in the bars' stories: "ms".
  std::string idle = "idle: the bubble";  ///< The name of time without bars and waits.
  std::string waiting = {};               ///< The name of waits; empty where no row has any.
  double width = 0;  ///< 0: as wide as the numbers in the bars need, from 640 to 1600.
};

/// Time without bars, from 0 to the end of the last bar, is idle and hatched; if waits have a name, only they are
/// hatched. Without bars, rows are empty.
Scene pipeline_chart(const PipelineChart& chart, const Ruler& ruler);

}  // namespace rankscope
