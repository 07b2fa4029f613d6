// Rules on the load of a message: which part of the data, and how much.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope::rules {
namespace {

using Chunks = std::vector<Range>;

// Ways in which students cut `count` elements into n chunks: as evenly as possible; as torch.chunk does, and with
// padding; with the rest in the last one; from c * count / n to (c + 1) * count / n, rounded down.
std::vector<Chunks> ways_to_cut(Count count, int n) {
  const Partition even(count, n);
  const Count large = (count + n - 1) / n, small = count / n;
  std::vector<Chunks> ways(count % n == 0 ? 1 : 5);
  for (int c = 0; c < n; ++c) {
    ways[0].push_back(even[c]);
    if (ways.size() == 1) continue;
    const Count from = std::min(count, c * large);
    ways[1].push_back({from, std::min(count, from + large) - from});
    ways[2].push_back({c * large, large});
    ways[3].push_back({c * small, c + 1 == n ? count - c * small : small});
    ways[4].push_back({c * count / n, (c + 1) * count / n - c * count / n});
  }
  return ways;
}

Count elements_of(const ProgramMessages& facts, const Message& m) {
  return static_cast<Count>(m.bytes / dtype_size(facts.asked.dtype));
}

bool is_size_of(const Chunks& chunks, Count elements) {
  return ranges::find(chunks, elements, &Range::count) != chunks.end();
}

// The way in which most of the messages are chunks.
template <class Fits>
const Chunks& likely(const ProgramMessages& facts, const std::vector<Chunks>& ways, Fits fits) {
  return *ranges::max_element(ways, {}, [&](const Chunks& chunks) {
    return ranges::count_if(facts.messages, [&](const Message& m) { return fits(chunks, m); });
  });
}

std::string amount(const ProgramMessages& facts, const Message& m, const Chunks& chunks) {
  const Count elements = elements_of(facts, m), each = chunks.front().count;
  const int n = facts.asked.ranks;
  if (elements * static_cast<Count>(dtype_size(facts.asked.dtype)) != static_cast<Count>(m.bytes))
    return fmt::format("{} bytes", m.bytes);
  if (elements == facts.asked.shape.count()) return fmt::format("the whole tensor, {} chunks", n);
  if (elements > facts.asked.shape.count())
    return fmt::format("{} elements, more than the tensor has", elements);
  if (facts.asked.shape.count() % n == 0 && each > 0 && elements > each && elements % each == 0)
    return fmt::format("{} chunks", elements / each);
  return fmt::format("{} element{}", elements, elements == 1 ? "" : "s");
}

std::string one_chunk(const ProgramMessages& facts, const Chunks& chunks) {
  if (facts.asked.shape.count() % facts.asked.ranks == 0)
    return fmt::format("one chunk{} was expected",
                       chunks[0].count == 1 ? "" : fmt::format(" ({} elements)", chunks[0].count));
  std::vector<Count> sizes;
  for (const Range& chunk : chunks)
    if (ranges::find(sizes, chunk.count) == sizes.end()) sizes.push_back(chunk.count);
  return fmt::format("one chunk ({} elements) was expected", fmt::join(sizes, " or "));
}

RuleResult check_whole(const ProgramMessages& facts) {
  for (const Message& m : facts.messages)
    if (const Count elements = elements_of(facts, m); elements != facts.asked.shape.count())
      return facts.broken(
          m, fmt::format("step {}: rank {} sent {} of {} elements to rank {}, where the "
                         "whole tensor was expected",
                         m.round, m.from, elements, facts.asked.shape.count(), m.to));
  return {};
}

// The place of the data of which a message was made; nothing where it is no part of the tensor itself, and the message is
// not a rank's first, which holds the tensor's data.
std::optional<Range> place_of(const ProgramMessages& facts, const Message& m) {
  const StepEvent& event = facts.trace[m.sent];
  const auto* buffer = facts.trace.definition(Definition::Kind::buffer, event.in_buffer);
  if (buffer == nullptr || count_of(*buffer) != facts.asked.shape.count()) {
    const auto from = static_cast<std::size_t>(m.from);
    if (m.nth != 1 || from >= facts.evidence.first_places.size()) return std::nullopt;
    return facts.evidence.first_places[from];
  }
  return elements_at(*buffer, event.in_offset, event.bytes);
}

// Another cut into chunks whose sizes differ by one at most, as the messages show it: the size of chunk c is that of
// most messages that should hold it. Nothing where they show none.
template <class Wanted>
std::optional<Chunks> shown_cut(const ProgramMessages& facts, Wanted wanted) {
  const auto n = static_cast<std::size_t>(facts.asked.ranks);
  std::vector<std::map<Count, int>> seen(n);
  for (const Message& m : facts.messages)
    ++seen[static_cast<std::size_t>(wanted(m))][elements_of(facts, m)];
  const Count small = facts.asked.shape.count() / facts.asked.ranks;
  Chunks chunks;
  Count at = 0;
  for (const auto& sizes : seen) {
    if (sizes.empty()) return std::nullopt;
    const Count size =
        ranges::max_element(sizes, {}, [](const auto& one) { return one.second; })->first;
    if (size != small && size != small + 1) return std::nullopt;
    chunks.push_back({at, size});
    at += size;
  }
  return at == facts.asked.shape.count() ? std::optional(chunks) : std::nullopt;
}

std::string chunk_name(const Chunks& chunks, const Range& place) {
  const auto at = ranges::find(chunks, place);
  if (at != chunks.end()) return fmt::format("chunk {}", at - chunks.begin());
  return fmt::format("elements {} to {}", place.offset, place.end() - 1);
}

}  // namespace

