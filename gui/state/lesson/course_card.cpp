// Lessons and courses with how far the student is: cards, the chosen course as a check list, programs that were graded, and
// what is handed in for it.
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/transports.h"
#include "gui/state/code/code_check.h"
#include "gui/state/lesson/lesson_controller.h"
#include "gui/state/lesson/lesson_state.h"
#include "lessons/grading/sealed_formula.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/submissions/program_parts.h"
#include "lessons/text/date_time.h"

namespace rankscope::gui {

double CourseCard::Part::reached() const noexcept {
  double out = 0;
  for (const Item& item : items) out += item.points.value_or(0);
  return out;
}

double CourseCard::reached() const noexcept {
  double out = 0;
  for (const Part& part : parts) out += part.reached();
  return out;
}

namespace {

std::string score_of(std::span<const CourseCard::Part> parts, double points) {
  double reached = 0;
  int kept = 0, all = 0;
  bool judged = false;
  for (const CourseCard::Part& part : parts) {
    reached += part.reached();
    for (const CourseCard::Item& item : part.items) {
      judged = judged || item.judged || item.points;
      all += item.lesson.empty() ? 0 : 1;
      kept += item.is_open() || item.lesson.empty() ? 0 : 1;
    }
  }
  if (!judged && all > 0) return fmt::format("{} of {} kept", kept, all);
  return fmt::format("{} of {} point{}", number_text(std::round(reached * 100) / 100),
                     number_text(std::round(points * 100) / 100), points == 1 ? "" : "s");
}

}  // namespace

std::string CourseCard::Part::score() const { return score_of({this, 1}, points); }
std::string CourseCard::score() const { return score_of(parts, points); }

std::string CourseCard::due() const {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (rules.closes && now > *rules.closes) return "closed";
  if (!rules.deadline) return "";
  return fmt::format("{} {}", now > *rules.deadline ? "was due" : "due",
                     time_text(*rules.deadline));
}

bool CourseCard::Item::is_open() const noexcept {
  constexpr std::array kDone = {ItemStanding::right, ItemStanding::shown, ItemStanding::by_hand,
                                ItemStanding::readable, ItemStanding::not_graded};
  return !lesson.empty() && ranges::find(kDone, standing) == kDone.end();
}

const CourseCard::Item* CourseCard::next(const Item* after) const noexcept {
  const Item* before = nullptr;
  bool passed = after == nullptr;
  for (const Part& part : parts)
    for (const Item& item : part.items) {
      if (&item == after) passed = true;
      else if (!item.is_open()) continue;
      else if (passed) return &item;
      else if (before == nullptr) before = &item;
    }
  return before;
}

const CourseCard* LessonState::course() const noexcept {
  const auto found = ranges::find(courses, chosen_course, &CourseCard::name);
  return found == courses.end() ? nullptr : &*found;
}

const CourseCard::Item* LessonState::item_of(std::string_view exercise,
                                             const Lesson* of) const noexcept {
  const CourseCard* const card = course();
  if (of == nullptr) of = lesson.get();
  if (card == nullptr || of == nullptr) return nullptr;
  for (const CourseCard::Part& part : card->parts)
    for (const CourseCard::Item& item : part.items)
      if (item.lesson == of->slug && item.id == exercise) return &item;
  return nullptr;
}

const CourseCard::Item* LessonState::item_to_go_on() const noexcept {
  const CourseCard* const card = course();
  if (card == nullptr) return nullptr;
  const CourseCard::Item* last = nullptr;
  for (const CourseCard::Part& part : card->parts)
    for (const CourseCard::Item& item : part.items) {
      if (item.lesson != stopped.slug || item.lesson.empty()) continue;
      if (item.is_open()) return &item;
      last = &item;
    }
  return card->next(last);
}

std::string LessonState::program_beside(const CourseCard::Item& item) const {
  const CourseCard* const card = course();
  if (card == nullptr || item.file.empty()) return "";
  for (const CourseCard::Part& part : card->parts)
    for (const CourseCard::Item& other : part.items)
      if (other.file == item.file && !other.own.empty()) return other.own;
  return "";
}

std::string LessonState::first_open() const {
  for (const Block& block : blocks()) {
    const Question* const question = lesson->find_question(block.id);
    if (block.kind == Block::Kind::question && question != nullptr) {
      const QuestionProgress& one = progress.of(block.id);
      if (!is_kept(one) && !is_done(*question, one)) return block.id;
    }
    if (block.kind != Block::Kind::coding) continue;
    const CodingExercise* const exercise = lesson->find_coding(block.id);
    const auto graded = progress.programs.find(block.id);
    if (exercise != nullptr && exercise->graded() &&
        (graded == progress.programs.end() || graded->second.best < exercise->points))
      return block.id;
  }
  return "";
}

double LessonState::course_scale(std::string_view exercise, double points,
                                 const Lesson* of) const noexcept {
  const CourseCard::Item* const item = item_of(exercise, of);
  return item != nullptr && points > 0 ? item->most / points : 1;
}

bool LessonState::is_sought(const Block& block) const {
  if (block.id.empty() || block.id != sought.id || !lesson) return false;
  return is_exercise(block) ||
         (lesson->find_question(block.id) == nullptr && lesson->find_coding(block.id) == nullptr);
}

bool LessonState::looks_at(std::string_view exercise) const noexcept {
  return (in_view.empty() || in_view == exercise) &&
         ranges::any_of(blocks(),
                        [&](const Block& one) { return is_exercise(one) && one.id == exercise; });
}

const CourseCard::Item* LessonState::item_here() const noexcept {
  const CourseCard* const card = course();
  if (card == nullptr || !lesson || page() >= pages()) return nullptr;
  const CourseCard::Item *on_page = nullptr, *in_lesson = nullptr;
  for (const CourseCard::Part& part : card->parts)
    for (const CourseCard::Item& item : part.items) {
      if (item.lesson != lesson->slug) continue;
      const bool here = ranges::any_of(
          blocks(), [&](const Block& one) { return is_exercise(one) && one.id == item.id; });
      if (here && item.id == (in_view.empty() ? sought.id : in_view)) return &item;
      if (here && on_page == nullptr) on_page = &item;
      if (in_lesson == nullptr) in_lesson = &item;
    }
  return on_page != nullptr ? on_page : in_lesson;
}

/// A course and what grades it: keys are computed once.
struct LessonController::CourseBook {
  CourseBook(std::shared_ptr<const LessonLibrary> all, const std::string& name)
      : library(std::move(all)), course(library->course(name)), grader(*library, course) {}
  std::shared_ptr<const LessonLibrary> library;
  Course course;
  CourseGrader grader;
};

namespace {

LessonCard card_of(const Lesson& lesson, const LessonLibrary& library,
                   const std::optional<ProgressStore>& store, const std::string& student) {
  LessonCard card;
  card.slug = lesson.slug;
  card.title = lesson.title;
  card.summary = lesson.summary;
  card.minutes = lesson.minutes;
  card.items = lesson.items();
  card.most = lesson.points();
  for (const std::string& slug : lesson.prerequisites)
    if (const Lesson* before = library.find(slug)) card.prerequisites.push_back(before->title);
  std::error_code ignored;
  if (!store || !std::filesystem::exists(store->file_of(student, lesson.slug), ignored))
    return card;
  try {
    const LessonProgress progress = store->peek(student, lesson.slug);
    card.begun = true;
    card.done = progress.done(lesson);
    card.points = progress.points();
  } catch (const UserError&) {
    // A broken file is reported when the lesson is opened.
  }
  return card;
}

}  // namespace

LessonController::CourseBook& LessonController::book(const std::string& name) {
  auto& book = books_[name];
  if (!book) book = std::make_shared<CourseBook>(library(), name);
  return *book;
}

CourseCard LessonController::course_card(const std::string& name, const std::string& student,
                                         const std::optional<ProgressStore>& store) {
  CourseBook& from = book(name);
  CourseCard card;
  card.name = name;
  card.library = from.library;
  card.title = from.course.title;
  card.summary = from.course.summary;
  card.points = from.course.points();
  card.rules = from.course.hand_in;
  const SheetCheck check =
      check_progress(from.grader, store ? *store : ProgressStore("/dev/null"), student);
  card.remarks = check.remarks;
  for (const CoursePart& part : from.course.parts) {
    CourseCard::Part& into = card.parts.emplace_back();
    into.title = part.title;
    into.points = part.points;
    for (const CourseItem& item : part.items) {
      CourseCard::Item& one = into.items.emplace_back();
      one.title = item.title.empty() ? item.later : item.title;
      one.most = item.points;
      const auto found = ranges::find(check.items, item.key(), &HandInItem::key);
      if (!item.later.empty() || found == check.items.end()) continue;
      one.lesson = item.lesson;
      one.id = item.id;
      one.title = found->title;
      one.lesson_title = found->entry->lesson->title;
      one.minutes = found->entry->lesson->minutes;
      one.program = found->entry->coding != nullptr;
      one.judged =
          one.program ? found->entry->coding->graded() : is_judged_here(*found->entry->question);
      one.own = found->file;
      const auto holds = [&](const CourseFile& file) {
        return ranges::find(file.holds, item.key()) != file.holds.end();
      };
      const auto file = ranges::find_if(from.course.files, holds);
      if (file != from.course.files.end()) one.file = file->path;
      one.points = found->points;
      one.standing = found->standing;
      one.says = found->says;
    }
  }
  return card;
}

void LessonController::count_course() {
  if (state_.chosen_course.empty() || state_.lecture) return;
  later([this, name = state_.chosen_course, student = state_.student, store = store_]() -> News {
    CourseCard card;
    try {
      card = course_card(name, student, store);
    } catch (const UserError&) {
      return {};  // `rankscope lesson check` says what is wrong with it
    }
    return [this, card = std::move(card), student] {
      if (student != state_.student) return;
      const auto found = ranges::find(state_.courses, card.name, &CourseCard::name);
      if (found != state_.courses.end()) *found = card;
      else state_.courses.push_back(card);
    };
  });
}

void LessonController::course(const std::string& name) {
  if (name != state_.chosen_course) {
    state_.hand_in = {};
    state_.list_open = false;
  }
  state_.chosen_course = name;
  count_course();
}

void LessonController::hand_in(const std::string& to) {
  if (state_.chosen_course.empty())
    throw UserError("choose a course first: `lesson course homework`, or in the list of lessons");
  if (!store_)
    throw UserError("nothing is remembered in this window, so there is nothing to hand in");
  save();
  state_.hand_in = {true, true, false, to, "", std::nullopt};
  later([this, to, name = state_.chosen_course, student = state_.student,
         sheet_name = state_.sheet_name, store = *store_]() -> News {
    HandInState done{true, false, false, to, "", std::nullopt};
    try {
      CourseBook& from = book(name);
      LessonRuns runs;
      done.receipt = rankscope::hand_in(from.grader, store, runs, {student, to, {}, sheet_name});
    } catch (const std::exception& e) {
      done.problem = e.what();
    }
    return [this, name, done = std::move(done)] {
      if (name != state_.chosen_course) return;
      const bool stale = state_.hand_in.stale;  // answered on meanwhile
      state_.hand_in = done;
      state_.hand_in.stale = stale;
      if (!done.problem.empty()) error_ = done.problem;
      else message_ = fmt::format("written to {}, receipt {}", done.to, done.receipt->checksum);
    };
  });
}

namespace {

/// The exercise's program in a chosen file or folder.
std::filesystem::path program_in(const CodingExercise& exercise, const std::string& chosen) {
  const std::filesystem::path at = chosen;
  std::error_code error;
  return std::filesystem::is_directory(at, error) ? at / exercise_file(exercise, at).file : at;
}

}  // namespace

std::string LessonController::hash_of_program(const CodingExercise& exercise,
                                              const std::string& file) {
  return program_hash(program_in(exercise, file));
}

void LessonController::note_program(const Lesson& lesson, const std::string& exercise,
                                    const CodeState& code) {
  const CodingExercise* const graded = lesson.find_coding(exercise);
  if (graded == nullptr) return;
  const std::filesystem::path file = program_in(*graded, code.graded_file);
  // The grader may have read a file that was saved while it ran.
  const std::string hash = program_hash(file) == code.graded_hash ? code.graded_hash : "";
  state_.hand_in.stale = true;
  const auto note = [&](LessonProgress& progress) {
    rankscope::note_program(progress, *graded, file, hash, code.points, code.verdict);
  };
  if (state_.lesson && state_.lesson->slug == lesson.slug) {
    note(state_.progress);
    save();
  } else if (store_ && !state_.lecture) {
    try {
      LessonProgress left = store_->load(state_.student, lesson.slug).progress;
      note(left);
      store_->save(left);
    } catch (const UserError& e) {
      error_ = e.what();
    }
  }
  count_course();
}

namespace {

/// The reasons of an earlier grading; its run was deleted with the window.
void take_earlier(CodeState& code, const ProgramProgress& graded) {
  if (!graded.verdict.is_object()) return;
  CodeState earlier;
  try {
    take_verdict(earlier, graded.verdict);
  } catch (const nlohmann::json::exception&) {  // of another version
    return;
  }
  earlier.again = code.again;
  earlier.behind = code.behind;
  code = std::move(earlier);
  code.trace.clear();
}

}  // namespace

void LessonController::show_programs() {
  for (const auto& [id, one] : state_.progress.programs) {
    CodeState& code = state_.code[id];
    const CodingExercise* const exercise = state_.lesson->find_coding(id);
    std::error_code error;
    const bool other = !code.file.empty() && code.file != one.file;
    if (exercise == nullptr || other || code.state != CodeState::State::none ||
        !std::filesystem::is_regular_file(one.file, error))
      continue;
    take_earlier(code, one);
    code.file = code.graded_file = one.file;
    code.points = one.points;
    code.most = exercise->points;
    code.state = CodeState::State::graded;
  }
}

void LessonController::list() {
  if (std::exchange(uncounted_, false)) save();
  later([this, student = state_.student, store = store_]() -> News {
    LessonState found;
    try {
      const auto all = library();
      for (const Lesson& lesson : all->lessons())
        found.cards.push_back(card_of(lesson, *all, store, student));
      for (const std::string& name : all->course_names()) {
        try {
          found.courses.push_back(course_card(name, student, store));
        } catch (const UserError&) {
          // `rankscope lesson check` says what is wrong with it.
        }
      }
      if (found.cards.empty()) found.problem = "There are no lessons in " + all->root().string();
    } catch (const UserError& e) {
      found.problem = e.what();
    }
    if (store) found.students = store->students();
    if (ranges::find(found.students, student) == found.students.end())
      found.students.insert(found.students.begin(), student);
    return [this, found = std::move(found)] {
      state_.cards = found.cards;
      state_.courses = found.courses;
      if (state_.courses.size() == 1) state_.chosen_course = state_.courses.front().name;
      state_.students = found.students;
      state_.problem = found.problem;
    };
  });
}

}  // namespace rankscope::gui
