// Collects a student's answers and programs into one folder, checked by the code that grades it.
#include "lessons/handout/hand_in.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/box/submission_folder.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/handout/answer_sheet.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/coding.h"
#include "lessons/submissions/program_parts.h"
#include "lessons/text/date_time.h"
#include "lessons/text/encodings.h"
#include "lessons/text/sealing.h"
#include "lessons/text/zip_writer.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using State = Verdict::State;

constexpr const char* kReceipt = "receipt.txt";
constexpr const char* kReceiptHead = "rankscope hand-in receipt";
constexpr std::uintmax_t kMostFile = std::uintmax_t{64} << 20;

constexpr std::array<std::string_view, 12> kStandings = {"open",
                                                         "right",
                                                         "best so far",
                                                         "not right yet",
                                                         "answer shown",
                                                         "waits for the teaching assistant",
                                                         "kept",
                                                         "unreadable",
                                                         "program not begun",
                                                         "not graded yet",
                                                         "its file has changed since",
                                                         "cannot be graded"};

ItemStanding standing_for(double share) {
  return share >= 1 ? ItemStanding::right : share > 0 ? ItemStanding::partly : ItemStanding::wrong;
}

HandInItem item_of(const ItemReport& item) {
  const CourseEntry& entry = *item.entry;
  HandInItem out;
  out.entry = &entry;
  out.key = entry.item->key();
  out.title = entry.item->title;
  if (out.title.empty() && entry.question != nullptr) out.title = entry.question->title;
  if (out.title.empty() && entry.coding != nullptr) out.title = entry.coding->title;
  if (out.title.empty()) out.title = entry.item->id;
  out.most = item.most;
  return out;
}

/// Fills in the state of an answer from its verdict.
void judge_item(const ItemReport& item, HandInItem& out) {
  const Question& question = *item.entry->question;
  switch (item.verdict.state) {
    case State::unanswered: return;
    case State::malformed:
      out.standing = ItemStanding::unreadable;
      out.says = item.verdict.says;
      return;
    case State::by_hand: out.standing = ItemStanding::by_hand; return;
    case State::not_graded: break;
    case State::right:
    case State::partly:
    case State::wrong:
      out.points = item.points;
      out.standing = standing_for(item.most > 0 ? item.verdict.points / item.most
                                                : (item.verdict.state == State::right ? 1 : 0));
      return;
  }
  if (!question.student_copy) {
    out.standing = ItemStanding::not_graded;
    out.says = item.verdict.says;
    return;
  }
  out.standing = ItemStanding::readable;
}

/// Fills in the state of a program from its last grade.
void judge_program(const Course& course, const CodingExercise& exercise,
                   const ProgramProgress* graded, const fs::path& file, HandInItem& out) {
  std::string fault;
  out.standing = ItemStanding::ungraded;
  if (graded == nullptr) {
    out.says =
        "grade it in the window to see its points here (`rankscope exercise` shows them, too)";
  } else if (read_whole(file, kMostFile, fault); !fault.empty()) {
    out.standing = ItemStanding::not_begun;
    out.says = fmt::format("{} was graded, and is not there any more", escaped(file.string()));
  } else if (graded->text.empty() || graded->text != program_hash(file)) {
    const fs::path was = fs::path(graded->file).filename();
    // Notebooks keep their names.
    if (was != file.filename() && file.extension() == ".ipynb") {
      out.says = fmt::format(
          "it was graded in {}, but {} stands for it in what is handed in: "
          "grade it there, or the course's other programs in {}",
          escaped(was.string()), escaped(file.filename().string()), escaped(was.string()));
    } else {
      out.says = "grade it again: it, or a file that it uses, is not as it was graded";
      out.standing = ItemStanding::changed;
    }
  } else {
    out.standing = standing_for(exercise.points > 0 ? graded->points / exercise.points : 0);
  }
  if (out.standing == ItemStanding::ungraded || out.standing == ItemStanding::not_begun) return;
  const double bonus = graded->verdict.is_object() ? graded->verdict.value("bonus", 0.0) : 0;
  out.points = points_of_program(course, out.most, graded->points, bonus, exercise.points);
}

