// The stage: chunks moving between ranks at the cursor.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/race_stages.h"
#include "engine/diagrams/stage/stage.h"
#include "gui/state/model/live_marks.h"
#include "gui/views/base/view.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/answer_layer.h"
#include "gui/views/scene/answer_row.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

constexpr double kRowButton = 30, kRowLine = 38, kRowPadding = 12, kRowGap = 8;
constexpr double kLeastPicture = 180, kLeastAboveLines = 400, kLeastBeside = 108;
constexpr const char* kQuestion = "What if …";
constexpr const char* kOnProcesses = "Run buffered on processes";

/// The buttons of a what-if, followed by the outcome.
struct WhatIfRow {
  std::vector<ImVec2> at;  ///< Relative to the row's corner.
  std::vector<float> widths;
  ImVec2 outcome;
  float outcome_width = 0, height = 0;
};

/// Returns whether this choice is the run itself, whose outcome is above.
bool is_real(const WhatIfState::Choice& choice) { return choice.name == "as-written"; }

WhatIfRow what_if_layout(const ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& what_if = context.state.what_if;
  const Look::Face strong = look.face({14, Font::Weight::semibold, false}),
                   plain = look.face({14, Font::Weight::regular, false});
  WhatIfRow row;
  const float left = look.px(kRowPadding), gap = look.px(kRowGap), line = look.px(kRowLine);
  float x = left + strong.extent(kQuestion).x + gap * 2, y = 0;
  const auto place = [&](std::string_view label) {
    const float wide = plain.extent(label).x + look.px(24);
    if (x + wide > width - left && x > left) x = left, y += line;
    row.at.push_back({x, y});
    row.widths.push_back(std::min(wide, width - 2 * left));
    x += wide + gap;
  };
  for (const auto& choice : what_if.choices) place(choice.label);
  if (ranges::any_of(what_if.choices, &WhatIfState::Choice::runs)) place(kOnProcesses);
  const auto* shown = what_if.shown();
  row.outcome_width = shown != nullptr ? strong.extent(shown->outcome).x : 0;
  // At the right where it has room, whichever is chosen: the row keeps its height.
  float widest = 0;
  for (const auto& choice : what_if.choices)
    if (!is_real(choice)) widest = std::max(widest, strong.extent(choice.outcome).x);
  if (x + gap + widest > width - left) y += line, row.outcome = {left, y};
  else row.outcome = {width - left - row.outcome_width, y};
  row.height = y + line;
  return row;
}

/// Returns whether the row becomes a list: it takes more than a line, or more than there is.
bool is_short(const Look& look, const WhatIfRow& row) {
  const float rest = ImGui::GetWindowHeight() - row.height;
  return rest < look.px(row.height > look.px(kRowLine) ? kLeastAboveLines : kLeastPicture);
}

std::string tip_of(const WhatIfState::Choice& choice) {
  std::string tip = choice.outcome;
  if (!choice.proviso.empty() && !is_real(choice)) tip += "\n" + choice.proviso;
  if (!is_real(choice)) tip += "\nA replay of the program's order, not of its processes.";
  return tip;
}

void draw_list(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& what_if = context.state.what_if;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({low.x + look.px(kRowPadding), low.y + look.px(kRowGap) / 2});
  look.push(14, Font::Weight::semibold);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(kQuestion);
  Look::pop();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(low.x + width - look.px(kRowPadding) - ImGui::GetCursorScreenPos().x);
  const auto* shown = what_if.shown();
  const std::string now = shown == nullptr || is_real(*shown)
                              ? std::string("as written")
                              : shown->label + ": " + shown->outcome;
  if (!ImGui::BeginCombo("##what-if", now.c_str(), ImGuiComboFlags_HeightLarge)) return;
  for (const auto& choice : what_if.choices) {
    if (ImGui::Selectable(choice.label.c_str(), choice.name == what_if.now))
      context.commands.push(cmd::what_if(choice.name));
    hover_text(tip_of(choice));
  }
  if (ranges::any_of(what_if.choices, &WhatIfState::Choice::runs) &&
      ImGui::Selectable(kOnProcesses))
    context.commands.push(cmd::what_if_run("buffered"));
  ImGui::EndCombo();
}

/// Returns the row's height; 0 without a question.
float what_if_height(const ViewContext& context, float width) {
  const auto* const shown = context.state.what_if.shown();
  if (context.state.what_if.choices.empty()) return 0;
  const Look& look = context.look;
  // A projector's picture needs the room: the menu of a right click has the choices, too.
  if (look.projector() && (shown == nullptr || is_real(*shown))) return 0;
  const WhatIfRow row = what_if_layout(context, width);
  if (!is_short(look, row)) return row.height;
  // The picture comes first: the menu of a right click and the drawer have it, too.
  const bool any = ImGui::GetWindowHeight() - look.px(kRowLine) >= look.px(kLeastBeside);
  return any ? look.px(kRowLine) : 0;
}

