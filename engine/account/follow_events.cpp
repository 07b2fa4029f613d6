// Follows copies, reductions and messages event by event, to know which ranks' data each element holds.
#include "engine/account/follow_events.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/account/memory.h"
#include "engine/account/noted_arrays.h"
#include "engine/account/numbers.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/handed.h"

namespace rankscope::account {

struct Contributions::Log {
  struct Change {
    Cursor cursor = 0;  ///< After the event that made it.
    Count offset = 0;
    Memory what;
  };
  struct OfBuffer {
    Rank rank = -1;
    Count count = 0;
    Memory now;
    std::vector<Change> changes;
    /// The contents after the first kEach, 2 kEach, ... changes, so that few have to be applied again.
    std::vector<Memory> checkpoints;
    static constexpr std::size_t kEach = 32;
  };

  Log(const Trace& trace, const Pieces& pieces)
      : trace_(trace),
        pieces_(pieces),
        collective_(traits_of(trace)),
        moves_(collective_ == nullptr && pieces.collective() != nullptr),
        buffers_(trace.definitions(Definition::Kind::buffer).size()) {
    const auto definitions = trace.definitions(Definition::Kind::buffer);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      buffers_[i].rank = definitions[i].rank;
      if (definitions[i].id != 0) buffers_[i].count = count_of(definitions[i]);
      buffers_[i].now = unknown(buffers_[i].count);
      if (definitions[i].id != 0 && definitions[i].name == "in") inputs_watched_ = true;
    }
    find_own();
    noted_ = NotedArrays(trace_, pieces_, kMostFollowed);
    for (Rank rank = 0; noted_.any() && rank < trace_.world_size(); ++rank) {
      OfBuffer& buffer = buffers_.emplace_back();
      noted_.of(rank).noted.buffer = static_cast<std::uint32_t>(buffers_.size());
      buffer.rank = rank;
      buffer.count = noted_.of(rank).count();
      buffer.now = unknown(buffer.count);
    }
    std::vector<Cursor> ends(static_cast<std::size_t>(trace.world_size()), 0);
    for (std::uint64_t k = 0; k < trace.size(); ++k) {
      visit(trace[k], k + 1);
      if (trace[k].rank >= 0 && trace[k].rank < trace.world_size())
        ends[static_cast<std::size_t>(trace[k].rank)] = k + 1;
    }
    for (auto& [id, own] : own_)
      explain(id, own, own.after, ends[static_cast<std::size_t>(buffers_[id - 1].rank)]);
    carried_.clear();
    for (Rank rank = 0; noted_.any() && rank < trace_.world_size(); ++rank) {
      NotedArrays::OfRank& of = noted_.of(rank);
      OfBuffer& buffer = buffers_[of.noted.buffer - 1];
      noted_.follow(of, [&](Cursor moment, const Memory& what) {
        write({&buffer, {0, buffer.count}}, what, moment);
      });
    }
    if (noted_.holds()) return;
    noted_ = {};
    buffers_.resize(definitions.size());
  }

  const std::vector<OfBuffer>& buffers() const noexcept { return buffers_; }
  bool explains_sums() const noexcept {
    return noted_.any() ? noted_.explains_sums() : adds_ && explained_ && !own_.empty();
  }
  std::size_t results() const noexcept {
    return noted_.any() ? static_cast<std::size_t>(trace_.world_size()) : 0;
  }
  const NotedResult* result_of(Rank rank) const noexcept {
    if (noted_.any())
      return rank >= 0 && rank < trace_.world_size() ? &noted_.of(rank).noted : nullptr;
    const Definition* const data = pieces_.data(rank);
    const auto followed = data == nullptr ? own_.end() : own_.find(data->id);
    return followed == own_.end() ? nullptr : &followed->second.noted;
  }

 private:
  /// Elements of a watched buffer, cut to its size; count 0 for none.
  struct Place {
    OfBuffer* buffer = nullptr;
    Range range;
  };

  Place place(std::uint32_t id, std::uint64_t offset, const StepEvent& event) {
    const auto* definition = trace_.definition(Definition::Kind::buffer, id);
    if (definition == nullptr || definition->rank != event.rank) return {};
    return {&buffers_[id - 1], elements_at(*definition, offset, event.bytes)};
  }

