// Names the states of the live side for scripts and tests.
#include "gui/state/app/app_state.h"

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

}  // namespace rankscope::gui
