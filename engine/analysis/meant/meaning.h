// The collective that a program is said to mean: "allreduce:sum", "gather:2".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope::meant {

/// A collective with its operator and root.
struct Meaning {
  Collective collective = Collective::allreduce;
  ReduceOp op = ReduceOp::sum;
  std::optional<Rank> root;  ///< Unset if any rank may be the root.

  /// "allreduce (sum)", "gather to rank 2"
  std::string words() const;
};

/// Parses COLLECTIVE[:OPERATOR][:ROOT]; also knows other usual names such as "all_reduce", "bcast" and "mean". Throws
/// UserError, which names `asked_by` and the choices.
Meaning parse_meaning(const std::string& text, std::string_view asked_by = "--as");
/// Returns an operator's word for the command line: "sum", "mean".
std::string operator_name(ReduceOp op);
/// Returns the name of an operator's result: "sum", "maximum".
std::string operator_noun(ReduceOp op);

}  // namespace rankscope::meant
