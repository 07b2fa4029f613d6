// The pictures of a lesson's runs: view, place of the cursor, and pictures, on paper and in the application.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

/// The round at which the cursor starts, of "round 2", "end" (infinity) or an empty text (0). Nothing for any other text.
std::optional<double> start_round(std::string_view at) noexcept;
/// The complaint about a run's `view`, with the nearest one; empty when the view is known, or none is named.
std::string view_problem(std::string_view view);

/// The complaint about a figure's `diagram`, with the nearest one; empty when it is known.
std::string picture_problem(std::string_view name);
/// Draws a run for paper or, with a width, for a lesson's text of that width; a time-space diagram also fills the height. A
/// simulated run is drawn by its clock, and "network" shows its topology. Throws UserError for an unknown name, a page that
/// is too small, or the network of a run without a topology.
Scene picture_of(const TraceAnalysis& analysis, std::string_view name, double width = 0,
                 double height = 0);
/// Returns whether a picture shows moments of the run, as those of buffers do.
bool has_moments(std::string_view name);
/// Draws only the moments after `first` to `last` rounds, from 0 to last_moment().
Scene moments_of(const TraceAnalysis& analysis, std::string_view name, int first, int last,
                 double width, double height);
/// An SVG file as the src of an <img>, where ids of several files do not clash and no script runs.
std::string svg_data_url(std::string_view svg);
/// The picture that stands for a run's view (buffers, player …) on paper; empty where that is the program's text.
std::string_view picture_for_view(std::string_view view);
/// The name of the picture of a run that a block shows ("code" for the program); for other blocks their id.
std::string picture_shown_by(const Lesson& lesson, const Block& block);
/// The text of an algorithm's program; empty where it is not embedded.
std::string_view program_text(std::string_view algorithm);

}  // namespace rankscope
