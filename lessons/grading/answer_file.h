// A student's answers: a TOML or JSON file with an answer for each exercise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/toml/complaints.h"

namespace rankscope {

/// A parsed answer file, for example:
///   course = "homework"
///   student = "Anna Müller"
///   seed = 7                      # whose numbers these are; 0 or nothing: as printed
///   [answers]                     # this line may be left out
///   "flat-allreduce/sums" = [3, 6, 10]
struct AnswerFile {
  static constexpr std::size_t kMostBytes = 1 << 20;

  std::string course, student;
  std::optional<std::uint64_t> seed;
  std::map<std::string, nlohmann::json> answers;  ///< By "lesson/id".
  /// Faults of single values; the rest of the file counts.
  Complaints complaints;
  /// The error if nothing of it could be read; else empty.
  std::string fault;
};

/// Reads JSON if `name` ends in ".json" or the text begins with a brace, else TOML. Never throws: unreadable bytes give
/// a fault.
AnswerFile read_answers(std::string_view bytes, const std::string& name);

/// Returns a complaint about each answer whose key is not in `known`, with the nearest one.
Complaints unknown_answers(const AnswerFile& file, const std::string& name,
                           const std::vector<std::string>& known);

}  // namespace rankscope
