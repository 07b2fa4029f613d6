// The views that show a diagram of engine/diagrams.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/fitted_grid.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/table/statistics_table.h"
#include "gui/state/search/buffer_values.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/cursor_line.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

ShownStep step_of(const AppState& state) {
  return shown_step(*state.document, state.playback.clock, state.playback.moment);
}

int rounds_done(const AppState& state) { return step_of(state).done; }

// Without a page's margins: the pane has its own.
Scene tight(Scene scene) {
  constexpr double kMargin = 6;
  trim(scene, kMargin);
  return scene;
}

class BuffersView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const auto& document = context.state.document;
    if (document && !document->empty() && own_buffer(document->trace())) return;  // values only
    const bool values = context.state.settings.values;
    if (head_button(context, "contributions", !values, "Which ranks' data each chunk holds (V)"))
      context.commands.push(cmd::values(Turn::off));
    if (head_button(context, "values", values, "The elements themselves (V)"))
      context.commands.push(cmd::values(Turn::on));
  }

 protected:
  Request request(const ViewContext& context, double width, double height) override {
    const auto& state = context.state;
    none_named_ = false;
    if (state.document->large()) return {};
    BufferGridOptions options;
    options.show = state.settings.values ? BufferGridOptions::Show::values
                                         : BufferGridOptions::Show::contributions;
    const int done = rounds_done(state);
    options.round = done >= state.document->rounds().count ? BufferGridOptions::kEnd : done;
    options.in_flight = !state.lesson.horizon;  // the next messages are what is asked
    options.heading = false;
    if (const auto own = own_buffer(state.document->trace())) {
      // A program with its own names does not say what is input: there are values only.
      none_named_ = own->empty();
      if (none_named_) return {};
      options.buffer = *own;
      options.show = BufferGridOptions::Show::values;
    }
    const auto of =
        fmt::format("{} {} {}x{}", state.document->id(), state.settings.values, width, height);
    if (!fitted_ || fitted_->of != of) {
      fitted_ = std::make_shared<Fitted>();
      fitted_->of = of;
    }
    return {width, height,
            fmt::format("{} {} {}x{}", options.round, state.settings.values, width, height),
            [document = state.document, options, width, height, fitted = fitted_] {
              if (!fitted->grids)
                fitted->grids = std::make_unique<FittedGrids>(document->analysis(), options, width,
                                                              height, system_ruler());
              return fitted->grids->draw(options.round);
            }};
  }
  std::optional<CellMeaning> cell_meaning() const override { return CellMeaning::rank_and_chunk; }
  // The chunks that a rank sends in the current round move from below its row to beside the receiver's: what is changed
  // there stays in sight.
  std::vector<std::pair<std::int32_t, Point>> moved(const ViewContext& context,
                                                    const Scene& scene) override {
    const auto& play = context.state.playback;
    const double share = play.moment - std::floor(play.moment);
    std::vector<std::pair<std::int32_t, Point>> moved;
    if (play.clock != ClockBase::rounds || share < 1e-6) return moved;
    std::map<Rank, double> middle_of_row;
    for (const Mark& mark : scene.marks) {
      if (mark.group < 0 || mark.kind != Mark::Kind::box) continue;
      int rank = -1, column = -1;
      const auto& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
      if (std::sscanf(id.c_str(), "cell-%d-%d", &rank, &column) == 2)
        middle_of_row.try_emplace(rank, mark.box.center().y);
    }
    for (const Mark& mark : scene.marks) {
      if (mark.group < 0 || mark.kind != Mark::Kind::box) continue;
      int from = -1, number = -1, to = -1;
      const auto& id = scene.groups[static_cast<std::size_t>(mark.group)].id;
      if (std::sscanf(id.c_str(), "send-%d-%d-to-%d", &from, &number, &to) != 3) continue;
      const auto row = middle_of_row.find(to);
      if (row == middle_of_row.end() || (!moved.empty() && moved.back().first == mark.group))
        continue;
      const double below = mark.box.center().y - middle_of_row[from];  // in the gap under a row
      double end = row->second + below;
      if (const auto above = row; from < to && above != middle_of_row.begin())
        end = std::prev(above)->second + below;  // comes from above
      moved.emplace_back(mark.group, Point{0, (end - mark.box.center().y) * eased(share)});
    }
    return moved;
  }
  struct Fitted {
    std::string of;  ///< Document, size and contents.
    std::unique_ptr<FittedGrids> grids;
  };
  std::string_view empty_text() const override { return "No buffers to show"; }
  std::string_view empty_advice() const override {
    if (none_named_)
      return "The trace names no array: the messages are all that is known of the data.";
    return "Whose data each chunk holds is followed event by event: of runs of up to 400,000 "
           "events. The view \"Values\" (click on this pane's title) shows what the buffers of "
           "larger ones hold at the cursor.";
  }

 private:
  bool none_named_ = false;
  std::shared_ptr<Fitted> fitted_;  ///< Scenes are made one at a time: see SceneCache.
};