  Shares own(Rank rank, Count element) const {
    return rank < 0 || rank >= trace_.world_size() ? Shares::unknown() : Share(rank, element);
  }

  /// Returns whether events may read the rank's input from memory that is not watched, because "data" starts as its
  /// copy.
  bool reads_unwatched_input(Rank rank) const {
    return collective_ != nullptr && collective_->reads_input && pieces_.in(rank) == nullptr &&
           pieces_.data(rank) != nullptr && trace_.part() == nullptr;
  }

  /// The contents of the memory that an event reads.
  Memory source(const StepEvent& event) {
    if (const Place from = place(event.in_buffer, event.in_offset, event); from.buffer != nullptr)
      return from.buffer->now.read(from.range);
    const auto size = std::max<std::size_t>(1, dtype_size(event.dtype));
    const auto count = static_cast<Count>(event.bytes / size);
    if (event.in_buffer != 0 || !reads_unwatched_input(event.rank)) return unknown(count);
    return uniform(count, own(event.rank, static_cast<Count>(event.in_offset / size)));
  }

  Memory initial(const Definition& buffer, Count count, Cursor cursor) {
    if (trace_.part() != nullptr) return unknown(count);  // what it held then is not in it
    if (moves_)
      return initial_of_program(buffer, trace_.size() > kMostFollowed
                                            ? std::vector<double>()
                                            : values_of(buffer.id, cursor, {0, count}));
    const bool input = buffer.name == "in";
    // "data" is a copy of the input if the input has no buffer of its own. In a scatter, only the root has an input.
    const bool scattered =
        inputs_watched_ && collective_ != nullptr && collective_->in == Extent::whole_at_root;
    const bool copied =
        pieces_.data(buffer.rank) == &buffer && pieces_.in(buffer.rank) == nullptr && !scattered;
    if (input || copied)
      return uniform(count, own(buffer.rank, pieces_.base_of(&buffer).value_or(0)));
    return uniform(count, {});
  }

  const Handed::Call* noted_call(Rank rank, const Definition& array) const {
    const auto& calls = trace_.meta().handed->calls;
    const auto noted = ranges::find_if(calls, [&](const Handed::Call& call) {
      const auto begin = call.begin.find(array.name);
      return call.rank == rank && call.number == 0 && begin != call.begin.end() &&
             std::ssize(begin->second.values) == count_of(array);
    });
    return noted == calls.end() ? nullptr : &*noted;
  }

  /// Returns the values of the part of its input that a program's rank moves to its result itself, to `part`; empty if
  /// they are unknown.
  std::vector<double> own_part(Rank rank, Range part) const {
    const Definition* const in = pieces_.in(rank);
    const auto* const call = in == nullptr ? nullptr : noted_call(rank, *in);
    if (call == nullptr) return {};
    const auto& began = call->begin.at(in->name).values;
    if (std::ssize(began) == part.count) return began;
    return {began.begin() + part.offset, began.begin() + part.end()};
  }

  // Returns what a program's array holds at first: the input, or, in an array for all parts, its own part if that is
  // stored there before the first message.
  Memory initial_of_program(const Definition& array, const std::vector<double>& values) const {
    const Count count = count_of(array);
    const Rank rank = array.rank;
    if (pieces_.in(rank) == &array)
      return uniform(count, own(rank, pieces_.base_of(&array).value_or(0)));
    if (pieces_.data(rank) != &array) return part_of_input(rank, values, count);
    Memory made = uniform(count, {});
    const Extent out = pieces_.collective()->out;
    Range part = Partition(count, trace_.world_size())[rank];
    if (out == Extent::chunk) return made;
    if (pieces_.in(rank) != nullptr) {
      const auto began = own_part(rank, part);
      const auto there = std::span(values).subspan(values.empty() ? 0 : part.offset);
      if (began.empty() || !ranges::equal(began, there.first(std::min(began.size(), there.size()))))
        return made;
    } else if (out == Extent::regrouped) {
      part = {0, count};
    }
    made.write(part.offset, uniform(part.count, own(rank, part.offset)));
    return made;
  }

