// Opens lessons, prepares their pages in a background thread, and grades answers.
#include "gui/state/lesson/lesson_controller.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/transports.h"
#include "gui/state/command/made_later.h"
#include "lessons/grading/grade.h"
#include "lessons/grading/sealed_formula.h"

namespace rankscope::gui {

using nlohmann::json;
using State = Verdict::State;

namespace {
constexpr std::chrono::seconds kSavesAfter{1};
/// No block's name: the first of the page that is not done.
constexpr const char* kFirstOpen = "?";
}  // namespace

LessonController::LessonController(LessonState& state, std::function<void()> changed, bool remember)
    : state_(state), changed_(std::move(changed)), runs_(std::make_shared<LessonRuns>()) {
  try {
    if (remember) store_.emplace();
  } catch (const UserError& e) {
    message_ = e.what();
  }
  if (state_.student.empty()) state_.student = default_student();
  std::string last;
  try {
    if (store_) last = store_->latest(state_.student);
  } catch (const UserError&) {
    // A name that cannot be a file's is refused where it is chosen.
  }
  // A student's copy has one course, which is opened; other libraries open none by themselves.
  if (last.empty() && state_.chosen_course.empty() && std::getenv("RANKSCOPE_LESSONS") == nullptr)
    return;
  later([this, last]() -> News {
    std::vector<std::string> courses;
    StoppedLesson stopped;
    try {
      courses = library()->course_names();
      if (const Lesson* const found = last.empty() ? nullptr : library()->find(last))
        stopped = {last, found->title};
    } catch (const UserError&) {
      return {};  // said where lessons are looked for
    }
    return [this, courses, stopped] {
      if (!state_.lesson && !stopped.slug.empty()) state_.stopped = stopped;
      if (courses.size() == 1) state_.chosen_course = courses.front();
      count_course();
    };
  });
}

LessonController::~LessonController() {
  if (unsaved_) save();
  waiting_.clear();
  if (doing_.valid()) doing_.wait();
}

// ---- In the background ----

void LessonController::later(Task task) {
  waiting_.push_back(std::move(task));
  start_next();
}

void LessonController::start_next() {
  state_.busy = busy();
  if (doing_.valid() || waiting_.empty()) return;
  doing_ = std::async(std::launch::async, [this, task = std::move(waiting_.front())]() -> News {
    News news;
    try {
      news = task();
    } catch (const std::exception& e) {  // a lesson's fault must not end the program
      news = [this, what = std::string(e.what())] { error_ = what; };
    }
    changed_();
    return news;
  });
  waiting_.pop_front();
}

bool LessonController::update() {
  if (unsaved_ && std::chrono::steady_clock::now() - *unsaved_ > kSavesAfter) save();
  if (!is_ready(doing_)) return false;
  const News news = doing_.get();
  if (news) news();
  start_next();
  state_.busy = busy();
  return true;
}

std::shared_ptr<const LessonLibrary> LessonController::library() {
  if (!library_) library_ = std::make_shared<LessonLibrary>(lessons_folder());
  return library_;
}

std::shared_ptr<const Lesson> LessonController::find_lesson(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(name) / "lesson.toml", ignored))
    return std::make_shared<const Lesson>(lesson_named(name));
  const auto all = library();
  return {all, &all->need(name)};
}

// ---- The open lesson ----

const Lesson& LessonController::lesson() const {
  if (!state_.lesson)
    throw UserError("no lesson is open: `lesson NAME` opens one, `lesson` lists them");
  return *state_.lesson;
}

const Question& LessonController::question(const std::string& id) const {
  if (const Question* found = lesson().find_question(id)) return *found;
  const auto ids = lesson().questions | std::views::transform(&Question::id);
  throw UserError(fmt::format("this lesson has no question \"{}\": {}", id, fmt::join(ids, ", ")));
}

QuestionState& LessonController::question_state(const Question& question) {
  return state_.question_states[question.id];
}

