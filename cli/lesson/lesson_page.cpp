// Formats a lesson's blocks, runs, figures and questions for a terminal.
#include "cli/lesson/lesson_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/run/story.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/job_fields.h"
#include "lessons/course/locks.h"
#include "lessons/handout/giveaways.h"
#include "lessons/lesson/coding.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/markdown.h"

namespace rankscope::cli {

// ---- Pages ---------------------------------------------------------------------------------------

namespace {

constexpr int kMostRounds = 10;           // of a run in brief
constexpr std::size_t kMostMessages = 4;  // of one of its rounds
constexpr int kMostWidth = 100;           // longer lines are hard to read

std::string messages_of(const StoryRound& round) {
  std::vector<std::string> parts;
  for (const StoryMessage& message : round.messages) {
    if (parts.size() == kMostMessages) {
      parts.push_back(fmt::format("… and {} more", round.messages.size() - kMostMessages));
      break;
    }
    parts.push_back(fmt::format("{} → {} {}{}", message.from, message.to, message.piece.name(),
                                !message.received ? " (never received)"
                                : message.reduced ? " (added)"
                                                  : ""));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string virtual_time(const RunRecord& record) {
  const auto times = record.result.times_s();
  return format_seconds(times.empty() ? 0 : times.back());
}

std::string outcome_of(const RunRecord& record, const Style& style) {
  if (record.result.ok() && record.job.is_simulated())
    return style.good(fmt::format("It ends after {} of virtual time{}.", virtual_time(record),
                                  record.job.network.ghost ? "" : ", and the result is right"));
  if (record.result.ok()) return style.good("It ends, and the result is right.");
  if (record.result.status == JobResult::Status::wrong_result)
    return style.bad("It ends with another result:") + " " + record.result.message;
  return style.bad(fmt::format("It fails ({}).", to_string(record.result.status))) +
         (record.result.message.empty() ? "" : " " + record.result.message);
}

/// Lists when each message was under way or, if there are many, when each rank ended.
std::string clock_text(const RunRecord& record) {
  constexpr std::size_t kMostLines = 24;
  const Trace& trace = record.trace();
  std::string out;
  if (record.messages().size() <= kMostLines) {
    for (const MessageRecord& one : record.messages())
      if (one.received != kNoEvent)
        out += fmt::format("  {} → {}: {} to {}\n", one.from, one.to,
                           format_seconds(static_cast<double>(trace.time_ns(one.sent)) * 1e-9),
                           format_seconds(static_cast<double>(trace.time_ns(one.received)) * 1e-9));
    return out;
  }
  for (const RankOutcome& one : record.result.ranks)
    if (out.size() < kMostLines * 80 && !one.times_s.empty())
      out += fmt::format("  rank {} ends after {}\n", one.rank, format_seconds(one.times_s.back()));
  return out;
}

std::string listing(std::string_view program, const Style& style) {
  std::string out;
  for (int number = 1; !program.empty(); ++number) {
    const auto end = program.find('\n');
    out +=
        fmt::format("  {}  {}\n", style.dim(fmt::format("{:>3}", number)), program.substr(0, end));
    program.remove_prefix(end == std::string_view::npos ? program.size() : end + 1);
  }
  return out;
}

}  // namespace

std::string LessonPage::head() const {
  std::string out = style_.bold(lesson_.title) + "\n";
  if (!lesson_.summary.empty()) out += wrap(lesson_.summary, width_) + "\n";
  std::vector<std::string> facts;
  if (lesson_.minutes > 0) facts.push_back(fmt::format("about {} minutes", lesson_.minutes));
  facts.push_back(plural(lesson_.steps.size(), "page"));
  facts.push_back(plural(lesson_.questions.size(), "question"));
  facts.push_back(points_text(lesson_.points()));
  out += style_.dim(fmt::format("{}", fmt::join(facts, " · "))) + "\n";
  if (!lesson_.prerequisites.empty())
    out += fmt::format("Before it: {}\n", fmt::join(lesson_.prerequisites, ", "));
  if (!lesson_.goals.empty()) out += "\nAfter this lesson you can\n";
  for (const std::string& goal : lesson_.goals) out += "• " + wrap(goal, width_, 2) + "\n";
  return out;
}

std::string LessonPage::step_title(std::size_t step) const {
  return style_.bold(fmt::format("Page {} of {}: {}", step + 1, lesson_.steps.size(),
                                 lesson_.steps[step].title)) +
         "\n";
}

std::string LessonPage::block(const Block& block) const {
  switch (block.kind) {
    case Block::Kind::text: return paragraph(block.text);
    case Block::Kind::note:
      return options_.lecturer ? format_note(block, "For the lecturer", true) : "";
    case Block::Kind::reveal:
      return format_note(block, "To open", options_.reveal || options_.lecturer);
    case Block::Kind::run:
      if (const LessonRun* found = lesson_.find_run(block.id)) return run(*found);
      break;
    case Block::Kind::figure:
      if (const LessonFigure* found = lesson_.find_figure(block.id)) return figure(*found);
      break;
    case Block::Kind::question:
      if (const Question* found = lesson_.find_question(block.id)) return question(*found);
      break;
    case Block::Kind::coding:
      if (const CodingExercise* found = lesson_.find_coding(block.id)) return coding(*found);
      break;
  }
  return style_.warning(fmt::format("[{} is missing in this lesson]", block.id)) + "\n";
}

std::string LessonPage::format_note(const Block& block, std::string_view word, bool open) const {
  std::string out = style_.dim(block.title.empty() ? fmt::format("[{}]", word)
                                                   : fmt::format("[{}] {}", word, block.title)) +
                    "\n";
  if (open) out += paragraph(block.text, 4);
  return out;
}

std::string LessonPage::run_title(const LessonRun& run) const {
  std::string out = "Run " + style_.bold(run.id);
  try {
    const JobSpec job = LessonRuns::job_of(run.job, {});
    out += fmt::format(": {}, {}", job.call.algorithm, plural(job.world.size, "rank"));
    if (job.is_simulated()) out += ", " + network_text(job);
  } catch (const UserError&) {
    // A run that needs a question's numbers is shown by its name alone.
  }
  out += "\n";
  return run.caption.empty() ? out : out + wrap(run.caption, width_) + "\n";
}

std::string LessonPage::locked_block(const Block& block,
                                     const std::vector<const Question*>& questions,
                                     int open_rounds) const {
  std::string out = style_.dim(fmt::format(
                        "[Closed] {}", wrap(locked_words(lesson_, block, questions), width_, 9))) +
                    "\n";
  const LessonRun* const run =
      block.kind == Block::Kind::run && open_rounds > 0 ? lesson_.find_run(block.id) : nullptr;
  if (run == nullptr) return out;
  try {
    const Story story = build_story(runs_.run(run->id, {}), kMostValues);
    return out + "  Up to where your answer parts from it:\n" + rounds_text(story, open_rounds);
  } catch (const UserError& error) {
    return out + "  " + style_.warning(error.what()) + "\n";
  }
}

std::string LessonPage::rounds_text(const Story& story, int most) const {
  std::string out;
  int shown = 0;
  for (const StoryRound& round : story.chapters) {
    if (round.messages.empty()) continue;
    if (round.number > most) break;
    if (shown++ == kMostRounds) return out + fmt::format("  … {} rounds in all\n", story.rounds);
    const std::string title = fmt::format("  round {:>2}: ", round.number);
    out += title + wrap(messages_of(round), width_, display_width(title)) + "\n";
  }
  return out;
}

std::string LessonPage::run(const LessonRun& run) const {
  std::string out = run_title(run);
  try {
    const RunRecord& record = runs_.run(run.id, {});
    const Story story = build_story(record, kMostValues);
    if (run.view == "code" && !keeps_listing(record.job.call.algorithm))
      out += listing(program_text(record.job.call.algorithm), style_);
    out += record.job.is_simulated() ? clock_text(record) : rounds_text(story, story.rounds);
    return out + "  " + wrap(outcome_of(record, style_), width_, 2) + "\n";
  } catch (const UserError& error) {
    return out + "  " + style_.warning(error.what()) + "\n";
  }
}

std::string LessonPage::whole_run(const LessonRun& run) const {
  std::string out = run_title(run) + "\n";
  try {
    const RunRecord& record = runs_.run(run.id, {});
    const Story story = build_story(record, kMostValues);
    // Many rounds are alike: the first and the last ones are enough.
    constexpr std::size_t kMostWhole = 20, kFirst = 5, kLast = 3;
    const std::size_t count = story.chapters.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == kFirst && count > kMostWhole) {
        i = count - kLast;
        out += style_.dim(fmt::format("… {} more: the window shows all of them",
                                      plural(i - kFirst, "round"))) +
               "\n\n";
      }
      out += chapter_text(story, i, style_, width_) + "\n";
    }
    return out + outcome_of(record, style_) + "\n";
  } catch (const UserError& error) {
    return out + style_.warning(error.what()) + "\n";
  }
}

std::string LessonPage::figure(const LessonFigure& figure) const {
  const std::string what = figure.run.empty()
                               ? fmt::format("Picture {}", (lesson_.folder / figure.file).string())
                               : fmt::format("Picture ({} of run {})", figure.diagram, figure.run);
  std::string out = style_.dim(wrap(what, width_)) + "\n";
  return figure.caption.empty() ? out : out + wrap(figure.caption, width_) + "\n";
}

std::string LessonPage::coding(const CodingExercise& exercise) const {
  std::string out = style_.bold(fmt::format("Coding exercise: {} ({})", exercise.title,
                                            points_text(exercise.points))) +
                    "\n" + paragraph(exercise.contract);
  if (exercise.repair)
    out += fmt::format("Repair {}: rankscope lesson repair {} {}\n", exercise.starter, lesson_.slug,
                       exercise.id);
  else if (!exercise.starter.empty())
    out += fmt::format("Start from {}\n", (lesson_.folder / exercise.starter).string());
  out += cpp_words(exercise);
  return out + style_.dim("It is not graded here.") + "\n";
}

std::string LessonPage::question(const Question& question) const {
  std::string out = style_.bold(fmt::format(
      "Question {} of {}{} ({})", lesson_.number_of(question), lesson_.questions.size(),
      question.title.empty() ? "" : ": " + question.title, points_text(question.points)));
  const Variant variant = variant_of(question, options_.seed);
  out += "\n" + paragraph(fill_in(question.prompt, variant.values)) + form(question);
  return options_.lecturer ? out + solution(question) : out;
}

std::string LessonPage::form(const Question& question) const {
  if (question.kind == nullptr) return {};
  std::string out;
  try {
    const AnswerForm form =
        question.kind->form(question, variant_of(question, options_.seed), runs_);
    for (const AnswerField& field : form.fields) {
      if (!out.empty()) break;  // a schedule's rows have choices, too: "add" or "keep"
      if (field.options.empty() || form.rows) continue;
      char letter = 'a';
      for (const std::string& option : field.options) {
        const std::string text = markdown_text(option, style_, std::min(width_, kMostWidth), 5);
        out +=
            fmt::format("  {}) {}", letter++, text.substr(std::min<std::size_t>(5, text.size())));
      }
    }
    std::string how = "Answer: " + form.how;
    if (question.kind->marked_by_hand()) how += "; an empty line ends it";
    if (!form.example.empty()) how += fmt::format("; for example: {}", form.example);
    return out + style_.dim(wrap(how, width_, 2)) + "\n";
  } catch (const UserError& error) {
    return style_.warning(error.what()) + "\n";
  }
}

std::string LessonPage::wrapped(std::string_view text, int indent) const {
  return wrap(text, width_, indent);
}

std::string LessonPage::solution(const Question& question) const {
  if (question.student_copy) return "";
  const Variant variant = variant_of(question, options_.seed);
  std::string out;
  try {
    if (const std::string shown = right_answer(question, variant, runs_); !shown.empty())
      out += "Right answer: " + style_.good(wrap(shown, width_, 2)) + "\n";
  } catch (const UserError& error) {
    out += style_.warning(error.what()) + "\n";
  }
  if (const std::string model = model_answer(question); !model.empty())
    out += "A good answer:\n" + paragraph(fill_in(model, variant.values), 2);
  return out + paragraph(fill_in(question.explanation, variant.values), out.empty() ? 0 : 2);
}

// ---- Markdown ------------------------------------------------------------------------------------

namespace {

using Kind = MarkdownBlock::Kind;
constexpr int kLeastWidth = 20;

class Writer {
 public:
  Writer(const Style& style, int width) : style_(style), width_(width) {}

