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
  bool reduced =
      false;  ///< Whether it is combined with the receiver's data instead of replacing them.
  bool received = true;
};

/// A rank's buffer. Elements and chunks count in the data as a whole: the output of rank 2 of a scatter is chunk 2.
struct StoryBuffer {
  Rank rank = -1;
  std::string name;  ///< "data", "in", "work" …
  Count count = 0;   ///< Elements of the buffer; not all need be shown.
  struct Cell {
    std::string value;  ///< "" where it is not known.
    Count element = 0;
    int chunk = -1;
    bool changed = false;  ///< Since the round before.
  };
  std::vector<Cell> cells;
};

struct StoryRound {
  int number = 0;  ///< 0 is the start; one more than the last round is the end.
  std::string phase;
  std::string sentence;  ///< Says what happens and what it means.
  std::vector<StoryMessage> messages;
  std::vector<StoryBuffer> buffers;
};

struct Story {
  std::string algorithm;
  int ranks = 0;
  int rounds = 0;
  std::string op;      ///< "SUM"; empty when nothing is reduced.
  std::string ending;  ///< A sentence on the outcome.
  std::vector<StoryRound>
      chapters;  ///< The start, each round, and the end where it differs from the last round.
};

/// Makes the story of a run. A buffer of more than `most_values` elements is represented by the first of each chunk.
Story build_story(const TraceAnalysis& analysis, int most_values);
nlohmann::json json_of(const Story& story);

/// Returns a chapter: title, messages, and the buffers of all ranks, in which changes are marked by reverse colours or
/// an asterisk.
std::string chapter_text(const Story& story, std::size_t chapter, const Style& style, int width);

/// Elements for which a line has room.
inline constexpr int kMostValues = 128;

/// Prints all chapters; when `interactive`, one at a time: Enter or n shows the next, b the one before, q quits.
void show_story(const Console& console, const Story& story, bool interactive);

}  // namespace rankscope::cli
