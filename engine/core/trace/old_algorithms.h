// The collective of traces that were written before trace files said it.
#pragma once

#include <optional>
#include <string_view>

#include "engine/core/base/collective.h"

namespace rankscope {

/// When the job proves that an algorithm of ours ran, and its name is exactly one of those that there
/// were; nothing for a program, whatever it is called.
std::optional<Collective> collective_of_old_trace(std::string_view algorithm,
                                                  std::string_view job_json);

}  // namespace rankscope
