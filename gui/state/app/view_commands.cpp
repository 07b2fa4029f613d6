// The commands of the panes: which view they show, zoom, selection and filters.
#include "gui/state/app/view_commands.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/catalogue.h"
#include "gui/state/app/groups.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/files/settings.h"
#include "gui/state/model/inspection.h"
#include "gui/state/search/event_query.h"

namespace rankscope::gui {
namespace {

bool has_part(const AppState& s) { return s.document && s.document->run(); }
bool has_selection(const AppState& s) { return s.selection.message >= 0 || s.selection.event >= 0; }

/// The margin on both sides of a zoomed part, as a share of its length.
constexpr double kMargin = 0.15;
/// Microseconds on both sides of an event, which has no length.
constexpr double kAroundEvent = 5;

struct Moments {
  double from = 0, to = 0;
  Moments with_margin(double end) const {
    const double margin = kMargin * std::max(to - from, end * 1e-6);
    return {from - margin, to + margin};
  }
};

// Returns the shortest phase at the moment: phases are nested.
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

Moments from_to(const Arguments& words, double end) {
  const Moments part{words.number<double>(0, "the first moment"),
                     words.number<double>(1, "the last moment")};
  if (!(part.from < part.to) || part.from >= end || part.to <= 0)
    throw UserError(
        fmt::format("zoom FROM TO: from a moment to a later one, between 0 and {:g}", end));
  return part;
}

}  // namespace

// ---- The commands ----

constexpr Row<Slot, ViewName> cmd::view("view SLOT NAME",
                                        "Shows a view at main, lower, side or side_lower", "", 2, 2,
                                        Curtain::keeps, does<&ViewCommands::view>, kUndoable,
                                        menu(item(Menu::compare, 0, "Show the comparison",
                                                  "main compare", has_other)));
constexpr Row<Slot> cmd::maximize("maximize SLOT|off", "Gives the whole window to one view", "", 1,
                                  1, Curtain::keeps, does<&ViewCommands::maximize>,
                                  also("enlarge, full window"));
constexpr Row<Text, Turn> cmd::panel(
    "panel left|right|lower [on|off|toggle]", "Opens or closes a panel", "", 1, 2, Curtain::keeps,
    does<&ViewCommands::panel>, kUndoable,
    menu(item(Menu::view, 0, "Sentence", "left toggle", nullptr, is_on<&Layout::left_open>),
         item(Menu::view, 0, "Side or drawer", "right toggle", nullptr, is_on<&Layout::right_open>),
         item(Menu::view, 0, "Lower row or score", "lower toggle", nullptr,
              is_on<&Layout::lower_open>)));
constexpr Row<Text> cmd::layout(
    "layout NAME|save NAME|remove NAME",
    "Arranges the window: stage, standard, lecture, debug, code, or as it was saved", "", 1, 2,
    Curtain::keeps, does<&ViewCommands::layout>, kUndoable,
    box("Save this layout", "my layout", "The View menu brings it back.", "save"));
constexpr Row<Real, Real> cmd::zoom(
    "zoom fit|phase|selection|held|FROM TO",
    "Shows a part of the time: all, a phase, what is selected, what is held of a large run, or "
    "two moments",
    "", 1, 2, Curtain::keeps, does<&ViewCommands::zoom>,
    menu(item(Menu::zoom, 0, "All of the time", "fit"),
         item(Menu::zoom, 0, "To the cursor's phase", "phase"),
         item(Menu::zoom, 0, "To the selection", "selection", has_selection),
         item(Menu::zoom, 0, "To the events in the other views", "held", has_part)));
constexpr Row<Slot> cmd::zoom_in("zoom-in [SLOT]", "Zooms in on the picture under the mouse", "Z",
                                 0, 1, Curtain::keeps, does<&ViewCommands::zoom_picture, 2>,
                                 menu(item(Menu::zoom, 1, "Zoom in")));
constexpr Row<Slot> cmd::zoom_out("zoom-out [SLOT]", "Zooms out of the picture", "Shift+Z", 0, 1,
                                  Curtain::keeps, does<&ViewCommands::zoom_picture, -2>,
                                  menu(item(Menu::zoom, 1, "Zoom out")));
constexpr Row<Slot> cmd::zoom_fit("zoom-fit [SLOT]", "Shows the whole picture", "F", 0, 1,
                                  Curtain::keeps, does<&ViewCommands::zoom_picture, 0>,
                                  menu(item(Menu::zoom, 1, "All of it")));
constexpr Row<Slot> cmd::copy_picture("copy-picture [SLOT]",
                                      "Puts the picture of a view on the clipboard", "Ctrl+Shift+C",
                                      0, 1, Curtain::opens, does<&ViewCommands::copy_picture>,
                                      menu(item(Menu::file, 1, "Copy the picture", "", has_trace)));
constexpr Row<Thing, std::int64_t> cmd::copy_text(
    "copy-text message N|rank R|chunk C|event N|problem N",
    "Puts what is known of it on the clipboard, as text", "", 2, 2, Curtain::opens,
    does<&ViewCommands::copy_text>);
constexpr Row<Text> cmd::filter("filter [QUERY|off]",
                                "Lists the events of a query, such as rank:2 op:recv size:>1KiB",
                                "Ctrl+F", 0, kAnyNumber, Curtain::opens,
                                does<&ViewCommands::filter>, also("find events, search"));
constexpr Row<> cmd::compare_clock("compare-clock [shared|separate|toggle]",
                                   "Two runs on one scale of time, or each on its own", "", 0, 1,
                                   Curtain::keeps, does<&ViewCommands::compare_clock>,
                                   menu(item(Menu::compare, 0, "A clock for each run", "toggle",
                                             has_other, is_on<&AppState::separate_clocks>)));

void ViewCommands::view(Slot slot, const std::string& name) {
  if (is_former_view(name)) {
    if (!state_.settings.layout.shows("stage")) view(slot, "stage");
    return show_message(fmt::format(
        "the view \"{}\" is gone: the stage shows what it did, and Inspect a rank's process",
        name));
  }
  if (!is_view(name))
    throw UserError(fmt::format("there is no view \"{}\": {}", name,
                                fmt::join(kViews | std::views::transform(&ViewInfo::name), ", ")));
  auto& layout = state_.settings.layout;
  auto& here = layout.at(slot);
  auto& lower = layout.at(Slot::lower);
  const bool from_score = slot == Slot::main && lower == "spacetime" && name == "spacetime";
  const bool to_score = slot == Slot::main && here == "spacetime" && lower == in_score_;
  // A view is in one pane only, so the two change places.
  for (auto& other : layout.view)
    if (other == name) other = here;
  here = name;
  // The view that took the score's place while time × rank was the picture makes room for it again.
  if (to_score && layout.drawer && here != "spacetime") lower = "spacetime";
  in_score_ = from_score && layout.drawer ? lower : "";
  if (slot == Slot::side_lower) layout.drawer = false;
}

void ViewCommands::maximize(const Arguments& words) {
  auto& maximized = state_.settings.layout.maximized;
  if (words[0] == "off") return maximized.reset();
  const Slot slot = slot_named(words[0]);
  maximized = maximized == slot ? std::nullopt : std::optional(slot);
}

void ViewCommands::panel(const Arguments& words) {
  auto& layout = state_.settings.layout;
  const auto panel = ranges::find(kPanels, words[0], &Panel::name);
  if (panel == kPanels.end()) throw UserError("the panels are left, right and lower");
  bool& open = layout.*panel->open;
  open = words.switched(open, 1);
}

void ViewCommands::layout(const Arguments& words) {
  auto& settings = state_.settings;
  if (words.size() < 2) {
    if (words[0] == "save" || words[0] == "remove")
      throw UserError(fmt::format("usage: layout {} NAME", words[0]));
    settings.layout = layout_named(settings, words[0]);
    auto& races = app_.group<RaceCommands>();
    if (settings.layout.shows("race")) races.bring_back(settings.layout.race);
  } else if (words[0] == "save") {
    settings.layout.race = settings.layout.shows("race") ? race_words_of(state_.race.runs) : "";
    save_layout(settings, words[1]);
    show_message(fmt::format("this layout is now called {}", words[1]));
  } else if (words[0] == "remove") {
    remove_layout(settings, words[1]);
  } else {
    throw UserError("usage: layout NAME, layout save NAME or layout remove NAME");
  }
}

std::string ViewCommands::view_showing(const std::string& name) {
  if (is_view(name)) return name;
  const DiagramKind* const kind = find_diagram(name);
  return std::string(kind != nullptr && is_view(kind->view) ? kind->view : "stage");
}

void ViewCommands::bring_in(const std::string& view, Slot slot) {
  Layout& layout = state_.settings.layout;
  layout.maximized.reset();
  const auto here = ranges::find(layout.view, view);
  // A drawer has one pane, which also shows views meant for the lower half.
  if (layout.drawer && slot == Slot::side_lower) slot = Slot::side;
  if (here == layout.view.end()) layout.at(slot) = view;
  else if (layout.drawer && here == layout.view.end() - 1) std::swap(*here, layout.at(slot));
  else slot = static_cast<Slot>(here - layout.view.begin());
  if (slot == Slot::side || slot == Slot::side_lower) layout.right_open = true;
  if (slot == Slot::lower || slot == Slot::side_lower) layout.lower_open = true;
}

void ViewCommands::show_problems() {
  const auto& s = state_;
  if (!s.settings.layout.drawer || s.lesson.lesson) return;
  if (ranges::find(s.problems, Problem::Severity::error, &Problem::severity) != s.problems.end())
    bring_in("problems", Slot::side);
}

void ViewCommands::filter(const Arguments& words) {
  bring_in("events", Slot::lower);
  if (words.empty()) {
    ++state_.filter_asked;
    return;
  }
  const std::string query = words[0] == "off" ? "" : words.rest(0);
  if (state_.document) (void)EventQuery(query, state_.document->trace());  // its words are known
  state_.event_filter = query;
}

void ViewCommands::copy_picture(const Arguments& words) {
  if (!words.empty()) (void)slot_named(words[0]);  // is there such a pane?
  if (busy()) throw UserError("another picture is being copied: try again");
  app_.requests().copies.push_back(words[0]);
}

void ViewCommands::copy_text(const Arguments& words) {
  app_.requests().clipboard =
      copied_text(state_, words[0], words.number<std::int64_t>(1, "what to copy"));
  show_message("copied as text");
}

void ViewCommands::put_on_clipboard(std::string png) {
  copying_ = made_behind(app_.options().changed,
                         [png = std::move(png)] { return gui::copy_picture(png); });
}

void ViewCommands::update(double /*seconds*/, bool& news) {
  if (!is_ready(copying_)) return;
  CopiedPicture copied = copying_.get();
  if (!copied.text.empty()) app_.requests().clipboard = std::move(copied.text);
  show_message(std::move(copied.message), !copied.ok);
  news = true;
}

void ViewCommands::compare_clock(const Arguments& words) {
  const std::string& word = words.empty() ? "toggle" : words[0];
  const auto separate = switched(state_.separate_clocks, word, "separate", "shared");
  if (!separate)
    throw UserError(fmt::format("two runs have a shared clock or separate ones, not \"{}\"", word));
  state_.separate_clocks = *separate;
}

void ViewCommands::zoom_picture(const Arguments& words, int notches) {
  const auto pane = words.empty() ? std::nullopt : std::optional(slot_named(words[0]));
  app_.requests().zooms.push_back({static_cast<double>(notches), notches == 0, pane});
}

void ViewCommands::zoom(const Arguments& words) {
  require_trace("there is nothing to zoom in: start a run or open a trace");
  const auto& document = *state_.document;
  const auto clock = state_.playback.clock;
  const double end = document.end(clock);
  using What = ZoomOrder::What;
  ZoomOrder order{state_.zoom.number + 1, What::span, 0, 0};
  Moments part{0, end};
  const std::string& word = words[0];
  if (words.size() == 2) part = from_to(words, end);
  else if (word == "phase")
    part = phase_at(document, clock, state_.playback.moment).with_margin(end);
  else if (word == "selection")
    part = selected_in(document, clock, state_.selection).with_margin(end);
  else if (word == "held")
    part = Moments{document.part().begin, document.part().end}.with_margin(end);
  else if (word == "fit") order.what = What::fit;
  else
    throw UserError(fmt::format("zoom fit, phase, selection, held, or FROM TO; not \"{}\"", word));
  order.begin = std::max(0.0, part.from);
  order.end = std::min(end, part.to);
  state_.zoom = order;
}

}  // namespace rankscope::gui
