// Reads what a class has for `rankscope grade`: times, names, roster and secrets, and checks its folders.
#include "cli/grade/grade_class.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/handout/personal_copies.h"
#include "lessons/reports/csv.h"
#include "lessons/text/date_time.h"
#include "lessons/text/encodings.h"
#include "lessons/text/list_text.h"
#include "lessons/text/sealing.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostTimes = std::uintmax_t{8} << 20;
constexpr int kMostFilesLookedAt = 1000;

const std::string& name_of(const SubmissionHead& head) {
  return head.real_student.empty() ? head.student : head.real_student;
}

std::optional<std::chrono::sys_seconds> changed_at(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
}

/// Returns the time of a folder's newest file, or of the zip file.
std::optional<std::chrono::sys_seconds> changed_at(const SubmissionHead& head) {
  std::error_code error;
  if (head.folder.empty()) {
    const std::string& name = head.submission;  // "subs/class.zip: anna.toml"
    return changed_at(fs::exists(name, error) ? fs::path(name)
                                              : fs::path(name.substr(0, name.find(": "))));
  }
  std::optional<std::chrono::sys_seconds> out;
  int left = kMostFilesLookedAt;
  for (auto it = fs::recursive_directory_iterator(head.folder, error);
       !error && it != fs::recursive_directory_iterator() && left-- > 0; it.increment(error)) {
    if (!it->is_regular_file(error)) continue;
    const auto time = changed_at(it->path());
    if (time && (!out || *time > *out)) out = time;
  }
  return out;
}

/// The cells of a --times file: a student or submission, and when it was handed in.
using HandInTimes = std::vector<std::pair<std::string, std::chrono::sys_seconds>>;

std::optional<std::size_t> column_named(const std::vector<std::string>& headings,
                                        std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < headings.size(); ++i)
      if (ascii_lower(trimmed(headings[i])) == name) return i;
  return std::nullopt;
}

HandInTimes read_times(const std::string& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostTimes, fault);
  if (!fault.empty()) throw UserError(fmt::format("--times: {} {}", escaped(file), fault));
  const auto rows = csv_rows(text);
  const auto who =
      rows.empty() ? std::nullopt
                   : column_named(rows.front(), {"sid", "student id", "id number", "id", "email",
                                                 "email address", "student", "name", "submission"});
  const auto when = rows.empty() ? std::nullopt
                                 : column_named(rows.front(), {"submission time", "time",
                                                               "submitted", "handed in", "date"});
  if (!who || !when)
    throw UserError(
        fmt::format("--times: the first line of {} has to name a column for the student (such as "
                    "Student, SID, Email or Submission) and one for the time (such as Time)",
                    escaped(file)));
  HandInTimes out;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (std::max(*who, *when) >= rows[i].size()) continue;
    const std::string_view written = trimmed(rows[i][*when]);
    if (written.empty()) continue;  // nothing was handed in
    const auto time = time_of(written);
    if (!time)
      throw UserError(fmt::format("--times: {}:{}: '{}' is not a time such as 2026-11-20 23:59",
                                  escaped(file), i + 1, escaped(written)));
    out.emplace_back(trimmed(rows[i][*who]), *time);
  }
  return out;
}

std::string hidden_name(const SubmissionHead& head, std::string_view key, const ClassRules& rules) {
  constexpr std::size_t kShown = 8;
  const RosterStudent* known = rules.student(name_of(head));
  return "student-" +
         hex_of(keyed_hash(key, known != nullptr ? known->key() : ascii_lower(name_of(head))))
             .substr(0, kShown);
}

/// Replaces the names of a submission and its student in a line.
void hide_in(std::string& line, const SubmissionHead& head, const std::string& name) {
  for (const std::string& known : {head.submission, head.student, head.stem})
    replace_all(line, known, name);
}

}  // namespace

bool names_hidden(const ClassOptions& options, const Course& course, const std::string& gradebook) {
  const std::string& names = options.names.empty() ? course.hand_in.names : options.names;
  if (names != "shown" && names != "hidden")
    throw UserError(fmt::format("--names is shown or hidden, not '{}'", escaped(names)));
  if (names == "hidden" && !gradebook.empty())
    throw UserError(
        "--gradebook writes names: hide them while marking, then grade with --names shown");
  return names == "hidden";
}

