// The state of a lecture: its scenes, the presenter's window, a black screen, spotlight, pen, timer and countdown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/ranges.h"
#include "lessons/slides/lecture_file.h"

namespace rankscope::gui {

/// Colours of the Okabe-Ito palette, which colour-blind people can tell apart, on light and dark grounds if outlined.
struct PenColor {
  std::string_view name;
  std::uint32_t rgb;  ///< 0xrrggbb
};
inline constexpr std::array kPenColors = {PenColor{"orange", 0xE69F00}, PenColor{"blue", 0x56B4E9},
                                          PenColor{"green", 0x009E73},
                                          PenColor{"purple", 0xCC79A7}};

/// A line drawn over the window.
struct PenStroke {
  struct Point {
    double x = 0, y = 0;  ///< Shares of the window's width and height.
    bool operator==(const Point&) const = default;
  };
  std::size_t color = 0;  ///< Index into kPenColors.
  std::vector<Point> points;
  bool operator==(const PenStroke&) const = default;
};

struct Countdown {
  int total_s = 0, left_s = 0;  ///< Whole seconds; at 0 it is over, and still shown.
  bool paused = false;
  bool operator==(const Countdown&) const = default;
};

/// The open lecture file.
struct ScenesState {
  std::shared_ptr<const Lecture> lecture;  ///< Null if none is open.
  std::size_t now = 0;
  bool arriving = false;  ///< The scene's run is being made.
  bool moving =
      false;  ///< Held processes were given an order, and what they did is not all shown yet.
  bool asks = false;   ///< Its question stands: what it asks for has not been shown.
  bool strip = false;  ///< All scenes are shown, to jump to one.
  /// By scene: it was shown; it was left with processes that are held; the clicker passes it over.
  std::vector<bool> seen, kept, skipped;
  std::vector<std::size_t> order;  ///< The scenes in the order in which they are given.
  bool open() const noexcept { return lecture != nullptr; }
  const LectureScene* scene() const noexcept { return lecture ? &lecture->scenes[now] : nullptr; }
  /// Returns the place of the scene in the order, from 0.
  std::size_t place() const noexcept {
    return static_cast<std::size_t>(ranges::find(order, now) - order.begin());
  }
  /// Returns the scene that comes next (+1) or before (-1), without the skipped ones.
  std::optional<std::size_t> neighbour(int direction) const noexcept {
    for (auto at = static_cast<std::ptrdiff_t>(place()) + direction;
         at >= 0 && at < static_cast<std::ptrdiff_t>(order.size()); at += direction)
      if (const std::size_t scene = order[static_cast<std::size_t>(at)]; !skipped[scene])
        return scene;
    return std::nullopt;
  }
  /// Returns the minutes of the scenes that are given; with `until_now` only those up to this one.
  double minutes(bool until_now = false) const noexcept {
    double all = 0;
    for (const std::size_t scene : order) {
      if (!skipped[scene]) all += lecture->scenes[scene].minutes;
      if (until_now && scene == now) break;
    }
    return all;
  }
};
/// The lecture that was open last, and how far it was.
struct StoppedLecture {
  std::string file, title;
  std::size_t place = 0, scenes = 0;  ///< `place`: of the scene in their order, from 0.
  int timer_s = 0;
};
/// A lecture that comes with rankscope.
struct LectureCard {
  std::string file, title, summary;
  double minutes = 0;
};

/// A question that is put before a step is seen, and the hands that were raised.
/// The chunks that a question names: cards without room for names show them by hue and place.
struct ChunkSigns {
  int chunks = 0;
  int asked = -1;              ///< In its text; -1: none.
  std::vector<int> by_option;  ///< Empty where options name none.
};

struct StepPrediction {
  std::string text;
  std::vector<std::string> options;
  ChunkSigns signs;
  std::vector<int> hands;  ///< By option.
  int right = -1;          ///< An option; -1 if the right one is not known.
  int step = 0;  ///< The step that answers it, and, once it has, how many steps were over then.
  std::size_t last = 0;   ///< The option that was chosen last.
  bool of_scene = false;  ///< The lecture's own.
  bool resolved = false;  ///< Its step was seen.
  std::string says;       ///< The right answer, then, and how many were right.
  std::string run;        ///< Of which run it is.
  bool open() const noexcept { return !text.empty(); }
  bool stands() const noexcept { return open() && !resolved; }
};

struct LectureState {
  ScenesState scenes;
  StepPrediction prediction;
  std::optional<StoppedLecture> stopped;
  std::vector<LectureCard> cards;
  bool presenter = false;  ///< The presenter's window is open.
  bool blank = false;      ///< The window is black.
  bool spotlight = false;
  double spotlight_radius = 150;  ///< In pixels at scale 1.
  static constexpr double kLeastSpotlight = 40, kMostSpotlight = 800;
  bool pen = false;           ///< The mouse draws.
  std::size_t pen_color = 0;  ///< Index into kPenColors.
  std::vector<PenStroke> strokes;

  int timer_s = 0;  ///< Since the lecture began, without pauses.
  bool timer_runs = false;
  int minute_of_day = 0;  ///< Local time; while the presenter's window is open.
  std::optional<Countdown> countdown;
  /// Seconds until one of these figures changes on the screen; large if none will.
  double next_change_s = kNever;
  static constexpr double kNever = 1e9;

  bool keeps_frames = false;  ///< `record on`: the window's last minute is kept, lecture or not.
};

}  // namespace rankscope::gui
