// The picture of a drawn schedule: ranks below each other, steps from left to right, chunks with whose contributions they hold.
#pragma once

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"
#include "gui/state/schedule/schedule_facts.h"

namespace rankscope::gui {

/// Groups: "cell-STEP-RANK-CHUNK" with stories (step 0: the start; one step more than there are: where the next one is drawn)
/// and "move-N". The counter-example's moves, and the chunk at which it shows, are in the tone of errors.
Scene schedule_scene(const ScheduleState& state, const Ruler& ruler);

std::optional<ScheduleState::Place> place_in(const Scene& scene, Point at);
Box box_of(const Scene& scene, const ScheduleState::Place& place);

}  // namespace rankscope::gui
