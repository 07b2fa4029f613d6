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
  std::optional<Rank> root;  ///< Nothing where any rank may be it.

  /// "allreduce (sum)", "gather to rank 2"
  std::string words() const;
};

/// COLLECTIVE[:OPERATOR][:ROOT]; "all_reduce", "bcast" and the like are known, and "mean". Throws UserError that
/// names the choices, and what asks for it.
Meaning parse_meaning(const std::string& text, std::string_view asked_by = "--as");
/// The word for an operator on the command line: "sum", "mean".
std::string operator_name(ReduceOp op);
/// The name of an operator's result: "sum", "maximum".
std::string operator_noun(ReduceOp op);

}  // namespace rankscope::meant