/// The files below a folder, with '/', sorted.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.is_symlink())
      out.push_back(entry.path().lexically_relative(folder).generic_string());
  ranges::sort(out);
  return out;
}

/// Returns the place of a graded program: the course's file if this holds it alone or is held by one file, else the exercise's.
std::string place_for(const Course& course, const std::string& key, const CodingExercise& exercise,
                      const std::map<std::string, ProgramProgress>& programs) {
  const std::string& file = programs.at(key).file;
  const std::string ending = fs::path(file).extension().string();
  if (ending == ".ipynb") return fs::path(file).filename().string();
  for (const CourseFile& one : course.files) {
    if (ranges::find(one.holds, key) == one.holds.end() ||
        fs::path(one.path).extension() != ending || one.path.find('*') != std::string::npos)
      continue;
    const bool shared = ranges::all_of(one.holds, [&](const std::string& held) {
      const auto other = programs.find(held);
      return other == programs.end() || other->second.file == file;
    });
    if (shared) return one.path;
  }
  const auto cpp = cpp_contract(exercise);
  return is_cpp(file) && cpp ? cpp->file : exercise.file;
}

/// Returns a hash of the names and bytes of all files below a folder, except the receipt.
std::string checksum_of(const fs::path& folder) {
  std::string all;
  for (const std::string& file : files_below(folder))
    if (file != kReceipt)
      all += fmt::format("{}\n{}\n", file,
                         hex_of(keyed_hash("file", bytes_to_hand_in(folder / file))));
  return hex_of(keyed_hash("hand-in", all));
}

/// Returns whether rankscope wrote what is there: its receipt is at its top.
bool is_earlier_hand_in(const fs::path& place) {
  std::error_code error;
  std::string fault;
  if (fs::is_symlink(place, error)) return false;
  if (fs::is_directory(place, error)) {
    if (fs::is_empty(place, error)) return true;
    const std::string text = read_whole(place / kReceipt, kMostFile, fault, LinkRule::refuse);
    return text.starts_with(kReceiptHead) &&
           text.find("checksum: " + checksum_of(place)) != std::string::npos;
  }
  Complaints ignored;
  for (const ZipEntry& entry :
       zip_entries({place, ""}, "", SubmissionList::kMostOfStudent, ignored))
    if (entry.path == kReceipt) return true;
  return false;
}

/// Puts the hand-in, as a zip file if its name says so, in its place.
void put_in_place(NewFolder& draft, const std::vector<std::string>& files) {
  if (ascii_lower(draft.target().extension().string()) != ".zip") return draft.finish(draft.path());
  ZipWriter zip;
  for (const std::string& file : files) zip.add(file, bytes_to_hand_in(draft.path() / file));
  const fs::path ready = draft.path().string() + ".zip";
  write_bytes(ready, zip.finish());
  draft.finish(ready);
}

std::string receipt_text(const HandInReceipt& receipt, const Course& course) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::string out =
      fmt::format("{}\ncourse: {}\nstudent: {}\ntime: {}\nchecksum: {}\n\n", kReceiptHead,
                  course.slug, receipt.check.student, time_text(now), receipt.checksum);
  for (const HandInItem& item : receipt.check.items)
    out += fmt::format(
        "{}: {}{}{}{}\n", item.key, to_string(item.standing), item.file.empty() ? "" : ", ",
        item.file, item.entry->question == nullptr || item.says.empty() ? "" : ": " + item.says);
  out += "\nfiles:\n";
  for (const std::string& file : receipt.files) out += file + "\n";
  return out;
}

}  // namespace

