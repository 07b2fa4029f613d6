// Checks, reads, writes and changes drawn schedules, and keeps their states.
#include "engine/studio/drawn/drawn_schedule.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

auto key_of(const ScheduleMove& move) {
  return std::tuple(move.step, move.from, move.to, move.chunk, move.add);
}

void sort_moves(std::vector<ScheduleMove>& moves) { ranges::stable_sort(moves, {}, key_of); }

std::string ranks_text(int ranks) { return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks); }

}  // namespace

std::vector<Collective> drawn_collectives() {
  std::vector<Collective> out;
  for (const Algorithm& one : schedule_algorithms()) out.push_back(one.collective);
  return out;
}

Collective drawn_collective_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Collective one : drawn_collectives()) {
    names.emplace_back(to_string(one));
    if (names.back() == name) return one;
  }
  throw UserError(
      fmt::format("a schedule is drawn for {}, not for \"{}\"", fmt::join(names, ", "), name));
}

void check_drawn(const DrawnSchedule& drawn) {
  const auto limit = [](int value, int least, int most, const char* what) {
    if (value < least || value > most)
      throw UserError(
          fmt::format("{} of a drawn schedule are {} to {}, not {}", what, least, most, value));
  };
  limit(drawn.ranks, 2, kMostDrawnRanks, "ranks");
  limit(drawn.chunks, 1, kMostDrawnChunks, "chunks");
  const auto known = drawn_collectives();
  if (ranges::find(known, drawn.collective) == known.end())
    throw UserError(fmt::format("no schedule runs as {}: draw one for allreduce, for example",
                                to_string(drawn.collective)));
  if (drawn.root < 0 || drawn.root >= drawn.ranks)
    throw UserError(fmt::format("there is no rank {} that could be the root (0 to {})", drawn.root,
                                drawn.ranks - 1));
  if (drawn.moves.size() > kMostDrawnMoves)
    throw UserError(fmt::format("a drawn schedule has at most {} moves", kMostDrawnMoves));
  for (const ScheduleMove& move : drawn.moves) limit(move.step, 1, kMostDrawnSteps, "steps");
  check_schedule(drawn.table(), drawn.ranks);
}

DrawnSchedule drawn_from(const ScheduleFile& file) {
  if (!file.tasks.collective)
    throw UserError(
        "the file does not say for which collective it is: schedule open FILE allreduce 4");
  const Schedule table = table_of(file);
  DrawnSchedule out{.collective = *file.tasks.collective,
                    .ranks = file.tasks.ranks(),
                    .chunks = table.chunks_for(file.tasks.ranks()),
                    .root = file.tasks.root};
  check_drawn(out);  // before whole vectors become many moves
  for (ScheduleMove move : table.moves) {
    const bool whole = move.chunk == ScheduleMove::kWhole;
    for (int chunk = 0; chunk < (whole ? out.chunks : 1); ++chunk) {
      if (whole) move.chunk = chunk;
      out.moves.push_back(move);
      if (out.moves.size() > kMostDrawnMoves) check_drawn(out);
    }
  }
  sort_moves(out.moves);
  check_drawn(out);
  return out;
}

ScheduleAsked asked_in(std::string_view table) {
  ScheduleAsked out;
  const std::string line(table.substr(0, table.find('\n')));
  char name[32] = {};
  int ranks = 0, root = 0;
  if (std::sscanf(line.c_str(), "# %31[a-z_] on %d rank", name, &ranks) != 2) return out;
  const CollectiveTraits* const found = find_collective(name);
  if (found == nullptr || ranks < 1) return out;
  out.collective = found->collective;
  out.ranks = ranks;
  const auto at = line.find(", root ");
  if (at != std::string::npos && std::sscanf(line.c_str() + at, ", root %d", &root) == 1)
    out.root = root;
  return out;
}

std::string written_table(const DrawnSchedule& drawn) {
  return fmt::format("# {} on {}{}\n{}", to_string(drawn.collective), ranks_text(drawn.ranks),
                     drawn.root > 0 ? fmt::format(", root {}", drawn.root) : "",
                     to_text(normalised(drawn.table(), drawn.ranks)));
}

void ScheduleEditor::take(DrawnSchedule next) {
  sort_moves(next.moves);
  check_drawn(next);
  if (next == drawn_) return;
  before_.push_back(std::move(drawn_));
  after_.clear();
  drawn_ = std::move(next);
}

