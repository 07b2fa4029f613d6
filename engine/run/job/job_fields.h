// One row for each field of a job: its names in JSON, lessons, the application and options, its unit, its range, and
// its parser. All vocabularies are made from these rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/run/job_members.h"
#include "engine/run/job/job.h"

namespace rankscope {

struct JobField {
  /// The notation of a number as text: sizes as "64KiB", times "500ms", short times "5us", bandwidths "10GB/s".
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

  std::string_view key;  ///< The key of a JobMember in JSON.
  JobPlace place = {};   ///< The place of that member.
  // Its other names; empty where the field is not offered.
  std::string_view lesson = {};  ///< In the runs of lessons.
  std::string_view word = {};    ///< In the application's commands: word=value.
  std::string_view option = {};  ///< "-n,--ranks"; for a bool, a flag that inverts the default.
  Section section = Section::none;
  std::string placeholder = {}, help = {};  ///< For the option.
  Unit unit = Unit::none;
  double lesson_unit = 1;  ///< The unit of a lesson's number, in units of the member.
  /// Returns the words that the text may be; null for an enumeration or if any text may.
  std::vector<std::string> (*choices)() = nullptr;
  /// Throws UserError if it is out of range.
  void (*check)(const JobSpec&) = nullptr;

  template <class T>
  bool is() const noexcept {
    return std::holds_alternative<T& (*)(JobSpec&)>(place);
  }
  std::string_view long_option() const noexcept { return option.substr(option.rfind(',') + 1); }
};

/// Returns all fields, in the order of the options' help.
std::span<const JobField> job_fields();
/// Finds a field by its name in one vocabulary: find_job_field(&JobField::word, "ranks"). Returns null if there is
/// none.
const JobField* find_job_field(std::string_view JobField::*vocabulary, std::string_view name);
/// Precondition: the key exists.
const JobField& job_field(std::string_view key);

/// Returns the words that a field's text may be; empty if it does not have a list of words.
std::vector<std::string> choices_of(const JobField& field);
/// Reads a field from text. Throws a UserError that begins with `what` ("--ranks", "ranks").
void set_field(JobSpec& spec, const JobField& field, std::string_view text, std::string_view what);
/// Returns text that set_field() reads back.
std::string field_text(const JobSpec& spec, const JobField& field);

/// Returns "simulated on puzzler, 0:1=cut" or "simulated, 5 µs and 10 GB/s"; empty for a job that is not simulated.
std::string network_text(const JobSpec& spec);
/// Resets all fields of the section `network` to their defaults, as for a job that is not simulated.
void forget_network(JobSpec& spec);

/// Throws UserError for the first field that is out of range.
void check_fields(const JobSpec& spec);
/// Throws UserError if a delay before each message may not be this long.
void check_delay(double us);

}  // namespace rankscope
