// The collective that somebody says a program means: "allreduce:sum", "gather:2".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope::meant {

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
/// "sum", "mean": an operator as people write it here.
std::string operator_name(ReduceOp op);
/// "sum", "maximum": what it gives.
std::string operator_noun(ReduceOp op);

}  // namespace rankscope::meant
