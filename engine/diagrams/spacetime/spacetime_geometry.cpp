// Computes positions and sizes in a time-vs-rank diagram, for landscape and portrait pages.
#include "engine/diagrams/spacetime/spacetime_geometry.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/run/live_marks.h"

namespace rankscope {
namespace {
constexpr double kMeasuredLength = 1100;        // of the time axis
constexpr double kLowPane = 280, kLowTop = 22;  // the cursor's label
}  // namespace

// Rounds in which many arrows pass each other are wider than others.
void SpacetimeGeometry::measure_columns(double label) {
  const auto count =
      static_cast<std::size_t>(std::max(1, model_.last_round - model_.first_round + 1));
  const double fan = 1 + 0.35 * std::min(model_.most_in_a_cell - 1, 8);
  const double least = portrait() ? std::max(84.0, 64 * fan) * scale_
                                  : std::max(88.0 * fan * scale_, label + 56 * scale_);
  std::vector<std::vector<int>> passing(count, std::vector<int>(model_.lanes.size() + 1, 0));
  for (const auto& a : model_.arrows) {
    auto& gaps = passing[static_cast<std::size_t>(a.round - model_.first_round)];
    for (int gap = std::min(a.from, a.to); gap < std::max(a.from, a.to); ++gap)
      ++gaps[static_cast<std::size_t>(gap)];
  }
  column_ends_.assign(1, 0);
  for (const auto& gaps : passing) {
    const double crowd = std::min(14.0 * std::ranges::max(gaps), 190.0) * scale_;
    column_ends_.push_back(column_ends_.back() + std::max(least, crowd));
  }
  // Adds columns behind the last step for spans that never end.
  while (static_cast<double>(column_ends_.size() - 1) < model_.end)
    column_ends_.push_back(column_ends_.back() + std::max(least, 150 * scale_));
  if (options_.until > 0) make_columns_equal();
}

void SpacetimeGeometry::make_columns_equal() {
  double widest = 0;
  for (std::size_t i = 1; i < column_ends_.size(); ++i)
    widest = std::max(widest, column_ends_[i] - column_ends_[i - 1]);
  column_ends_.resize(
      std::max(column_ends_.size(), static_cast<std::size_t>(std::ceil(options_.until)) + 1));
  for (std::size_t i = 0; i < column_ends_.size(); ++i)
    column_ends_[i] = static_cast<double>(i) * widest;
}

double SpacetimeGeometry::natural_pitch(double label) const {
  const double lanes = lane_count();
  const double pitch = lanes <= 5 ? 80 : lanes <= 8 ? 64 : lanes <= 16 ? 52 : lanes <= 32 ? 36 : 24;
  return (portrait() ? std::max(pitch * 1.3, label / scale_ + 44) : pitch) * scale_;
}

double SpacetimeGeometry::lane_names_width() const {
  double widest = 0;
  for (const Rank rank : model_.lanes)
    widest = std::max(widest, ruler_.width(lane_name(rank), lane_font()));
  if (has_badges() && !portrait())
    widest = std::max(widest, widest_badge(static_cast<int>(lane_count()), font(12), ruler_));
  return widest;
}

std::string SpacetimeGeometry::lane_name(Rank rank) const {
  return fmt::format("{}{}", is_low() ? "" : "rank ", rank);
}

double SpacetimeGeometry::along(double time) const noexcept {
  if (!rounds()) return time_zero_ + length_ * time / model_.end;
  const auto last = column_ends_.size() - 2;
  const auto column = std::min(static_cast<std::size_t>(std::max(time, 0.0)), last);
  const double from = column_ends_[column], to = column_ends_[column + 1];
  const double at = from + (to - from) * (time - static_cast<double>(column));
  return time_zero_ + length_ * at / column_ends_.back();
}
void SpacetimeGeometry::measure(double least, double label) {
  lane_pitch_ = natural_pitch(label);
  legend_ = options_.legend;
  top_ = (is_low() ? kLowTop : margin_ + (options_.title.empty() ? 0 : 30) + 8) * scale_;
  if (rounds()) measure_columns(label);
  measure_foot();
  const Extent smallest = smallest_page();
  if (page_.height > 0 && smallest.height > page_.height) {
    legend_ = false;
    measure_foot();
  }
  find_room(smallest_page());
  if (portrait()) place_portrait(least);
  else place_landscape(least);
}

void SpacetimeGeometry::measure_foot() {
  foot_ = is_low() ? 0 : (!options_.foot ? 0 : legend_ ? 62 : 38) * scale_ + margin_ * scale_ * 0.5;
}

bool SpacetimeGeometry::is_low() const {
  return !portrait() && !options_.heading && options_.may_grow && options_.height < kLowPane;
}

double SpacetimeGeometry::bands() const { return model_.phase_rows * (kBand + kBandGap) * scale_; }

// The heights of what is above and below the lanes (landscape) or the time axis (portrait).
double SpacetimeGeometry::before() const {
  return top_ + (portrait() ? 24 * scale_ : bands() + (is_low() ? 4 : 12) * scale_);
}
double SpacetimeGeometry::after() const {
  return (portrait() ? 0 : (is_low() ? 21 : 24) * scale_) + foot_;
}
// To the left of the lanes: their names, or phases and the numbers of steps.
double SpacetimeGeometry::left() const {
  if (!portrait()) return margin_ * scale_ + lane_names_width() + 16 * scale_;
  const double times = rounds() ? 0 : ruler_.width("888.8 ms", font(12)) + 12 * scale_;
  return margin_ * scale_ + bands() + std::max(44 * scale_, times);
}

// On a smaller page texts overlap, or arrows cannot be distinguished.
SpacetimeGeometry::Extent SpacetimeGeometry::smallest_page() const {
  constexpr double kLeastPitch = 6, kLeastInPane = 1.5, kLeastLength = 60, kLeastRound = 2;
  const bool pane = options_.may_grow && !options_.heading;
  const double pitch = pane ? kLeastInPane : kLeastPitch;
  const double lanes = pitch * scale_ * lane_count();
  double length = kLeastLength * scale_;
  if (rounds())
    length = std::max(length, kLeastRound * scale_ * static_cast<double>(column_ends_.size() - 1));
  const double margin = margin_ * scale_;
  return {std::ceil(left() + (portrait() ? lanes : length) + margin),
          std::ceil(before() + (portrait() ? length : lanes) + after())};
}

void SpacetimeGeometry::find_room(const Extent& smallest) {
  const bool narrow = page_.width > 0 && page_.width < smallest.width;
  const bool low = page_.height > 0 && page_.height < smallest.height;
  if (!narrow && !low) return;
  if (options_.may_grow) {
    const double factor = std::max(narrow ? smallest.width / page_.width : 1,
                                   low ? smallest.height / page_.height : 1);
    page_ = {page_.width * factor, page_.height * factor};
    return;
  }
  const auto given = [](double size) {
    return size > 0 ? fmt::format("{:.0f}", size) : std::string("any");
  };
  throw UserError(
      fmt::format("a page of {} x {} pixels has no room for this diagram, which needs at least "
                  "{:.0f} x {:.0f}: "
                  "choose a larger --size, or fewer --ranks or --steps",
                  given(page_.width), given(page_.height), smallest.width, smallest.height));
}

void SpacetimeGeometry::place_landscape(double least) {
  const double along = rounds() ? column_ends_.back() : kMeasuredLength * scale_;
  left_ = left();
  width_ = page_.width > 0 ? page_.width : std::max(left_ + along + margin_ * scale_, least);
  length_ = width_ - left_ - margin_ * scale_;
  height_ = page_.height > 0 ? page_.height : before() + lane_pitch_ * lane_count() + after();
  lane_pitch_ = (height_ - before() - after()) / lane_count();
  first_lane_ = before() + lane_pitch_ / 2;
  time_zero_ = left_;
}

void SpacetimeGeometry::place_portrait(double least) {
  const double along = rounds() ? column_ends_.back() : kMeasuredLength * scale_;
  left_ = left();
  width_ = page_.width > 0 ? page_.width
                           : std::max(left_ + lane_pitch_ * lane_count() + margin_ * scale_, least);
  lane_pitch_ = (width_ - left_ - margin_ * scale_) / lane_count();
  height_ = page_.height > 0 ? page_.height : before() + along + after();
  length_ = height_ - before() - after();
  first_lane_ = left_ + lane_pitch_ / 2;
  time_zero_ = before();
}

SpacetimeOptions spacetime_pane(double width, double height, SpacetimeOptions::Clock clock) {
  SpacetimeOptions options;
  options.clock = clock;
  options.heading = false;
  options.width = std::max(width, 240.0);
  options.height = std::max(height, 120.0);
  options.may_grow = true;  // many ranks in a low pane
  options.legend = height > 420;
  options.foot = height >= kLowPane;  // the lanes come first
  return options;
}

}  // namespace rankscope
