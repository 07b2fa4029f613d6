// The data that every rank holds after each step of a run, and that each message carried.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "engine/analysis/trace_analysis.h"

namespace rankscope::narration {

using account::Contents;

/// By rank, the elements of its data that another one holds: in order, without overlaps.
using Owned = std::map<Rank, std::vector<Range>>;

Count size_of(const Owned& owned) noexcept;
Count size_in_common(const Owned& one, const Owned& other) noexcept;
/// As few ranges as possible, ascending.
std::vector<Range> joined(std::vector<Range> ranges);
/// The number of elements to which each of `world` ranks has contributed once.
Count complete_elements(const Contents& contents, int world);

/// How data moves in a run, as its trace shows it.
enum class Motion : std::uint8_t {
  unknown,   ///< Nothing is known of the ranks' data.
  nothing,   ///< Messages carry none.
  combines,  ///< It is reduced.
  spreads,   ///< One rank's goes to all others.
  deals,     ///< One rank's is dealt out.
  gathers,   ///< All ranks' comes to one.
  collects,  ///< All ranks' comes to all of them.
  regroups,  ///< Each rank has something for each.
  moves,     ///< Anything else.
};

/// The data of all ranks, step by step, and the purpose of the run as its end shows it.
class Holdings {
 public:
  explicit Holdings(const TraceAnalysis& analysis);

  int world() const noexcept { return trace_.world_size(); }
  Motion motion() const noexcept { return motion_; }
  bool known() const noexcept { return contributions_ != nullptr; }
  /// For combines, the operator of the first reduction.
  ReduceOp op() const noexcept { return op_; }
  /// The rank whose data spreads or is dealt out, or that gathers; or -1.
  Rank center() const noexcept { return center_; }
  Count whole() const noexcept { return analysis_.pieces().whole(); }

  /// The contents of the rank's data, in elements of the data as a whole; empty where it has none.
  const Contents& data(Rank rank, int step);
  /// All that it holds of any rank's data, anywhere.
  const Owned& owned(Rank rank, int step);
  /// The data with which it ends.
  const Owned& wanted(Rank rank) const { return wanted_[static_cast<std::size_t>(rank)]; }
  /// The load of a message; elements count from 0.
  Contents load(const MessageRecord& message);
  /// The number of the state at the end, which may differ from that after the last step.
  int last() const noexcept { return steps_ + 1; }

 private:
  struct State {
    std::vector<Contents> data;
    std::vector<Owned> owned;
  };
  State& state(int step);
  const Definition* shown(Rank rank, int step) const;
  Cursor cursor(Rank rank, int step) const;
  Owned owned_at(Rank rank, Cursor cursor) const;
  Contents made_load(const MessageRecord& message) const;
  Contents input_load(const StepEvent& sent, std::uint64_t bytes) const;
  void find_operator();
  void find_wanted();
  Motion motion_of_wanted();

  const TraceAnalysis analysis_;
  const Trace& trace_;
  const account::Contributions* contributions_ = nullptr;  ///< Null where they are not known.
  int steps_ = 0;
  Motion motion_ = Motion::unknown;
  ReduceOp op_ = ReduceOp::sum;
  Rank center_ = -1;
  bool input_scattered_ = false;
  std::vector<std::vector<std::uint32_t>> buffers_;  ///< By rank.
  std::vector<Owned> wanted_;
  std::map<int, State> kept_;
  std::unordered_map<std::uint64_t, Contents> loads_;  ///< By the event that sent it.
};

}  // namespace rankscope::narration
