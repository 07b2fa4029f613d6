// Computes the rows and cells of a buffer grid from buffer contents and contributions.
#include "engine/diagrams/grid/grid_model.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/value_text.h"
#include "engine/diagrams/run/run_outcome.h"

namespace rankscope {
namespace {

constexpr int kMostColumns = 64;
constexpr std::size_t kMostRows = 32;
constexpr Count kMostValues = 8;   // of a cell
constexpr Count kFirstValues = 3;  // before an ellipsis

bool any_reduction(const Trace& trace) {
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    if (trace[k].verb == Verb::reduce || trace[k].verb == Verb::recv_reduce) return true;
  return false;
}

bool has_buffer(const Trace& trace, const std::string& name) {
  return ranges::any_of(trace.definitions(Definition::Kind::buffer),
                        [&](const auto& one) { return one.id != 0 && one.name == name; });
}

std::string buffer_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const auto& one : trace.definitions(Definition::Kind::buffer))
    if (one.id != 0 && ranges::find(names, one.name) == names.end()) names.push_back(one.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

int DataCell::worst() const noexcept { return times.empty() ? 0 : *ranges::max_element(times); }

std::vector<Rank> DataCell::doubled() const {
  std::vector<Rank> out;
  for (std::size_t rank = 0; rank < times.size(); ++rank)
    if (times[rank] > 1) out.push_back(static_cast<Rank>(rank));
  return out;
}

CellPart CellPart::common(const CellPart& other) const noexcept {
  const float first = std::max(begin, other.begin),
              last = std::min(begin + share, other.begin + other.share);
  return {first, std::max(last - first, 0.0F)};
}

double DataCell::held() const noexcept {
  const double all = std::accumulate(
      slots.begin(), slots.end(), 0.0,
      [](double sum, const CellPart& part) { return sum + static_cast<double>(part.share); });
  return all / static_cast<double>(std::max<std::size_t>(slots.size(), 1));
}

bool DataCell::same_contents(const DataCell& other) const {
  return unknown == other.unknown && slots == other.slots && times == other.times &&
         stripes == other.stripes && values == other.values;
}

GridSource::GridSource(TraceAnalysis analysis, BufferGridOptions options)
    : analysis_(std::move(analysis)),
      trace_(analysis_.trace()),
      options_(std::move(options)),
      rounds_(analysis_.rounds()),
      pieces_(analysis_.pieces()),
      cuts_(analysis_.cuts()) {
  check_options();
  find_lost();
  const Trace& trace = trace_;
  const auto* collective = pieces_.collective();
  alltoall_ = collective != nullptr && collective->out == Extent::regrouped;
  root_input_ = collective != nullptr && collective->in == Extent::whole_at_root;
  // Before the first message of a run that is watched, its collective says what is to come.
  reduces_ = any_reduction(trace) || (collective != nullptr && !trace.meta().complete &&
                                      analysis_.messages().empty() && collective->reduces);
  bool ends_differ = cuts_.ends_differ;
  for (Rank rank = 0; rank < trace.world_size(); ++rank)
    ends_differ = ends_differ || pieces_.work(rank) != nullptr;
  last_ = rounds_.count + (ends_differ ? 1 : 0);
  columns_ = options_.chunks > 0 ? options_.chunks : std::min(trace.world_size(), kMostColumns);
  columns_ = static_cast<int>(std::min<Count>(columns_, std::max<Count>(1, pieces_.whole())));
  if (options_.show == BufferGridOptions::Show::contributions ||
      trace.world_size() <= account::Contributions::kMostRanks)
    contributions_ = &analysis_.contributions();
  reduces_ = reduces_ || (contributions_ != nullptr && contributions_->explains_sums());
}

void GridSource::check_options() {
  const int world = trace_.world_size();
  if (world == 0 || trace_.size() == 0)
    throw UserError("the trace is empty: record a run first (rankscope run)");
  check_ranks(options_.ranks, world);
  if (options_.chunks < 0 || options_.chunks > kMostColumns)
    throw UserError(
        fmt::format("a grid has 1 to {} chunks, not {}", kMostColumns, options_.chunks));
  if (!options_.buffer.empty() && !has_buffer(trace_, options_.buffer))
    throw UserError(fmt::format("no rank has a buffer \"{}\"; there are: {}", options_.buffer,
                                buffer_names(trace_)));
  if (!options_.ranks.empty()) return;
  const auto shown = std::min<std::size_t>(static_cast<std::size_t>(world), kMostRows);
  hidden_ranks_ = static_cast<std::size_t>(world) - shown;
  for (std::size_t rank = 0; rank < shown; ++rank)
    options_.ranks.push_back(static_cast<Rank>(rank));
}

void GridSource::check_round(int round) const {
  if (round < 0 || round > last_)
    throw UserError(fmt::format("there is no round {}: this run has {} rounds (0 is the start)",
                                round, rounds_.count));
}

GridSource::Shown GridSource::shown(Rank rank, int round) const {
  Shown result;
  if (!options_.buffer.empty()) {
    for (const auto& one : trace_.definitions(Definition::Kind::buffer))
      if (one.id != 0 && one.rank == rank && one.name == options_.buffer) result.buffer = &one;
  } else {
    const auto* in = pieces_.in(rank);
    const auto* work = pieces_.work(rank);
    result.buffer = pieces_.data(rank);
    // The input is shown at the start, as long as the root of a scatter sends from it, and where a
    // rank has nothing else.
    const bool scatters = round < rounds_.count && root_input_;
    if (in != nullptr && (round == 0 || scatters || result.buffer == nullptr)) result.buffer = in;
    else if (work != nullptr && round <= rounds_.count) result.buffer = work;
  }
  if (result.buffer != nullptr && !alltoall_)
    result.base = pieces_.base_of(result.buffer).value_or(0);
  return result;
}

/// Returns a chunk of the data as a whole; for an all-to-all, a block of the buffer.
Range GridSource::column(const Shown& shown, int number) const {
  if (shown.buffer == nullptr) return {};
  const Count count = count_of(*shown.buffer);
  if (alltoall_) return Partition(count, columns_)[number];
  const Count whole = std::max(pieces_.whole(), shown.base + count);
  return account::common(Partition(whole, columns_)[number], {shown.base, count});
}

int GridSource::origin_chunk(Range elements) const {
  Count whole = pieces_.whole();
  if (alltoall_) {
    const auto* in = pieces_.in(0) != nullptr ? pieces_.in(0) : pieces_.data(0);
    // Chunks along a dimension of an array are no ranges of elements.
    if (in == nullptr || in->extents.size() > 1) return -1;
    whole = count_of(*in);
  }
  if (elements.offset < 0 || elements.count <= 0 || elements.end() > whole) return -1;
  const Partition chunks(whole, columns_);
  const int first = chunks.chunk_of(elements.offset);
  return first == chunks.chunk_of(elements.end() - 1) ? first : -1;
}

DataCell GridSource::cell(const Shown& shown, Range elements, const account::Contents& map) const {
  DataCell cell;
  cell.elements = elements;
  const auto ranks = static_cast<std::size_t>(trace_.world_size());
  const bool adds = reduces_ && ranks > 1;
  std::vector<Range> held_by(adds ? ranks : 1, {elements.offset, 0});
  cell.times.assign(ranks, 0);
  cell.complete = true;
  bool first = true, mixed = false;
  const auto share_of = [&elements](Count count) {
    return static_cast<double>(count) / static_cast<double>(elements.count);
  };
  for (const auto& one : map) {
    const Range part =
        account::common({one.elements.offset + shown.base, one.elements.count}, elements);
    if (part.count == 0) continue;
    const auto add_to = [&part](Range& slot) {
      if (slot.count == 0) slot.offset = part.offset;
      slot.count += part.count;
    };
    for (const account::Share& of_rank : one.shares) {
      const auto r = static_cast<std::size_t>(of_rank.rank);
      if (adds) add_to(held_by[r]);
      cell.times[r] = std::max(cell.times[r], of_rank.times);
    }
    const int held = one.shares.count();
    cell.fewest = first ? held : std::min(cell.fewest, held);
    cell.most = std::max(cell.most, held);
    cell.complete = cell.complete && one.shares.complete(trace_.world_size());
    cell.unknown = cell.unknown || !one.shares.known();
    first = false;
    CellStripe stripe{share_of(part.count), one.origin(), -1, !one.shares.known()};
    if (one.origin() >= 0) {
      const Count skipped = part.offset - shown.base - one.elements.offset;
      stripe.origin_chunk = origin_chunk({one.origin_element() + skipped, part.count});
    }
    if (!adds && (stripe.origin >= 0 || stripe.unknown)) {
      const bool whole = held_by[0].count == 0;
      add_to(held_by[0]);
      cell.origin_chunk =
          whole || cell.origin_chunk == stripe.origin_chunk ? stripe.origin_chunk : -1;
      mixed = mixed || (!whole && cell.origin != stripe.origin);
      if (whole) cell.origin = stripe.origin;
    }
    cell.stripes.push_back(stripe);
  }
  if (mixed) cell.origin = cell.origin_chunk = -1;
  for (const Range& slot : held_by)
    cell.slots.push_back({static_cast<float>(share_of(slot.offset - elements.offset)),
                          static_cast<float>(share_of(slot.count))});
  cell.complete = cell.complete && !first && trace_.world_size() > 1;
  return cell;
}

void GridSource::add_values(DataCell& cell, const Shown& shown, const BufferState& state,
                            const std::vector<double>* noted) const {
  const auto& buffer = *shown.buffer;
  const Sampling sampling(count_of(buffer));
  const Range samples = sampling.within({cell.elements.offset - shown.base, cell.elements.count});
  const auto size = dtype_size(buffer.dtype);
  const auto text = [&](Count sample) -> std::string {
    const auto at = static_cast<std::size_t>(sample);
    if (noted != nullptr) return at < noted->size() ? fmt::format("{:.7g}", (*noted)[at]) : "?";
    if (at >= state.known.size() || !state.known[at]) return "?";
    return value_text(buffer.dtype, state.samples.data() + at * size);
  };
  const bool all = samples.count == cell.elements.count && samples.count <= kMostValues;
  const Count shown_first = all ? samples.count : std::min(kFirstValues, samples.count);
  for (Count i = 0; i < shown_first; ++i) cell.values.push_back(text(samples.offset + i));
  if (!all) cell.values.emplace_back("…");
}

/// Trees and Bruck's algorithms gather data in memory of their own before it comes to its place.
void GridSource::find_elsewhere(GridRow& row, const Shown& shown, Cursor cursor) const {
  if (reduces_ || alltoall_ || contributions_ == nullptr) return;
  const Partition chunks(pieces_.whole(), columns_);
  for (const auto& buffer : trace_.definitions(Definition::Kind::buffer)) {
    if (buffer.id == 0 || buffer.rank != row.rank || &buffer == shown.buffer) continue;
    for (const auto& one : contributions_->of(buffer.id, cursor)) {
      if (one.origin() < 0) continue;
      for (int c = 0; c < columns_; ++c) {
        DataCell& cell = row.cells[static_cast<std::size_t>(c)];
        const Range held{one.origin_element(), one.elements.count};
        if (cell.holds_anything() || account::common(held, chunks[c]) != chunks[c]) continue;
        account::Contents map{one};
        map[0].elements.offset = one.origin_element() - shown.base;
        cell = this->cell(shown, chunks[c], map);
        cell.elsewhere = buffer.name;
      }
    }
  }
}

GridRow GridSource::row(Rank rank, int round, const std::vector<BufferState>& states) const {
  GridRow row;
  row.rank = rank;
  const Shown shown = this->shown(rank, round);
  row.cells.resize(static_cast<std::size_t>(columns_));
  if (shown.buffer == nullptr) return row;
  row.buffer = shown.buffer->name;
  const Cursor cursor = cut(rank, round);
  account::Contents map;
  if (contributions_ != nullptr) map = contents_of(rank, *shown.buffer, round);
  const auto* const result = result_in(rank, *shown.buffer);
  if (result != nullptr) row.buffer = result->name;
  for (int c = 0; c < columns_; ++c) {
    const Range elements = column(shown, c);
    if (elements.count == 0) continue;
    DataCell cell = this->cell(shown, elements, map);
    const auto state = shown.buffer->id - 1;
    if (state < states.size())
      add_values(cell, shown, states[state], result == nullptr ? nullptr : &result->at(cursor));
    row.cells[static_cast<std::size_t>(c)] = std::move(cell);
  }
  if (options_.show == BufferGridOptions::Show::contributions) find_elsewhere(row, shown, cursor);
  return row;
}

// Each rank may be at another moment. seek() returns the contents of all ranks, of which only the rank's own are kept.
std::vector<BufferState> GridSource::contents(int round) const {
  std::map<Cursor, std::set<Rank>> moments;
  for (const Rank rank : options_.ranks) moments[cut(rank, round)].insert(rank);
  const auto buffers = trace_.definitions(Definition::Kind::buffer);
  std::vector<BufferState> states(buffers.size());
  for (const auto& [cursor, ranks] : moments) {
    auto all = trace_.seek(cursor);
    std::size_t number = 0;  // seek() has no entry for a definition that was lost
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].id == 0) continue;
      if (number < all.size() && ranks.contains(buffers[i].rank))
        states[i] = std::move(all[number]);
      ++number;
    }
  }
  return states;
}

