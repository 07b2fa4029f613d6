// Reads cells from the buffer grid's source, and messages from the rounds.
#include "engine/diagrams/stage/stage_model.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/grid/grid_model.h"
#include "engine/diagrams/moving/flipbook.h"

namespace rankscope {
namespace {

constexpr std::size_t kKept = 4;

bool carries_all(const TraceAnalysis& analysis) {
  const auto& messages = analysis.messages();
  if (messages.empty()) return false;  // nobody knows yet
  return ranges::all_of(messages, [&](const MessageRecord& message) {
    return message.sync || message.bytes == 0 || analysis.pieces().of(message).whole;
  });
}

BufferGridOptions options_of(const TraceAnalysis& analysis, bool values) {
  BufferGridOptions options;
  options.show = values ? BufferGridOptions::Show::values : BufferGridOptions::Show::contributions;
  for (Rank rank = 0; rank < analysis.trace().world_size(); ++rank) options.ranks.push_back(rank);
  if (carries_all(analysis)) options.chunks = 1;
  return options;
}

// "0–3", "4 of 8" where they do not follow each other.
std::string parts_text(const std::vector<CellPart>& slots, Rank origin) {
  if (slots.size() == 1) return origin >= 0 ? fmt::format("{}", origin) : "";
  int count = 0, first = -1, last = -1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].any()) continue;
    ++count;
    if (first < 0) first = static_cast<int>(i);
    last = static_cast<int>(i);
  }
  if (count == 0) return "";
  if (count == 1) return fmt::format("{}", first);
  return last - first + 1 == count ? fmt::format("{}–{}", first, last)
                                   : fmt::format("{} of {}", count, slots.size());
}

bool same(const DataCell& a, const DataCell& b) {
  if (&a == &b) return true;
  return a.exists() == b.exists() && a.slots == b.slots && a.origin == b.origin &&
         a.origin_chunk == b.origin_chunk && a.doubled() == b.doubled();
}

}  // namespace

CellPart StageCargo::part_of(int chunk) const noexcept {
  if (end <= begin) return {0, 1};
  const double first = std::clamp(begin - chunk, 0.0, 1.0),
               last = std::clamp(end - chunk, 0.0, 1.0);
  return {static_cast<float>(first), static_cast<float>(last - first)};
}

DataCell emptied(DataCell cell) {
  cell.slots.assign(cell.slots.size(), {});
  cell.most = cell.fewest = 0;
  cell.origin = cell.origin_chunk = -1;
  cell.unknown = false;
  return cell;
}

struct StageModel::Source {
  GridSource grid;
};

StageModel::StageModel(TraceAnalysis analysis, bool values)
    : analysis_(std::move(analysis)), values_(values) {
  read(options_of(analysis_, values));
  find_rounds();
  find_phases();
  find_lasting();
}

StageModel::StageModel(TraceAnalysis analysis, bool values, const StageModel& planned,
                       const PlanMatch& plan)
    : analysis_(std::move(analysis)), values_(values) {
  BufferGridOptions options = options_of(analysis_, values);
  options.chunks = planned.chunks_;
  read(options);
  chunks_ = planned.chunks_;
  slots_ = planned.slots_;
  lasting_ = planned.lasting_;
  take_rounds(planned, plan);
}

void StageModel::read(const BufferGridOptions& options) {
  const Trace& trace = analysis_.trace();
  if (trace.world_size() == 0 || trace.size() == 0)
    throw UserError("the trace is empty: record a run first (rankscope run)");
  if (trace.world_size() > kMostRanks)
    throw UserError(
        fmt::format("the stage shows at most {} ranks, and this run has {}: take spacetime "
                    "or matrix",
                    kMostRanks, trace.world_size()));
  const auto* collective = analysis_.pieces().collective();
  regroups_ = collective != nullptr && collective->out == Extent::regrouped;
  if (analysis_.pieces().whole() > 0) {
    source_ = std::make_unique<Source>(GridSource(analysis_, options));
    const GridModel start = source_->grid.at(0);
    chunks_ = start.columns;
    slots_ = start.reduces ? trace.world_size() : 1;
  }
}

StageModel::~StageModel() = default;

int StageModel::rounds() const noexcept { return static_cast<int>(rounds_.size()) - 1; }
int StageModel::last() const noexcept { return source_ ? source_->grid.last() : rounds(); }

// Finds whose data the result keeps: what a broadcast's receivers had in memory before is nowhere at the end.
void StageModel::find_lasting() {
  if (reduces() || regroups_ || !source_) return;
  const auto end = state(last());
  std::vector<char> lasts(static_cast<std::size_t>(world()), 0);
  for (const StageCells& cells : end->cells)
    for (const auto& cell : cells)
      if (cell->origin >= 0) lasts[static_cast<std::size_t>(cell->origin)] = 1;
  kept_.clear();
  lasting_ = std::move(lasts);
}

