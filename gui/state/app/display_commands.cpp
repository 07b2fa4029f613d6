// The commands of scale, theme, dialogs and the tour.
#include "gui/state/app/display_commands.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

constexpr std::array<double, 10> kScales = {0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};

/// Returns words on the unsaved changes, or empty.
std::string lost_by_quitting(const AppState& s) {
  const bool network = s.network.draft && s.network.draft->changed();
  const bool schedule = s.schedule.editor && s.schedule.editor->changed() &&
                        !s.schedule.editor->drawn().moves.empty();
  const std::string held =
      s.live.running && s.live.stepping ? "the run is held, and ends with its processes" : "";
  if (!network && !schedule) return held;
  return fmt::format("{} changes that are not saved (Ctrl+S in their view saves them){}{}",
                     network && schedule ? "the network and the schedule have"
                     : network           ? "the network has"
                                         : "the schedule has",
                     held.empty() ? "" : ", and ", held);
}

}  // namespace

// ---- The commands ----

constexpr Row<Turn> cmd::present("present [on|off|toggle]", "Large, full screen, without panels",
                                 "P", 0, 1, Curtain::keeps, does<&DisplayCommands::present>,
                                 menu(item(Menu::view, 1, "Presentation", "", nullptr,
                                           is_on<&AppState::presenting>)),
                                 also("projector, full screen, beamer"));
constexpr Row<ThemeKind> cmd::theme("theme [dark|light|contrast|next]", "Changes the colours", "T",
                                    0, 1, Curtain::keeps, does<&DisplayCommands::theme>,
                                    menu(item(Menu::view, 1, "Next theme")),
                                    also("dark mode, light mode, colours, contrast"));
constexpr Row<Real> cmd::scale("scale [X]", "Size of everything, 0.75 to 3", "Ctrl+0", 0, 1,
                               Curtain::keeps, does<&DisplayCommands::scale>,
                               also("font size, letters, dpi, larger"));
constexpr Row<> cmd::bigger("bigger", "Makes everything bigger", "Ctrl++", 0, 0, Curtain::keeps,
                            does<&DisplayCommands::bigger>, menu(item(Menu::view, 1, "Bigger")));
constexpr Row<> cmd::smaller("smaller", "Makes everything smaller", "Ctrl+-", 0, 0, Curtain::keeps,
                             does<&DisplayCommands::smaller>, menu(item(Menu::view, 1, "Smaller")));
constexpr Row<Text> cmd::labels("labels [all|chunks|bytes|none|next]", "The labels beside messages",
                                "L", 0, 1, Curtain::keeps, does<&DisplayCommands::labels>);
constexpr Row<Turn> cmd::values("values [on|off|toggle]",
                                "Buffers show elements, not contributions", "V", 0, 1,
                                Curtain::keeps, turns<&Settings::values>,
                                also("numbers, elements"));
constexpr Row<Turn> cmd::narration("narration [on|off|toggle]",
                                   "A sentence for each step, beneath the picture", "N", 0, 1,
                                   Curtain::keeps, turns<&Settings::narration>,
                                   menu(item(Menu::view, 1, "Narration", "toggle", nullptr,
                                             is_on<&Settings::narration>)),
                                   also("subtitles, captions, explain"));
constexpr Row<Text> cmd::curtain("curtain [auto|on|off|toggle]",
                                 "Covers the steps that have not been played; auto: in lectures, "
                                 "and in lessons until the page's questions are answered",
                                 "K", 0, 1, Curtain::keeps, does<&DisplayCommands::curtain>,
                                 menu(item(Menu::view, 1, "Curtain", "toggle", nullptr,
                                           [](const AppState& s) { return s.curtain(); })),
                                 also("cover, hide the future, spoiler"));
constexpr Row<Turn> cmd::portrait("portrait [on|off|toggle]", "Time runs down, not to the right",
                                  "", 0, 1, Curtain::keeps, turns<&Settings::portrait>);
constexpr Row<Turn> cmd::critical_path("critical-path [on|off|toggle]",
                                       "Marks the messages that made the run as long as it is", "C",
                                       0, 1, Curtain::keeps, turns<&Settings::critical_path>);
constexpr Row<Turn> cmd::motion("motion [on|off|toggle]", "Messages move, or jump", "", 0, 1,
                                Curtain::keeps, turns<&Settings::motion>,
                                menu(item(Menu::view, 1, "Motion", "toggle", nullptr,
                                          is_on<&Settings::motion>)));
constexpr Row<Turn> cmd::welcome("welcome [on|off|toggle]", "Shows the welcome page", "", 0, 1,
                                 Curtain::keeps, does<&DisplayCommands::welcome>,
                                 menu(item(Menu::help, 0, "Welcome", "on")));
constexpr Row<int> cmd::tour("tour [N|off]", "Shows the window step by step", "Shift+F1", 0, 1,
                             Curtain::keeps, does<&DisplayCommands::tour>,
                             menu(item(Menu::help, 0, "A tour of the window")));
// Recorded toggles could do the opposite when they are carried out again, so these are not.
constexpr Row<> cmd::palette("palette", "Searches all commands", "Ctrl+P", 0, 0, Curtain::keeps,
                             turns<&AppState::show_palette>, kUnrecorded,
                             menu(item(Menu::help, 0, "All commands …")));