std::string key_of_names(const fs::path& out, const std::string& marks, bool make) {
  constexpr const char* kFile = "names.secret";
  if (make) return make_secret(out / kFile);
  std::error_code error;
  for (const fs::path& folder : {fs::path(marks).parent_path(), out})
    if (fs::exists(folder / kFile, error)) return read_secret(folder / kFile);
  return "";
}

namespace {

/// Returns the letters and digits of a name, in lower case.
std::string alphanumerics(std::string_view name) {
  std::string out;
  for (const char one : ascii_lower(name))
    if (std::isalnum(static_cast<unsigned char>(one)) != 0 || (one & 0x80) != 0) out += one;
  return out;
}

/// A student's names: the given one, and those in the roster.
struct NamedStudent {
  NamedStudent(std::string_view student, const RosterStudent* known) {
    names = {alphanumerics(student)};
    if (known != nullptr)
      for (const std::string& one :
           {known->name(), known->last + known->first, known->id, known->login, known->email})
        names.push_back(alphanumerics(one));
  }
  /// Returns whether a submission's name begins with one of these names: "Anna Müller", "Anna
  /// Müller_12_assignsubmission_file" of Moodle, "mulleranna_12_34_hw" of Canvas, "anna-2".
  bool names_submission(std::string_view stem) const {
    const std::string all = alphanumerics(stem);
    return ranges::any_of(
        names, [&](const std::string& name) { return name.size() > 1 && all.starts_with(name); });
  }
  std::vector<std::string> names;
};

/// Returns the student of the roster whose name a submission's name begins with; of several, the one whose name it is.
/// Null if there is none.
const RosterStudent* named_student(std::string_view stem, const Roster& roster) {
  const RosterStudent* out = nullptr;
  for (const RosterStudent& one : roster.all()) {
    if (!NamedStudent("", &one).names_submission(stem)) continue;
    if (out != nullptr) return roster.find(stem);
    out = &one;
  }
  return out;
}

}  // namespace

void correct_students(std::vector<SubmissionHead>& heads, const Roster& roster,
                      const Marks& marks) {
  for (SubmissionHead& head : heads) {
    const NamedStudent claimed(head.student, roster.find(head.student));
    if (claimed.names_submission(head.stem)) continue;
    const RosterStudent* own = named_student(head.stem, roster);
    const auto anothers = [&](const SubmissionHead& other) {
      return &other != &head && claimed.names_submission(other.stem);
    };
    if (own == nullptr && ranges::find_if(heads, anothers) == heads.end()) continue;
    const std::string name = own != nullptr ? own->name() : head.stem;
    const StudentMarks* allowed = marks.find(safe_name(name));
    if (allowed != nullptr && ascii_lower(allowed->student) == ascii_lower(head.student)) continue;
    head.complaints.push_back(
        fmt::format("the answer sheet says '{0}', but the submission is named {1}: graded as "
                    "'{2}'. If it is by '{0}', write into marks.toml: [\"{3}\"] student = \"{0}\"",
                    escaped(head.student), escaped(head.stem), escaped(name), safe_name(name)));
    head.student = name;
  }
}

std::string key_of_results(const ClassOptions& options, const fs::path& course_file,
                           std::vector<std::string>& lines) {
  std::error_code error;
  const fs::path own = !options.seal.empty()     ? fs::path(options.seal)
                       : !options.secret.empty() ? fs::path(options.secret)
                                                 : secret_beside(course_file);
  try {
    const bool has_own = !options.seal.empty() || !options.secret.empty() || fs::exists(own, error);
    const fs::path file = has_own ? own : user_data_folder() / "rankscope" / "grading.secret";
    if (!has_own) fs::create_directories(file.parent_path(), error);
    // The file named by --secret is never created: after a typing error, the whole class would get other numbers.
    const bool given = options.seal.empty() && !options.secret.empty();
    return keyed_hash(given ? read_secret(file) : make_secret(file), "results");
  } catch (const UserError& fault) {
    lines.push_back(fmt::format(
        "the next grading will run everything again, because it cannot tell whether these "
        "results were edited: {}",
        fault.what()));
    return random_bytes(32);
  }
}

void drop_question_of_which(std::vector<SubmissionHead>& heads) {
  constexpr std::string_view kQuestion = " Ask which one counts.";
  for (SubmissionHead& head : heads)
    for (std::string& line : head.complaints)
      if (line.ends_with(kQuestion)) line.resize(line.size() - kQuestion.size());
}

