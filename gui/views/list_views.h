// The views that are lists and tables.
#pragma once

#include <memory>

#include "gui/views/view.h"

namespace rankscope::gui {

std::unique_ptr<View> make_code_view();
std::unique_ptr<View> make_events_view();
std::unique_ptr<View> make_table_view();
std::unique_ptr<View> make_problems_view();
std::unique_ptr<View> make_processes_view();

}  // namespace rankscope::gui
