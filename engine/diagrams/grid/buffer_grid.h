// The contents of the ranks' buffers at a moment: ranks as rows, chunks of the data as columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct BufferGridOptions {
  /// Which ranks' data is in each chunk, or the elements themselves.
  enum class Show : std::uint8_t { contributions, values };
  /// The end, after what follows the last message, such as the division of AVG.
  static constexpr int kEnd = -1;

  Show show = Show::contributions;
  int round = 0;  ///< After how many rounds; 0 for the start, kEnd for the end.
  /// If changed: the state after the last of these rounds, instead of `round`.
  int first_round = 1, last_round = 0;
  bool in_flight =
      false;            ///< Shows below each rank's row the chunks that it sends in the next round.
  bool heading = true;  ///< With a legend; false for a pane that has its own.
  bool low = false;     ///< Lower rows, with shorter words: for a pane that is not high.
  std::string title = {};        ///< Empty: the algorithm and the number of ranks.
  std::vector<Rank> ranks = {};  ///< Rows, in this order; empty for all (the first of very many).
  int chunks = 0;                ///< Columns that the data is cut into; 0 for one per rank.
  std::string buffer = {};       ///< A buffer's name; empty for the one that holds the data then.
  double width = 0;              ///< Cells get smaller until the page is no wider; 0 for 1280.
};

/// Draws, for reductions, a slot per rank in each chunk; where data only moves, the rank that a chunk comes from. With
/// less room, slots are smaller and without numbers, then only counted. A run without data gives a page that says so.
/// Throws UserError for an empty trace, and for ranks, rounds or buffers that it lacks.
Scene buffer_grid(const TraceAnalysis& analysis, const BufferGridOptions& options,
                  const Ruler& ruler);

/// Draws the moments after rounds `first` to `last` (0: the start) for an animation, with pages and cells of one size.
/// Follows the trace once.
std::vector<Scene> buffer_grids(const TraceAnalysis& analysis, const BufferGridOptions& options,
                                int first, int last, const Ruler& ruler);

/// Returns the number of the last moment: the number of rounds, or one more if something follows the last message.
int last_moment(const TraceAnalysis& analysis);

class GridSource;

/// Draws many grids of one trace, which is followed once.
class BufferGrids {
 public:
  /// draw() replaces the round, width and `low` of these options.
  BufferGrids(const TraceAnalysis& analysis, BufferGridOptions options, const Ruler& ruler);
  ~BufferGrids();
  BufferGrids(const BufferGrids&) = delete;
  BufferGrids& operator=(const BufferGrids&) = delete;
  Scene draw(int round, double width, bool low);

 private:
  const TraceAnalysis analysis_;
  BufferGridOptions options_;
  const Ruler& ruler_;
  std::unique_ptr<GridSource> source_;
};

struct BufferStripOptions {
  BufferGridOptions grid = {};      ///< Options of each moment's grid; `round` is not used.
  std::vector<int> rounds = {};     ///< Which moments; empty for all, or evenly chosen ones.
  static constexpr int kMost = 12;  ///< The most that are chosen; fewer for many ranks.
};

/// Several moments on one page, for print: as many side by side as have room. Throws as buffer_grid() does.
Scene buffer_strip(const TraceAnalysis& analysis, const BufferStripOptions& options,
                   const Ruler& ruler);

}  // namespace rankscope