SheetCheck check_sheet(CourseGrader& grader, const std::string& submission,
                       const std::map<std::string, ProgramProgress>& programs) {
  SheetCheck out;
  SubmissionList found =
      find_submissions({submission}, {}, program_names(grader.library(), grader.course()));
  for (const Complaint& one : found.complaints.all()) out.remarks.push_back(one.to_string());
  if (found.all.size() != 1)
    throw UserError(fmt::format("{} has {} submissions in it: name one answer file or folder",
                                escaped(submission), found.all.size()));
  std::vector<SubmissionHead> heads = read_heads(std::move(found.all));
  SubmissionHead& head = heads.front();
  head.id = head.student;
  const StudentReport report = grader.grade(head, std::nullopt, nullptr);
  out.course = grader.course().slug;
  out.student = report.student;
  out.remarks.insert(out.remarks.end(), report.complaints.begin(), report.complaints.end());
  const auto unpacked = head.folder.empty() && head.programs.there()
                            ? std::optional(unpack_programs(head.programs))
                            : std::nullopt;
  const fs::path folder = unpacked ? unpacked->folder.path() : head.folder;
  std::map<std::string, ExerciseFile> files;
  for (ExerciseFile& one : exercise_files(grader.library(), grader.course(), folder))
    files.emplace(one.key, std::move(one));
  for (const ItemReport& item : report.items) {
    if (item.later()) continue;
    HandInItem& one = out.items.emplace_back(item_of(item));
    if (const auto file = files.find(one.key); file != files.end()) {
      one.file = file->second.file;
      if (one.says = file->second.says(); !one.says.empty()) {
        one.standing = ItemStanding::not_begun;
        continue;
      }
      const auto graded = programs.find(one.key);
      judge_program(grader.course(), *file->second.exercise,
                    graded == programs.end() ? nullptr : &graded->second, folder / one.file, one);
      // The submission is graded as it is now, so points of an earlier state say nothing.
      if (one.standing == ItemStanding::changed) one.points.reset();
    } else if (item.entry->question != nullptr) {
      judge_item(item, one);
    }
  }
  return out;
}

namespace {

using Lessons = std::map<std::string, LessonProgress>;

/// The student's progress in the lessons of a course, by slug.
Lessons progress_in(const LessonLibrary& library, const Course& course, const ProgressStore& store,
                    const std::string& student, std::vector<std::string>& remarks) {
  Lessons out;
  std::set<std::string> seen;
  for (const CourseEntry& entry : entries_of(course, library)) {
    const std::string& slug = entry.lesson->slug;
    std::error_code error;
    if (!seen.insert(slug).second || !fs::exists(store.file_of(student, slug), error)) continue;
    try {
      out[slug] = store.peek(student, slug);
    } catch (const UserError& why) {
      remarks.push_back(
          fmt::format("the answers to the lesson {} cannot be read: {}", slug, why.what()));
    }
  }
  return out;
}

AnswerToHandIn given_in(const LessonProgress& progress, const Lesson& lesson,
                        const Question& question) {
  return answer_to_hand_in(question, variant_of(question, lesson.copy_seed.value_or(progress.seed)),
                           progress.of(question.id));
}

std::map<std::string, json> answers_in(const LessonLibrary& library, const Course& course,
                                       const Lessons& lessons, std::uint64_t& seed,
                                       std::vector<std::string>& remarks) {
  std::map<std::string, json> out;
  std::map<std::uint64_t, int> seeds;
  for (const CourseEntry& entry : entries_of(course, library)) {
    const auto lesson = lessons.find(entry.lesson->slug);
    if (entry.question == nullptr || lesson == lessons.end()) continue;
    const auto own = entry.lesson->copy_seed.value_or(lesson->second.seed);
    json answer = given_in(lesson->second, *entry.lesson, *entry.question).answer;
    if (answer.is_null()) continue;
    out[lesson->first + "/" + entry.question->id] = std::move(answer);
    ++seeds[own];
  }
  const auto most = std::ranges::max_element(seeds, {}, [](const auto& one) { return one.second; });
  seed = most == seeds.end() ? 0 : most->first;
  for (const auto& [slug, progress] : lessons)
    if (const auto own = library.need(slug).copy_seed.value_or(progress.seed);
        own != seed && !progress.questions.empty())
      remarks.push_back(fmt::format(
          "the lesson {} was answered with the numbers of seed {}, and the sheet is for "
          "seed {}: answer it again with `rankscope lesson run {} --seed {} --restart`",
          slug, own, seed, slug, seed));
  return out;
}

std::map<std::string, ProgramProgress> programs_in(const Lessons& lessons) {
  std::map<std::string, ProgramProgress> out;
  for (const auto& [slug, progress] : lessons)
    for (const auto& [id, program] : progress.programs) out[slug + "/" + id] = program;
  return out;
}

/// Adds what only the progress knows of a question: that its answer was shown, that what stands in its field is not handed in,
/// and how a copy without keys judged it when it was given.
void add_progress(const Lessons& lessons, HandInItem& out) {
  const auto lesson = lessons.find(out.entry->lesson->slug);
  if (lesson == lessons.end() || out.entry->question == nullptr) return;
  const Question& question = *out.entry->question;
  const QuestionProgress& one = lesson->second.of(question.id);
  const bool judged = one.state == State::right || one.state == State::partly ||
                      one.state == State::wrong || one.points > 0;
  if (out.standing == ItemStanding::readable && question.points > 0 && judged) {
    out.points = one.points / question.points * out.most;
    out.standing = standing_for(one.points / question.points);
  }
  if (one.gave_up && (out.standing == ItemStanding::open || out.standing == ItemStanding::wrong))
    out.standing = ItemStanding::shown;
  if (out.says.empty()) out.says = given_in(lesson->second, *out.entry->lesson, question).says;
}

}  // namespace

