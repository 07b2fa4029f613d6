// The calls of blocked ranks from where they stand: the call that blocks each, and the next one as far as the program's
// text gives it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/analysis/findings/blocked_ranks.h"

namespace rankscope::finder {

struct ReplayedCall {
  bool send = false;
  Rank peer = -1;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t site = 0;
  bool waits = true;  ///< It ends with its partner; else its rank goes on, and waits at its end.
  bool buffered = false;  ///< A send that ends by itself.
  // While it is gone through.
  OpId op = 0;  ///< 0: not posted.
  bool met = false;
};

/// Each rank's calls, in program order.
using ReplayedProgram = std::map<Rank, std::vector<ReplayedCall>>;

class BlockedProgram {
 public:
  explicit BlockedProgram(const Trace& trace);

  /// Whether ranks are blocked, all of them in messages of their own with a known rank.
  bool possible() const noexcept { return possible_ && !stands_.empty(); }
  const BlockedRanks& blocked() const noexcept { return blocked_; }
  const ReplayedProgram& program() const noexcept { return program_; }
  /// Sites of lines that no rank reached, which the trace lacks.
  const std::vector<Definition>& sites() const noexcept { return sites_; }
  /// Lines read from the text.
  const std::set<unsigned>& lines() const noexcept { return lines_; }
  /// Ranks whose next call is not known.
  const std::vector<Rank>& unknown() const noexcept { return unknown_; }
  /// The first rank of each circle that another order of two calls could free.
  std::vector<Rank> first_by_order() const;

 private:
  void add(const BlockedVerb& verb);
  std::optional<ReplayedCall> next_of(const BlockedVerb& verb) const;
  std::uint32_t site_of_next(const BlockedVerb& verb, std::uint32_t site);

  const Trace& trace_;
  const BlockedRanks blocked_;
  std::map<Rank, BlockedVerb> stands_;
  ReplayedProgram program_;
  std::vector<Definition> sites_;
  std::set<unsigned> lines_;
  std::vector<Rank> unknown_;
  bool possible_ = true;
};

}  // namespace rankscope::finder
