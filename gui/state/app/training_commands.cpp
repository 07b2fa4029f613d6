// The commands of training: `rankscope train` does it, in a process of its own, and its logs are read as they grow.
#include "gui/state/app/training_commands.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/plugin_loader.h"
#include "engine/core/base/text.h"
#include "engine/training/data/known_data.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/files.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using State = TrainingState::State;
constexpr std::chrono::milliseconds kReadEvery{300};
constexpr std::size_t kMostName = 120;
constexpr double kLargest = 1e9;  ///< The largest number in the settings.

/// Returns the first data set that is here.
std::string pictures_here() {
  for (const training::KnownData& one : training::known_data())
    if (training::folder_of(one)) return std::string(one.name);
  return "";
}

/// Parses "1,2,4"; returns nothing for other forms, which only `rankscope train` understands.
std::vector<int> world_sizes(const std::string& text) {
  std::vector<int> out;
  try {
    for (const std::string_view part : split_at(text, ","))
      out.push_back(number_of<int>(std::string(part), "workers"));
  } catch (const UserError&) {
    return {};
  }
  return out;
}

/// Returns the folder's name for a training: the same settings continue in the same folder.
std::string folder_name(const TrainingValues& values) {
  std::string name;
  for (std::size_t i = 0; i < kTrainingFields.size(); ++i) {
    const TrainingField& field = kTrainingFields[i];
    if (field.key == "np" || field.key == "seeds") continue;  // more of them are more runs of it
    if (field.key != "data" && values[i] == field.first) continue;
    name += (name.empty() ? "" : "-") +
            (field.is == TrainingField::Is::number ? std::string(field.key) : "") +
            (field.is == TrainingField::Is::flag ? std::string(field.key) : values[i]);
  }
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return name.size() > kMostName ? name.substr(name.size() - kMostName) : name;
}

bool is_training(const AppState& s) { return s.training.state == State::running; }
bool is_not_training(const AppState& s) { return !is_training(s); }

}  // namespace

std::string_view to_string(TrainingState::State state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"none", "running", "stopped", "failed",
                                                      "done"};
  return kNames[static_cast<std::size_t>(state)];
}

TrainingCommands::TrainingCommands(App& app) : CommandGroup(app), child_(app.options().changed) {
  auto& values = state_.training.values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kTrainingFields[i].first;
  try {
    values[training_field("data")] = pictures_here();
  } catch (const UserError&) {  // no home folder: the command says so
  }
  if (values[training_field("data")].empty())
    values[training_field("data")] = training::known_data().front().name;
}

// ---- The commands ----

constexpr Row<> cmd::train("train",
                           "Trains LeNet-5 with the settings of `training`, or goes on with it", "",
                           0, 0, Curtain::keeps, does<&TrainingCommands::train>,
                           menu(item(Menu::run, 2, "Train LeNet-5", "", is_not_training)),
                           also("lenet, neural network, sgd"));
constexpr Row<> cmd::stop_training("stop-training",
                                   "Ends the current training; `train` goes on with it", "", 0, 0,
                                   Curtain::keeps, does<&TrainingCommands::stop_training>,
                                   menu(item(Menu::run, 2, "Stop the training", "", is_training)));
constexpr Row<Text, Text> cmd::training("training KEY VALUE",
                                        "Changes the training: np, seeds, data, share, average, "
                                        "batch, step, scale-step, momentum, goal, every or most",
                                        "", 2, 2, Curtain::keeps, does<&TrainingCommands::set>);
constexpr Row<Text> cmd::training_folder("training-folder DIR",
                                         "Shows the results in a folder of `rankscope train`", "",
                                         1, 1, Curtain::keeps,
                                         does<&TrainingCommands::show_folder>);

void TrainingCommands::set(const Arguments& words) {
  const std::size_t at = training_field(words[0]);
  if (at == kTrainingFields.size()) {
    const auto keys = kTrainingFields | std::views::transform(&TrainingField::key);
    throw UserError(fmt::format("a training has no \"{}\": {}", words[0], fmt::join(keys, ", ")));
  }
  const TrainingField& field = kTrainingFields[at];
  std::string& value = state_.training.values[at];
  const auto& wanted = words[1];
  using Is = TrainingField::Is;
  if (field.is == Is::number && !(number_of<double>(wanted, field.title) >= 0 &&
                                  number_of<double>(wanted, field.title) <= kLargest))
    throw UserError(fmt::format("{} is 0 to {:.0e}, not {}", field.title, kLargest, wanted));
  if (field.is == Is::choice &&
      fmt::format("|{}|", field.choices).find(fmt::format("|{}|", wanted)) == std::string::npos)
    throw UserError(fmt::format("{} is one of {}, not \"{}\"", field.key, field.choices, wanted));
  if (field.is == Is::flag) value = Arguments({wanted}).switched(value == "on") ? "on" : "off";
  else value = wanted;
  if (field.key == "data") {
    state_.training.no_pictures = false;
    state_.training.problem.clear();
  }
}