std::vector<GridRow> GridSource::rows_at(int round) const {
  // Contents are expensive to find in long traces, and contributions need none.
  std::vector<BufferState> states;
  if (options_.show == BufferGridOptions::Show::values) states = contents(round);
  std::vector<GridRow> rows;
  rows.reserve(options_.ranks.size());
  for (const Rank rank : options_.ranks) rows.push_back(row(rank, round, states));
  return rows;
}

// Keeps two moments, because a flipbook asks for consecutive rounds, and each is compared with the one before.
const std::vector<GridRow>& GridSource::kept_rows(int round) {
  for (auto& [known, rows] : kept_)
    if (known == round) return rows;
  if (kept_.size() > 1) kept_.erase(kept_.begin());
  return kept_.emplace_back(round, rows_at(round)).second;
}

void GridSource::find_lost() {
  for (const Rank rank : stuck_ranks(analysis_).lost) {
    int& last = lost_after_[rank] = 0;
    for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
      const MessageRecord& message = rounds_.messages[i];
      const bool took_part =
          message.from == rank || (message.to == rank && message.received != kNoEvent);
      if (took_part && !message.sync) last = std::max(last, rounds_.round[i]);
    }
  }
}

std::string GridSource::why_nothing(const GridModel& model) const {
  if (pieces_.whole() == 0 && options_.buffer.empty())
    return "nothing to show: no rank has any data in this run";
  bool any = false, known = false;
  for (const auto& row : model.rows)
    for (const auto& cell : row.cells) {
      any = any || cell.exists();
      known =
          known || ranges::any_of(cell.values, [](const auto& v) { return v != "?" && v != "…"; });
    }
  if (!any) return "nothing to show: these ranks have no data at this moment";
  if (options_.show == BufferGridOptions::Show::values && !known)
    return "nothing to show: the trace was recorded without contents; show contributions instead";
  return {};
}

