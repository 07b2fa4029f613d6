// Parses the commands of the step prompt and runs its loop.
#include "cli/run/step_prompt.h"

#include <fmt/format.h>

#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

using Kind = StepCommand::Kind;

constexpr std::string_view kHelp =
    "  m [RANK]        release one message (of RANK) and run its receiver up to the match\n"
    "  s RANK          one step of one rank\n"
    "                  where ranks have strands (2.1, 2.2, ...), m and s take them as well: s 2.1\n"
    "  r               one round of all ranks\n"
    "  c               continue to a breakpoint or the end; at a terminal, Enter pauses\n"
    "  b FILE:LINE     stop before that line; also: b LINE, b phase NAME, b rank N,\n"
    "                  and combined: b allreduce_ring.cpp:27 rank 2; only lines with a message\n"
    "                  verb (send, recv, ...) stop\n"
    "  d               delete all breakpoints\n"
    "  i               where every rank stands\n"
    "  q               end the run\n"
    "  h               this help; an empty line repeats the last command";

std::vector<std::string_view> words_of(std::string_view line) {
  auto words = split_at(line, " \t\r");
  std::erase(words, "");
  return words;
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto found = as_number<Number>(text);
  if (found) number = *found;
  return found.has_value();
}

StepCommand wrong(std::string problem) {
  StepCommand command;
  command.problem = std::move(problem);
  return command;
}

/// Reads "FILE:LINE" or "LINE".
bool read_place(std::string_view text, Breakpoint& breakpoint) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return read_number(text, breakpoint.line);
  breakpoint.file = text.substr(0, colon);
  return !breakpoint.file.empty() && read_number(text.substr(colon + 1), breakpoint.line);
}

StepCommand parse_breakpoint(const std::vector<std::string_view>& words) {
  StepCommand command;
  command.kind = Kind::breakpoint;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "phase" && has_value) {
      command.breakpoint.phase = words[++i];
    } else if (words[i] == "rank" && has_value) {
      if (!read_number(words[++i], command.breakpoint.rank) || command.breakpoint.rank < 0)
        return wrong(fmt::format("'{}' is no rank", words[i]));
    } else if (!read_place(words[i], command.breakpoint)) {
      return wrong(fmt::format("'{}' is no place: b FILE:LINE, b phase NAME, b rank N", words[i]));
    }
  }
  if (words.size() == 1) return wrong("b needs a place: b FILE:LINE, b phase NAME, b rank N");
  return command;
}

/// Reads "RANK" or "RANK.STRAND".
bool read_rank(std::string_view text, StepCommand& command) {
  const auto dot = text.find('.');
  if (!read_number(text.substr(0, dot), command.rank) || command.rank < 0) return false;
  std::uint16_t strand = 0;
  if (dot == std::string_view::npos) return true;
  if (!read_number(text.substr(dot + 1), strand)) return false;
  command.strand = strand;
  return true;
}

StepCommand parse_with_rank(Kind kind, const std::vector<std::string_view>& words) {
  StepCommand command;
  command.kind = kind;
  if (words.size() > 1 && !read_rank(words[1], command))
    return wrong(fmt::format("'{}' is no rank", words[1]));
  if (kind == Kind::step && words.size() == 1) return wrong("s needs a rank: s 2");
  return command;
}

struct Word {
  std::string_view letter, word;
  Kind kind;
};
constexpr Word kWords[] = {
    {"m", "message", Kind::message}, {"s", "step", Kind::step},        {"r", "round", Kind::round},
    {"c", "continue", Kind::resume}, {"b", "break", Kind::breakpoint}, {"d", "delete", Kind::clear},
    {"i", "where", Kind::where},     {"h", "help", Kind::help},        {"?", "?", Kind::help},
    {"q", "quit", Kind::quit},       {"q", "exit", Kind::quit},
};

}  // namespace

StepCommand parse_step_command(std::string_view line, const StepCommand& last) {
  const auto words = words_of(line);
  if (words.empty()) return last;
  for (const auto& [letter, word, kind] : kWords) {
    if (words[0] != letter && words[0] != word) continue;
    if (kind == Kind::breakpoint) return parse_breakpoint(words);
    if (kind == Kind::message || kind == Kind::step) return parse_with_rank(kind, words);
    StepCommand command;
    command.kind = kind;
    return command;
  }
  return wrong(fmt::format("'{}' is no command; h lists them", words[0]));
}

void run_step_prompt(StepTarget& target, const LineSource& next_line, const LineSink& say) {
  const auto print_positions = [&] {
    for (const auto& line : target.where()) say("  " + line);
  };
  print_positions();
  say("h lists the commands.");
  StepCommand last;
  while (!target.finished()) {
    const auto line = next_line();
    if (!line) {
      if (!target.finished()) {  // the end of a script: the rest runs by itself
        target.clear_breakpoints();
        target.resume();
      }
      return;
    }
    const auto command = parse_step_command(*line, last);
    last = command.kind == Kind::none || command.kind == Kind::breakpoint ? StepCommand{} : command;
    switch (command.kind) {
      case Kind::message: say(target.message(command.rank, command.strand)); break;
      case Kind::step: say(target.step(command.rank, command.strand)); break;
      case Kind::round:
        say(target.round());
        print_positions();
        break;
      case Kind::resume:
        say(target.resume());
        if (!target.finished()) print_positions();
        break;
      case Kind::breakpoint: say(target.add_breakpoint(command.breakpoint)); break;
      case Kind::clear: say(target.clear_breakpoints()); break;
      case Kind::where: print_positions(); break;
      case Kind::help: say(std::string(kHelp)); break;
      case Kind::quit: target.quit(); return;
      case Kind::none:
        if (!command.problem.empty()) say(command.problem);
        break;
    }
  }
}

}  // namespace rankscope::cli
