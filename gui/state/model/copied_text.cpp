// Words what is known of a message, a rank, a chunk, an event or a problem.
#include "gui/state/model/copied_text.h"

#include <fmt/format.h>

#include "engine/analysis/diff.h"
#include "engine/core/base/error.h"
#include "gui/state/model/inspection.h"

namespace rankscope::gui {
namespace {

std::string inspection_text(const Inspection& found) {
  std::string text = found.title + "\n";
  for (const auto& [what, is] : found.facts)
    text += what.empty() ? is + "\n" : fmt::format("{}: {}\n", what, is);
  for (const auto& place : found.places) text += fmt::format("{} {}\n", place.what, place.line);
  for (const auto& row : found.rows) text += fmt::format("step {}: {}\n", row.round, row.text);
  return text;
}

[[noreturn]] void refuse(std::string_view what, std::int64_t number) {
  throw UserError(fmt::format("there is no {} {} to copy", what, number));
}

}  // namespace

std::string problem_text(const Problem& problem) {
  std::string text = problem.what + "\n" + problem.where + "\n";
  for (const auto* excerpts : {&problem.stands, &problem.frees}) {
    if (excerpts == &problem.frees && !excerpts->empty()) text += problem.frees_title + ":\n";
    for (const auto& one : *excerpts) {
      text += one.title + "\n";
      for (const auto& [number, line] : one.lines)
        text += fmt::format("{} {:4} {}\n", number == one.marked ? ">" : " ", number, line);
    }
  }
  return text + problem.why + "\n" + problem.advice + "\n";
}

std::string copied_text(const AppState& state, std::string_view what, std::int64_t number) {
  if (what == "problem") {
    if (number < 0 || static_cast<std::size_t>(number) >= state.problems.size())
      refuse(what, number);
    return problem_text(state.problems[static_cast<std::size_t>(number)]);
  }
  if (!state.has_trace()) throw UserError("there is nothing to copy: start a run or open a trace");
  const Document& document = *state.document;
  if (what == "event") {
    const auto at = static_cast<std::uint64_t>(number);
    if (number < 0 || at >= document.trace().size()) refuse(what, number);
    const std::string line = document.line_name(at);
    return fmt::format("rank {}: {}{}{}\n", document.trace()[at].rank,
                       describe(document.trace(), at), line.empty() ? "" : " at ", line);
  }
  Selection chosen;
  if (what == "message") chosen.message = number;
  else if (what == "rank") chosen.rank = static_cast<Rank>(number);
  else if (what == "chunk" && number < document.world_size())
    chosen.chunk = static_cast<int>(number);
  else if (what != "chunk")
    throw UserError(
        fmt::format("copy-text message, rank, chunk, event or problem, not \"{}\"", what));
  const Inspection found = inspect(state, chosen);
  if (found.title.empty()) refuse(what, number);
  return inspection_text(found);
}

}  // namespace rankscope::gui