  /// Returns the contents of a program's array for one message: a part of its input, or a received message. Unknown if
  /// several have these values.
  Memory part_of_input(Rank rank, const std::vector<double>& values, Count count) const {
    if (values.empty()) return unknown(count);
    const auto arrived = arrived_.find(rank);
    if (arrived != arrived_.end())
      for (std::size_t i = arrived->second.size(); i-- > 0;)
        if (arrived->second[i].values == values) return arrived->second[i].what;
    const Definition* const from =
        pieces_.in(rank) == nullptr ? pieces_.data(rank) : pieces_.in(rank);
    const auto* const call = from == nullptr ? nullptr : noted_call(rank, *from);
    if (call == nullptr) return unknown(count);
    const auto& began = call->begin.at(from->name).values;
    const auto at = std::ranges::search(began, values);
    if (at.empty() ||
        std::search(at.begin() + 1, began.end(), values.begin(), values.end()) != began.end())
      return unknown(count);
    const Count offset = at.begin() - began.begin();
    return uniform(count, own(rank, pieces_.base_of(from).value_or(0) + offset));
  }

  /// Equal sums use one list, because a run makes the same sums on many ranks.
  Shares sum(const Shares& a, const Shares& b) {
    if (a.empty() || b.empty()) return account::sum(a, b);
    return *sums_.insert(account::sum(without_elements(a), without_elements(b))).first;
  }

  Memory sum(const Memory& a, const Memory& b) {
    return sum_of(a, b, [&](const Shares& one, const Shares& other) { return sum(one, other); });
  }

  void write(const Place& to, Memory what, Cursor cursor) {
    if (to.buffer == nullptr || to.range.count == 0) return;
    if (what.count > to.range.count) what = what.read({0, to.range.count});
    if (what.count == 0) what = unknown(to.range.count);
    to.buffer->now.write(to.range.offset, what);
    to.buffer->changes.push_back({cursor, to.range.offset, std::move(what)});
    if (to.buffer->changes.size() % OfBuffer::kEach == 0)
      to.buffer->checkpoints.push_back(to.buffer->now);
  }

  Memory take_message(OpId send, Count count) {
    const auto found = carried_.find(send);
    if (found == carried_.end()) return unknown(count);
    Memory what = std::move(found->second);
    carried_.erase(found);
    return what;
  }

  void visit(const StepEvent& event, Cursor cursor) {
    const Place to = place(event.out_buffer, event.out_offset, event);
    if (event.kind == EventKind::posted && event.verb == Verb::send) {
      carried_[event.op] = source(event);
    } else if (event.kind == EventKind::completed && event.verb == Verb::recv) {
      Memory came = take_message(event.cause, to.range.count);
      if (!(own_.empty() && !noted_.any()) && to.buffer != nullptr)
        arrive(event, cursor, {came, values_of(event.out_buffer, cursor, to.range)});
      write(to, std::move(came), cursor);
      forget_data(event, to, cursor);
      if (const auto own = own_.find(event.out_buffer); own != own_.end())
        own->second.now = values_of(event.out_buffer, cursor, {0, to.buffer->count}),
        own->second.note(cursor);
    } else if (event.kind == EventKind::completed && event.verb == Verb::recv_reduce) {
      sent_by_[event.op] = event.cause;
    } else if (event.kind == EventKind::watch && to.buffer != nullptr) {
      const auto* buffer = trace_.definition(Definition::Kind::buffer, event.out_buffer);
      const bool known = event.verb == Verb::watch && buffer != nullptr;
      if (const auto own = own_.find(event.out_buffer); own != own_.end()) {
        if (known) write(to, initial(*buffer, to.range.count, cursor), cursor);
        if (known && moves_) own->second.now = values_of(own->first, cursor, {0, to.buffer->count});
        explain(own->first, own->second,
                values_of(own->first, cursor, {0, buffers_[own->first - 1].count}), cursor);
        return;
      }
      if (known && is_compared(event) && buffer->name != "in") return see(*buffer, to, cursor);
      write(to, known ? initial(*buffer, to.range.count, cursor) : unknown(to.range.count), cursor);
    } else if (event.kind == EventKind::local) {
      work(event, to, cursor);
    }
  }

