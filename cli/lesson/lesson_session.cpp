// `rankscope lesson show` and `run`: a lesson to read, and page by page with its questions.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/lesson/lesson_page.h"
#include "cli/run/step_prompt.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/job/transports.h"
#include "lessons/course/locks.h"
#include "lessons/course/progress.h"
#include "lessons/lesson/lesson_runs.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;
using State = Verdict::State;

constexpr std::string_view kHelp =
    "  ANSWER          typed in the form that the question's last line gives; an empty line ends\n"
    "                  a written answer\n"
    "  :hint           the next hint\n"
    "  :answer         show the right answer and open the runs that wait for it; no more points\n"
    "  :again          show the question again\n"
    "  :skip           go to the next question; empty lines do nothing\n"
    "  :run [NAME]     show a run of this page message by message\n"
    "  :open           open the last closed text on this page\n"
    "  :next, :back    the next page, the one before\n"
    "  :points         what you have so far\n"
    "  :quit           stop; the lesson goes on from here the next time\n"
    "Whole words work without the colon. A single letter such as n is an answer; type :n for the\n"
    "command.\n";

std::string points_of(double points, double most) {
  return fmt::format("{} of {} point{}", number_text(points), number_text(most),
                     most == 1 ? "" : "s");
}

std::string state_text(const Question& question, const QuestionProgress& one) {
  if (one.gave_up) return "answer shown";
  if (one.state == State::unanswered) return "open";
  if (one.state == State::by_hand) return "marked by hand";
  const std::string word =
      std::string(to_string(one.state)) + (one.seen ? ", after the run was seen" : "");
  return is_done(question, one) || one.state == State::not_graded ? word : word + ", open";
}

/// Returns the table of questions with their points, and the sum.
std::string progress_text(const Lesson& lesson, const LessonProgress& progress,
                          const Style& style) {
  Table table({{"question", kLeft}, "points", "of", "attempts", "hints", {"state", kLeft}});
  for (const Question& question : lesson.questions) {
    const QuestionProgress& one = progress.of(question.id);
    table.add_row({question.title.empty() ? question.id : question.title, number_text(one.points),
                   number_text(question.points), std::to_string(one.attempts),
                   std::to_string(one.hints), state_text(question, one)});
  }
  int programs = 0, right = 0;
  for (const CodingExercise& exercise : lesson.coding) {
    if (!exercise.graded()) continue;
    const auto found = progress.programs.find(exercise.id);
    const double best = found == progress.programs.end() ? 0 : found->second.best;
    ++programs;
    right += found != progress.programs.end() && best >= exercise.points;
    table.add_row({exercise.title, number_text(best), number_text(exercise.points), "", "",
                   found == progress.programs.end() ? "program not begun"
                   : best >= exercise.points        ? "right"
                                                    : "best so far"});
  }
  std::string out = table.to_string(style) +
                    style.bold(points_of(progress.points(), lesson.points())) +
                    fmt::format(", {} of {} questions done", progress.done(lesson) - right,
                                lesson.questions.size());
  if (programs > 0) out += fmt::format(", {} of {} programs right", right, programs);
  return out + ".\n";
}

struct SessionSettings {
  LineSource next_line;
  LineSink say;  ///< Takes a text with its line break.
  LineSink ask;  ///< Takes a prompt.
  std::function<void(const LessonProgress&)> save;
  bool interactive = true;  ///< Whether to wait at the end of a page.
  bool again = false;       ///< Whether to ask answered questions whose answer may be changed.
};

class LessonSession {
 public:
  LessonSession(const Lesson& lesson, LessonRuns& runs, const LessonPage& page,
                LessonProgress& progress, SessionSettings settings)
      : lesson_(lesson),
        runs_(runs),
        page_(page),
        progress_(progress),
        settings_(std::move(settings)) {
    again_ = settings_.again;
  }

