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
  /// Also what follows the last message, such as the division of AVG.
  static constexpr int kEnd = -1;

  Show show = Show::contributions;
  int round = 0;  ///< After how many rounds; 0 for the start, kEnd for the end.
  /// Instead of the round: the state after the last of these steps; 0 if not given.
  int first_round = 1, last_round = 0;
  bool in_flight =
      false;            ///< Shows below each rank's row the chunks that it sends in the next round.
  bool heading = true;  ///< And a legend; without them for a pane that has its own.
  bool low = false;     ///< Lower rows, with shorter words: for a pane that is not high.
  std::string title = {};        ///< Empty: the algorithm and the number of ranks.
  std::vector<Rank> ranks = {};  ///< Rows, in this order; empty for all (the first of very many).
  int chunks = 0;                ///< Columns that the data is cut into; 0 for one per rank.
  std::string buffer = {};       ///< A buffer's name; empty for the one that matters then.
  double width = 0;              ///< Cells get smaller until the page is no wider; 0 for 1280.
};

/// Reductions show a cell for each rank in each chunk; where data only moves, a chunk shows which
/// rank it comes from. The next best thing is drawn where there is no room: smaller cells without
/// numbers, then how many ranks it is. A run without data gives a page that says so. Throws UserError for an empty
/// trace, and for ranks, rounds or buffers that it has not.
Scene buffer_grid(const TraceAnalysis& analysis, const BufferGridOptions& options,
                  const Ruler& ruler);

/// The moments after rounds `first` to `last` (0: the start), each as buffer_grid() draws it, but all
/// of one size and with cells of one size: for an animation. The trace is followed once.
std::vector<Scene> buffer_grids(const TraceAnalysis& analysis, const BufferGridOptions& options,
                                int first, int last, const Ruler& ruler);

/// The number of the last moment: one more than there are rounds where something follows the last message.
int last_moment(const TraceAnalysis& analysis);

class GridSource;

/// The same, again and again for one trace, which is followed once.
class BufferGrids {
 public:
  /// The width and `low` of these options may change later.
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
  static constexpr int kMost = 12;  ///< That are chosen; fewer for many ranks.
};

/// Several moments on one page, for print: as many side by side as have room. Throws as buffer_grid() does.
Scene buffer_strip(const TraceAnalysis& analysis, const BufferStripOptions& options,
                   const Ruler& ruler);

}  // namespace rankscope