std::string_view to_string(ItemStanding standing) noexcept {
  return kStandings[static_cast<std::size_t>(standing)];
}

double SheetCheck::points() const noexcept {
  double out = 0;
  for (const HandInItem& item : items) out += item.points.value_or(0);
  return out;
}

std::map<std::string, json> answers_given(const LessonLibrary& library, const Course& course,
                                          const ProgressStore& store, const std::string& student,
                                          std::uint64_t& seed, std::vector<std::string>& remarks) {
  return answers_in(library, course, progress_in(library, course, store, student, remarks), seed,
                    remarks);
}

namespace {

/// Remarks on programs that the course takes from one notebook, and that were graded in several.
void note_several(const CourseFile& file, const std::map<std::string, ProgramProgress>& programs,
                  std::vector<std::string>& remarks) {
  const std::string ending = fs::path(file.path).extension().string();
  std::set<std::string> names;
  for (const std::string& key : file.holds)
    if (const auto graded = programs.find(key);
        graded != programs.end() && fs::path(graded->second.file).extension() == ending)
      names.insert(escaped(fs::path(graded->second.file).filename().string()));
  if (ending == ".ipynb" && names.size() > 1)
    remarks.push_back(
        fmt::format("{}: the course takes its programs from one notebook, so grade "
                    "all of them in the same one",
                    fmt::join(names, ", ")));
}

/// Returns the file that was graded for another program of the same file of the course, and has this one in it; or empty.
std::string file_beside(const Course& course, const std::string& key,
                        const CodingExercise& exercise,
                        const std::map<std::string, ProgramProgress>& programs) {
  for (const CourseFile& file : course.files) {
    if (ranges::find(file.holds, key) == file.holds.end()) continue;
    for (const std::string& other : file.holds)
      if (const auto graded = programs.find(other);
          graded != programs.end() &&
          fs::path(graded->second.file).extension() == fs::path(file.path).extension() &&
          is_begun_in(exercise, graded->second.file))
        return graded->second.file;
  }
  return "";
}

}  // namespace

SheetCheck check_progress(CourseGrader& grader, const ProgressStore& store,
                          const std::string& student) {
  SheetCheck out;
  out.course = grader.course().slug;
  out.student = student;
  const Lessons lessons =
      progress_in(grader.library(), grader.course(), store, student, out.remarks);
  AnswerFile file;
  file.course = out.course;
  file.student = student;
  std::uint64_t seed = 0;
  file.answers = answers_in(grader.library(), grader.course(), lessons, seed, out.remarks);
  const std::map<std::string, ProgramProgress> programs = programs_in(lessons);
  SubmissionHead head;
  head.student = head.id = student;
  head.answers = std::make_shared<const AnswerFile>(std::move(file));
  for (const ItemReport& item : grader.grade(head, seed, nullptr).items) {
    if (item.later()) continue;
    HandInItem& one = out.items.emplace_back(item_of(item));
    const CourseEntry& entry = *item.entry;
    if (entry.coding != nullptr) {
      one.standing = ItemStanding::not_begun;
      if (const auto graded = programs.find(one.key); graded != programs.end()) {
        one.file = graded->second.file;
        judge_program(grader.course(), *entry.coding, &graded->second, graded->second.file, one);
      } else if (one.file = file_beside(grader.course(), one.key, *entry.coding, programs);
                 !one.file.empty()) {
        judge_program(grader.course(), *entry.coding, nullptr, one.file, one);
        one.says =
            fmt::format("in {}; {}", escaped(fs::path(one.file).filename().string()), one.says);
      }
    } else if (entry.question != nullptr) {
      judge_item(item, one);
      add_progress(lessons, one);
    }
  }
  for (const CourseFile& file : grader.course().files) note_several(file, programs, out.remarks);
  return out;
}

