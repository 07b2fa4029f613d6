// An element of a buffer as text.
#pragma once

#include <cstddef>
#include <string>

#include "engine/core/base/types.h"

namespace rankscope {

/// Six digits of a fraction, as printf's %g; `exact`: as many as tell it from all others.
std::string value_text(DType dtype, const std::byte* at, bool exact = false);
/// The nearest double.
double value_number(DType dtype, const std::byte* at);

}  // namespace rankscope
