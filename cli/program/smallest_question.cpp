// Asks about the smallest run that fails, in the terminal.
#include "cli/program/smallest_question.h"

#include <iostream>
#include <string>

#include <fmt/format.h>

#include "cli/terminal/text.h"

namespace rankscope::cli {
namespace {

/// Returns false when nobody wants to answer.
bool ask_part(const Console& console, const RunQuestionPart& part) {
  constexpr int kTries = 2;
  for (int i = 0; i < kTries; ++i) {
    console.print(wrap(part.asks, console.width()) +
                  fmt::format("\n  ({}; Enter shows the answer) > ", part.form));
    console.flush();
    std::string line;
    if (!std::getline(std::cin, line) || line.find_first_not_of(" \t\r") == std::string::npos) {
      console.print("\n");
      return false;
    }
    if (is_right(part, line)) {
      console.print("Right.\n");
      return true;
    }
    console.print(i + 1 < kTries ? "Not yet. Follow the messages above once more.\n" : "No.\n");
  }
  return true;
}

}  // namespace

std::optional<AskedRun> asked_run(const CodingExercise& exercise, const CodeGrade& grade,
                                  const SmallestOptions& options) {
  auto found = find_smallest_run(exercise, grade, options);
  if (!found) return std::nullopt;
  const auto right = right_run(exercise, found->one);
  AskedRun out{std::move(*found), {}};
  out.question = ask_about(out.run, right ? &*right : nullptr);
  return out;
}

void show_and_ask(const Console& console, const CodingExercise& exercise, const AskedRun& asked,
                  bool ask) {
  const bool hide = ask && asked.question;
  console.print(smallest_text(exercise, asked.run, !hide) + "\n");
  if (!asked.question) return;
  if (!ask) {
    for (const RunQuestionPart& part : asked.question->parts)
      console.print(wrap("Question: " + part.asks, console.width()) + "\n");
    console.print("\n");
    return;
  }
  for (const RunQuestionPart& part : asked.question->parts)
    if (!ask_part(console, part)) break;
  console.print(wrap(asked.question->explains, console.width()) + "\n\n");
  console.flush();
}

}  // namespace rankscope::cli
