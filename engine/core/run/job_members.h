// The fields of a job: their keys in files, and their places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/run/job.h"

namespace rankscope {

/// The place of a field's value in a job.
using JobPlace =
    std::variant<bool& (*)(JobSpec&), int& (*)(JobSpec&), std::uint64_t& (*)(JobSpec&),
                 double& (*)(JobSpec&), std::string& (*)(JobSpec&), DType& (*)(JobSpec&),
                 ReduceOp& (*)(JobSpec&), SendMode& (*)(JobSpec&), InputPattern& (*)(JobSpec&),
                 TraceLevel& (*)(JobSpec&), std::vector<Count>& (*)(JobSpec&),
                 std::vector<double>& (*)(JobSpec&),
                 std::vector<std::vector<double>>& (*)(JobSpec&)>;

/// A field of a job: its key in JSON, which names the unit, and its place.
struct JobMember {
  std::string_view key;
  JobPlace place;
  bool sparse = false;  ///< Written to JSON only if it is not the default.
};
std::span<const JobMember> job_members();
/// Returns null if no field has this key.
const JobMember* find_job_member(std::string_view key);
/// Calls `take` with a reference to the field's value.
template <class Take>
decltype(auto) with_value(JobSpec& spec, const JobPlace& place, Take&& take) {
  return std::visit([&](auto* value_in) -> decltype(auto) { return take(value_in(spec)); }, place);
}
template <class Take>
decltype(auto) with_value(const JobSpec& spec, const JobPlace& place, Take&& take) {
  return std::visit(
      [&](auto* value_in) -> decltype(auto) {
        return take(std::as_const(value_in(const_cast<JobSpec&>(spec))));
      },
      place);
}

/// Sets an enumeration by name. Returns false, without a change, if it has no value of that name.
bool parse_name(std::string_view text, DType& into);
bool parse_name(std::string_view text, ReduceOp& into);
bool parse_name(std::string_view text, SendMode& into);
bool parse_name(std::string_view text, InputPattern& into);
bool parse_name(std::string_view text, TraceLevel& into);

}  // namespace rankscope
