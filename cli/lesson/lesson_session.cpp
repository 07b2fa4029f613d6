// The dialogue of `rankscope lesson run`: shows pages, reads answers, gives hints and verdicts.
#include "cli/lesson/lesson_session.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"

namespace rankscope::cli {
namespace {

using State = Verdict::State;

constexpr std::string_view kHelp =
    "  ANSWER          as the question's last line says; an empty line ends a written one\n"
    "  hint            the next hint\n"
    "  answer          show the right answer and open the runs that wait for it; no more points\n"
    "  again           the question once more\n"
    "  skip            the next question (empty lines do nothing)\n"
    "  run [NAME]      show a run of this page message by message\n"
    "  open            what is last said to be opened\n"
    "  next, back      the next page, the one before\n"
    "  points          what you have so far\n"
    "  quit            stop; the lesson goes on from here the next time\n";

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

}  // namespace

std::string progress_text(const Lesson& lesson, const LessonProgress& progress,
                          const Style& style) {
  Table table({{"question", kLeft}, {"points"}, {"of"}, {"attempts"}, {"hints"}, {"state", kLeft}});
  double most = 0;
  for (const Question& question : lesson.questions) {
    const QuestionProgress& one = progress.of(question.id);
    most += question.points;
    table.add_row({question.title.empty() ? question.id : question.title, number_text(one.points),
                   number_text(question.points), std::to_string(one.attempts),
                   std::to_string(one.hints), state_text(question, one)});
  }
  std::string out = table.to_string(style);
  out +=
      style.bold(points_of(progress.points(), most)) +
      fmt::format(", {} of {} questions done.\n", progress.done(lesson), lesson.questions.size());
  if (!lesson.coding.empty())
    out +=
        fmt::format("Not graded here: {} to program.\n", plural(lesson.coding.size(), "exercise"));
  return out;
}

LessonSession::LessonSession(const Lesson& lesson, LessonRuns& runs, const LessonPage& page,
                             LessonProgress& progress, SessionSettings settings)
    : lesson_(lesson),
      runs_(runs),
      page_(page),
      progress_(progress),
      settings_(std::move(settings)) {
  again_ = settings_.again;
}

bool LessonSession::run() {
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

LessonSession::Move LessonSession::show_page(const Step& step) {
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

IsOpen LessonSession::is_open() const {
  return [this](const Question& question) {
    return lock_of(question, progress_.of(question.id)) == Lock::open;
  };
}

// Where the one thing that is missing is a better prediction, the rounds before it may be seen.
std::string LessonSession::locked_text(const Block& block,
                                       const std::vector<const Question*>& questions) const {
  int rounds = 0;
  const Question& first = *questions.front();
  if (questions.size() == 1 && lock_of(first, progress_.of(first.id)) == Lock::parting) {
    try {
      rounds = first.kind->form(first, variant_of(first, progress_.seed), runs_).picture.after;
    } catch (const UserError&) {
      // What is wrong with the question is said where it is asked.
    }
  }
  return page_.locked_block(block, questions, rounds);
}

std::optional<std::string> LessonSession::read(const std::string& prompt) {
  settings_.ask(prompt);
  auto line = settings_.next_line();
  if (line) *line = trimmed(*line);
  else if (settings_.interactive)
    settings_.say("\n");  // Ctrl-D leaves the cursor behind the prompt
  return line;
}

LessonSession::Move LessonSession::page_end() {
  if (!settings_.interactive) return Move::on;
  const bool last = progress_.step + 1 == static_cast<int>(lesson_.steps.size());
  for (;;) {
    const auto line = read(last ? "\n[Enter: the end, back, run, open, quit] "
                                : "\n[Enter: next page, back, run, open, quit] ");
    if (!line) return Move::quit;
    if (line->empty()) return Move::on;
    if (const auto move = common(*line)) {
      if (*move != Move::on) return *move;
    } else {
      settings_.say(fmt::format("'{}' is no command here.\n{}", *line, kHelp));
    }
  }
}

std::optional<LessonSession::Move> LessonSession::common(const std::string& line) {
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

LessonSession::Move LessonSession::ask_question(const Question& question) {
  settings_.say("\n" + page_.question(question));
  const QuestionProgress& before = progress_.of(question.id);
  const bool may_change = before.state == State::by_hand || before.state == State::not_graded;
  if (before.state != State::unanswered || before.gave_up) print_earlier_answer(question);
  if (is_done(question, before) && !(may_change && again_)) return Move::on;
  for (;;) {
    const auto line = read("> ");
    if (!line) return Move::quit;
    if (line->empty()) {
      if (settings_.interactive)
        settings_.say("Type an answer, or hint, again, skip, answer, help.\n");
      continue;
    }
    if (*line == "skip" || *line == "s") return Move::on;
    if (*line == "again") {
      settings_.say("\n" + page_.question(question));
    } else if (*line == "hint") {
      hint(question);
    } else if (*line == "answer" && lesson_.student_copy) {
      settings_.say("The answers are not in this copy of the lesson.\n");
    } else if (*line == "answer") {
      give_up(progress_, question);
      settings_.say(page_.solution(question));
      settings_.save(progress_);
      return Move::on;
    } else if (const auto move = common(*line)) {
      if (*move != Move::on) return *move;
    } else if (answer(question, question.kind->marked_by_hand() ? with_more_lines(*line) : *line) ==
               Answered::done) {
      return Move::on;
    }
  }
}

// What was written may have several lines; an empty one ends it.
std::string LessonSession::with_more_lines(std::string text) {
  for (;;) {
    const auto line = read("… ");
    if (!line || line->empty()) return text;
    text += "\n" + *line;
  }
}

void LessonSession::print_earlier_answer(const Question& question) {
  const QuestionProgress& one = progress_.of(question.id);
  std::string answer;
  try {
    if (!one.answer.is_null()) answer = question.kind->show(question, one.answer);
  } catch (const std::exception&) {
    // Of a lesson that has changed since: only the verdict is left.
  }
  settings_.say(page_.style().dim(fmt::format(
                    "Your answer so far{}: {}, {}", answer.empty() ? "" : " (" + answer + ")",
                    state_text(question, one), points_of(one.points, question.points))) +
                "\n");
}

void LessonSession::hint(const Question& question) {
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

LessonSession::Answered LessonSession::answer(const Question& question, const std::string& line) {
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
  if (is_done(question, progress_.of(question.id))) return close(question, verdict);
  return Answered::open;
}

void LessonSession::feedback(const Question& question, const Verdict& verdict) {
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
    case State::by_hand: out = "Noted. A person marks this one, by its rubric."; break;
    case State::not_graded: out = "Noted."; break;
    case State::malformed:
    case State::unanswered: out = style.warning("That cannot be read."); break;
  }
  settings_.say(out + "\n");
  // Not Markdown: what was typed is quoted in it, 2*3*4 among others.
  if (!verdict.says.empty()) settings_.say("  " + page_.wrapped(verdict.says, 2) + "\n");
  const QuestionProgress& now = progress_.of(question.id);
  if (is_done(question, now) || verdict.state == State::malformed) return;
  std::vector<std::string> left;
  if (question.attempts > 0) {
    const auto attempts = static_cast<std::uint64_t>(std::max(question.attempts - now.attempts, 0));
    left.push_back(plural(attempts, "attempt") +
                   (question.student_copy ? " with feedback left" : " left"));
  }
  const auto opened = static_cast<std::size_t>(std::max(now.hints, 0));
  const auto hints = question.hints.size() - std::min(opened, question.hints.size());
  if (hints > 0) left.push_back(plural(hints, "hint") + " left");
  if (!left.empty())
    settings_.say(style.dim(fmt::format("Try again ({}).", fmt::join(left, ", "))) + "\n");
}

// Nothing more can be won: why it is so, and, where it was not found, the answer.
LessonSession::Answered LessonSession::close(const Question& question, const Verdict& verdict) {
  const State state = progress_.of(question.id).state;
  if (state == State::not_graded) return Answered::done;
  if (state == State::right) {
    const auto values = variant_of(question, progress_.seed).values;
    const std::string why = question.student_copy ? verdict.why : question.explanation;
    settings_.say(page_.paragraph(fill_in(why, values), 2));
    return Answered::done;
  }
  if (state != State::by_hand) settings_.say("These were all attempts.\n");
  settings_.say(page_.solution(question));
  return Answered::done;
}

void LessonSession::print_run(const std::string& name) {
  const LessonRun* run = lesson_.find_run(name);
  if (run == nullptr) return settings_.say("There is no run on this page up to here.\n");
  if (const auto locked = run_locked_by(lesson_, name, is_open()); !locked.empty())
    return settings_.say(locked_text({Block::Kind::run, "", name, "", 0}, locked));
  settings_.say(page_.whole_run(*run));
}

void LessonSession::open_reveal() {
  if (last_reveal_ == nullptr) return settings_.say("There is nothing to open on this page.\n");
  settings_.say(page_.paragraph(last_reveal_->text, 4));
}

void LessonSession::print_points() {
  settings_.say(progress_text(lesson_, progress_, page_.style()));
}

}  // namespace rankscope::cli
