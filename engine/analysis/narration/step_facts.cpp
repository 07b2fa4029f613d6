// Sorts messages by step, and compares their loads, also by values, with the data of their ranks before and after.
#include "engine/analysis/narration/step_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/account/numbers.h"
#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

using Act = StepLink::Act;
using Content = StepLink::Content;
using Past = StepLink::Past;

bool any_unknown(const Contents& contents) {
  return contents.empty() ||
         ranges::any_of(contents, [](const auto& one) { return !one.shares.known(); });
}

Content content_of_sum(const Contents& load, Rank from, int world) {
  if (ranges::all_of(load, [&](const auto& one) {
        return one.shares.count() == 1 && one.shares.times(from) > 0;
      }))
    return Content::own;
  return ranges::all_of(load, [&](const auto& one) { return one.shares.complete(world); })
             ? Content::complete
             : Content::partial;
}

Content content_of_moved(const Contents& load, Rank from) {
  bool own = false, other = false;
  for (const account::Stretch& one : load) {
    if (one.origin() < 0) return Content::unknown;
    (one.origin() == from ? own : other) = true;
  }
  return own && other ? Content::mixed : own ? Content::own : Content::other;
}

/// Returns whether `now` holds all that `old` held, and more.
bool grew(const Contents& old, const Contents& now) {
  std::size_t i = 0;
  for (const account::Stretch& one : now)
    for (; i < old.size() && old[i].elements.offset < one.elements.end(); ++i) {
      const account::Shares a = account::without_elements(old[i].shares),
                            b = account::without_elements(one.shares);
      if (a.empty() || b.empty() || a == b) return false;
      for (const account::Share& share : a)
        if (share.times > b.times(share.rank)) return false;
      if (old[i].elements.end() > one.elements.end()) break;
    }
  return !old.empty();
}

using Moved = std::vector<std::pair<Rank, Range>>;
void add_moved(Moved& parts, const Contents& load) {
  for (const account::Stretch& one : load)
    parts.emplace_back(one.origin(), Range{one.origin_element(), one.elements.count});
}

bool is_half(Count part, Count all) { return part < all && 2 * part == all; }

constexpr std::uint64_t kMostEvents = 50'000;  // of longer traces values are expensive to find

bool alike(double a, double b) {
  return std::abs(a - b) <= 1e-5 * std::max({1.0, std::abs(a), std::abs(b)});
}
bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  return ranges::equal(a, b, [](double x, double y) { return alike(x, y); });
}

/// Returns the values of a part of a watched buffer at a moment of its rank; empty if one of them is unknown.
std::vector<double> values_at(const Trace& trace, Cursor cursor, std::uint32_t id,
                              std::uint64_t offset, std::uint64_t bytes) {
  const auto* buffer = trace.definition(Definition::Kind::buffer, id);
  if (buffer == nullptr || Sampling(count_of(*buffer)).size() != count_of(*buffer)) return {};
  return account::known_values(trace, *buffer, elements_at(*buffer, offset, bytes), cursor);
}

/// Compares a message with the last one that its sender received: says whether it equals that one, or that one added
/// to what lay in the same memory before. Unknown, too, where the values fit both ways.
Act act_by_value(const TraceAnalysis& analysis, std::uint32_t sent, std::uint32_t received) {
  const Trace& trace = analysis.trace();
  const MessageRecord &message = analysis.messages()[sent], &last = analysis.messages()[received];
  if (trace.size() > kMostEvents || message.bytes != last.bytes || message.sent == kNoEvent ||
      last.received == kNoEvent)
    return Act::unknown;
  const StepEvent &out = trace[message.sent], &in = trace[last.received];
  const auto at = [&](Cursor cursor) {
    return values_at(trace, cursor, out.in_buffer, out.in_offset, message.bytes);
  };
  const auto now = at(message.sent);
  const auto came = values_at(trace, last.received + 1, in.out_buffer, in.out_offset, last.bytes);
  if (now.empty() || now.size() != came.size()) return Act::unknown;
  const auto before = at(last.received);
  const bool same = alike(now, came);
  const bool into_it = in.out_buffer == out.in_buffer && in.out_offset == out.in_offset;
  if (same && (into_it || (!before.empty() && !alike(before, now)))) return Act::keeps;
  if (same || before.empty()) return Act::unknown;
  std::vector<double> added = before;
  for (std::size_t i = 0; i < added.size(); ++i) added[i] += came[i];
  return alike(added, now) && !alike(before, now) ? Act::adds : Act::unknown;
}

}  // namespace

