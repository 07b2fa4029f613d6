// The commands of answers in a picture: ask, draw and parting.
#include "gui/state/app/answer_commands.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/collectives/schedule.h"
#include "gui/state/app/groups.h"
#include "lessons/lesson/picture.h"

namespace rankscope::gui {
namespace {

constexpr int kMostSteps = 1000;

/// The run whose values a question asks for; empty if it asks for none, or for those of several runs.
std::string measured_run(const Question& question) {
  const auto of = [](const nlohmann::json& answer) -> std::string {
    if (!answer.is_object() || !answer.contains("run") || !answer.contains("measure")) return "";
    const std::string measure = answer.value("measure", ""), run = answer.value("run", "");
    const bool values = measure == "value" || measure == "values" || measure == "history";
    return values && run.find('{') == std::string::npos ? run : "";
  };
  if (question.data.contains("answer")) return of(question.data["answer"]);
  if (question.kind->name() == "fill") return question.data.value("run", "");  // values to fill in
  std::string run;
  if (question.data.contains("columns") && question.data["columns"].is_array())
    for (const nlohmann::json& column : question.data["columns"]) {
      const std::string one = column.contains("answer") ? of(column["answer"]) : "";
      if (one.empty() || (!run.empty() && run != one)) return "";
      run = one;
    }
  return run;
}

bool has_parting(const AppState& s) { return s.lesson.prediction.parting.has_value(); }
bool is_asked(const AppState& s) { return !s.lesson.asked.question.empty(); }

bool was_wrong(const QuestionProgress& progress) {
  return progress.attempts > 0 &&
         (progress.state == Verdict::State::wrong || progress.state == Verdict::State::partly);
}

/// Returns the number of chunks of a schedule's data; 0 if unknown.
int chunks_of(const Question& question, const Variant& variant, const nlohmann::json& moves) {
  JobSpec job;
  if (!question.kind->trial(question, variant, moves, job)) return 0;
  return parse_schedule(job.call.schedule).chunks_for(job.world.size);
}

/// Gives messages of all data the numbers of their chunks, from the first to the last.
void number_wholes(std::vector<PredictedMessage>& messages, int chunks) {
  for (PredictedMessage& one : messages) {
    one.whole = one.whole || (one.first == 0 && one.last == chunks - 1);
    if (!one.whole || chunks <= 0) continue;
    one.first = 0;
    one.last = chunks - 1;
  }
}

}  // namespace

// ---- The commands ----

constexpr Row<Text, int> cmd::ask(
    "ask QUESTION|off [STEP]",
    "Shows the run that a question is about, so that the answer can be given in the picture", "", 1,
    2, Curtain::keeps, does<&AnswerCommands::ask>, kUndoable,
    menu(item(Menu::lesson, 1, "Stop answering in the picture", "off", is_asked, nullptr, true)));
constexpr Row<Text, int, int, Text> cmd::draw(
    "draw QUESTION FROM TO [CHUNK] [STEP]",
    "Draws a message into an answer: its sender, its receiver, its chunk or \"all\"", "", 3, 5,
    Curtain::keeps, does<&AnswerCommands::draw>, kUndoable);
constexpr Row<> cmd::parting("parting",
                             "Moves the cursor to where a wrong prediction and the run part", "", 0,
                             0, Curtain::keeps, does<&AnswerCommands::parting>, kMovesCursor,
                             menu(item(Menu::lesson, 1, "Where the prediction parts", "",
                                       has_parting, nullptr, true)));

void AnswerCommands::show_view(std::string_view name) {
  auto& layout = state_.settings.layout;
  // The stage is answered on where it is large.
  if (name == "stage" || !layout.shows(name))
    app_.group<ViewCommands>().view(Slot::main, std::string(name));
  if (layout.maximized && layout.at(*layout.maximized) != name) layout.maximized.reset();
}

void AnswerCommands::ask(const Arguments& words) {
  auto& lesson = state_.lesson;
  if (words[0] == "off") return stop_asking();
  auto& room = app_.group<LessonCommands>().room();
  const Question& question = room.question(words[0]);
  const QuestionState& asked = room.ready_state(question);
  const AnswerPicture& picture = asked.form.picture;
  if (picture.is == AnswerPicture::Is::none)
    throw UserError("the answer to this question is typed: no picture has a place for it");
  const int step = words.size() > 1 ? words.number<int>(1, "the step") : 1;
  if (step < 1 || step > kMostSteps) throw UserError(fmt::format("steps are 1 to {}", kMostSteps));
  if (lesson.asked.question != question.id || !lesson.asked.in_picture) {
    trial_shown_ = 0;
    tried_step_ = shown_step_ = -1;
  }
  judged_ = {};
  lesson.asked = {question.id, step, false};
  if (!picture.run.empty()) ask_about_run(question, asked, picture.run);
  else algorithm_.clear();
  lesson.asked.in_picture = fits();
  show_view(picture.is == AnswerPicture::Is::line ? "code" : "stage");
}

bool AnswerCommands::show_beside(const Question& question, bool may_stay) {
  auto& lesson = state_.lesson;
  const QuestionState& asked = *lesson.question_state(question.id);
  const auto is = asked.form.picture.is;
  const bool drawn = is == AnswerPicture::Is::messages || is == AnswerPicture::Is::contributions;
  const std::string run = drawn ? asked.form.picture.run : measured_run(question);
  if (run.empty()) return false;
  JobSpec job;
  try {
    job = app_.group<LessonCommands>().room().job(run, asked.values);
  } catch (const UserError&) {
    return false;  // `lesson check` says what is wrong with it
  }
  if (lesson.asked.question == question.id && lesson.asked.in_picture) return true;
  algorithm_ = job.call.algorithm;
  ranks_ = job.world.size;
  // Another run of this algorithm on as many ranks has other values.
  if (!drawn && may_stay && fits() && lesson.shown_run == run) {
    stop_asking();
    state_.settings.values = true;
    return true;
  }
  judged_ = {};
  trial_shown_ = 0;
  tried_step_ = shown_step_ = -1;
  lesson.asked = {question.id, 1, false};
  lesson.prediction = {};
  ask_about_run(question, asked, run);
  lesson.asked.in_picture = fits();
  if (!state_.settings.layout.shows("stage")) show_view("stage");
  // Slots say whose data it is, and values what it amounts to.
  if (is != AnswerPicture::Is::messages) state_.settings.values = !drawn;
  return true;
}

void AnswerCommands::ask_about_run(const Question& question, const QuestionState& asked,
                                   const std::string& run) {
  auto& room = app_.group<LessonCommands>().room();
  const AnswerPicture& picture = asked.form.picture;
  const JobSpec job = RunCommands::in_processes(room.job(run, asked.values));
  algorithm_ = job.call.algorithm;
  ranks_ = job.world.size;
  // The question asks what a buffer holds then, so that is not shown.
  const bool typed = picture.is == AnswerPicture::Is::none;
  const bool begins = picture.is != AnswerPicture::Is::messages;
  const double at = typed    ? 0
                    : begins ? start_round(room.run(run).at).value_or(0)
                             : std::max(picture.after, 0);
  begins_ = std::isfinite(at) ? at : 0;
  state_.playback.clock = ClockBase::rounds;
  state_.playback.playing = false;
  const bool there = fits() && state_.lesson.shown_run == run;
  if (there) {
    app_.group<PlaybackCommands>().move_to(at);
  } else {
    app_.group<LessonCommands>().start(job);
    app_.group<PlaybackCommands>().begin_at(at);
    state_.lesson.shown_run = run;
  }
  if (!typed) show_message(fmt::format("{}: answer in the picture", question.title));
}

void AnswerCommands::draw(const Arguments& words) {
  auto& room = app_.group<LessonCommands>().room();
  PredictedMessage message;
  message.from = words.number<Rank>(1, "the sender");
  message.to = words.number<Rank>(2, "the receiver");
  if (message.from == message.to)
    throw UserError(fmt::format("rank {} does not send to itself", message.from));
  if (std::min(message.from, message.to) < 0) throw UserError("ranks are 0, 1, 2 ...");
  if (const int most = std::max(message.from, message.to);
      state_.lesson.asked.question == words[0] && ranks_ > 0 && most >= ranks_)
    throw UserError(fmt::format("there is no rank {}: they are 0 to {}", most, ranks_ - 1));
  message.chunk = words[3];
  const bool asked = state_.lesson.asked.question == words[0];
  message.step = words.size() > 4 ? words.number<int>(4, "the step")
                 : asked          ? state_.lesson.asked.step
                                  : 1;
  if (message.step < 1 || message.step > kMostSteps)
    throw UserError(fmt::format("steps are 1 to {}", kMostSteps));
  room.draw(words[0], message);
}

void AnswerCommands::parting() {
  const auto& parting = state_.lesson.prediction.parting;
  if (!parting)
    throw UserError(
        "no prediction parts from the run that is shown: check an answer in the lesson first");
  require_trace("there is no run to go to");
  state_.playback.clock = ClockBase::rounds;
  state_.playback.playing = false;
  // With motion, messages on their way are seen; without it, a step is seen when it has ended.
  const double back = state_.lesson.horizon ? 1 : state_.settings.motion ? 0.5 : 0;
  app_.group<PlaybackCommands>().move_to(parting->step - back);
  show_message(parting->says);
}

bool AnswerCommands::fits() const {
  if (!state_.has_trace()) return false;
  if (algorithm_.empty()) return trial_shown_ != 0 && state_.document->id() == trial_shown_;
  const TraceMeta& meta = state_.document->trace().meta();
  return meta.algorithm == algorithm_ && meta.world_size == ranks_;
}

void AnswerCommands::follow_trial(const Question& question, const QuestionState& asked) {
  // Another run that was opened meanwhile stays.
  if (trial_shown_ != 0 && !state_.lesson.asked.in_picture) return;
  const bool closed = state_.lesson.closed(question);
  if (closed && asked.key.is_null()) return;
  const int step = closed ? 0 : state_.lesson.asked.step;
  nlohmann::json moves = closed ? asked.key : before_step(asked.draft, step);
  if (step == tried_step_ && moves == tried_) return;
  tried_ = std::move(moves);
  tried_step_ = step;
  app_.group<LessonCommands>().room().trial(question.id, step);
}

bool AnswerCommands::show_trial() {
  const DocumentPtr made = app_.group<LessonCommands>().room().take_trial();
  if (!made || !algorithm_.empty()) return false;
  app_.group<RunCommands>().make_way();
  const double before = state_.playback.moment;
  const bool first = trial_shown_ == 0;
  trial_shown_ = made->id();
  state_.lesson.shown_run.clear();
  app_.group<FileCommands>().show(made, !first);
  state_.playback.clock = ClockBase::rounds;
  const bool went_on = !first && tried_step_ > shown_step_;
  shown_step_ = tried_step_;
  const int last = made->rounds().count;
  // Plays the step that was drawn.
  const bool plays = went_on && state_.settings.motion && before < last;
  app_.group<PlaybackCommands>().begin_from(plays ? before : tried_step_ == 0 ? 0 : last, plays);
  return true;
}

void AnswerCommands::follow_verdict(const Question& question, const QuestionState& asked) {
  auto& lesson = state_.lesson;
  const bool goes_on = app_.group<RunCommands>().running() || state_.live.running;
  if (goes_on && !algorithm_.empty()) return;  // a run that goes on has not all of its messages
  const QuestionProgress& progress = lesson.progress.of(question.id);
  const AnswerPicture& picture = asked.form.picture;
  const bool closed = lesson.closed(question);
  const auto now = std::tuple(question.id, state_.document ? state_.document->id() : 0,
                              progress.attempts, asked.edited, closed && asked.solved);
  if (now == judged_) return;
  judged_ = now;
  lesson.prediction = {};
  const bool open_again = asked.edited && !closed;  // another answer is being given
  if (!lesson.asked.in_picture || open_again || picture.is != AnswerPicture::Is::messages) return;
  if (progress.state == Verdict::State::right && !asked.form.rows) {
    lesson.prediction = {predicted_messages(asked.form, progress.answer), {}, true};
    return;
  }
  // The right answer of an open question without a run of its own must not be seen.
  const bool own_run = algorithm_.empty();
  if (!was_wrong(progress) || (own_run && !closed)) return;
  find_parting(question, asked, own_run);
  auto& parting = lesson.prediction.parting;
  if (parting && lesson.lock(question) != Lock::open) parting->says = parting->where;
}

void AnswerCommands::find_parting(const Question& question, const QuestionState& asked,
                                  bool own_run) {
  auto& lesson = state_.lesson;
  const AnswerPicture& picture = asked.form.picture;
  const auto& answer = lesson.progress.of(question.id).answer;
  auto run = own_run ? predicted_messages(asked.form, asked.key)
                     : messages_of_run(state_.document->analysis());
  const bool none = !asked.form.rows && answer.is_string();
  if (none) std::erase_if(run, [&](const auto& one) { return one.step <= picture.after; });
  lesson.prediction.messages = predicted_messages(asked.form, answer);
  if (picture.run.empty()) {
    const Variant variant{lesson.progress.seed, asked.values};
    const int chunks = chunks_of(question, variant, own_run ? asked.key : answer);
    number_wholes(run, chunks);
    number_wholes(lesson.prediction.messages, chunks);
  }
  lesson.prediction.parting =
      first_difference(lesson.prediction.messages, run, asked.form.rows || none);
}

bool AnswerCommands::compare_with(const LessonRun& run) {
  auto& lesson = state_.lesson;
  lesson.asked = {};
  lesson.prediction = {};
  judged_ = {};
  if (lesson.lecture) return false;  // an earlier student's answers are not the lecture's
  const JobSpec job = app_.group<LessonCommands>().room().job(run.id);
  for (const Step& step : lesson.lesson->steps)
    for (const Block& block : step.blocks) {
      if (run_shown_by(*lesson.lesson, block) != run.id) continue;
      for (const std::string& id : block.after) {
        const Question* const question = lesson.lesson->find_question(id);
        const QuestionState* const asked = lesson.question_state(id);
        if (question == nullptr || asked == nullptr || !asked->ready ||
            lesson.progress.of(id).attempts == 0 || !is_answered_by(*question, *asked, job))
          continue;
        lesson.asked = {id, 1, false};
        algorithm_ = job.call.algorithm;
        ranks_ = job.world.size;
        return true;
      }
    }
  return false;
}

// Returns whether the answer's messages are messages of this run: it is about the run itself, or makes one of the same
// collective.
bool AnswerCommands::is_answered_by(const Question& question, const QuestionState& asked,
                                    const JobSpec& job) {
  const AnswerPicture& picture = asked.form.picture;
  if (picture.is != AnswerPicture::Is::messages) return false;
  if (!picture.run.empty()) {
    const JobSpec about = app_.group<LessonCommands>().room().job(picture.run, asked.values);
    return about.call.algorithm == job.call.algorithm && about.world.size == job.world.size;
  }
  JobSpec made;
  const auto& progress = state_.lesson.progress;
  if (!question.kind->trial(question, {progress.seed, asked.values},
                            progress.of(question.id).answer, made))
    return false;
  const Algorithm* const ours = find_algorithm(job.call.algorithm);
  const Algorithm* const answers = find_algorithm(made.call.algorithm);
  return ours != nullptr && answers != nullptr && ours->collective == answers->collective &&
         made.world.size == job.world.size;
}

void AnswerCommands::hold_back() {
  auto& lesson = state_.lesson;
  const Question* const question =
      lesson.lesson ? lesson.lesson->find_question(lesson.asked.question) : nullptr;
  const QuestionState* const asked = lesson.question_state(lesson.asked.question);
  if (question != nullptr && asked != nullptr && lesson.asked.in_picture && !algorithm_.empty() &&
      asked->form.picture.is != AnswerPicture::Is::line)
    held_ = {question->id, state_.document->id(), lesson.openings, begins_};
  const Question* const held = lesson.lesson && held_.opening == lesson.openings
                                   ? lesson.lesson->find_question(held_.question)
                                   : nullptr;
  const bool there = held != nullptr && state_.has_trace() &&
                     state_.document->id() == held_.document &&
                     (!lesson.lecture || held->student_copy) && lesson.lock(*held) != Lock::open;
  if (!there) {
    held_ = {};
    lesson.horizon.reset();
    return;
  }
  lesson.horizon = held_.round;
  if (state_.playback.clock != ClockBase::rounds) state_.playback.clock = ClockBase::rounds;
  if (state_.playback.moment > held_.round) app_.group<PlaybackCommands>().move_to(held_.round);
}

void AnswerCommands::update(double /*seconds*/, bool& news) {
  follow_asked(news);
  hold_back();
}

void AnswerCommands::follow_asked(bool& news) {
  auto& lesson = state_.lesson;
  if (lesson.asked.question.empty()) return;
  const Question* const question =
      lesson.lesson ? lesson.lesson->find_question(lesson.asked.question) : nullptr;
  const QuestionState* const asked = lesson.question_state(lesson.asked.question);
  if (question == nullptr || asked == nullptr || !asked->ready) {
    lesson.asked = {};
    lesson.prediction = {};
    news = true;
    return;
  }
  const bool before = lesson.asked.in_picture;
  if (algorithm_.empty()) {
    follow_trial(*question, *asked);
    news = show_trial() || news;
  }
  lesson.asked.in_picture = fits();
  const bool parted = lesson.prediction.parting.has_value();
  follow_verdict(*question, *asked);
  news =
      news || before != lesson.asked.in_picture || parted != lesson.prediction.parting.has_value();
}

}  // namespace rankscope::gui
