// Reads, extends and draws the history of speed.
#include "cli/profile/bench_history.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "cli/profile/history_plot.h"
#include "cli/terminal/write_file.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kVersionColumn = "version", kMachineColumn = "machine";

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == ',') fields.emplace_back();
    else fields.back() += c;
  return fields;
}

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
  char* end = nullptr;
  const double score = std::strtod(field.c_str(), &end);
  if (end == field.c_str() || *end != '\0' || !(score > 0) || !std::isfinite(score))
    throw UserError(fmt::format("{}:{}: a figure is a number above 0, or nothing, not '{}'", file,
                                line, field));
  return score;
}

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
    const auto fields = fields_of(text.substr(0, end));
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

void plot_history(const std::string& history, const std::string& svg) {
  const auto releases = parse_history(history_in(history), history);
  if (releases.empty() || releases.back().scores.empty())
    throw UserError(fmt::format("{} has no figures yet: `rankscope bench --history {}` adds them",
                                history, history));
  write_whole(svg, to_svg(history_plot(releases, system_ruler()), theme_named("light")));
}

}  // namespace rankscope::cli