StepReader::StepReader(const TraceAnalysis& analysis, Holdings& holdings)
    : analysis_(analysis), holdings_(holdings) {
  const Rounds& rounds = analysis_.rounds();
  by_step_.resize(static_cast<std::size_t>(rounds.count) + 1);
  received_.resize(static_cast<std::size_t>(std::max(analysis_.trace().world_size(), 0)));
  for (std::uint32_t m = 0; m < rounds.messages.size(); ++m)
    if (!rounds.messages[m].sync && rounds.round[m] > 0)
      by_step_[static_cast<std::size_t>(rounds.round[m])].push_back(m);
  for (int step = 1; step <= steps(); ++step)
    for (const std::uint32_t m : messages(step))
      if (rounds.messages[m].received != kNoEvent)
        received_[static_cast<std::size_t>(rounds.messages[m].to)].push_back({step, m});
}

StepFacts StepReader::facts(int step) {
  StepFacts facts;
  facts.step = step;
  std::map<std::pair<Rank, Rank>, StepLink> links;
  std::set<std::uint16_t> strands;
  for (const std::uint32_t m : messages(step)) {
    const MessageRecord& message = analysis_.messages()[m];
    StepLink& link = links[{message.from, message.to}];
    link.from = message.from;
    link.to = message.to;
    link.messages.push_back(m);
    strands.insert(message.sent == kNoEvent ? 0 : analysis_.trace()[message.sent].strand);
  }
  facts.several_strands = strands.size() > 1;
  std::set<Rank> senders, receivers;
  for (auto& [ends, link] : links) {
    describe(link, step);
    // Between strands there is no moment at which a rank has "all".
    if (facts.several_strands && link.past == Past::all) link.past = Past::none;
    senders.insert(link.from);
    receivers.insert(link.to);
    facts.links.push_back(std::move(link));
  }
  facts.senders.assign(senders.begin(), senders.end());
  facts.receivers.assign(receivers.begin(), receivers.end());
  return facts;
}

void StepReader::describe(StepLink& link, int step) {
  find_amount(link);
  link.act = act_of(link.messages.front(), step);
  for (const std::uint32_t m : link.messages)
    if (act_of(m, step) != link.act) link.act = Act::unknown;
  if (link.empty()) return;
  find_content(link);
  find_past(link, step);
}

void StepReader::find_amount(StepLink& link) const {
  bool exact = true;
  for (const std::uint32_t m : link.messages) {
    const MessageRecord& message = analysis_.messages()[m];
    const auto size = message.sent == kNoEvent ? std::size_t{1}
                                               : dtype_size(analysis_.trace()[message.sent].dtype);
    link.bytes += message.bytes;
    link.elements += static_cast<Count>(message.bytes / std::max<std::size_t>(size, 1));
    if (message.bytes == 0) continue;
    const Piece piece = analysis_.pieces().of(message);
    exact = exact && piece.exact;
    if (piece.exact) link.chunks += piece.last_chunk - piece.first_chunk + 1;
    link.whole = link.messages.size() == 1 && piece.whole;
  }
  if (!exact) link.chunks = 0;
  link.half = is_half(link.elements, holdings_.whole());
}

void StepReader::find_content(StepLink& link) {
  Contents load;
  for (const std::uint32_t m : link.messages)
    for (auto& one : holdings_.load(analysis_.messages()[m])) load.push_back(std::move(one));
  if (any_unknown(load)) return;
  if (holdings_.motion() == Motion::combines) {
    link.content = content_of_sum(load, link.from, holdings_.world());
    return;
  }
  link.content = content_of_moved(load, link.from);
  if (link.chunks == 0 || holdings_.motion() == Motion::regroups) link.chunks = blocks_in(load);
}

