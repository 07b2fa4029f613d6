// Numbers with units, as people write them: "53.2 ms", "88.9 GB/s", "2 KiB".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

struct AnswerUnit {
  std::string_view name;
  std::string_view measures;  ///< "time", "data", "rate" ...
  double factor = 1;          ///< In s, bytes, bytes/s.
};
std::optional<AnswerUnit> find_unit(std::string_view name) noexcept;
std::string unit_names();

struct Quantity {
  double value = 0;
  std::string unit;
};
/// In `unit`, whatever unit the text names (none: `unit` itself). The number may be a calculation.
/// Throws UserError: a unit of another kind ("ms where GB/s is wanted"), or no number.
Quantity parse_quantity(std::string_view text, std::string_view unit);

}  // namespace rankscope