bool StageModel::is_overwritten(const DataCell& cell) const {
  return !lasting_.empty() && cell.origin >= 0 &&
         lasting_[static_cast<std::size_t>(cell.origin)] == 0;
}

void StageModel::find_rounds() {
  const Rounds& found = analysis_.rounds();
  rounds_.resize(static_cast<std::size_t>(found.count) + 1);
  loaded_.assign(rounds_.size(), 0);
  for (std::size_t i = 0; i < found.messages.size(); ++i) {
    const MessageRecord& message = found.messages[i];
    if (message.sync || found.round[i] < 1) continue;
    StageCargo cargo;
    cargo.message = i;
    cargo.from = message.from;
    cargo.to = message.to;
    cargo.received = message.received != kNoEvent;
    describe(cargo);
    rounds_[static_cast<std::size_t>(found.round[i])].cargo.push_back(std::move(cargo));
  }
  // Not the order in which they happened to be sent: the same run makes the same picture.
  const auto way = [](const StageCargo& one) { return std::pair(one.from, one.to); };
  for (StageRound& round : rounds_) {
    ranges::stable_sort(round.cargo, {}, way);
    for (StageCargo& cargo : round.cargo) {
      const auto same = std::ranges::equal_range(round.cargo, way(cargo), {}, way);
      cargo.place = static_cast<int>(&cargo - &same.front());
      cargo.train = static_cast<int>(same.size());
    }
  }
}

void StageModel::take_rounds(const StageModel& planned, const PlanMatch& plan) {
  for (const StageRound& round : planned.rounds_) {
    StageRound made = round;
    made.cargo.clear();
    for (const StageCargo& one : round.cargo) {
      const std::size_t number = plan.made_of[one.message];
      if (number == PlanMatch::kNone) continue;
      StageCargo cargo = one;
      cargo.message = number;
      cargo.received = analysis_.messages()[number].received != kNoEvent;
      made.cargo.push_back(std::move(cargo));
    }
    rounds_.push_back(std::move(made));
  }
  while (rounds_.size() > 1 && rounds_.back().cargo.empty()) rounds_.pop_back();
  loaded_.assign(rounds_.size(), 0);
}

void StageModel::describe(StageCargo& cargo) const {
  const MessageRecord& message = analysis_.messages()[cargo.message];
  const Piece piece = analysis_.pieces().of(message);
  cargo.empty = message.bytes == 0;
  cargo.label = cargo.empty ? "empty" : amount_text(message.bytes);
  cargo.story = fmt::format("rank {} sends {} to rank {} ({})", message.from, piece.name(),
                            message.to, amount_text(message.bytes));
  if (chunks_ == 0 || message.bytes == 0 || piece.elements.offset < 0) return;
  if (regroups_) {
    // The sender's block for its receiver; where it lands is the receiver's affair.
    cargo.label = fmt::format("{}→{}", cargo.from, cargo.to);
    cargo.first = piece.first_chunk;
    cargo.last = piece.last_chunk;
    return;
  }
  const Partition chunks(std::max<Count>(analysis_.pieces().whole(), piece.elements.end()),
                         chunks_);
  cargo.first = cargo.into_first = chunks.chunk_of(piece.elements.offset);
  cargo.last = cargo.into_last = chunks.chunk_of(piece.elements.end() - 1);
  const auto in_chunks = [&](Count element, int chunk) {
    return chunk + static_cast<double>(element - chunks[chunk].offset) /
                       static_cast<double>(chunks[chunk].count);
  };
  cargo.begin = in_chunks(piece.elements.offset, cargo.first);
  cargo.end = in_chunks(piece.elements.end(), cargo.last);
  name_chunks(cargo, cargo.first, cargo.last);
}

void StageModel::name_chunks(StageCargo& cargo, int first, int last) const {
  if (whole()) return cargo.label.clear();
  cargo.named_first = first;
  cargo.named_last = last;
  if (first == last) cargo.label = fmt::format("c{}", first);
  else cargo.label = fmt::format("c{}–{}", first, last);
  if (first == last) cargo.hue = first;
}

// Rounds that follow each other in one phase.
void StageModel::find_phases() {
  const auto moments = round_moments(analysis_);
  for (std::size_t i = 1; i < rounds_.size() && i < moments.size(); ++i)
    rounds_[i].phase = moments[i].phase;
  for (std::size_t i = 1; i < rounds_.size();) {
    std::size_t end = i + 1;
    while (end < rounds_.size() && rounds_[end].phase == rounds_[i].phase) ++end;
    for (std::size_t k = i; k < end; ++k) {
      rounds_[k].of_phase = static_cast<int>(k - i) + 1;
      rounds_[k].phase_rounds = static_cast<int>(end - i);
    }
    i = end;
  }
}

std::shared_ptr<const StageState> StageModel::state(int round) {
  for (auto& [known, state] : kept_)
    if (known == round) return state;
  StageState state;
  state.cells.resize(static_cast<std::size_t>(world()));
  if (source_) fill(state, std::min(round, source_->grid.last()));
  if (kept_.size() >= kKept) kept_.erase(kept_.begin());
  return kept_.emplace_back(round, std::make_shared<const StageState>(std::move(state))).second;
}

