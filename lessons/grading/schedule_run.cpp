// Derives a table of moves from a run, and finds where a run of a table goes wrong.
#include "lessons/grading/schedule_run.h"

#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/contributions.h"
#include "engine/core/base/ranges.h"
#include "engine/studio/recorded/schedule_of_run.h"

namespace rankscope {
namespace {

// ---- Where a run of a table goes wrong ----

std::string times_text(int times) { return times == 2 ? "twice" : fmt::format("{} times", times); }

/// Where the data can change its owner: chunks of the table, and the ranks' own blocks.
struct Cell {
  Count element = 0;
  int chunk = 0, block = 0;
};

class Inspection {
 public:
  Inspection(const RunRecord& run, const Schedule& schedule)
      : run_(run),
        ranks_(run.job.world_size),
        collective_(require_algorithm(run.job.algorithm).collective),
        contributions_(run.contributions()),
        whole_(run.pieces().whole()) {
    std::set<int> steps;
    for (const ScheduleMove& move : schedule.moves) steps.insert(move.step);
    steps_.assign(steps.begin(), steps.end());
    find_cells(schedule.chunks_for(ranks_));
    for (Rank rank = 0; rank < ranks_; ++rank) states_.push_back(states_of(rank));
  }

  std::string fault() const {
    int wrong = 0;
    std::string first;
    for (Rank rank = 0; rank < ranks_; ++rank)
      for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
        if (fits(rank, cell)) continue;
        ++wrong;
        if (first.empty()) first = story(rank, cell);
      }
    if (wrong == 0) return "";
    std::string cause = first_double();
    if (cause.empty()) cause = first_loss();
    if (!cause.empty()) first = cause;
    return wrong == 1 ? first : fmt::format("{} In the end {} places are wrong.", first, wrong);
  }

 private:
  using Times = std::vector<std::uint8_t>;        // by source rank
  using State = std::vector<std::vector<Times>>;  // by step (0: before the first), by cell

  void find_cells(int chunks) {
    const Partition part(whole_, chunks), blocks(whole_, ranks_);
    std::set<Count> begins;
    for (int i = 0; i < chunks; ++i)
      if (part[i].count > 0) begins.insert(part[i].offset);
    for (int i = 0; i < ranks_; ++i)
      if (blocks[i].count > 0) begins.insert(blocks[i].offset);
    for (const Count at : begins) cells_.push_back({at, part.chunk_of(at), blocks.chunk_of(at)});
  }

  // The buffer in which the table works: "work" where the output is smaller.
  const Definition* buffer_of(Rank rank) const {
    const Definition* found = nullptr;
    for (const Definition& one : run_.trace().definitions(Definition::Kind::buffer))
      if (one.id != 0 && one.rank == rank && count_of(one) == whole_ &&
          (one.name == "work" || (one.name == "data" && found == nullptr)))
        found = &one;
    return found;
  }

  // A rank's moments: before the first step, and behind each.
  std::vector<Cursor> moments(Rank rank) const {
    std::map<std::string, Cursor> begins, ends;
    for (std::uint64_t k = 0; k < run_.trace().size(); ++k) {
      const StepEvent& event = run_.trace()[k];
      if (event.rank != rank || event.kind != EventKind::phase) continue;
      const Definition* phase = run_.trace().definition(Definition::Kind::phase, event.phase);
      if (phase == nullptr) continue;
      if (event.verb == Verb::phase_begin) begins.try_emplace(phase->name, k);
      else ends[phase->name] = k + 1;
    }
    std::vector<Cursor> out{run_.trace().size()};
    if (steps_.empty()) return out;
    const auto at = [&](const auto& map, int step) {
      const auto found = map.find(fmt::format("step {}", step));
      return found == map.end() ? run_.trace().size() : found->second;
    };
    out[0] = at(begins, steps_.front());
    for (const int step : steps_) out.push_back(at(ends, step));
    return out;
  }