constexpr Row<> cmd::shortcuts("shortcuts", "Shows all keys", "F1, ?", 0, 0, Curtain::keeps,
                               turns<&AppState::show_shortcuts>, kUnrecorded,
                               menu(item(Menu::help, 0, "Keys")));
constexpr Row<> cmd::settings("settings", "Shows the settings", "Ctrl+Comma", 0, 0, Curtain::keeps,
                              turns<&AppState::show_settings>, kUnrecorded);
constexpr Row<Text> cmd::quit("quit [off]",
                              "Ends the program; asks first where something would be lost (off: "
                              "stays)",
                              "Ctrl+Q", 0, 1, Curtain::keeps, does<&DisplayCommands::quit>,
                              menu(item(Menu::run, 2, "Quit")), also("exit, close"));

void DisplayCommands::look_for_now(const std::string& theme_name, std::optional<double> scale) {
  const auto& settings = state_.settings;
  if (!theme_name.empty()) {
    own_theme_ = settings.theme;
    theme(Arguments({theme_name}));
    theme_for_now_ = settings.theme;
  }
  if (scale) {
    own_scale_ = settings.ui_scale;
    set_scale(*scale);
    scale_for_now_ = settings.ui_scale;
  }
}

Settings DisplayCommands::remembered() const {
  Settings settings = state_.settings;
  app_.group<SceneCommands>().keep_own(settings);
  if (state_.recording) app_.group<RecordCommands>().keep_own(settings);
  if (theme_for_now_ == settings.theme) settings.theme = *own_theme_;
  if (scale_for_now_ == settings.ui_scale) settings.ui_scale = *own_scale_;
  return settings;
}

void DisplayCommands::theme(const Arguments& words) {
  const auto chosen = words.choice(kThemes, state_.settings.theme);
  if (!chosen) throw UserError("the themes are dark, light and contrast");
  state_.settings.theme = *chosen;
  app_.requests().look_changed = true;
}

void DisplayCommands::scale(const Arguments& words) {
  set_scale(words.empty() ? 1 : words.number<double>(0, "the scale"));
}
void DisplayCommands::set_scale(double scale) {
  if (!(scale >= Settings::kLeastScale && scale <= Settings::kMostScale))
    throw UserError(
        fmt::format("the scale goes from {} to {}", Settings::kLeastScale, Settings::kMostScale));
  state_.settings.ui_scale = scale;
  app_.requests().look_changed = true;
}
void DisplayCommands::bigger() {
  const auto next = ranges::upper_bound(kScales, state_.settings.ui_scale + 1e-6);
  set_scale(next == kScales.end() ? kScales.back() : *next);
}
void DisplayCommands::smaller() {
  const auto at = ranges::lower_bound(kScales, state_.settings.ui_scale - 1e-6);
  set_scale(at == kScales.begin() ? kScales.front() : *std::prev(at));
}

void DisplayCommands::curtain(const Arguments& words) {
  if (state_.lesson.horizon)
    throw UserError(
        "the curtain opens with the answer: check one in the lesson, or let it be shown");
  if (words.empty() || words[0] == "toggle") {
    const bool down = !state_.curtain();
    state_.settings.curtain = "auto";  // where that is what is wanted, it stays automatic
    if (state_.curtain() != down) state_.settings.curtain = down ? "on" : "off";
    return;
  }
  const auto chosen = words.choice(kCurtains, state_.settings.curtain);
  if (!chosen || words[0] == "next")
    throw UserError(fmt::format("the curtain is {}", fmt::join(kCurtains, ", ")));
  state_.settings.curtain = *chosen;
}

void DisplayCommands::labels(const Arguments& words) {
  const auto chosen = words.choice(kLabels, state_.settings.labels);
  if (!chosen) throw UserError(fmt::format("labels are {}", fmt::join(kLabels, ", ")));
  state_.settings.labels = *chosen;
}

void DisplayCommands::present(const Arguments& words) {
  state_.presenting = words.switched(state_.presenting);
  app_.requests().look_changed = true;  // the letters grow
}

void DisplayCommands::welcome(const Arguments& words) {
  state_.show_welcome = words.switched(state_.show_welcome);
  state_.settings.welcomed = true;
}

void DisplayCommands::quit(const Arguments& words) {
  if (words[0] == "off") {
    state_.quit_question.clear();
    return show_message("");
  }
  if (!words.empty()) throw UserError(fmt::format("say off, or nothing, not \"{}\"", words[0]));
  const std::string lost = lost_by_quitting(state_);
  if (!lost.empty() && !app_.group<ScriptCommands>().line_now() && state_.quit_question != lost) {
    state_.quit_question = lost;
    throw UserError(lost + ": quit once more (Ctrl+Q), or stay (Escape)");
  }
  state_.quit = true;
}

void DisplayCommands::tour(const Arguments& words) {
  if (words[0] == "off") state_.tour_step = -1;
  else if (words[0] == "next") ++state_.tour_step;
  else state_.tour_step = words.empty() ? 0 : words.number<int>(0, "the tour's step");
  state_.show_welcome = false;
}

}  // namespace rankscope::gui