QuestionState& LessonController::ready_state(const Question& question) {
  QuestionState& state = question_state(question);
  if (!state.ready) throw UserError("this question is not on the open page, or not ready yet");
  return state;
}

void LessonController::keep_drafts() {
  for (const auto& [id, asked] : state_.question_states) {
    const Question* const question = state_.lesson->find_question(id);
    if (question == nullptr || !asked.ready || asked.checking) continue;
    const QuestionProgress& before = state_.progress.of(id);
    const bool same = asked.draft == as_draft(before.answer, asked.form) || blank(asked.draft) ||
                      asked.draft == empty_draft(asked.form);
    if (same && before.draft.is_null()) continue;
    state_.progress.questions[id].draft = same ? json() : asked.draft;
  }
}

void LessonController::edited(QuestionState& answer) {
  answer.edited = answer.draft != answer.taken;
  answer.problem.clear();
  answer.typed.clear();
  answer.unread = false;
  state_.hand_in.stale = uncounted_ = true;
  if (!unsaved_) unsaved_ = std::chrono::steady_clock::now();
}

void LessonController::leave() {
  if (!std::exchange(uncounted_, false)) return;
  save();
  count_course();
}

void LessonController::save() {
  unsaved_.reset();
  if (!store_ || !state_.lesson || state_.lecture) return;  // a lecture is no progress
  keep_drafts();
  try {
    store_->save(state_.progress);
  } catch (const UserError& e) {
    error_ = e.what();
  }
}

void LessonController::go_on() {
  if (const CourseCard::Item* const item = state_.item_to_go_on())
    return open(item->lesson, item->id);
  if (state_.stopped.slug.empty()) throw UserError("no lesson was begun yet: `lesson` lists them");
  open(state_.stopped.slug, kFirstOpen);
}

void LessonController::open(const std::string& name, const std::string& at) {
  if (unsaved_) save();
  const int opening = ++opened_;
  opened_as_ = name;
  state_.opening = name + "/" + at;
  later([this, name, at, opening, student = state_.student, store = store_]() -> News {
    const auto lesson = find_lesson(name);
    ProgressStore::Loaded loaded;
    if (store) loaded = store->load(student, lesson->slug);
    loaded.progress.lesson = lesson->slug;
    loaded.progress.student = student;
    LessonRuns runs(lesson->runs);
    const int graded = renew(loaded.progress, *lesson, runs);
    return [this, opening, at, lesson, loaded = std::move(loaded), graded] {
      if (opening != opened_) return;
      state_.opening.clear();
      if (!loaded.problem.empty()) error_ = loaded.problem;
      show_lesson(lesson, loaded.progress, at);
      if (graded > 0)
        message_ =
            fmt::format("The lesson has changed: {} graded again.",
                        graded == 1 ? "1 answer was" : fmt::format("{} answers were", graded));
    };
  });
}

namespace {

/// The page with a question, run, figure or exercise, from 0.
std::optional<int> page_of(const Lesson& lesson, const std::string& id) {
  // Runs and figures may have the name of a question or exercise, which comes first.
  for (const bool exercises : {true, false})
    for (std::size_t page = 0; page < lesson.steps.size() && !id.empty(); ++page)
      for (const Block& block : lesson.steps[page].blocks)
        if (block.id == id && is_exercise(block) == exercises) return static_cast<int>(page);
  return std::nullopt;
}

}  // namespace

void LessonController::seek(const std::string& id) {
  const std::optional<int> page = page_of(lesson(), id);
  if (!page)
    throw UserError(fmt::format("no page of this lesson has a question, run or figure \"{}\"", id));
  turn_to(*page);
  state_.list_open = false;
  state_.sought = {id, state_.sought.times + 1};
  state_.in_view = id;
}

