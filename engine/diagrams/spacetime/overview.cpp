// Draws the merged cells and the busiest flows of a large run.
#include "engine/diagrams/spacetime/overview.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/label_placer.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {
namespace {

/// The places of an overview's rows.
struct OverviewPlaces {
  double left = 0, length = 0;  ///< The time axis, in pixels.
  double rows_from = 0, pitch = 0;
};

double microseconds(std::int64_t ns) noexcept { return static_cast<double>(ns) / 1e3; }

/// A moment of the run, with enough digits to tell moments in a window of this length apart.
std::string moment_text(double us, double window_us) {
  const Unit unit = Unit::of_moments(us + window_us);
  const double share = window_us * 1e3 / 200 / unit.size;
  return unit.named(us * 1e3, std::clamp(static_cast<int>(std::ceil(-std::log10(share))), 0, 9));
}

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
    Mark& mark = d.line(from, to, Ink{one.received ? Tone::whole : Tone::error},
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
  /// Returns the place of a time on the axis; times beside the window are cut off.
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

/// Draws the ranks' work and their messages, in place of counted cells.
void draw_single(Drawing& drawing, const OverviewCounts& counts, const SingleMessages& single,
                 const OverviewPlaces& places) {
  const SingleLayer layer(counts, places);
  for (const auto& one : single.work) layer.work(drawing, one);
  for (const auto& one : single.messages) layer.message(drawing, one);
  drawing.group(-1);
}

constexpr double kOverviewMargin = 32, kProfile = 56, kRoomForProfile = 320;
constexpr std::size_t kArrowsAtATime = 4;

class Picture {
 public:
  /// `single`: instead of cells; may be null. `windowed`: of a part of the run's time.
  Picture(const OverviewCounts& counts, const SpacetimeOptions& options, const Ruler& ruler,
          const SingleMessages* single = nullptr, bool windowed = false)
      : counts_(counts), options_(options), ruler_(ruler), single_(single), windowed_(windowed) {
    for (int row = 0; row < counts.rows(); ++row)
      for (int column = 0; column < counts.kColumns; ++column)
        if (const auto messages = counts.cell(row, column).messages; messages > 0) {
          most_ = std::max(most_, messages);
          least_ = least_ == 0 ? messages : std::min(least_, messages);
        }
    least_ = std::max<std::uint64_t>(least_, 1);
    place();
  }

  Scene draw() {
    Scene scene;
    scene.width = std::ceil(width_);
    scene.height = std::ceil(height_);
    scene.title = options_.title;
    scene.description = caption();
    Drawing d(scene, ruler_);
    const double room = width_ - 2 * kOverviewMargin;
    const Font bold{21, Font::Weight::bold}, small{13};
    if (!pane())
      d.text(ruler_.fitted(options_.title, bold, room), {kOverviewMargin, kOverviewMargin + 16},
             bold);
    d.text(ruler_.fitted(merged(), small, room), {kOverviewMargin, top_ + 12}, small,
           {Tone::muted});
    if (profile_ > 0) profile(d);
    if (single_ == nullptr) {
      cells(d);
      arrows(d);
    } else {
      for (int row = 0; row < counts_.rows(); ++row) lane(d, row);
      draw_single(d, counts_, *single_, {left_, length_, rows_from_, pitch_});
    }
    times(d);
    if (windowed_)
      scene.clock_axis = ClockAxis{
          {{begin_us(), {x(0), rows_from_}}, {begin_us() + duration_us(), {x(1), rows_from_}}},
          {0, rows_to_ - rows_from_}};
    foot(d);
    return scene;
  }

 private:
  static constexpr double kLeastPitch = 4, kLeastInPane = 1.2, kLeastLength = 200;

  // On a page that is too small, leaves out the legend first.
  void place() {
    left_ = kOverviewMargin + widest_name() + 16;
    top_ = pane() ? 8 : kOverviewMargin + 30;
    profile_ = pane() && options_.height > 0 && options_.height < kRoomForProfile ? 0 : kProfile;
    rows_from_ = top_ + 24 + (profile_ > 0 ? profile_ + 20 : 4);
    pitch_ = std::clamp(560.0 / counts_.rows(), 14.0, 40.0);
    width_ = options_.width > 0 ? options_.width : 1280;
    double high = options_.height;  // 0: any
    legend_ = options_.legend && !(high > 0 && high < least_height());
    const double needs_width = std::ceil(left_ + kLeastLength + kOverviewMargin);
    if (width_ < needs_width || (high > 0 && high < least_height())) {
      if (!options_.may_grow)
        throw UserError(fmt::format(
            "a page of {:.0f} x {} pixels has no room for this overview, which needs at least "
            "{:.0f} x {:.0f}: choose a larger --size",
            width_, high > 0 ? fmt::format("{:.0f}", high) : "any", needs_width, least_height()));
      const double factor = std::max(needs_width / width_, high > 0 ? least_height() / high : 1);
      width_ *= factor;
      high *= factor;
    }
    length_ = width_ - left_ - kOverviewMargin;
    if (high > 0) pitch_ = (high - rows_from_ - foot()) / counts_.rows();
    rows_to_ = rows_from_ + pitch_ * counts_.rows();
    height_ = high > 0 ? high : rows_to_ + foot();
  }
  bool pane() const noexcept { return options_.may_grow && !options_.heading; }
  double least_height() const noexcept {
    return std::ceil(rows_from_ + (pane() ? kLeastInPane : kLeastPitch) * counts_.rows() + foot());
  }
  bool captioned() const noexcept { return !pane() || options_.foot; }
  double foot() const noexcept { return legend_ ? 110 : captioned() ? 82 : 32; }
  double widest_name() const {
    double widest = 0;
    for (int row = 0; row < counts_.rows(); ++row)
      widest = std::max(widest, ruler_.width(counts_.row_name(row), {12}));
    return widest;
  }
  double x(double share) const noexcept { return left_ + length_ * share; }
  double y(int row) const noexcept { return rows_from_ + pitch_ * row; }
  bool is_estimated() const noexcept { return counts_.counted_share() < 1; }
  double column_us() const noexcept { return duration_us() / counts_.kColumns; }
  double begin_us() const noexcept {
    return windowed_ ? static_cast<double>(counts_.first_ns()) / 1e3 : 0;
  }
  double duration_us() const noexcept { return static_cast<double>(counts_.duration_ns()) / 1e3; }

  std::string merged() const {
    if (single_ != nullptr)
      return fmt::format("{} from {} on", microseconds_text(duration_us()),
                         moment_text(begin_us(), duration_us()));
    std::string text = fmt::format("merged: {} in {} rows, {} of time in a cell",
                                   counted(static_cast<std::uint64_t>(counts_.ranks()), "rank"),
                                   counts_.rows(), microseconds_text(column_us()));
    if (options_.first_round > 1 || options_.last_round > 0)
      text += fmt::format(" · steps {}:{}", options_.first_round,
                          options_.last_round > 0 ? fmt::format("{}", options_.last_round) : "");
    if (is_estimated())
      text += fmt::format(" · estimated from {} % of the events",
                          std::max(1, static_cast<int>(counts_.counted_share() * 100)));
    return text;
  }

  // Messages of all ranks, over time.
  void profile(Drawing& d) const {
    std::uint64_t most = 1;
    std::array<std::uint64_t, OverviewCounts::kColumns> sums{};
    for (int column = 0; column < counts_.kColumns; ++column) {
      auto& sum = sums[static_cast<std::size_t>(column)];
      for (int row = 0; row < counts_.rows(); ++row) sum += counts_.cell(row, column).messages;
      most = std::max(most, sum);
    }
    const double base = rows_from_ - 12;
    for (int column = 0; column < counts_.kColumns; ++column) {
      const auto sum = sums[static_cast<std::size_t>(column)];
      if (sum == 0) continue;
      const double tall =
          std::max(1.0, (kProfile - 16) * static_cast<double>(sum) / static_cast<double>(most));
      const double from = x(static_cast<double>(column) / counts_.kColumns);
      d.new_group({fmt::format("profile-{}", column),
                   fmt::format("{} messages of all ranks in {}", grouped(sum),
                               microseconds_text(column_us()))});
      d.box({from, base - tall, length_ / counts_.kColumns - 0.6, tall}, Ink{Tone::accent});
    }
    d.group(-1);
    d.text(fmt::format("messages, at most {}", grouped(most)), {x(1), base - kProfile + 10}, {12},
           {Tone::muted}, Anchor::end);
  }

  // Returns a tone between those of the emptiest and the fullest cell; a middle one if all are alike.
  int heat(std::uint64_t messages) const {
    if (messages == 0) return 0;
    const double low = std::log(static_cast<double>(least_)),
                 high = std::log(static_cast<double>(most_));
    if (high - low < 0.4) return 30;
    return 10 +
           static_cast<int>(65 * (std::log(static_cast<double>(messages)) - low) / (high - low));
  }

  void lane(Drawing& d, int row) const {
    const int every = std::max(1, static_cast<int>(std::ceil(15 / pitch_)));
    d.box({left_, y(row) + 1, length_, std::max(pitch_ - 2, 0.4)}, Ink{Tone::panel}, {}, 2);
    if (row % every == 0)
      d.text(counts_.row_name(row), {left_ - 10, y(row) + pitch_ / 2 + 4}, {12}, {Tone::text},
             Anchor::end);
  }

  void cells(Drawing& d) const {
    for (int row = 0; row < counts_.rows(); ++row) {
      lane(d, row);
      for (int column = 0; column < counts_.kColumns; ++column) {
        const auto& cell = counts_.cell(row, column);
        if (cell.messages == 0) continue;
        d.new_group({fmt::format("cell-{}-{}", row, column),
                     fmt::format("{}: {} messages, {}", counts_.row_name(row),
                                 grouped(cell.messages), amount_text(cell.bytes))});
        d.box({x(static_cast<double>(column) / counts_.kColumns), y(row) + 1,
               length_ / counts_.kColumns + 0.2, std::max(pitch_ - 2, 0.4)},
              Ink{Tone::heat, heat(cell.messages)});
      }
      d.group(-1);
    }
  }

  struct Flow {
    std::uint64_t count = 0, bytes = 0;
    int era = 0, from = 0, to = 0;
  };

  struct FlowLabel {
    std::vector<std::string> texts;
    const char* meaning;
  };
  FlowLabel label_of(const Flow& flow) const {
    using Labels = SpacetimeOptions::Labels;
    const std::string count = grouped(flow.count), bytes = amount_text(flow.bytes);
    switch (options_.labels) {
      case Labels::none: return {{}, ""};
      case Labels::bytes: return {{bytes}, ", with their bytes"};
      case Labels::all:
        return {{count + " · " + bytes}, ", with their number of messages and bytes"};
      case Labels::chunks: break;
    }
    return {{count}, ", with their number of messages"};
  }

  // The busiest ways between rows at each time; what stays within a row has no arrow.
  std::vector<Flow> busiest() const {
    std::vector<Flow> all;
    for (int era = 0; era < counts_.kEras; ++era) {
      std::vector<Flow> flows;
      for (int from = 0; from < counts_.rows(); ++from)
        for (int to = 0; to < counts_.rows(); ++to)
          if (const auto& flow = counts_.flow(era, from, to); flow.messages > 0 && from != to)
            flows.push_back({flow.messages, flow.bytes, era, from, to});
      const auto most = std::min<std::size_t>(flows.size(), kArrowsAtATime);
      std::ranges::partial_sort(flows, flows.begin() + static_cast<std::ptrdiff_t>(most),
                                [](const Flow& a, const Flow& b) {
                                  if (a.count != b.count) return a.count > b.count;
                                  return std::tuple(a.from, a.to) < std::tuple(b.from, b.to);
                                });
      all.insert(all.end(), flows.begin(), flows.begin() + static_cast<std::ptrdiff_t>(most));
    }
    return all;
  }

  void arrows(Drawing& d) const {
    const auto flows = busiest();
    if (flows.empty()) return;
    LabelPlacer placer(ruler_, {12, Font::Weight::semibold},
                       {left_, rows_from_, length_, rows_to_ - rows_from_});
    std::vector<LabelRequest> requests;
    std::vector<std::int32_t> groups;
    const auto most = static_cast<double>(
        ranges::max_element(flows, {}, [](const Flow& flow) { return flow.count; })->count);
    for (const Flow& flow : flows) {
      const double width = 1 + 1.6 * std::log1p(static_cast<double>(flow.count)) / std::log1p(most);
      const Point from{x((flow.era + 0.15) / counts_.kEras), y(flow.from) + pitch_ / 2};
      const Point to{x((flow.era + 0.85) / counts_.kEras), y(flow.to) + pitch_ / 2};
      groups.push_back(
          d.new_group({fmt::format("flow-{}-{}-{}", flow.era, flow.from, flow.to),
                       fmt::format("{} messages from {} to {}", grouped(flow.count),
                                   counts_.row_name(flow.from), counts_.row_name(flow.to))}));
      d.arrow(from, to, {Tone::text, 0, 0.85F}, width);
      requests.push_back({from, to, label_of(flow).texts});
    }
    const auto places = placer.place(requests);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i]) continue;
      d.group(groups[i]);
      d.box(places[i]->pill, Ink{Tone::page}, Ink{Tone::text}, places[i]->pill.height / 2);
      d.level(places[i]->text, places[i]->pill.center(), {12, Font::Weight::semibold});
    }
    d.group(-1);
  }

  void times(Drawing& d) const {
    const double end = duration_us();
    const double most =
        std::clamp(std::floor(length_ / (windowed_ ? 110 : 80)), windowed_ ? 2.0 : 1.0, 10.0);
    const double step = round_figure(end / most);
    double t = begin_us() == 0 ? 0 : std::ceil(begin_us() / step) * step;
    for (; t <= begin_us() + end * 1.0001; t += step) {
      const double at = x((t - begin_us()) / end);
      d.line({at, rows_from_ - 4}, {at, rows_to_ + 4}, {Tone::grid}, 1).dotted = true;
      const std::string text = t == 0      ? "0"
                               : windowed_ ? moment_text(t, end)
                                           : microseconds_text(t);
      if (at + ruler_.width(text, {12}) / 2 <= width_ - 4)
        d.text(text, {at, rows_to_ + 20}, {12}, {Tone::muted}, Anchor::middle);
    }
  }

  std::string caption() const {
    return fmt::format("{}{} messages · {} in all · {}", is_estimated() ? "about " : "",
                       grouped(counts_.all().messages), amount_text(counts_.all().bytes),
                       microseconds_text(duration_us()));
  }

  void foot(Drawing& d) const {
    if (!captioned()) return;
    const double base = height_ - kOverviewMargin * 0.6;
    const Font f{13, Font::Weight::semibold};
    d.text(ruler_.fitted(caption(), f, width_ - 2 * kOverviewMargin), {kOverviewMargin, base}, f);
    if (legend_ && single_ == nullptr) legend(d, base - 28);
  }

  // Draws as much of the legend as there is room for, from the left.
  void legend(Drawing& d, double y) const {
    const Font f{12};
    const double right = width_ - kOverviewMargin;
    const std::string least = "messages in a cell: " + grouped(least_), most = grouped(most_);
    double at = kOverviewMargin + ruler_.width(least, f) + 8;
    if (at + 24 * 5 + 8 + ruler_.width(most, f) > right) return;
    d.text(least, {kOverviewMargin, y}, f, {Tone::muted});
    const bool alike = heat(least_) == heat(most_);
    for (int i = 0; i < 24; ++i)
      d.box({at + i * 5.0, y - 9, 5.2, 11},
            Ink{Tone::heat, alike ? heat(most_) : 10 + 65 * i / 23});
    at += 24 * 5 + 8;
    d.text(most, {at, y}, f, {Tone::muted});
    at += ruler_.width(most, f) + 28;
    const std::string ways = "the busiest ways between rows";
    for (const std::string& words : {ways + label_of({}).meaning, ways}) {
      if (at + 36 + ruler_.width(words, f) > right) continue;
      d.arrow({at, y - 4}, {at + 28, y - 4}, {Tone::text}, 2);
      d.text(words, {at + 36, y}, f, {Tone::muted});
      return;
    }
  }

  const OverviewCounts& counts_;
  const SpacetimeOptions& options_;
  const Ruler& ruler_;
  const SingleMessages* single_;
  const bool windowed_;
  std::uint64_t least_ = 0, most_ = 1;
  double top_ = 0, profile_ = 0, pitch_ = 0, left_ = 0, width_ = 0, length_ = 0, rows_from_ = 0,
         rows_to_ = 0, height_ = 0;
  bool legend_ = true;
};

}  // namespace

