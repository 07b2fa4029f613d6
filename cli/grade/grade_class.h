// A class for `rankscope grade`: personal copies, hidden names, hand-in times, seals, and earlier results.
#pragma once

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
/// the roster, whatever the answers say. Empty if the course has no such copies. A student who is not in the roster gets
/// the numbers as printed, and a line in `lines`. Throws UserError if the roster is missing.
std::map<std::string, std::uint64_t> personal_seeds(const ClassOptions& options,
                                                    const std::filesystem::path& course_file,
                                                    const Roster& roster,
                                                    const std::vector<SubmissionHead>& heads,
                                                    std::vector<std::string>& lines);
/// Sets when each submission was handed in, by --times: "mtime", when its files were last changed; or a CSV file with a
/// column for the student (or the submission) and one for the time. Throws UserError.
void note_times(const ClassOptions& options, const ClassRules& rules,
                std::vector<SubmissionHead>& heads, std::vector<std::string>& lines);
/// Returns whether names are hidden, by the options or the course. Throws UserError if they are and a gradebook is given.
bool names_hidden(const ClassOptions& options, const Course& course, const std::string& gradebook);
/// Returns the key of hidden names. With `make`, from names.secret in `out`, which is created if missing; else from
/// names.secret beside marks.toml or in `out`, empty if there is none.
std::string key_of_names(const std::filesystem::path& out, const std::string& marks, bool make);
/// If an answer sheet names another student of the class or roster than the submission's file name does, takes the
/// file name's student and adds a complaint; marks.toml may allow the sheet's name.
void correct_students(std::vector<SubmissionHead>& heads, const Roster& roster, const Marks& marks);
/// The key of the results' seals: from --seal, else from the course's secret, else from a file in the user's data folder,
/// which is made if needed. If none can be read or made, adds a line and returns a random key.
std::string key_of_results(const ClassOptions& options, const std::filesystem::path& course_file,
                           std::vector<std::string>& lines);
/// Removes "Ask which one counts." from complaints, because the course's rules say it.
void drop_question_of_which(std::vector<SubmissionHead>& heads);
/// Keeps the submissions of one student only. Throws UserError when there is none.
void keep_only(std::vector<SubmissionHead>& heads, const std::string& student,
               const ClassRules& rules);
/// Replaces each student's name by a pseudonym that depends on the key alone. Call it before the folders are named.
void hide_names(std::vector<SubmissionHead>& heads, std::string_view key, const ClassRules& rules);
/// Returns each submission's pseudonym, by its folder's name; marks.toml may use either.
std::map<std::string, std::string> hidden_names(const std::vector<SubmissionHead>& heads,
                                                std::string_view key, const ClassRules& rules);
/// The student whose submission this is; null if not in the roster.
const RosterStudent* student_of(const SubmissionHead& head, const Roster& roster);

/// Throws UserError if `out` is the folder of the submissions, is above it, or is in a submission: the next grading would
/// take results for submissions, or a submission for results.
void check_out(const std::filesystem::path& out, const std::vector<std::string>& submissions);

std::vector<TakenFolder> taken_folders(const std::vector<EarlierResults>& earlier);

/// Returns the gradebook rows of earlier gradings whose students are not in this batch. `lines` say which ones are
/// added as graded then, and which are left out.
std::vector<GradebookRow> earlier_rows(const std::vector<EarlierResults>& earlier,
                                       const std::vector<SubmissionHead>& heads,
                                       const CourseGrader& grader, std::vector<std::string>& lines);

}  // namespace rankscope::cli
