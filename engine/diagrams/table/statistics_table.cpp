// Draws the table of per-rank figures with the lower bounds of the collective.
#include "engine/diagrams/table/statistics_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/model/bandwidth.h"

namespace rankscope {
namespace {

constexpr double kRow = 24, kColumnGap = 20, kCardWidth = 344, kBriefCard = 212, kPadding = 16;

enum Column : std::size_t {
  steps,
  sent_messages,
  sent_bytes,
  got_messages,
  got_bytes,
  blocked,
  reducing
};
constexpr std::size_t kColumns = 7;
using Cells = std::array<std::string, kColumns>;

std::uint64_t business(const RankStatistics& rank) { return rank.sent.bytes + rank.received.bytes; }
std::uint64_t talk(const RankStatistics& rank) {
  return rank.sent.messages + rank.received.messages;
}

class Table {
 public:
  Table(const TraceAnalysis& analysis, const StatisticsOptions& options, const Ruler& ruler)
      : analysis_(analysis),
        trace_(analysis.trace()),
        options_(options),
        found_(analysis.statistics()),
        pen_(scene_, ruler) {
    choose_part();
    choose_units();
    choose_rows();
    measure();
  }

  Scene draw() {
    draw_heads();
    for (std::size_t i = 0; i < rows_.size(); ++i) draw_row(i);
    draw_totals();
    if (options_.bounds_below) draw_bounds();
    else draw_card();
    if (options_.pane) return uncaptioned(std::move(scene_), caption());
    return captioned(std::move(scene_), caption(), pen_.ruler());
  }

 private:
  void choose_part() {
    if (analysis_.large()) return;
    const bool all = options_.until < 0 || options_.until >= found_.rounds;
    StatisticsPart part{all ? -1 : options_.until, options_.chunk};
    if (part.chunk >= 0 && part_statistics(analysis_, {-1, part.chunk}).total.messages == 0)
      part.chunk = -1;
    if (part.rounds >= 0 || part.chunk >= 0) part_ = part_statistics(analysis_, part);
    until_ = part.rounds;
    chunk_ = part.chunk;
  }
  /// Returns the figures that are shown: those of the chosen part, else of the run.
  const Statistics& shown() const { return part_ ? *part_ : found_; }

  void choose_units() {
    std::uint64_t bytes = 0;
    std::int64_t time = 0;
    for (const auto& rank : found_.ranks) {
      bytes = std::max({bytes, rank.sent.bytes, rank.received.bytes});
      time = std::max({time, rank.blocked_ns, rank.reduce_ns});
    }
    bytes_ = Unit::of_bytes(bytes);
    time_ = Unit::of_time(time);
    const auto size = static_cast<std::uint64_t>(bytes_.size);
    bytes_.whole = ranges::all_of(found_.ranks, [&](const RankStatistics& rank) {
      return rank.sent.bytes % size == 0 && rank.received.bytes % size == 0;
    });
  }

  void choose_rows() {
    std::vector<std::size_t> order(found_.ranks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const auto &x = found_.ranks[a], &y = found_.ranks[b];
      return std::pair(business(x), talk(x)) > std::pair(business(y), talk(y));
    });
    const auto &most = found_.ranks[order.front()], &least = found_.ranks[order.back()];
    alike_ = business(most) == business(least) && talk(most) == talk(least);
    if (!alike_) {
      tags_[static_cast<std::size_t>(found_.busiest)] = "busiest";
      tags_[order.back()] = "least busy";
    }
    std::set<std::size_t> chosen;
    const auto choose = [&](std::size_t at) {
      if (chosen.size() < std::min(std::max<std::size_t>(options_.most_rows, 1), order.size()))
        chosen.insert(at);
    };
    for (const auto& [at, tag] : tags_) choose(at);
    const std::size_t n = order.size();
    for (std::size_t i = 0; i < 4; ++i) {
      choose(std::min(i, n - 1));
      choose(n - 1 - std::min(i, n - 1));
    }
    for (const auto at : order) choose(at);
    rows_.assign(chosen.begin(), chosen.end());
  }

  /// Returns the cells as shown: times of a single chunk are unknown.
  Cells shown_cells(const RankStatistics& rank) const {
    Cells all = cells(rank);
    if (chunk_ >= 0) all[blocked] = all[reducing] = "–";
    return all;
  }

  Cells cells(const RankStatistics& rank) const {
    const auto bytes = [&](std::uint64_t value) { return bytes_.text(static_cast<double>(value)); };
    const auto time = [&](std::int64_t value) { return time_.text(static_cast<double>(value)); };
    return {grouped(rank.steps),        grouped(rank.sent.messages),
            bytes(rank.sent.bytes),     grouped(rank.received.messages),
            bytes(rank.received.bytes), time(rank.blocked_ns),
            time(rank.reduce_ns)};
  }

