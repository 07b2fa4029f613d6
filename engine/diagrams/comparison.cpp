#include "engine/diagrams/comparison.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/analysis/statistics.h"
#include "engine/core/error.h"
#include "engine/core/quantity.h"
#include "engine/diagrams/compose.h"
#include "engine/diagrams/drawing.h"

namespace rankscope {
namespace {

constexpr double kRow = 26, kPadding = 16;

std::string name_of(const Trace& trace) {
  return trace.meta().algorithm.empty() ? std::string("run") : trace.meta().algorithm;
}

/// Where a lane lies along the time axis; empty: an overview, which has none.
Box lane_of(const Scene& scene) {
  for (const Mark& mark : scene.marks)
    if (mark.kind == Mark::Kind::box && mark.fill && mark.fill->tone == Tone::lane &&
        mark.group < 0)
      return mark.box;
  return {};
}

class Comparison {
 public:
  Comparison(const Trace& a, const Trace& b, const ComparisonOptions& options, const Ruler& ruler)
      : traces_{&a, &b}, options_(options), parting_(parting(a, b)), pen_(scene_, ruler) {}

  Scene draw() {
    Scene first = diagram(0, 0, 0), second = diagram(1, 0, 0);
    const double until = std::max(first.clock_end, second.clock_end);
    // Overviews of large runs have no lanes: they stay as they are.
    const bool one_scale = !lane_of(first).empty() && !lane_of(second).empty();
    if (one_scale) {
      first = diagram(0, until, 0);
      second = diagram(1, until, 0);
      const double length = std::max(extent(lane_of(first)), extent(lane_of(second)));
      first = diagram(0, until, length + around(0, until, first));
      second = diagram(1, until, length + around(1, until, second));
    }
    mark(first, parting_.a, 0);
    mark(second, parting_.b, 1);
    put(first, second);
    figures();
    scene_.clock_end = until;
    Caption words;
    words.title = options_.title.value_or(
        fmt::format("{} and {}", name_of(*traces_[0]), name_of(*traces_[1])));
    const bool in_rounds = options_.clock == SpacetimeOptions::Clock::rounds;
    words.subtitle.push_back(!one_scale  ? "large runs, merged; each has a scale of its own"
                             : in_rounds ? "one clock: rounds"
                                         : "one clock: measured time");
    return captioned(std::move(scene_), words, pen_.ruler());
  }

 private:
  double extent(const Box& lane) const { return options_.portrait ? lane.height : lane.width; }

  // How much longer than its lanes a page is: exactly, for which the page's size must be given, since
  // it is rounded otherwise.
  double around(std::size_t which, double until, const Scene& natural) const {
    const double page = options_.portrait ? natural.height : natural.width;
    return page - extent(lane_of(diagram(which, until, page)));
  }

  Scene diagram(std::size_t which, double until, double page) const {
    SpacetimeOptions options;
    options.clock = options_.clock;
    options.labels = options_.labels;
    options.portrait = options_.portrait;
    options.legend = which == 1;
    options.until = until;
    (options.portrait ? options.height : options.width) = page;
    return spacetime(*traces_[which], options, pen_.ruler());
  }

  // A ring around the end of the arrow that is not like the other run's.
  void mark(Scene& scene, std::optional<std::size_t> message, std::size_t which) const {
    if (!message) return;
    const std::string id = fmt::format("m{}", *message);
    const auto group = std::ranges::find(scene.groups, id, &Group::id);
    if (group == scene.groups.end()) return;
    const auto index = static_cast<std::int32_t>(group - scene.groups.begin());
    const auto arrow = std::ranges::find_if(scene.marks, [&](const Mark& mark) {
      return mark.group == index && mark.kind == Mark::Kind::path && mark.arrow;
    });
    if (arrow == scene.marks.end()) return;
    const Point at = arrow->points.front();
    Drawing pen(scene, pen_.ruler());
    pen.new_group(
        Group{"first-difference", fmt::format("first difference, in the {} run\n{}",
                                              which == 0 ? "first" : "second", parting_.text)});
    pen.circle(at, 8, {}, Ink{Tone::accent}).line_width = 3;
  }