  std::string all(const std::vector<MarkdownBlock>& blocks, int indent) const {
    std::string out;
    for (const MarkdownBlock& block : blocks) {
      const std::string text = one(block, indent);
      if (!out.empty() && !text.empty()) out += "\n";
      out += text;
    }
    return out;
  }

 private:
  std::string one(const MarkdownBlock& block, int indent) const {
    switch (block.kind) {
      case Kind::heading: return margin(indent) + style_.bold(plain_text(block.line)) + "\n";
      case Kind::list: return list(block, indent);
      case Kind::quote: return all(block.blocks, indent + 4);
      case Kind::code: return code(block, indent + 4);
      case Kind::table: return table(block, indent);
      case Kind::rule: return margin(indent) + std::string(8, '-') + "\n";
      case Kind::item:
      case Kind::paragraph: break;
    }
    return margin(indent) + wrap(line(block.line), room(), indent) + "\n";
  }

  int room() const { return std::max(width_, kLeastWidth); }
  static std::string margin(int indent) {
    return std::string(static_cast<std::size_t>(indent), ' ');
  }

  std::string list(const MarkdownBlock& block, int indent) const {
    std::string out;
    int number = block.first;
    const bool loose = ranges::any_of(block.blocks, [](const MarkdownBlock& item) {
      return item.line.empty() && item.blocks.size() > 1;
    });
    for (const MarkdownBlock& item : block.blocks) {
      const std::string sign = block.ordered ? fmt::format("{}. ", number++) : "• ";
      const int inner = indent + display_width(sign);
      if (loose && !out.empty()) out += "\n";
      std::string text;
      if (!item.line.empty()) text = margin(inner) + wrap(line(item.line), room(), inner) + "\n";
      text += all(item.blocks, inner);
      // Puts the sign into the first line's margin.
      out += margin(indent) + sign + text.substr(std::min<std::size_t>(text.size(), inner));
      if (text.empty()) out += "\n";
    }
    return out;
  }

