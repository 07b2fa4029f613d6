// Grades all of a student's exercises and collects the report.
#include "lessons/reports/course_report.h"

#include <fmt/format.h>

#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/grading/answer_file.h"
#include "lessons/submissions/program_parts.h"
#include "lessons/text/encodings.h"
#include "lessons/text/foreign_text.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr std::string_view kItemStates[] = {
    "right",          "partly right",  "wrong",
    "not answered",   "not an answer", "to be marked by hand",
    "marked by hand", "not graded",    "not yet here"};

// Students with seeds of their own make runs and keys of their own: these are forgotten now and then,
// so that memory does not grow with the class.
constexpr std::size_t kMostKeys = 3000;    // of a lesson
constexpr std::size_t kMostNumbers = 400;  // of a lesson, each with a run or two
constexpr std::uintmax_t kMostLesson = std::uintmax_t{16} << 20;
constexpr std::size_t kMostAnswer = 4000;  // bytes, in reports
constexpr std::uintmax_t kMostProgram = std::uintmax_t{4} << 20;

std::string shown_answer(const Question& question, const json& answer) {
  if (blank(answer)) return "";
  std::string text;
  try {
    text = question.kind->show(question, answer);
  } catch (const std::exception&) {
    text = dump_json(answer);
  }
  return shortened(with_directions_shown(text), kMostAnswer);
}

void apply(const ItemMarks& marks, ItemReport& item) {
  item.comment = marks.comment;
  if (!marks.rubric.empty()) {
    double sum = 0, most = 0;
    for (const double points : marks.rubric) sum += points;
    for (const RubricRow& row : item.rubric) most += row.points;
    item.rubric_points = marks.rubric;
    item.points = most > 0 ? item.most * sum / most : 0;
    item.by_ta = true;
  }
  if (marks.override_points) {
    item.points = marks.override_points;
    item.by_ta = true;
  }
}

/// The files that a TA named, by exercise.
std::map<std::string, std::string> accepted_of(const StudentMarks* marks) {
  std::map<std::string, std::string> out;
  if (marks == nullptr) return out;
  for (const auto& [key, item] : marks->items)
    if (!item.file.empty()) out[key] = item.file;
  return out;
}

}  // namespace

double points_of_program(const Course& course, double most, double points, double bonus,
                         double exercise_points) {
  if (exercise_points <= 0) return 0;
  return (std::min(points, exercise_points) + (course.counts_bonus ? bonus : 0)) / exercise_points *
         most;
}

std::string_view to_string(ItemState state) noexcept {
  return kItemStates[static_cast<std::size_t>(state)];
}

ItemState item_state_of(std::string_view words) noexcept {
  const auto* const found = ranges::find(kItemStates, words);
  return found == std::end(kItemStates) ? ItemState::not_graded
                                        : static_cast<ItemState>(found - kItemStates);
}

ItemState ItemReport::item_state() const noexcept {
  if (later()) return ItemState::later;
  if (by_ta) return ItemState::marked;
  switch (verdict.state) {
    case Verdict::State::right: return ItemState::right;
    case Verdict::State::partly: return ItemState::partly;
    case Verdict::State::wrong: return ItemState::wrong;
    case Verdict::State::unanswered: return ItemState::unanswered;
    case Verdict::State::malformed: return ItemState::malformed;
    case Verdict::State::by_hand: return ItemState::to_be_marked;
    case Verdict::State::not_graded: break;
  }
  return ItemState::not_graded;
}

bool StudentReport::hides_items() const noexcept {
  return ranges::any_of(items, [](const auto& item) { return !item.hidden_until.empty(); });
}

StudentReport StudentReport::shown() const {
  StudentReport out = *this;
  for (ItemReport& item : out.items) {
    if (item.hidden_until.empty()) continue;
    ItemReport bare;
    bare.entry = item.entry;
    bare.variant = item.variant;
    bare.answer = item.answer;
    bare.most = item.most;
    bare.verdict.state = Verdict::State::not_graded;
    bare.hidden_until = item.hidden_until;
    item = std::move(bare);
  }
  return out;
}