  /// Goes on from the progress's page to the end, to `quit`, or to the end of the input. Returns whether the reader
  /// finished the last page.
  bool run() {
    const int pages = static_cast<int>(lesson_.steps.size());
    progress_.step = std::clamp(progress_.step, 0, std::max(pages - 1, 0));
    while (progress_.step < pages) {
      const auto step = static_cast<std::size_t>(progress_.step);
      settings_.say(page_.step_title(step));
      Move move = show_page(lesson_.steps[step]);
      if (move == Move::on) move = page_end();
      if (move == Move::quit) {
        settings_.save(progress_);
        return false;
      }
      again_ = move == Move::back;
      progress_.step = move == Move::back ? std::max(progress_.step - 1, 0) : progress_.step + 1;
      if (progress_.step < pages) settings_.save(progress_);
    }
    progress_.step = std::max(pages - 1, 0);
    settings_.save(progress_);
    return true;
  }

 private:
  enum class Move { on, next_page, back, quit };
  enum class Answered { done, open };

  Move show_page(const Step& step) {
    last_run_.clear();
    last_reveal_ = nullptr;
    for (const Block& block : step.blocks) {
      if (block.kind == Block::Kind::run) last_run_ = block.id;
      if (block.kind == Block::Kind::reveal) last_reveal_ = &block;
      if (block.kind != Block::Kind::question) {
        const auto locked = locked_by(lesson_, block, is_open());
        const std::string text = locked.empty() ? page_.block(block) : locked_text(block, locked);
        if (!text.empty()) settings_.say("\n" + text);
        continue;
      }
      const Question* question = lesson_.find_question(block.id);
      if (question == nullptr || question->kind == nullptr) continue;
      const Move move = ask_question(*question);
      if (move != Move::on) return move;
    }
    return Move::on;
  }

  Move ask_question(const Question& question) {
    settings_.say("\n" + page_.question(question));
    const QuestionProgress& before = progress_.of(question.id);
    if (before.state != State::unanswered || before.gave_up) print_earlier_answer(question);
    if (is_kept(before) ? !again_ : is_done(question, before)) return Move::on;
    for (;;) {
      const auto line = read("> ");
      if (!line) return Move::quit;
      if (line->empty()) {
        if (settings_.interactive)
          settings_.say("Type an answer, or :hint, :again, :skip, :answer, :help.\n");
        continue;
      }
      const Input input = input_in(*line);
      const std::string& word = input.command;
      if (word == "skip" || word == "s") return Move::on;
      if (word == "again") {
        settings_.say("\n" + page_.question(question));
      } else if (word == "hint") {
        hint(question);
      } else if (word == "answer" && !kept_back(question).empty()) {
        settings_.say(capitalized(kept_back(question)) + ".\n");
      } else if (word == "answer") {
        give_up(progress_, question);
        settings_.say(page_.solution(question));
        settings_.save(progress_);
        return Move::on;
      } else if (const auto move = common(word)) {
        if (*move != Move::on) return *move;
      } else if (input.marked) {
        settings_.say(fmt::format("'{}' is not a command here.\n{}", *line, kHelp));
      } else if (answer(question, question.kind->marked_by_hand() ? with_more_lines(*line)
                                                                  : *line) == Answered::done) {
        return Move::on;
      }
    }
  }

  Move page_end() {
    if (!settings_.interactive) return Move::on;
    const bool last = progress_.step + 1 == static_cast<int>(lesson_.steps.size());
    for (;;) {
      const auto line = read(last ? "\n[Enter: the end, :back, :run, :open, :quit] "
                                  : "\n[Enter: next page, :back, :run, :open, :quit] ");
      if (!line) return Move::quit;
      if (line->empty()) return Move::on;
      // There is no question here, so a single letter is a command.
      const bool marked = line->starts_with(':');
      if (const auto move = common(marked ? std::string(trimmed(line->substr(1))) : *line)) {
        if (*move != Move::on) return *move;
      } else {
        settings_.say(fmt::format("'{}' is not a command here.\n{}", *line, kHelp));
      }
    }
  }

  /// The command in a line at a question; a letter alone is an answer unless a colon stands before it.
  struct Input {
    std::string command;
    bool marked = false;
  };
  static Input input_in(const std::string& line) {
    if (line.starts_with(':')) return {std::string(trimmed(line.substr(1))), true};
    return {line.size() > 1 || line == "?" ? line : "", false};
  }

