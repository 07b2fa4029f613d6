// The part of the data that a message or a buffer holds, as elements and as chunks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/account/messages.h"
#include "engine/core/base/partition.h"
#include "engine/core/trace/trace.h"

namespace rankscope {

/// Elements of the data as a whole. Chunks are those of Partition(whole, ranks).
struct Piece {
  Range elements{-1, 0};                  ///< Offset -1 in memory that only the algorithm knows.
  int first_chunk = -1, last_chunk = -1;  ///< -1 if unknown.
  bool whole = false;                     ///< All of the data.
  bool exact = false;                     ///< Exactly the chunks first to last, not parts of them.

  /// The only chunk that it touches; -1 for several, or if unknown.
  int chunk() const noexcept { return first_chunk == last_chunk ? first_chunk : -1; }
  /// "chunk 2", "chunks 2–3", "element 5", "elements 5–6", "everything", "4 elements".
  std::string name() const;
  /// For an arrow: "c2", "c2–3", "c2 part", "all", "" if unknown.
  std::string label() const;
};

/// The collective that a program should be (exec --as); null for other runs.
const CollectiveTraits* meant_collective(const Trace& trace);

/// Where the buffers of a trace's collective lie in the data as a whole. A program that should move data as a collective does
/// (exec --as) has arrays in the places of "in" and "data": those that its ranks send from, and those that they receive into.
class Pieces {
 public:
  explicit Pieces(const Trace& trace);

  Count whole() const noexcept { return whole_; }
  int ranks() const noexcept { return ranks_; }
  /// The trace's collective, or the one that its program should be where its arrays are those of that collective; else null.
  const CollectiveTraits* collective() const noexcept { return collective_; }
  /// The watched buffers "data" (or a compared program's own array) and "in" of a rank; null if it has none.
  const Definition* data(Rank rank) const noexcept { return find(data_, rank); }
  const Definition* in(Rank rank) const noexcept { return find(in_, rank); }
  /// Where a reduce-scatter works: a copy of the whole input.
  const Definition* work(Rank rank) const noexcept { return find(work_, rank); }
  /// The element of the whole at which a buffer begins: it is all of the data, or its rank's chunk.
  /// Nothing for memory that only the algorithm knows.
  std::optional<Count> base_of(const Definition* buffer) const;
  std::optional<Range> range_of(std::uint32_t buffer, std::uint64_t offset,
                                std::uint64_t bytes) const;
  Piece piece(Range elements) const;
  Piece of(const MessageRecord& message) const;

 private:
  using ByRank = std::map<Rank, const Definition*>;
  static const Definition* find(const ByRank& map, Rank rank) noexcept {
    const auto found = map.find(rank);
    return found == map.end() ? nullptr : found->second;
  }
  Piece piece_of(Range elements, Count whole) const;
  bool owned(const Definition& buffer) const noexcept;
  std::string data_name() const;
  bool find_arrays(const CollectiveTraits& meant);
  void find_work();

  const Trace trace_;
  const CollectiveTraits* collective_;
  int ranks_;
  Count whole_ = 0;
  ByRank data_, in_, work_;
};

}  // namespace rankscope
