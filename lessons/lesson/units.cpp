// Parses numbers with units.
#include "lessons/lesson/units.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/formula/formula.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

constexpr double kKi = 1024, kMi = kKi * kKi, kGi = kMi * kKi;
constexpr AnswerUnit kUnits[] = {
    {"s", "time", 1},           {"ms", "time", 1e-3},       {"us", "time", 1e-6},
    {"µs", "time", 1e-6},  // the micro sign
    {"μs", "time", 1e-6},  // the Greek letter
    {"seconds", "time", 1},     {"ns", "time", 1e-9},       {"B", "data", 1},
    {"Bytes", "data", 1},       {"B / s", "rate", 1},       {"GB / s", "rate", 1e9},
    {"step", "count", 1},       {"round", "count", 1},      {"message", "count", 1},
    {"bytes", "data", 1},       {"byte", "data", 1},        {"bit", "data", 1.0 / 8},
    {"bits", "data", 1.0 / 8},  {"kB", "data", 1e3},        {"KB", "data", 1e3},
    {"MB", "data", 1e6},        {"GB", "data", 1e9},        {"KiB", "data", kKi},
    {"MiB", "data", kMi},       {"GiB", "data", kGi},       {"B/s", "rate", 1},
    {"kB/s", "rate", 1e3},      {"MB/s", "rate", 1e6},      {"GB/s", "rate", 1e9},
    {"KiB/s", "rate", kKi},     {"MiB/s", "rate", kMi},     {"GiB/s", "rate", kGi},
    {"Gbit/s", "rate", 1.25e8}, {"Mbit/s", "rate", 1.25e5}, {"%", "share", 0.01},
    {"steps", "count", 1},      {"rounds", "count", 1},     {"messages", "count", 1},
    {"points", "count", 1},     {"values", "count", 1},     {"elements", "count", 1},
};

// "≈ 88,9" is 88.9; "1,000" may be one or a thousand, and is refused by the next parser.
std::string plain_number(std::string_view text) {
  for (const std::string_view about : {"≈", "~", "about", "ca."}) {
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    if (text.substr(begin).starts_with(about)) text.remove_prefix(begin + about.size());
  }
  std::string out(text);
  const auto comma = out.find(',');
  const auto last = out.find_last_not_of(" \t");
  if (comma == std::string::npos || comma == 0 ||
      (last - comma == 3 && out.find_first_not_of(" \t0") < comma) ||
      out.find_first_not_of("0123456789, \t") != std::string::npos ||
      out.find(',', comma + 1) != std::string::npos)
    return out;
  out[comma] = '.';
  return out;
}

}  // namespace

std::optional<AnswerUnit> find_unit(std::string_view name) noexcept {
  const auto found = ranges::find(kUnits, name, &AnswerUnit::name);
  if (found == std::end(kUnits)) return std::nullopt;
  return *found;
}

std::string unit_names() {
  return "known are " + joined(kUnits, ", ", [](const AnswerUnit& unit) { return unit.name; });
}

Quantity parse_quantity(std::string_view text, std::string_view unit) {
  const auto last = text.find_last_not_of(" \t\r\n");
  text = last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
  std::optional<AnswerUnit> given;
  for (const AnswerUnit& one :
       kUnits) {  // the longest that the text ends with, behind a digit, ) or blank
    if (!text.ends_with(one.name) || (given && given->name.size() >= one.name.size())) continue;
    const std::string_view before = text.substr(0, text.size() - one.name.size());
    if (!before.empty() &&
        std::string_view("0123456789). \t").find(before.back()) != std::string_view::npos)
      given = one;
  }
  if (given) text.remove_suffix(given->name.size());
  const double value = evaluate(plain_number(text), {});
  const auto wanted = find_unit(unit);
  if (!given) return {value, std::string(unit)};
  if (!wanted) {
    if (given->measures == "count") return {value, std::string(unit)};
    throw UserError(fmt::format("a number without a unit is wanted, not {}", given->name));
  }
  if (wanted->measures != given->measures)
    throw UserError(fmt::format("{} is a unit of {}; the answer is wanted in {}", given->name,
                                given->measures, unit));
  return {value * given->factor / wanted->factor, std::string(unit)};
}

}  // namespace rankscope
