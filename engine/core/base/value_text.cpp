// Formats one element of any type as text, and as a number for JSON.
#include "engine/core/base/value_text.h"

#include <cstring>
#include <type_traits>

#include <fmt/format.h>

namespace rankscope {

std::string value_text(DType dtype, const std::byte* at, bool exact) {
  return visit_dtype(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      return exact ? fmt::format("{}", value) : fmt::format("{:g}", value);
    else return fmt::format("{}", +value);
  });
}

double value_number(DType dtype, const std::byte* at) {
  return visit_dtype(dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  });
}

}  // namespace rankscope
