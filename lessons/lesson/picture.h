// Pictures of a lesson's runs, as handouts and the application show them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// What a figure's `diagram` may be: spacetime, grid (whose data the buffers hold after each round), strip
/// (their values), graph, matrix, schematic, statistics.
std::span<const std::string_view> picture_names();
/// What is wrong with such a name, with the nearest one; empty: nothing.
std::string picture_problem(std::string_view name);
/// Throws UserError for an unknown name.
Scene picture_of(const TraceAnalysis& analysis, std::string_view name);
/// An SVG file as an <img>'s src: ids of several do not clash, and nothing in it runs.
std::string svg_data_url(std::string_view svg);
/// The picture that stands for a run's view (buffers, player ...) on paper; empty: its program's text.
std::string_view picture_for_view(std::string_view view);
/// The text of a run's program; empty where this program does not have it.
std::string_view program_text(std::string_view algorithm);

}  // namespace rankscope
