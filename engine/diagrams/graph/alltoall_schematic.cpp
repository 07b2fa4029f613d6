// Draws how an all-to-all splits, exchanges and joins the ranks' tensors.
#include "engine/diagrams/graph/alltoall_schematic.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr int kMostColumns = 16;
constexpr double kCaptionHead = 76;      // captions of the columns
constexpr double kSlot = 26, kBar = 22;  // a piece in a stack, and its box
constexpr double kBarWidth = 72, kLead = 64, kColumnGap = 40;
constexpr double kPieceWidth = 28, kPieceHeight = 24;  // in the tensors

using Extents = std::vector<std::int64_t>;
using Pair = std::pair<int, int>;

/// The messages of the run, with the round of each by source and destination.
struct Sent {
  std::map<Pair, int> round;
  int rounds = 0;
  std::uint64_t messages = 0;
  bool direct = true;  ///< Each piece travels in a message of its own.
};

void check(const AllToAllSpec& spec) {
  const int dims = static_cast<int>(spec.shape.size());
  for (const int dim : {spec.scatter_dim, spec.gather_dim})
    if (dim < 0 || dim >= dims)
      throw UserError(fmt::format("there is no dimension {} in the shape {}: take 0 to {}", dim,
                                  shape_text(spec.shape), dims - 1));
  if (spec.ranks < 1 || spec.ranks > kMostColumns)
    throw UserError(
        fmt::format("the schematic of an all-to-all is for 1 to {} ranks, not {}: take "
                    "the matrix for more",
                    kMostColumns, spec.ranks));
  if (ranges::any_of(spec.shape, [](std::int64_t extent) { return extent < 0; }))
    throw UserError("a shape has no negative extents: " + shape_text(spec.shape));
}

class Schematic {
 public:
  Schematic(const AllToAllSpec& spec, const SchematicOptions& options, const Sent* sent,
            const Ruler& ruler)
      : spec_(spec),
        options_(options),
        sent_(sent),
        n_(spec.ranks),
        part_(spec.shape[static_cast<std::size_t>(spec.scatter_dim)], spec.ranks),
        joined_across_(spec.scatter_dim == spec.gather_dim),
        pen_(scene_, ruler) {
    place_columns();
  }

  Scene draw() {
    draw_heads();
    for (Rank rank = 0; rank < n_; ++rank) draw_rank(rank);
    // Arrows first, then their labels, so that no arrow crosses a label.
    for (const bool labels : {false, true})
      for (Rank from = 0; from < n_; ++from)
        for (Rank to = 0; to < n_; ++to) labels ? draw_label(from, to) : draw_arrow(from, to);
    if (sent_ != nullptr) scene_.clock_end = sent_->rounds;
    return captioned(std::move(scene_), caption(), pen_.ruler());
  }

 private:
  // ---- Shapes ----