double StudentReport::points() const noexcept {
  double out = 0;
  for (const ItemReport& item : items) out += item.points.value_or(0);
  return out * (1 - hand_in.percent / 100);
}
double StudentReport::most() const noexcept {
  double out = 0;
  for (const ItemReport& item : items) out += item.points ? item.most : 0;
  return out;
}
double StudentReport::open() const noexcept {
  double out = 0;
  for (const ItemReport& item : items) out += item.open() ? item.most : 0;
  return out;
}

CourseGrader::CourseGrader(const LessonLibrary& library, const Course& course)
    : library_(library), course_(course), entries_(entries_of(course, library, true)) {
  std::string all =
      fmt::format("rankscope {} {}\n{}\n", RANKSCOPE_VERSION, course.slug, course.title);
  if (course.counts_bonus) all += "bonus\n";
  for (const CoursePart& part : course.parts) {
    all += fmt::format("{}\t{}\n", part.title, part.points);
    for (const CourseItem& item : part.items) {
      all += fmt::format("{}\t{}\t{}\t{}\n", item.key(), item.title, item.points, item.later);
      if (is_hidden(item)) all += "hidden " + item.hidden_until;
    }
  }
  for (const CourseEntry& entry : entries_) {
    if (entry.lesson == nullptr) continue;
    keys_known_.push_back(entry.item->key());
    lessons_[entry.lesson];
  }
  if (keys_known_.empty())
    throw UserError(fmt::format("the course '{}' has no exercises to grade", course.slug));
  std::map<std::string, std::string> sources;
  std::string fault;  // ignored: the library has already reported unreadable lessons
  for (const auto& [lesson, keys] : lessons_) {
    const std::string text = read_whole(lesson->folder / "lesson.toml", kMostLesson, fault);
    sources[lesson->slug] = hash_text(text);
    exercise_hashes_[lesson] = hash_text(without_toml_comments(text));
  }
  for (const auto& [slug, hash] : sources) all += fmt::format("{} {}\n", slug, hash);
  course_hash_ = hash_text(all);
}

std::string CourseGrader::inputs(const SubmissionHead& head, std::optional<std::uint64_t> seed,
                                 const StudentMarks* marks, std::string_view options,
                                 bool with_files) const {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", course_hash_, head.id, head.student,
                                head.submission, head.fault, head.bytes_hash);
  for (const std::string& complaint : head.complaints) all += complaint + "\n";
  if (grade_code_) all += "code\n";
  std::vector<std::string> ignored;
  const auto zipped =
      grade_code_ || with_files ? unpacked(head, ignored) : std::optional<UnpackedPrograms>();
  const std::filesystem::path folder = zipped ? zipped->folder.path() : head.folder;
  if (grade_code_ && !folder.empty())
    for (const ExerciseFile& one : exercise_files(library_, course_, folder, accepted_of(marks))) {
      std::string fault;
      all += fmt::format(
          "program {} {}\n", one.file,
          hash_text(read_whole(folder / one.file, kMostProgram, fault, LinkRule::refuse)));
    }
  if ((grade_code_ || with_files) && !folder.empty())
    all += fmt::format("files {}\n", files_hash(folder));
  if (!grade_code_ && !with_files)
    for (const std::string& file : answer_like_files(folder))
      all += fmt::format("beside {}\n", file);
  all += seed ? fmt::format("seed {}\n", *seed) : "";
  all += fmt::format("{}\n{}", options, marks != nullptr ? marks->digest_text : "");
  return hash_text(all);
}

std::string CourseGrader::digest(std::string_view inputs, std::string_view program) const {
  return hash_text(
      fmt::format("{}\n{}\n{}", inputs, program, grade_code_ ? hash_text(tools_) : ""));
}

std::string CourseGrader::course_fault(const AnswerFile& file) const {
  if (file.course.empty() || file.course == course_.slug) return "";
  const std::string shown = escaped(shortened(file.course, 100));
  const auto names = library_.course_names();
  if (ranges::find(names, file.course) != names.end())
    return fmt::format("the answers are for the course '{}', this is '{}'; nothing of it is graded",
                       shown, course_.slug);
  return "";
}

std::string CourseGrader::course_doubt(const AnswerFile& file, const std::string& name) const {
  if (file.course.empty())
    return fmt::format("{}: does not say its course; taken as '{}'", name, course_.slug);
  const auto names = library_.course_names();
  if (file.course == course_.slug || ranges::find(names, file.course) != names.end()) return "";
  const std::string shown = escaped(shortened(file.course, 100));
  return fmt::format("{}: there is no course '{}'{}; taken as '{}'", name, shown,
                     nearest_hint(shown, names), course_.slug);
}