void note_times(const ClassOptions& options, const ClassRules& rules,
                std::vector<SubmissionHead>& heads, std::vector<std::string>& lines) {
  if (options.times.empty()) {
    if (rules.rules().deadline)
      lines.emplace_back(
          "nothing counts as late: give the hand-in times with --times FILE or --times mtime");
    return;
  }
  const bool changed = options.times == "mtime";
  const HandInTimes times = changed ? HandInTimes() : read_times(options.times);
  for (SubmissionHead& head : heads) {
    if (changed) head.handed_in = changed_at(head);
    for (const auto& [who, time] : times) {
      const bool this_one = same_submission(who, head.submission);
      if (this_one || rules.same_student(who, name_of(head)) || rules.same_student(who, head.stem))
        head.handed_in = time;
      if (this_one) break;
    }
    if (!head.handed_in)
      lines.push_back(fmt::format("{}: its hand-in time is not known, so it does not count as late",
                                  escaped(head.submission)));
  }
}

void keep_only(std::vector<SubmissionHead>& heads, const std::string& student,
               const ClassRules& rules) {
  std::erase_if(heads, [&](const SubmissionHead& head) {
    return head.id != student && !rules.same_student(student, name_of(head)) &&
           !rules.same_student(student, head.student);
  });
  if (heads.empty())
    throw UserError(fmt::format("--only: there is no submission of '{}'", escaped(student)));
}

void hide_names(std::vector<SubmissionHead>& heads, std::string_view key, const ClassRules& rules) {
  std::map<std::string, int> seen;
  for (SubmissionHead& head : heads) {
    const std::string name = hidden_name(head, key, rules);
    for (std::string& line : head.complaints) hide_in(line, head, name);
    hide_in(head.fault, head, name);
    if (head.answers) {
      auto answers = std::make_shared<AnswerFile>(*head.answers);
      answers->complaints = {};
      for (const Complaint& one : head.answers->complaints.all())
        answers->complaints.add(name, one.line, one.text);
      head.answers = std::move(answers);
    }
    const int number = ++seen[name];
    head.real_student = std::exchange(head.student, name);
    head.stem = fmt::format("{}", number);
    head.submission = fmt::format("{} ({})", name, number);
  }
}

std::map<std::string, std::string> hidden_names(const std::vector<SubmissionHead>& heads,
                                                std::string_view key, const ClassRules& rules) {
  std::map<std::string, std::string> out;
  for (const SubmissionHead& head : heads) out[head.id] = hidden_name(head, key, rules);
  return out;
}

void add_class_options(OptionList app, ClassOptions& options) {
  app.add_option("--secret", "FILE", options.secret,
                 "File with the secret from which personal numbers were drawn; default: "
                 "COURSE.secret beside the course file, if it exists. Needs --roster");
  app.add_option("--seal", "FILE", options.seal,
                 "Key that detects edited results; created if missing; default: the course's "
                 "secret, or one of yours. Shards need the same one");
  app.add_option("--times", "FILE", options.times,
                 "When each was handed in: a CSV file with columns for the student and the time; "
                 "mtime: when the submissions' files were last changed");
  app.add_option("--only", "STUDENT", options.only,
                 "Grade this student alone, once more; the others stay as they are");
  app.add_option("--names", "shown|hidden", options.names,
                 "hidden: pseudonyms, for anonymous marking; default: as the course says");
}

const RosterStudent* student_of(const SubmissionHead& head, const Roster& roster) {
  if (const RosterStudent* found = roster.find(name_of(head))) return found;
  return roster.find(head.stem);
}

std::map<std::string, std::uint64_t> personal_seeds(const ClassOptions& options,
                                                    const fs::path& course_file,
                                                    const Roster& roster,
                                                    const std::vector<SubmissionHead>& heads,
                                                    std::vector<std::string>& lines) {
  std::error_code error;
  const fs::path file =
      options.secret.empty() ? secret_beside(course_file) : fs::path(options.secret);
  if (options.secret.empty() && !fs::exists(file, error)) return {};
  const std::string secret = read_secret(file);
  if (roster.empty())
    throw UserError(fmt::format(
        "{} draws each student's numbers: give the class with --roster, or one seed for all with "
        "--seed",
        escaped(file.string())));
  std::map<std::string, std::uint64_t> out;
  for (const SubmissionHead& head : heads) {
    const RosterStudent* student = student_of(head, roster);
    out[head.id] = student == nullptr ? 0 : seed_of_student(secret, student->key());
    if (student == nullptr)
      lines.push_back(
          fmt::format("{}: the roster has no '{}', or several: graded with the numbers as printed",
                      head.id, escaped(head.student)));
  }
  return out;
}

