// Pictures of a lesson's runs, as handouts and the application show them.
#pragma once

#include <string>
#include <string_view>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"
#include "lessons/lesson/lesson.h"

namespace rankscope {

/// What is wrong with a figure's `diagram`, with the nearest one; empty: nothing.
std::string picture_problem(std::string_view name);
/// On paper; with a width, in a lesson's text, as wide as it is; a time-space diagram as high, too. A simulated run is drawn
/// by its clock, and "network" shows its topology. Throws UserError for an unknown name, a page that is too small, or a
/// network of a run without a topology.
Scene picture_of(const TraceAnalysis& analysis, std::string_view name, double width = 0,
                 double height = 0);
/// It shows moments of the run, as buffers do.
bool has_moments(std::string_view name);
/// The same with only the moments after `first` to `last` rounds (0: the start; last_moment(): the end).
Scene moments_of(const TraceAnalysis& analysis, std::string_view name, int first, int last,
                 double width, double height);
/// An SVG file as an <img>'s src: ids of several do not clash, and nothing in it runs.
std::string svg_data_url(std::string_view svg);
/// The picture that stands for a run's view (buffers, player ...) on paper; empty: its program's text.
std::string_view picture_for_view(std::string_view view);
/// Which picture of a run a block shows, by its name ("code": the program); else the block's id.
std::string picture_shown_by(const Lesson& lesson, const Block& block);
/// The text of a run's program; empty where this program does not have it.
std::string_view program_text(std::string_view algorithm);

}  // namespace rankscope
