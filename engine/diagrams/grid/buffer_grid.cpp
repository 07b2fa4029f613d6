// Lays out pages and strips of buffer grids for the chosen moments.
#include "engine/diagrams/grid/buffer_grid.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/grid/grid_painter.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kGridMargin = 24, kWidth = 1280;

std::string title_of(const Trace& trace, const BufferGridOptions& options) {
  if (!options.title.empty()) return options.title;
  return fmt::format("{} on {} rank{}", run_name(trace.meta()), trace.world_size(),
                     trace.world_size() == 1 ? "" : "s");
}

std::string moment_of(const GridModel& model) {
  return model.phase.empty() ? model.moment : model.moment + " · " + model.phase;
}

/// Returns the words of a screen reader in place of the picture.
std::string description_of(const GridModel& model) {
  if (!model.nothing.empty()) return capitalized(model.nothing) + ".";
  std::string text;
  for (const auto& row : model.rows) {
    std::vector<int> complete;
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      if (row.cells[c].complete) complete.push_back(static_cast<int>(c));
    if (!complete.empty())
      text += fmt::format("; rank {}: chunk{} {}", row.rank, complete.size() == 1 ? "" : "s",
                          fmt::join(complete, ", "));
  }
  const auto start =
      fmt::format("Contents of {} ranks' buffers {}", model.rows.size(), model.moment);
  return text.empty() ? start + "." : start + ". Completely reduced" + ":" + text.substr(1) + ".";
}

/// A page that grows downwards.
class Page {
 public:
  Page(const Trace& trace, const BufferGridOptions& options, const Ruler& ruler)
      : options_(options), pen_(scene_, ruler) {
    scene_.title = title_of(trace, options);
    outcome_ = run_outcome(trace);
  }

  Drawing& pen() noexcept { return pen_; }
  Scene& scene() noexcept { return scene_; }
  double width() const noexcept {
    return (options_.width > 0 ? options_.width : kWidth) - 2 * kGridMargin;
  }

  void heading(const std::string& moment) {
    if (!options_.heading) return;
    line(scene_.title, kHeading, {Tone::text}, 32);
    if (!outcome_.empty()) line(outcome_, kBodyStrong, {Tone::error}, 24);
    if (!moment.empty()) line(moment, kBody, {Tone::muted}, 24);
    y += 16;
  }

  void line(const std::string& text, const Font& font, const Ink& ink, double height) {
    pen_.text_in({kGridMargin, y, 0, height}, pen_.ruler().fitted(text, font, width()), font, ink,
                 Anchor::start);
    y += height;
  }

  /// Explains only what the picture has, with samples drawn alike.
  void legend(const GridNotes& notes, const GridModel& model, bool flights) {
    if (!options_.heading) return;
    y += 16;
    x_ = kGridMargin;
    const double right = std::max(content_right(), kGridMargin + 320);
    if (notes.complete)
      item("complete: each rank once", right,
           [&](const Box& b) { pen_.box(b.grown(-1), Ink{Tone::panel}, Ink{Tone::text}, 3, 2); });
    if (notes.twice)
      item("counted more than once", right,
           [&](const Box& b) { pen_.box(b, Ink{Tone::error}, std::nullopt, 3); });
    if (notes.parts)
      item("only in a part of the chunk", right, [&](const Box& b) {
        pen_.box({b.x, b.y, b.width / 2, b.height}, Ink{Tone::chunk, 0}, std::nullopt, 3);
        pen_.box(b.grown(-0.5), std::nullopt, Ink{Tone::grid}, 3);
      });
    if (notes.unknown)
      item("not known", right, [&](const Box& b) {
        pen_.box(b.grown(-0.5), std::nullopt, Ink{Tone::blocked}, 3).hatched = true;
      });
    if (notes.elsewhere)
      item("in the algorithm's own memory", right, [&](const Box& b) {
        pen_.box(b.grown(-1), std::nullopt, Ink{Tone::chunk, 0}, 3, 2);
      });
    if (notes.absent)
      item("not in this rank's buffer", right, [&](const Box& b) {
        pen_.box(b.grown(-0.5), std::nullopt, Ink{Tone::frame}, 3).dotted = true;
      });
    if (notes.changed)
      item("changed in this round", right, [&](const Box& b) {
        pen_.box(b.grown(-0.5), Ink{Tone::panel}, Ink{Tone::frame}, 3);
        paint_changed(pen_, b, 1, notes.underlined);
      });
    if (flights)
      item("sent in the next round", right, [&](const Box& b) {
        pen_.box({b.x, b.y + 2, b.width, b.height - 4}, Ink{Tone::chunk, 0}, std::nullopt, 4);
      });
    if (model.hidden_ranks > 0)
      item(fmt::format("{} more ranks are not shown", model.hidden_ranks), right,
           [](const Box&) {});
    if (x_ > kGridMargin) y += 16;
    else y -= 16;
  }