  static RankStatistics totals(const Statistics& of) {
    RankStatistics sum;
    for (const auto& rank : of.ranks) {
      sum.sent.messages += rank.sent.messages;
      sum.sent.bytes += rank.sent.bytes;
      sum.received.messages += rank.received.messages;
      sum.received.bytes += rank.received.bytes;
      sum.blocked_ns += rank.blocked_ns;
      sum.reduce_ns += rank.reduce_ns;
    }
    return sum;
  }

  std::array<std::string, kColumns> heads() const {
    return {"steps",
            "messages",
            std::string(bytes_.name),
            "messages",
            std::string(bytes_.name),
            fmt::format("blocked, {}", time_.name),
            fmt::format("reducing, {}", time_.name)};
  }

  // right_[c]: where the numbers of a column end.
  void measure() {
    const auto head = heads();
    const auto sum = cells(totals(found_));
    double x = 40;
    for (std::size_t c = 0; c < kColumns; ++c) {
      double width =
          std::max(pen_.ruler().width(head[c], kCaption), pen_.ruler().width(sum[c], kFigures));
      for (const auto at : rows_)
        width = std::max(width, pen_.ruler().width(cells(found_.ranks[at])[c], kFigures));
      x += std::max(width, 40.0) + kColumnGap;
      right_[c] = x;
    }
    tags_at_ = x + 16;
    width_ = tags_at_;
    for (const auto& [at, tag] : tags_)
      width_ = std::max(width_, tags_at_ + pen_.ruler().width(tag, kCaptionStrong) + kPadding);
  }

  void draw_heads() {
    const auto span = [&](std::string_view name, Column first, Column last) {
      const double left = right_[first] - pen_.ruler().width("messages", kCaption);
      pen_.level(std::string(name), {right_[last], 8}, kCaptionStrong, {Tone::text}, Anchor::end);
      pen_.line({left, 20}, {right_[last], 20}, {Tone::frame});
    };
    span("sent", sent_messages, sent_bytes);
    span("received", got_messages, got_bytes);
    pen_.level("rank", {8, 32}, kCaption, {Tone::muted}, Anchor::start);
    const auto head = heads();
    for (std::size_t c = 0; c < kColumns; ++c)
      pen_.level(head[c], {right_[c], 32}, kCaption, {Tone::muted}, Anchor::end);
    pen_.line({0, top_ - 4}, {width_, top_ - 4}, {Tone::grid});
  }

  void draw_numbers(const Cells& words, double y, bool strong) {
    Font font = kFigures;
    if (strong) font.weight = Font::Weight::semibold;
    for (std::size_t c = 0; c < kColumns; ++c)
      pen_.level(words[c], {right_[c], y}, font, {Tone::text}, Anchor::end);
  }

  void draw_row(std::size_t i) {
    const std::size_t at = rows_[i];
    const double top = top_ + static_cast<double>(i) * kRow, y = top + kRow / 2;
    const auto& rank = shown().ranks[at];
    pen_.new_group(Group{fmt::format("rank-{}", at),
                         fmt::format("rank {}: sent {}, received {}\nblocked {}, reducing {}", at,
                                     amount_text(rank.sent.bytes), amount_text(rank.received.bytes),
                                     time_text(rank.blocked_ns), time_text(rank.reduce_ns))});
    const auto tag = tags_.find(at);
    const bool busiest = tag != tags_.end() && tag->second == "busiest";
    if (busiest) pen_.box({0, top, width_, kRow}, Ink{Tone::rank, 0, 0.7F}, {}, 4);
    else if (i % 2 == 1) pen_.box({0, top, width_, kRow}, Ink{Tone::panel}, {}, 4);
    const auto name = grouped(at);
    const double wide = std::max(24.0, pen_.ruler().width(name, kCaptionStrong) + 12);
    pen_.rank_tile(name, {8 + wide / 2, y});
    draw_numbers(shown_cells(rank), y, busiest);
    if (tag != tags_.end())
      pen_.level(tag->second, {tags_at_, y}, kCaptionStrong, {busiest ? Tone::text : Tone::muted},
                 Anchor::start);
    pen_.group(-1);
  }

  void draw_totals() {
    double y = top_ + static_cast<double>(rows_.size()) * kRow;
    if (rows_.size() < found_.ranks.size()) {
      const auto more = found_.ranks.size() - rows_.size();
      pen_.level(fmt::format("… {}", counted(more, "more rank")), {8, y + kRow / 2}, kBody,
                 {Tone::muted}, Anchor::start);
      y += kRow;
    }
    pen_.line({0, y + 4}, {width_, y + 4}, {Tone::grid});
    y += 8 + kRow / 2;
    bottom_ = y + kRow / 2;
    pen_.level("all", {8, y}, kBodyStrong, {Tone::text}, Anchor::start);
    Cells sum = shown_cells(totals(shown()));
    sum[steps].clear();
    draw_numbers(sum, y, true);
  }

