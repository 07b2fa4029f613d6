// Finds the lines of wrong blocks, partners and roots by the values and the peers of messages.
#include <functional>
#include <map>
#include <regex>
#include <tuple>

#include <fmt/format.h>

#include "engine/account/numbers.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/meant/hints.h"
#include "engine/analysis/meant/outcome.h"
#include "engine/analysis/meant/wrong_lines.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/event.h"

namespace rankscope::meant {

using finder::Operation;
using finder::SourceText;
using finder::TraceOperations;

namespace {

std::optional<Meaning> meant_by(const Trace& trace) {
  const auto& handed = trace.meta().handed;
  if (!handed || handed->as.empty()) return std::nullopt;
  return parse_meaning(handed->as);
}

/// A message of the program itself. `first` is its place in the data that is compared, 0 for a message of the same length;
/// -1 if unknown.
struct Part {
  const Operation* send;
  Count first;
  std::vector<double> numbers;
};

/// Returns the message of a send, without numbers if they are not known.
Part part_of(const TraceOperations& facts, const Verdict& verdict, const Operation& send) {
  Part part{&send, -1, {}};
  const auto* const buffer = facts.trace.definition(Definition::Kind::buffer, send.buffer);
  if (buffer == nullptr || send.inside() || count_of(*buffer) > Sampling::kWhole ||
      facts.trace.size() > kMostEvents)
    return part;
  const Range range = elements_at(*buffer, send.offset, send.bytes);
  part.numbers = account::known_values(facts.trace, *buffer, range, send.posted + 1);
  const auto own = verdict.inputs.find(send.rank);
  if (buffer->name == verdict.data) part.first = range.offset;
  else if (own != verdict.inputs.end() && own->second.size() == part.numbers.size()) part.first = 0;
  return part;
}

/// Returns the result that each rank of an allreduce should end with; empty for other collectives.
std::vector<double> whole_result(const TraceOperations& facts, const Verdict& verdict) {
  const auto meaning = meant_by(facts.trace);
  if (!meaning || meaning->collective != Collective::allreduce) return {};
  return expected_values(*meaning, 0, verdict.inputs, 0);
}

bool stands_at(const std::vector<double>& whole, Count first, const std::vector<double>& part,
               const Operation& message) {
  if (first < 0 || part.empty() || first + std::ssize(part) > std::ssize(whole)) return false;
  return same(part, {whole.begin() + first, whole.begin() + first + std::ssize(part)},
              std::string(to_string(message.dtype)));
}

}  // namespace

std::vector<const Operation*> own_sends(const TraceOperations& facts, Rank rank) {
  std::vector<const Operation*> out;
  for (const Operation& one : facts.operations)
    if (one.rank == rank && one.send && !one.sync && !one.built_in && one.bytes > 0)
      out.push_back(&one);
  return out;
}

Guess sends_partial(const TraceOperations& facts, const Verdict& verdict) {
  const auto whole = whole_result(facts, verdict);
  if (whole.empty()) return std::nullopt;
  const ReduceOp op = meant_by(facts.trace)->op;
  std::map<Rank, std::vector<Part>> complete;
  std::map<std::tuple<Rank, Count, std::size_t>, const Operation*> sent;  // by place and contents
  for (const Operation& one : facts.operations) {
    const auto own = verdict.inputs.find(one.rank);
    if (own == verdict.inputs.end()) return std::nullopt;
    if (one.inside() || one.partner == finder::kNone) continue;
    if (!one.send) {
      Part came = part_of(facts, verdict, facts.operations[one.partner]);
      auto sum = came.numbers;
      for (std::size_t e = 0; op == ReduceOp::sum && came.first >= 0 && e < sum.size(); ++e)
        if (const auto at = static_cast<std::size_t>(came.first) + e; at < own->second.size())
          sum[e] += own->second[at];
      const bool is_whole = stands_at(whole, came.first, came.numbers, one);
      if (is_whole || stands_at(whole, came.first, sum, one)) {
        came.send = &one;
        if (!is_whole) came.numbers.clear();  // the rank has to add its own
        complete[one.rank].push_back(std::move(came));
      }
      continue;
    }
    const Part now = part_of(facts, verdict, one);
    if (now.numbers.empty()) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(now.numbers.data()),
                                 now.numbers.size() * sizeof(double));
    const auto [before, is_new] =
        sent.try_emplace({one.rank, now.first, std::hash<std::string_view>{}(bytes)}, &one);
    if ((is_new && !stands_at(own->second, now.first, now.numbers, one)) ||
        stands_at(whole, now.first, now.numbers, one))
      continue;
    const auto block = std::ssize(now.numbers);
    for (const Part& part : complete[one.rank]) {
      if (part.send->completed == kNoEvent || part.send->completed > one.posted) continue;
      const SourceText text(facts.trace, one.site), other(facts.trace, part.send->site);
      const std::string had =
          is_new ? "its own data" : "what it sent at " + facts.site(before->second->posted);
      const auto name = finder::call_text_of(text, text.line_number(), true).data;
      if (part.first == now.first && !part.numbers.empty()) {
        const auto right = finder::call_text_of(other, other.line_number(), false).data;
        return Place{facts.site(one.posted),
                     fmt::format("rank {} sends {} there, although the {} of all came at {}",
                                 one.rank, had, operator_noun(op), facts.site(part.send->posted)),
                     {},
                     right.empty() || right == name
                         ? "Send on what came in there."
                         : fmt::format("Send {} there: it has that {}.", right, operator_noun(op))};
      }
      if (part.first == now.first || !part.numbers.empty() || now.first != one.rank * block)
        continue;
      const Count ahead = (part.first - now.first + std::ssize(whole)) % std::ssize(whole);
      if (ahead % block != 0) continue;
      static const std::regex kFirst(R"(int (\w+) = [^;]+;)");
      const auto [line, index] = finder::line_above(text, text.loop_of(text.line_number()), kFirst);
      const bool is_index = has_name(name, index);
      return Place{
          text.site(is_index ? line : text.line_number()),
          fmt::format(
              "rank {} sends {} of block {} at {}{}, but the block that it has summed is {}",
              one.rank, had, now.first / block, facts.site(one.posted),
              is_index ? " with " + index + "'s first value" : "", part.first / block),
          {},
          fmt::format("Send first the block that each rank has summed: (rank + {}) % size.",
                      ahead / block)};
    }
  }
  return std::nullopt;
}

