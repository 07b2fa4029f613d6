// Reads a lesson's run as a job: fields as people write them, formulas, values by rank and element.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/job_fields.h"
#include "engine/run/job/transports.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

// The values by rank: "=10*(r+1)+i" in rank and element, rows, or one number for each rank.
json input_values(const json& rule, const Values& values, int ranks, Count count) {
  constexpr Count kMostValues = 1'000'000;
  if (count > kMostValues / std::max(ranks, 1))
    throw UserError(
        fmt::format("{} values for each of {} ranks are too many to be given; leave out "
                    "'values', or take a smaller count",
                    count, ranks));
  if (!rule.is_string()) return expand(rule, values);
  std::string_view text = rule.get_ref<const std::string&>();
  if (!text.starts_with("=")) throw UserError("'values' is a list or a formula: \"=10*(r+1)+i\"");
  text.remove_prefix(1);
  std::vector<std::string> names{"r", "i"};
  for (const auto& [name, value] : values) names.push_back(name);
  const Formula formula(text, names);
  Values at = values;
  json rows = json::array();
  for (Rank r = 0; r < ranks; ++r) {
    json row = json::array();
    for (Count i = 0; i < count; ++i) {
      at["r"] = r;
      at["i"] = static_cast<double>(i);
      row.push_back(formula.at(at));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// A run that names a topology or a latency is simulated.
bool asks_for_network(const json& job) {
  return ranges::any_of(job_fields(), [&](const JobField& field) {
    return field.section == JobField::Section::network && !field.lesson.empty() &&
           job.contains(std::string(field.lesson));
  });
}

// "5us", "10GB/s", "on": a lesson may write numbers as people do. Null: the field's default.
json read_text(const JobField& field, const json& value) {
  const bool is_text = field.is<std::string>();
  const bool is_number = field.is<double>() || field.is<std::uint64_t>() || field.is<bool>();
  if (is_text && !choices_of(field).empty() && value.is_string()) {
    JobSpec named;  // refuses other words
    set_field(named, field, value.get_ref<const std::string&>(), field.lesson);
  }
  if (!value.is_string() || !is_number) return value;
  JobSpec read;
  set_field(read, field, value.get_ref<const std::string&>(), field.lesson);
  const json all = json_of(read);
  const auto found = all.find(std::string(field.key));
  return found == all.end() ? json() : *found;
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
  json out = json::object();
  const std::vector<std::string> names(job_fields().begin(), job_fields().end());
  for (const JobField& field : rankscope::job_fields()) {
    const auto found = field.lesson.empty() ? job.end() : job.find(std::string(field.lesson));
    if (found == job.end()) continue;
    json value = read_text(field, expand(*found, values));
    if (value.is_null()) continue;
    if (field.is<std::vector<double>>() && !value.is_array()) value = json::array({value});
    if (field.lesson_unit != 1)
      for (json& one : value) one = one.get<double>() * field.lesson_unit;
    out[std::string(field.key)] = std::move(value);
  }
  if (!job.contains("transport") && asks_for_network(job)) out["transport"] = kSimTransport;
  for (const auto& [key, value] : job.items())
    if (ranges::find(names, key) == names.end())
      throw UserError(fmt::format("a run has no '{}'{}", key, nearest_hint(key, names)));
  if (job.contains("count")) out["shape"] = json::array({expand(job.at("count"), values)});
  if (job.contains("values")) {
    const JobSpec sizes = job_spec_of(out);
    out["values"] =
        input_values(job.at("values"), values, sizes.world.size, sizes.input_shape().count());
    for (json& row : out["values"])
      if (!row.is_array()) row = json::array({row});
    out["input"] = "given";
  }
  return job_spec_of(out);
}

}  // namespace rankscope