namespace {

constexpr std::size_t kMostNamed = 5;

/// Returns whether a folder holds a submission: files that no folder of results has.
bool looks_handed_in(const fs::path& folder) {
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const fs::path name = it->path().filename(), ending = name.extension();
    if (name == "answers.toml" || name == "answers.json" || ending == ".py" || ending == ".cpp")
      return true;
  }
  return false;
}

/// Throws UserError if `out` is in a submission's folder, which would then be taken for results and not be graded.
void check_not_handed_in(const fs::path& out, const fs::path& submissions) {
  std::error_code error;
  const fs::path within = fs::canonical(submissions, error);
  fs::path at = fs::weakly_canonical(out, error);
  const auto lies_in = [&] {
    return std::ranges::mismatch(within, at).in1 == within.end() && at != within;
  };
  for (; !error && lies_in(); at = at.parent_path())
    if (looks_handed_in(at))
      throw UserError(fmt::format(
          "--out: {} is one of the submissions, and the results would be written into it. Choose "
          "another folder.",
          escaped(at.string())));
}

}  // namespace

void check_out(const fs::path& out, const std::vector<std::string>& submissions) {
  std::error_code error;
  for (const std::string& path : submissions)
    if (fs::is_directory(path, error)) check_not_handed_in(out, path);
  if (!fs::exists(out, error)) return;
  for (const std::string& path : submissions) {
    if (!fs::is_directory(path, error)) continue;
    for (fs::path above = fs::canonical(path, error); !error; above = above.parent_path()) {
      if (fs::equivalent(above, out, error))
        throw UserError(fmt::format(
            "--out: {} {} the submissions in {}, and the results would be written among them. "
            "Choose "
            "another folder.",
            escaped(out.string()),
            above == fs::canonical(path, error) ? "is the folder of" : "contains", escaped(path)));
      if (above == above.root_path()) break;
    }
  }
}

std::vector<TakenFolder> taken_folders(const std::vector<EarlierResults>& earlier) {
  std::vector<TakenFolder> out;
  for (const EarlierResults& one : earlier) out.push_back({one.folder, one.kept.row.submission});
  return out;
}

std::vector<GradebookRow> earlier_rows(const std::vector<EarlierResults>& earlier,
                                       const std::vector<SubmissionHead>& heads,
                                       const CourseGrader& grader,
                                       std::vector<std::string>& lines) {
  std::vector<GradebookRow> out;
  std::vector<std::string> names, others;
  std::set<std::string> in_batch;
  for (const SubmissionHead& head : heads) in_batch.insert(ascii_lower(head.id));
  for (const EarlierResults& one : earlier) {
    const auto same = [&](const SubmissionHead& head) {
      return same_submission(head.submission, one.kept.row.submission);
    };
    if (in_batch.contains(ascii_lower(one.folder))) continue;
    if (const auto now = ranges::find_if(heads, same); now != heads.end()) {
      lines.push_back(
          fmt::format("{}: results of {}, whose folder is now '{}': not in the gradebook. "
                      "Remove the folder {}.",
                      one.folder, now->submission, now->id, one.folder));
      continue;
    }
    if (!one.kept.fault.empty()) {
      lines.push_back(
          fmt::format("{}/results.json {}: not in the gradebook; grade this submission again, or "
                      "remove the folder",
                      one.folder, one.kept.fault));
      continue;
    }
    const bool fits = one.kept.course == grader.course().slug &&
                      one.kept.row.cells.size() == grader.entries().size();
    (fits ? names : others).push_back(one.folder);
    if (!fits) continue;
    out.push_back(one.kept.row);
    out.back().id = one.folder;
  }
  if (!names.empty())
    lines.push_back(fmt::format("{} of earlier gradings {} in the gradebook as graded then: {}",
                                plural(names.size(), "student"), names.size() == 1 ? "is" : "are",
                                first_few(names, kMostNamed)));
  if (!others.empty())
    lines.push_back(
        fmt::format("{} not in this gradebook, because it was graded for another course, or "
                    "another version of it: {}",
                    others.size() == 1 ? "1 earlier folder is"
                                       : fmt::format("{} earlier folders are", others.size()),
                    first_few(others, kMostNamed)));
  return out;
}

}  // namespace rankscope::cli