// From the nearest round that is known, of which most cells stay as they are.
void StageModel::fill(StageState& state, int round) const {
  GridSource& grid = source_->grid;
  const auto near =
      ranges::min_element(kept_, {}, [&](const auto& one) { return std::abs(one.first - round); });
  const int base = near == kept_.end() ? -1 : std::min(near->first, grid.last());
  if (base >= 0) state.cells = near->second->cells;
  for (Rank rank = 0; rank < world(); ++rank) {
    StageCells& cells = state.cells[static_cast<std::size_t>(rank)];
    cells.resize(static_cast<std::size_t>(grid.columns()));
    for (auto& [chunk, cell] : grid.cells_unlike(rank, round, base)) {
      if (is_overwritten(cell)) cell = emptied(std::move(cell));
      cells[static_cast<std::size_t>(chunk)] = std::make_shared<const DataCell>(std::move(cell));
    }
  }
}

const std::vector<StageCargo>& StageModel::cargo(int number) {
  StageRound& round = rounds_.at(static_cast<std::size_t>(number));
  if (loaded_[static_cast<std::size_t>(number)] == 0) {
    loaded_[static_cast<std::size_t>(number)] = 1;
    const auto before = state(number - 1), after = state(number);
    std::vector<int> received(static_cast<std::size_t>(world()), 0);
    for (const StageCargo& cargo : round.cargo) ++received[static_cast<std::size_t>(cargo.to)];
    if (chunks_ > 0 && source_)
      for (StageCargo& cargo : round.cargo)
        load(cargo, *before, *after, received[static_cast<std::size_t>(cargo.to)] == 1);
  }
  return round.cargo;
}

// Returns the contents of the sender's memory when it sends, where known; else what the receiver gets.
void StageModel::load(StageCargo& cargo, const StageState& before, const StageState& after,
                      bool alone) const {
  const auto of = [](const StageState& state, Rank rank, int chunk) -> const DataCell& {
    return *state.cells[static_cast<std::size_t>(rank)][static_cast<std::size_t>(chunk)];
  };
  cargo.slots.assign(static_cast<std::size_t>(slots_), {});
  if (cargo.empty) return;
  if (regroups_ || cargo.into_first < 0) find_target(cargo, before, after, alone);
  const auto take = [&](const DataCell& cell, int chunk) {
    for (std::size_t i = 0; i < cell.slots.size(); ++i)
      if (const CellPart part = cell.slots[i].common(cargo.part_of(chunk));
          part.share > cargo.slots[i].share)
        cargo.slots[i] = part;
    if (cell.origin >= 0) cargo.origin = cell.origin;
    return cell.holds_anything();
  };
  bool known = false;
  for (int c = std::max(cargo.first, 0); c <= cargo.last; ++c)
    known = take(of(before, cargo.from, c), c) || known;
  for (int c = std::max(cargo.into_first, 0); c <= cargo.into_last; ++c) {
    const DataCell &old = of(before, cargo.to, c), &now = of(after, cargo.to, c),
                   &sent = known ? of(before, cargo.from, c) : old;
    if (!known) take(now, c);
    // A sum has parts of more ranks than either of its two terms, unless a part is in both of them.
    cargo.adds = cargo.adds || (reduces() && old.most > 0 && now.most > old.most &&
                                (now.most > sent.most || now.worst() > std::max(1, sent.worst())));
  }
  if (values_ && cargo.first >= 0 && cargo.first == cargo.last)
    cargo.value = fmt::format("{}{}{}", cargo.label, cargo.label.empty() ? "" : "  ",
                              fmt::join(of(before, cargo.from, cargo.first).values, ", "));
  if (regroups_ && cargo.origin >= 0) cargo.hue = cargo.origin;
  if (whole()) cargo.brief = parts_text(cargo.slots, cargo.origin);
}

// Blocks of an all-to-all, and what comes through memory of the algorithm's own: whatever changes there.
void StageModel::find_target(StageCargo& cargo, const StageState& before, const StageState& after,
                             bool alone) const {
  const auto& old = before.cells[static_cast<std::size_t>(cargo.to)];
  const auto& now = after.cells[static_cast<std::size_t>(cargo.to)];
  for (std::size_t c = 0; c < now.size() && c < old.size(); ++c) {
    if (same(*old[c], *now[c]) || !now[c]->holds_anything()) continue;
    if ((regroups_ || !alone) && now[c]->origin != cargo.from) continue;
    if (cargo.into_first < 0) cargo.into_first = static_cast<int>(c);
    cargo.into_last = static_cast<int>(c);
  }
  if (!regroups_ && cargo.first < 0 && cargo.into_first >= 0)
    name_chunks(cargo, cargo.into_first, cargo.into_last);
}

}  // namespace rankscope