  State states_of(Rank rank) const {
    State out;
    const Definition* buffer = buffer_of(rank);
    for (const Cursor moment : moments(rank)) {
      std::vector<Times> state(cells_.size(), Times(static_cast<std::size_t>(ranks_)));
      if (buffer != nullptr) {
        const ContributionMap map = contributions_.of(buffer->id, moment);
        for (std::size_t cell = 0; cell < cells_.size(); ++cell)
          for (const Contribution& one : map)
            if (one.elements.offset <= cells_[cell].element &&
                cells_[cell].element < one.elements.end())
              ranges::copy(one.count, state[cell].begin());
      }
      out.push_back(std::move(state));
    }
    return out;
  }

  // Must this source be in this place in the end? Nothing: whatever is there is right.
  std::optional<bool> wanted(Rank rank, std::size_t cell, Rank source) const {
    const CollectiveTraits& what = traits(collective_);
    const Rank block = cells_[cell].block;
    if (what.result_at_root && rank != run_.job.root) return std::nullopt;
    if (what.out == Extent::chunk && rank != block) return std::nullopt;
    if (what.reduces) return true;
    return source == (what.counts_all_ranks() ? block : run_.job.root);
  }

  int times(std::size_t step, Rank rank, std::size_t cell, Rank source) const {
    return states_[static_cast<std::size_t>(rank)][step][cell][static_cast<std::size_t>(source)];
  }
  bool fits(Rank rank, std::size_t cell) const {
    for (Rank source = 0; source < ranks_; ++source)
      if (const auto want = wanted(rank, cell, source);
          want && times(steps_.size(), rank, cell, source) != (*want ? 1 : 0))
        return false;
    return true;
  }

  std::string place(Rank rank, std::size_t cell) const {
    return fmt::format("chunk {} on rank {}", cells_[cell].chunk, rank);
  }

  // The earliest moment at which some data is in a sum more than once, if the result suffers from it.
  std::string first_double() const {
    const auto suffers = [&](std::size_t cell) {
      for (Rank rank = 0; rank < ranks_; ++rank)
        for (Rank source = 0; source < ranks_; ++source)
          if (wanted(rank, cell, source) && times(steps_.size(), rank, cell, source) > 1)
            return true;
      return false;
    };
    for (std::size_t step = 1; step <= steps_.size(); ++step)
      for (Rank rank = 0; rank < ranks_; ++rank)
        for (std::size_t cell = 0; cell < cells_.size(); ++cell)
          for (Rank source = 0; source < ranks_; ++source)
            if (times(step, rank, cell, source) > 1 && suffers(cell))
              return fmt::format("After step {}, {} has rank {}'s data {}.", steps_[step - 1],
                                 place(rank, cell), source,
                                 times_text(times(step, rank, cell, source)));
    return "";
  }

  int holders(std::size_t step, std::size_t cell, Rank source) const {
    int out = 0;
    for (Rank rank = 0; rank < ranks_; ++rank) out += times(step, rank, cell, source) > 0 ? 1 : 0;
    return out;
  }

  // The step after which no rank has some data any more that a rank should have in the end.
  std::string first_loss() const {
    for (std::size_t step = 1; step <= steps_.size(); ++step)
      for (std::size_t cell = 0; cell < cells_.size(); ++cell)
        for (Rank source = 0; source < ranks_; ++source) {
          if (holders(step - 1, cell, source) == 0 || holders(step, cell, source) > 0) continue;
          bool needed = false;
          Rank loser = -1;
          for (Rank rank = 0; rank < ranks_; ++rank) {
            needed |= wanted(rank, cell, source) == true;
            if (loser < 0 && times(step - 1, rank, cell, source) > 0) loser = rank;
          }
          if (needed) return loss(step, loser, cell, source);
        }
    return "";
  }

  std::string loss(std::size_t step, Rank rank, std::size_t cell, Rank source) const {
    return fmt::format(
        "In step {}, rank {} keeps what comes for chunk {} and loses rank {}'s data.",
        steps_[step - 1], rank, cells_[cell].chunk, source);
  }