void LessonController::show_lesson(std::shared_ptr<const Lesson> lesson, LessonProgress progress,
                                   const std::string& at) {
  ++state_.openings;
  state_.lesson = std::move(lesson);
  state_.progress = std::move(progress);
  state_.progress.step = std::clamp(state_.progress.step, 0, std::max(state_.pages() - 1, 0));
  state_.question_states.clear();
  state_.pictures.clear();
  state_.revealed.clear();
  state_.shown_run.clear();
  state_.browser = state_.list_open = false;
  state_.sought.id.clear();
  state_.in_view.clear();
  state_.stopped = {state_.lesson->slug, state_.lesson->title};
  if (const auto page = page_of(*state_.lesson, at)) {
    state_.progress.step = *page;
    state_.sought = {at, state_.sought.times + 1};
    state_.in_view = at;
  } else if (const std::string open = at == kFirstOpen ? state_.first_open() : ""; !open.empty()) {
    state_.sought = {open, state_.sought.times + 1};
    state_.in_view = open;
  }
  runs_->know(state_.lesson->runs);
  show_programs();
  message_ =
      fmt::format("{}: page {} of {}", state_.lesson->title, state_.page() + 1, state_.pages());
  prepare_page();
  count_course();
}

void LessonController::close() {
  save();
  ++opened_;
  ++state_.openings;
  state_.lesson.reset();
  state_.question_states.clear();
  state_.pictures.clear();
}

void LessonController::restart(std::uint64_t seed) {
  LessonProgress fresh;
  fresh.lesson = lesson().slug;
  fresh.student = state_.student;
  fresh.seed = lesson().copy_seed.value_or(seed);
  std::filesystem::path copy;
  if (store_ && !state_.lecture &&
      (!state_.progress.questions.empty() || !state_.progress.programs.empty())) {
    save();
    state_.hand_in.stale = true;
    copy = store_->back_up(fresh.student, fresh.lesson);
  }
  ++opened_;
  show_lesson(state_.lesson, std::move(fresh));
  save();
  if (!copy.empty()) message_ = fmt::format("Your earlier answers are kept in {}.", copy.string());
}

void LessonController::turn_to(int page) {
  const int last = std::max(static_cast<int>(lesson().steps.size()) - 1, 0);
  if (page < 0 || page > last)
    throw UserError(fmt::format("this lesson has the pages 1 to {}", last + 1));
  state_.list_open = false;
  if (page == state_.progress.step) return;
  leave();
  state_.progress.step = page;
  state_.sought.id.clear();
  state_.in_view.clear();
  state_.enlarged.clear();
  message_ = fmt::format("page {} of {}: {}", page + 1, last + 1,
                         lesson().steps[static_cast<std::size_t>(page)].title);
  save();
  prepare_page();
}

void LessonController::student(const std::string& name) {
  if (name.find_first_not_of(" \t") == std::string::npos)
    throw UserError("a student needs a name: `student \"Ada Lovelace\"`");
  if (store_) (void)store_->file_of(name, "lesson");  // is it a name?
  save();
  if (std::exchange(state_.student, name) != name) state_.hand_in.stale = true;
  if (state_.lesson) open(opened_as_);
  list();
}

void LessonController::prepare_page() {
  const Lesson& whole = lesson();
  for (const Block& block : state_.blocks()) {
    if (block.kind == Block::Kind::question) {
      if (const Question* found = whole.find_question(block.id)) prepare_question(*found);
    } else if (block.kind == Block::Kind::figure) {
      if (const LessonFigure* found = whole.find_figure(block.id)) prepare_picture(*found);
    }
  }
}