  void work(const StepEvent& event, const Place& to, Cursor cursor) {
    if (event.verb == Verb::copy) {
      write(to, source(event), cursor);
    } else if (event.verb == Verb::reduce) {
      const auto message = sent_by_.find(event.cause);
      const Memory added = event.cause == 0 ? source(event)
                           : message == sent_by_.end()
                               ? unknown(to.range.count)
                               : take_message(message->second, to.range.count);
      if (message != sent_by_.end()) sent_by_.erase(message);
      if (to.buffer != nullptr) write(to, sum(to.buffer->now.read(to.range), added), cursor);
    }
  }

  // ---- What a program computes itself ---- The trace has a program's array before and after, and the messages in
  // between. If the array is now the sum of both, or equal to a message, that is what the program did. Either all
  // changes are explained in this way, or none is.

  /// The data of a program's rank, by values.
  struct Own {
    std::vector<double> now, after;
    NotedResult noted;

    void note(Cursor cursor) {
      if (now != noted.values.back().second) noted.values.emplace_back(cursor, now);
    }
  };

  std::vector<double> values_of(std::uint32_t buffer, Cursor cursor, Range range) const {
    return known_values(trace_, *trace_.definition(Definition::Kind::buffer, buffer), range,
                        cursor);
  }

  void arrive(const StepEvent& event, Cursor cursor, Arrival arrival) {
    const auto size = static_cast<Count>(arrival.values.size());
    arrival.in_place = own_.contains(event.out_buffer);
    arrival.name = trace_.definition(Definition::Kind::buffer, event.out_buffer)->name;
    arrival.place = {event.out_buffer, event.out_offset};
    arrival.cursor = cursor;
    if (!arrival.in_place && has_only_zeros(arrival.values, {0, size})) explained_ = false;
    if (noted_.any()) noted_.of(event.rank).arrived.push_back(arrival);
    arrived_[event.rank].push_back(std::move(arrival));
  }

  /// Returns whether an event is of a program's own code, not of a built-in collective that it calls, in a run whose
  /// result is compared.
  bool is_compared(const StepEvent& event) const {
    const auto& handed = trace_.meta().handed;
    return collective_ == nullptr && handed && !handed->as.empty() &&
           !in_built_in(trace_, event.phase);
  }

  // A program may change its array between two messages: the next send shows it.
  void forget_data(const StepEvent& event, const Place& to, Cursor cursor) {
    const Definition* const data = pieces_.data(event.rank);
    if (!is_compared(event) || data == nullptr || own_.contains(data->id)) return;
    OfBuffer& buffer = buffers_[data->id - 1];
    if (to.buffer == &buffer || buffer.changes.empty()) return;
    seen_.try_emplace(data->id, Known{values_of(data->id, cursor, {0, buffer.count}), buffer.now});
    write({&buffer, {0, buffer.count}}, unknown(buffer.count), cursor);
  }

  // Finds the contents of a program's array that it is about to send, or to receive into.
  void see(const Definition& of, const Place& to, Cursor cursor) {
    const bool is_first = to.buffer->changes.empty();
    const Range all{0, to.buffer->count};
    std::vector<double> values;
    if (trace_.size() <= kMostFollowed) values = values_of(of.id, cursor, all);
    const auto before = seen_.find(of.id);
    const Definition* const data = pieces_.data(of.rank);
    if (data == nullptr || data->name != of.name || (is_first && data == &of))
      write({to.buffer, all}, initial(of, all.count, cursor), cursor);
    else if (before != seen_.end() && !values.empty() && before->second.values == values)
      write({to.buffer, all}, before->second.what, cursor);
    else write({to.buffer, all}, recognised(of.rank, values, all.count), cursor);
    seen_[of.id] = {std::move(values), to.buffer->now};
  }

