// Explains each change of an array as the copy or the sum of arrays and messages with these values.
#include "engine/account/noted_arrays.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope::account {
namespace {

using Arrays = std::map<std::string, Known>;

Memory sum(const Memory& a, const Memory& b) {
  return sum_of(a, b, [](const Shares& one, const Shares& other) {
    return one.empty() || other.empty()
               ? account::sum(one, other)
               : account::sum(without_elements(one), without_elements(other));
  });
}

bool is_argument(const Handed::Call& call, const std::string& name) {
  return ranges::find(call.arguments, name) != call.arguments.end();
}

std::set<std::string> names_in_messages(const Trace& trace) {
  std::set<std::string> names;
  for (std::uint64_t k = 0; k < trace.size(); ++k)
    for (const auto id : {trace[k].in_buffer, trace[k].out_buffer})
      if (const auto* array = trace.definition(Definition::Kind::buffer, id);
          array != nullptr && trace[k].kind == EventKind::posted)
        names.insert(array->name);
  return names;
}

/// Returns the function's first call if it has these data, else the main part; null if neither has them.
const Handed::Call* call_with(const Handed& handed, Rank rank, const std::string& data) {
  for (const bool main : {false, true})
    for (const Handed::Call& one : handed.calls)
      if (one.rank == rank && one.number == 0 && one.function.empty() == main &&
          one.begin.contains(data))
        return &one;
  return nullptr;
}

/// Returns the array that a call returns, else the argument that it changes; for the main part, whose data stay unchanged, the
/// array that changes without a message. Empty if unknown.
std::string result_name(const Handed::Call& call, const std::string& data, Count size,
                        const std::set<std::string>& sent) {
  const auto ends_otherwise = [&](const std::string& name) {
    return last_values(call, name) != call.begin.at(name).values;
  };
  const bool in_main = call.function.empty();
  if (in_main && ends_otherwise(data)) return {};
  std::vector<std::string> names;
  for (const auto& [name, begin] : call.begin) {
    if (std::ssize(begin.values) != size || begin.scalar()) continue;
    const bool changes = ranges::any_of(
        call.history, [&](const Handed::Change& change) { return change.name == name; });
    const bool is_result = in_main ? ends_otherwise(name) && !sent.contains(name)
                           : call.returns
                               ? call.result && call.result->values == last_values(call, name)
                               : is_argument(call, name) && changes;
    if (is_result) names.push_back(name);
  }
  return names.size() == 1 ? names.front() : std::string();
}

/// The possible origins of a change.
class Ways {
 public:
  Ways(const Known* before, const std::vector<double>& now) : before_(before), now_(now) {
    const auto same = [&] {
      const auto at = static_cast<std::size_t>(first_);
      return now_[at] == before_->values[at];
    };
    while (before_ != nullptr && first_ + 1 < count() && same()) ++first_;
  }

  /// These values may have been stored or added somewhere in it.
  void try_with(const std::vector<double>& values, const Memory& what) {
    const Count size = std::ssize(values);
    if (size == 0 || size > count() || (size < count() && before_ == nullptr)) return;
    std::set<Count> begins{0};
    if (size < count()) begins.insert({first_, first_ / size * size});
    for (const Count begin : begins)
      for (const bool adds : {false, true}) {
        if (begin + size > count() || begin > first_ || (adds && before_ == nullptr) ||
            !fits(values, begin, adds))
          continue;
        Memory made = before_ == nullptr ? what : before_->what;
        made.write(begin, adds ? sum(made.read({begin, size}), what) : what);
        if (is_one() && made != what_) is_plain_ = false;
        what_ = std::move(made);
        adds_ = adds;
      }
  }

  /// Unknown unless all ways have the same result.
  Memory what() const {
    if (!is_one() && has_only_zeros(now_, {0, count()})) return uniform(count(), {});
    return is_one() && is_plain_ ? what_ : unknown(count());
  }
  bool adds() const noexcept { return is_one() && is_plain_ && adds_; }

 private:
  Count count() const noexcept { return std::ssize(now_); }
  bool is_one() const noexcept { return what_.count > 0; }

