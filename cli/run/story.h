// A trace as a story, round by round: who sent what to whom, and what every rank held afterwards.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal/console.h"
#include "engine/analysis/trace_analysis.h"

namespace rankscope::cli {

struct StoryMessage {
  Rank from = -1, to = -1;
  std::uint64_t bytes = 0;
  Piece piece;
  bool reduced = false;  ///< Combined with what the receiver had; otherwise it replaces that.
  bool received = true;
};

/// What a rank holds. Elements and chunks are those of the data as a whole: the output of rank 2 of
/// a scatter is chunk 2.
struct StoryBuffer {
  Rank rank = -1;
  std::string name;  ///< "data" or "in"
  Count count = 0;   ///< Elements of the buffer; not all need be shown.
  struct Cell {
    std::string value;  ///< Empty: not known.
    Count element = 0;
    int chunk = -1;
    bool changed = false;  ///< Against the round before.
  };
  std::vector<Cell> cells;
};

struct StoryRound {
  int number = 0;  ///< 0: the start; one more than the last: what follows the last message.
  std::string phase;
  std::string sentence;  ///< What happens in it, and what that means.
  std::vector<StoryMessage> messages;
  std::vector<StoryBuffer> buffers;
};

struct Story {
  std::string algorithm;
  int ranks = 0;
  int rounds = 0;
  std::string op;                    ///< "SUM"; empty when nothing is reduced.
  std::string ending;                ///< What came of it, in a sentence.
  std::vector<StoryRound> chapters;  ///< The start, each round, and the end where it differs.
};

/// Of a buffer of more than `most_values` elements only the first of each chunk is reported.
Story build_story(const TraceAnalysis& analysis, int most_values);
nlohmann::json json_of(const Story& story);

/// The start, a round, or the end: title, messages, and the buffers of all ranks with what changed
/// marked (by reverse colours, or by an asterisk).
std::string chapter_text(const Story& story, std::size_t chapter, const Style& style, int width);

/// Larger buffers have no room on any line: only the first element of each chunk is reported.
inline constexpr int kMostValues = 128;

/// All chapters; on a terminal, when `interactive`, one at a time: Enter or n goes on, b back,
/// q quits.
void show_story(const Console& console, const Story& story, bool interactive);

}  // namespace rankscope::cli