  /// Carries out what both prompts understand; returns nothing for any other line.
  std::optional<Move> common(const std::string& line) {
    if (line == "next" || line == "n") return Move::next_page;
    if (line == "back") return Move::back;
    if (line == "quit" || line == "q" || line == "exit") return Move::quit;
    if (line == "help" || line == "h" || line == "?") settings_.say(std::string(kHelp));
    else if (line == "points") print_points();
    else if (line == "open") open_reveal();
    else if (line == "run") print_run(last_run_);
    else if (line.starts_with("run ") && lesson_.find_run(trimmed(line.substr(4))) != nullptr)
      print_run(std::string(trimmed(line.substr(4))));
    else return std::nullopt;
    return Move::on;
  }

  // Reads further lines of a written answer, up to an empty one.
  std::string with_more_lines(std::string text) {
    for (;;) {
      const auto line = read("… ");
      if (!line || line->empty()) return text;
      text += "\n" + *line;
    }
  }

  Answered answer(const Question& question, const std::string& line) {
    const Variant variant = variant_of(question, progress_.seed);
    nlohmann::json given;
    Verdict verdict;
    try {
      given = read_answer(question, variant, line);
      verdict = grade_now(question, variant, given, progress_.of(question.id), runs_);
    } catch (const UserError& error) {
      verdict.state = State::malformed;
      verdict.most = question.points;
      verdict.says = error.what();
    }
    note_answer(progress_, question, given, verdict, has_seen(lesson_, progress_, question));
    settings_.save(progress_);
    feedback(question, verdict);
    if (verdict.state == State::malformed || verdict.state == State::unanswered)
      return Answered::open;
    const QuestionProgress& now = progress_.of(question.id);
    if (is_kept(now) || is_done(question, now)) return close(question, verdict);
    return Answered::open;
  }

  void feedback(const Question& question, const Verdict& verdict) {
    const Style& style = page_.style();
    std::string out;
    switch (verdict.state) {
      case State::right:
        out = style.good("Right.") + " " + points_of(verdict.points, verdict.most) + ".";
        break;
      case State::partly:
        out = style.warning("Partly right.") + " " + points_of(verdict.points, verdict.most) + ".";
        break;
      case State::wrong: out = style.bad(question.student_copy ? "Not yet." : "Not right."); break;
      case State::by_hand: out = "Noted. This answer will be marked by hand, with a rubric."; break;
      case State::not_graded: out = "Noted."; break;
      case State::malformed:
      case State::unanswered: out = style.warning("That cannot be read."); break;
    }
    settings_.say(out + "\n");
    // Not as Markdown, since it quotes what was typed, such as 2*3*4.
    if (!verdict.says.empty()) settings_.say("  " + page_.wrapped(verdict.says, 2) + "\n");
    const QuestionProgress& now = progress_.of(question.id);
    if (is_kept(now) || is_done(question, now) || verdict.state == State::malformed) return;
    std::vector<std::string> left;
    if (question.attempts > 0) {
      const auto attempts =
          static_cast<std::uint64_t>(std::max(question.attempts - now.attempts, 0));
      left.push_back(plural(attempts, "attempt") +
                     (question.student_copy ? " with feedback left" : " left"));
    }
    const auto opened = static_cast<std::size_t>(std::max(now.hints, 0));
    const auto hints = question.hints.size() - std::min(opened, question.hints.size());
    if (hints > 0) left.push_back(plural(hints, "hint") + " left");
    if (!left.empty())
      settings_.say(style.dim(fmt::format("Try again ({}).", fmt::join(left, ", "))) + "\n");
  }

  // Ends a question: explains the answer, and shows it where it was not found.
  Answered close(const Question& question, const Verdict& verdict) {
    const State state = progress_.of(question.id).state;
    if (state == State::not_graded) return Answered::done;
    if (!question.student_copy && !kept_back(question).empty()) return Answered::done;
    if (state == State::by_hand && !progress_.of(question.id).gave_up) return Answered::done;
    if (state == State::right) {
      const auto values = variant_of(question, progress_.seed).values;
      const std::string why = question.student_copy ? verdict.why : question.explanation;
      settings_.say(page_.paragraph(fill_in(why, values), 2));
      return Answered::done;
    }
    if (state != State::by_hand) settings_.say("No attempts are left.\n");
    settings_.say(page_.solution(question));
    return Answered::done;
  }