  std::string story(Rank rank, std::size_t cell) const {
    const std::size_t last = steps_.size();
    for (Rank source = 0; source < ranks_; ++source) {
      const auto want = wanted(rank, cell, source);
      const int has = times(last, rank, cell, source);
      if (want != true || has > 0) continue;
      for (std::size_t step = last; step > 0; --step)
        if (times(step - 1, rank, cell, source) > 0) return loss(step, rank, cell, source);
      return last == 0 ? fmt::format("Without any step, {} lacks rank {}'s data.",
                                     place(rank, cell), source)
                       : fmt::format("After step {}, the last one, {} lacks rank {}'s data.",
                                     steps_.back(), place(rank, cell), source);
    }
    for (Rank source = 0; source < ranks_; ++source)
      if (wanted(rank, cell, source) == false && times(last, rank, cell, source) > 0)
        return fmt::format("{} has rank {}'s data too, which does not belong there.",
                           "In the end " + place(rank, cell), source);
    return fmt::format("In the end {} is wrong.", place(rank, cell));
  }

  const RunRecord& run_;
  const int ranks_;
  const Collective collective_;
  const Contributions& contributions_;
  const Count whole_;
  std::vector<int> steps_;
  std::vector<Cell> cells_;
  std::vector<State> states_;
};

// By step and rank, whom it deals with there: several chunks to one peer are one message.
using Peers = std::map<std::pair<int, Rank>, std::set<Rank>>;
std::string crowded(const Peers& peers, std::string_view verb) {
  for (const auto& [at, others] : peers)
    if (others.size() > 1)
      return fmt::format("In step {} rank {} {} {} ranks; one is allowed.", at.first, at.second,
                         verb, others.size());
  return "";
}

}  // namespace

Schedule schedule_of(const RunRecord& run, int chunks) {
  return schedule_of_run(run, chunks, run.job.algorithm,
                         "choose another reference or number of chunks");
}

std::string schedule_fault(const RunRecord& run, const Schedule& schedule) {
  return Inspection(run, schedule).fault();
}

std::vector<std::string> broken_rules(const Schedule& schedule, int ranks,
                                      const ScheduleRules& rules) {
  std::set<int> steps;
  std::map<Rank, int> sent;
  Peers senders, receivers;
  std::string stranger;
  for (const ScheduleMove& move : schedule.moves) {
    steps.insert(move.step);
    sent[move.from] += move.chunk == ScheduleMove::kWhole ? schedule.chunks_for(ranks) : 1;
    senders[{move.step, move.from}].insert(move.to);
    receivers[{move.step, move.to}].insert(move.from);
    const bool neighbours =
        wrap(move.from + 1, ranks) == move.to || wrap(move.from - 1, ranks) == move.to;
    if (!neighbours && stranger.empty())
      stranger = fmt::format("In step {} rank {} sends to rank {}, which is not its neighbour.",
                             move.step, move.from, move.to);
  }
  std::vector<std::string> out;
  const int used = static_cast<int>(steps.size());
  if (rules.rounds > 0 && used > rules.rounds)
    out.push_back(fmt::format("It takes {} steps; {} are enough.", used, rules.rounds));
  const auto busiest = ranges::max_element(sent, {}, [](const auto& one) { return one.second; });
  if (rules.chunks_sent > 0 && busiest != sent.end() && busiest->second > rules.chunks_sent)
    out.push_back(fmt::format("Rank {} sends {} chunks; {} are enough.", busiest->first,
                              busiest->second, rules.chunks_sent));
  const int messages = static_cast<int>(schedule.moves.size());
  if (rules.messages > 0 && messages > rules.messages)
    out.push_back(fmt::format("It sends {} messages; {} are enough.", messages, rules.messages));
  if (rules.ring && !stranger.empty()) out.push_back(stranger);
  std::string crowd = crowded(senders, "sends to");
  if (crowd.empty()) crowd = crowded(receivers, "receives from");
  if (rules.one_send && !crowd.empty()) out.push_back(crowd);
  return out;
}

}  // namespace rankscope