StudentReport CourseGrader::grade(const SubmissionHead& head, std::optional<std::uint64_t> seed,
                                  const StudentMarks* marks, const KeptPrograms& kept) {
  StudentReport out;
  out.id = head.id;
  out.student = head.student;
  out.submission = head.submission;
  out.complaints = head.complaints;
  static const AnswerFile kNone;
  const AnswerFile& file = head.answers ? *head.answers : kNone;
  const std::string fault = head.fault.empty() ? course_fault(file) : head.fault;
  if (!fault.empty()) {
    out.complaints.push_back(fault);
  } else {
    for (const Complaint& one : file.complaints.all()) out.complaints.push_back(one.to_string());
    if (const auto doubt = head.answers ? course_doubt(file, out.submission) : ""; !doubt.empty())
      out.complaints.push_back(doubt);
    const Complaints unknown = unknown_answers(file, out.submission, keys_known_);
    for (const Complaint& one : unknown.all()) out.complaints.push_back(one.to_string());
  }
  out.seed = seed ? *seed : file.seed.value_or(0);
  if (marks != nullptr) out.comment = marks->comment;
  const bool looks = grade_code_ || !kept.empty();
  const auto zipped = looks ? unpacked(head, out.complaints) : std::optional<UnpackedPrograms>();
  HandedIn handed_in{zipped ? zipped->folder.path() : head.folder, {}};
  if (looks)
    for (ExerciseFile& one :
         exercise_files(library_, course_, handed_in.folder, accepted_of(marks)))
      handed_in.programs.emplace(one.key, std::move(one));
  for (const CourseEntry& entry : entries_) {
    const auto answer = file.answers.find(entry.item->key());
    const bool none = !fault.empty() || answer == file.answers.end();
    out.items.push_back(grade_item(entry, out.seed, none ? nullptr : &answer->second, out));
    const ItemMarks* by_hand = marks != nullptr ? marks->find(entry.item->key()) : nullptr;
    // Programs are graded even if the answers have a fault.
    const auto program = handed_in.programs.find(entry.item->key());
    if (grade_code_ && program != handed_in.programs.end())
      grade_program(program->second, handed_in, kept, out.items.back(), out);
    else if (const KeptProgram* before = grade_code_ ? nullptr : kept.of(entry.item->key()))
      keep_program(entry, *before, handed_in.hash_of(entry.item->key()), out.items.back(), out);
    if (by_hand != nullptr) apply(*by_hand, out.items.back());
    if (is_hidden(*entry.item)) out.items.back().hidden_until = entry.item->hidden_until;
  }
  if (std::string unread = unread_answers(handed_in.folder, out); !unread.empty())
    out.complaints.push_back(std::move(unread));
  if (!remark_.empty() && !out.programs.empty()) out.complaints.push_back(remark_);
  return out;
}

std::string CourseGrader::unread_answers(const std::filesystem::path& folder,
                                         const StudentReport& report) const {
  const auto open = ranges::find_if(report.items, [](const ItemReport& item) {
    return !item.later() && item.entry->question != nullptr &&
           item.verdict.state == Verdict::State::unanswered && !item.by_ta;
  });
  if (open == report.items.end()) return "";
  std::vector<std::string> files = answer_like_files(folder);
  if (files.empty()) return "";
  constexpr std::size_t kMostNamed = 5;
  const std::size_t count = files.size();
  files.resize(std::min(count, kMostNamed));
  for (std::string& file : files) file = fmt::format("'{}'", escaped(file));
  const std::string more =
      count > kMostNamed ? fmt::format(" and {} more", count - kMostNamed) : "";
  return fmt::format(
      "{}{} may hold answers: look at {}, as only an answer sheet is read (`rankscope lesson "
      "export {} --sheet`). For points by hand write two lines into marks.toml: "
      "[\"{}\".\"{}\"], and below it override = {}",
      fmt::join(files, ", "), more, count == 1 ? "it" : "them", course_.slug, report.id,
      open->entry->item->key(), number_text(open->most));
}

