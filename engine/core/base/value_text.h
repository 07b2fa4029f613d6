// Prints an element of a buffer.
#pragma once

#include <cstddef>
#include <string>

#include "engine/core/base/types.h"

namespace rankscope {

/// Prints six digits, as printf's %g does; with `exact`, as many as identify the value.
std::string value_text(DType dtype, const std::byte* at, bool exact = false);
/// Returns the value as the nearest double.
double value_number(DType dtype, const std::byte* at);

}  // namespace rankscope
