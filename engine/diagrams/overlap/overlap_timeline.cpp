// Draws the rows of ranks, panel below panel, over one axis of time.
#include "engine/diagrams/overlap/overlap_timeline.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr double kMargin = 24, kBar = 16, kBarGap = 2, kExposed = 4, kRankGap = 9, kPanelHead = 30,
                 kPanelGap = 22, kTicks = 26, kLegend = 22, kKey = 22;
constexpr double kRankRows = 2 * kBar + kBarGap + kExposed + 1;
constexpr Font kInBar{11, Font::Weight::semibold, false};

std::string name_of_rank(Rank rank) {
  return rank < 0 ? "every rank" : fmt::format("rank {}", rank);
}

class TimelinePainter {
 public:
  TimelinePainter(const OverlapTimeline& timeline, Scene& scene, const Ruler& ruler)
      : timeline_(timeline), scene_(scene), draw_(scene, ruler) {
    measure();
  }

  void paint() {
    double y = head();
    for (std::size_t i = 0; i < timeline_.panels.size(); ++i) {
      const bool last = i + 1 == timeline_.panels.size();
      y = panel(i, y) + (last ? 0 : kPanelGap);
    }
    legend(ticks(y));
  }

 private:
  void measure() {
    bool any = false;
    double names = 0;
    for (const OverlapPanel& panel : timeline_.panels) {
      for (const RankWork& work : panel.ranks) {
        any |= !work.computing.empty() || !work.communicating.empty();
        names = std::max(names, draw_.width(name_of_rank(work.rank), kCaptionStrong));
      }
      longest_ = std::max(longest_, end_of(panel) - begin_of(panel));
    }
    if (!any)
      throw UserError(
          "nothing computes and nothing communicates here: choose a run with computing in it, as "
          "`rankscope overlap -o FILE` records one");
    left_ = kMargin + names + 12;
    computing_words_ = words_left_out(&RankWork::computing);
    communicating_words_ = words_left_out(&RankWork::communicating);
    scene_.width = timeline_.width;
    double height = kMargin + (timeline_.title.empty() ? 0 : 26) +
                    (timeline_.caption.empty() ? 0 : 22) + kTicks + legend({}) * kLegend +
                    kMargin / 2;
    for (const OverlapPanel& panel : timeline_.panels)
      height += head_of(panel) + static_cast<double>(panel.ranks.size()) * (kRankRows + kRankGap);
    scene_.height = height + kPanelGap * (static_cast<double>(timeline_.panels.size()) - 1);
  }

  static double head_of(const OverlapPanel& panel) {
    return panel.title.empty() && panel.figures.empty() ? 0 : kPanelHead;
  }
  static std::int64_t begin_of(const OverlapPanel& panel) {
    std::int64_t begin = panel.ranks.empty() ? 0 : panel.ranks.front().time.begin;
    for (const RankWork& work : panel.ranks) begin = std::min(begin, work.time.begin);
    return begin;
  }
  static std::int64_t end_of(const OverlapPanel& panel) {
    std::int64_t end = panel.ranks.empty() ? 0 : panel.ranks.front().time.end;
    for (const RankWork& work : panel.ranks) end = std::max(end, work.time.end);
    return end;
  }

  double room() const { return timeline_.width - left_ - kMargin; }
  double x_at(std::int64_t since_begin) const {
    return left_ + room() * static_cast<double>(since_begin) /
                       static_cast<double>(std::max<std::int64_t>(longest_, 1));
  }
  double step_us() const {
    return round_figure(110 / room() * static_cast<double>(longest_) * 1e-3);
  }

  double head() {
    double y = kMargin;
    if (!timeline_.title.empty()) {
      draw_.text(draw_.ruler().fitted(timeline_.title, kEmphasis, timeline_.width - 2 * kMargin),
                 {kMargin, y + 14}, kEmphasis);
      y += 26;
    }
    if (!timeline_.caption.empty()) {
      draw_.text(draw_.ruler().fitted(timeline_.caption, kCaption, timeline_.width - 2 * kMargin),
                 {kMargin, y + 10}, kCaption, {Tone::muted});
      y += 22;
    }
    return y;
  }