  void draw_card() {
    const Verdicts judged = verdicts(analysis_);
    if (judged.lines.empty()) return;
    const double wide = options_.brief ? kBriefCard : kCardWidth;
    const double left = width_ + 24 + kPadding, inner = wide - 2 * kPadding;
    const std::size_t background = scene_.marks.size();
    if (options_.brief) pen_.new_group(Group{"bounds", reasons_of(judged)});
    pen_.box({}, Ink{Tone::panel}, Ink{Tone::frame}, 8);
    double y = kPadding + 8;
    const auto write = [&](std::string_view words, const Font& font, Ink ink) {
      for (const auto& line : wrapped(words, font, inner, pen_.ruler())) {
        pen_.level(line, {left, y}, font, ink, Anchor::start);
        y += font.size + 6;
      }
    };
    write(part_ ? "Lower bounds, whole run" : "Lower bounds", kEmphasis, {Tone::text});
    if (!judged.data.empty()) write(judged.data, kCaption, {Tone::muted});
    for (const auto& line : judged.lines) {
      y += 8;
      write(fmt::format("{} {}", line.what, line.amount), kBodyStrong, {Tone::text});
      write((line.reached ? "✓ " : "") + line.bound, kBody,
            {line.reached ? Tone::good : Tone::muted});
    }
    y += 8;
    for (const auto& reason : judged.reasons) {
      if (options_.brief) break;
      write(reason, kCaption, {Tone::muted});
      y += 4;
    }
    pen_.group(-1);
    scene_.marks[background].box = {width_ + 24, 0, wide, y + kPadding - 16};
  }

  static std::string reasons_of(const Verdicts& judged) {
    std::string story = "Lower bounds, of the whole run";
    for (const auto& reason : judged.reasons) story += "\n" + reason;
    return story;
  }

  // Draws a column per bound; its reasons are in the story.
  void draw_bounds() {
    const Verdicts judged = verdicts(analysis_);
    if (judged.lines.empty()) return;
    const double top = bottom_ + 12, height = 60;
    pen_.new_group(Group{"bounds", reasons_of(judged)});
    pen_.box({0, top, width_, height}, Ink{Tone::panel}, Ink{Tone::frame}, 8);
    double x = kPadding;
    const auto& ruler = pen_.ruler();
    const auto column = [&](const std::string& head, const std::string& below, Ink ink) {
      pen_.level(head, {x, top + 20}, kCaptionStrong, {Tone::text}, Anchor::start);
      pen_.level(below, {x, top + 40}, kCaption, ink, Anchor::start);
      x += std::max(ruler.width(head, kCaptionStrong), ruler.width(below, kCaption)) + 24;
    };
    for (const auto& line : judged.lines)
      column(fmt::format("{} {}", line.what, line.amount), (line.reached ? "✓ " : "") + line.bound,
             {line.reached ? Tone::good : Tone::muted});
    pen_.group(-1);
    scene_.marks[scene_.marks.size() - 2 * judged.lines.size() - 1].box.width =
        std::max(width_, x - 24 + kPadding);
  }

  Caption caption() const {
    Caption words;
    words.title = options_.title.value_or(titled("Statistics", trace_.meta()));
    const Statistics& of = shown();
    std::string what = counted(static_cast<std::uint64_t>(found_.rounds), "round");
    if (until_ >= 0)
      what =
          until_ == 0 ? "at the start" : fmt::format("after step {} of {}", until_, found_.rounds);
    if (chunk_ >= 0) what += fmt::format(" · chunk {} alone", chunk_);
    words.subtitle.push_back(
        with_outcome(trace_, fmt::format("{} · {} · {} · {} · {}", counted(of.ranks.size(), "rank"),
                                         what, counted(of.total.messages, "message"),
                                         amount_text(of.total.bytes), time_text(of.duration_ns))));
    if (options_.bounds_below) {
      if (const auto data = verdicts(analysis_).data; !data.empty())
        words.subtitle.back() += " · " + data.substr(0, data.find(','));
    }
    words.notes.emplace_back("A step of a rank: a round in which it sends or receives.");
    if (alike_ && !part_ && found_.ranks.size() > 1)
      words.notes.emplace_back("All ranks send and receive the same: none is the busiest.");
    if (found_.unreceived > 0)
      words.notes.push_back(unreceived_text(trace_, found_.unreceived) + ".");
    return words;
  }