std::shared_ptr<LessonRuns> CourseGrader::runs(const Lesson& lesson) {
  const std::lock_guard lock(mutex_);
  LessonKeys& own = lessons_[&lesson];
  if (!own.runs || own.numbers.size() > kMostNumbers) {
    own.runs = std::make_shared<LessonRuns>(lesson.runs);
    own.numbers.clear();
  }
  return own.runs;
}

std::shared_ptr<const json> CourseGrader::key_of(const CourseEntry& entry, const Variant& variant,
                                                 LessonRuns& runs) {
  const std::string name = fmt::format("{} {}", entry.question->id, variant.seed);
  {
    const std::lock_guard lock(mutex_);
    LessonKeys& own = lessons_[entry.lesson];
    if (const auto found = own.keys.find(name); found != own.keys.end()) return found->second;
    std::string numbers = entry.question->id;
    for (const auto& [variable, value] : variant.values)
      numbers += fmt::format(" {}={}", variable, value);
    own.numbers.insert(std::move(numbers));
    if (own.keys.size() > kMostKeys) own.keys.clear();
  }
  // Without the lock: a key may need a run. Two threads may compute the same.
  auto key =
      std::make_shared<const json>(entry.question->kind->key(*entry.question, variant, runs));
  const std::lock_guard lock(mutex_);
  return lessons_[entry.lesson].keys.emplace(name, std::move(key)).first->second;
}

std::optional<UnpackedPrograms> CourseGrader::unpacked(const SubmissionHead& head,
                                                       std::vector<std::string>& complaints) const {
  if (!head.folder.empty() || !head.programs.there()) return std::nullopt;
  UnpackedPrograms out = unpack_programs(head.programs);
  for (const std::string& line : out.left_out)
    complaints.push_back(fmt::format("{}: {}", head.submission, line));
  return out;
}

namespace {

void show_result(const CodeItem& done, const Course& course, ItemReport& item) {
  using State = Verdict::State;
  const double share = done.most > 0 ? done.points / done.most : 0;
  item.verdict.most = item.most;
  item.verdict.points = points_of_program(course, item.most, done.points, done.bonus, done.most);
  item.verdict.state = share >= 1 ? State::right : share > 0 ? State::partly : State::wrong;
  item.verdict.says = done.says;
  item.smallest = done.smallest;
  item.printed = done.printed;
  item.why = done.why;
  item.points = item.verdict.points;
}

}  // namespace

std::string CourseGrader::HandedIn::hash_of(const std::string& key) const {
  const auto program = programs.find(key);
  if (program == programs.end() || program->second.file.empty()) return files_hash(folder);
  std::set<std::string> files;
  for (const auto& [other, one] : programs)
    if (!one.file.empty()) files.insert(one.file);
  return files_hash(folder, unused_programs(folder, program->second.file, files));
}

// A student does not lose points for a fault of the machine.
void CourseGrader::grade_program(const ExerciseFile& file, const HandedIn& handed_in,
                                 const KeptPrograms& kept, ItemReport& item,
                                 StudentReport& report) {
  using State = Verdict::State;
  Verdict& verdict = item.verdict;
  verdict.most = item.most;
  item.answer = file.file;
  if (std::string lacks = file.says(); !lacks.empty()) {
    verdict.state = State::unanswered;
    verdict.says = item.why = std::move(lacks);
    item.points = 0;
    if (handed_in.folder.empty())
      verdict.says += " (Programs belong into a folder or zip file, with answers.toml at its top.)";
    if (!file.nearest.empty())
      report.complaints.push_back(fmt::format(
          "{0}: {1} was not handed in, but '{2}' may be meant. To grade that one, write into "
          "marks.toml: \"{3}\".\"{0}\".file = \"{4}\"",
          file.key, file.wanted, escaped(file.nearest), report.id, file.nearest));
    return;
  }
  try {
    show_result(run_program(*item.entry, file, handed_in, kept, report), course_, item);
  } catch (const GradingStopped&) {
    throw;
  } catch (const std::exception& failure) {
    verdict.state = State::not_graded;
    verdict.says = "The program could not be run: the machine's fault, not the program's.";
    report.complaints.push_back(fmt::format("{}: was not run: {}", file.key, failure.what()));
    report.repeatable = false;
  }
}

