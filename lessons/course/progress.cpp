// Reads, updates and writes a student's progress file, keeping damaged ones aside.
#include "lessons/course/progress.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "lessons/grading/sealed_formula.h"
#include "lessons/text/date_time.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using State = Verdict::State;

constexpr int kVersion = 1;
constexpr std::uintmax_t kLargestProgress = std::uintmax_t{8} << 20;
constexpr std::size_t kMostOfName =
    80;  // each byte may become %XX, and a file's name has at most 255

// The names in files, which stay when the words for people change.
constexpr std::pair<State, std::string_view> kStates[] = {
    {State::right, "right"},           {State::partly, "partly"},       {State::wrong, "wrong"},
    {State::unanswered, "unanswered"}, {State::malformed, "malformed"}, {State::by_hand, "by_hand"},
    {State::not_graded, "not_graded"},
};

std::string_view word_of(State state) {
  return ranges::find(kStates, state, &std::pair<State, std::string_view>::first)->second;
}

State state_of(std::string_view word) {
  const auto* const found =
      ranges::find(kStates, word, &std::pair<State, std::string_view>::second);
  return found == std::end(kStates) ? State::unanswered : found->first;
}

bool plain(unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80; }

// Makes any name a file name: "../x" becomes "%2E%2E%2Fx".
std::string file_named(std::string_view name) {
  if (name.size() > kMostOfName)
    throw UserError(
        fmt::format("a name has at most {} characters: choose a shorter one", kMostOfName));
  std::string out;
  for (const char c : name)
    out += plain(static_cast<unsigned char>(c)) || (c == '.' && !out.empty())
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out.empty() ? "%" : out;
}

std::string name_of_file(std::string_view file) {
  std::string out;
  for (std::size_t i = 0; i < file.size(); ++i) {
    unsigned code = 0;
    if (file[i] == '%' && i + 2 < file.size() &&
        std::from_chars(file.data() + i + 1, file.data() + i + 3, code, 16).ec == std::errc{}) {
      out += static_cast<char>(code);
      i += 2;
    } else {
      out += file[i];
    }
  }
  return out;
}

json question_json(const QuestionProgress& one) {
  json out = {{"answer", one.answer}, {"best", one.best},       {"state", word_of(one.state)},
              {"says", one.says},     {"points", one.points},   {"attempts", one.attempts},
              {"hints", one.hints},   {"gave_up", one.gave_up}, {"opened", one.opened},
              {"seen", one.seen},     {"digest", one.digest}};
  if (!one.draft.is_null()) out["draft"] = one.draft;
  return out;
}

json program_json(const ProgramProgress& one) {
  return {{"file", one.file},
          {"text", one.text},
          {"points", one.points},
          {"best", one.best},
          {"verdict", one.verdict}};
}

ProgramProgress program_from(const json& from) {
  return {from.value("file", ""), from.value("text", ""), std::max(from.value("points", 0.0), 0.0),
          std::max(from.value("best", 0.0), 0.0), from.value("verdict", json())};
}

// Returns a valid count, whatever the file holds.
int count_from(const json& from, const char* key) {
  constexpr double kMost = 1'000'000;
  const auto found = from.find(key);
  return found == from.end() ? 0 : static_cast<int>(std::clamp(found->get<double>(), 0.0, kMost));
}

QuestionProgress question_from(const json& from) {
  QuestionProgress out;
  out.answer = from.value("answer", json());
  out.best = from.value("best", json());
  out.draft = from.value("draft", json());
  out.state = state_of(from.value("state", "unanswered"));
  out.says = from.value("says", "");
  out.points = std::max(from.value("points", 0.0), 0.0);
  out.attempts = count_from(from, "attempts");
  out.hints = count_from(from, "hints");
  out.gave_up = from.value("gave_up", false);
  out.opened = from.value("opened", false);
  out.seen = from.value("seen", false);
  out.digest = from.value("digest", "");
  return out;
}

