// A student's schematic of an all-to-all: arrows on the grid of time slots and ranks, and its picture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/base/types.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct DiagramArrow {
  bool copy = false;  ///< A local copy on rank `from`.
  int slot = 1;       ///< From 1; 0 for a copy.
  Rank from = -1, to = -1;
  /// The chunk that it carries, source>destination; -1 when the answer does not say.
  Rank source = -1, destination = -1;
  bool operator==(const DiagramArrow&) const = default;
  auto operator<=>(const DiagramArrow&) const = default;
};

inline constexpr int kMostDiagramRanks = 16;
inline constexpr std::size_t kMostArrows = 1000;

/// Reads rows { slot, from, to, chunk = "0>1" } and { copy = 0 } (or slot = "copy"), or the text form. Throws UserError.
std::vector<DiagramArrow> arrows_of(const nlohmann::json& answer);
/// "1: 0 -> 1 (0>1); 1: 1 -> 0 (1>0); copy 0; copy 1"
std::vector<DiagramArrow> parse_arrows(std::string_view text);
std::string to_text(const DiagramArrow& arrow);
nlohmann::json row_of(const DiagramArrow& arrow);

/// Draws a lane for each rank and a column for each used time slot, after the local copies. Draws wrong answers, too: a
/// line below names arrows of ranks that do not exist. Throws UserError for more than kMostDiagramRanks.
Scene diagram_picture(std::span<const DiagramArrow> arrows, int ranks, std::string_view title,
                      const Ruler& ruler);

}  // namespace rankscope
