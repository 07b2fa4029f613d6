// Formats a story's chapters for the terminal, with the chunks coloured by origin.
#include "cli/run/story_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "cli/terminal/text.h"

namespace rankscope::cli {
namespace {

constexpr int kMostRowsOfMessages = 16;

std::string title_of(const Story& story, const StoryRound& round) {
  if (round.number == 0) return "At the start";
  if (round.number > story.rounds) return "At the end";
  auto title = fmt::format("Round {} of {}", round.number, story.rounds);
  return round.phase.empty() ? title : title + ": " + round.phase;
}

std::string_view effect_of(const std::string& op) {
  if (op == "SUM" || op == "AVG") return "adds it";
  if (op == "PRODUCT") return "multiplies by it";
  if (op == "MIN") return "keeps the smaller";
  if (op == "MAX") return "keeps the larger";
  return "combines it bit by bit";
}

std::string message_line(const Story& story, const StoryMessage& message, const Style& style) {
  const int chunk = message.piece.whole ? -1 : message.piece.chunk();
  const auto what = chunk < 0 ? message.piece.name() : style.chunk(chunk, message.piece.name());
  auto line = fmt::format("  rank {} → rank {}  {} ({})", message.from, message.to, what,
                          format_bytes(message.bytes));
  if (!message.received) line += style.bad(", never received");
  else if (message.bytes > 0)
    line +=
        fmt::format(", rank {} {}", message.to, message.reduced ? effect_of(story.op) : "keeps it");
  return line + "\n";
}

std::string message_lines(const Story& story, const StoryRound& round, const Style& style) {
  std::string text;
  int rows = 0;
  for (const auto& message : round.messages) {
    if (++rows > kMostRowsOfMessages) {
      text += fmt::format("  … and {} more\n",
                          round.messages.size() - static_cast<std::size_t>(kMostRowsOfMessages));
      break;
    }
    text += message_line(story, message, style);
  }
  return text;
}

/// Widest value of the whole story: columns stay where they are from round to round.
int value_width(const Story& story) {
  int width = 1;
  for (const auto& chapter : story.chapters)
    for (const auto& buffer : chapter.buffers)
      for (const auto& cell : buffer.cells) width = std::max(width, display_width(cell.value));
  return width;
}

std::string cell_text(const StoryBuffer::Cell& cell, int width, const Style& style) {
  const auto value = fmt::format("{:>{}}", cell.value.empty() ? "-" : cell.value, width);
  if (!cell.changed) return style.chunk(cell.chunk, value) + " ";
  return style.color() ? style.changed_chunk(cell.chunk, value) + " " : value + "*";
}

/// Room for the names of buffers; none where all are "data".
int name_width(const Story& story) {
  for (const auto& chapter : story.chapters)
    for (const auto& buffer : chapter.buffers)
      if (buffer.name != "data") return 6;
  return 0;
}

std::string buffer_line(const StoryBuffer& buffer, int width, int names, bool all,
                        const Style& style) {
  auto line = fmt::format("  rank {:<4}{:<{}}", buffer.rank, names > 0 ? buffer.name : "", names);
  int chunk = buffer.cells.empty() ? 0 : buffer.cells.front().chunk;
  for (std::size_t i = 0; i < buffer.cells.size(); ++i) {
    const auto& cell = buffer.cells[i];
    if (!all && i > 0 && cell.chunk == chunk) continue;
    if (all && cell.chunk != chunk) line += style.dim("│") + " ";
    chunk = cell.chunk;
    line += cell_text(cell, width, style);
  }
  if (buffer.cells.empty()) line += style.dim("(empty)");
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Whether all elements of all buffers have room on a line; otherwise the first of each chunk is
/// shown.
bool all_fit(const Story& story, int columns) {
  const int width = value_width(story), names = name_width(story);
  for (const auto& chapter : story.chapters)
    for (const auto& buffer : chapter.buffers)
      if (static_cast<Count>(buffer.cells.size()) < buffer.count ||
          display_width(buffer_line(buffer, width, names, true, Style(false, true))) > columns)
        return false;
  return true;
}

std::string buffer_lines(const Story& story, const StoryRound& round, const Style& style,
                         int columns) {
  const int width = value_width(story), names = name_width(story);
  const bool all = all_fit(story, columns);
  std::string text;
  for (const auto& buffer : round.buffers)
    text += buffer_line(buffer, width, names, all, style) + "\n";
  return text;
}

std::string legend(const Story& story, const Style& style, int columns) {
  const bool values = std::any_of(story.chapters.begin(), story.chapters.end(),
                                  [](const auto& chapter) { return !chapter.buffers.empty(); });
  if (!values) return {};
  std::string text = style.color() ? "Each chunk has its colour; reversed is what a round changed."
                                   : "* marks what a round changed.";
  text += all_fit(story, columns) ? (style.color() ? "" : " │ stands between chunks.")
                                  : " Only the first element of each chunk is shown.";
  return style.dim(text) + "\n\n";
}

enum class Move { next, back, quit };

Move ask(const Console& console, bool last) {
  console.print(
      console.out().dim(last ? "[b back, Enter or q quit] " : "[Enter next, b back, q quit] "));
  std::fflush(stdout);
  std::array<char, 256> line{};
  if (std::fgets(line.data(), static_cast<int>(line.size()), stdin) == nullptr) return Move::quit;
  if (line[0] == 'q') return Move::quit;
  return line[0] == 'b' ? Move::back : Move::next;
}

}  // namespace

std::string chapter_text(const Story& story, std::size_t chapter, const Style& style, int width) {
  const auto& round = story.chapters[chapter];
  auto text = style.bold(title_of(story, round)) + "\n";
  if (!round.sentence.empty()) text += wrap(round.sentence, width) + "\n";
  text += message_lines(story, round, style) + buffer_lines(story, round, style, width);
  if (chapter + 1 == story.chapters.size() && !story.ending.empty())
    text += "\n" + wrap(story.ending, width) + "\n";
  return text;
}

void show_story(const Console& console, const Story& story, bool interactive) {
  console.print(legend(story, console.out(), console.width()));
  for (std::size_t at = 0; at < story.chapters.size();) {
    console.print(chapter_text(story, at, console.out(), console.width()) + "\n");
    if (!interactive) {
      ++at;
      continue;
    }
    const auto move = ask(console, at + 1 == story.chapters.size());
    if (move == Move::quit) return;
    if (move == Move::next) ++at;
    if (move == Move::back && at > 0) --at;
  }
}

}  // namespace rankscope::cli