  /// Ends the page below everything on it.
  Scene finish() {
    double bottom = y;
    for (const auto& mark : scene_.marks) bottom = std::max(bottom, mark.box.bottom());
    scene_.width = std::ceil(std::max(options_.width, content_right() + kGridMargin));
    scene_.height = std::ceil(bottom + kGridMargin);
    return std::move(scene_);
  }

  double content_right() const {
    double right = kGridMargin;
    for (const auto& mark : scene_.marks) right = std::max(right, mark.box.right());
    return right;
  }

  double y = kGridMargin;

 private:
  template <class Sample>
  void item(const std::string& text, double right, Sample&& sample) {
    const double width = 20 + pen_.width(text, kCaption);
    if (x_ > kGridMargin && x_ + width > right) {
      x_ = kGridMargin;
      y += 20;
    }
    sample(Box{x_, y + 1, 14, 14});
    pen_.text_in({x_ + 20, y, 0, 16}, text, kCaption, {Tone::muted}, Anchor::start);
    x_ += width + 24;
  }

  std::string outcome_;  ///< The outcome of a run that did not end well.
  const BufferGridOptions& options_;
  Scene scene_;
  Drawing pen_;
  double x_ = kGridMargin;
};

Scene empty_page(Page& page, const std::string& why) {
  page.heading({});
  page.line(capitalized(why), kBody, {Tone::muted}, 24);
  return page.finish();
}

std::vector<int> moments_for(const GridSource& source, const BufferStripOptions& options) {
  std::vector<int> rounds = options.rounds;
  if (rounds.size() > 4 * static_cast<std::size_t>(BufferStripOptions::kMost))
    throw UserError(fmt::format("a strip has at most {} moments, not {}: choose fewer rounds",
                                4 * BufferStripOptions::kMost, rounds.size()));
  if (!rounds.empty()) return rounds;
  const int last = source.last();
  constexpr int kMostLines = 96;
  const int most = std::clamp(kMostLines / source.rows(), 3, BufferStripOptions::kMost);
  const int shown = std::min(last + 1, most);
  for (int i = 0; i < shown; ++i)
    rounds.push_back(
        shown == 1 ? 0 : static_cast<int>(static_cast<std::int64_t>(i) * last / (shown - 1)));
  return rounds;
}

/// Returns "Every round", or "Start, rounds 1, 2, 3 of 6".
std::string moments_of(std::span<const GridModel> models, const GridSource& source) {
  if (static_cast<int>(models.size()) == source.last() + 1) return "Every round";
  std::string text;
  for (const auto& model : models)
    if (model.round == 0) text = "Start";
  std::vector<int> rounds;
  for (const auto& model : models)
    if (model.round > 0 && model.round <= model.rounds) rounds.push_back(model.round);
  if (!rounds.empty())
    text += fmt::format("{}ound{} {} of {}", text.empty() ? "R" : ", r",
                        rounds.size() == 1 ? "" : "s", fmt::join(rounds, ", "), source.rounds());
  if (models.back().round > source.rounds()) text += text.empty() ? "End" : ", end";
  return text;
}

/// Names the phase only if it has room.
std::string panel_title(const GridModel& model, double width, const Ruler& ruler) {
  auto full = capitalized(moment_of(model));
  if (ruler.width(full, kBodyStrong) <= width) return full;
  const auto round = fmt::format("Round {}", model.round);
  const auto moment = capitalized(model.moment);
  return ruler.width(moment, kBodyStrong) <= width ? moment : model.round == 0 ? "Start" : round;
}

struct StripLayout {
  GridStyle style;
  int columns = 1;
};

constexpr int kMostSideBySide = 4;

/// Places as many moments side by side as have room at a readable size.
StripLayout strip_layout(std::span<const GridModel> models, const BufferStripOptions& options,
                         double width, double gap, const Ruler& ruler) {
  const bool values = options.grid.show == BufferGridOptions::Show::values;
  const int count = static_cast<int>(models.size());
  const auto room = [&](int columns) { return (width - (columns - 1) * gap) / columns; };
  const bool many = models.front().world > 16;
  const auto readable = [&](const GridStyle& style) {
    switch (style.cells) {
      case GridStyle::Cells::slots: return style.digits;
      case GridStyle::Cells::levels: return many;
      case GridStyle::Cells::stripes: return style.cell_height >= 32;
      case GridStyle::Cells::values: break;
    }
    return style.value_font.size >= 14;
  };
  for (int columns = std::min(count, kMostSideBySide); columns > 1; --columns) {
    const GridStyle style = choose_style(models, values, room(columns), ruler);
    if (readable(style) && style.grid_width(models.front().columns) <= room(columns))
      return {style, columns};
  }
  return {choose_style(models, values, width, ruler), 1};
}

// Returns the round that was asked for: `round`, or the last of the rounds given.
int chosen_round(const GridSource& source, const BufferGridOptions& options) {
  if (options.last_round <= 0 && options.first_round == 1) return options.round;
  return chosen_rounds(options.first_round, options.last_round, source.rounds()).second;
}

