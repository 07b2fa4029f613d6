// The diagrams that `rankscope export` knows, by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/spacetime/spacetime.h"

namespace rankscope::cli {

/// What a user may ask of a diagram; each takes what applies to it (DiagramKind::options).
struct DiagramRequest {
  std::string title;
  std::vector<Rank> ranks;            ///< Empty: all.
  int first_step = 1, last_step = 0;  ///< 0: the last one.
  SpacetimeOptions::Labels labels = SpacetimeOptions::Labels::chunks;
  bool measured = false;  ///< Time as measured, not in rounds.
  bool portrait = false;
  bool critical_path = false;
  bool values = false;           ///< Elements, not whose data a chunk holds.
  int round = -1;                ///< -1: not said.
  double width = 0, height = 0;  ///< 0: as large as the content needs.
  double text_scale = 1;
  const TraceAnalysis* other = nullptr;  ///< The second one of a comparison.
  bool heading = true;                   ///< False: below another diagram, which has a title.
};

struct DiagramKind {
  /// How it moves: not at all, on its scene's clock, or as one scene a round (DiagramRequest::round).
  enum class Motion : std::uint8_t { none, clock, rounds };

  std::string_view name;
  std::string_view summary;
  std::string_view options;  ///< Those of --title, --ranks ... that it takes: "title ranks".
  Motion motion;
  Scene (*draw)(const TraceAnalysis&, const DiagramRequest&);
};

/// A table, no static registration.
std::span<const DiagramKind> diagrams();
/// A request as spacetime() takes it.
SpacetimeOptions spacetime_options(const DiagramRequest& request);
/// Throws UserError with the nearest names.
const DiagramKind& diagram_named(const std::string& name);
/// Throws UserError when an option (of DiagramKind::options) is none of this diagram's, with the
/// names of those that take it.
void check_takes(const DiagramKind& kind, std::string_view option);
/// "spacetime|grid|..."
std::string diagram_names();

/// The animation of a diagram; one without motion has one moment. `with_buffers`: the time-vs-rank
/// diagram of a small run in rounds has a second panel, the buffers.
Flipbook animation(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, bool with_buffers);

/// A picture as a flipbook of one moment.
Flipbook motionless(Scene scene);

/// "0,2-5": throws UserError for ranks that the trace does not have.
std::vector<Rank> parse_ranks(std::string_view text, int world_size);
/// "3:6", "3:", ":6", "3" of steps 1 to `count`; a second of 0 is the last one. Throws UserError.
std::pair<int, int> parse_steps(std::string_view text, int count);

}  // namespace rankscope::cli
