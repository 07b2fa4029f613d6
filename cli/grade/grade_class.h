// A class when it is graded: its personal copies, hidden names, hand-in times, and the results that are there already.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "lessons/course/course.h"
#include "lessons/reports/class_rules.h"
#include "lessons/reports/course_report.h"
#include "lessons/reports/results_json.h"
#include "lessons/reports/roster.h"
#include "lessons/submissions/submission_heads.h"

namespace rankscope::cli {

struct ClassOptions {
  std::string secret, seal, times, only, names;
};
void add_class_options(OptionList app, ClassOptions& options);

/// The seeds of personal copies, by the folder's name: drawn again from the course's secret and the student's number in
/// the roster, whatever the answers say. Empty where the course has no such copies. Who is not in the roster gets the
/// numbers as printed, and a line. Throws UserError where the roster is missing.
std::map<std::string, std::uint64_t> personal_seeds(const ClassOptions& options,
                                                    const std::filesystem::path& course_file,
                                                    const Roster& roster,
                                                    const std::vector<SubmissionHead>& heads,
                                                    std::vector<std::string>& lines);
/// Notes when each was handed in: "mtime", when its files were last changed; or a CSV file with a column
/// for the student (or the submission) and one for the time. Throws UserError.
void note_times(const ClassOptions& options, const ClassRules& rules,
                std::vector<SubmissionHead>& heads, std::vector<std::string>& lines);
/// Are they to be hidden, by the options or the course? Throws UserError where names are asked for as well.
bool names_hidden(const ClassOptions& options, const Course& course, const std::string& gradebook);
/// The key of hidden names: names.secret beside the results, made when `make`; or, for the marks of such a grading,
/// beside marks.toml. Empty: there is none.
std::string key_of_names(const std::filesystem::path& out, const std::string& marks, bool make);
/// Takes the student's name from the submission's where the answer sheet says another one's of the class or roster, and says
/// so; a TA may allow it in marks.toml.
void refuse_other_names(std::vector<SubmissionHead>& heads, const Roster& roster,
                        const Marks& marks);
/// The key of the seals of results: of --seal, of the course's secret, or where it has none of one in the user's data folder, which is
/// made. Adds a line when there can be none.
std::string key_of_results(const ClassOptions& options, const std::filesystem::path& course_file,
                           std::vector<std::string>& lines);
/// "Ask which one counts.": the course's rules say it.
void drop_question_of_which(std::vector<SubmissionHead>& heads);
/// Leaves the submissions of one student. Throws UserError when there is none.
void keep_only(std::vector<SubmissionHead>& heads, const std::string& student,
               const ClassRules& rules);
/// Gives each student a name that says nothing, the same each time with the same key, before the folders are named.
void hide_names(std::vector<SubmissionHead>& heads, std::string_view key, const ClassRules& rules);
/// The hidden name, by the folder's name, under which marks may stand, too.
std::map<std::string, std::string> hidden_names(const std::vector<SubmissionHead>& heads,
                                                std::string_view key, const ClassRules& rules);
/// The student whose submission this is; null if not in the roster.
const RosterStudent* student_of(const SubmissionHead& head, const Roster& roster);

/// Throws UserError when `out` is a folder of submissions, or has one in it: our own results would be
/// graded the next time.
void check_out(const std::filesystem::path& out, const std::vector<std::string>& submissions);

/// The folders with results.
std::vector<TakenFolder> taken_folders(const std::vector<EarlierResults>& earlier);

/// Rows of students who are not in this batch, for the gradebook; what is left out, or as old as it is,
/// becomes a line.
std::vector<GradebookRow> earlier_rows(const std::vector<EarlierResults>& earlier,
                                       const std::vector<SubmissionHead>& heads,
                                       const CourseGrader& grader, std::vector<std::string>& lines);

}  // namespace rankscope::cli