GridModel GridSource::at(int round) {
  if (round == BufferGridOptions::kEnd) round = last_;
  check_round(round);
  GridModel model;
  model.world = trace_.world_size();
  model.round = round;
  model.rounds = rounds_.count;
  model.moment = round == 0 ? "at the start"
                 : round > rounds_.count
                     ? "at the end"
                     : fmt::format("after round {} of {}", round, rounds_.count);
  if (moments_.empty()) moments_ = round_moments(analysis_);
  if (round <= rounds_.count) model.phase = moments_[static_cast<std::size_t>(round)].phase;
  model.reduces = reduces_;
  model.alltoall = alltoall_;
  model.columns = columns_;
  model.hidden_ranks = hidden_ranks_;
  std::vector<GridRow> before;  // a copy: kept_rows() may forget it
  if (round > 0) before = kept_rows(round - 1);
  model.rows = kept_rows(round);
  for (GridRow& row : model.rows) {
    const auto lost = lost_after_.find(row.rank);
    row.lost = lost != lost_after_.end() && round >= lost->second;
  }
  if (round > 0) {
    for (std::size_t r = 0; r < before.size(); ++r)
      for (std::size_t c = 0; c < before[r].cells.size(); ++c) {
        auto& cell = model.rows[r].cells[c];
        const auto& old = before[r].cells[c];
        cell.changed = cell.exists() && old.exists() && !cell.same_contents(old);
        // Unwritten memory that comes into sight is no change.
        if (!old.exists() && model.rows[r].buffer != before[r].buffer)
          cell.changed = cell.exists() && cell.most > 0;
      }
  }
  if (options_.in_flight && round < rounds_.count) model.flights = flights(round + 1);
  model.nothing = why_nothing(model);
  return model;
}

}  // namespace rankscope