  bool fits(const std::vector<double>& values, Count begin, bool adds) const {
    for (Count i = 0; i < count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool inside = i >= begin && i < begin + std::ssize(values);
      const double made = (inside ? values[static_cast<std::size_t>(i - begin)] : 0) +
                          (adds || !inside ? before_->values[at] : 0);
      if (std::abs(now_[at] - made) > kRounding * std::abs(made)) return false;
    }
    return true;
  }

  const Known* const before_;
  const std::vector<double>& now_;
  Count first_ = 0;  // that changed
  Memory what_;
  bool adds_ = false, is_plain_ = true;
};

}  // namespace

bool has_only_zeros(const std::vector<double>& values, Range range) {
  return ranges::all_of(std::span(values).subspan(static_cast<std::size_t>(range.offset),
                                                  static_cast<std::size_t>(range.count)),
                        [](double value) { return value == 0; });
}

const std::vector<double>& last_values(const Handed::Call& call, const std::string& name) {
  if (const auto after = call.after.find(name); after != call.after.end())
    return after->second.values;
  for (auto change = call.history.rbegin(); change != call.history.rend(); ++change)
    if (change->name == name) return change->values;
  return call.begin.at(name).values;
}

Memory recognised_in(const std::vector<double>& own, Rank rank, const std::vector<Arrival>& arrived,
                     const std::vector<double>& values) {
  const Known began{own, uniform(std::ssize(own), Share(rank, 0))};
  Ways copies(nullptr, values);
  copies.try_with(began.values, began.what);
  for (const Arrival& one : arrived) copies.try_with(one.values, one.what);
  if (const Memory what = copies.what(); what != unknown(what.count)) return what;
  if (own.size() != values.size()) return unknown(std::ssize(values));
  Ways sums(&began, values);
  for (const Arrival& one : arrived) sums.try_with(one.values, one.what);
  return sums.what();
}

bool replace_each_other(std::span<const Arrival> arrivals) {
  return ranges::all_of(arrivals, [&](const Arrival& one) {
    return one.place == arrivals.front().place &&
           one.values.size() == arrivals.front().values.size();
  });
}

const std::vector<double>& NotedResult::at(Cursor cursor) const {
  static const std::vector<double> nothing;
  const auto after =
      ranges::upper_bound(values, cursor, {}, &std::pair<Cursor, std::vector<double>>::first);
  return after == values.begin() ? nothing : std::prev(after)->second;
}

NotedArrays::NotedArrays(const Trace& trace, const Pieces& pieces, std::uint64_t most) {
  const auto& handed = trace.meta().handed;
  if (traits_of(trace) != nullptr || !handed || trace.part() != nullptr || trace.size() > most)
    return;
  const auto* const meant = meant_collective(trace);
  const auto sent = names_in_messages(trace);
  std::vector<OfRank> all;
  bool is_followed = true;
  for (Rank rank = 0; rank < trace.world_size(); ++rank) {
    const Definition* const data = pieces.data(rank);
    if (data == nullptr || Sampling(count_of(*data)).size() != count_of(*data)) return;
    const Handed::Call* const call = call_with(*handed, rank, data->name);
    if (call == nullptr) return;
    OfRank& of = all.emplace_back();
    of.call = call;
    of.part = {0, count_of(*data)};
    of.noted.name = result_name(*call, data->name, of.part.count, sent);
    if (of.noted.name.empty() && meant != nullptr && meant->reduces_to_chunks()) {
      of.part = Partition(count_of(*data), trace.world_size())[rank];
      of.noted.name = result_name(*call, data->name, of.part.count, sent);
    }
    guessed_ = guessed_ || call->function.empty() || of.part.count < count_of(*data);
    const bool is_given = is_argument(*call, of.noted.name);
    of.own = call->begin.at(is_given ? of.noted.name : data->name).values;
    if (of.noted.name.empty() || of.noted.name != all.front().noted.name ||
        of.count() != count_of(*data))
      return;
    const bool is_remade =
        ranges::any_of(trace.definitions(Definition::Kind::buffer), [&](const Definition& one) {
          return one.id != data->id && one.rank == rank && one.name == data->name;
        });
    is_followed = is_followed && !is_remade && of.noted.name == data->name;
  }
  if (!is_followed) ranks_ = std::move(all);
}

