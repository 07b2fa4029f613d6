// Reads a training's folder, and estimates its progress and remaining time.
#include "gui/state/training/training_results.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/training/data/known_data.h"
#include "gui/state/command/arguments.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using training::FinishedRun;
using training::TrainingMoment;

/// Parses "np4-seed2": a run's world size and seed.
std::optional<std::pair<int, std::uint64_t>> run_named(const std::string& stem) {
  const auto dash = stem.find("-seed");
  if (!stem.starts_with("np") || dash == std::string::npos) return std::nullopt;
  try {
    return std::pair(number_of<int>(stem.substr(2, dash - 2), "the world size"),
                     number_of<std::uint64_t>(stem.substr(dash + 5), "the seed"));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

double goal_in(const fs::path& folder) try {
  return training::training_run_from_json(read_or_nothing(folder / "settings.json")).until;
} catch (const UserError&) {
  return 0;
}

std::vector<std::string> earlier_trainings() {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  try {
    std::error_code error;
    for (fs::directory_iterator at(training_home(), error), end; !error && at != end;
         at.increment(error))
      if (const fs::path settings = at->path() / "settings.json"; fs::exists(settings, error))
        found.emplace_back(fs::last_write_time(settings, error), at->path().string());
  } catch (const UserError&) {  // no home: nothing there
  }
  ranges::sort(found, std::ranges::greater());
  std::vector<std::string> out;
  for (auto& [time, folder] : found) out.push_back(std::move(folder));
  return out;
}

auto place_of(const FinishedRun& run) { return std::pair(run.ranks, run.seed); }

bool same(const std::vector<TrainingMoment>& a, const std::vector<TrainingMoment>& b) {
  return ranges::equal(a, b, {}, training::line_of, training::line_of);
}

}  // namespace

fs::path training_home() { return training::data_home().parent_path() / "training"; }

std::vector<FinishedRun> TrainingResults::finished() const {
  std::vector<FinishedRun> out;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (done[i]) out.push_back(runs[i]);
  return out;
}

int TrainingResults::done_of(const std::vector<int>& sizes, int seeds) const {
  int count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (done[i] && runs[i].seed <= static_cast<std::uint64_t>(seeds) &&
        ranges::find(sizes, runs[i].ranks) != sizes.end())
      ++count;
  return count;
}

bool TrainingResults::operator==(const TrainingResults& other) const {
  return folder == other.folder && goal == other.goal && done == other.done &&
         earlier == other.earlier && unread == other.unread &&
         ranges::equal(runs, other.runs, [](const FinishedRun& a, const FinishedRun& b) {
           return place_of(a) == place_of(b) && same(a.log, b.log);
         });
}

TrainingResults read_training(const std::string& folder) {
  TrainingResults out;
  out.folder = folder;
  out.earlier = earlier_trainings();
  if (folder.empty()) return out;
  out.goal = goal_in(folder);
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto named = run_named(at->path().stem().string());
    if (!named || at->path().extension() != ".jsonl") continue;
    try {
      out.runs.push_back({named->first, named->second, training::read_log(at->path().string())});
    } catch (const UserError& e) {
      if (fs::exists(at->path(), error)) out.unread.emplace_back(e.what());  // else gone meanwhile
    }
  }
  ranges::sort(out.runs, {}, place_of);
  ranges::sort(out.unread);
  for (const FinishedRun& run : out.runs)
    out.done.push_back(
        fs::exists(fs::path(folder) / fmt::format("np{}-seed{}.done", run.ranks, run.seed), error));
  return out;
}

std::string time_left(double seconds) {
  if (seconds < 50)
    return fmt::format("about {:.0f} s left", std::max(5.0, std::ceil(seconds / 5) * 5));
  if (seconds < 50 * 60) return fmt::format("about {:.0f} min left", std::ceil(seconds / 60));
  return fmt::format("about {:.1f} h left", seconds / 3600);
}

TrainingProgress training_progress(const TrainingResults& results, const TrainingPace& pace) {
  TrainingProgress out;
  const int all =
      static_cast<int>(std::set<int>(pace.sizes.begin(), pace.sizes.end()).size()) * pace.seeds;
  const int done = results.done_of(pace.sizes, pace.seeds);
  if (all == 0) return out;
  out.share = double(done) / all;
  out.words = fmt::format("run {} of {}", std::min(done + 1, all), all);
  const FinishedRun* current = nullptr;
  for (std::size_t i = 0; i < results.runs.size(); ++i)
    if (!results.done[i] && ranges::find(pace.sizes, results.runs[i].ranks) != pace.sizes.end())
      current = current == nullptr ? &results.runs[i] : current;
  const int fresh = done - pace.done_before;
  if (fresh > 0) {
    const double each = pace.last_done_s / fresh, now = pace.elapsed_s - pace.last_done_s;
    out.left_s = std::max(0.0, each * (all - done) - now);
    out.share += std::min(0.95, each > 0 ? now / each : 0) / all;
  }
  if (current == nullptr || done == all) return out;
  out.words += fmt::format(": N = {}, seed {}", current->ranks, current->seed);
  if (current->log.empty()) return out;
  const TrainingMoment& last = current->log.back();
  out.words += fmt::format(", iteration {}, {:.1f} % right", last.iteration, 100 * last.accuracy());
  // A run ends at `most` at the latest; when it reaches the goal is unknown.
  const double fraction = pace.most > 0 ? double(last.iteration) / double(pace.most) : 0;
  if (fresh <= 0) out.share += std::min(0.95, fraction) / all;
  return out;
}

}  // namespace rankscope::gui
