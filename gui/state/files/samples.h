// Runs worth a look: what the welcome page offers.
#pragma once

#include <span>
#include <string_view>

namespace rankscope::gui {

struct Sample {
  std::string_view name;   ///< In commands: "tree".
  std::string_view title;  ///< "Tree broadcast"
  std::string_view what;   ///< What there is to see.
  std::string_view job;    ///< "run broadcast.binomial ranks=8 count=16"
};

std::span<const Sample> samples() noexcept;
/// Throws UserError that names them all.
const Sample& sample_named(std::string_view name);

}  // namespace rankscope::gui
