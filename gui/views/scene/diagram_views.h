// The views that show a diagram of engine/diagrams.
#pragma once

#include <memory>

#include "gui/views/view.h"

namespace rankscope::gui {

std::unique_ptr<View> make_spacetime_view();
std::unique_ptr<View> make_buffers_view();
std::unique_ptr<View> make_graph_view();
std::unique_ptr<View> make_matrix_view();
std::unique_ptr<View> make_statistics_view();
std::unique_ptr<View> make_schematic_view();
std::unique_ptr<View> make_compare_view();

}  // namespace rankscope::gui