RuleResult check_size(const ProgramMessages& facts, const Rule& rule) {
  if (rule.size == Rule::Size::whole) return check_whole(facts);
  const auto ways = ways_to_cut(facts.asked.shape.count(), facts.asked.ranks);
  const auto fits = [&](const Chunks& chunks, const Message& m) {
    return is_size_of(chunks, elements_of(facts, m)) &&
           m.bytes % dtype_size(facts.asked.dtype) == 0;
  };
  const Chunks& chunks = likely(facts, ways, fits);
  for (const Message* m : facts.by_place())
    if (!fits(chunks, *m))
      return facts.broken(
          *m, fmt::format("step {}: rank {} sent {}, to rank {}, where {}", m->nth, m->from,
                          amount(facts, *m, chunks), m->to, one_chunk(facts, chunks)));
  return {};
}

RuleResult check_chunk_order(const ProgramMessages& facts, const Rule& rule) {
  const int n = facts.asked.ranks;
  // At step i = 1, 2 ... rank r sends chunk (r + i - 2) mod N to the left, or (r - i + 1) mod N to the
  // right.
  const auto wanted = [&](const Message& m) {
    return wrap(rule.direction == Rule::Direction::left ? m.from + m.nth - 2 : m.from - m.nth + 1,
                n);
  };
  auto ways = ways_to_cut(facts.asked.shape.count(), n);
  if (const auto shown = shown_cut(facts, wanted)) ways.push_back(*shown);
  const auto fits = [&](const Chunks& chunks, const Message& m) {
    const auto place = place_of(facts, m);
    return place && *place == chunks[static_cast<std::size_t>(wanted(m))];
  };
  const Chunks& chunks = likely(facts, ways, fits);
  bool seen = true;
  for (const Message* m : facts.by_place()) {
    const auto place = place_of(facts, *m);
    const Range& chunk = chunks[static_cast<std::size_t>(wanted(*m))];
    if (m->bytes == 0 && chunk.count == 0) continue;
    seen = seen && place.has_value();
    if (!place || *place == chunk) continue;
    return facts.broken(*m, fmt::format("step {}: rank {} sent {}, where chunk {} was expected",
                                        m->nth, m->from, chunk_name(chunks, *place), wanted(*m)));
  }
  if (seen) return {};
  Rule sizes;
  sizes.kind = Rule::Kind::size;
  RuleResult result = check_size(facts, sizes);
  if (!result.kept) return result;
  result.unsure = true;
  result.says =
      "the messages were not sent from the tensor's own memory, so only their sizes were checked";
  return result;
}

}  // namespace rankscope::rules
