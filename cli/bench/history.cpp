// Reads, extends and draws the history of speed.
#include "cli/bench/history.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal/output.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kVersionColumn = "version", kMachineColumn = "machine";

/// No field of the file has a comma.
std::string without_comma(std::string_view text) {
  std::string out(text);
  ranges::replace(out, ',', ';');
  ranges::replace(out, '\n', ' ');
  return out;
}

std::string history_in(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw UserError(
        fmt::format("cannot read {}: `rankscope bench --history {}` makes it", file, file));
  return {std::istreambuf_iterator<char>(in), {}};
}

double score_of(const std::string& field, std::string_view file, int line) {
  const double score = as_number<double>(field).value_or(0);
  if (!(score > 0) || !std::isfinite(score))
    throw UserError(fmt::format("{}:{}: a figure is a number above 0, or nothing, not '{}'", file,
                                line, field));
  return score;
}

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
    // Draws the goal's distance from what is promised.
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

std::string machine_name() {
  std::ifstream in("/proc/cpuinfo");
  std::string name = "unknown processor";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) {
      name = line.substr(line.find(':') + 2);
      break;
    }
  return fmt::format("{}; {} processors", without_comma(name), std::thread::hardware_concurrency());
}

std::vector<BenchRelease> parse_history(std::string_view text, std::string_view file) {
  std::vector<BenchRelease> releases;
  std::vector<std::string> head;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto parts = split_at(text.substr(0, end), ",");
    const std::vector<std::string> fields(parts.begin(), parts.end());
    text.remove_prefix(std::min(end + 1, text.size()));
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (head.empty()) {
      if (fields.size() < 2 || fields[0] != kVersionColumn || fields[1] != kMachineColumn)
        throw UserError(fmt::format(
            "{}:{}: no history of `rankscope bench`: its first line begins with '{},{}'", file,
            number, kVersionColumn, kMachineColumn));
      head = fields;
      continue;
    }
    if (fields.size() != head.size())
      throw UserError(fmt::format("{}:{}: {} fields, and the first line has {}", file, number,
                                  fields.size(), head.size()));
    BenchRelease release{fields[0], fields[1]};
    for (std::size_t i = 2; i < fields.size(); ++i)
      if (!fields[i].empty()) release.scores[head[i]] = score_of(fields[i], file, number);
    releases.push_back(std::move(release));
  }
  return releases;
}

std::string history_text(const std::vector<BenchRelease>& releases) {
  std::set<std::string> keys;
  for (const auto& release : releases)
    for (const auto& [key, score] : release.scores) keys.insert(key);
  std::string text = fmt::format("{},{}", kVersionColumn, kMachineColumn);
  for (const auto& key : keys) text += "," + key;
  text += "\n";
  for (const auto& release : releases) {
    text += fmt::format("{},{}", release.version, release.machine);
    for (const auto& key : keys) {
      const auto found = release.scores.find(key);
      text += found == release.scores.end() ? "," : fmt::format(",{:.3g}", found->second);
    }
    text += "\n";
  }
  return text;
}

void add_release(std::vector<BenchRelease>& releases, std::string_view version,
                 std::string_view machine, const std::vector<Goal>& goals) {
  const auto same = [&](const BenchRelease& one) {
    return one.version == version && one.machine == machine;
  };
  auto place = ranges::find_if(releases, same);
  if (place == releases.end())
    place = releases.insert(place, {std::string(version), std::string(machine)});
  for (const Goal& goal : goals)
    if (!goal.key.empty() && goal.score > 0) place->scores[without_comma(goal.key)] = goal.score;
}

void add_to_history(const std::string& file, const std::vector<Goal>& goals) {
  std::vector<BenchRelease> releases;
  if (std::filesystem::exists(file)) releases = parse_history(history_in(file), file);
  add_release(releases, RANKSCOPE_VERSION, machine_name(), goals);
  write_whole(file, history_text(releases));
}

Scene history_plot(const std::vector<BenchRelease>& releases, const Ruler& ruler) {
  Scene scene;
  scene.title = "Speed by release";
  scene.description = "How many times as good as promised each goal of speed is.";
  HistoryDrawing(releases, scene, ruler).draw();
  return scene;
}

void plot_history(const std::string& history, const std::string& svg) {
  const auto releases = parse_history(history_in(history), history);
  if (releases.empty() || releases.back().scores.empty())
    throw UserError(fmt::format("{} has no figures yet: `rankscope bench --history {}` adds them",
                                history, history));
  write_whole(svg, to_svg(history_plot(releases, system_ruler()), theme_named("light")));
}

}  // namespace rankscope::cli
