// Maps byte ranges of messages and buffers to elements and chunks of the data.
#include "engine/account/pieces.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/handed.h"

namespace rankscope {

namespace {

/// Returns the collective that a program should be, if that moves parts without adding them; else null.
const CollectiveTraits* meant_to_move(const Trace& trace) {
  const auto* const meant = trace.world_size() < 2 ? nullptr : meant_collective(trace);
  const bool moves = meant != nullptr && !meant->reduces && meant->out != Extent::whole &&
                     meant->out != Extent::nothing;
  return moves ? meant : nullptr;
}

}  // namespace

const CollectiveTraits* meant_collective(const Trace& trace) {
  const auto& handed = trace.meta().handed;
  if (traits_of(trace) != nullptr || !handed) return nullptr;
  const std::string name = letters(handed->as.substr(0, handed->as.find(':')));
  const auto row = ranges::find(collectives(), name,
                                [](const CollectiveTraits& one) { return letters(one.name); });
  return row == collectives().end() ? nullptr : &*row;
}

std::string Piece::name() const {
  if (whole) return "everything";
  if (elements.count == 0) return "an empty message";
  if (elements.offset < 0)
    return fmt::format("{} element{}", elements.count, elements.count == 1 ? "" : "s");
  if (!exact)
    return elements.count == 1 ? fmt::format("element {}", elements.offset)
                               : fmt::format("elements {}–{}", elements.offset, elements.end() - 1);
  return first_chunk == last_chunk ? fmt::format("chunk {}", first_chunk)
                                   : fmt::format("chunks {}–{}", first_chunk, last_chunk);
}

std::string Piece::label() const {
  if (whole) return "all";
  if (first_chunk < 0) return {};
  if (first_chunk != last_chunk) return fmt::format("c{}–{}", first_chunk, last_chunk);
  return fmt::format("c{}{}", first_chunk, exact ? "" : " part");
}

Pieces::Pieces(const Trace& trace)
    : trace_(trace), collective_(traits_of(trace)), ranks_(std::max(trace.world_size(), 1)) {
  if (const auto* meant = meant_to_move(trace); meant != nullptr && find_arrays(*meant)) {
    collective_ = meant;
    return;
  }
  const std::string name = data_name();
  for (const auto& buffer : trace_.definitions(Definition::Kind::buffer)) {
    if (!owned(buffer)) continue;
    // An array that a program makes again and again has a definition each time.
    if (buffer.name == name) data_.emplace(buffer.rank, &buffer);
    if (buffer.name == "in") in_[buffer.rank] = &buffer;
    if (buffer.name == name || buffer.name == "in") whole_ = std::max(whole_, count_of(buffer));
  }
  find_work();
}

// Finds the largest arrays that messages leave and reach. Returns false if they have no room for all parts: a rank that
// receives into an array for one message stores it elsewhere.
bool Pieces::find_arrays(const CollectiveTraits& meant) {
  constexpr std::uint64_t kMostRead = 8192;
  const bool scatters = meant.out == Extent::chunk;
  ByRank sent, received, data, in;
  Count least = 0, whole = 0;
  for (std::uint64_t k = 0; k < std::min(trace_.size(), kMostRead); ++k) {
    const StepEvent& event = trace_[k];
    if (event.kind != EventKind::posted || event.bytes == 0) continue;
    const bool sends = event.verb == Verb::send;
    const auto* array =
        trace_.definition(Definition::Kind::buffer, sends ? event.in_buffer : event.out_buffer);
    if (array == nullptr || !owned(*array) || array->rank != event.rank) continue;
    const Definition*& largest = (sends ? sent : received)[event.rank];
    if (largest == nullptr || count_of(*array) > count_of(*largest)) largest = array;
    const Count size = elements_at(*array, 0, event.bytes).count;
    least = least == 0 ? size : std::min(least, size);
    if (sends == scatters) whole = std::max(whole, count_of(*array));
  }
  if (least == 0 || received.empty() || least * ranks_ > whole) return false;
  const bool alike = meant.out == Extent::regrouped;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const Definition *from = find(sent, rank), *into = find(received, rank);
    const Count part = Partition(whole, ranks_)[rank].count;
    const auto has = [](const Definition* array, Count count) {
      return array != nullptr && count_of(*array) == count;
    };
    if (into != nullptr && !has(into, whole) && !(scatters && has(into, part))) return false;
    if (into != nullptr) data[rank] = into;
    if (from == into) continue;
    if (has(from, alike || scatters ? whole : part)) in[rank] = from;
    else if (into == nullptr && has(from, whole)) data[rank] = from;
  }
  data_ = std::move(data), in_ = std::move(in), whole_ = whole;
  return true;
}

