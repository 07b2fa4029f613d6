// Decides when the first page stands where a picture would.
#include "gui/state/model/app_state.h"

#include <array>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

bool AppState::first_page() const {
  if (show_welcome) return true;
  const bool something = has_trace() || live.running || result || !loading.empty() ||
                         lesson.lesson || !problems.empty() || race.running;
  if (something) return false;
  // Views that show pictures of a run have nothing else to show; others have.
  constexpr std::array<std::string_view, 9> kPictures = {"stage",      "spacetime", "buffers",
                                                         "graph",      "matrix",    "table",
                                                         "statistics", "schematic", "race"};
  const Layout& layout = settings.layout;
  const auto& main = layout.at(layout.maximized.value_or(Slot::main));
  return ranges::find(kPictures, main) != kPictures.end() && !layout.shows("training") &&
         !layout.shows("overlap") && !layout.shows("network") && !layout.shows("schedule");
}

}  // namespace rankscope::gui