  void put(const Scene& first, const Scene& second) {
    const Box a = lane_of(first), b = lane_of(second);
    if (options_.portrait) {
      const double shift = a.y - b.y;
      place(first, {0, std::max(-shift, 0.0)}, scene_, "a-");
      place(second, {first.width + 8, std::max(shift, 0.0)}, scene_, "b-");
    } else {
      const double shift = a.x - b.x;
      place(first, {std::max(-shift, 0.0), 0}, scene_, "a-");
      place(second, {std::max(shift, 0.0), first.height + 8}, scene_, "b-");
    }
  }

  struct Row {
    std::string what, a, b;
  };
  std::vector<Row> rows() const {
    const Statistics a = statistics(*traces_[0]), b = statistics(*traces_[1]);
    const auto busiest = [](const Statistics& of) {
      std::uint64_t most = 0;
      for (const auto& rank : of.ranks) most = std::max(most, rank.sent.bytes);
      return amount_text(most);
    };
    return {{"rounds", fmt::format("{}", a.rounds), fmt::format("{}", b.rounds)},
            {"messages", grouped(a.total.messages), grouped(b.total.messages)},
            {"bytes sent in all", amount_text(a.total.bytes), amount_text(b.total.bytes)},
            {"bytes sent by the rank that sends most", busiest(a), busiest(b)},
            {"time", time_text(a.duration_ns), time_text(b.duration_ns)}};
  }

  // A small table below the diagrams, and beside it the first difference.
  void figures() {
    const auto& ruler = pen_.ruler();
    const auto list = rows();
    const std::array<std::string, 2> names{name_of(*traces_[0]), name_of(*traces_[1])};
    double what = 0;
    std::array<double, 2> width{ruler.width(names[0], kBodyStrong),
                                ruler.width(names[1], kBodyStrong)};
    for (const Row& row : list) {
      what = std::max(what, ruler.width(row.what, kBody));
      width[0] = std::max(width[0], ruler.width(row.a, kFigures));
      width[1] = std::max(width[1], ruler.width(row.b, kFigures));
    }
    const double left = 32, first = left + what + 24 + width[0], second = first + 32 + width[1];
    double y = scene_.height + 24;
    pen_.level(names[0], {first, y}, kBodyStrong, {Tone::text}, Anchor::end);
    pen_.level(names[1], {second, y}, kBodyStrong, {Tone::text}, Anchor::end);
    pen_.line({left, y + 14}, {second, y + 14}, {Tone::grid});
    for (const Row& row : list) {
      y += kRow;
      pen_.level(row.what, {left, y}, kBody, {Tone::muted}, Anchor::start);
      pen_.level(row.a, {first, y}, kFigures, {Tone::text}, Anchor::end);
      pen_.level(row.b, {second, y}, kFigures, {Tone::text}, Anchor::end);
    }
    const double beside = second + 48, room = scene_.width - 32 - beside;
    if (room >= 280) difference({beside, scene_.height + 24}, room);
    else difference({left, y + 2 * kRow}, std::max(scene_.width - 64, 320.0));
  }

  void difference(Point at, double room) {
    const bool differ = !parting_.text.empty();
    const double text = at.x + (differ ? 28 : 0);
    if (differ) pen_.circle({at.x + 9, at.y}, 8, {}, Ink{Tone::accent}).line_width = 3;
    pen_.level(differ ? "First difference" : "No difference", {text, at.y}, kBodyStrong,
               {Tone::text}, Anchor::start);
    double y = at.y;
    for (const auto& line : wrapped(differ ? parting_.text : "Both runs take the same steps.",
                                    kBody, room - kPadding - (text - at.x), pen_.ruler()))
      pen_.level(line, {text, y += 22}, kBody, {Tone::muted}, Anchor::start);
  }

  const std::array<const Trace*, 2> traces_;
  const ComparisonOptions& options_;
  const Parting parting_;
  Scene scene_;
  Drawing pen_;
};

}  // namespace

Scene comparison(const Trace& a, const Trace& b, const ComparisonOptions& options,
                 const Ruler& ruler) {
  for (const Trace* trace : {&a, &b})
    if (trace->size() == 0)
      throw UserError(fmt::format("the {} trace is empty: there is nothing to compare",
                                  trace == &a ? "first" : "second"));
  return Comparison(a, b, options, ruler).draw();
}

}  // namespace rankscope