  void hint(const Question& question) {
    const std::string* text = open_hint(progress_, question);
    if (text == nullptr) {
      settings_.say(question.hints.empty() ? "There is no hint for this one.\n"
                    : question.student_copy
                        ? "There are no more hints.\n"
                        : "There are no more hints; 'answer' shows the answer.\n");
      return;
    }
    const int number = progress_.of(question.id).hints;
    settings_.say(
        fmt::format("Hint {} of {}: {}", number, question.hints.size(),
                    page_.paragraph(fill_in(*text, variant_of(question, progress_.seed).values))));
    settings_.save(progress_);
  }

  void print_earlier_answer(const Question& question) {
    const QuestionProgress& one = progress_.of(question.id);
    std::string answer;
    try {
      if (!one.answer.is_null()) answer = question.kind->show(question, one.answer);
    } catch (const std::exception&) {
      // The lesson has changed since: only the verdict is left.
    }
    settings_.say(page_.style().dim(fmt::format(
                      "Your answer so far{}: {}, {}", answer.empty() ? "" : " (" + answer + ")",
                      state_text(question, one), points_of(one.points, question.points))) +
                  "\n");
  }

  void print_run(const std::string& name) {
    const LessonRun* run = lesson_.find_run(name);
    if (run == nullptr) return settings_.say("This page has shown no run yet.\n");
    if (const auto locked = run_locked_by(lesson_, name, is_open()); !locked.empty())
      return settings_.say(locked_text({Block::Kind::run, "", name, "", 0}, locked));
    settings_.say(page_.whole_run(*run));
  }

  IsOpen is_open() const {
    return [this](const Question& question) {
      return lock_of(question, progress_.of(question.id)) == Lock::open;
    };
  }

  // After a wrong prediction, the rounds before the first difference are shown, if only a better prediction is still
  // missing.
  std::string locked_text(const Block& block, const std::vector<const Question*>& questions) const {
    int rounds = 0;
    const Question& first = *questions.front();
    if (questions.size() == 1 && lock_of(first, progress_.of(first.id)) == Lock::parting) {
      try {
        rounds = first.kind->form(first, variant_of(first, progress_.seed), runs_).picture.after;
      } catch (const UserError&) {
        // A mistake in the question is reported where it is asked.
      }
    }
    return page_.locked_block(block, questions, rounds);
  }

  void open_reveal() {
    if (last_reveal_ == nullptr) return settings_.say("There is nothing to open on this page.\n");
    const auto locked = locked_by(lesson_, *last_reveal_, is_open());
    settings_.say(locked.empty() ? page_.paragraph(last_reveal_->text, 4)
                                 : locked_text(*last_reveal_, locked));
  }

  void print_points() { settings_.say(progress_text(lesson_, progress_, page_.style())); }

  std::optional<std::string> read(const std::string& prompt) {
    settings_.ask(prompt);
    auto line = settings_.next_line();
    if (line) *line = trimmed(*line);
    else if (settings_.interactive)
      settings_.say("\n");  // Ctrl-D leaves the cursor behind the prompt
    return line;
  }

  const Lesson& lesson_;
  LessonRuns& runs_;
  const LessonPage& page_;
  LessonProgress& progress_;
  SessionSettings settings_;
  std::string last_run_;                ///< The last run of the page, for `run`.
  const Block* last_reveal_ = nullptr;  ///< The text for `open`.
  bool again_ = false;
};

constexpr std::array<std::string_view, 7> kBlockKinds = {"text",   "run",  "figure", "question",
                                                         "coding", "note", "reveal"};