  const TraceAnalysis& analysis_;
  const Trace& trace_;
  const StatisticsOptions& options_;
  const Statistics& found_;
  std::optional<Statistics> part_;
  int until_ = -1, chunk_ = -1;  ///< -1: all.
  std::vector<std::size_t> rows_;
  std::map<std::size_t, std::string> tags_;
  bool alike_ = false;
  Unit bytes_, time_;
  std::array<double, kColumns> right_{};
  double top_ = 48, tags_at_ = 0, width_ = 0, bottom_ = 0;
  Scene scene_;
  Drawing pen_;
};

}  // namespace

Scene statistics_table(const TraceAnalysis& analysis, const StatisticsOptions& options,
                       const Ruler& ruler) {
  if (analysis.trace().world_size() < 1)
    throw UserError("the trace is empty: there are no ranks to count; record a run first");
  return Table(analysis, options, ruler).draw();
}

namespace {

std::string meaning_of_data(const CollectiveTraits& collective) {
  if (collective.counts_all_ranks()) return "the parts of all ranks together";
  if (collective.rooted && !collective.result_at_root) return "the root's data";
  return "the input of one rank";
}

// Returns "1.75 D", or "D".
std::string times_data(double factor) {
  const std::string number = decimal(factor, 3);
  return number == "1" ? "D" : number + " D";
}

class BoundsComparison {
 public:
  explicit BoundsComparison(const TraceAnalysis& analysis)
      : facts_(analysis),
        statistics_(analysis.statistics()),
        n_(std::max(analysis.trace().world_size(), 1)) {
    data_ = static_cast<double>(facts_.data_bytes);
    if (facts_.collective != nullptr)
      bounds_ = lower_bounds(facts_.collective->collective, n_, data_);
  }

  Verdicts judge() const {
    Verdicts found;
    if (!bounds_) return found;
    found.lines.push_back(of_rounds());
    if (facts_.data_bytes > 0) {
      found.data = fmt::format("D = {}, {}", amount_text(facts_.data_bytes),
                               meaning_of_data(*facts_.collective));
      std::uint64_t sent = 0, received = 0;
      for (const auto& rank : statistics_.ranks) {
        sent = std::max(sent, rank.sent.bytes);
        received = std::max(received, rank.received.bytes);
      }
      found.lines.push_back(of_bytes("bytes sent, busiest rank:", sent, bounds_->sent));
      found.lines.push_back(of_bytes("bytes received, busiest rank:", received, bounds_->received));
    }
    add_reasons(found);
    return found;
  }

 private:
  BoundLine of_rounds() const {
    const bool reached = statistics_.rounds <= bounds_->rounds;
    return {"rounds:", grouped(static_cast<std::uint64_t>(statistics_.rounds)),
            reached ? "lower bound reached" : fmt::format("at least {}", bounds_->rounds), reached};
  }

  // Returns by how many bytes a bound may be missed and still count as reached: chunks differ by one element if N does
  // not divide the data.
  double rounding() const {
    const auto elements = facts_.data_bytes / std::max<std::size_t>(facts_.element_bytes, 1);
    const auto n = static_cast<std::uint64_t>(n_);
    return elements % n == 0 ? 1e-9
                             : static_cast<double>(facts_.element_bytes) * 2.0 * (n_ - 1) + 1e-9;
  }

  BoundLine of_bytes(std::string what, std::uint64_t amount, double bound) const {
    const double bytes = static_cast<double>(amount);
    const bool exact = bytes <= bound + 1e-6, reached = bytes <= bound + rounding();
    const std::string least = times_data(bound / data_);
    return {std::move(what), times_data(bytes / data_),
            exact     ? "lower bound reached"
            : reached ? "lower bound reached, except for chunks of different lengths"
                      : "at least " + least,
            reached};
  }

  void add_reasons(Verdicts& found) const {
    if (n_ <= 1) return;
    found.reasons.push_back("Rounds: " + std::string(bounds_->rounds_why));
    if (facts_.data_bytes > 0) found.reasons.push_back("Bytes: " + std::string(bounds_->bytes_why));
    if (!bounds_->source.empty())
      found.reasons.push_back("Source: " + std::string(bounds_->source));
  }

  const TracedJob facts_;
  const Statistics& statistics_;
  const int n_;
  double data_ = 0;
  std::optional<LowerBounds> bounds_;
};

}  // namespace

Verdicts verdicts(const TraceAnalysis& analysis) {
  // Bytes that were not sent or not received would look like a bound that was reached.
  const std::string outcome = run_outcome(analysis.trace());
  if (analysis.statistics().unreceived > 0 || (!outcome.empty() && outcome != "wrong result"))
    return {};
  return BoundsComparison(analysis).judge();
}

}  // namespace rankscope