  /// Returns what an array with these values holds: a copy of the rank's first data or of a message, or the sum of
  /// both; unknown if several fit.
  Memory recognised(Rank rank, const std::vector<double>& values, Count count) {
    if (values.empty()) return unknown(count);
    if (has_only_zeros(values, {0, count})) return uniform(count, {});
    if (noted_.any()) return noted_.recognised(rank, values);
    const Definition* const data = pieces_.data(rank);
    const auto own = data == nullptr ? own_.end() : own_.find(data->id);
    return own == own_.end() ? unknown(count)
                             : recognised_in(own->second.noted.values.front().second, rank,
                                             arrived_[rank], values);
  }

  // Finds the arrays to follow by their values; none if some rank did not note its data, or began with zeros.
  void find_own() {
    const auto& handed = trace_.meta().handed;
    if (collective_ != nullptr || !handed || trace_.part() != nullptr ||
        trace_.size() > kMostFollowed)
      return;
    for (Rank rank = 0; rank < trace_.world_size(); ++rank) {
      const Definition* const data = pieces_.data(rank);
      const auto* const noted = data == nullptr ? nullptr : noted_call(rank, *data);
      if (noted == nullptr || Sampling(count_of(*data)).size() != count_of(*data)) {
        if (moves_) continue;
        return own_.clear();
      }
      const auto& begin = noted->begin.at(data->name).values;
      const Partition chunks(count_of(*data), trace_.world_size());
      for (int chunk = 0; !moves_ && chunk < chunks.parts(); ++chunk)
        if (chunks[chunk].count > 0 && has_only_zeros(begin, chunks[chunk])) return own_.clear();
      own_[data->id] = {
          begin, last_values(*noted, data->name), {data->name, data->id, {{0, begin}}}};
      if (auto part = own_part(rank, chunks[rank]); moves_ && !part.empty())
        arrived_[rank].push_back(
            {uniform(std::ssize(part), own(rank, chunks[rank].offset)), std::move(part)});
    }
  }

  void explain(std::uint32_t id, Own& own, const std::vector<double>& values, Cursor cursor) {
    OfBuffer& buffer = buffers_[id - 1];
    if (values.size() != own.now.size()) explained_ = false;
    for (std::size_t e = 0; e < std::min(values.size(), own.now.size()); ++e) {
      if (values[e] == own.now[e] || explain_at(buffer, own, values, e, cursor)) continue;
      explained_ = false;
      write({&buffer, {static_cast<Count>(e), 1}}, unknown(1), cursor);
      own.now[e] = values[e];
    }
    own.note(cursor);
  }

  // Explains an element by one message, added or stored, trying the last one first; or by the sum of all.
  bool explain_at(OfBuffer& buffer, Own& own, const std::vector<double>& values, std::size_t e,
                  Cursor cursor) {
    auto& all = arrived_[buffer.rank];
    if (all.size() > kMostArrivals) all.erase(all.begin());
    for (std::size_t i = all.size(); i-- > 0;)
      for (const bool adds : {true, false})
        if (!(moves_ && adds) && takes(buffer, own, values, e, {&all[i], 1}, adds, cursor)) {
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
          return true;
        }
    if (moves_ || all.size() < 2 || !takes(buffer, own, values, e, all, true, cursor)) return false;
    all.clear();
    return true;
  }

  bool takes(OfBuffer& buffer, Own& own, const std::vector<double>& values, std::size_t e,
             std::span<const Arrival> what, bool adds, Cursor cursor) {
    const auto size = what.front().values.size();
    if (size == 0 || ranges::any_of(what, [&](const Arrival& one) {
          return one.values.size() != size || (adds && one.in_place);
        }))
      return false;
    const auto element = static_cast<Count>(e), count = static_cast<Count>(size);
    const Partition chunks(buffer.count, trace_.world_size());
    const Count of_chunk = chunks[chunks.chunk_of(element)].offset;
    for (const Count begin : {element, of_chunk, Count{0}, element / count * count}) {
      if (begin + count > buffer.count || begin + count <= element) continue;
      bool fits = moves_ || !has_only_zeros(own.now, {begin, count});
      for (std::size_t i = 0; fits && i < size; ++i) {
        const auto at = static_cast<std::size_t>(begin) + i;
        double sum = adds ? own.now[at] : 0;
        for (const Arrival& one : what) sum += one.values[i];
        fits = std::abs(values[at] - sum) <= kRounding * std::abs(sum);
      }
      if (!fits) continue;
      Memory made = adds ? buffer.now.read({begin, count}) : what.front().what;
      const bool in_turn =
          adds && replace_each_other(what) &&
          (buffer.changes.empty() || buffer.changes.back().cursor <= what.front().cursor);
      for (const Arrival& one : what) {
        if (adds) made = sum(made, one.what);
        if (!in_turn || &one == &what.back()) continue;
        write({&buffer, {begin, count}}, made, one.cursor);
        for (std::size_t i = 0; i < size; ++i)
          own.now[static_cast<std::size_t>(begin) + i] += one.values[i];
        own.note(one.cursor);
      }
      adds_ = adds_ || adds;
      write({&buffer, {begin, count}}, std::move(made), cursor);
      std::copy_n(values.begin() + begin, count, own.now.begin() + begin);
      return true;
    }
    return false;
  }