int StepReader::blocks_in(const Contents& load) const {
  const int world = analysis_.trace().world_size();
  Count whole = holdings_.whole();
  if (holdings_.motion() == Motion::regroups) {
    const Pieces& pieces = analysis_.pieces();
    const auto* input = pieces.in(0) != nullptr ? pieces.in(0) : pieces.data(0);
    whole = input != nullptr ? count_of(*input) : 0;
    Count size = 0;
    for (const account::Stretch& one : load) size += one.elements.count;
    const Count each = whole / world;
    if (whole % world == 0 && each > 0)  // also where a block is no run of elements
      return size % each == 0 ? static_cast<int>(size / each) : 0;
  }
  const Partition chunks(whole, world);
  int count = 0;
  for (const account::Stretch& one : load) {
    const Range held{one.origin_element(), one.elements.count};
    if (one.origin() < 0 || held.count == 0 || held.end() > whole) return 0;
    const int first = chunks.chunk_of(held.offset), last = chunks.chunk_of(held.end() - 1);
    if (chunks.span(first, last + 1) != held) return 0;
    count += last - first + 1;
  }
  return count;
}

Range StepReader::where(std::uint32_t message) const {
  return analysis_.pieces().of(analysis_.messages()[message]).elements;
}

Act StepReader::act_of(std::uint32_t m, int step) {
  const MessageRecord& message = analysis_.messages()[m];
  if (message.received == kNoEvent) return Act::stays;
  if (message.bytes == 0) return Act::keeps;
  if (analysis_.trace()[message.received].verb == Verb::recv_reduce) return Act::adds;
  if (holdings_.motion() == Motion::unknown) return Act::unknown;
  if (holdings_.motion() != Motion::combines) return Act::keeps;
  const Range range = where(m);
  if (!holdings_.known() || range.offset < 0) return Act::unknown;
  const auto old = account::part_of(holdings_.data(message.to, step - 1), range);
  const auto now = account::part_of(holdings_.data(message.to, step), range);
  const auto load = holdings_.load(message);
  if (any_unknown(now) || any_unknown(load)) return Act::unknown;
  if (now == load) return Act::keeps;
  return grew(old, now) ? Act::adds : Act::unknown;
}

std::vector<std::uint32_t> StepReader::last_received(Rank rank, int step) const {
  const auto& all = received_[static_cast<std::size_t>(rank)];
  const auto end = ranges::lower_bound(all, step, {}, &Received::step);
  std::vector<std::uint32_t> last;
  for (auto at = end; at != all.begin() && std::prev(at)->step == std::prev(end)->step; --at)
    last.insert(last.begin(), std::prev(at)->message);
  return last;
}

void StepReader::find_past(StepLink& link, int step) {
  const auto last = last_received(link.from, step);
  if (!holdings_.known()) find_past_by_value(link, last);
  if (link.content == Content::own || link.content == Content::unknown) return;
  if (holdings_.motion() == Motion::combines) {
    std::vector<Range> sent, received;
    for (const std::uint32_t m : link.messages) sent.push_back(where(m));
    for (const std::uint32_t m : last) received.push_back(where(m));
    sent = joined(std::move(sent));
    received = joined(std::move(received));
    if (ranges::any_of(sent, [](const Range& one) { return one.offset < 0; })) return;
    if (sent == received) link.past = Past::last;
    else if (sent.size() == 1 && received.size() == 1 && sent[0].offset >= received[0].offset &&
             sent[0].end() <= received[0].end() && is_half(sent[0].count, received[0].count))
      link.past = Past::half;
    if (link.past != Past::none)
      link.last_act = act_of(last.front(), analysis_.rounds().round[last.front()]);
    if (link.content != Content::complete || link.last_act == Act::adds) return;
    if (complete_elements(holdings_.data(link.from, step - 1), holdings_.world()) == link.elements)
      link.past = Past::all;
    return;
  }
  Moved sent, received;
  for (const std::uint32_t m : link.messages)
    add_moved(sent, holdings_.load(analysis_.messages()[m]));
  for (const std::uint32_t m : last) add_moved(received, holdings_.load(analysis_.messages()[m]));
  if (sent == received) link.past = Past::last;
  else if (size_in_common(holdings_.owned(link.from, step - 1), holdings_.wanted(link.from)) ==
           link.elements)
    link.past = Past::all;
}

