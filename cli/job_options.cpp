// Declares the options that describe a job (algorithm, sizes, transport) and builds a JobSpec from
// them.
#include "cli/job_options.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "cli/sizes.h"
#include "engine/core/base/error.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/given_values.h"

namespace rankscope::cli {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

/// Sets the shape from a number of elements or bytes.
void take_size(JobSpec& spec, const JobOptions& options) {
  if (!options.count.empty())
    spec.call.shape = {parse_integer(options.count, "--count", 0, kMostElements)};
  if (options.bytes.empty()) return;
  const auto bytes = parse_size(options.bytes, "--bytes");
  const auto size = dtype_size(spec.call.dtype);
  if (bytes % size != 0)
    throw UserError(fmt::format("--bytes: {} bytes are no whole number of {} elements of {} bytes",
                                bytes, to_string(spec.call.dtype), size));
  spec.call.shape = {static_cast<Count>(bytes / size)};
}

// Returns the text of a schedule, given as such (with "->" in it) or as the name of its file.
std::string schedule_text(const std::string& schedule) {
  if (schedule.empty() || schedule.find("->") != std::string::npos) return schedule;
  constexpr std::size_t kMost = 64 << 20;
  std::ifstream file(schedule, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file || text.size() > kMost)
    throw UserError(fmt::format(
        "--schedule: '{}' is neither a file that can be read nor a table like \"1: 0 -> 1 chunk 0 "
        "add\"",
        schedule));
  return text;
}

bool is_flag(const JobField& field) { return field.is<bool>(); }
bool is_delays(const JobField& field) { return field.is<std::vector<double>>(); }

}  // namespace

const char* title_of(JobField::Section section) {
  switch (section) {
    case JobField::Section::none: return "";
    case JobField::Section::data: return "Data";
    case JobField::Section::algorithm: return "Algorithm";
    case JobField::Section::messages: return "Messages";
    case JobField::Section::network: return "A simulated network (transport sim)";
    case JobField::Section::running: return "Running and measuring";
    case JobField::Section::recording: return "Recording";
  }
  return "";
}

JobOptions::JobOptions() {
  const JobSpec usual;
  for (const JobField& field : job_fields()) {
    if (field.option.empty() || is_delays(field)) continue;
    if (is_flag(field)) flags[field.key] = false;
    else texts[field.key] = field_text(usual, field);
  }
  texts["shape"].clear();  // --count says the default
}

OptionHandle JobOptions::add(OptionList app, std::string_view key) {
  const JobField& field = job_field(key);
  const std::string names(field.option);
  OptionHandle option;
  if (is_flag(field)) {
    option = app.add_flag(names, flags[field.key], field.help);
  } else if (is_delays(field)) {
    option = app.add_option(names, field.placeholder, delays, field.help);
    option.allow_extra_args(false);
  } else {
    auto& text = texts[field.key];
    option = app.add_option(names, field.placeholder, text, field.help);
    if (!text.empty()) option.default_str(text);
  }
  return option;
}

void JobOptions::add(OptionList app, JobField::Section section) {
  const OptionList titled = app.in_group(title_of(section));
  for (const JobField& field : job_fields())
    if (field.section == section && !field.option.empty()) add(titled, field.key);
}

void JobOptions::add_algorithm(OptionList app, bool required) {
  const auto option = add(app, "algorithm");
  if (required) option.default_str("").required();
}

void JobOptions::add_job(OptionList app) {
  const OptionList data = app.in_group(title_of(JobField::Section::data));
  add(data, "world_size");
  const auto by_count =
      data.add_option("-c,--count", "ELEMENTS", count, "Elements of a rank's input")
          .default_str(field_text({}, job_field("shape")));
  const auto by_bytes =
      data.add_option("-b,--bytes", "SIZE", bytes, "Size of a rank's input, such as 32MiB");
  by_bytes.excludes(by_count);
  for (const JobField& field : job_fields())
    if (field.section == JobField::Section::data && field.key != "world_size") add(data, field.key);
  app.get_option("--shape").excludes(by_count).excludes(by_bytes);
  app.get_option("--values").excludes(app.get_option("--input"));
  add(app, JobField::Section::algorithm);
}

JobSpec JobOptions::fields() const {
  JobSpec spec;
  for (const JobField& field : job_fields()) {
    const auto flag = flags.find(field.key);
    if (flag != flags.end() && flag->second) set_field(spec, field, "toggle", field.long_option());
    const auto text = texts.find(field.key);
    if (text == texts.end() || text->second.empty() || field.key == "values") continue;
    const bool table = field.key == "schedule";
    set_field(spec, field, table ? schedule_text(text->second) : text->second, field.long_option());
  }
  return spec;
}

JobSpec JobOptions::spec() const {
  JobSpec spec = fields();
  take_size(spec, *this);
  if (const auto& values = texts.at("values"); !values.empty()) {
    const auto asked = spec.call.shape;
    give_values(spec, values);
    if (!count.empty() || !bytes.empty() || !texts.at("shape").empty()) spec.call.shape = asked;
  }
  validate(spec);
  spec.world.delays_us = parse_delays(delays, spec.world.size);
  return resolve_auto(std::move(spec));  // now, so that the trace and the report name the choice
}

}  // namespace rankscope::cli
