// The messages of a short part of a large run, one by one.
#pragma once

#include <string>

#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope {

/// Where an overview has its rows.
struct OverviewPlaces {
  double left = 0, length = 0;  ///< Of the time axis.
  double rows_from = 0, pitch = 0;
};

/// What the ranks do, and their messages, in place of counted cells.
void draw_single(Drawing& drawing, const OverviewCounts& counts, const SingleMessages& single,
                 const OverviewPlaces& places);

/// A moment of the run, with as many digits as tell moments of a window of this length apart.
std::string moment_text(double us, double window_us);

}  // namespace rankscope
