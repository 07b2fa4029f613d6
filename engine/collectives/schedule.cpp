// Parses, prints and checks tables of moves.
#include "engine/collectives/schedule.h"

#include <charconv>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr int kMostSteps = 100'000;
constexpr int kMostChunks = 1 << 20;
constexpr std::size_t kMostMoves = 1'000'000;
constexpr std::string_view kExample =
    "a move is like \"1: 0 -> 1 chunk 0 add\" or \"2: 1 -> 0 all keep\"";

// Reads the words and signs of one entry; its errors name the entry's place.
class Reader {
 public:
  Reader(std::string_view text, int line, int number)
      : rest_(text), text_(text), line_(line), number_(number) {}

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void need(std::string_view word, std::string_view after) {
    if (!take(word)) fail(fmt::format("\"{}\" is missing after {}", word, after));
  }
  int number(std::string_view what, int least, int most) {
    skip_blanks();
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument)
      fail(fmt::format("{} should be a number{}", what, found()));
    if (error != std::errc{} || value < least || value > most)
      fail(fmt::format("{} must be {} to {}", what, least, most));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::string found() {
    skip_blanks();
    return rest_.empty() ? ", but nothing is there" : fmt::format(", not \"{}\"", rest_);
  }
  [[noreturn]] void fail(const std::string& what) const {
    const auto place = number_ > 1 ? fmt::format("line {}, move {}", line_, number_)
                                   : fmt::format("line {}", line_);
    throw UserError(fmt::format("schedule, {} (\"{}\"): {}; {}", place, text_, what, kExample));
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() &&
           std::string_view(" \t\r").find(rest_.front()) != std::string_view::npos)
      rest_.remove_prefix(1);
  }
  std::string_view rest_;
  const std::string_view text_;
  const int line_, number_;
};

ScheduleMove read_move(Reader& in) {
  ScheduleMove move;
  move.step = in.number("the step", 1, kMostSteps);
  in.need(":", "the step");
  constexpr int kMostRank = 1 << 20;  // check_schedule() finds ranks that do not exist
  move.from = in.number("the sending rank", 0, kMostRank);
  if (!in.take("→")) in.need("->", "the sending rank");
  move.to = in.number("the receiving rank", 0, kMostRank);
  if (in.take("chunk")) move.chunk = in.number("the chunk", 0, kMostChunks);
  else if (!in.take("all")) in.fail("say what is sent: \"chunk\" and its number, or \"all\"");
  if (in.take("add")) move.add = true;
  else if (!in.take("keep")) in.fail("say what the receiver does with it: \"add\" or \"keep\"");
  if (!in.at_end()) in.fail("there is something after the move" + in.found());
  return move;
}

void read_entry(Reader& in, Schedule& schedule) {
  if (in.at_end()) return;
  if (in.take("chunks")) {
    if (schedule.chunks > 0) in.fail("the number of chunks was said before");
    schedule.chunks = in.number("the number of chunks", 1, kMostChunks);
    if (!in.at_end()) in.fail("there is something after the number of chunks" + in.found());
    return;
  }
  if (schedule.moves.size() >= kMostMoves)
    in.fail(fmt::format("a schedule has at most {} moves", kMostMoves));
  schedule.moves.push_back(read_move(in));
}

// Cuts the beginning of `text` off, up to the separator.
std::string_view cut(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

}  // namespace

Schedule parse_schedule(std::string_view text) {
  Schedule schedule;
  for (int line = 1; !text.empty(); ++line) {
    std::string_view entries = cut(text, '\n');
    entries = entries.substr(0, entries.find('#'));
    for (int number = 1; !entries.empty(); ++number) {
      Reader in(trimmed(cut(entries, ';')), line, number);
      read_entry(in, schedule);
    }
  }
  return schedule;
}

std::string to_text(const ScheduleMove& move) {
  const auto what =
      move.chunk == ScheduleMove::kWhole ? std::string("all") : fmt::format("chunk {}", move.chunk);
  return fmt::format("{}: {} -> {} {} {}", move.step, move.from, move.to, what,
                     move.add ? "add" : "keep");
}

std::string to_text(const Schedule& schedule) {
  std::string text;
  if (schedule.chunks > 0) text = fmt::format("chunks {}\n", schedule.chunks);
  for (const auto& move : schedule.moves) text += to_text(move) + "\n";
  return text;
}

void check_schedule(const Schedule& schedule, int world_size) {
  const int chunks = schedule.chunks_for(world_size);
  for (const auto& move : schedule.moves) {
    const auto fail = [&](const std::string& what) {
      throw UserError(fmt::format("schedule, \"{}\": {}", to_text(move), what));
    };
    for (const Rank rank : {move.from, move.to})
      if (rank < 0 || rank >= world_size)
        fail(fmt::format("there is no rank {} (0 to {})", rank, world_size - 1));
    if (move.from == move.to)
      fail(fmt::format("rank {} sends to itself: it holds that already, take the move out",
                       move.from));
    if (move.chunk < ScheduleMove::kWhole || move.chunk >= chunks)
      fail(
          fmt::format("there is no chunk {} (0 to {}); a line \"chunks N\" sets how many there are",
                      move.chunk, chunks - 1));
  }
}

}  // namespace rankscope