/// Draws the row of what-ifs at the cursor.
void draw_what_if(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& what_if = context.state.what_if;
  const WhatIfRow row = what_if_layout(context, width);
  if (is_short(look, row)) return draw_list(context, width);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, {low.x + width, low.y + row.height}, p.panel);
  list.AddLine(low, {low.x + width, low.y}, p.panel_edge);
  const Look::Face strong = look.face({14, Font::Weight::semibold, false});
  const float inset = (look.px(kRowLine) - look.px(kRowButton)) / 2;
  const auto word = [&](ImVec2 at, ImU32 color, std::string_view text) {
    strong.draw(list, {low.x + at.x, low.y + at.y + (look.px(kRowLine) - strong.size) / 2}, color,
                text);
  };
  word({look.px(kRowPadding), 0}, p.text, kQuestion);
  for (std::size_t i = 0; i < what_if.choices.size(); ++i) {
    const auto& choice = what_if.choices[i];
    ImGui::SetCursorScreenPos({low.x + row.at[i].x, low.y + row.at[i].y + inset});
    const ImVec2 size{row.widths[i], look.px(kRowButton)};
    ImGui::PushID(choice.name.c_str());
    const bool on = choice.name == what_if.now;
    const bool pressed = on ? accent_button(look, choice.label.c_str(), size, 14)
                            : ImGui::Button(choice.label.c_str(), size);
    if (pressed) context.commands.push(cmd::what_if(choice.name));
    hover_text(tip_of(choice));
    ImGui::PopID();
  }
  if (row.at.size() > what_if.choices.size()) {
    ImGui::SetCursorScreenPos({low.x + row.at.back().x, low.y + row.at.back().y + inset});
    if (ImGui::Button(kOnProcesses, {row.widths.back(), look.px(kRowButton)}))
      context.commands.push(cmd::what_if_run("buffered"));
    hover_text("The same job again, with sends that do not wait for their receives");
  }
  if (const auto* shown = what_if.shown(); shown != nullptr && !is_real(*shown))
    word(row.outcome, shown->ends ? p.good : p.error, shown->outcome);
}

/// On the stage's clock, as it is drawn.
double moment_in_rounds(const AppState& state) {
  const double at = shown_step(*state.document, state.playback.clock, state.playback.moment).at;
  return state.settings.motion ? at : std::floor(at + 1e-9);
}

class StageView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const bool values = context.state.settings.values;
    if (head_button(context, "values", values, "The elements, in place of whose data it is (V)"))
      context.commands.push(cmd::values(Turn::toggle));
    ask_button(context);
  }

 protected:
  Request request(const ViewContext& context, double width, double height) override {
    const auto& state = context.state;
    if (state.document->large()) return {};
    StageOptions options;
    options.width = width;
    options.height = height;
    options.heading = false;
    options.values = state.settings.values;
    options.plan = state.document->plan();
    options.live = state.live.running;
    options.circle = draws_own_run(state);
    const auto of = fmt::format("{} {} {} {} {}x{}", state.document->id(), options.values,
                                options.live, options.circle, width, height);
    if (!made_ || made_->of != of) {
      made_ = std::make_shared<Made>();
      made_->of = of;
    }
    const double moment = moment_in_rounds(state);
    // A message's receiver is chosen with it, and is not meant.
    const auto& chosen = state.selection;
    const SceneChoice focus{chosen.message, chosen.message >= 0 ? -1 : chosen.rank, chosen.chunk};
    Request wanted;
    LiveMarks marks = live_marks(state);
    wanted.key = fmt::format("{} {:.4f} {} {} {} {}", of, moment, focus.message, focus.rank,
                             focus.chunk, text_of(marks));
    wanted.make = [document = state.document, options, moment, focus, made = made_,
                   marks = std::move(marks)] {
      if (!made->stage)
        made->stage = std::make_unique<Stage>(document->analysis(), options, system_ruler());
      made->ready = true;
      return made->stage->at(moment, focus, marks);
    };
    return wanted;
  }

  /// The stage itself dims what is not chosen.
  std::optional<CellMeaning> cell_meaning() const override { return std::nullopt; }

  Selection selection_of(const std::string& group) const override {
    Selection selection;
    int rank = -1, chunk = -1;
    if (std::sscanf(group.c_str(), "cell-%d-%d", &rank, &chunk) == 2) selection.chunk = chunk;
    else if (std::sscanf(group.c_str(), "rank-%d", &rank) == 1) selection.rank = rank;
    else return SceneView::selection_of(group);
    return selection;
  }

  void clicked(ViewContext& context, const Scene&, Point) override {
    if (context.state.selection != Selection{}) context.commands.push(cmd::select_none());
  }

  static float what_if_or_ask(const ViewContext& context, float width) {
    const float asks = ask_height(context, width);
    return asks > 0 ? asks : what_if_height(context, width);
  }
  float footer_height(const ViewContext& context, float width) const override {
    return what_if_or_ask(context, width) + row_height(context, width);
  }
  void footer(ViewContext& context, float width) override {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float below = what_if_or_ask(context, width);
    if (context.state.moves.asked) draw_ask(context, width);
    else if (below > 0) draw_what_if(context, width);
    if (row_height(context, width) <= 0) return;
    ImGui::SetCursorScreenPos({low.x, low.y + below});
    draw_answer_row(context, width, answer_place());
  }
  bool picked(ViewContext& context, const std::string& group) override {
    return pick_live(context, group);
  }
  bool takes_mouse(ViewContext& context, const ScenePlace& place, bool hovered) override {
    const Stage* const stage = stage_now();
    return stage != nullptr &&
           answer_.takes_mouse(context, {*stage, moment_in_rounds(context.state)}, place, hovered);
  }
  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    if (const Stage* const stage = stage_now())
      answer_.draw(context, list, scene, {*stage, moment_in_rounds(context.state)}, place);
  }

  std::string_view empty_text() const override { return "This run is too long for the stage"; }
  std::string_view empty_advice() const override {
    return "It follows each chunk of runs of up to 400,000 events. \"Time × rank\" shows larger "
           "ones.";
  }

 private:
  struct Made {
    std::string of;  ///< Document, contents and size.
    std::unique_ptr<Stage> stage;
    std::atomic<bool> ready = false;  ///< The stage is made.
  };
  const Stage* stage_now() const { return made_ && made_->ready ? made_->stage.get() : nullptr; }
  /// A run that is an answer: cards that move with each message that is drawn would be hard to hit.
  static bool draws_own_run(const AppState& state) {
    const Question* const question = state.lesson.in_picture(AnswerPicture::Is::messages);
    return question != nullptr &&
           state.lesson.question_state(question->id)->form.picture.run.empty();
  }
  /// Time × rank says it already, where that is the larger picture.
  float row_height(const ViewContext& context, float width) const {
    const auto& layout = context.state.settings.layout;
    const bool said = context.state.lesson.prediction.parting &&
                      layout.at(layout.maximized.value_or(Slot::main)) == "spacetime";
    return said ? 0 : answer_row_height(context, width, answer_place());
  }
  AnswerPlace answer_place() const {
    return answer_.too_small() ? AnswerPlace::small : AnswerPlace::picture;
  }
  AnswerLayer answer_;
  std::shared_ptr<Made> made_;  ///< Scenes are made one at a time: see SceneCache.
};

}  // namespace

