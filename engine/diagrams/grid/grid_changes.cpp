// Finds the cells of a buffer grid that differ between two moments, without making all the others.

#include "engine/core/base/ranges.h"
#include "engine/diagrams/grid/grid_model.h"

namespace rankscope {
namespace {

/// Returns whether both hold the same in a common part.
bool same_in(const account::Stretch& a, const account::Stretch& b, Range part) {
  return a.shares.further(part.offset - a.elements.offset) ==
         b.shares.further(part.offset - b.elements.offset);
}

/// Returns where two contents of one buffer differ.
std::vector<Range> differences(const account::Contents& a, const account::Contents& b) {
  std::vector<Range> parts;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Range part = account::common(a[i].elements, b[j].elements);
    if (part.count > 0 && !same_in(a[i], b[j], part)) parts.push_back(part);
    const Count end_of_a = a[i].elements.end(), end_of_b = b[j].elements.end();
    if (end_of_a <= end_of_b) ++i;
    if (end_of_b <= end_of_a) ++j;
  }
  return parts;
}

}  // namespace

Cursor GridSource::cut(Rank rank, int round) const {
  return cuts_.cut[static_cast<std::size_t>(rank)][static_cast<std::size_t>(round)];
}

// Returns whether cells may be filled from buffers other than the shown one.
bool GridSource::looks_elsewhere(Rank rank, const Definition* shown) const {
  if (reduces_ || alltoall_) return false;
  return ranges::any_of(trace_.definitions(Definition::Kind::buffer), [&](const auto& one) {
    return one.id != 0 && one.rank == rank && &one != shown;
  });
}

const account::NotedResult* GridSource::result_in(Rank rank, const Definition& buffer) const {
  return contributions_ != nullptr && &buffer == pieces_.data(rank)
             ? contributions_->result_of(rank)
             : nullptr;
}

account::Contents GridSource::contents_of(Rank rank, const Definition& buffer, int round) const {
  const auto* const result = result_in(rank, buffer);
  return contributions_->of(result == nullptr ? buffer.id : result->buffer, cut(rank, round));
}

const account::Contents& GridSource::held(Rank rank, const Definition& buffer, int round) {
  Held& last = held_[rank];
  if (last.round != round || last.buffer != &buffer)
    last = {round, &buffer, contents_of(rank, buffer, round)};
  return last.map;
}

// Returns the columns that may differ; nothing if any may.
std::optional<std::vector<int>> GridSource::columns_unlike(Rank rank, int round, int other) {
  if (other < 0 || contributions_ == nullptr ||
      options_.show != BufferGridOptions::Show::contributions)
    return std::nullopt;
  const Shown now = shown(rank, round), before = shown(rank, other);
  if (now.buffer == nullptr || now.buffer != before.buffer || now.base != before.base)
    return std::nullopt;
  Held& last = held_[rank];
  if (cut(rank, round) == cut(rank, other)) {
    if (last.round == other && last.buffer == now.buffer) last.round = round;
    return std::vector<int>();
  }
  if (looks_elsewhere(rank, now.buffer)) return std::nullopt;
  account::Contents map = contents_of(rank, *now.buffer, round);
  const auto parts = differences(held(rank, *now.buffer, other), map);
  last = {round, now.buffer, std::move(map)};
  std::vector<int> columns;
  for (int c = 0; c < columns_; ++c) {
    const Range elements = column(now, c);
    if (ranges::any_of(parts, [&](Range part) {
          return account::common({part.offset + now.base, part.count}, elements).count > 0;
        }))
      columns.push_back(c);
  }
  return columns;
}

std::vector<std::pair<int, DataCell>> GridSource::cells_unlike(Rank rank, int round, int other) {
  check_round(round);
  std::vector<std::pair<int, DataCell>> cells;
  if (const auto columns = columns_unlike(rank, round, other)) {
    if (columns->empty()) return cells;
    const Shown now = shown(rank, round);
    const account::Contents& map = held(rank, *now.buffer, round);
    for (const int c : *columns) {
      const Range elements = column(now, c);
      cells.emplace_back(c, elements.count == 0 ? DataCell() : cell(now, elements, map));
    }
    return cells;
  }
  const auto take = [&](const GridRow& row) {
    for (int c = 0; c < columns_; ++c)
      cells.emplace_back(c, row.cells[static_cast<std::size_t>(c)]);
  };
  if (options_.show == BufferGridOptions::Show::contributions) {
    take(row(rank, round, {}));
    return cells;
  }
  for (const GridRow& row : kept_rows(round))  // contents of all ranks are found at once
    if (row.rank == rank) take(row);
  return cells;
}

}  // namespace rankscope