// Returns a free name beside the file.
fs::path free_name(const fs::path& file, std::string_view why) {
  std::error_code error;
  for (int number = 1;; ++number) {
    fs::path out = file;
    out += fmt::format(".{}-{}", why, number);
    if (!fs::exists(out, error)) return out;
  }
}

fs::path move_broken_file(const fs::path& file) {
  std::error_code error;
  fs::path moved_to = free_name(file, "broken");
  fs::rename(file, moved_to, error);
  if (error)
    throw UserError(
        fmt::format("the progress in {} cannot be read, nor set aside ({}): move it away",
                    file.string(), error.message()));
  return moved_to;
}

// Grades the kept answer by the question as it is now.
void grade_again(QuestionProgress& one, const Question& question, std::uint64_t seed,
                 LessonRuns& runs) {
  Verdict verdict;
  try {
    verdict = grade(question, variant_of(question, seed), one.answer, runs);
  } catch (const std::exception& error) {
    verdict.says = error.what();
  }
  if (verdict.state == State::malformed) verdict.state = State::unanswered;
  one.state = verdict.state;
  one.says = verdict.says;
  one.points = one.gave_up ? std::min(one.points, verdict.points) : verdict.points;
  if (!one.gave_up) one.best = one.answer;
  one.digest = question.digest;
}

}  // namespace

const QuestionProgress& LessonProgress::of(std::string_view question) const noexcept {
  static const QuestionProgress kNone;
  const auto found = questions.find(question);
  return found == questions.end() ? kNone : found->second;
}

double LessonProgress::points() const noexcept {
  double out = 0;
  for (const auto& [id, one] : questions) out += one.points;
  for (const auto& [id, one] : programs) out += one.best;
  return out;
}

int LessonProgress::done(const Lesson& whole) const noexcept {
  const auto right = ranges::count_if(whole.coding, [&](const CodingExercise& exercise) {
    const auto found = programs.find(exercise.id);
    return found != programs.end() && found->second.best >= exercise.points;
  });
  return static_cast<int>(right + ranges::count_if(whole.questions, [&](const Question& question) {
                            const QuestionProgress& one = of(question.id);
                            return is_kept(one) || is_done(question, one);
                          }));
}

std::string closed_because(const Question& question, const QuestionProgress& progress) {
  if (progress.gave_up) return "The answer was shown, so this question is closed.";
  if (progress.state == State::right) return "";
  if (question.student_copy) return "";  // answers may be changed until they are handed in
  if (question.attempts > 0 && progress.attempts >= question.attempts)
    return fmt::format("All {} attempts are used. 'answer' shows the right one.",
                       question.attempts);
  return "";
}

Verdict grade_now(const Question& question, const Variant& variant, const json& answer,
                  const QuestionProgress& before, LessonRuns& runs) {
  Verdict verdict;
  verdict.most = question.points;
  verdict.state = State::malformed;
  if (verdict.says = fault_in_form(question, variant, answer); !verdict.says.empty())
    return verdict;
  std::string why;
  if (has_seals(question) && !blank(answer)) {
    // Whole seconds: the clock's nanoseconds end in 2262.
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (question.feedback_from && now < *question.feedback_from)
      why = fmt::format("Whether it is right is said from {}.", time_text(*question.feedback_from));
    else if (question.attempts > 0 && before.attempts >= question.attempts)
      why = fmt::format("All {} attempts with feedback are used.", question.attempts);
  }
  if (why.empty()) return grade(question, variant, answer, runs);
  verdict.state = State::not_graded;
  verdict.says = fmt::format("{} {}", kKeptForLecturer, why);
  return verdict;
}

bool is_kept(const QuestionProgress& progress) noexcept {
  return !progress.gave_up &&
         (progress.state == State::by_hand || progress.state == State::not_graded);
}

bool is_done(const Question& question, const QuestionProgress& progress) {
  return progress.state == State::right || !closed_because(question, progress).empty();
}

