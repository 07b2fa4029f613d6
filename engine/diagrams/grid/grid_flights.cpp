// The messages of a grid's next round.

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/grid/grid_model.h"

namespace rankscope {

/// Returns where data in an algorithm's own memory came from, if it is one range of the whole.
std::optional<Range> GridSource::origin_of(const MessageRecord& message) const {
  const auto& sent = trace_[message.sent];
  const auto* buffer = trace_.definition(Definition::Kind::buffer, sent.in_buffer);
  if (contributions_ == nullptr || buffer == nullptr) return std::nullopt;
  const auto size = dtype_size(buffer->dtype);
  const Range wanted{static_cast<Count>(sent.in_offset / size),
                     static_cast<Count>(message.bytes / size)};
  std::optional<Range> found;
  for (const auto& one : contributions_->of(buffer->id, message.sent)) {
    const Range part = account::common(one.elements, wanted);
    if (part.count == 0) continue;
    const Count from = one.origin_element() + part.offset - one.elements.offset;
    if (one.origin() < 0 || (found && from != found->end())) return std::nullopt;
    if (!found) found = Range{from, 0};
    found->count += part.count;
  }
  return found;
}

std::optional<Range> GridSource::sent_elements(const MessageRecord& message) const {
  if (!alltoall_) {
    const Piece piece = pieces_.of(message);
    return piece.elements.offset >= 0 ? std::optional(piece.elements) : origin_of(message);
  }
  // Blocks are those of the sender's input, which need not be watched.
  const auto& sent = trace_[message.sent];
  const auto* in = pieces_.in(message.from);
  if (sent.in_buffer != 0 && (in == nullptr || in->id != sent.in_buffer)) return std::nullopt;
  const auto size = dtype_size(sent.dtype);
  return Range{static_cast<Count>(sent.in_offset / size), static_cast<Count>(message.bytes / size)};
}

std::vector<GridFlight> GridSource::flights(int round) const {
  std::vector<GridFlight> found;
  for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
    const auto& message = rounds_.messages[i];
    if (message.sync || rounds_.round[i] != round || message.bytes == 0) continue;
    if (ranges::find(options_.ranks, message.from) == options_.ranks.end()) continue;
    GridFlight flight{message.from, {message.to}, message.bytes, 0, columns_ - 1, -1, {}};
    const auto elements = sent_elements(message);
    const Count whole = pieces_.whole();
    if (elements && elements->end() <= whole && elements->count > 0) {
      const Partition chunks(whole, columns_);
      flight.first = chunks.chunk_of(elements->offset);
      flight.last = chunks.chunk_of(elements->end() - 1);
      if (flight.first == flight.last) flight.chunk = flight.first;
      flight.what = elements->count == whole && columns_ > 1 ? "all"
                    : flight.chunk >= 0                      ? fmt::format("c{}", flight.first)
                                        : fmt::format("c{}–{}", flight.first, flight.last);
    } else {
      const auto count = message.bytes / dtype_size(trace_[message.sent].dtype);
      flight.what = fmt::format("{} element{}", count, count == 1 ? "" : "s");
    }
    const auto same = ranges::find_if(found, [&](const GridFlight& other) {
      return other.from == flight.from && other.first == flight.first &&
             other.last == flight.last && other.what == flight.what;
    });
    if (same == found.end()) found.push_back(std::move(flight));
    else same->to.push_back(message.to);
  }
  return found;
}

}  // namespace rankscope
