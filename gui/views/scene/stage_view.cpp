// The stage: chunks moving between ranks at the cursor.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "engine/diagrams/stage/stage.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/run/shown_step.h"
#include "gui/views/scene/answer_layer.h"
#include "gui/views/scene/answer_row.h"
#include "gui/views/scene/live_scene.h"
#include "gui/views/scene/scene_view.h"
#include "gui/views/scene/what_if_row.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
namespace {

/// On the stage's clock.
double moment_in_rounds(const AppState& state) {
  return shown_step(*state.document, state.playback.clock, state.playback.moment).at;
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
    double moment = moment_in_rounds(state);
    if (!state.settings.motion) moment = std::floor(moment + 1e-9);
    // A message's receiver is chosen with it, and is not meant.
    const auto& chosen = state.selection;
    const StageFocus focus{chosen.message, chosen.message >= 0 ? -1 : chosen.rank, chosen.chunk};
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
    return stage != nullptr && answer_.takes_mouse(context, *stage, place, hovered);
  }
  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    if (const Stage* const stage = stage_now())
      answer_.draw(context, list, scene, *stage, place, moment_in_rounds(context.state));
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

}  // namespace rankscope::gui