void note_answer(LessonProgress& progress, const Question& question, const json& answer,
                 const Verdict& verdict, bool seen) {
  QuestionProgress& one = progress.questions[question.id];
  if (verdict.state == State::malformed || verdict.state == State::unanswered) {
    one.says = verdict.says;
    return;
  }
  if (one.attempts == 0 || verdict.points > one.points) one.seen = seen;
  one.answer = answer;
  one.digest = question.digest;
  one.state = verdict.state;
  one.says = verdict.says;
  ++one.attempts;
  if (one.gave_up) return;
  if (verdict.points >= one.points) one.best = answer;
  one.points = std::max(one.points, verdict.points);
}

bool is_changed(const Question& question, const Variant& variant,
                const QuestionProgress& progress) {
  if (progress.draft.is_null() || question.kind == nullptr || is_done(question, progress))
    return false;
  try {
    return read_answer(question, variant, progress.draft) != progress.answer;
  } catch (const UserError&) {
    return true;
  }
}

AnswerToHandIn answer_to_hand_in(const Question& question, const Variant& variant,
                                 const QuestionProgress& progress) {
  // Progress of earlier versions has no best answer.
  const json& kept = progress.best.is_null() && !progress.gave_up ? progress.answer : progress.best;
  if (!is_changed(question, variant, progress)) return {kept, ""};
  if (is_judged_here(question))
    return {kept, kept.is_null() ? "written, but not checked: check it, or it is not handed in"
                                 : "changed, but not checked: check it, or the earlier answer is "
                                   "handed in"};
  const std::string fault = fault_in_form(question, variant, progress.draft);
  if (fault.empty() || kept.is_null()) return {progress.draft, ""};
  return {kept, fmt::format("changed, but the change cannot be read, so the earlier answer is "
                            "handed in: {}",
                            fault)};
}

void note_program(LessonProgress& progress, const CodingExercise& exercise, const fs::path& file,
                  const std::string& hash, double points, const json& verdict) {
  ProgramProgress& one = progress.programs[exercise.id];
  one.file = fs::absolute(file).lexically_normal().string();
  one.text = hash;
  one.points = points;
  one.verdict = verdict;
  one.best = std::min(std::max(one.best, points), exercise.points);
}

const std::string* open_hint(LessonProgress& progress, const Question& question) {
  QuestionProgress& one = progress.questions[question.id];
  if (one.hints >= static_cast<int>(question.hints.size())) return nullptr;
  return &question.hints[static_cast<std::size_t>(one.hints++)];
}

void give_up(LessonProgress& progress, const Question& question) {
  QuestionProgress& one = progress.questions[question.id];
  if (one.state != State::right) one.gave_up = true;
}

int renew(LessonProgress& progress, const Lesson& lesson, LessonRuns& runs) {
  int graded = 0;
  if (lesson.copy_seed) progress.seed = *lesson.copy_seed;  // a personal copy has its own
  for (const Question& question : lesson.questions) {
    const auto found = progress.questions.find(question.id);
    if (found == progress.questions.end()) continue;
    QuestionProgress& one = found->second;
    one.hints = std::min(one.hints, static_cast<int>(question.hints.size()));
    if (!one.answer.is_null() && question.kind != nullptr && one.digest != question.digest) {
      grade_again(one, question, progress.seed, runs);
      ++graded;
    }
    one.points = std::min(one.points, question.points);
  }
  for (auto& [id, one] : progress.programs) {
    const CodingExercise* const exercise = lesson.find_coding(id);
    one.best = std::min(one.best, exercise != nullptr ? exercise->points : 0);
  }
  return graded;
}

json to_json(const LessonProgress& progress) {
  json questions = json::object();
  json programs = json::object();
  for (const auto& [id, one] : progress.questions) questions[id] = question_json(one);
  for (const auto& [id, one] : progress.programs) programs[id] = program_json(one);
  return {{"version", kVersion},   {"lesson", progress.lesson}, {"student", progress.student},
          {"seed", progress.seed}, {"step", progress.step},     {"questions", questions},
          {"programs", programs}};
}

