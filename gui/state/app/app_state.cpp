// Names the states of the live side for scripts and tests.
#include "gui/state/app/app_state.h"

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

std::string_view to_string(ThemeKind theme) noexcept {
  constexpr std::array<std::string_view, kThemes.size()> kNames = {"dark", "light", "contrast"};
  return kNames[static_cast<std::size_t>(theme)];
}

std::string_view to_string(Slot slot) noexcept {
  constexpr std::array<std::string_view, kSlots.size()> kNames = {"main", "lower", "side",
                                                                  "side_lower"};
  return kNames[static_cast<std::size_t>(slot)];
}

JobSpec first_job() {
  JobSpec job;
  job.input = InputPattern::rank;
  return job;
}

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
