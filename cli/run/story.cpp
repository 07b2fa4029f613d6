// Makes a story from a trace and writes its chapters for the terminal, with the chunks coloured by origin.
#include "cli/run/story.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/analysis/narration/narration.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/value_text.h"

namespace rankscope::cli {

// ---- Made from a trace ----------------------------------------------------------------------------------

namespace {

class StoryBuilder {
 public:
  StoryBuilder(const TraceAnalysis& analysis, int most_values)
      : analysis_(analysis),
        trace_(analysis.trace()),
        ranks_(trace_.world_size()),
        most_values_(most_values),
        rounds_(analysis.rounds()),
        pieces_(analysis.pieces()),
        cuts_(analysis.cuts()),
        narration_(analysis) {}

  Story build_story() {
    Story story;
    story.algorithm = trace_.meta().algorithm;
    story.ranks = ranks_;
    story.rounds = rounds_.count;
    for (int round = 0; round <= rounds_.count; ++round) {
      auto told = chapter(round);
      if (round > 0 || !told.buffers.empty()) story.chapters.push_back(std::move(told));
    }
    auto end = chapter(rounds_.count + 1);
    if (ends_differ()) story.chapters.push_back(std::move(end));
    story.ending = narration_.sentence(rounds_.count + 1);
    mark_changes(story);
    for (std::uint64_t k = 0; k < trace_.size() && story.op.empty(); ++k)
      if (trace_[k].verb == Verb::reduce || trace_[k].verb == Verb::recv_reduce)
        story.op = to_string(trace_[k].reduce_op);
    return story;
  }

 private:
  /// A reduce-scatter works on a copy of the whole input; only its output is one chunk.
  bool ends_differ() const {
    if (cuts_.ends_differ) return true;
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (pieces_.work(rank) != nullptr) return true;
    return false;
  }

  StoryRound chapter(int round) {
    StoryRound told;
    told.number = round;
    if (round <= rounds_.count) told.sentence = narration_.sentence(round);
    std::vector<std::string> phases;
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
      const auto& message = rounds_.messages[i];
      if (message.sync || rounds_.round[i] != round || round == 0) continue;
      told.messages.push_back(story_message(message));
      const auto* phase = trace_.definition(Definition::Kind::phase, trace_[message.sent].phase);
      if (phase != nullptr && ranges::find(phases, phase->name) == phases.end())
        phases.push_back(phase->name);
    }
    ranges::stable_sort(told.messages, {}, &StoryMessage::from);
    for (const auto& phase : phases) told.phase += (told.phase.empty() ? "" : ", ") + phase;
    for (Rank rank = 0; rank < ranks_; ++rank) add_buffers(told, rank);
    return told;
  }

  StoryMessage story_message(const MessageRecord& message) const {
    StoryMessage told;
    told.from = message.from;
    told.to = message.to;
    told.bytes = message.bytes;
    told.received = message.received != kNoEvent;
    if (told.received) told.reduced = trace_[message.received].verb == Verb::recv_reduce;
    told.piece = pieces_.of(message);
    return told;
  }

  void add_buffers(StoryRound& told, Rank rank) {
    const auto* data = pieces_.data(rank);
    const auto* in = pieces_.in(rank);
    const auto* work = pieces_.work(rank);
    const Definition* shown = data;
    // The input is shown at the start, and later where a rank has nothing else.
    if (in != nullptr && (told.number == 0 || data == nullptr)) shown = in;
    else if (work != nullptr && told.number <= rounds_.count) shown = work;
    if (shown != nullptr) told.buffers.push_back(story_buffer(*shown, rank, told.number));
  }