// Returns "data", or the largest array that a program's messages name and that it noted at the start, if its result was
// compared.
std::string Pieces::data_name() const {
  const auto& handed = trace_.meta().handed;
  std::string name = "data";
  if (collective_ != nullptr || !handed || handed->as.empty()) return name;
  Count most = 0;
  for (const auto& buffer : trace_.definitions(Definition::Kind::buffer)) {
    if (!owned(buffer) || buffer.rank != 0) continue;
    if (buffer.name == "data") return "data";
    for (const Handed::Call& call : handed->calls) {
      const auto noted = call.begin.find(buffer.name);
      if (call.rank != 0 || noted == call.begin.end() || count_of(buffer) <= most ||
          std::ssize(noted->second.values) != count_of(buffer))
        continue;
      most = count_of(buffer);
      name = buffer.name;
    }
  }
  return name;
}

// A damaged or forged file may lack a definition, or name a rank that does not exist.
bool Pieces::owned(const Definition& buffer) const noexcept {
  return buffer.id != 0 && buffer.rank >= 0 && buffer.rank < ranks_;
}

void Pieces::find_work() {
  if (collective_ == nullptr || !collective_->reduces_to_chunks()) return;
  for (const auto& buffer : trace_.definitions(Definition::Kind::buffer))
    if (owned(buffer) && buffer.name != "data" && buffer.name != "in" && count_of(buffer) == whole_)
      work_.emplace(buffer.rank, &buffer);
}

std::optional<Count> Pieces::base_of(const Definition* buffer) const {
  if (buffer == nullptr || !owned(*buffer)) return std::nullopt;
  const auto named = [&](const Definition* one) {
    return one != nullptr && one->name == buffer->name;
  };
  const Rank rank = buffer->rank;
  const bool known = named(data(rank)) || named(in(rank)) || work(rank) == buffer;
  if (!known) return std::nullopt;
  if (count_of(*buffer) == whole_) return 0;
  const auto own = Partition(whole_, ranks_)[buffer->rank];
  return count_of(*buffer) == own.count ? std::optional(own.offset) : std::nullopt;
}

std::optional<Range> Pieces::range_of(std::uint32_t id, std::uint64_t offset,
                                      std::uint64_t bytes) const {
  const auto* buffer = trace_.definition(Definition::Kind::buffer, id);
  const auto base = base_of(buffer);
  if (!base) return std::nullopt;
  const Range inside = elements_at(*buffer, offset, bytes);
  const auto wanted = bytes / std::max<std::size_t>(1, dtype_size(buffer->dtype));
  // A range beyond its buffer belongs to no piece.
  if (static_cast<std::uint64_t>(inside.count) != wanted) return std::nullopt;
  const Range range{*base + inside.offset, inside.count};
  return range.end() <= whole_ ? std::optional(range) : std::nullopt;
}

Piece Pieces::piece(Range elements) const { return piece_of(elements, whole_); }

Piece Pieces::piece_of(Range elements, Count whole) const {
  Piece piece;
  piece.elements = elements;
  if (elements.offset < 0 || elements.count <= 0 || elements.end() > whole) return piece;
  const Partition chunks(whole, ranks_);
  piece.whole = elements.count == whole;
  piece.first_chunk = chunks.chunk_of(elements.offset);
  piece.last_chunk = chunks.chunk_of(elements.end() - 1);
  piece.exact = chunks.span(piece.first_chunk, piece.last_chunk + 1) == elements;
  return piece;
}

Piece Pieces::of(const MessageRecord& message) const {
  if (message.bytes == 0) return {};
  const auto& sent = trace_[message.sent];
  // If the ranks do not divide the count, an all-to-all's outputs have other sizes than its inputs, and
  // it is the input that is cut into chunks.
  const auto* input = in(message.from);
  if (input != nullptr && sent.in_buffer == input->id && count_of(*input) != whole_ &&
      collective_ != nullptr && collective_->out == Extent::regrouped)
    return piece_of(elements_at(*input, sent.in_offset, message.bytes), count_of(*input));
  auto range = range_of(sent.in_buffer, sent.in_offset, message.bytes);
  // The receiver's side is used where the sender's memory has no place in the data.
  if (!range && message.received != kNoEvent) {
    const auto& received = trace_[message.received];
    range = range_of(received.out_buffer, received.out_offset, message.bytes);
  }
  if (range) return piece(*range);
  const auto size = std::max<std::size_t>(1, dtype_size(sent.dtype));
  return piece({-1, static_cast<Count>(message.bytes / size)});
}

}  // namespace rankscope
