// The command predict.
#include "gui/state/app/predict_commands.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/model/step_question.h"

namespace rankscope::gui {
namespace {

constexpr int kMostHands = 9999;

/// The same for all snapshots of a run that grows.
std::string name_of_run(const AppState& state) {
  return state.document ? state.document->headline() + " " + state.document->path() : "";
}

}  // namespace

constexpr Row<Text, Text> cmd::predict(
    "predict [CHOICE [+N|-N]|off]",
    "Asks about the coming step: which message, what a rank will hold, how many bytes, how long; "
    "pressed again, another question. A choice (its number, or its words) gets a hand. The step "
    "then answers it",
    "A", 0, kAnyNumber, Curtain::keeps, does<&PredictCommands::predict>, kUnrecorded,
    menu(item(Menu::run, 1, "Predict the next step", "", has_trace)),
    also("question, vote, poll, quiz, show of hands, clicker question"));

void PredictCommands::predict(const Arguments& words) {
  auto& prediction = state_.lecture.prediction;
  if (words.empty()) return ask();
  if (words[0] != "off") return vote(words);
  prediction = {};
}

void PredictCommands::ask() {
  require_trace("there is no run to ask about: start one (F5), or open one (Ctrl+O)");
  auto& prediction = state_.lecture.prediction;
  if (state_.lecture.scenes.asks)
    throw UserError("the scene's question stands: 1 to 9 count hands, the next step answers it");
  app_.group<PlaybackCommands>().finish_motion();
  state_.playback.playing = false;
  const auto& play = state_.playback;
  const int done = steps_done(*state_.document, play.clock, play.moment);
  const auto all = step_questions(*state_.document, play.clock, play.moment);
  if (all.empty())
    throw UserError(state_.at_present() && !state_.holds()
                        ? "nothing follows: go back to a step (Left, Home), and ask there"
                        : "nothing is known of the next step that could be asked");
  next_ = asked_after_ == done && prediction.open() ? next_ + 1 : static_cast<std::size_t>(done);
  asked_after_ = done;
  const StepQuestion& one = all[next_ % all.size()];
  prediction = {};
  prediction.text = one.text;
  prediction.options = one.options;
  prediction.signs = one.signs;
  prediction.right = one.right;
  prediction.hands.assign(one.options.size(), 0);
  prediction.step = done + 1;
  prediction.run = name_of_run(state_);
  show_message("1 to 9 count hands, Backspace takes one back, the next step answers");
}

void PredictCommands::vote(const Arguments& words) {
  auto& prediction = state_.lecture.prediction;
  if (!prediction.open() || prediction.options.empty())
    throw UserError("no question with choices stands: `predict` (A) asks one");
  if (prediction.resolved) throw UserError("the step has answered it: `predict` (A) asks the next");
  const std::string& first = words[0];
  std::size_t choice = prediction.options.size();
  std::size_t used = 1;
  if (first == "back") {
    choice = prediction.last;
  } else if (first.size() == 1 && first[0] >= '1' && first[0] <= '9') {
    choice = static_cast<std::size_t>(first[0] - '1');
  } else {
    const std::string typed = ascii_lower(words.rest(0));
    const auto found = ranges::find_if(prediction.options,
                                       [&](const auto& one) { return ascii_lower(one) == typed; });
    choice = static_cast<std::size_t>(found - prediction.options.begin());
    used = words.size();
  }
  if (choice >= prediction.options.size())
    throw UserError(fmt::format("the choices are 1 to {}: {}", prediction.options.size(),
                                fmt::join(prediction.options, ", ")));
  int by = first == "back" ? -1 : 1;
  if (words.size() > used) {
    const std::string& number = words[used];
    by = number_of<int>(number.starts_with('+') ? number.substr(1) : number, "how many hands");
  }
  int& hands = prediction.hands[choice];
  hands = std::clamp(hands + by, 0, kMostHands);
  prediction.last = choice;
}

void PredictCommands::resolve() {
  auto& prediction = state_.lecture.prediction;
  prediction.resolved = true;
  int all = 0;
  for (const int hands : prediction.hands) all += hands;
  if (prediction.right < 0) return;
  const auto right = static_cast<std::size_t>(prediction.right);
  prediction.says = prediction.options[right];
  if (all > 0) prediction.says += fmt::format(": {} of {} hands", prediction.hands[right], all);
}

void PredictCommands::update(double /*seconds*/, bool& news) {
  auto& prediction = state_.lecture.prediction;
  const auto& scenes = state_.lecture.scenes;
  if (scenes.asks && !prediction.of_scene) {
    const SceneQuestion& asked = *scenes.scene()->question;
    prediction = {};
    prediction.text = asked.text;
    prediction.options = asked.options;
    prediction.hands.assign(asked.options.size(), 0);
    const auto right = ranges::find(asked.options, asked.answer);
    if (!asked.answer.empty() && right != asked.options.end())
      prediction.right = static_cast<int>(right - asked.options.begin());
    // One that was recorded names chunks as it did then.
    const auto& play = state_.playback;
    for (const StepQuestion& same : step_questions(*state_.document, play.clock, play.moment))
      if (same.text == asked.text && same.options == asked.options) prediction.signs = same.signs;
    prediction.of_scene = true;
    prediction.run = fmt::format("scene {}", scenes.now);
    news = true;
  }
  if (!prediction.open()) return;
  const std::string run =
      prediction.of_scene ? fmt::format("scene {}", scenes.now) : name_of_run(state_);
  const auto& scene = app_.group<SceneCommands>();
  const bool other = run != prediction.run || !state_.has_trace() ||
                     (prediction.of_scene && (!scenes.open() || scene.is_aside()));
  if (other) {
    prediction = {};
    news = true;
    return;
  }
  const auto& play = state_.playback;
  const int done = steps_done(*state_.document, play.clock, play.moment);
  // Its answer comes after the motion.
  const bool seen = prediction.of_scene ? scene.answered() : done >= prediction.step;
  if (!prediction.resolved && seen && !play.playing) {
    resolve();
    prediction.step = done;
    news = true;
  } else if (prediction.resolved && (done != prediction.step || scenes.asks)) {
    prediction = {};
    news = true;
  }
}

}  // namespace rankscope::gui