std::vector<double> NotedArrays::OfRank::placed(const std::vector<double>& result) const {
  if (std::ssize(result) != part.count || part.count == count()) return result;
  std::vector<double> whole = own;
  ranges::copy(result, whole.begin() + part.offset);
  return whole;
}

// The array was noted at the end alone.
bool NotedArrays::add_in_turn(OfRank& of, const std::vector<double>& values,
                              const std::function<void(Cursor, const Memory&)>& write) {
  if (of.arrived.empty() || !replace_each_other(of.arrived) ||
      std::ssize(of.arrived.front().values) != of.part.count)
    return false;
  std::vector<std::pair<Cursor, std::vector<double>>> sums{{0, of.own}};
  for (const Arrival& one : of.arrived) {
    sums.emplace_back(one.cursor, sums.back().second);
    for (Count e = 0; e < of.part.count; ++e)
      sums.back().second[static_cast<std::size_t>(of.part.offset + e)] +=
          one.values[static_cast<std::size_t>(e)];
  }
  const auto close = [](double a, double b) { return std::abs(a - b) <= kRounding * std::abs(b); };
  if (!std::ranges::equal(sums.back().second, values, close)) return false;
  Memory now = uniform(of.count(), Share(of.call->rank, 0));
  for (const Arrival& one : of.arrived) {
    now.write(of.part.offset, sum(now.read(of.part), one.what));
    write(one.cursor, now);
  }
  of.noted.values = std::move(sums);
  return adds_ = true;
}

void NotedArrays::follow(OfRank& of, const std::function<void(Cursor, const Memory&)>& write) {
  const std::string& name = of.noted.name;
  const Rank rank = of.call->rank;
  const Known began{of.own, uniform(of.count(), Share(rank, 0))};
  // An array that the function makes itself has no beginning, and is known from its first change.
  Arrays arrays;
  for (const auto& [argument, begin] : of.call->begin)
    if (is_argument(*of.call, argument) && begin.values == of.own) arrays[argument] = began;
  const bool begins = arrays.contains(name) || of.part.count < of.count();
  write(0, begins ? began.what : uniform(of.count(), {}));
  if (begins) of.noted.values.emplace_back(0, of.own);
  for (const Arrival& one : of.arrived)
    explained_ = explained_ && !has_only_zeros(one.values, {0, std::ssize(one.values)});
  auto next = of.arrived.begin();
  Cursor moment = 0;
  for (const Handed::Change& change : of.call->history) {
    // A counter or a rank's number may equal what a message brings.
    const auto begun = of.call->begin.find(change.name);
    if (guessed_ && begun != of.call->begin.end() && begun->second.scalar()) continue;
    const auto values = change.name == name ? of.placed(change.values) : change.values;
    const auto before = arrays.find(change.name);
    const bool grows = before != arrays.end() && before->second.values.size() == values.size();
    const auto came = std::find_if(next, of.arrived.end(), [&](const Arrival& one) {
      return one.name == change.name && one.values == change.values;
    });
    Memory what;
    if (change.values.empty()) {  // they were too many
      what = unknown(of.count());
    } else if (came != of.arrived.end()) {
      what = came->what;
      moment = came->cursor;
      next = came + 1;
    } else if (grows && before->second.values == values) {
      continue;
    } else if (guessed_ && change.name == name && next == of.arrived.begin() &&
               add_in_turn(of, values, write)) {
      return;
    } else {
      Ways ways(grows ? &before->second : nullptr, values);
      if (guessed_) ways.try_with(began.values, began.what);
      for (const auto& [other, array] : arrays)
        if (other != change.name) ways.try_with(array.values, array.what);
      for (auto one = of.arrived.begin(); one != next; ++one) ways.try_with(one->values, one->what);
      what = ways.what();
      adds_ = adds_ || (ways.adds() && change.name == name);
    }
    arrays[change.name] = {values, what};
    if (change.name != name) continue;
    explained_ = explained_ && ranges::all_of(what.segments, [](const Segment& one) {
                   return one.shares.known();
                 });
    write(moment, what);
    of.noted.values.emplace_back(moment, values);
  }
}

}  // namespace rankscope::account