  StoryBuffer story_buffer(const Definition& buffer, Rank rank, int round) {
    StoryBuffer told;
    told.rank = rank;
    told.name = buffer.name;
    told.count = count_of(buffer);
    const auto cursor = cuts_.cut[static_cast<std::size_t>(rank)][static_cast<std::size_t>(round)];
    const auto* const noted =
        &buffer == pieces_.data(rank) && ranks_ <= account::Contributions::kMostRanks
            ? analysis_.contributions().result_of(rank)
            : nullptr;
    if (noted != nullptr) told.name = noted->name;
    const auto& states = at(cursor);
    const auto state =
        ranges::find_if(states, [&](const auto& one) { return one.buffer == buffer.id; });
    const Sampling sampling(told.count);
    const Count base = pieces_.base_of(&buffer).value_or(0);
    const Partition chunks(pieces_.whole(), ranks_);
    const bool all = told.count <= most_values_;
    for (Count i = 0; i < told.count;) {
      StoryBuffer::Cell cell;
      cell.element = base + i;
      cell.chunk = chunks.chunk_of(cell.element);
      const Count next = all ? i + 1 : chunks[cell.chunk].end() - base;
      const auto samples = sampling.within({i, std::min(next, told.count) - i});
      const auto sample = static_cast<std::size_t>(samples.offset);
      if (noted != nullptr) {
        const auto& values = noted->at(cursor);
        if (i < std::ssize(values))
          cell.value = fmt::format("{:.7g}", values[static_cast<std::size_t>(i)]);
      } else if (state != states.end() && samples.count > 0 && sample < state->known.size() &&
                 state->known[sample])
        cell.value =
            value_text(buffer.dtype, state->samples.data() + sample * dtype_size(buffer.dtype));
      told.cells.push_back(std::move(cell));
      i = next;
    }
    return told;
  }

  const std::vector<BufferState>& at(Cursor cursor) {
    auto& states = states_[cursor];
    if (!states) states = trace_.seek(cursor);
    return *states;
  }

  static void mark_changes(Story& story) {
    std::map<Rank, const StoryBuffer*> before;
    for (auto& chapter : story.chapters) {
      for (auto& buffer : chapter.buffers) {
        const auto*& last = before[buffer.rank];
        const bool same = last != nullptr && last->cells.size() == buffer.cells.size();
        for (std::size_t i = 0; same && i < buffer.cells.size(); ++i)
          buffer.cells[i].changed = buffer.cells[i].value != last->cells[i].value;
        last = &buffer;
      }
    }
  }

  const TraceAnalysis& analysis_;
  const Trace& trace_;
  const int ranks_;
  const int most_values_;
  const Rounds& rounds_;
  const Pieces& pieces_;
  const RoundCuts& cuts_;
  const Narration narration_;
  std::map<Cursor, std::optional<std::vector<BufferState>>> states_;
};

}  // namespace

Story build_story(const TraceAnalysis& analysis, int most_values) {
  return StoryBuilder(analysis, most_values).build_story();
}

nlohmann::json json_of(const Story& story) {
  auto chapters = nlohmann::json::array();
  for (const auto& chapter : story.chapters) {
    auto messages = nlohmann::json::array(), buffers = nlohmann::json::array();
    for (const auto& message : chapter.messages)
      messages.push_back({{"from", message.from},
                          {"to", message.to},
                          {"bytes", message.bytes},
                          {"what", message.piece.name()},
                          {"first_element", message.piece.elements.offset},
                          {"elements", message.piece.elements.count},
                          {"reduced", message.reduced},
                          {"received", message.received}});
    for (const auto& buffer : chapter.buffers) {
      auto values = nlohmann::json::array();
      for (const auto& cell : buffer.cells)
        values.push_back({{"element", cell.element},
                          {"value", cell.value},
                          {"chunk", cell.chunk},
                          {"changed", cell.changed}});
      buffers.push_back({{"rank", buffer.rank},
                         {"buffer", buffer.name},
                         {"count", buffer.count},
                         {"values", values}});
    }
    chapters.push_back({{"round", chapter.number},
                        {"phase", chapter.phase},
                        {"narration", chapter.sentence},
                        {"messages", messages},
                        {"buffers", buffers}});
  }
  return {{"algorithm", story.algorithm}, {"ranks", story.ranks},
          {"rounds", story.rounds},       {"op", story.op},
          {"ending", story.ending},       {"chapters", chapters}};
}

// ---- On a terminal -------------------------------------------------------------------------------

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

/// Returns the width of the widest value of the story, so that columns keep their places from round to round.
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

/// Returns the room for the names of buffers; none where all are "data".
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

/// Returns whether all elements of each buffer fit on a line; else the first of each chunk is shown.
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
  const bool values =
      ranges::any_of(story.chapters, [](const auto& chapter) { return !chapter.buffers.empty(); });
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