  static constexpr std::uint64_t kMostFollowed = 8192;
  static constexpr std::size_t kMostArrivals = 16;
  std::map<std::uint32_t, Own> own_;  // by buffer
  std::map<Rank, std::vector<Arrival>> arrived_;
  std::map<std::uint32_t, Known> seen_;  // a program's arrays, as last seen
  NotedArrays noted_;                    // none if own_ has the results
  bool adds_ = false, explained_ = true;
  const Trace trace_;
  const Pieces pieces_;
  const CollectiveTraits* const collective_;  // null for a program
  const bool moves_;                          // a program whose arrays are a collective's
  bool inputs_watched_ = false;
  std::set<Shares> sums_;
  std::vector<OfBuffer> buffers_;
  std::unordered_map<OpId, Memory> carried_;  // by send
  std::unordered_map<OpId, OpId> sent_by_;    // receive -> send
};

Contributions::Contributions(const Trace& trace, const Pieces& pieces) {
  if (trace.world_size() > kMostRanks)
    throw UserError(fmt::format(
        "contributions are followed for up to {} ranks, and this run has {}: look at the values",
        kMostRanks, trace.world_size()));
  log_ = std::make_unique<const Log>(trace, pieces);
}
Contributions::~Contributions() = default;
Contributions::Contributions(Contributions&&) noexcept = default;
Contributions& Contributions::operator=(Contributions&&) noexcept = default;

bool Contributions::explains_sums() const noexcept { return log_->explains_sums(); }

const NotedResult* Contributions::result_of(Rank rank) const noexcept {
  return log_->result_of(rank);
}

Contents Contributions::of(std::uint32_t buffer, Cursor cursor) const {
  if (buffer == 0 || buffer > log_->buffers().size()) return {};
  const auto& log = log_->buffers()[buffer - 1];
  const auto happened = static_cast<std::size_t>(
      ranges::upper_bound(log.changes, cursor, {}, &Log::Change::cursor) - log.changes.begin());
  const std::size_t known = happened / Log::OfBuffer::kEach;
  Memory now = known > 0 ? log.checkpoints[known - 1] : unknown(log.count);
  for (std::size_t i = known * Log::OfBuffer::kEach; i < happened; ++i)
    now.write(log.changes[i].offset, log.changes[i].what);
  Contents contents;
  for (std::size_t i = 0; i < now.segments.size(); ++i) {
    const Segment& segment = now.segments[i];
    const Count end = i + 1 < now.segments.size() ? now.segments[i + 1].begin : now.count;
    contents.push_back({{segment.begin, end - segment.begin}, segment.shares});
  }
  return contents;
}

std::vector<Contents> Contributions::at(std::span<const Cursor> by_rank) const {
  std::vector<Contents> maps;
  const auto watched = log_->buffers().size() - log_->results();
  for (std::size_t i = 0; i < watched; ++i) {
    const auto rank = static_cast<std::size_t>(log_->buffers()[i].rank);
    maps.push_back(
        of(static_cast<std::uint32_t>(i + 1), rank < by_rank.size() ? by_rank[rank] : 0));
  }
  return maps;
}

}  // namespace rankscope::account