  static std::string code(const MarkdownBlock& block, int indent) {
    std::string out;
    std::string_view rest = block.code;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      out += margin(indent) + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return out;
  }

  std::string table(const MarkdownBlock& block, int indent) const {
    if (block.rows.empty()) return {};
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < block.rows.front().size(); ++i)
      columns.push_back({line(block.rows.front()[i]),
                         i < block.align.size() && block.align[i] == MarkdownBlock::Align::right
                             ? Table::Align::right
                             : kLeft});
    Table out(std::move(columns));
    for (std::size_t r = 1; r < block.rows.size(); ++r) {
      std::vector<std::string> cells;
      for (const MarkdownLine& cell : block.rows[r]) cells.push_back(line(cell));
      out.add_row(std::move(cells));
    }
    return out.to_string(style_, indent, width_);
  }

  // Marks code with backquotes and, without colours, strong text and emphasis with asterisks.
  std::string line(const MarkdownLine& spans) const {
    std::string out;
    for (const MarkdownSpan& span : spans) {
      if (span.line_break) {
        out += "\n";
        continue;
      }
      const std::string_view sign = span.code ? "`" : "*";
      const bool marked = span.code || ((span.strong || span.emphasis) && !style_.color());
      std::string text = marked ? fmt::format("{0}{1}{0}", sign, span.text) : span.text;
      if (!span.code && span.strong) text = style_.bold(text);
      else if (!span.code && span.emphasis) text = style_.underlined(text);
      out += text;
      if (!span.link.empty() && span.link != span.text) out += fmt::format(" ({})", span.link);
    }
    return out;
  }

  const Style& style_;
  int width_;
};

}  // namespace

std::string markdown_text(std::string_view markdown, const Style& style, int width, int indent) {
  return Writer(style, width).all(parse_markdown(markdown), indent);
}

}  // namespace rankscope::cli