  Extents with(int dim, std::int64_t extent, Extents shape) const {
    shape[static_cast<std::size_t>(dim)] = extent;
    return shape;
  }
  Extents piece_shape(Rank to) const {
    return with(spec_.scatter_dim, part_[to].count, spec_.shape);
  }
  Extents out_shape(Rank rank) const {
    Extents shape = piece_shape(rank);
    const auto extent = shape[static_cast<std::size_t>(spec_.gather_dim)];
    return with(spec_.gather_dim, extent * n_, std::move(shape));
  }
  // "input[:, :, 2:4]".
  std::string slice_text(Rank to) const {
    std::vector<std::string> parts(spec_.shape.size(), ":");
    parts[static_cast<std::size_t>(spec_.scatter_dim)] =
        fmt::format("{}:{}", part_[to].offset, part_[to].end());
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  // ---- Places ----

  void place_columns() {
    const double across = n_ * kPieceWidth;
    double shapes = 0;  // room for what is written below the tensors
    for (Rank rank = 0; rank < n_; ++rank)
      for (const auto& shape : {spec_.shape, out_shape(rank)})
        shapes = std::max(shapes, pen_.ruler().width(shape_text(shape), kCaption));
    column_ = std::max(across, shapes);
    pieces_x_ = 48 + column_ + kColumnGap;
    received_x_ = pieces_x_ + kBarWidth + 2 * kLead + (n_ <= 4 ? 240 : 400);
    joined_x_ = received_x_ + kBarWidth + kColumnGap;
    joined_width_ = joined_across_ ? across : kPieceWidth * 1.5;
    const std::string head = fmt::format("joined along dim {}", spec_.gather_dim);
    out_column_ = std::max({joined_width_, shapes, pen_.ruler().width(head, kCaption)});
    const double out_height = joined_across_ ? kPieceHeight : n_ * kPieceHeight;
    group_height_ = std::max({n_ * kSlot, out_height + 24, 64.0}) + 28;
  }
  double top(Rank rank) const { return kCaptionHead + rank * group_height_; }
  double middle(Rank rank) const { return top(rank) + (group_height_ - 28) / 2; }
  Box bar(double x, Rank rank, int slot) const {
    return {x, middle(rank) - n_ * kSlot / 2 + slot * kSlot + (kSlot - kBar) / 2, kBarWidth, kBar};
  }

  // ---- Drawing ----

  void head(double x, double width, const std::string& title, const std::string& below,
            const Extents& shape = {}) {
    pen_.level(title, {x + width / 2, 8}, kBodyStrong);
    pen_.level(below, {x + width / 2, 28}, kCaption, {Tone::muted});
    // Chunks of different lengths have no common shape.
    if (!shape.empty() && part_.count() % n_ == 0)
      pen_.level(shape_text(shape), {x + width / 2, 46}, kCaptionStrong, {Tone::muted});
  }

  void draw_heads() {
    head(48, column_, "input", "of each rank", spec_.shape);
    head(pieces_x_, kBarWidth, "split", fmt::format("along dim {}", spec_.scatter_dim),
         piece_shape(0));
    const double from = pieces_x_ + kBarWidth;
    const int messages = n_ * (n_ - 1);
    head(from, received_x_ - from,
         counted(static_cast<std::uint64_t>(messages),
                 sent_ != nullptr && !sent_->direct ? "piece" : "message") +
             (sent_ != nullptr && !sent_->direct ? " to other ranks" : ""),
         fmt::format("and {} (dotted)",
                     n_ == 1 ? "1 local copy" : fmt::format("{} local copies", n_)));
    head(received_x_, kBarWidth, "received", "by source", piece_shape(0));
    head(joined_x_, out_column_, "output", fmt::format("joined along dim {}", spec_.gather_dim),
         out_shape(0));
  }

  void draw_rank(Rank rank) {
    if (rank > 0)
      pen_.line({0, top(rank) - 14}, {joined_x_ + out_column_, top(rank) - 14}, {Tone::grid})
          .dotted = true;
    pen_.rank_tile(fmt::format("{}", rank), {18, middle(rank)}, kEmphasis);
    draw_input(rank);
    draw_stacks(rank);
    draw_output(rank);
  }

  // One piece of a tensor, in its source's colour.
  void cell(const Box& box, Rank source, const std::string& text) {
    pen_.box(box, Ink{Tone::chunk, source}, Ink{Tone::page});
    pen_.level(text, box.center(), kCaptionStrong, {Tone::on_chunk, source});
  }
  void flow(double from, double to, double y) {
    pen_.line({from, y}, {to, y}, {Tone::muted}, 1.5).arrow = true;
  }

  void draw_input(Rank rank) {
    const double left = 48 + (column_ - n_ * kPieceWidth) / 2, y = middle(rank) - kPieceHeight / 2;
    pen_.new_group(Group{fmt::format("input-{}", rank),
                         fmt::format("rank {}'s input {}, cut along dim {}", rank,
                                     shape_text(spec_.shape), spec_.scatter_dim)});
    for (int i = 0; i < n_; ++i)
      cell({left + i * kPieceWidth, y, kPieceWidth, kPieceHeight}, rank, fmt::format("{}", i));
    pen_.level(shape_text(spec_.shape), {48 + column_ / 2, y + kPieceHeight + 12}, kCaption,
               {Tone::muted});
    pen_.group(-1);
    flow(48 + column_ + 8, pieces_x_ - 8, middle(rank));
  }

  void draw_stacks(Rank rank) {
    for (int i = 0; i < n_; ++i) {
      pen_.new_group(Group{fmt::format("piece-{}-{}", rank, i),
                           fmt::format("rank {}'s chunk {}: input{}, shape {}", rank, i,
                                       slice_text(i), shape_text(piece_shape(i)))});
      const Box piece = bar(pieces_x_, rank, i);
      pen_.box(piece, Ink{Tone::chunk, rank}, {}, 4);
      pen_.level(fmt::format("chunk {}", i), piece.center(), kCaptionStrong,
                 {Tone::on_chunk, rank});
      pen_.new_group(Group{fmt::format("received-{}-{}", rank, i),
                           fmt::format("rank {} has chunk {} of rank {}: shape {}", rank, rank, i,
                                       shape_text(piece_shape(rank)))});
      const Box got = bar(received_x_, rank, i);
      pen_.box(got, Ink{Tone::chunk, i}, {}, 4);
      pen_.level(i == rank ? "own" : fmt::format("from {}", i), got.center(), kCaptionStrong,
                 {Tone::on_chunk, i});
    }
    pen_.group(-1);
    flow(received_x_ + kBarWidth + 8, joined_x_ - 8, middle(rank));
  }

  void draw_output(Rank rank) {
    const double wide = out_column_;
    const double high = joined_across_ ? kPieceHeight : n_ * kPieceHeight;
    const double left = joined_x_ + (wide - joined_width_) / 2, y = middle(rank) - high / 2;
    pen_.new_group(
        Group{fmt::format("output-{}", rank),
              fmt::format("rank {}'s output {}: the chunks {} of ranks 0 to {}, in this order, "
                          "along dim {}",
                          rank, shape_text(out_shape(rank)), rank, n_ - 1, spec_.gather_dim)});
    for (int i = 0; i < n_; ++i)
      cell(joined_across_ ? Box{left + i * kPieceWidth, y, kPieceWidth, kPieceHeight}
                          : Box{left, y + i * kPieceHeight, joined_width_, kPieceHeight},
           i, fmt::format("{}", i));
    pen_.level(shape_text(out_shape(rank)), {joined_x_ + wide / 2, y + high + 12}, kCaption,
               {Tone::muted});
    pen_.group(-1);
  }

  bool missing(Rank from, Rank to) const {
    return sent_ != nullptr && sent_->direct && from != to && !sent_->round.contains({from, to});
  }

  Group group_of(Rank from, Rank to) const {
    if (from == to)
      return {fmt::format("copy-{}", from),
              fmt::format("rank {} keeps its chunk {}: a local copy, not a message", from, from)};
    Group group{fmt::format("message-{}-{}", from, to),
                fmt::format("rank {} sends its chunk {} to rank {}: input{}, shape {}", from, to,
                            to, slice_text(to), shape_text(piece_shape(to)))};
    if (missing(from, to)) group.story += "\nnot sent in this run";
    if (sent_ == nullptr || !sent_->round.contains({from, to})) return group;
    const int round = sent_->round.at({from, to});
    group.story += fmt::format("\nround {} of {}", round, sent_->rounds);
    group.begin = round - 1;
    group.end = round;
    return group;
  }

  // Level at both ends, so that labels stand in a column of their own.
  void draw_arrow(Rank from, Rank to) {
    const Box a = bar(pieces_x_, from, to), b = bar(received_x_, to, from);
    const Point start{a.right() + 3, a.center().y}, end{b.x - 3, b.center().y};
    const Point turn{start.x + kLead, start.y}, back{end.x - 16, end.y};
    const double half = (back.x - turn.x) * 0.5;
    groups_[{from, to}] = scene_.add_group(group_of(from, to));
    pen_.group(groups_[{from, to}]);
    const Ink ink = missing(from, to) ? Ink{Tone::error} : Ink{Tone::chunk, from};
    Mark& arrow = pen_.path({start,
                             start,
                             turn,
                             turn,
                             {turn.x + half, turn.y},
                             {back.x - half, back.y},
                             back,
                             back,
                             end,
                             end},
                            ink, 2);
    arrow.arrow = true;
    arrow.dotted = from == to || missing(from, to);
    pen_.group(-1);
  }

  void draw_label(Rank from, Rank to) {
    const Box a = bar(pieces_x_, from, to);
    const Point at{a.right() + 3 + kLead / 2, a.center().y};
    pen_.group(groups_[{from, to}]);
    if (from == to) pen_.pill("copy", at, {Tone::page}, {Tone::muted});
    else if (missing(from, to))
      pen_.pill(fmt::format("{}→{}", from, to), at, {Tone::error}, {Tone::page});
    else pen_.pill(fmt::format("{}→{}", from, to), at, {Tone::chunk, from}, {Tone::on_chunk, from});
    pen_.group(-1);
  }

  Caption caption() const {
    Caption words;
    words.title = options_.title.value_or(fmt::format("All-to-all: scatter dim {}, gather dim {}",
                                                      spec_.scatter_dim, spec_.gather_dim));
    const bool even = part_.count() % n_ == 0;
    words.subtitle.push_back(fmt::format(
        "{} · {}{} on each rank", counted(static_cast<std::uint64_t>(n_), "rank"),
        shape_text(spec_.shape), even ? " → " + shape_text(out_shape(0)) : std::string()));
    words.notes.push_back(
        fmt::format("Colour: the rank that a piece comes from. r→i: chunk i of rank r goes to rank "
                    "i, which joins its "
                    "pieces in the order of their source ranks{}.",
                    joined_across_ ? ", so the shape stays as it is" : ""));
    if (!even)
      words.notes.push_back(
          fmt::format("{} elements along dim {} do not divide by {}: the first chunks are "
                      "one longer.",
                      part_.count(), spec_.scatter_dim, n_));
    if (sent_ == nullptr) return words;
    if (!sent_->direct)
      words.notes.push_back(fmt::format(
          "This run packed the pieces into {} and passed some on: the arrows show where "
          "pieces go, not single messages.",
          counted(sent_->messages, "message")));
    std::uint64_t lost = 0;
    for (Rank from = 0; from < n_; ++from)
      for (Rank to = 0; to < n_; ++to) lost += missing(from, to) ? 1 : 0;
    if (lost > 0)
      words.notes.push_back(fmt::format("{} not sent in this run (in red, dotted).",
                                        counted(lost, "message") + (lost == 1 ? " was" : " were")));
    return words;
  }

  const AllToAllSpec spec_;
  const SchematicOptions& options_;
  const Sent* const sent_;
  const int n_;
  const Partition part_;
  const bool joined_across_;  // along the dimension that was split
  double column_ = 0, pieces_x_ = 0, received_x_ = 0, joined_x_ = 0, joined_width_ = 0,
         out_column_ = 0;
  double group_height_ = 0;
  std::map<Pair, std::int32_t> groups_;
  Scene scene_;
  Drawing pen_;
};

Sent sent_in(const TraceAnalysis& analysis) {
  Sent sent;
  const Rounds& all = analysis.rounds();
  sent.rounds = all.count;
  sent.direct = sends_chunks_directly(analysis);
  for (std::size_t i = 0; i < all.messages.size(); ++i) {
    const auto& message = all.messages[i];
    if (message.sync) continue;
    ++sent.messages;
    if (sent.direct) sent.round.emplace(Pair{message.from, message.to}, all.round[i]);
  }
  return sent;
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Scene alltoall_schematic(const AllToAllSpec& spec, const SchematicOptions& options,
                         const Ruler& ruler) {
  check(spec);
  return Schematic(spec, options, nullptr, ruler).draw();
}

Scene alltoall_schematic(const TraceAnalysis& analysis, const SchematicOptions& options,
                         const Ruler& ruler) {
  const Trace& trace = analysis.trace();
  const TracedJob facts(analysis);
  if (trace.meta().collective != Collective::alltoall)
    throw UserError(fmt::format(
        "the schematic is of an all-to-all, and this trace is of {}: record one "
        "with `rankscope run alltoall.pairwise`",
        trace.meta().algorithm.empty() ? "no known algorithm" : trace.meta().algorithm));
  if (facts.shape.empty())
    throw UserError("this trace does not say the shape of its tensors: record the run again");
  const AllToAllSpec spec{trace.world_size(), facts.shape, facts.scatter_dim, facts.gather_dim};
  check(spec);
  const Sent sent = sent_in(analysis);
  return Schematic(spec, options, &sent, ruler).draw();
}

}  // namespace rankscope