int ScheduleEditor::number_of(const ScheduleMove& move) const {
  return static_cast<int>(ranges::find(drawn_.moves, move) - drawn_.moves.begin());
}

std::optional<int> ScheduleEditor::find(int step, Rank from, Rank to, int chunk) const {
  for (std::size_t i = 0; i < drawn_.moves.size(); ++i) {
    const ScheduleMove& one = drawn_.moves[i];
    if (one.step == step && one.from == from && one.to == to && one.chunk == chunk)
      return static_cast<int>(i);
  }
  return std::nullopt;
}

int ScheduleEditor::add(const ScheduleMove& move) {
  if (find(move.step, move.from, move.to, move.chunk))
    throw UserError(fmt::format("in step {} rank {} sends chunk {} to rank {} already", move.step,
                                move.from, move.chunk, move.to));
  DrawnSchedule next = drawn_;
  next.moves.push_back(move);
  take(std::move(next));
  return number_of(move);
}

void ScheduleEditor::remove(int move) {
  DrawnSchedule next = drawn_;
  next.moves.erase(next.moves.begin() + move);
  take(std::move(next));
}

int ScheduleEditor::change(int move, const ScheduleMove& to) {
  const auto there = find(to.step, to.from, to.to, to.chunk);
  if (there && *there != move)
    throw UserError(fmt::format("in step {} rank {} sends chunk {} to rank {} already", to.step,
                                to.from, to.chunk, to.to));
  DrawnSchedule next = drawn_;
  next.moves.at(static_cast<std::size_t>(move)) = to;
  take(std::move(next));
  return number_of(to);
}

void ScheduleEditor::resize(int ranks, int chunks) {
  DrawnSchedule next = drawn_;
  next.ranks = ranks;
  next.chunks = chunks;
  next.root = std::min(next.root, std::max(ranks - 1, 0));
  std::erase_if(next.moves, [&](const ScheduleMove& move) {
    return move.from >= ranks || move.to >= ranks || move.chunk >= chunks;
  });
  take(std::move(next));
}

void ScheduleEditor::set_collective(Collective collective, Rank root) {
  DrawnSchedule next = drawn_;
  next.collective = collective;
  next.root = root;
  take(std::move(next));
}

void ScheduleEditor::clear() {
  DrawnSchedule next = drawn_;
  next.moves.clear();
  take(std::move(next));
}

bool ScheduleEditor::undo() {
  if (before_.empty()) return false;
  after_.push_back(std::move(drawn_));
  drawn_ = std::move(before_.back());
  before_.pop_back();
  return true;
}

bool ScheduleEditor::redo() {
  if (after_.empty()) return false;
  before_.push_back(std::move(drawn_));
  drawn_ = std::move(after_.back());
  after_.pop_back();
  return true;
}

StepContents::StepContents(const DrawnSchedule& drawn)
    : ranks_(drawn.ranks), chunks_(drawn.chunks), steps_(drawn.steps()) {
  const TaskGraph graph = posted_tasks(drawn.table(), drawn.use(), Posting::nonblocking);
  const ChunkLayout layout(graph);
  const auto cells = static_cast<std::size_t>(ranks_ * chunks_);
  std::vector<account::Shares> now(cells);
  promised_.resize(cells);
  const auto cell = [&](Rank rank, int chunk) {
    return static_cast<std::size_t>(rank * chunks_ + chunk);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (const auto& [number, shares] : layout.inputs(rank))
      now[cell(rank, layout.place(rank, number).chunk)] = shares;
    for (const auto& [number, shares] : layout.outputs(rank))
      promised_[cell(rank, layout.place(rank, number).chunk)] = shares;
  }
  held_ = now;
  auto move = drawn.moves.begin();
  for (int step = 1; step <= steps_; ++step) {
    const std::vector<account::Shares> sent = now;
    // Moves are in the order of their senders, as a rank receives them.
    for (; move != drawn.moves.end() && move->step == step; ++move) {
      account::Shares& into = now[cell(move->to, move->chunk)];
      const account::Shares& came = sent[cell(move->from, move->chunk)];
      into = move->add ? account::sum(into, came) : came;
    }
    held_.insert(held_.end(), now.begin(), now.end());
  }
}

}  // namespace rankscope
