// The makers of all views in gui/state/command/view_infos.h.
#pragma once

#include <array>
#include <memory>

#include "engine/core/base/ranges.h"
#include "gui/views/base/view.h"

namespace rankscope::gui {

std::unique_ptr<View> make_stage_view();
std::unique_ptr<View> make_spacetime_view();
std::unique_ptr<View> make_buffers_view();
std::unique_ptr<View> make_matrix_view();
std::unique_ptr<View> make_table_view();
std::unique_ptr<View> make_code_view();
std::unique_ptr<View> make_events_view();
std::unique_ptr<View> make_statistics_view();
std::unique_ptr<View> make_schematic_view();
std::unique_ptr<View> make_compare_view();
std::unique_ptr<View> make_race_view();
std::unique_ptr<View> make_training_view();
std::unique_ptr<View> make_overlap_view();
std::unique_ptr<View> make_network_view();
std::unique_ptr<View> make_schedule_view();
std::unique_ptr<View> make_inspect_view();
std::unique_ptr<View> make_problems_view();
std::unique_ptr<View> make_output_view();
std::unique_ptr<View> make_lesson_view();

struct ViewMaker {
  std::string_view name;
  std::unique_ptr<View> (*make)();
};
inline constexpr std::array kViewMakers = {
    ViewMaker{"stage", make_stage_view},         ViewMaker{"spacetime", make_spacetime_view},
    ViewMaker{"buffers", make_buffers_view},     ViewMaker{"matrix", make_matrix_view},
    ViewMaker{"table", make_table_view},         ViewMaker{"code", make_code_view},
    ViewMaker{"events", make_events_view},       ViewMaker{"statistics", make_statistics_view},
    ViewMaker{"schematic", make_schematic_view}, ViewMaker{"compare", make_compare_view},
    ViewMaker{"race", make_race_view},           ViewMaker{"training", make_training_view},
    ViewMaker{"overlap", make_overlap_view},     ViewMaker{"network", make_network_view},
    ViewMaker{"schedule", make_schedule_view},   ViewMaker{"inspect", make_inspect_view},
    ViewMaker{"problems", make_problems_view},   ViewMaker{"output", make_output_view},
    ViewMaker{"lesson", make_lesson_view}};
static_assert(ranges::equal(kViewMakers, kViews, {}, &ViewMaker::name, &ViewInfo::name),
              "a view has a row here and in view_infos.h, at the same place");

}  // namespace rankscope::gui
