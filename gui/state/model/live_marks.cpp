// Derives badges and offered messages from the places of a held run's ranks, and finds the phases of the step at the cursor from its
// messages.
#include "gui/state/model/live_marks.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/run_plan.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

using Stands = RankView::State;
using Badge = LiveBadge::Kind;

bool is_offered(const RankView& view) {
  return view.state == Stands::held && view.verb == Verb::send && view.peer >= 0;
}

std::string place_text(const RankView& view) {
  return view.line > 0 ? fmt::format("\n{}:{}", view.file, view.line) : std::string();
}

LiveOffer offer_of(const RankView& view, const PlanMatch* plan) {
  LiveOffer offer;
  offer.from = view.rank;
  offer.to = view.peer;
  offer.strand = view.strand;
  offer.bytes = view.bytes;
  std::string what = "a message";
  if (plan != nullptr) {
    const std::size_t next = plan->next(view.rank, view.strand);
    if (next != PlanMatch::kNone && plan->run.messages()[next].to == view.peer) {
      offer.planned = next;
      what = plan->run.pieces().of(plan->run.messages()[next]).name();
    }
  }
  offer.story = fmt::format("rank {} offers {} to rank {} ({})\nclick to release it{}", view.rank,
                            what, view.peer, amount_text(view.bytes), place_text(view));
  return offer;
}

// Returns the strand that says most of its rank: held before running before blocked.
const RankView& leading(const std::vector<const RankView*>& strands) {
  const auto order = [](const RankView* view) {
    switch (view->state) {
      case Stands::held: return 0;
      case Stands::running: return 1;
      case Stands::blocked: return view->awaits != 0 ? 3 : 2;
      default: return -1;
    }
  };
  return **ranges::min_element(strands, {}, order);
}

LiveBadge badge_of(const RankView& view) {
  switch (view.state) {
    case Stands::running: return {Badge::computing, "computing", "computes, outside of any verb"};
    case Stands::done: return {Badge::done, "done", "has done its part"};
    case Stands::lost: return {Badge::dead, "dead", "its process was lost"};
    case Stands::held:
      return {Badge::held, "held",
              fmt::format("is held before its {}{}", to_string(view.verb), place_text(view))};
    case Stands::blocked: break;
  }
  const std::string whom = view.peer >= 0 ? fmt::format("rank {}", view.peer) : "any rank";
  return {Badge::waits, view.peer >= 0 ? fmt::format("waits for {}", view.peer) : "waits",
          fmt::format("is blocked in its {}: it waits for {}{}", to_string(view.verb), whom,
                      place_text(view))};
}

void ask_moves(LiveMarks& marks, const MovesQuestion& question) {
  const auto has = [](const std::vector<Rank>& ranks, Rank rank) {
    return ranges::find(ranks, rank) != ranks.end();
  };
  for (std::size_t i = 0; i < marks.badges.size(); ++i) {
    LiveBadge& badge = marks.badges[i];
    const Rank rank = static_cast<Rank>(i);
    const bool chosen = has(question.chosen, rank);
    const std::string name = fmt::format("rank {}", rank);
    if (!question.checked) {
      badge = chosen ? LiveBadge{Badge::chosen, "moves", name + "\nyou say that it can move"}
                     : LiveBadge{Badge::asked, "moves?", name + "\nclick it if it can move"};
      continue;
    }
    if (has(question.right, rank))
      badge = {chosen ? Badge::right : Badge::missed, chosen ? "can move" : "could move",
               badge.story};
    else if (chosen) badge = {Badge::wrong, "cannot move", badge.story};
  }
  if (!question.checked) marks.offers.clear();
}

template <class One>
void add(std::vector<One>& all, One one) {
  if (ranges::find(all, one) == all.end()) all.push_back(std::move(one));
}

}  // namespace

LiveMarks live_marks(const AppState& state) {
  LiveMarks marks;
  const auto& live = state.live;
  if (!live.stepping || live.places.empty() || !state.document) return marks;
  if (state.playback.moment < state.document->end(state.playback.clock)) return marks;
  std::vector<std::vector<const RankView*>> strands(
      static_cast<std::size_t>(std::max(state.document->world_size(), 0)));
  for (const RankView& view : live.places) {
    if (view.rank < 0 || static_cast<std::size_t>(view.rank) >= strands.size()) continue;
    strands[static_cast<std::size_t>(view.rank)].push_back(&view);
    if (is_offered(view)) marks.offers.push_back(offer_of(view, state.document->plan().get()));
  }
  marks.badges.resize(strands.size());
  for (std::size_t rank = 0; rank < strands.size(); ++rank) {
    if (strands[rank].empty()) continue;
    marks.badges[rank] = badge_of(leading(strands[rank]));
    marks.badges[rank].story = fmt::format("rank {}\n{}", rank, marks.badges[rank].story);
  }
  if (state.moves.asked) ask_moves(marks, state.moves);
  return marks;
}

std::string text_of(const LiveMarks& marks) {
  std::string text;
  for (const LiveBadge& badge : marks.badges)
    text += fmt::format("{}{} ", static_cast<int>(badge.kind), badge.text);
  for (const LiveOffer& offer : marks.offers)
    text += fmt::format("{}>{}:{} ", offer.id(), offer.to, offer.planned);
  return text;
}

std::vector<Rank> movable_ranks(const AppState& state) {
  std::vector<Rank> ranks;
  const auto mailed = [&](const RankView& view) {
    if (!state.document) return false;
    return ranges::any_of(state.document->rounds().messages, [&](const MessageRecord& one) {
      return one.to == view.rank && one.received == kNoEvent && one.sent != kNoEvent &&
             (view.peer < 0 || one.from == view.peer) && one.tag == view.tag;
    });
  };
  for (const RankView& view : state.live.places)
    if (view.state == Stands::held && (is_offered(view) || (is_recv(view.verb) && mailed(view))))
      ranks.push_back(view.rank);
  ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

int code_step_number(const AppState& state) {
  if (!state.has_trace() || state.document->large()) return 0;
  return shown_step(*state.document, state.playback.clock, state.playback.moment).going;
}

CodeStep code_step(const AppState& state) {
  CodeStep found;
  if (!state.has_trace() || state.document->large()) return found;
  const Document& document = *state.document;
  const auto& play = state.playback;
  found.steps = static_cast<int>(document.axis_end(ClockBase::rounds));
  found.step = code_step_number(state);
  const bool at_end = play.moment >= document.end(play.clock);
  const Rank chosen = state.selection.message >= 0 ? -1 : state.selection.rank;
  std::vector<std::string> of_rank;
  if (at_end && state.live.stepping) {
    for (const RankView& view : state.live.places) {
      if (view.state != RankView::State::held && view.state != RankView::State::blocked) continue;
      add(found.phases, view.phase);
      add(found.places, {view.rank, view.phase});
      if (view.rank == chosen) add(of_rank, view.phase);
    }
  } else {
    for (std::size_t i = 0; i < document.rounds().messages.size(); ++i) {
      const MessageRecord& message = document.rounds().messages[i];
      if (document.rounds().round[i] != found.step || found.step == 0 || message.sync) continue;
      for (const std::uint64_t event : {message.sent, message.received}) {
        if (event == kNoEvent) continue;
        const StepEvent& of = document.trace()[event];
        std::string phase = phase_path(document.trace(), of.phase);
        add(found.places, {of.rank, phase});
        if (of.rank == chosen) add(of_rank, phase);
        add(found.phases, std::move(phase));
      }
    }
  }
  if (!of_rank.empty()) found.phases = std::move(of_rank);
  return found;
}

}  // namespace rankscope::gui
