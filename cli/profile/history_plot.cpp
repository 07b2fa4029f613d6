// Draws the goals of a release as rows of one axis.
#include "cli/profile/history_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope::cli {
namespace {

constexpr double kEdge = 24, kRow = 22, kAxis = 480, kGap = 14, kLine = 18, kDisc = 5, kTick = 5;
constexpr Ink kMet{Tone::good}, kMissed{Tone::error}, kEarlier{Tone::muted};

struct GoalRow {
  std::string key;
  double now = 0;
  std::vector<std::pair<std::string, double>> earlier;  ///< Version and score.
};

std::vector<GoalRow> rows_of(const std::vector<BenchRelease>& releases) {
  const BenchRelease& newest = releases.back();
  std::vector<GoalRow> rows;
  for (const auto& [key, score] : newest.scores) {
    GoalRow row{key, score, {}};
    for (const BenchRelease& one : releases)
      if (const auto found = one.scores.find(key);
          &one != &newest && one.machine == newest.machine && found != one.scores.end())
        row.earlier.emplace_back(one.version, found->second);
    rows.push_back(std::move(row));
  }
  ranges::stable_sort(rows, std::greater{}, &GoalRow::now);
  return rows;
}

class HistoryDrawing {
 public:
  HistoryDrawing(const std::vector<BenchRelease>& releases, Scene& scene, const Ruler& ruler)
      : newest_(releases.back()), rows_(rows_of(releases)), scene_(scene), draw_(scene, ruler) {
    double names = 0;
    low_ = 0.8, high_ = 2;
    for (const GoalRow& row : rows_) {
      names = std::max(names, draw_.width(row.key, kCaption));
      widen(row.now);
      for (const auto& [version, score] : row.earlier) widen(score);
    }
    const double left = kEdge + names + kGap;
    scene_.width = left + kAxis + kGap + draw_.width("0.000", kCaptionStrong) + kEdge;
    caption_ = wrapped(
        fmt::format("How many times as good as promised, by goal; from 1 on a goal is met. {}, {}.",
                    newest_.version, newest_.machine),
        kCaption, scene_.width - 2 * kEdge, ruler);
    const double top = kEdge + 44 + kLine * double(caption_.size()) + kRow;
    area_ = {left, top, kAxis, kRow * double(rows_.size())};
    scene_.height = area_.bottom() + kTick + 22 + kEdge;
  }

  void draw() {
    draw_.text(scene_.title, {kEdge, kEdge + 14}, kEmphasis);
    double y = kEdge + 38;
    for (const std::string& line : caption_) {
      draw_.text(line, {kEdge, y}, kCaption, {Tone::muted});
      y += kLine;
    }
    legend(y + 4);
    axis();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      row(rows_[i], area_.y + kRow * (double(i) + 0.5));
  }

 private:
  void widen(double score) {
    low_ = std::min(low_, score / 1.1);
    high_ = std::max(high_, score * 1.1);
  }
  double x_of(double score) const {
    return area_.x + area_.width * std::log(score / low_) / std::log(high_ / low_);
  }

  void dot(Point at, bool met) {
    draw_.circle(at, kDisc, met ? kMet : Ink{Tone::page}, met ? kMet : kMissed).line_width = 2;
  }

  void legend(double y) {
    double x = kEdge;
    const auto words = [&](std::string_view what) {
      draw_.level(what, {x, y}, kCaption, {Tone::muted}, Anchor::start);
      x += draw_.width(what, kCaption) + 24;
    };
    for (const bool met : {true, false}) {
      dot({x + kDisc, y}, met);
      x += 2 * kDisc + 8;
      words(met ? "met" : "missed");
    }
    tick(x + 2, y);
    x += 12;
    words("an earlier release");
  }

  void tick(double x, double y) { draw_.line({x, y - kTick}, {x, y + kTick}, kEarlier, 2); }

  void axis() {
    for (double decade = 1e-3; decade < 1e6; decade *= 10)
      for (const double step : {1.0, 2.0, 5.0}) {
        const double at = decade * step;
        if (at < low_ || at > high_) continue;
        const bool promised = std::abs(at - 1) < 1e-9;
        draw_.line({x_of(at), area_.y}, {x_of(at), area_.bottom() + kTick},
                   {promised ? Tone::text : Tone::grid}, promised ? 1.5 : 1);
        draw_.text(promised ? "1 = promised" : fmt::format("{:.6g}", at),
                   {x_of(at), area_.bottom() + kTick + 16}, kCaption,
                   {promised ? Tone::text : Tone::muted}, Anchor::middle);
      }
  }

  void row(const GoalRow& row, double y) {
    std::string story = fmt::format("{}: {:.3g} times", row.key, row.now);
    for (const auto& [version, score] : row.earlier)
      story += fmt::format("\n{}: {:.3g} times", version, score);
    draw_.new_group({.id = row.key, .story = story});
    draw_.level(row.key, {area_.x - kGap, y}, kCaption, {}, Anchor::end);
    for (const auto& [version, score] : row.earlier) tick(x_of(score), y);
    const bool met = row.now >= 1;
    // Its distance from what is promised.
    draw_.line({x_of(1), y}, {x_of(row.now), y}, met ? kMet : kMissed, 2);
    dot({x_of(row.now), y}, met);
    draw_.level(fmt::format("{:.3g}", row.now), {area_.right() + kGap, y},
                met ? kCaption : kCaptionStrong, met ? Ink{} : kMissed, Anchor::start);
    draw_.group(-1);
  }

  const BenchRelease& newest_;
  const std::vector<GoalRow> rows_;
  Scene& scene_;
  Drawing draw_;
  std::vector<std::string> caption_;
  double low_ = 0, high_ = 0;
  Box area_;
};

}  // namespace

Scene history_plot(const std::vector<BenchRelease>& releases, const Ruler& ruler) {
  Scene scene;
  scene.title = "Speed by release";
  scene.description = "How many times as good as promised each goal of speed is.";
  HistoryDrawing(releases, scene, ruler).draw();
  return scene;
}

}  // namespace rankscope::cli
