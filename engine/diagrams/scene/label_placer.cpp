// Chooses the position on each arrow where a label disturbs least.
#include "engine/diagrams/scene/label_placer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// A label's places on its arrow, best first.
constexpr std::array kStations = {0.50, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78, 0.17, 0.83};
constexpr double kPillGap = 2;     // between pills
constexpr double kReach = 60;      // a pill is wider than a steep arrow
constexpr double kCrossing = 1.0;  // another arrow passes under the pill
constexpr double kAvoided = 1.5;
constexpr double kOffCentre = 0.9;  // for a pill at an arrow's end

// Finds arrows that may be near a box, by their left edges, without looking at all.
class Sweep {
 public:
  explicit Sweep(const std::vector<LabelRequest>& requests)
      : requests_(requests), order_(requests.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    ranges::sort(order_, {}, [&](std::size_t i) { return left(i); });
    for (const auto i : order_) widest_ = std::max(widest_, right(i) - left(i));
  }
  template <typename Visit>
  void near(const Box& box, Visit visit) const {
    auto at = ranges::lower_bound(order_, box.x - widest_, {}, [&](auto i) { return left(i); });
    for (; at != order_.end() && left(*at) <= box.right(); ++at)
      if (right(*at) >= box.x) visit(*at);
  }

 private:
  double left(std::size_t i) const { return std::min(requests_[i].from.x, requests_[i].to.x); }
  double right(std::size_t i) const { return std::max(requests_[i].from.x, requests_[i].to.x); }
  const std::vector<LabelRequest>& requests_;
  std::vector<std::size_t> order_;
  double widest_ = 0;
};

double length(const LabelRequest& request) {
  return std::hypot(request.to.x - request.from.x, request.to.y - request.from.y);
}

// Liang and Barsky's clipping: is some part of the line inside?
bool crosses(const Box& box, Point a, Point b) noexcept {
  double from = 0, to = 1;
  const auto clip = [&](double p, double q) {
    if (p == 0) return q >= 0;
    const double t = q / p;
    if (p < 0) from = std::max(from, t);
    else to = std::min(to, t);
    return from <= to;
  };
  const double dx = b.x - a.x, dy = b.y - a.y;
  return clip(-dx, a.x - box.x) && clip(dx, box.right() - a.x) && clip(-dy, a.y - box.y) &&
         clip(dy, box.bottom() - a.y);
}

}  // namespace

Box LabelPlacer::pill(const std::string& text, Point center) const {
  const double width = ruler_.width(text, font_) + font_.size * 0.8, height = font_.size * 1.45;
  return Box::around(center, width, height);
}

std::vector<std::optional<LabelPlace>> LabelPlacer::place(
    const std::vector<LabelRequest>& requests) const {
  std::vector<std::optional<LabelPlace>> places(requests.size());
  const Sweep sweep(requests);
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The short arrows have the least choice.
  ranges::stable_sort(order, {}, [&](std::size_t i) { return length(requests[i]); });

  for (const std::size_t i : order) {
    const LabelRequest& request = requests[i];
    for (const std::string& text : request.texts) {
      double best = 1e9;
      for (const double station : kStations) {
        const Point at{request.from.x + (request.to.x - request.from.x) * station,
                       request.from.y + (request.to.y - request.from.y) * station};
        const Box box = pill(text, at);
        const Box apart = box.grown(kPillGap / 2);
        if (!box.inside(area_)) continue;
        if (ranges::any_of(blocked_, [&](const Box& b) { return b.overlaps(apart); })) continue;
        bool taken = false;
        double cost = kOffCentre * std::abs(station - 0.5);
        for (const Box& avoided : avoided_) cost += avoided.overlaps(box) ? kAvoided : 0;
        sweep.near(apart.grown(kReach), [&](std::size_t j) {
          if (j == i) return;
          taken = taken || (places[j] && places[j]->pill.grown(kPillGap / 2).overlaps(apart));
          if (crosses(box, requests[j].from, requests[j].to)) cost += kCrossing;
        });
        if (taken || cost >= best) continue;
        best = cost;
        places[i] = LabelPlace{text, box};
      }
      if (places[i]) break;
    }
  }
  return places;
}

}  // namespace rankscope
