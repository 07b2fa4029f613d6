// The model of a buffer grid, without geometry: rows, columns and the contents of cells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/grid/data_cell.h"
#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {

struct GridRow {
  Rank rank = -1;
  bool lost = false;  ///< Its process is gone by then.
  std::string buffer;
  std::vector<DataCell> cells;
};

/// Data that a rank sends in the next round, to one or more ranks.
struct GridFlight {
  Rank from = -1;
  std::vector<Rank> to;
  std::uint64_t bytes = 0;
  int first = 0, last = 0;  ///< Columns.
  int chunk = -1;           ///< The only one; -1: several, or not known.
  std::string what;         ///< "c1", "c1–2", "all", "4 elements".
};

struct GridModel {
  int world = 0;
  int round = 0, rounds = 0;
  std::string moment;     ///< "at the start", "after round 3 of 6".
  std::string phase;      ///< The phase of that round's messages.
  bool reduces = false;   ///< Cells count ranks; otherwise they have stripes.
  bool alltoall = false;  ///< Blocks have a source and a destination.
  int columns = 0;
  std::vector<GridRow> rows;
  std::vector<GridFlight> flights;
  std::size_t hidden_ranks = 0;
  std::string nothing;  ///< Why there is nothing to show; empty if there is something.
};

/// Follows a trace once, for any number of moments.
class GridSource {
 public:
  /// Throws UserError for options that the trace cannot meet.
  GridSource(TraceAnalysis analysis, BufferGridOptions options);
  /// Returns the moment after a round; fast for consecutive rounds.
  GridModel at(int round);
  /// Returns the cells of a rank after a round, by column, that may differ from those after round `other` (-1: all),
  /// without `changed`.
  std::vector<std::pair<int, DataCell>> cells_unlike(Rank rank, int round, int other);
  int rounds() const noexcept { return rounds_.count; }
  int rows() const noexcept { return static_cast<int>(options_.ranks.size()); }
  int columns() const noexcept { return columns_; }
  /// The number of the last moment: rounds(), or one more if something follows them.
  int last() const noexcept { return last_; }

 private:
  struct Shown {
    const Definition* buffer = nullptr;
    Count base = 0;  ///< The element of the whole at which it begins.
  };

  void check_options();
  void check_round(int round) const;
  Shown shown(Rank rank, int round) const;
  Cursor cut(Rank rank, int round) const;
  std::optional<std::vector<int>> columns_unlike(Rank rank, int round, int other);
  bool looks_elsewhere(Rank rank, const Definition* shown) const;
  /// Returns a program's result if it is in another array than its messages, which it then replaces.
  const account::NotedResult* result_in(Rank rank, const Definition& buffer) const;
  account::Contents contents_of(Rank rank, const Definition& buffer, int round) const;
  const account::Contents& held(Rank rank, const Definition& buffer, int round);
  GridRow row(Rank rank, int round, const std::vector<BufferState>& states) const;
  DataCell cell(const Shown& shown, Range elements, const account::Contents& map) const;
  void find_elsewhere(GridRow& row, const Shown& shown, Cursor cursor) const;
  void add_values(DataCell& cell, const Shown& shown, const BufferState& state,
                  const std::vector<double>* noted) const;
  std::vector<BufferState> contents(int round) const;
  std::vector<GridRow> rows_at(int round) const;
  const std::vector<GridRow>& kept_rows(int round);
  Range column(const Shown& shown, int number) const;
  int origin_chunk(Range elements) const;
  std::vector<GridFlight> flights(int round) const;
  std::optional<Range> origin_of(const MessageRecord& message) const;
  std::optional<Range> sent_elements(const MessageRecord& message) const;
  void find_lost();
  std::string why_nothing(const GridModel& model) const;

  const TraceAnalysis analysis_;
  const Trace& trace_;
  BufferGridOptions options_;
  const Rounds& rounds_;
  const Pieces& pieces_;
  const RoundCuts& cuts_;
  const account::Contributions* contributions_ = nullptr;  ///< Null for too many ranks.
  int columns_ = 0;
  int last_ = 0;
  bool reduces_ = false, alltoall_ = false;
  bool root_input_ = false;  ///< The root sends from its input (a scatter).
  std::size_t hidden_ranks_ = 0;
  std::map<Rank, int>
      lost_after_;  ///< Ranks that were lost, and the last round in which they took part.
  std::vector<Flipbook::Moment> moments_;                   ///< From the first at() on.
  std::vector<std::pair<int, std::vector<GridRow>>> kept_;  // of the last two moments
  struct Held {
    int round = -1;
    const Definition* buffer = nullptr;
    account::Contents map;
  };
  std::map<Rank, Held> held_;  ///< From the last cells_unlike().
};

}  // namespace rankscope