// The data of others' programs is not followed, but its values may show what they did.
void StepReader::find_past_by_value(StepLink& link, const std::vector<std::uint32_t>& last) {
  if (link.messages.size() != 1 || last.size() != 1) return;
  const Act act = act_by_value(analysis_, link.messages.front(), last.front());
  if (act == Act::unknown) return;
  link.past = Past::last;
  link.last_act = act;
}

// ---- Among the ranks ----------------------------------------------------------------------------

const Definition* StepReader::communicator(const StepLink& link) const {
  const MessageRecord& message = analysis_.messages()[link.messages.front()];
  if (message.sent == kNoEvent) return nullptr;
  return analysis_.trace().definition(Definition::Kind::comm, analysis_.trace()[message.sent].comm);
}

namespace {

/// A rank's place in a communicator; -1 where it is no member.
int place_in(const Definition* comm, Rank rank) {
  if (comm == nullptr || comm->extents.empty()) return rank;
  const auto found = ranges::find(comm->extents, static_cast<std::int64_t>(rank));
  return found == comm->extents.end() ? -1 : static_cast<int>(found - comm->extents.begin());
}

bool is_spaced(const Definition* comm) {
  if (comm == nullptr) return false;
  const auto gap = [](std::int64_t one, std::int64_t next) { return next != one + 1; };
  return std::ranges::adjacent_find(comm->extents, gap) != comm->extents.end();
}

struct Ends {
  std::map<Rank, int> sends, receives;
  bool once() const {
    const auto one = [](const auto& entry) { return entry.second == 1; };
    return ranges::all_of(sends, one) && ranges::all_of(receives, one);
  }
  bool apart() const {
    return ranges::none_of(sends,
                           [&](const auto& entry) { return receives.contains(entry.first); });
  }
  bool closed() const {
    return sends.size() == receives.size() &&
           ranges::all_of(sends, [&](const auto& entry) { return receives.contains(entry.first); });
  }
};

StepShape::Kind kind_of(const std::vector<const StepLink*>& links, const Ends& ends) {
  using enum StepShape::Kind;
  if (!ends.once())
    return ends.sends.size() == 1 ? fan_out : ends.receives.size() == 1 ? fan_in : scattered;
  if (ends.apart()) return pairs;
  std::map<Rank, Rank> to;
  for (const StepLink* link : links) to[link->from] = link->to;
  const bool both_ways = ranges::all_of(to, [&](const auto& one) {
    const auto back = to.find(one.second);
    return back != to.end() && back->second == one.first;
  });
  return both_ways ? exchange : ends.closed() ? shift : path;
}

}  // namespace

StepShape StepReader::shape(const std::vector<const StepLink*>& links) const {
  StepShape shape;
  Ends ends;
  for (const StepLink* link : links) ++ends.sends[link->from], ++ends.receives[link->to];
  shape.kind = kind_of(links, ends);
  const bool circular = shape.kind == StepShape::Kind::shift;
  const bool two_way = shape.kind == StepShape::Kind::exchange;
  std::set<int> distances;
  std::set<std::size_t> sizes;
  std::set<std::vector<std::int64_t>> groups;
  const auto world = static_cast<std::size_t>(analysis_.trace().world_size());
  for (const StepLink* link : links) {
    const Definition* comm = communicator(*link);
    const std::size_t size =
        comm == nullptr || comm->extents.empty() ? world : comm->extents.size();
    const int distance = link->to - link->from;
    distances.insert(circular  ? wrap(place_in(comm, link->to) - place_in(comm, link->from),
                                      static_cast<int>(size))
                     : two_way ? std::abs(distance)
                               : distance);
    shape.spaced = shape.spaced || is_spaced(comm);
    sizes.insert(size);
    groups.insert(comm == nullptr ? std::vector<std::int64_t>() : comm->extents);
  }
  if (distances.size() == 1) shape.distance = *distances.begin();
  shape.groups = static_cast<int>(groups.size());
  if (sizes.size() == 1) shape.group_size = static_cast<int>(*sizes.begin());
  return shape;
}

}  // namespace rankscope::narration