class MatrixView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    if (head_button(context, of_messages_ ? "messages" : "bytes", false, "Bytes, or messages"))
      of_messages_ = !of_messages_;
  }

 protected:
  Request request(const ViewContext& context, double, double) override {
    const auto& state = context.state;
    MatrixOptions options{
        .of = of_messages_ ? MatrixOptions::Of::messages : MatrixOptions::Of::bytes,
        .title = "",
        .pane = true};
    if (!state.document->large()) options.until = rounds_done(state);
    return {.key = fmt::format("{} {}", of_messages_ ? "messages" : "bytes", options.until),
            .make =
                [document = context.state.document, options] {
                  return tight(traffic_matrix(document->analysis(), options, system_ruler()));
                },
            .captioned = true};
  }
  std::optional<CellMeaning> cell_meaning() const override { return CellMeaning::from_and_to; }

 private:
  bool of_messages_ = false;
};

class StatisticsView final : public SceneView {
 protected:
  std::string_view empty_text() const override { return "Covered until it has been played"; }
  std::string_view empty_advice() const override {
    return "The curtain (K) lies over the steps that have not been played.";
  }
  Request request(const ViewContext& context, double width, double height) override {
    Request wanted;
    const auto& play = context.state.playback;
    if (context.state.curtain() && play.moment < context.state.document->end(play.clock))
      return wanted;
    const int until = context.state.document->large() ? -1 : rounds_done(context.state);
    const int chunk = context.state.selection.chunk;
    const bool projector = context.look.projector();
    wanted.key = fmt::format("{} {} {}x{} {}", until, chunk, width, height, projector);
    wanted.captioned = true;
    wanted.make = [document = context.state.document, until, chunk, width, height, projector] {
      const auto draw = [&](bool below, bool brief,
                            std::size_t rows = StatisticsOptions{}.most_rows) {
        return tight(statistics_table(document->analysis(),
                                      {.title = "",
                                       .pane = true,
                                       .bounds_below = below,
                                       .brief = brief,
                                       .most_rows = rows,
                                       .until = until,
                                       .chunk = chunk},
                                      system_ruler()));
      };
      // Rows are folded before letters become small.
      for (std::size_t rows = StatisticsOptions{}.most_rows; projector; --rows) {
        Scene folded = draw(true, false, rows);
        if (rows == 1 || scale(folded, width, height) >= 1) return folded;
      }
      // The whole card with the bounds, unless letters would be small for it.
      Scene best = draw(false, false);
      for (const bool below : {false, true}) {
        if (scale(best, width, height) >= kLegible) break;
        Scene other = draw(below, !below);
        if (scale(other, width, height) > scale(best, width, height)) best = std::move(other);
      }
      return best;
    };
    return wanted;
  }

 private:
  static constexpr double kLegible = 0.95, kCaption = 44;
  static double scale(const Scene& scene, double width, double height) {
    return std::min(width / scene.width, (height - kCaption) / scene.height);
  }
};

class SchematicView final : public SceneView {
 protected:
  Request request(const ViewContext& context, double, double) override {
    if (context.state.document->trace().meta().collective != Collective::alltoall) return {};
    Request wanted;
    wanted.make = [document = context.state.document] {
      return tight(alltoall_schematic(document->analysis(), {.title = ""}, system_ruler()));
    };
    wanted.now = step_of(context.state).at;
    return wanted;
  }
  std::string_view empty_text() const override { return "This run is not an all-to-all"; }
  std::string_view empty_advice() const override {
    return "The schematic shows how an all-to-all regroups its blocks: choose all-to-all in the "
           "sentence above, or open a trace of one.";
  }
};

