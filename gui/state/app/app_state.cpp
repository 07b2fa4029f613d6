#include "gui/state/app/app_state.h"

namespace rankscope::gui {

std::string_view to_string(ThemeKind theme) noexcept {
  switch (theme) {
    case ThemeKind::dark: return "dark";
    case ThemeKind::light: return "light";
    case ThemeKind::contrast: break;
  }
  return "contrast";
}

std::string_view to_string(Slot slot) noexcept {
  switch (slot) {
    case Slot::main: return "main";
    case Slot::lower: return "lower";
    case Slot::side: return "side";
    case Slot::side_lower: break;
  }
  return "side_lower";
}

}  // namespace rankscope::gui
