// One row for each field of a job: what JSON, lessons, the application and options call it, its unit, its
// range, and how it is read from text. All vocabularies are made from these rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/run/job_json.h"
#include "engine/run/job/job.h"

namespace rankscope {

struct JobField {
  /// How a number is written as text: sizes as "64KiB", times "500ms", short times "5us", bandwidths "10GB/s".
  enum class Unit : std::uint8_t { none, bytes, seconds, short_time, bandwidth, number };
  /// The heading of the option in the help.
  enum class Section : std::uint8_t {
    none,
    data,
    algorithm,
    messages,
    network,
    running,
    recording
  };

  std::string_view key;  ///< In JSON: a JobMember's.
  JobPlace place = {};   ///< That member's.
  // Its names elsewhere; empty where the field is not offered.
  std::string_view lesson = {};  ///< In the runs of lessons.
  std::string_view word = {};    ///< In the application's commands: word=value.
  std::string_view option = {};  ///< "-n,--ranks"; of a bool: a flag that turns the default round.
  Section section = Section::none;
  std::string placeholder = {}, help = {};  ///< The option's.
  Unit unit = Unit::none;
  double lesson_unit = 1;  ///< A lesson's number in units of the member.
  /// The words that text may be; null: any.
  std::vector<std::string> (*choices)() = nullptr;
  /// Throws UserError when it is out of its range.
  void (*check)(const JobSpec&) = nullptr;

  template <class T>
  bool is() const noexcept {
    return std::holds_alternative<T& (*)(JobSpec&)>(place);
  }
  std::string_view long_option() const noexcept { return option.substr(option.rfind(',') + 1); }
};

/// In the order of the options' help.
std::span<const JobField> job_fields();
/// By its name in one vocabulary: find_job_field(&JobField::word, "ranks"). Null: none.
const JobField* find_job_field(std::string_view JobField::*vocabulary, std::string_view name);
/// The key must exist.
const JobField& job_field(std::string_view key);

/// The words that a field's text may be; none: it is no word of a list.
std::vector<std::string> choices_of(const JobField& field);
/// Reads a field from text. Throws UserError that begins with `what` ("--ranks", "ranks").
void set_field(JobSpec& spec, const JobField& field, std::string_view text, std::string_view what);
/// Text that set_field() reads back.
std::string field_text(const JobSpec& spec, const JobField& field);

/// "simulated on puzzler, 0:1=cut", "simulated, 5 µs and 10 GB/s"; empty for a job that is not simulated.
std::string network_text(const JobSpec& spec);
/// As of a job that is not simulated: all fields of the section `network` have their defaults.
void forget_network(JobSpec& spec);

/// Throws UserError for the first field that is out of its range.
void check_fields(const JobSpec& spec);
/// Throws UserError unless a rank may be delayed so long before each message.
void check_delay(double us);

}  // namespace rankscope
