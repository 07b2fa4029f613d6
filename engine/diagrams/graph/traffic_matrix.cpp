// Draws the bytes sent between each pair of ranks as a heat map.
#include "engine/diagrams/graph/traffic_matrix.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/graph/graph_layout.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr int kMostCells = 64;
constexpr double kSumGap = 8;
constexpr double kLegendWidth = 240, kLegendHeight = 12;

class Matrix {
 public:
  Matrix(const TraceAnalysis& analysis, const MatrixOptions& options, const Ruler& ruler)
      : trace_(analysis.trace()),
        options_(options),
        bins_(trace_.world_size(), kMostCells),
        size_(static_cast<std::size_t>(bins_.count())),
        cells_(size_ * size_),
        sent_(size_),
        received_(size_),
        lost_(stuck_ranks(analysis).lost),
        pen_(scene_, ruler) {
    count(analysis.statistics());
    measure();
    if (options_.until >= 0 && !analysis.large()) count_until(analysis);
  }

  Scene draw() {
    draw_axes();
    for (std::size_t row = 0; row < size_; ++row)
      for (std::size_t column = 0; column < size_; ++column) draw_cell(row, column);
    draw_sums();
    draw_legend();
    if (options_.pane) return uncaptioned(std::move(scene_), caption());
    return captioned(std::move(scene_), caption(), pen_.ruler());
  }

 private:
  bool in_bytes() const noexcept { return options_.of == MatrixOptions::Of::bytes; }
  double x(std::size_t column) const noexcept { return static_cast<double>(column) * width_; }
  double y(std::size_t row) const noexcept { return static_cast<double>(row) * height_; }

  void add(Rank from, Rank to, std::uint64_t value) {
    const auto row = static_cast<std::size_t>(bins_.of(from)),
               column = static_cast<std::size_t>(bins_.of(to));
    cells_[row * size_ + column] += value;
    sent_[row] += value;
    received_[column] += value;
    total_ += value;
  }

  void count(const Statistics& found) {
    unreceived_ = found.unreceived;
    for (const auto& [ends, traffic] : found.matrix)
      add(ends.first, ends.second, in_bytes() ? traffic.bytes : traffic.messages);
    most_ = *ranges::max_element(cells_);
    if (in_bytes()) unit_ = Unit::of_bytes(most_);
    unit_.whole = unit_.whole || ranges::all_of(cells_, [&](std::uint64_t value) {
                    return value % static_cast<std::uint64_t>(unit_.size) == 0;
                  });
  }