class CompareView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const auto& state = context.state;
    if (!state.other) return;
    const bool measured = state.playback.clock == ClockBase::measured;
    if (head_button(context, measured ? "measured time" : "logical steps", false,
                    "Time as measured, or in rounds (M)"))
      context.commands.push(cmd::clock_toggle());
    if (head_button(context, state.separate_clocks ? "a clock each" : "one clock", false,
                    "One scale of time for both, or each run as long as its pane"))
      context.commands.push(cmd::compare_clock_toggle());
  }

 protected:
  Request request(const ViewContext& context, double width, double height) override {
    const auto& state = context.state;
    if (!state.other) return {};
    const auto& play = state.playback;
    ComparisonOptions options;
    options.clock = play.clock == ClockBase::rounds ? SpacetimeOptions::Clock::rounds
                                                    : SpacetimeOptions::Clock::measured;
    options.separate = state.separate_clocks;
    options.verdict = !is_covered(state);
    options.edit = state.asked.of_program && state.asked.before == state.other;
    // A run that was kept, or of which a what-if was asked, was made before the one that is shown.
    options.older = state.other->run_id() < state.document->run_id();
    width = std::max(width, 480.0);
    height = std::max(height, 240.0);
    Request wanted;
    wanted.key = fmt::format("{} {} {} {} {} {}x{}", state.other->id(), to_string(play.clock),
                             options.separate, options.verdict, options.edit, width, height);
    wanted.make = [a = state.document, b = state.other, options, width, height] {
      return comparison_pane(a->analysis(), b->analysis(), options, width, height, system_ruler());
    };
    wanted.now = play.moment;
    return wanted;
  }
  std::string selected_group(const ViewContext& context) const override {
    const auto group = SceneView::selected_group(context);
    return group.empty() ? group : "a-" + group;
  }
  // Only this run's messages can be selected: the other views show this run.
  Selection selection_of(const std::string& group) const override {
    return group.starts_with("a-") ? SceneView::selection_of(group.substr(2)) : Selection{};
  }
  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    if (!scene.clock_axis || !scene.second_axis) return;
    const auto& play = context.state.playback;
    const double top = top_of_bands(scene, *scene.clock_axis);
    const double end = scene.clock_axis->knots.back().time;
    if (is_covered(context.state)) {
      constexpr double kBands = 62;  // of phases
      draw_curtain(context, list, *scene.clock_axis, place, play.moment, kBands);
      draw_curtain(context, list, *scene.second_axis, place,
                   play.moment * of_second(scene, context.state), kBands);
    }
    draw_cursor(context, list, *scene.clock_axis, place, top, play.moment, cursor_text(play, end));
    Playback second = play;
    second.moment *= of_second(scene, context.state);
    draw_cursor(context, list, *scene.second_axis, place, top, second.moment,
                cursor_text(second, end));
  }
  bool dragged(ViewContext& context, const Scene& scene, Point at) override {
    if (!scene.clock_axis || !scene.second_axis) return false;
    const bool second = at.x >= scene.second_axis->knots.front().at.x - 12;
    const ClockAxis& axis = second ? *scene.second_axis : *scene.clock_axis;
    if (at.x < axis.knots.front().at.x - 12 || at.y > axis.knots.front().at.y + axis.across.y)
      return false;
    const double moment = axis.time_at(at) / (second ? of_second(scene, context.state) : 1);
    context.commands.push(cmd::seek({moment, 3}));
    return true;
  }
  /// Hides the difference until it has been predicted.
  static bool is_covered(const AppState& state) { return state.curtain() && !state.at_present(); }
  // A moment of the first run, in the second one's time.
  static double of_second(const Scene& scene, const AppState& state) {
    const double first = scene.clock_axis->knots.back().time;
    return state.separate_clocks && first > 0 ? scene.second_axis->knots.back().time / first : 1;
  }
  std::string_view empty_text() const override { return "One run is here; a second one is needed"; }
  std::string_view empty_advice() const override {
    return "Run > Keep for comparison keeps this one beside the next; or open a second trace with\n"
           "Compare > Open.";
  }
};

}  // namespace

std::unique_ptr<View> make_buffers_view() { return std::make_unique<BuffersView>(); }
std::unique_ptr<View> make_matrix_view() { return std::make_unique<MatrixView>(); }
std::unique_ptr<View> make_statistics_view() { return std::make_unique<StatisticsView>(); }
std::unique_ptr<View> make_schematic_view() { return std::make_unique<SchematicView>(); }
std::unique_ptr<View> make_compare_view() { return std::make_unique<CompareView>(); }

}  // namespace rankscope::gui