LessonProgress progress_from(const json& from) {
  try {
    if (from.at("version").get<int>() > kVersion)
      throw UserError("it was written by a newer rankscope");
    LessonProgress out;
    out.lesson = from.at("lesson").get<std::string>();
    out.student = from.at("student").get<std::string>();
    out.seed = from.value("seed", std::uint64_t{0});
    out.step = count_from(from, "step");
    for (const auto& [id, one] : from.at("questions").items())
      out.questions[id] = question_from(one);
    const json programs = from.value("programs", json::object());  // lives as long as its items()
    for (const auto& [id, one] : programs.items()) out.programs[id] = program_from(one);
    return out;
  } catch (const json::exception&) {
    throw UserError("it is not what rankscope writes");
  }
}

ProgressStore::ProgressStore() : root_(user_data_folder() / "rankscope" / "progress") {}

fs::path ProgressStore::file_of(std::string_view student, std::string_view lesson) const {
  return root_ / file_named(student) / (file_named(lesson) + ".json");
}

LessonProgress ProgressStore::peek(std::string_view student, std::string_view lesson) const {
  const fs::path file = file_of(student, lesson);
  std::string fault;
  const json read = parse_json_or_none(read_whole(file, kLargestProgress, fault));
  if (!fault.empty()) throw UserError("it " + fault);
  if (read.is_discarded()) throw UserError("it is cut or damaged");
  return progress_from(read);
}

ProgressStore::Loaded ProgressStore::load(std::string_view student, std::string_view lesson) const {
  Loaded out;
  const fs::path file = file_of(student, lesson);
  std::error_code error;
  if (fs::exists(file, error)) {
    try {
      out.progress = peek(student, lesson);
      out.found = true;
    } catch (const UserError& why) {
      const fs::path moved_to = move_broken_file(file);
      out.problem = fmt::format(
          "The progress of {} in {} cannot be used: {}. The file is kept as {}; "
          "the lesson starts again.",
          student, lesson, why.what(), moved_to.string());
      out.progress = {};
    }
  }
  out.progress.lesson = lesson;
  out.progress.student = student;
  return out;
}

fs::path ProgressStore::back_up(std::string_view student, std::string_view lesson) const {
  const fs::path file = file_of(student, lesson);
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  fs::path copy = free_name(file, "before-restart");
  fs::copy_file(file, copy, error);
  if (error)
    throw UserError(fmt::format("cannot keep a copy of the progress in {}: {}", file.string(),
                                error.message()));
  return copy;
}

void ProgressStore::save(const LessonProgress& progress) const {
  const fs::path file = file_of(progress.student, progress.lesson);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  fs::path fresh = file;
  fresh += fmt::format(".{}.part", ::getpid());
  if (!error) {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << dump_json(to_json(progress), 2) << '\n';
    out.close();
    if (!out) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(fresh, file, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(fresh, ignored);
  throw UserError(fmt::format(
      "cannot save the progress in {}: {}. Set XDG_DATA_HOME to a folder that can be written.",
      file.string(), error.message()));
}

std::string ProgressStore::latest(std::string_view student) const {
  std::error_code error;
  std::string out;
  fs::file_time_type newest = fs::file_time_type::min();
  for (const auto& entry : fs::directory_iterator(root_ / file_named(student), error)) {
    if (entry.path().extension() != ".json") continue;
    const auto time = entry.last_write_time(error);
    if (error || time < newest) continue;
    newest = time;
    out = name_of_file(entry.path().stem().string());
  }
  return out;
}

std::vector<std::string> ProgressStore::students() const {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error))
    if (entry.is_directory(error)) out.push_back(name_of_file(entry.path().filename().string()));
  ranges::sort(out);
  return out;
}

std::string default_student() {
  const char* user = std::getenv("USER");
  return user == nullptr || *user == '\0' ? "student" : user;
}

}  // namespace rankscope
