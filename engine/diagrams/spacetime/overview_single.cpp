// Draws single messages on top of an overview where few enough are shown.
#include "engine/diagrams/spacetime/overview_single.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {
namespace {

double microseconds(std::int64_t ns) noexcept { return static_cast<double>(ns) / 1e3; }

class SingleLayer {
 public:
  SingleLayer(const OverviewCounts& counts, const OverviewPlaces& places)
      : counts_(counts), places_(places) {}

  void work(Drawing& d, const SingleMessages::Work& one) const {
    const double from = along(one.begin_ns), size = along(one.end_ns) - from;
    if (size < 0.3 || !has(one.rank)) return;
    const double thick =
        std::clamp(places_.pitch * counts_.rows() / counts_.ranks() * 0.3, 1.0, 9.0);
    d.new_group({fmt::format("work-{}-{}", one.rank, one.begin_ns),
                 work_story(one.rank, one.verb, microseconds(one.end_ns - one.begin_ns))});
    d.box({from, across(one.rank) - thick / 2, size, thick}, Ink{work_tone(one.verb)}, {}, 1);
  }

  // One that reaches beyond the window is drawn to where the window ends, without a head.
  void message(Drawing& d, const SingleMessages::Message& one) const {
    if (!has(one.from) || !has(one.to)) return;
    const auto begin = counts_.first_ns(), end = begin + counts_.duration_ns();
    d.new_group({fmt::format("e{}", one.event), story(one)});
    const Point from = at(one, std::max(one.sent_ns, begin)),
                to = at(one, std::min(one.received_ns, end));
    Mark& mark = d.line(from, to, one.received ? Ink{Tone::rank, one.from} : Ink{Tone::error},
                        std::clamp(places_.pitch / 20, 1.0, 2.0));
    mark.arrow =
        one.received && one.received_ns <= end && std::hypot(to.x - from.x, to.y - from.y) > 10;
    mark.dotted = !one.received;
  }

 private:
  bool has(Rank rank) const noexcept { return rank >= 0 && rank < counts_.ranks(); }

  double across(Rank rank) const noexcept {
    const int row =
        static_cast<int>(static_cast<std::int64_t>(rank) * counts_.rows() / counts_.ranks());
    const int first = counts_.first_of_row(row), next = counts_.first_of_row(row + 1);
    return places_.rows_from +
           places_.pitch * (row + (rank - first + 0.5) / std::max(next - first, 1));
  }
  /// Where a time of the run is; what lies beside the window is cut off.
  double along(std::int64_t ns) const noexcept {
    const double share =
        static_cast<double>(ns - counts_.first_ns()) / static_cast<double>(counts_.duration_ns());
    return places_.left + places_.length * std::clamp(share, 0.0, 1.0);
  }
  Point at(const SingleMessages::Message& one, std::int64_t time) const noexcept {
    const double lasts =
        static_cast<double>(std::max<std::int64_t>(one.received_ns - one.sent_ns, 1));
    const double share = static_cast<double>(time - one.sent_ns) / lasts;
    return {along(time), across(one.from) + (across(one.to) - across(one.from)) * share};
  }
  std::string story(const SingleMessages::Message& one) const {
    const std::string ends =
        one.received ? fmt::format("{} on its way",
                                   microseconds_text(microseconds(one.received_ns - one.sent_ns)))
                     : "not received in what is shown";
    return fmt::format(
        "rank {} → rank {}\n{}, sent at {}, {}", one.from, one.to, amount_text(one.bytes),
        moment_text(microseconds(one.sent_ns), microseconds(counts_.duration_ns())), ends);
  }

  const OverviewCounts& counts_;
  const OverviewPlaces& places_;
};

}  // namespace

void draw_single(Drawing& drawing, const OverviewCounts& counts, const SingleMessages& single,
                 const OverviewPlaces& places) {
  const SingleLayer layer(counts, places);
  for (const auto& one : single.work) layer.work(drawing, one);
  for (const auto& one : single.messages) layer.message(drawing, one);
  drawing.group(-1);
}

std::string moment_text(double us, double window_us) {
  const Unit unit = Unit::of_moments(us + window_us);
  const double share = window_us * 1e3 / 200 / unit.size;
  return unit.named(us * 1e3, std::clamp(static_cast<int>(std::ceil(-std::log10(share))), 0, 9));
}

}  // namespace rankscope