// Throws UserError for missing pictures before anything is started, and names a data set that is here.
std::string TrainingCommands::require_pictures() {
  auto& state = state_.training;
  const std::string& data = state.values[training_field("data")];
  state.no_pictures = false;
  try {
    return training::resolve_data(data).string();
  } catch (const UserError& e) {
    state.no_pictures = true;
    state.pictures_that_are = pictures_here();
    state.state = State::failed;
    state.problem = e.what();
    throw;
  }
}

std::vector<std::string> TrainingCommands::words_of(const std::string& data,
                                                    const std::string& folder) const {
  std::vector<std::string> words{app_.options().worker_program, "--json", "--quiet", "train",
                                 "lenet"};
  for (std::size_t i = 0; i < kTrainingFields.size(); ++i) {
    const TrainingField& field = kTrainingFields[i];
    const std::string& value = field.key == "data" ? data : state_.training.values[i];
    if (field.is != TrainingField::Is::flag)
      words.push_back(std::string(field.option) + "=" + value);
    else if (value == "on") words.emplace_back(field.option);
  }
  words.insert(words.end(), {"--output", folder});
  const auto plugins = plugin_options();
  words.insert(words.end(), plugins.begin(), plugins.end());
  return words;
}

void TrainingCommands::train() {
  auto& state = state_.training;
  if (child_.running())
    throw UserError("a training is running: wait for its end, or `stop-training`");
  app_.group<ViewCommands>().bring_in("training", Slot::main);
  const std::string data = require_pictures();
  const fs::path folder = training_home() / folder_name(state.values);
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  pace_ = TrainingPace();
  pace_.sizes = world_sizes(state.values[training_field("np")]);
  pace_.seeds = static_cast<int>(number_of<double>(state.values[training_field("seeds")], "seeds"));
  pace_.most =
      static_cast<std::int64_t>(number_of<double>(state.values[training_field("most")], "at most"));
  first_look_ = true;
  child_.start(words_of(data, folder.string()));
  began_ = std::chrono::steady_clock::now();
  state.state = State::running;
  state.problem.clear();
  state.progress = {.share = 0, .words = "starting", .left_s = std::nullopt};
  folder_ = folder.string();
  read_again_ = true;
  show_message("training");
}

void TrainingCommands::stop_training() {
  if (!child_.running()) throw UserError("nothing is being trained");
  child_.stop();
}

void TrainingCommands::show_folder(const Arguments& words) {
  std::error_code error;
  if (!fs::exists(fs::path(words[0]) / "settings.json", error))
    throw UserError(fmt::format(
        "{} is no folder of a training: give what `rankscope train --output` was given", words[0]));
  if (child_.running() && words[0] != folder_)
    throw UserError("a training is running: `stop-training`, or wait for its end");
  folder_ = absolute_path(words[0]);
  if (!child_.running()) state_.training.state = State::none;
  state_.training.problem.clear();
  read_again_ = true;
  app_.group<ViewCommands>().bring_in("training", Slot::main);
}

void TrainingCommands::read() {
  read_at_ = std::chrono::steady_clock::now();
  read_again_ = false;
  reading_ = std::async(std::launch::async, [folder = folder_] { return read_training(folder); });
}

void TrainingCommands::take_results(bool& news) {
  auto& state = state_.training;
  if (!is_ready(reading_)) return;
  TrainingResults results = reading_.get();
  if (results.folder != folder_) return;
  if (child_.running()) {
    const double now =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    const int done = results.done_of(pace_.sizes, pace_.seeds);
    if (std::exchange(first_look_, false)) pace_.done_before = done_ = done;
    pace_.elapsed_s = now;
    if (std::exchange(done_, done) < done) pace_.last_done_s = now;
    state.progress = training_progress(results, pace_);
    news = true;
  }
  if (state.results && *state.results == results) return;
  if (!results.unread.empty() && (!state.results || state.results->unread != results.unread))
    show_message(results.unread.front(), true);
  state.results = std::make_shared<const TrainingResults>(std::move(results));
  ++state.results_id;
  news = true;
}

void TrainingCommands::take_end(bool& news) {
  const auto ended = child_.take_end();
  if (!ended) return;
  auto& state = state_.training;
  news = read_again_ = true;
  if (ended->was_interrupted()) {
    state.state = State::stopped;
    show_message("the training was stopped; `train` goes on with it");
  } else if (ended->status == 0) {
    state.state = State::done;
    show_message("the training is done");
  } else {
    state.state = State::failed;
    state.problem = child_failure(ended->errors).problem;
    if (state.problem.empty())
      state.problem =
          fmt::format("the training ended with code {} and said nothing", ended->status);
    show_message(fmt::format("the training failed: {}", first_line(state.problem)), true);
  }
}

void TrainingCommands::update(double /*seconds*/, bool& news) {
  take_results(news);
  take_end(news);
  // Results are read only once the view is open.
  if (folder_.empty() && !state_.settings.layout.shows("training")) return;
  const bool due = child_.running() && std::chrono::steady_clock::now() - read_at_ >= kReadEvery;
  if (!reading_.valid() && (read_again_ || due)) read();
}

}  // namespace rankscope::gui
