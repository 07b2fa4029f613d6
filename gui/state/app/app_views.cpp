// Commands about what single views show: the event list's filter, the part of time, pictures to copy.
#include <algorithm>
#include <array>
#include <future>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "gui/state/app/app.h"
#include "gui/state/app/words.h"
#include "gui/state/search/event_query.h"

namespace rankscope::gui {
namespace {

/// Beside what is zoomed to, so that its neighbours can be seen: a share of its length.
constexpr double kMargin = 0.15;
/// Around an event, which has no length, in microseconds.
constexpr double kAroundEvent = 5;

struct Moments {
  double from = 0, to = 0;
  Moments with_margin(double end) const {
    const double margin = kMargin * std::max(to - from, end * 1e-6);
    return {from - margin, to + margin};
  }
};

// The shortest phase that holds the moment: phases lie in each other.
Moments phase_at(const Document& document, ClockBase clock, double moment) {
  const auto& phases = document.phases(clock);
  const PhaseBand* best = nullptr;
  for (const auto& phase : phases)
    if (phase.begin <= moment && moment <= phase.end &&
        (best == nullptr || phase.end - phase.begin < best->end - best->begin))
      best = &phase;
  if (best == nullptr)
    throw UserError(phases.empty() ? "this run has no phases to zoom to"
                                   : "the cursor is in no phase: move it into one");
  return {best->begin, best->end};
}

Moments selected_in(const Document& document, ClockBase clock, const Selection& selection) {
  if (selection.message >= 0) {
    const auto message = static_cast<std::size_t>(selection.message);
    return Moments{document.leaves(clock, message), document.arrives(clock, message)};
  }
  if (selection.event < 0) throw UserError("select a message or an event first: click one");
  const double at = document.moment_of(clock, static_cast<std::uint64_t>(selection.event));
  const double around =
      clock == ClockBase::rounds ? 1 : std::min(document.end(clock) / 2, kAroundEvent);
  return {at - around, at + around};
}

Moments from_to(const std::vector<std::string>& words, double end) {
  const Moments part{number_of<double>(words[0], "the first moment"),
                     number_of<double>(words[1], "the last moment")};
  if (!(part.from < part.to) || part.from >= end || part.to <= 0)
    throw UserError(
        fmt::format("zoom FROM TO: from a moment to a later one, between 0 and {:g}", end));
  return part;
}

}  // namespace

void App::filter(const Words& words) {
  auto& view = state_.settings.layout.view;
  if (std::ranges::find(view, "events") == view.end())
    view[static_cast<std::size_t>(Slot::lower)] = "events";
  if (words.empty()) {
    ++state_.filter_asked;
    return;
  }
  const std::string query = words.front() == "off" ? "" : fmt::format("{}", fmt::join(words, " "));
  if (state_.document) (void)EventQuery(query, state_.document->trace());  // its words are known
  state_.event_filter = query;
}

void App::copy_picture(const Words& words) {
  std::string slot;
  if (!words.empty()) {
    slot = words.front();
    if (std::ranges::find(kSlots, slot, [](Slot s) { return to_string(s); }) == kSlots.end())
      throw UserError(
          fmt::format("there is no pane \"{}\": main, lower, side or side_lower", slot));
  }
  if (copying_.valid()) throw UserError("another picture is being copied: try again");
  requests_.copies.push_back(slot);
}

void App::put_on_clipboard(std::string png) {
  copying_ = std::async(std::launch::async,
                        [png = std::move(png), changed = options_.changed]() -> CopiedPicture {
                          CopiedPicture copied = rankscope::gui::copy_picture(png);
                          changed();
                          return copied;
                        });
}

void App::take_copied(bool& news) {
  using namespace std::chrono_literals;
  if (!copying_.valid() || copying_.wait_for(0s) != std::future_status::ready) return;
  CopiedPicture copied = copying_.get();
  if (!copied.text.empty()) requests_.clipboard = std::move(copied.text);
  tell(std::move(copied.message), !copied.ok);
  news = true;
}

void App::compare_clock(const Words& words) {
  const std::string& word = words.empty() ? "toggle" : words.front();
  if (word == "toggle") state_.separate_clocks = !state_.separate_clocks;
  else if (word == "shared" || word == "separate") state_.separate_clocks = word == "separate";
  else
    throw UserError(fmt::format("two runs have a shared clock or separate ones, not \"{}\"", word));
}

void App::zoom(const Words& words) {
  if (!state_.has_trace())
    throw UserError("there is nothing to zoom in: start a run or open a trace");
  const auto& document = *state_.document;
  const auto clock = state_.playback.clock;
  const double end = document.end(clock);
  using What = ZoomOrder::What;
  ZoomOrder order{state_.zoom.number + 1, What::span, 0, 0};
  Moments part{0, end};
  const std::string& word = words.front();
  if (words.size() == 2) part = from_to(words, end);
  else if (word == "phase")
    part = phase_at(document, clock, state_.playback.moment).with_margin(end);
  else if (word == "selection")
    part = selected_in(document, clock, state_.selection).with_margin(end);
  else if (word == "fit") order.what = What::fit;
  else throw UserError(fmt::format("zoom fit, phase, selection, or FROM TO; not \"{}\"", word));
  order.begin = std::max(0.0, part.from);
  order.end = std::min(end, part.to);
  state_.zoom = order;
}

}  // namespace rankscope::gui
