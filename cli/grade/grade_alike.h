// `rankscope grade --alike`: finds and lists programs of a class that are too alike.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "lessons/reports/alike.h"
#include "lessons/reports/course_report.h"

namespace rankscope::cli {

/// The programs that were handed in for each code exercise, from folders and zip files, and the pairs that are alike.
std::vector<AlikeExercise> alike_exercises(const CourseGrader& grader,
                                           const std::vector<SubmissionHead>& heads,
                                           const AlikeOptions& options);

inline constexpr std::string_view kAlikePage = "alike.html";

/// Returns the pairs with the most in common, one line each, and where the page is.
std::string alike_text(const Console& console, const std::vector<AlikeExercise>& exercises,
                       const std::filesystem::path& page);
/// [{"exercise", "programs": [{"student", "folder", "file", "share"}, ...], "tokens", "passages": [{"lines": [[1, 9],
/// [3, 11]], "tokens"}]}]
nlohmann::json alike_json(const std::vector<AlikeExercise>& exercises);

}  // namespace rankscope::cli