  double panel(std::size_t number, double y) {
    const OverlapPanel& panel = timeline_.panels[number];
    if (head_of(panel) > 0) {
      draw_.text(panel.title, {kMargin, y + 14}, kBodyStrong);
      const double room =
          timeline_.width - 2 * kMargin - draw_.width(panel.title, kBodyStrong) - 16;
      draw_.text(draw_.ruler().fitted(panel.figures, kCaption, room),
                 {timeline_.width - kMargin, y + 14}, kCaption, {Tone::muted}, Anchor::end);
      y += kPanelHead;
    }
    const double bottom =
        y + static_cast<double>(panel.ranks.size()) * (kRankRows + kRankGap) - kRankGap + 2;
    for (double us = 0; us * 1e3 <= static_cast<double>(longest_) * 1.0001; us += step_us()) {
      const double x = x_at(static_cast<std::int64_t>(us * 1e3));
      draw_.line({x, y - 4}, {x, bottom}, {Tone::grid}, 1);
    }
    const std::int64_t begin = begin_of(panel);
    for (const RankWork& work : panel.ranks) {
      rank(number, work, begin, y);
      y += kRankRows + kRankGap;
    }
    return bottom;
  }

  void rank(std::size_t panel, const RankWork& work, std::int64_t begin, double y) {
    draw_.level(name_of_rank(work.rank), {left_ - 12, y + kBar + kBarGap / 2}, kCaptionStrong, {},
                Anchor::end);
    for (int row : {0, 1})
      draw_.box({left_, y + row * (kBar + kBarGap), x_at(work.time.end - begin) - left_, kBar},
                Ink{Tone::panel});
    int number = 0;
    const auto id = [&](const char* what) {
      return fmt::format("{}-{}-{}-{}", what, panel, work.rank, number++);
    };
    for (const WorkSpan& span : work.computing)
      bar(work.rank, span, begin, y, {Tone::computing}, {Tone::page}, computing_words_,
          id("computes"));
    for (const WorkSpan& span : work.communicating) {
      const int color = color_of(span.name);
      bar(work.rank, span, begin, y + kBar + kBarGap, {Tone::chunk, color}, {Tone::on_chunk, color},
          communicating_words_, id("communicates"));
    }
    const double under = y + 2 * kBar + kBarGap + 1;
    for (const Interval& one : exposed_intervals(work)) {
      draw_.new_group({.id = id("exposed"),
                       .story = fmt::format("{}: {} of communication with nothing to hide behind",
                                            name_of_rank(work.rank), time_text(one.length()))});
      const double from = x_at(one.begin - begin);
      draw_.box({from, under, std::max(x_at(one.end - begin) - from, 1.0), kExposed},
                Ink{Tone::error});
    }
    draw_.group(-1);
  }

  void bar(Rank rank, const WorkSpan& span, std::int64_t begin, double y, Ink fill, Ink on,
           int left_out, std::string id) {
    const double from = x_at(span.time.begin - begin), to = x_at(span.time.end - begin);
    draw_.new_group({.id = std::move(id),
                     .story = fmt::format("{}: {} for {}", name_of_rank(rank),
                                          span.name.empty() ? "messages" : span.name,
                                          time_text(span.time.length()))});
    // A narrow line between neighbours, as far as there is room.
    const Box box{from, y, std::max(to - from - (to - from > 4 ? 1 : 0), 0.5), kBar};
    draw_.box(box, fill, {}, box.width > 6 ? 2 : 0);
    const std::string label = label_of(span.name, left_out);
    if (!label.empty() && draw_.width(label, kInBar) <= box.width - 6)
      draw_.level(label, box.center(), kInBar, on);
  }

