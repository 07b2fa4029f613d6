// Writes a lesson's blocks and questions as JSON.
#include "cli/lesson/lesson_json.h"

#include "engine/core/base/error.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

std::string_view kind_of(Block::Kind kind) {
  switch (kind) {
    case Block::Kind::text: return "text";
    case Block::Kind::run: return "run";
    case Block::Kind::figure: return "figure";
    case Block::Kind::question: return "question";
    case Block::Kind::coding: return "coding";
    case Block::Kind::note: return "note";
    case Block::Kind::reveal: break;
  }
  return "reveal";
}

json json_of_block(const Block& block) {
  json out = {{"kind", kind_of(block.kind)}};
  if (!block.text.empty()) out["text"] = block.text;
  if (!block.id.empty()) out["id"] = block.id;
  if (!block.title.empty()) out["title"] = block.title;
  if (!block.after.empty()) out["after"] = block.after;
  return out;
}

json json_of_question(const Question& question, std::uint64_t seed, bool lecturer,
                      LessonRuns& runs) {
  const Variant variant = variant_of(question, seed);
  json out = {{"id", question.id},
              {"title", question.title},
              {"points", question.points},
              {"covers", question.covers},
              {"prompt", fill_in(question.prompt, variant.values)},
              {"hints", question.hints.size()},
              {"attempts", question.attempts}};
  if (question.kind == nullptr) return out;
  out["kind"] = question.kind->name();
  try {
    const AnswerForm form = question.kind->form(question, variant, runs);
    out["form"] = {{"how", form.how}, {"example", form.example}, {"rows", form.rows}};
    for (const AnswerField& field : form.fields)
      out["form"]["fields"].push_back({{"name", field.name},
                                       {"label", field.label},
                                       {"options", field.options},
                                       {"unit", field.unit}});
    if (lecturer) out["key"] = question.kind->key(question, variant, runs);
  } catch (const UserError& error) {
    out["problem"] = error.what();
  }
  if (lecturer) out["explanation"] = fill_in(question.explanation, variant.values);
  return out;
}

}  // namespace

json json_of(const LessonLibrary& library,
             const std::function<LessonProgress(const std::string& lesson)>& progress) {
  json lessons = json::array(), courses = json::array();
  for (const Lesson& lesson : library.lessons()) {
    const LessonProgress one = progress(lesson.slug);
    lessons.push_back({{"lesson", lesson.slug},
                       {"title", lesson.title},
                       {"summary", lesson.summary},
                       {"minutes", lesson.minutes},
                       {"questions", lesson.questions.size()},
                       {"points", lesson.points()},
                       {"done", one.done(lesson)},
                       {"reached", one.points()}});
  }
  for (const std::string& name : library.course_names()) {
    Complaints ignored;
    courses.push_back(
        json_of(library.read_course(library.root() / "courses" / (name + ".toml"), ignored)));
  }
  return {{"lessons", lessons}, {"courses", courses}};
}

json json_of(const Course& course) {
  json parts = json::array();
  for (const CoursePart& part : course.parts) {
    json items = json::array();
    for (const CourseItem& item : part.items)
      if (item.later.empty())
        items.push_back({{"exercise", item.key()}, {"title", item.title}, {"points", item.points}});
      else items.push_back({{"later", item.later}, {"title", item.title}});
    parts.push_back({{"title", part.title}, {"points", part.points}, {"items", items}});
  }
  return {{"course", course.slug},
          {"title", course.title},
          {"summary", course.summary},
          {"points", course.points()},
          {"parts", parts}};
}

json json_of(const Lesson& lesson, std::uint64_t seed, bool lecturer, LessonRuns& runs) {
  json steps = json::array(), questions = json::array(), all_runs = json::array();
  for (const Step& step : lesson.steps) {
    json blocks = json::array();
    for (const Block& block : step.blocks)
      if (lecturer || block.kind != Block::Kind::note) blocks.push_back(json_of_block(block));
    steps.push_back({{"title", step.title}, {"blocks", blocks}});
  }
  for (const Question& question : lesson.questions)
    questions.push_back(json_of_question(question, seed, lecturer, runs));
  for (const LessonRun& run : lesson.runs)
    all_runs.push_back(
        {{"id", run.id}, {"job", run.job}, {"caption", run.caption}, {"at", run.at}});
  json coding = json::array();
  for (const CodingExercise& one : lesson.coding)
    coding.push_back({{"id", one.id},
                      {"title", one.title},
                      {"points", one.points},
                      {"contract", one.contract},
                      {"starter", one.starter},
                      {"repair", one.repair}});
  return {{"lesson", lesson.slug},
          {"title", lesson.title},
          {"summary", lesson.summary},
          {"minutes", lesson.minutes},
          {"goals", lesson.goals},
          {"seed", seed},
          {"steps", steps},
          {"questions", questions},
          {"runs", all_runs},
          {"coding", coding}};
}

}  // namespace rankscope::cli
