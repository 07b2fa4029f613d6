// Definitions of all ranks under one numbering.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope {

/// Gives every definition of every rank a number that is valid in the whole trace. Sites, phases and communicators that
/// are the same on several ranks become one definition (of rank -1), so that a block of events recorded by a thousand
/// ranks names each line of code once. Buffers keep their rank.
class DefinitionTable {
 public:
  using Lists = std::array<std::vector<Definition>, kDefinitionKinds>;

  /// Adds the batch's new definitions and rewrites the ids in its events. An id that its rank never defined becomes 0.
  /// Throws FormatError for ids that no recorder gives out.
  void renumber(EventBatch& batch);
  /// Definition number i of a kind is at index i - 1; an entry whose id is 0 is not known (lost).
  const Lists& lists() const noexcept { return lists_; }
  const Definition* find(Definition::Kind kind, std::uint32_t id) const noexcept;
  /// Adds a definition that already has its trace-wide number (from a file).
  void put(Definition definition);

 private:
  using Ids = std::array<std::vector<std::uint32_t>, kDefinitionKinds>;
  void add(Ids& ids, Definition definition);

  Lists lists_;
  std::unordered_map<Rank, Ids> ids_;  // the rank's own number -> the trace's
  std::unordered_map<std::string, std::uint32_t> shared_;
};

}  // namespace rankscope
