// The commands that ask who can move, take the answer, and check it.
#include "gui/state/app/ask_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/model/live_marks.h"

namespace rankscope::gui {
namespace {

bool is_held(const AppState& state) { return state.live.stepping && !state.live.places.empty(); }

// "rank 2", "ranks 0, 1 and 2"
std::string ranks_text(const std::vector<Rank>& ranks) {
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  return fmt::format("ranks {} and {}", fmt::join(ranks.begin(), ranks.end() - 1, ", "),
                     ranks.back());
}

}  // namespace

// ---- The commands ----

constexpr Row<> cmd::who_can_move(
    "who-can-move ask|check|off",
    "Covers the messages on offer and asks which ranks can move; checks the answer", "", 1, 1,
    Curtain::keeps, does<&AskCommands::ask>,
    menu(item(Menu::run, 1, "Who can move?", "ask", is_held)));
constexpr Row<int> cmd::moves("moves RANK", "Says that a rank can move, or takes that back", "", 1,
                              1, Curtain::keeps, does<&AskCommands::moves>);

std::string AskCommands::places() const {
  std::string text;
  for (const RankView& view : state_.live.places) text += describe(view) + "\n";
  return text;
}

void AskCommands::ask(const Arguments& words) {
  if (words[0] == "check") return check();
  if (words[0] == "off") {
    state_.moves = {};
    return;
  }
  if (words[0] != "ask")
    throw UserError(fmt::format("say ask, check or off, not \"{}\"", words[0]));
  if (!is_held(state_) || state_.live.resumed || state_.live.ordered)
    throw UserError(
        "no rank is held: start a run step by step (F6), and ask while it stands still");
  app_.group<PlaybackCommands>().move_to(
      state_.document ? state_.document->end(state_.playback.clock) : 0);
  state_.moves = {};
  state_.moves.asked = true;
  asked_of_ = places();
  show_message("Who can move? Click the ranks that can go on now, then check.");
}

void AskCommands::moves(const Arguments& words) {
  auto& question = state_.moves;
  if (!question.asked) throw UserError("nobody has asked who can move: `who-can-move ask` does");
  if (question.checked) throw UserError("the answer is checked: `who-can-move ask` asks again");
  const auto rank = words.number<Rank>(0, "the rank");
  const int world = state_.document ? state_.document->world_size() : 0;
  if (rank < 0 || rank >= world)
    throw UserError(fmt::format("there is no rank {}: they are 0 to {}", rank, world - 1));
  const auto known = ranges::find(question.chosen, rank);
  if (known != question.chosen.end()) question.chosen.erase(known);
  else question.chosen.insert(ranges::upper_bound(question.chosen, rank), rank);
}

void AskCommands::check() {
  auto& question = state_.moves;
  if (!question.asked) throw UserError("nobody has asked who can move: `who-can-move ask` does");
  question.checked = true;
  question.right = movable_ranks(state_);
  const bool right = question.right == question.chosen;
  question.says = fmt::format(
      "{} {} can move: {}", right ? "Right:" : "Not quite:", ranks_text(question.right),
      question.right.empty() ? "each waits for a message that nobody has sent."
                             : "what comes next is a send, or a receive whose message is there.");
  show_message(question.says);
}

void AskCommands::update(double /*seconds*/, bool& news) {
  if (!state_.moves.asked || (is_held(state_) && places() == asked_of_)) return;
  state_.moves = {};
  news = true;
}

}  // namespace rankscope::gui