// Some forms are as large as the run that they ask about.
void LessonController::prepare_question(const Question& question) {
  if (question.kind == nullptr || state_.question_states.contains(question.id)) return;
  QuestionState& fresh = state_.question_states[question.id];
  const auto seed = state_.progress.seed;
  try {
    fresh.values = variant_of(question, seed).values;
    fresh.prompt = fill_in(question.prompt, fresh.values);
  } catch (const UserError& e) {
    fresh.problem = e.what();
    return;
  }
  later([this, opening = opened_, whole = state_.lesson, &question, seed, runs = runs_]() -> News {
    const AnswerForm form = question.kind->form(question, variant_of(question, seed), *runs);
    return [this, opening, &question, form] {
      if (opening != opened_) return;
      QuestionState& made = question_state(question);
      made.form = form;
      made.ready = true;
      const QuestionProgress& before = state_.progress.of(question.id);
      const bool written = !before.draft.is_null() && !state_.closed(question);
      made.draft = as_draft(written ? before.draft : before.answer, form);
      made.edited = written && is_changed(question, {state_.progress.seed, made.values}, before);
      made.taken = made.edited ? as_draft(before.answer, form) : made.draft;
      for (const AnswerField& field : form.fields)
        if (!form.rows) made.hands.assign(field.options.size(), 0);
      if (state_.closed(question)) solve(question);
    };
  });
}

void LessonController::prepare_picture(const LessonFigure& figure) {
  if (figure.run.empty() || state_.pictures.contains(figure.id)) return;
  state_.pictures[figure.id];
  later([this, opening = opened_, whole = state_.lesson, &figure, runs = runs_]() -> News {
    LessonPicture picture;
    try {
      // The book keeps its runs as long as it lives.
      picture.run = std::shared_ptr<const RunRecord>(runs, &runs->run(figure.run, {}));
    } catch (const UserError& e) {
      picture.problem = e.what();
    }
    return [this, opening, &figure, picture] {
      if (opening == opened_) state_.pictures[figure.id] = picture;
    };
  });
}

// ---- Answers ----

void LessonController::answer(const std::string& id, const std::string& text) {
  const Question& asked = question(id);
  QuestionState& question_state = ready_state(asked);
  try {
    question_state.draft =
        read_draft(asked, {state_.progress.seed, question_state.values}, question_state.form, text);
  } catch (const UserError& e) {
    question_state.problem = e.what();  // shown where it was typed, too
    question_state.typed = text;
    question_state.unread = true;
    throw;
  }
  edited(question_state);
  if (has_parts(question_state.form)) question_state.typed = text;
}

void LessonController::fill(const std::string& id, const std::string& field,
                            const std::string& text) {
  QuestionState& question_state = ready_state(question(id));
  fill_field(question_state.draft, question_state.form, field, text);
  edited(question_state);
}

void LessonController::check(const std::string& id) {
  const Question& asked = question(id);
  if (state_.lecture) throw UserError("in a lecture nothing is checked: `reveal` shows the answer");
  QuestionState& question_state = ready_state(asked);
  if (question_state.checking) return;
  if (question_state.unread) throw UserError(question_state.problem);
  const QuestionProgress& before = state_.progress.of(asked.id);
  if (before.gave_up) throw UserError("the answer was shown, so this question is closed");
  if (!closed_because(asked, before).empty())
    throw UserError("all attempts at this question are used");
  question_state.checking = true;
  state_.sought.id = id;  // the one in hand, without scrolling
  const Variant variant{state_.progress.seed, question_state.values};
  later([this, opening = opened_, whole = state_.lesson, &asked, variant, before,
         draft = question_state.draft, parts = has_parts(question_state.form),
         runs = runs_]() -> News {
    json given = draft;
    Verdict verdict;
    try {
      if (!parts) given = read_answer(asked, variant, given);
      verdict = grade_now(asked, variant, given, before, *runs);
    } catch (const std::exception& e) {  // of the JSON library, too
      verdict.state = State::malformed;
      verdict.says = e.what();
    }
    return [this, opening, &asked, given, draft, verdict] {
      if (opening != opened_) return;
      QuestionState& checked = this->question_state(asked);
      checked.checking = false;
      if (verdict.state != State::unanswered && verdict.state != State::malformed) {
        // One that is only kept was handed in as it stood.
        if (is_judged_here(asked) && checked.taken != draft) state_.hand_in.stale = true;
        checked.taken = draft;
      }
      checked.edited = checked.draft != checked.taken;  // typed on meanwhile, too
      note_answer(state_.progress, asked, given, verdict,
                  has_seen(*state_.lesson, state_.progress, asked));
      if (verdict.state == State::unanswered) checked.problem = "There is no answer yet.";
      else if (verdict.state == State::malformed) checked.problem = verdict.says;
      save();
      if (state_.closed(asked)) solve(asked);
      count_course();
    };
  });
}

