// Settings and layouts of the window.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/job/job.h"
#include "gui/state/command/commands.h"
#include "gui/state/command/words.h"

namespace rankscope::gui {

/// The settings of a student's program in the window, kept by file.
struct ProgramChoice {
  std::string file;      ///< Whole path; empty without a program.
  int ranks = 4;         ///< 0 if the program starts its ranks itself.
  std::string as, data;  ///< As `rankscope exec --as --data`; may be empty.
  std::string python;    ///< The interpreter; empty for the choice of `rankscope exec`.
  static constexpr std::size_t kMostKept = 64;
  bool operator==(const ProgramChoice&) const = default;
};

/// A window's inner part, on the desktop.
struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const WindowPlace&) const = default;
};

inline constexpr std::array<std::string_view, 4> kLabels = {"all", "chunks", "bytes", "none"};

/// When the curtain covers what comes after the cursor; auto: in lectures, and in lessons until their page's questions
/// are answered.
inline constexpr std::array<std::string_view, 3> kCurtains = {"auto", "on", "off"};

/// Views and their sizes; by default "standard", four panes.
struct Layout {
  std::array<std::string, kSlots.size()> view{"spacetime", "buffers", "code", "stage"};
  std::string& at(Slot slot) noexcept { return view[static_cast<std::size_t>(slot)]; }
  const std::string& at(Slot slot) const noexcept { return view[static_cast<std::size_t>(slot)]; }
  double left = 0.22;   ///< No longer used: kept in settings for older builds.
  double lesson = 0.3;  ///< Width of the lesson at the left, as a share of the window's.
  double right = 0.27;  ///< Width of the side.
  double lower = 0.42;  ///< Height of the lower row, as a share of the height between the bars.
  bool left_open = true, right_open = true, lower_open = true;
  bool drawer =
      false;  ///< The side is a single drawer; the lower row is the score (the run over time).
  /// Arguments of the command `race` that restore the layout's race; empty if it has none.
  std::string race;
  std::optional<Slot> maximized;
  bool operator==(const Layout&) const = default;
  /// Returns whether a pane has the view; a maximized pane does not count as covering it.
  bool shows(std::string_view name) const {
    return at(Slot::main) == name || (lower_open && at(Slot::lower) == name) ||
           (right_open && at(Slot::side) == name) ||
           (right_open && lower_open && !drawer && at(Slot::side_lower) == name);
  }
};

/// The layout that the window begins with: the picture, the score beneath it, and a drawer.
Layout stage_layout();

/// A part of the window that can be closed.
struct Panel {
  std::string_view name;
  bool Layout::*open;
};
inline constexpr std::array kPanels = {Panel{"left", &Layout::left_open},
                                       Panel{"right", &Layout::right_open},
                                       Panel{"lower", &Layout::lower_open}};
/// A size that the user drags.
struct Share {
  std::string_view name;
  double Layout::*of;
};
inline constexpr std::array kShares = {
    Share{"left", &Layout::left}, Share{"lesson", &Layout::lesson}, Share{"right", &Layout::right},
    Share{"lower", &Layout::lower}};

struct NamedLayout {
  std::string name;
  Layout layout;
  bool operator==(const NamedLayout&) const = default;
};

/// Every element of rank r is r + 1, so that sums are easy to check by hand.
inline JobSpec first_job() {
  JobSpec job;
  job.data.input = InputPattern::rank;
  return job;
}

/// Remembered from one start to the next.
struct Settings {
  ThemeKind theme = ThemeKind::dark;
  double ui_scale = 1;  ///< Multiplies the screen's own scale.
  static constexpr double kLeastScale = 0.75, kMostScale = 3;
  bool motion = true;
  bool values = false;  ///< Buffers show elements, not contributions.
  std::string labels = "chunks";
  std::string curtain = "auto";
  bool portrait = false;
  bool critical_path = false;
  bool narration = true;    ///< A sentence for each step.
  bool fold_code = true;    ///< Imports are folded into one line.
  bool pseudocode = true;   ///< Shows our algorithms' pseudocode in place of their source.
  std::string editor;       ///< "code -g {file}:{line}"; empty for the first editor that is found.
  bool open_faults = true;  ///< A graded program's failing run opens by itself.
  Layout layout = stage_layout();
  std::vector<NamedLayout> layouts;  ///< Saved by the user.
  static constexpr std::size_t kMostLayouts = 32;
  JobSpec job = first_job();
  std::vector<std::string> recent;
  std::vector<ProgramChoice> programs;  ///< The latest first.
  bool welcomed = false;
  std::string student;     ///< The student of lessons; empty for the user of the computer.
  std::string sheet_name;  ///< LessonState::sheet_name.
  std::string course;      ///< The student's course; empty for all lessons.
  std::optional<WindowPlace> window_place, presenter_place;  ///< Empty if it was never open.
};

/// An on/off setting that applies to every view.
struct SettingSwitch {
  const Row<Turn>& command;
  std::string_view key;  ///< In the settings file.
  bool Settings::*on;
};
inline constexpr std::array kSwitches = {
    SettingSwitch{cmd::values, "values", &Settings::values},
    SettingSwitch{cmd::portrait, "portrait", &Settings::portrait},
    SettingSwitch{cmd::critical_path, "critical_path", &Settings::critical_path},
    SettingSwitch{cmd::narration, "narration", &Settings::narration},
    SettingSwitch{cmd::fold_code, "fold_code", &Settings::fold_code},
    SettingSwitch{cmd::pseudocode, "pseudocode", &Settings::pseudocode},
    SettingSwitch{cmd::open_faults, "open_faults", &Settings::open_faults},
    SettingSwitch{cmd::motion, "motion", &Settings::motion}};

/// Returns the settings' file; empty without a home.
std::filesystem::path settings_path();

std::string to_json(const Settings& settings);
/// Reads settings. A damaged file must not keep a lecture from starting, so a value that is missing, of a wrong type or out of
/// range takes its default; `complaint` (may be null) names it.
Settings settings_from_json(std::string_view text, std::string* complaint);

/// Reads the settings' file, or returns the defaults.
Settings read_settings(std::string* complaint);
/// Writes the file whole or not at all; two windows at once do not damage it. Throws UserError.
void write_settings(const Settings& settings);

/// The built-in layouts: stage, standard, lecture, debug, code.
const std::vector<NamedLayout>& built_in_layouts();
/// Returns the user's layouts, then the built-in ones whose names are not taken.
std::vector<NamedLayout> layouts_of(const Settings& settings);
/// Returns the layout of this name. Throws a UserError that lists all names.
Layout layout_named(const Settings& settings, const std::string& name);
/// Saves the window's layout under this name. Throws UserError for the names "", "save" and "remove", and beyond kMostLayouts.
void save_layout(Settings& settings, const std::string& name);
/// Replaces an emptied view by the stage, or by "spacetime".
void leave_view(Layout& layout, std::string_view name);
/// Throws UserError if there is no saved layout of this name.
void remove_layout(Settings& settings, const std::string& name);

}  // namespace rankscope::gui