std::unique_ptr<View> make_stage_view() { return std::make_unique<StageView>(); }

namespace {

class RaceView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const auto& state = context.state;
    if (state.race.runs.empty()) return;
    const bool measured = state.playback.clock == ClockBase::measured;
    if (head_button(context, measured ? "measured time" : "rounds", false,
                    "The clock that all of them share: rounds, or time as measured (M)"))
      context.commands.push(cmd::clock_toggle());
    if (head_button(context, "other algorithms", false, "Two to four others of one collective"))
      context.commands.push(cmd::race());
  }

 protected:
  Request request(const ViewContext& context, double width, double height) override {
    const auto& state = context.state;
    if (state.race.runs.empty()) return {};
    RaceOptions options;
    options.width = std::max(width, 240.0);
    options.height = std::max(height, 100.0);
    options.measured = state.playback.clock == ClockBase::measured;
    options.values = state.settings.values;
    options.predicted = state.curtain();
    std::string of = fmt::format("{} {} {} {}x{}", options.measured, options.values,
                                 options.predicted, width, height);
    for (const DocumentPtr& run : state.race.runs) of += fmt::format(" {}", run->id());
    if (!made_ || made_->of != of) {
      made_ = std::make_shared<Made>();
      made_->of = of;
    }
    double moment = state.playback.moment;
    if (!state.settings.motion && !options.measured) moment = std::floor(moment + 1e-9);
    Request wanted;
    wanted.key = fmt::format("{} {:.4f}", of, moment);
    wanted.make = [runs = state.race.runs, options, moment, made = made_] {
      if (!made->stages) {
        std::vector<TraceAnalysis> analyses;
        for (const DocumentPtr& run : runs) analyses.push_back(run->analysis());
        made->stages = std::make_unique<RaceStages>(analyses, options, system_ruler());
      }
      return made->stages->at(moment);
    };
    return wanted;
  }

  /// The letter before an id names its run; a selection is made in one run only.
  Selection selection_of(const std::string&) const override { return {}; }
  std::string selected_group(const ViewContext&) const override { return {}; }
  std::optional<CellMeaning> cell_meaning() const override { return std::nullopt; }

  std::string_view empty_text() const override { return "No race has been run"; }
  std::string_view empty_advice() const override {
    return "Compare > Race algorithms, or say it (Ctrl+K): race ring bde";
  }

 private:
  struct Made {
    std::string of;
    std::unique_ptr<RaceStages> stages;
  };
  std::shared_ptr<Made> made_;  ///< Scenes are made one at a time: see SceneCache.
};

}  // namespace

std::unique_ptr<View> make_race_view() { return std::make_unique<RaceView>(); }

}  // namespace rankscope::gui