CodeItem CourseGrader::run_program(const CourseEntry& entry, const ExerciseFile& file,
                                   const HandedIn& handed_in, const KeptPrograms& kept,
                                   StudentReport& report) {
  const std::string files = handed_in.hash_of(file.key);
  const std::string digest =
      files.empty() || tools_.empty() ? "" : program_digest(entry, file, files);
  const CodeItem* const before = kept.find(digest);
  CodeItem out =
      before != nullptr ? *before : grade_code_(file.to_grade(), handed_in.folder, report.id);
  report.programs_kept += before != nullptr;
  // Files may be replaced while they are graded; the points must not be kept for the new files.
  if (before == nullptr && handed_in.hash_of(file.key) != files) {
    report.complaints.push_back(
        fmt::format("{}: its files changed while it was graded; a later grading runs it again",
                    entry.item->key()));
    report.repeatable = false;
    return out;
  }
  // Without a digest a later grading cannot recognise the program as unchanged.
  report.repeatable = report.repeatable && out.repeatable && !digest.empty();
  // Without a digest it runs again each time; a grading that runs no programs still shows its points.
  if (!files.empty())
    report.programs.push_back({entry.item->key(), out.repeatable ? digest : "", files, out});
  return out;
}

std::string CourseGrader::program_digest(const CourseEntry& entry, const ExerciseFile& file,
                                         std::string_view files) const {
  return hash_text(fmt::format("{} {} {}\n{}\n{}\n{}", file.key, file.file, file.module,
                               exercise_hashes_.at(entry.lesson), tools_, files));
}

// Keeps the points of unchanged files in a grading that runs no programs.
void CourseGrader::keep_program(const CourseEntry& entry, const KeptProgram& before,
                                std::string_view files, ItemReport& item, StudentReport& report) {
  if (before.files != files) {
    report.complaints.push_back(fmt::format(
        "{}: its files have changed since it was graded ({} of {} points then); grade with --code",
        entry.item->key(), number_text(before.result.points), number_text(before.result.most)));
    return;
  }
  show_result(before.result, course_, item);
  item.verdict.says += "\nThis is the result of an earlier grading with --code, of the same files.";
  report.programs.push_back(before);
  ++report.programs_kept;
}

ItemReport CourseGrader::grade_item(const CourseEntry& entry, std::uint64_t seed,
                                    const json* answer, StudentReport& report) {
  ItemReport out;
  out.entry = &entry;
  out.most = entry.item->points;
  if (entry.lesson == nullptr) {
    out.verdict.state = Verdict::State::not_graded;
    return out;
  }
  if (entry.question == nullptr) {
    out.verdict.state = Verdict::State::not_graded;
    out.verdict.says = "Programs are run and graded by `rankscope grade --code`.";
    if (answer != nullptr && answer->is_string())
      out.answer = shortened(answer->get<std::string>(), kMostAnswer);
    return out;
  }
  const Question& question = *entry.question;
  out.rubric = rubric_of(question);
  if (answer != nullptr) out.answer = shown_answer(question, *answer);
  try {
    const auto runs = this->runs(*entry.lesson);
    out.variant = variant_of(question, seed);
    const bool none = answer == nullptr || blank(*answer);
    const auto key = none ? std::make_shared<const json>() : key_of(entry, out.variant, *runs);
    out.verdict = rankscope::grade(question, out.variant, *key, none ? json() : *answer, *runs);
  } catch (const std::exception& error) {
    // The lesson's fault: it must neither cost points nor stop the grading of the class.
    out.verdict = {};
    out.verdict.state = Verdict::State::not_graded;
    out.verdict.says = "The question could not be graded: a mistake of the lesson.";
    report.complaints.push_back(fmt::format("{}: cannot be graded, the lesson has a mistake: {}",
                                            entry.item->key(), error.what()));
  }
  // The TA should look at this zero, because the answer could not be read.
  if (out.verdict.state == Verdict::State::malformed)
    report.complaints.push_back(
        fmt::format("{}: not an answer: {}", entry.item->key(), out.verdict.says));
  const double share = out.verdict.most > 0 ? out.verdict.points / out.verdict.most : 0;
  out.verdict.points = share * out.most;
  out.verdict.most = out.most;
  using State = Verdict::State;
  if (out.verdict.state != State::by_hand && out.verdict.state != State::not_graded)
    out.points = out.verdict.points;
  return out;
}

}  // namespace rankscope
