// Chooses a style for all moments of a run in a pane, and draws them with it.
#include "engine/diagrams/grid/fitted_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/diagrams/grid/grid_painter.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kPaneMargin = 6, kLeastPane = 120;
constexpr int kFewRanks = 16, kMostRanks = 64, kManyMoments = 32, kFewMoments = 4;

// Returns moments whose words and chips decide how much room all need.
std::vector<GridModel> telling_moments(GridSource& source) {
  const int last = source.last();
  const int most = source.rows() <= kFewRanks ? kManyMoments : kFewMoments;
  const int count = std::min(last + 1, most);
  std::vector<GridModel> models;
  for (int i = 0; i < count; ++i)
    models.push_back(source.at(
        count == 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(i) * last / (count - 1))));
  return models;
}

// A page shows only the first of many ranks; patches have room for all.
BufferGridOptions of_all_ranks(const TraceAnalysis& analysis, BufferGridOptions options) {
  const int world = analysis.trace().world_size();
  if (options.show == BufferGridOptions::Show::contributions && options.ranks.empty() &&
      world <= kMostRanks)
    for (Rank rank = 0; rank < world; ++rank) options.ranks.push_back(rank);
  return options;
}

}  // namespace

struct FittedGrids::Parts {
  TraceAnalysis analysis;
  BufferGridOptions options;
  const Ruler& ruler;
  GridSource source;
  GridStyle style;
  std::string nothing;  ///< Why there is no grid.

  Parts(const TraceAnalysis& of, const BufferGridOptions& with, double width, double height,
        const Ruler& by)
      : analysis(of), options(of_all_ranks(of, with)), ruler(by), source(of, options) {
    const auto models = telling_moments(source);
    for (const GridModel& model : models) nothing = model.nothing;
    if (!nothing.empty()) return;
    choose(models, std::max(width, kLeastPane) - 2 * kPaneMargin,
           std::max(height, kLeastPane) - 2 * kPaneMargin);
  }

  // Chooses the largest cells with which all fits at full size: with chips below them, else without, else as patches.
  void choose(const std::vector<GridModel>& models, double width, double height) {
    const bool values = options.show == BufferGridOptions::Show::values;
    if (try_styles(models, width, height, true) >= 1 ||
        (!values && try_styles(models, width, height, false) >= 1))
      return widen(models.front().columns, width);
    if (values) return;
    style = dense_style(models.front(), width, height, ruler);
  }

  // Widens cells without slots, which are as narrow as their numbers, where there is room.
  void widen(int columns, double width) {
    constexpr double kWidest = 56;
    if (style.cells != GridStyle::Cells::levels && style.cells != GridStyle::Cells::stripes) return;
    const double spare = std::floor((width - style.grid_width(columns)) / std::max(columns, 1));
    style.cell_width =
        std::max(style.cell_width, std::min(kWidest, style.cell_width + std::max(spare, 0.0)));
  }

  // Sets the best style; returns the scale at which it fits, at most 1.
  double try_styles(const std::vector<GridModel>& models, double width, double height, bool chips) {
    constexpr std::array<double, 5> kShares = {1, 0.8, 0.62, 0.48, 0.36};
    const bool values = options.show == BufferGridOptions::Show::values;
    // Slots have lower forms, and values higher ones; cells that name where data comes from have smaller ones.
    const bool origins = !values && !models.front().reduces;
    double largest = 0;
    for (const double share : kShares)
      for (const bool low : {false, true}) {
        GridStyle tried = choose_style(models, values, width * share, ruler, low,
                                       origins ? height * share : kAnyHeight);
        if (!chips) tried.lanes = 0;
        const Box extent = grid_extent(models.front(), tried);
        const double room = std::min({width / extent.width, height / extent.height, 1.0});
        if (room <= largest) continue;
        largest = room;
        style = tried;
      }
    return largest;
  }
};

FittedGrids::FittedGrids(const TraceAnalysis& analysis, BufferGridOptions options, double width,
                         double height, const Ruler& ruler)
    : parts_(std::make_unique<Parts>(analysis, options, width, height, ruler)) {}
FittedGrids::~FittedGrids() = default;

Scene FittedGrids::draw(int round) {
  if (!parts_->nothing.empty()) {
    BufferGridOptions options = parts_->options;
    options.round = round;
    Scene scene = buffer_grid(parts_->analysis, options, parts_->ruler);
    trim(scene, kPaneMargin);
    return scene;
  }
  GridModel model =
      parts_->source.at(round == BufferGridOptions::kEnd ? parts_->source.last() : round);
  if (parts_->style.dense || parts_->style.lanes == 0) model.flights.clear();
  Scene scene;
  const Box extent = grid_extent(model, parts_->style);
  scene.title = run_title(parts_->analysis.trace().meta(), model.world);
  scene.description = "Contents of the ranks' buffers " + model.moment;
  scene.width = extent.width + 2 * kPaneMargin;
  scene.height = extent.height + 2 * kPaneMargin;
  Drawing pen(scene, parts_->ruler);
  GridNotes notes;
  paint_grid(pen, model, parts_->style, {kPaneMargin, kPaneMargin}, {}, notes);
  return scene;
}

}  // namespace rankscope
