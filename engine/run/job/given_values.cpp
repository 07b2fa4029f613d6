// Parses, prints and checks inputs that are given element by element.
#include "engine/run/job/given_values.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

double number(std::string_view word) {
  const auto value = as_number<double>(word);
  if (!value)
    throw UserError(fmt::format(
        "'{}' is no number; values are like 5,3,7,2 (one a rank) or 0,10;1,11 (rank by rank)",
        word));
  return *value;
}

std::vector<double> row(std::string_view text) {
  std::vector<double> values;
  if (text.empty()) return values;
  for (const auto word : split_at(text, ",")) values.push_back(number(trimmed(word)));
  return values;
}

template <class T>
bool holds(double value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isfinite(value) && std::abs(value) <= std::numeric_limits<T>::max();
  else {
    // The bounds as powers of two: the largest int64 itself is no double.
    constexpr double kBelow = std::is_signed_v<T> ? std::numeric_limits<T>::min() : 0.0;
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    return value >= kBelow && value < above && std::trunc(value) == value;
  }
}

void check_row(const JobSpec& spec, Collective collective, Rank rank) {
  const auto& values = spec.data.values[static_cast<std::size_t>(rank)];
  const Count count = extents_of(collective, spec.input_shape(), spec.world.size, rank,
                                 spec.call.root, spec.call.scatter_dim, spec.call.gather_dim)
                          .in.count();
  const auto given = static_cast<Count>(values.size());
  // A rank without input (a scatter's other ranks) may have been given values all the same.
  if (given != 1 && given != count && count != 0)
    throw UserError(
        fmt::format("rank {} was given {} values, but its input has {} elements: give "
                    "one (it fills the input) or {}",
                    rank, given, count, count));
  for (const double value : values)
    if (!visit_dtype(spec.call.dtype, [&]<class T>() { return holds<T>(value); }))
      throw UserError(fmt::format("rank {}: {} cannot hold the value {}: choose another dtype",
                                  rank, to_string(spec.call.dtype), value));
}

}  // namespace

void give_values(JobSpec& spec, std::string_view text) {
  text = trimmed(text);
  spec.data.values.clear();
  if (text.empty()) {
    spec.data.input = JobSpec{}.data.input;
    return;
  }
  spec.data.input = InputPattern::given;
  if (text.find(';') == std::string_view::npos) {
    for (const double value : row(text)) spec.data.values.push_back({value});
    return;
  }
  if (text.ends_with(';')) text.remove_suffix(1);
  std::size_t longest = 0;
  for (const auto part : split_at(text, ";")) {
    spec.data.values.push_back(row(trimmed(part)));
    longest = std::max(longest, spec.data.values.back().size());
  }
  const auto count = static_cast<Count>(longest);
  if (count > 1 && Shape(spec.call.shape).count() != count) spec.call.shape = {count};
}

std::string values_text(const std::vector<std::vector<double>>& values) {
  bool single = true;
  for (const auto& row : values) single = single && row.size() == 1;
  std::string text;
  for (const auto& row : values)
    text += fmt::format("{}{}", text.empty() ? "" : single ? "," : ";", fmt::join(row, ","));
  return !single && values.size() == 1 ? text + ";" : text;
}

void check_values(const JobSpec& spec, Collective collective) {
  if (spec.data.input != InputPattern::given) {
    if (spec.data.values.empty()) return;
    throw UserError(fmt::format("values are given, but the input is {}: choose the input given",
                                to_string(spec.data.input)));
  }
  if (static_cast<int>(spec.data.values.size()) != spec.world.size)
    throw UserError(fmt::format(
        "values are given for {} ranks, but there are {}: give one value or one list a rank, or "
        "choose another input",
        spec.data.values.size(), spec.world.size));
  for (Rank rank = 0; rank < spec.world.size; ++rank) check_row(spec, collective, rank);
}

}  // namespace rankscope
