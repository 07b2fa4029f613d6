// Shows how an all-to-all splits, exchanges and joins the ranks' tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis/trace_analysis.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct AllToAllSpec {
  int ranks = 4;
  std::vector<std::int64_t> shape = {2, 4, 8};  ///< Shape of each rank's input.
  int scatter_dim = 2, gather_dim = 1;
};

struct SchematicOptions {
  std::optional<std::string> title;  ///< Unset: made from the dimensions; empty: none.
};

/// Each rank's input is split along scatter_dim; chunk i of rank r goes to rank i as one of N(N-1)
/// messages (an arrow "r→i") or, for i = r, as a local copy (dotted); each rank joins what it has, in
/// the order of the source ranks, along gather_dim. Throws UserError for dimensions that the shape lacks, and for more
/// than 16 ranks.
Scene alltoall_schematic(const AllToAllSpec& spec, const SchematicOptions& options,
                         const Ruler& ruler);
/// The same for a run: arrows have a round, and a message that was not sent is marked. Throws UserError for a trace of
/// something else, or without its job.
Scene alltoall_schematic(const TraceAnalysis& analysis, const SchematicOptions& options,
                         const Ruler& ruler);

/// Returns "[2, 4, 8]".
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace rankscope
