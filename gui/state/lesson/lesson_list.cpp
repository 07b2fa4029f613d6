// The cards of the lesson browser.

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "gui/state/lesson/lesson_controller.h"

namespace rankscope::gui {
namespace {

LessonCard card_of(const Lesson& lesson, const LessonLibrary& library,
                   const std::optional<ProgressStore>& store, const std::string& student) {
  LessonCard card;
  card.slug = lesson.slug;
  card.title = lesson.title;
  card.summary = lesson.summary;
  card.minutes = lesson.minutes;
  card.questions = static_cast<int>(lesson.questions.size());
  card.most = lesson.points();
  for (const CodingExercise& one : lesson.coding) card.most -= one.points;  // not graded here
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

CourseCard card_of(const std::string& name, const Course& course) {
  CourseCard card;
  card.name = name;
  card.title = course.title;
  card.summary = course.summary;
  card.points = course.points();
  for (const CoursePart& part : course.parts) {
    CourseCard::Part& into = card.parts.emplace_back();
    into.title = part.title;
    into.points = part.points;
    for (const CourseItem& item : part.items) {
      if (item.lesson.empty()) into.later.push_back(item.title.empty() ? item.later : item.title);
      else if (ranges::find(into.lessons, item.lesson) == into.lessons.end())
        into.lessons.push_back(item.lesson);
    }
  }
  return card;
}

}  // namespace

void LessonController::list() {
  later([this, student = state_.student, store = store_]() -> News {
    LessonState found;
    try {
      const auto all = library();
      for (const Lesson& lesson : all->lessons())
        found.cards.push_back(card_of(lesson, *all, store, student));
      for (const std::string& name : all->course_names()) {
        try {
          found.courses.push_back(card_of(name, all->course(name)));
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
      state_.students = found.students;
      state_.problem = found.problem;
    };
  });
}

}  // namespace rankscope::gui
