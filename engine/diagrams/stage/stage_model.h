// The model of the stage, without geometry: what every rank holds after each round, and what travels in it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/analysis/run_plan.h"
#include "engine/diagrams/grid/data_cell.h"

namespace rankscope {

struct BufferGridOptions;

/// One rank's, by chunk: those that a round does not change are shared with the round before.
using StageCells = std::vector<std::shared_ptr<const DataCell>>;

struct StageState {
  std::vector<StageCells> cells;  ///< By rank.
};

/// A message on its way.
struct StageCargo {
  std::size_t message = 0;  ///< Index in Rounds::messages.
  Rank from = 0, to = 0;
  int first = -1, last = -1;            ///< Chunks at the sender; -1: not known.
  int into_first = -1, into_last = -1;  ///< At the receiver.
  bool adds = false;                    ///< The receiver adds it to what it has.
  bool received = true;
  std::vector<CellPart> slots;  ///< Its contents, as DataCell::slots.
  double begin = 0,
         end = 0;  ///< Its elements at the sender, in chunks: 0 to 2.5. Equal: not known.
  Rank origin = -1;
  int hue = -1;       ///< A chunk; -1: it has its sender's tint.
  std::string label;  ///< "c2", "c0–3", "2→0", "32 B".
  std::string value;  ///< "c2  1, 4": with what it carries, where values are shown.
  std::string
      brief;  ///< Ranks whose parts it carries, in place of slots for the whole data: "0–3".
  bool empty = false;  ///< No data at all.
  std::string story;
  int place = 0,
      train =
          1;  ///< Number of messages from the same rank to the same one, which follow each other.
  int named_first = -1, named_last = -1;  ///< The chunks that the label names.
  /// Chunks of several hues.
  bool several() const noexcept { return hue < 0 && named_last > named_first; }
  /// The elements of a chunk that it carries.
  CellPart part_of(int chunk) const noexcept;
};

struct StageRound {
  std::vector<StageCargo> cargo;
  std::string phase;                   ///< Which phase it belongs to; may be empty.
  int of_phase = 0, phase_rounds = 0;  ///< The first round of a phase is 1.
};

/// Follows a trace once; rounds are looked up as they are asked for, and the last few are kept.
class StageModel {
 public:
  /// Throws UserError for an empty trace and for more than kMostRanks ranks.
  explicit StageModel(TraceAnalysis analysis, bool values = false);
  /// The model of a run that grows: what it has is divided and named as in `planned`, the model of plan.run.
  StageModel(TraceAnalysis analysis, bool values, const StageModel& planned, const PlanMatch& plan);
  ~StageModel();
  StageModel(const StageModel&) = delete;
  StageModel& operator=(const StageModel&) = delete;

  static constexpr int kMostRanks = 64;

  const TraceAnalysis& analysis() const noexcept { return analysis_; }
  int world() const noexcept { return analysis_.trace().world_size(); }
  int rounds() const noexcept;
  /// The number of the last moment: one more than rounds() where something follows them.
  int last() const noexcept;
  int chunks() const noexcept { return chunks_; }  ///< 0: nothing is known of the ranks' data.
  int slots() const noexcept { return slots_; }    ///< Number of slots of a cell.
  bool reduces() const noexcept { return slots_ > 1; }
  bool whole() const noexcept { return chunks_ == 1; }  ///< Messages carry all of the data.
  bool regroups() const noexcept { return regroups_; }  ///< An all-to-all.
  bool values() const noexcept { return values_; }      ///< Cells have values, too.
  /// After this round; 0 for the start.
  std::shared_ptr<const StageState> state(int round);
  /// From 1.
  const StageRound& round(int number) const { return rounds_.at(static_cast<std::size_t>(number)); }
  /// Its cargo with what it carries.
  const std::vector<StageCargo>& cargo(int number);

 private:
  struct Source;
  void read(const BufferGridOptions& options);
  void fill(StageState& state, int round) const;
  void find_rounds();
  void take_rounds(const StageModel& planned, const PlanMatch& plan);
  void find_phases();
  void find_lasting();
  bool is_overwritten(const DataCell& cell) const;
  void describe(StageCargo& cargo) const;
  void name_chunks(StageCargo& cargo, int first, int last) const;
  void load(StageCargo& cargo, const StageState& before, const StageState& after, bool alone) const;
  void find_target(StageCargo& cargo, const StageState& before, const StageState& after,
                   bool alone) const;

  const TraceAnalysis analysis_;
  const bool values_;
  std::unique_ptr<Source> source_;  ///< Null: nothing is known of the ranks' data.
  int chunks_ = 0, slots_ = 1;
  bool regroups_ = false;
  std::vector<StageRound> rounds_;  ///< From 1; the first is empty.
  std::vector<std::pair<int, std::shared_ptr<const StageState>>> kept_;
  std::vector<char> loaded_;   ///< By round.
  std::vector<char> lasting_;  ///< By rank: its data is somewhere at the end. Empty: all is.
};

}  // namespace rankscope
