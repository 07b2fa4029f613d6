// The commands of spotlight and pen.
#include "gui/state/app/pen_commands.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostStrokes = 500, kMostPoints = 4000;

bool has_spotlight(const AppState& s) { return s.lecture.spotlight; }
bool draws_with_pen(const AppState& s) { return s.lecture.pen; }
bool has_strokes(const AppState& s) { return !s.lecture.strokes.empty(); }

/// "0.25,0.5": shares of the window.
PenStroke::Point point_said(const std::string& word) {
  const auto comma = word.find(',');
  if (comma == std::string::npos) throw UserError("a pen's line goes by points like 0.25,0.5");
  const PenStroke::Point point{number_of<double>(word.substr(0, comma), "a pen's x"),
                               number_of<double>(word.substr(comma + 1), "a pen's y")};
  const auto inside = [](double share) { return share >= 0 && share <= 1; };
  if (!inside(point.x) || !inside(point.y))
    throw UserError("a pen's points lie between 0,0 and 1,1, the window's corners");
  return point;
}

}  // namespace

// ---- The commands ----

constexpr Row<Turn> cmd::spotlight("spotlight [on|off|toggle|RADIUS]",
                                   "A bright circle around the mouse, all else dimmed", "S", 0, 1,
                                   Curtain::keeps, does<&PenCommands::spotlight>,
                                   menu(item(Menu::lesson, 2, "Spotlight", "toggle", nullptr,
                                             has_spotlight)));
constexpr Row<Turn> cmd::pen(
    "pen [on|off|toggle|orange|blue|green|purple|undo|clear|line X,Y...]",
    "Draws over the window with the mouse; undo takes a line back, clear all", "D", 0, kAnyNumber,
    Curtain::keeps, does<&PenCommands::pen>,
    menu(item(Menu::lesson, 2, "Pen", "toggle", nullptr, draws_with_pen),
         item(Menu::lesson, 2, "Take a pen's line back", "undo", has_strokes, nullptr, true),
         item(Menu::lesson, 2, "Clear what the pen drew", "clear", has_strokes, nullptr, true)),
    also("draw on the screen, annotate"));

void PenCommands::spotlight(const Arguments& words) {
  auto& lecture = state_.lecture;
  const bool is_size = !words.empty() && words[0].find_first_of("0123456789") == 0;
  if (!is_size) {
    lecture.spotlight = words.switched(lecture.spotlight);
    return;
  }
  const auto radius = words.number<double>(0, "the spotlight's radius");
  if (!(radius >= LectureState::kLeastSpotlight && radius <= LectureState::kMostSpotlight))
    throw UserError(fmt::format("the spotlight's radius goes from {} to {} pixels",
                                LectureState::kLeastSpotlight, LectureState::kMostSpotlight));
  lecture.spotlight_radius = radius;
  lecture.spotlight = true;
}

void PenCommands::line(const Arguments& words) {
  auto& lecture = state_.lecture;
  if (words.size() < 2) throw UserError("a pen's line needs points: pen line 0.2,0.3 0.4,0.3");
  if (words.size() > kMostPoints)
    throw UserError(fmt::format("a pen's line has {} points at most", kMostPoints - 1));
  if (lecture.strokes.size() >= kMostStrokes)
    throw UserError(fmt::format("{} lines are drawn already: pen clear", kMostStrokes));
  PenStroke stroke{lecture.pen_color, {}};
  for (std::size_t i = 1; i < words.size(); ++i) stroke.points.push_back(point_said(words[i]));
  lecture.strokes.push_back(std::move(stroke));
}

void PenCommands::pen(const Arguments& words) {
  auto& lecture = state_.lecture;
  const std::string& word = words[0];
  if (word == "line") return line(words);
  if (words.size() > 1) throw UserError(fmt::format("'pen {}' takes no more words", word));
  if (word == "clear") return lecture.strokes.clear();
  if (word == "undo") {
    if (!lecture.strokes.empty()) lecture.strokes.pop_back();
    return;
  }
  const auto color = ranges::find(kPenColors, word, &PenColor::name);
  if (color != kPenColors.end()) {
    lecture.pen_color = static_cast<std::size_t>(color - kPenColors.begin());
    lecture.pen = true;
    return;
  }
  if (!word.empty() && word != "on" && word != "off" && word != "toggle")
    throw UserError(fmt::format(
        "say on, off, undo, clear, line, or a colour (orange, blue, green, purple), not \"{}\"",
        word));
  lecture.pen = words.switched(lecture.pen);
}

}  // namespace rankscope::gui
