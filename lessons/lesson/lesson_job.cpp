// Reads a lesson's run as a job: fields as people write them, formulas, values by rank and element.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

/// Reads rows of numbers; a number alone is a row. Throws UserError for anything else.
std::vector<std::vector<double>> rows_of(const json& list) {
  std::vector<std::vector<double>> rows;
  for (const json& row : list) {
    auto& numbers = rows.emplace_back();
    for (const json& one : row.is_array() ? row : json::array({row})) {
      if (!one.is_number())
        throw UserError(fmt::format("'values' has {}, which is no number", dump_json(one)));
      numbers.push_back(one.get<double>());
    }
  }
  return rows;
}

// The values by rank: "=10*(r+1)+i" in rank and element, rows, or one number for each rank.
std::vector<std::vector<double>> input_values(const json& rule, const Values& values, int ranks,
                                              Count count) {
  constexpr Count kMostValues = 1'000'000;
  if (count > kMostValues / std::max(ranks, 1))
    throw UserError(
        fmt::format("{} values for each of {} ranks are too many to be given; leave out "
                    "'values', or take a smaller count",
                    count, ranks));
  if (!rule.is_string()) return rows_of(expand(rule, values));
  std::string_view text = rule.get_ref<const std::string&>();
  if (!text.starts_with("=")) throw UserError("'values' is a list or a formula: \"=10*(r+1)+i\"");
  text.remove_prefix(1);
  std::vector<std::string> names{"r", "i"};
  for (const auto& [name, value] : values) names.push_back(name);
  const Formula formula(text, names);
  Values at = values;
  std::vector<std::vector<double>> rows;
  for (Rank r = 0; r < ranks; ++r) {
    auto& row = rows.emplace_back();
    for (Count i = 0; i < count; ++i) {
      at["r"] = r;
      at["i"] = static_cast<double>(i);
      row.push_back(formula.at(at));
    }
  }
  return rows;
}

// Returns whether a run has a field of the network, such as a topology or a latency: it is then simulated.
bool asks_for_network(const json& job) {
  return ranges::any_of(job_fields(), [&](const JobField& field) {
    return field.section == JobField::Section::network && !field.lesson.empty() &&
           job.contains(std::string(field.lesson));
  });
}

/// Sets a number, or a number of a list. Returns false if it is none, or one that T cannot hold.
template <class T>
bool take_number(const json& value, double unit, T& into) {
  if constexpr (std::integral<T>) {
    const bool fits = value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                                 : value.is_number_integer() &&
                                                       std::in_range<T>(value.get<std::int64_t>());
    if (fits) into = value.get<T>();
    return fits;
  } else {
    if (value.is_number()) into = value.get<T>() * unit;
    return value.is_number();
  }
}

/// Sets a field from what a lesson's file has. Texts are written as people write them: "5us", "10GB/s", "on".
void set_value(JobSpec& job, const JobField& field, const json& value) {
  if (value.is_string() && !field.is<std::vector<Count>>() && !field.is<std::vector<double>>())
    return set_field(job, field, value.get_ref<const std::string&>(), field.lesson);
  const bool taken = with_value(job, field.place, [&]<class T>(T& into) {
    if constexpr (std::same_as<T, bool>) {
      if (value.is_boolean()) into = value.get<bool>();
      return value.is_boolean();
    } else if constexpr (std::is_arithmetic_v<T>) {
      return take_number(value, field.lesson_unit, into);
    } else if constexpr (std::same_as<T, std::vector<Count>> ||
                         std::same_as<T, std::vector<double>>) {
      into.clear();
      const json list = value.is_array() ? value : json::array({value});
      return ranges::all_of(list, [&](const json& one) {
        return take_number(one, field.lesson_unit, into.emplace_back());
      });
    } else {
      return false;
    }
  });
  if (!taken)
    throw UserError(fmt::format("the run's '{}' cannot be {}", field.lesson, dump_json(value)));
}

}  // namespace

std::span<const std::string_view> LessonRuns::job_fields() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> out{"count", "values"};
    for (const JobField& field : rankscope::job_fields())
      if (!field.lesson.empty()) out.push_back(field.lesson);
    return out;
  }();
  return kNames;
}

JobSpec LessonRuns::job_of(const json& job, const Values& values) {
  JobSpec out;
  const std::vector<std::string> names(job_fields().begin(), job_fields().end());
  for (const JobField& field : rankscope::job_fields())
    if (const auto found = field.lesson.empty() ? job.end() : job.find(std::string(field.lesson));
        found != job.end())
      set_value(out, field, expand(*found, values));
  if (!job.contains("transport") && asks_for_network(job)) out.transport.name = kSimTransport;
  for (const auto& [key, value] : job.items())
    if (ranges::find(names, key) == names.end())
      throw UserError(fmt::format("a run has no '{}'{}", key, nearest_hint(key, names)));
  if (job.contains("count"))
    set_value(out, job_field("shape"), json::array({expand(job.at("count"), values)}));
  if (job.contains("values")) {
    out.data.values =
        input_values(job.at("values"), values, out.world.size, out.input_shape().count());
    out.data.input = InputPattern::given;
  }
  return out;
}

}  // namespace rankscope