  /// Returns the whole name, what follows its first word, or a number at its end: "backward layer 7", "layer 7", "7".
  static std::string label_of(const std::string& name, int left_out) {
    const auto first = name.find(' '), last = name.rfind(' ');
    if (left_out == 0 || first == std::string::npos) return name;
    const bool number = name.find_first_not_of("0123456789", last + 1) == std::string::npos;
    return name.substr((left_out > 1 && number ? last : first) + 1);
  }

  /// Returns how many words all labels leave out, so that they are alike: as few as let all labels fit, or else most.
  int words_left_out(std::vector<WorkSpan> RankWork::*spans) const {
    constexpr int kMost = 3;
    std::array<int, kMost> fitting{};
    int all = 0;
    for (const OverlapPanel& panel : timeline_.panels)
      for (const RankWork& work : panel.ranks)
        for (const WorkSpan& span : work.*spans) {
          const double room = x_at(span.time.length()) - x_at(0) - 7;
          ++all;
          for (int words = 0; words < kMost; ++words)
            if (draw_.width(label_of(span.name, words), kInBar) <= room)
              ++fitting[static_cast<std::size_t>(words)];
        }
    if (fitting[0] == all) return 0;
    return fitting[2] > fitting[1] ? 2 : 1;
  }

  int color_of(const std::string& name) {
    const auto known = ranges::find(names_, name);
    if (known != names_.end()) return static_cast<int>(known - names_.begin());
    names_.push_back(name);
    return static_cast<int>(names_.size()) - 1;
  }

  double ticks(double y) {
    for (double us = 0; us * 1e3 <= static_cast<double>(longest_) * 1.0001; us += step_us()) {
      const double x = x_at(static_cast<std::int64_t>(us * 1e3));
      draw_.text(us == 0 ? "0" : microseconds_text(us), {x, y + 16}, kCaption, {Tone::muted},
                 Anchor::middle);
    }
    return y + kTicks;
  }

  /// Draws the keys in as many lines as they need, if there is a `y`; returns how many.
  int legend(std::optional<double> y) {
    struct Key {
      Ink ink;
      double height;
      std::string_view words;
    };
    double x = kMargin;
    int lines = 1;
    for (const Key& key :
         {Key{{Tone::computing}, 12, "computing"}, Key{{Tone::chunk, 0}, 12, "communicating"},
          Key{{Tone::error}, kExposed, "exposed: nothing computes meanwhile"}}) {
      const double width = kKey + 6 + draw_.width(key.words, kCaption);
      if (x > kMargin && x + width > timeline_.width - kMargin) {
        x = kMargin;
        ++lines;
      }
      if (y) {
        const double middle = *y + 14 + (lines - 1) * kLegend;
        draw_.box({x, middle - key.height / 2, kKey, key.height}, key.ink, {}, 2);
        draw_.level(key.words, {x + kKey + 6, middle}, kCaption, {Tone::muted}, Anchor::start);
      }
      x += width + 22;
    }
    return lines;
  }

  const OverlapTimeline& timeline_;
  Scene& scene_;
  Drawing draw_;
  double left_ = 0;
  int computing_words_ = 0, communicating_words_ = 0;  ///< Words that labels leave out.
  std::int64_t longest_ = 0;
  std::vector<std::string> names_;
};

}  // namespace

Scene overlap_timeline(const OverlapTimeline& timeline, const Ruler& ruler) {
  Scene scene;
  scene.title = timeline.title.empty() ? "Computing and communicating" : timeline.title;
  std::string description;
  for (const OverlapPanel& panel : timeline.panels)
    description +=
        fmt::format("{}{}{}. ", panel.title, panel.figures.empty() ? "" : ": ", panel.figures);
  scene.description = description + timeline.caption;
  TimelinePainter(timeline, scene, ruler).paint();
  return scene;
}

}  // namespace rankscope
