// Makes a lecture from a lesson.
#include "lessons/slides/lecture_script.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "lessons/grading/grade.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/expand.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

using Is = SceneMoment::Is;

/// Of bytes, so that a question and each of its choices fit into a line below the picture.
constexpr std::size_t kMostOfQuestion = 100, kMostOfChoice = 28, kMostChoices = 9;

std::string one_line(const std::string& markdown) {
  std::string text = markdown_plain(markdown);
  ranges::replace(text, '\n', ' ');
  return text;
}

/// Returns the last question in `prompt`; `title` if there is none, or if it is too long.
std::string asking_sentence(const std::string& prompt, const std::string& title) {
  const auto end = prompt.rfind('?');
  if (end == std::string::npos) return title;
  std::size_t begin = 0;
  for (const char* const stop : {". ", "? ", "! ", ": "})
    if (const auto at = prompt.rfind(stop, end - 1); end > 0 && at != std::string::npos)
      begin = std::max(begin, at + 2);
  std::string text = prompt.substr(begin, end + 1 - begin);
  return text.size() <= kMostOfQuestion ? text : title;
}

class SceneWriter {
 public:
  explicit SceneWriter(const Lesson& lesson) : lesson_(lesson) {
    lecture_.title = lesson.title;
    lecture_.summary = lesson.summary;
  }

  Lecture whole() {
    for (const Step& step : lesson_.steps) page(step);
    auto& scenes = lecture_.scenes;
    if (scenes.empty())
      throw UserError(
          fmt::format("{} shows no run, so there is nothing for scenes: `rankscope lesson slides` "
                      "makes slides of it",
                      lesson_.slug));
    const double each = static_cast<double>(lesson_.minutes) / static_cast<double>(scenes.size());
    for (LectureScene& scene : scenes) scene.minutes = std::max(0.5, std::round(each * 2) / 2);
    return std::move(lecture_);
  }

 private:
  void page(const Step& step) {
    title_ = step.title;
    on_page_ = false;
    for (const Block& one : step.blocks) block(one);
    if (on_page_ || lecture_.scenes.empty()) return;
    lecture_.scenes.back().notes += std::exchange(pending_, {});
    ask_waiting();
  }

  void block(const Block& block) {
    switch (block.kind) {
      case Block::Kind::text: return;
      case Block::Kind::note: return note(block.text);
      case Block::Kind::reveal: return note(fmt::format("**{}**\n\n{}", block.title, block.text));
      case Block::Kind::run: return run(block.id);
      case Block::Kind::figure: return figure(block.id);
      case Block::Kind::question: return question(block.id);
      case Block::Kind::coding: break;
    }
    if (const CodingExercise* const exercise = lesson_.find_coding(block.id))
      note(fmt::format("**Exercise: {}**", exercise->title));
  }

  void note(const std::string& text) {
    (on_page_ ? lecture_.scenes.back().notes : pending_) += text + "\n\n";
  }

  void ask_waiting() {
    for (const Question* const asked : std::exchange(waiting_, {})) ask(*asked);
  }

  // A run that needs a question's numbers is not shown.
  bool can_show(const LessonRun* run) const {
    if (run == nullptr) return false;
    try {
      validate(LessonRuns::job_of(run->job, {}));
      return true;
    } catch (const UserError&) {
      return false;
    }
  }

  void add_scene(const LessonRun& run, const std::string& title) {
    LectureScene scene;
    scene.title = title;
    scene.notes = std::exchange(pending_, {});
    scene.run.is = SceneRun::Is::job;
    scene.run.written = run.job;
    if (!run.view.empty()) scene.view = run.view;
    scene.at = scene_moment(run.at).value_or(SceneMoment());
    run_ = &run;
    lecture_.scenes.push_back(std::move(scene));
    on_page_ = true;
  }

  void run(const std::string& id) {
    const LessonRun* const shown = lesson_.find_run(id);
    if (!can_show(shown)) return;
    add_scene(*shown, title_);
    if (!shown->caption.empty()) note(shown->caption);
    ask_waiting();
  }

  void figure(const std::string& id) {
    const LessonFigure* const drawn = lesson_.find_figure(id);
    if (drawn == nullptr) return;
    const LessonRun* const shown = lesson_.find_run(drawn->run);
    if (!can_show(shown)) return note(drawn->caption);
    add_scene(*shown, title_);
    lecture_.scenes.back().view = drawn->diagram;
    lecture_.scenes.back().at = {Is::end, 0};
    note(drawn->caption);
    ask_waiting();
  }

  void question(const std::string& id) {
    const Question* const asked = lesson_.find_question(id);
    if (asked == nullptr) return;
    if (on_page_) ask(*asked);
    else waiting_.push_back(asked);
  }

  // A scene asks one question, before it shows the answer. A question that the last scene cannot ask gets a scene of its own.
  void ask(const Question& asked) {
    LectureScene& scene = lecture_.scenes.back();
    if (scene.question || scene.at.is == Is::end || is_of_program(asked)) return ask_again(asked);
    put(scene, asked);
    if (scene.at.is == Is::round) scene.question->before = {Is::round, scene.at.value + 1};
  }

  void ask_again(const Question& asked) {
    add_scene(*run_, asked.title);
    LectureScene& scene = lecture_.scenes.back();
    if (is_of_program(asked)) scene.view = "code";
    scene.at = {};
    scene.stops = {{{Is::end, 0}, {}}};
    put(scene, asked);
    scene.question->before = {Is::end, 0};
  }

  /// Returns whether the question asks for a line of the run's program.
  static bool is_of_program(const Question& asked) {
    return asked.kind != nullptr && asked.kind->name() == "bug";
  }

  static void put(LectureScene& scene, const Question& asked) {
    const Values values = variant_of(asked, 0).values;
    const std::string prompt = fill_in(asked.prompt, values);
    SceneQuestion question;
    question.text = asking_sentence(one_line(prompt), asked.title);
    scene.notes += fmt::format("**Ask: {}**\n\n{}\n\n", asked.title, prompt);
    if (asked.kind != nullptr && asked.kind->name() == "choice")
      choices(asked, values, question, scene.notes);
    if (!asked.explanation.empty())
      scene.notes += fmt::format("**Then:** {}\n\n", fill_in(asked.explanation, values));
    scene.question = std::move(question);
  }

  static void choices(const Question& asked, const Values& values, SceneQuestion& question,
                      std::string& notes) {
    std::vector<std::string> texts, right;
    bool short_ones = true;
    for (const auto& option : asked.data.at("options")) {
      texts.push_back(one_line(fill_in(option.at("text").get<std::string>(), values)));
      if (option.contains("right") && option.at("right") == true) right.push_back(texts.back());
      short_ones = short_ones && texts.back().size() <= kMostOfChoice;
      notes += "- " + texts.back() + "\n";
    }
    notes += "\n";
    if (!short_ones || texts.size() > kMostChoices) return;
    question.options = std::move(texts);
    if (right.size() == 1) question.answer = right.front();
  }

  const Lesson& lesson_;
  Lecture lecture_;
  std::string title_, pending_;           ///< The page's title, and its notes before its first run.
  std::vector<const Question*> waiting_;  ///< The questions before the page's first run.
  const LessonRun* run_ = nullptr;        ///< The run that was shown last.
  bool on_page_ = false;                  ///< The page has shown a run.
};

}  // namespace

Lecture lecture_of(const Lesson& lesson) { return SceneWriter(lesson).whole(); }

}  // namespace rankscope