Scene grid_page(const Trace& trace, const BufferGridOptions& options, const GridModel& model,
                const GridStyle* style, const Ruler& ruler) {
  Page page(trace, options, ruler);
  page.scene().description = description_of(model);
  if (style == nullptr) return empty_page(page, model.nothing);
  page.heading(capitalized(moment_of(model)));
  GridNotes notes;
  paint_grid(page.pen(), model, *style, {kGridMargin, page.y}, {}, notes);
  page.y += grid_extent(model, *style).height;
  page.legend(notes, model, !model.flights.empty());
  return page.finish();
}

std::vector<Scene> grid_pages(const Trace& trace, const BufferGridOptions& options,
                              std::span<const GridModel> models, const Ruler& ruler) {
  std::optional<GridStyle> style;
  const bool any = ranges::any_of(models, [](const auto& m) { return m.nothing.empty(); });
  if (any) {
    const double width = (options.width > 0 ? options.width : kWidth) - 2 * kGridMargin;
    style = choose_style(models, options.show == BufferGridOptions::Show::values, width, ruler,
                         options.low);
  }
  std::vector<Scene> pages;
  for (const GridModel& model : models) {
    const GridStyle* look = style && model.nothing.empty() ? &*style : nullptr;
    pages.push_back(grid_page(trace, options, model, look, ruler));
  }
  make_alike(pages);
  return pages;
}

}  // namespace

void paint_changed(Drawing& pen, const Box& cell, double inset, bool underlined) {
  if (underlined) {
    pen.box({cell.x + 2, cell.bottom() - 4, cell.width - 4, 2}, Ink{Tone::text});
    return;
  }
  const double right = cell.right() - inset, top = cell.y + inset;
  constexpr double kLeg = 7;
  Mark& mark = pen.triangle({right - kLeg, top}, {right, top}, {right, top + kLeg}, {Tone::accent});
  mark.stroke = Ink{Tone::panel};  // sets it off from what lies below
}

BufferGrids::BufferGrids(const TraceAnalysis& analysis, BufferGridOptions options,
                         const Ruler& ruler)
    : analysis_(analysis),
      options_(std::move(options)),
      ruler_(ruler),
      source_(std::make_unique<GridSource>(analysis_, options_)) {}
BufferGrids::~BufferGrids() = default;

Scene BufferGrids::draw(int round, double width, bool low) {
  options_.round = round;
  options_.width = width;
  options_.low = low;
  const GridModel model = source_->at(chosen_round(*source_, options_));
  return std::move(grid_pages(analysis_.trace(), options_, {&model, 1}, ruler_).front());
}

Scene buffer_grid(const TraceAnalysis& analysis, const BufferGridOptions& options,
                  const Ruler& ruler) {
  return BufferGrids(analysis, options, ruler).draw(options.round, options.width, options.low);
}

int last_moment(const TraceAnalysis& analysis) { return GridSource(analysis, {}).last(); }

std::vector<Scene> buffer_grids(const TraceAnalysis& analysis, const BufferGridOptions& options,
                                int first, int last, const Ruler& ruler) {
  GridSource source(analysis, options);
  if (first < 0 || last < first || last > source.last())
    throw UserError(fmt::format("there are no moments {} to {}: this run has 0 (the start) to {}",
                                first, last, source.last()));
  std::vector<GridModel> models;
  for (int round = first; round <= last; ++round) models.push_back(source.at(round));
  return grid_pages(analysis.trace(), options, models, ruler);
}

Scene buffer_strip(const TraceAnalysis& analysis, const BufferStripOptions& options,
                   const Ruler& ruler) {
  constexpr double kGap = 40, kPanelHead = 32;
  GridSource source(analysis, options.grid);
  std::vector<GridModel> models;
  for (const int round : moments_for(source, options)) models.push_back(source.at(round));
  Page page(analysis.trace(), options.grid, ruler);
  std::string nothing = models.front().nothing;
  for (const auto& model : models) {
    page.scene().description +=
        (page.scene().description.empty() ? "" : " ") + description_of(model);
    if (model.nothing.empty()) nothing.clear();
  }
  if (!nothing.empty()) return empty_page(page, nothing);
  page.heading(moments_of(models, source));
  const auto layout = strip_layout(models, options, page.width(), kGap, ruler);
  const Box extent = grid_extent(models.front(), layout.style);
  const double top = page.y;
  GridNotes notes;
  bool flights = false;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::size_t line = i / static_cast<std::size_t>(layout.columns);
    const std::size_t column = i % static_cast<std::size_t>(layout.columns);
    const Point at{kGridMargin + static_cast<double>(column) * (extent.width + kGap),
                   top + static_cast<double>(line) * (extent.height + kPanelHead + kGap)};
    page.pen().group(-1);
    page.pen().text_in({at.x, at.y, 0, 24}, panel_title(models[i], extent.width, ruler),
                       kBodyStrong, {}, Anchor::start);
    paint_grid(page.pen(), models[i], layout.style, {at.x, at.y + kPanelHead},
               fmt::format("r{}-", models[i].round), notes);
    page.y = at.y + kPanelHead + extent.height;
    flights = flights || !models[i].flights.empty();
  }
  page.legend(notes, models.front(), flights);
  return page.finish();
}

}  // namespace rankscope