  // The layout, the unit and the scale of colours stay those of the whole run.
  void count_until(const TraceAnalysis& analysis) {
    const Rounds& rounds = analysis.rounds();
    rounds_ = rounds.count;
    if (options_.until >= rounds.count) return;
    for (auto* values : {&cells_, &sent_, &received_}) ranges::fill(*values, 0);
    total_ = 0;
    for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
      const MessageRecord& message = rounds.messages[i];
      if (message.sync || rounds.round[i] > options_.until) continue;
      add(message.from, message.to, in_bytes() ? message.bytes : 1);
    }
  }

  std::string text(std::uint64_t value) const { return unit_.text(static_cast<double>(value)); }

  // Cells are as large as their numbers need, up to what the number of cells leaves room for.
  void measure() {
    double widest = 0;
    for (const auto value : cells_)
      widest = std::max(widest, pen_.ruler().width(text(value), kCaption));
    const double room = size_ <= 16 ? 64 : size_ <= 32 ? 40 : 24;
    height_ = size_ <= 8 ? 40 : size_ <= 16 ? 32 : size_ <= 32 ? 24 : 20;
    width_ = std::clamp(std::ceil((widest + 10) / 4) * 4, height_, std::max(room, height_));
    double sums = pen_.ruler().width(text(total_), kCaptionStrong);
    for (const auto value : sent_)
      sums = std::max(sums, pen_.ruler().width(text(value), kCaptionStrong));
    // Sums of narrow columns are read upwards.
    double received = 0;
    for (const auto value : received_)
      received = std::max(received, pen_.ruler().width(text(value), kCaptionStrong));
    sum_height_ = received <= width_ - 4 ? height_ : std::max(received + 8, height_ + 1);
    sum_width_ = std::max({width_, sums + 16, pen_.ruler().width("sent", kCaptionStrong) + 16});
  }

  bool fits(const std::string& words, double width, const Font& font) const {
    return pen_.ruler().width(words, font) <= width - 4;
  }

  bool is_lost(std::size_t bin) const {
    return ranges::any_of(lost_,
                          [&](Rank rank) { return bins_.of(rank) == static_cast<int>(bin); });
  }

  // Draws a rank's number on its tile; where they would be too narrow, only some numbers.
  void label(std::size_t bin, Point center, double room) {
    const std::string name =
        grouped(static_cast<std::uint64_t>(bins_.first(static_cast<int>(bin))));
    if (!bins_.merged() && size_ <= 16) {
      pen_.rank_tile(name, center);
      return;
    }
    const std::string last =
        grouped(static_cast<std::uint64_t>(bins_.first(static_cast<int>(size_) - 1)));
    const auto every = static_cast<std::size_t>(
        std::ceil((std::max(pen_.ruler().width(last, kCaption), 14.0) + 4) / room));
    if (bin % every == 0) pen_.level(name, center, kCaption, {Tone::muted});
  }

  void draw_axes() {
    const double wide = x(size_), high = y(size_);
    pen_.level("to rank", {wide / 2, -36}, kBodyStrong);
    pen_.upward("from rank", {-48, high / 2}, kBodyStrong);
    for (std::size_t i = 0; i < size_; ++i) {
      label(i, {x(i) + width_ / 2, -14}, width_);
      label(i, {-20, y(i) + height_ / 2}, 1e9);
      if (is_lost(i)) {
        pen_.cross({x(i) + width_ / 2 + 15, -24}, 3.5);
        pen_.cross({-5, y(i) + height_ / 2 - 10}, 3.5);
      }
    }
    pen_.level("sent", {wide + kSumGap + sum_width_ / 2, -14}, kCaptionStrong);
    pen_.level(unreceived_ > 0 ? "sent to" : "received", {-8, high + kSumGap + sum_height_ / 2},
               kCaptionStrong, {Tone::text}, Anchor::end);
  }

  int heat_of(std::uint64_t value) const {
    if (most_ == 0 || value == 0) return 0;
    return std::max(2, static_cast<int>(std::lround(100.0 * static_cast<double>(value) /
                                                    static_cast<double>(most_))));
  }

  std::string story(std::size_t row, std::size_t column) const {
    const auto value = cells_[row * size_ + column];
    const std::string amount = in_bytes() ? amount_text(value) : counted(value, "message");
    return fmt::format("{} to {}: {}", bins_.words(static_cast<int>(row)),
                       bins_.words(static_cast<int>(column)), value == 0 ? "nothing" : amount);
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const auto value = cells_[row * size_ + column];
    const Box box{x(column) + 1, y(row) + 1, width_ - 2, height_ - 2};
    if (row == column && value == 0) {  // nobody sends to itself
      pen_.group(-1);
      pen_.box(box, Ink{Tone::lane}, {}, 2).hatched = true;
      return;
    }
    if (value > 0)
      pen_.new_group(Group{fmt::format("cell-{}-{}", row, column), story(row, column)});
    const int heat = heat_of(value);
    pen_.box(box, Ink{Tone::heat, heat}, {}, 2);
    if (value > 0) {
      const auto number = text(value);
      if (fits(number, width_, kCaption))
        pen_.level(number, box.center(), kCaption, {Tone::on_heat, heat});
      else ++without_number_;
    }
    pen_.group(-1);
  }

  void draw_sums() {
    const double right = x(size_) + kSumGap, below = y(size_) + kSumGap;
    const auto sum = [&](std::uint64_t value, const Box& box, bool upright = false) {
      pen_.box(box, Ink{Tone::panel}, {}, 2);
      if (upright) pen_.upward(text(value), box.center(), kCaptionStrong);
      else pen_.level(text(value), box.center(), kCaptionStrong);
    };
    for (std::size_t i = 0; i < size_; ++i) {
      sum(sent_[i], {right, y(i) + 1, sum_width_, height_ - 2});
      sum(received_[i], {x(i) + 1, below, width_ - 2, sum_height_}, sum_height_ > height_);
    }
    sum(total_, {right, below, sum_width_, sum_height_});
  }

  void draw_legend() {
    constexpr int kSteps = 20;
    // In a pane it must not push the cells off its middle.
    const double wide = options_.pane
                            ? std::clamp(x(size_) + kSumGap + sum_width_, 120.0, kLegendWidth)
                            : kLegendWidth;
    const double top = y(size_) + kSumGap + sum_height_ + 24, step = wide / kSteps;
    for (int i = 0; i < kSteps; ++i)
      pen_.box({i * step, top, step, kLegendHeight}, Ink{Tone::heat, (i * 100) / (kSteps - 1)});
    const auto label = [&](const std::string& words, double at, Anchor anchor) {
      pen_.level(words, {at, top + kLegendHeight + 12}, kCaption, {Tone::muted}, anchor);
    };
    label("0", 0, Anchor::start);
    label(in_bytes() ? fmt::format("{} {}", text(most_), unit_.name) : counted(most_, "message"),
          wide, Anchor::end);
  }

  std::string when() const {
    if (options_.until < 0 || options_.until >= rounds_) return "in all";
    return options_.until == 0 ? "at the start"
                               : fmt::format("after step {} of {}", options_.until, rounds_);
  }

  Caption caption() const {
    Caption words;
    words.title = options_.title.value_or(titled(
        in_bytes() ? "Bytes from rank to rank" : "Messages from rank to rank", trace_.meta()));
    words.subtitle.push_back(with_outcome(
        trace_,
        fmt::format("{} · {} {}{}",
                    counted(static_cast<std::uint64_t>(trace_.world_size()), "rank"),
                    in_bytes() ? amount_text(total_) : counted(total_, "message"), when(),
                    in_bytes() && total_ > 0 ? fmt::format(" · numbers in {}", unit_.name) : "")));
    for (const Rank rank : lost_)
      words.notes.push_back(fmt::format("Rank {} was lost: it has a cross.", rank));
    if (unreceived_ > 0)
      words.notes.push_back(
          fmt::format("Columns count what was sent: {}.", unreceived_text(trace_, unreceived_)));
    if (bins_.merged())
      words.notes.push_back(fmt::format(
          "Each row and column stands for {} consecutive ranks, named by "
          "the first one; the last one for {}.",
          bins_.width(), bins_.last(bins_.count() - 1) - bins_.first(bins_.count() - 1) + 1));
    if (without_number_ > 0)
      words.notes.push_back(
          fmt::format("{} too wide for {} here.", counted(without_number_, "number"),
                      without_number_ == 1 ? "its cell: not written" : "their cells: not written"));
    return words;
  }

  const Trace& trace_;
  const MatrixOptions& options_;
  const RankBins bins_;
  const std::size_t size_;
  std::vector<std::uint64_t> cells_, sent_, received_;
  std::uint64_t total_ = 0, most_ = 0, without_number_ = 0, unreceived_ = 0;
  const std::vector<Rank> lost_;
  Unit unit_;
  int rounds_ = 0;
  double width_ = 0, height_ = 0, sum_width_ = 0, sum_height_ = 0;
  Scene scene_;
  Drawing pen_;
};

}  // namespace

Scene traffic_matrix(const TraceAnalysis& analysis, const MatrixOptions& options,
                     const Ruler& ruler) {
  if (analysis.trace().world_size() < 1)
    throw UserError("the trace is empty: there are no ranks to draw; record a run first");
  return Matrix(analysis, options, ruler).draw();
}

}  // namespace rankscope