HandInReceipt hand_in(CourseGrader& grader, const ProgressStore& store, LessonRuns& runs,
                      const HandInOptions& options) {
  const Course& course = grader.course();
  const LessonLibrary& library = grader.library();
  HandInReceipt out;
  NewFolder draft(options.to);
  std::error_code error;
  if (fs::exists(fs::symlink_status(draft.target(), error)) && !is_earlier_hand_in(draft.target()))
    throw UserError(
        fmt::format("{} is there, and is no earlier hand-in: name another folder or zip file",
                    escaped(draft.target().string())));
  std::vector<std::string> remarks;
  SheetOptions sheet{course.slug, options.name.empty() ? options.student : options.name, 0, {}};
  const Lessons lessons = progress_in(library, course, store, options.student, remarks);
  sheet.answers = answers_in(library, course, lessons, sheet.seed, remarks);
  const std::map<std::string, ProgramProgress> programs = programs_in(lessons);
  const auto entries = entries_of(course, library);
  if (!options.from.empty()) {
    const fs::path inside = fs::weakly_canonical(options.to, error)
                                .lexically_relative(fs::weakly_canonical(options.from, error));
    if (!inside.empty() && *inside.begin() != "..")
      throw UserError(fmt::format("{} lies in {}: name a place outside of it, as in --to ../{}",
                                  escaped(options.to.string()), escaped(options.from.string()),
                                  escaped(options.to.filename().string())));
    fs::create_directories(draft.path().parent_path(), error);
    const CopyReport copied = copy_submission(options.from, draft.path());
    if (!copied.refused.empty())
      throw UserError(fmt::format("{} {}: hand in a folder with your files alone",
                                  escaped(options.from.string()), copied.refused));
    for (const std::string& one : copied.left_out)
      remarks.push_back(fmt::format("not handed in: {}", escaped(one)));
    for (const char* old : {"answers.toml", "answers.json", kReceipt})
      if (fs::remove(draft.path() / old, error) && old != std::string_view(kReceipt))
        remarks.push_back(
            fmt::format("{} of {} is not handed in: the answers are those of your progress. To "
                        "hand in yours, check it with `rankscope lesson check-sheet` and put it in "
                        "place of this one",
                        old, escaped(options.from.string())));
  } else {
    for (const CourseEntry& entry : entries) {
      if (entry.coding == nullptr) continue;
      const std::string key = entry.lesson->slug + "/" + entry.coding->id;
      const auto program = programs.find(key);
      if (program == programs.end()) continue;
      if (!fs::is_regular_file(program->second.file, error))
        remarks.push_back(fmt::format("{}: {} was graded, and is not there any more", key,
                                      escaped(program->second.file)));
      else
        copy_program(program->second.file,
                     draft.path() / place_for(course, key, *entry.coding, programs));
    }
  }
  write_bytes(draft.path() / "answers.toml", answer_sheet(entries, sheet, runs));
  out.check = check_sheet(grader, (draft.path() / "answers.toml").string(), programs);
  for (std::string& remark : out.check.remarks)
    if (const auto at = remark.find(draft.path().string()); at != std::string::npos)
      remark.replace(at, draft.path().string().size(), draft.target().string());
  for (HandInItem& item : out.check.items) add_progress(lessons, item);
  out.check.remarks.insert(out.check.remarks.begin(), remarks.begin(), remarks.end());
  out.files = files_below(draft.path());
  out.checksum = checksum_of(draft.path());
  out.text = receipt_text(out, course);
  write_bytes(draft.path() / kReceipt, out.text);
  std::vector<std::string> with_receipt = out.files;
  with_receipt.emplace_back(kReceipt);
  put_in_place(draft, with_receipt);
  return out;
}

}  // namespace rankscope