void LessonController::hint(const std::string& id) {
  const Question& asked = question(id);
  if (asked.hints.empty()) throw UserError("there is no hint for this question");
  if (open_hint(state_.progress, asked) == nullptr) throw UserError("there are no more hints");
  save();
}

void LessonController::reveal(const std::string& name) {
  const auto turn = [&] {
    if (state_.revealed.erase(name) == 0) state_.revealed.insert(name);
  };
  if (name.starts_with("open-") && lesson().find_question(name) == nullptr) return turn();
  const Question& asked = question(name);
  if (const std::string why = kept_back(asked); !why.empty() && !state_.lecture)
    throw UserError(why);
  if (state_.lecture) turn();
  else give_up(state_.progress, asked);
  state_.hand_in.stale = true;
  save();
  count_course();
  if (state_.closed(asked)) solve(asked);
}

void LessonController::solve(const Question& asked) {
  QuestionState& question_state = this->question_state(asked);
  if (question_state.solved || asked.kind == nullptr) return;
  if (!kept_back(asked).empty() && !state_.lecture) return;
  const Variant variant{state_.progress.seed, question_state.values};
  later([this, opening = opened_, whole = state_.lesson, &asked, variant, runs = runs_]() -> News {
    const json key = asked.kind->key(asked, variant, *runs);
    const std::string text = key.is_null() ? std::string() : asked.kind->show(asked, key);
    return [this, opening, &asked, text, key] {
      if (opening != opened_) return;
      this->question_state(asked).solution = text;
      this->question_state(asked).key = key;
      this->question_state(asked).solved = true;
    };
  });
}

void LessonController::hands(const std::string& id, std::size_t option, int change) {
  QuestionState& question_state = this->question_state(question(id));
  if (option >= question_state.hands.size())
    throw UserError(fmt::format("this question has {} choices", question_state.hands.size()));
  question_state.hands[option] = std::clamp(question_state.hands[option] + change, 0, 9999);
}

const LessonRun& LessonController::run(const std::string& id) const {
  if (const LessonRun* found = lesson().find_run(id)) return *found;
  throw UserError(fmt::format("this lesson has no run \"{}\"", id));
}

JobSpec LessonController::job(const std::string& id, const Values& values) {
  return runs_->job(run(id).id, values);
}

void LessonController::unlock(const std::string& id) {
  std::vector<std::string> questions;
  for (const Step& step : lesson().steps)
    for (const Block& block : step.blocks)
      if (block.id == id ||
          (block.id.empty() && ranges::find(block.after, id) != block.after.end()))
        questions.insert(questions.end(), block.after.begin(), block.after.end());
  if (questions.empty())
    throw UserError(fmt::format(
        "nothing keeps \"{}\" closed: it is no run or figure that waits for an answer", id));
  if (lesson().student_copy) throw UserError(std::string(kNotInCopy));
  if (!state_.lecture && !state_.lecturer)
    throw UserError(
        "only lecturers open a run before its question: answer it, or let its answer be shown "
        "(`lecturer on` shows the notes, and opens runs)");
  for (const std::string& question : questions) {
    if (state_.lecture) state_.revealed.insert(unlocked_name(question));
    else state_.progress.questions[question].opened = true;
  }
  save();
}

}  // namespace rankscope::gui