Guess stores_elsewhere(const TraceOperations& facts, const Verdict& verdict) {
  const auto whole = whole_result(facts, verdict);
  const Operation* wrong = nullptr;
  Count right = 0, place = 0;
  bool by_peer = true;  // block r comes from rank r
  for (const Operation& one : facts.operations) {
    const auto* const buffer = facts.trace.definition(Definition::Kind::buffer, one.buffer);
    if (one.send || one.inside() || one.partner == finder::kNone || whole.empty() ||
        buffer == nullptr || buffer->name != verdict.data)
      continue;
    const Operation& from = facts.operations[one.partner];
    const auto numbers = part_of(facts, verdict, from).numbers;
    const Count block = std::ssize(numbers);
    const Count here = elements_at(*buffer, one.offset, one.bytes).offset;
    if (block == 0 || block == std::ssize(whole) || (wrong != nullptr && wrong->site != one.site))
      continue;
    Count at = 0;
    while (at < std::ssize(whole) && !stands_at(whole, at, numbers, one)) at += block;
    if (at >= std::ssize(whole)) continue;
    by_peer = by_peer && at == from.rank * block;
    if (wrong == nullptr && !stands_at(whole, here, numbers, one))
      wrong = &one, right = at, place = here;
  }
  if (wrong == nullptr) return std::nullopt;
  const SourceText text(facts.trace, wrong->site);
  const auto peer = finder::call_text_of(text, text.line_number(), false).peer;
  return Place{
      facts.site(wrong->posted),
      fmt::format("rank {} stores there the right elements from {} on in the place of those "
                  "from {} on",
                  wrong->rank, right, place),
      "What came is right, and its place is not.",
      by_peer && !peer.empty()
          ? fmt::format("Compute the place from {}, the rank that the block comes from.", peer)
          : "Receive each block where its elements belong."};
}

