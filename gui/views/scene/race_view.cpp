// The race: two to four runs on one clock.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "engine/diagrams/stage/race_stages.h"
#include "gui/views/scene/scene_view.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
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
    std::string of = fmt::format("{} {} {}x{}", options.measured, options.values, width, height);
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

  /// Of which run something is says the letter before it; only one of them is selected in.
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
