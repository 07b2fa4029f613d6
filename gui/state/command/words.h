// The words of commands that have a type of their own: panes, themes, clocks, switches, things to select.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope::gui {

/// The places of views in the window. Each shows one view at a time.
enum class Slot : std::uint8_t { main, lower, side, side_lower };
inline constexpr std::array kSlots = {Slot::main, Slot::lower, Slot::side, Slot::side_lower};
constexpr std::string_view to_string(Slot slot) noexcept {
  constexpr std::array<std::string_view, kSlots.size()> kNames = {"main", "lower", "side",
                                                                  "side_lower"};
  return kNames[static_cast<std::size_t>(slot)];
}

enum class ThemeKind : std::uint8_t { dark, light, contrast };
inline constexpr std::array kThemes = {ThemeKind::dark, ThemeKind::light, ThemeKind::contrast};
constexpr std::string_view to_string(ThemeKind theme) noexcept {
  constexpr std::array<std::string_view, kThemes.size()> kNames = {"dark", "light", "contrast"};
  return kNames[static_cast<std::size_t>(theme)];
}

/// The unit of time: rounds (engine/analysis/events/rounds.h), or microseconds as they were measured.
enum class ClockBase : std::uint8_t { rounds, measured };
constexpr std::string_view to_string(ClockBase base) noexcept {
  return base == ClockBase::rounds ? "rounds" : "measured";
}

/// The word of a switch.
enum class Turn : std::uint8_t { off, on, toggle };
constexpr std::string_view to_string(Turn turn) noexcept {
  constexpr std::array<std::string_view, 3> kNames = {"off", "on", "toggle"};
  return kNames[static_cast<std::size_t>(turn)];
}
constexpr Turn turned(bool on) noexcept { return on ? Turn::on : Turn::off; }

/// A thing that can be selected or copied, together with its number.
enum class Thing : std::uint8_t { rank, message, chunk, event, problem };
constexpr std::string_view to_string(Thing thing) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"rank", "message", "chunk", "event",
                                                      "problem"};
  return kNames[static_cast<std::size_t>(thing)];
}

/// The curtain hides the rest of a run while a question about it waits for its
/// answer. `opens`: it lists, writes, copies or judges the whole run, or makes it again, so it is refused until then.
enum class Curtain : std::uint8_t { keeps, opens };

}  // namespace rankscope::gui