Guess begins_empty(const TraceOperations& facts, const Verdict& verdict) {
  if (verdict.lacking.size() != 1 || !verdict.repeated.empty()) return std::nullopt;
  const auto sends = own_sends(facts, verdict.lacking.front());
  if (sends.empty()) return std::nullopt;
  const SourceText text(facts.trace, sends.back()->site);
  const std::string name(first_name(finder::call_text_of(text, text.line_number(), true).data));
  if (name.empty()) return std::nullopt;
  const std::regex made("vector<[^;]*> (" + name +
                        R"()\(([^,;{}]+, (0(\.0?)?[fFL]?|T\{\})|[\w.>-]+size\(\))\);)");
  const auto line = finder::line_above(text, text.line_number(), made).first;
  if (line == 0) return std::nullopt;
  return Place{text.site(line),
               name + " begins with zeros there",
               {},
               fmt::format("Let {} begin with the rank's own data.", name)};
}

Guess meets_itself(const TraceOperations& facts, const Verdict& verdict) {
  const auto sends = own_sends(facts, 0);
  if (verdict.repeated.empty() || sends.size() < 2) return std::nullopt;
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank)
    if (const auto own = own_sends(facts, rank);
        own.empty() || own.front()->peer != rank || own.front()->site != sends.front()->site)
      return std::nullopt;
  const SourceText text(facts.trace, sends.front()->site);
  const std::string peer = finder::call_text_of(text, text.line_number(), true).peer;
  if (peer.empty() || !ranges::all_of(peer, in_name)) return std::nullopt;
  const auto [line, value] =
      finder::line_above(text, text.line_number(), std::regex("\\b" + peer + R"( = ([^;]+);)"));
  if (line == 0) return std::nullopt;
  static const std::regex kTurn(R"(\^ (\w+)$)");
  std::smatch turn;
  return Place{text.site(line),
               fmt::format("{} is the rank itself in the first turn, so its data are added to its "
                           "own",
                           peer),
               {},
               std::regex_search(value, turn, kTurn)
                   ? fmt::format("Write 1 << {0} in place of {0}: the distances are 1, 2, 4 ...",
                                 turn[1].str())
                   : "Begin with another rank."};
}

Guess starts_elsewhere(const TraceOperations& facts, const Verdict&) {
  const auto meaning = meant_by(facts.trace);
  if (!meaning || meaning->collective != Collective::broadcast || !meaning->root)
    return std::nullopt;
  std::map<Rank, const Operation*> first;
  for (const Operation& one : facts.operations)
    if (!one.sync && !one.built_in) first.emplace(one.rank, &one);
  const Operation* start = nullptr;
  for (const auto& [rank, one] : first)
    if (one->send && std::exchange(start, one) != nullptr) return std::nullopt;
  if (start == nullptr || start->rank == *meaning->root || !first.contains(*meaning->root))
    return std::nullopt;
  const SourceText text(facts.trace, start->site);
  const auto lines = finder::calls_of(text, text.line_number());
  return Place{
      text.site(lines.size() == 1 ? lines[0] : text.line_number()),
      fmt::format("rank {} sends there before anything came in, and rank {}, the root, only "
                  "receives at first",
                  start->rank, *meaning->root),
      {},
      fmt::format("Begin with rank {}, which has the data: give the call that root.",
                  *meaning->root)};
}

}  // namespace rankscope::meant