Scene overview(const OverviewCounts& counts, const SpacetimeOptions& options, const Ruler& ruler) {
  const auto refuse = [](const char* option) {
    throw UserError(
        fmt::format("this many messages are merged into an overview, which has no {0}: leave out "
                    "{0}, or choose "
                    "fewer --ranks or --steps",
                    option));
  };
  if (options.portrait) refuse("--portrait");
  if (options.critical_path) refuse("--critical-path");
  return Picture(counts, options, ruler).draw();
}

Scene overview(const Trace& trace, TimeWindow window, const SpacetimeOptions& given,
               const Ruler& ruler) {
  SpacetimeOptions options = given;
  if (options.title.empty()) options.title = run_title(trace.meta(), trace.world_size());
  const OverviewCounts counts = count_window(trace, window);
  if (counts.all().messages > SingleMessages::kMost)
    return Picture(counts, options, ruler, nullptr, true).draw();
  const SingleMessages single = single_messages(trace, window);
  return Picture(counts, options, ruler, &single, true).draw();
}

Scene overview(const TraceMeta& meta, const OverviewCounts& window, const SpacetimeOptions& given,
               const Ruler& ruler) {
  SpacetimeOptions options = given;
  if (options.title.empty()) options.title = run_title(meta, window.ranks());
  return Picture(window, options, ruler, nullptr, true).draw();
}

}  // namespace rankscope
