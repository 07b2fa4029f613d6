// The places of things in a time-vs-rank diagram. Along: in the direction of time; across: over the ranks.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {

class SpacetimeGeometry {
 protected:
  SpacetimeGeometry(const SpacetimeModel& model, const SpacetimeOptions& options,
                    const Ruler& ruler)
      : model_(model),
        options_(options),
        page_{options.width, options.height},
        ruler_(ruler),
        scale_(options.text_scale),
        margin_(options.heading ? 32 : 14) {}

  /// `least`: what texts above and below need in width; `label`: the widest label of an arrow. On a page that is too
  /// small, leaves out the legend first; throws UserError if the rest has no room.
  void measure(double least, double label);

  bool portrait() const noexcept { return options_.portrait; }
  bool rounds() const noexcept { return options_.clock == SpacetimeOptions::Clock::rounds; }
  double lane_count() const noexcept {
    return static_cast<double>(std::max<std::size_t>(model_.lanes.size(), 1));
  }
  Font font(double size, Font::Weight weight = Font::Weight::regular) const {
    return {size * scale_, weight, false};
  }
  Font label_font() const { return font(12, Font::Weight::semibold); }
  Font lane_font() const { return font(lane_pitch_ >= 24 ? 14 : 12, Font::Weight::semibold); }

  double along(double time) const noexcept;
  double across(int lane) const noexcept { return first_lane_ + lane_pitch_ * lane; }
  Point at(double time, int lane) const noexcept {
    return portrait() ? Point{across(lane), along(time)} : Point{along(time), across(lane)};
  }
  Box span_box(double begin, double end, int lane, double thick) const noexcept {
    const double from = along(begin), size = std::max(along(end) - from, 1.0),
                 side = across(lane) - thick / 2;
    return portrait() ? Box{side, from, thick, size} : Box{from, side, size, thick};
  }
  double lane_begin() const noexcept { return first_lane_ - lane_pitch_ / 2; }
  double lane_end() const noexcept { return lane_begin() + lane_pitch_ * lane_count(); }

  static constexpr double kBand = 18, kBandGap = 4;

  struct Extent {
    double width = 0, height = 0;
  };

  const SpacetimeModel& model_;
  const SpacetimeOptions& options_;
  Extent page_;  ///< As requested, or what it has grown to; 0 for any size.
  const Ruler& ruler_;
  const double scale_;
  const double margin_;  ///< Around the page's content; to be scaled.
  double width_ = 0, height_ = 0, top_ = 0, left_ = 0, foot_ = 0;
  double length_ = 0, time_zero_ = 0, first_lane_ = 0, lane_pitch_ = 0;
  bool legend_ = true;
  double lane_names_width() const;
  /// Whether the pane is so low that gaps shrink in favour of the lanes.
  bool is_low() const;
  /// "rank 2"; in a low pane "2", so that each lane has its name.
  std::string lane_name(Rank rank) const;
  /// Whether there is room beside or below names for badges that say where the ranks are; the same while a run is held
  /// and after it.
  bool has_badges() const noexcept { return options_.marks.any() || options_.plan != nullptr; }
  bool badges_below() const noexcept {
    constexpr double kTwoLines = 38;
    return has_badges() && !portrait() && lane_pitch_ >= kTwoLines * scale_;
  }

 private:
  void measure_columns(double label);
  void make_columns_equal();
  double natural_pitch(double label) const;
  void measure_foot();
  double bands() const;
  double before() const;
  double after() const;
  double left() const;
  Extent smallest_page() const;
  void find_room(const Extent& smallest);
  void place_landscape(double least);
  void place_portrait(double least);
  std::vector<double> column_ends_;  // natural widths, added up
};

}  // namespace rankscope
