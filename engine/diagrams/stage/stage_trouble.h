// The faults at the end of a run, as the stage shows them: who waits for whom, which ranks were lost, and where a
// result is wrong.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/meant/wrong_value.h"
#include "engine/diagrams/stage/stage_layout.h"

namespace rankscope {

struct StageTrouble {
  struct Wait {
    Rank rank = 0;
    Rank on = -1;  ///< -1: any rank.
    bool sends = false;
    bool root = false;  ///< It is a cause of the deadlock; the others only follow.
    std::string what;   ///< "send to rank 1"
    std::string brief;  ///< "send → 1"
    std::string why;    ///< "waits for rank 1 to receive"
    std::string line;   ///< "line 9"; empty if unknown.
    std::string size;   ///< "32 B, waits"
  };
  std::vector<Wait> waits;  ///< One for each rank that is blocked for ever, roots first.
  std::string brief;        ///< "each waits for the next"; empty without a deadlock.
  std::vector<Rank> ended;  ///< Ranks that had ended at a deadlock.
  std::vector<Rank> lost;
  bool broke_off = false;  ///< An error ended the run.
  std::vector<meant::WrongResult> wrong;
  std::optional<meant::WrongValue> story;  ///< The origin of the first wrong result.
  std::string headline;                    ///< "Deadlock: 0 → 1 → 0"; empty if all is well.
  std::string why;
  /// At most two: "rank 0 is at line 9: dist.send(...)", "rank 1 would free it at line 12: ...".
  std::vector<std::string> lines;

  bool any() const noexcept { return !headline.empty(); }
  const Wait* of(Rank rank) const noexcept;
  bool is_lost(Rank rank) const noexcept;
  bool has_ended(Rank rank) const noexcept;
  bool deadlock() const noexcept { return !waits.empty(); }
  /// Returns whether this rank is a cause of the failure, as far as that is known.
  bool at_fault(Rank rank) const noexcept {
    const Wait* wait = of(rank);
    return is_lost(rank) || (wait != nullptr && wait->root) || wrong_at(rank) != nullptr;
  }
  const meant::WrongResult* wrong_at(Rank rank) const noexcept;
};

StageTrouble stage_trouble(const TraceAnalysis& analysis);

/// An arrow from a rank that is blocked for ever to the one that it waits for.
struct StageWaitArrow {
  StageTrouble::Wait wait;
  StagePath path;
};
std::vector<StageWaitArrow> wait_arrows(const StageLayout& layout, const StageTrouble& trouble,
                                        const Ruler& ruler);
/// Draws the arrows: muted for ranks that only follow, and with the message's size on the others if there is room.
void draw_waits(Drawing& pen, const std::vector<StageWaitArrow>& arrows, const StageStyle& style);

}  // namespace rankscope