json json_of_block(const Block& block) {
  json out = {{"kind", kBlockKinds[static_cast<std::size_t>(block.kind)]}};
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

/// Returns a lesson with the numbers of a seed; with notes and right answers for the lecturer.
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
    if (run_locked_by(lesson, run.id, [](const Question& one) {
          return !one.student_copy;
        }).empty())
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

std::optional<std::string> next_line() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

LessonProgress begin(const Console& console, const LessonOptions& options, const Lesson& lesson,
                     const ProgressStore& store, LessonRuns& runs) {
  const std::string student = student_of(options);
  ProgressStore::Loaded loaded = store.load(student, lesson.slug);
  if (!loaded.problem.empty()) console.note(loaded.problem);
  LessonProgress& progress = loaded.progress;
  if (options.restart) {
    if (const auto copy = store.back_up(student, lesson.slug); !copy.empty())
      console.note(fmt::format("Your earlier answers are kept in {}.", escaped(copy.string())));
    progress = LessonProgress{lesson.slug, student, 0, 0, {}};
    loaded.found = false;
  }
  if (options.seed_given && lesson.copy_seed)
    throw UserError(fmt::format("this copy of {} has fixed numbers: leave out --seed",
                                escaped(lesson.copy_of)));
  if (options.seed_given && loaded.found && progress.seed != options.seed &&
      !progress.questions.empty())
    throw UserError(
        fmt::format("{} began this lesson with --seed {}: continue without --seed, or start "
                    "over with --restart",
                    student, progress.seed));
  if (options.seed_given) progress.seed = options.seed;
  if (const int graded = renew(progress, lesson, runs); graded > 0)
    console.note(
        fmt::format("The lesson has changed: {} graded again.",
                    graded == 1 ? "1 answer was" : fmt::format("{} answers were", graded)));
  if (loaded.found && !progress.questions.empty())
    console.note(fmt::format("Going on for {}, from page {}.", student, progress.step + 1));
  return std::move(loaded.progress);
}

int checked_step(const LessonOptions& options, const Lesson& lesson) {
  const int pages = static_cast<int>(lesson.steps.size());
  if (options.step < 0 || options.step > pages)
    throw UserError(fmt::format("--step: this lesson has pages 1 to {}", pages));
  return options.step;
}

}  // namespace

int show_lesson(const Console& console, const LessonOptions& options) {
  const Lesson lesson = lesson_in_language(options);
  LessonRuns runs(lesson.runs);
  const int only = checked_step(options, lesson);
  if (console.json()) {
    console.print_raw(json_text(json_of(lesson, options.seed, options.lecturer, runs)));
    return kOk;
  }
  const LessonPage page(lesson, runs, console.out(), console.width(),
                        {options.seed, options.lecturer, options.reveal});
  if (only == 0) console.print(page.head());
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    if (only != 0 && static_cast<int>(i) + 1 != only) continue;
    console.print((only == 0 ? "\n" : "") + page.step_title(i));
    for (const Block& block : lesson.steps[i].blocks) {
      // Nothing was answered here, so blocks that open with an answer are closed.
      const auto locked = locked_by(lesson, block, [&](const Question& question) {
        return !question.student_copy && (options.reveal || options.lecturer);
      });
      const std::string text =
          locked.empty() ? page.block(block) : page.locked_block(block, locked);
      if (!text.empty()) console.print("\n" + text);
    }
  }
  return kOk;
}

int run_lesson(const Console& console, const LessonOptions& options) {
  if (names_course(options.names[0])) return run_course(console, options);
  const Lesson lesson = lesson_in_language(options);
  LessonRuns runs(lesson.runs);
  const ProgressStore store;
  const int only = checked_step(options, lesson);
  LessonProgress progress = begin(console, options, lesson, store, runs);
  if (only > 0) progress.step = only - 1;
  const LessonPage page(lesson, runs, console.out(), console.width(),
                        {progress.seed, false, false});
  SessionSettings settings;
  settings.next_line = next_line;
  settings.say = [&](const std::string& text) { console.print(text); };
  settings.interactive = console.in_is_terminal();
  settings.ask = [&](const std::string& prompt) {
    if (settings.interactive) console.print(prompt);
    console.flush();
  };
  settings.save = [&](const LessonProgress& now) { store.save(now); };
  settings.again = only > 0;
  if (progress.step == 0) console.print(page.head() + "\n");
  LessonSession session(lesson, runs, page, progress, settings);
  const bool ended = session.run();
  console.print("\n" + progress_text(lesson, progress, console.out()));
  if (!ended)
    console.note(fmt::format("`rankscope lesson run {}` goes on from here.", options.names[0]));
  return kOk;
}

}  // namespace rankscope::cli
