// Names what a message carries by its amount, by whose data it is, and by what its sender did with it before.
#include "engine/analysis/narration/objects.h"

#include <fmt/format.h>

#include "engine/analysis/narration/words.h"

namespace rankscope::narration {
namespace {

using Content = StepLink::Content;
using Past = StepLink::Past;

/// "it" and "they" of a relative clause.
ObjectWords that(std::string what, std::string several, std::string_view one_does,
                 std::string_view several_do, bool passed_on) {
  return {fmt::format("{} that it {}", what, one_does),
          fmt::format("{} that they {}", several, several_do), passed_on};
}

ObjectWords same(std::string words) { return {words, words, false}; }

/// "chunk" and "chunks", "2 chunks", "part" and "parts".
struct Noun {
  std::string one, several;
};
Noun noun_of(const StepLink& link, std::string_view piece) {
  if (link.chunks == 1) return {std::string(piece), std::string(piece) + "s"};
  if (link.chunks > 1) {
    std::string words = fmt::format("{} {}s", link.chunks, piece);
    return {words, words};
  }
  if (link.messages.size() > 1) {
    std::string words = fmt::format("{} pieces", link.messages.size());
    return {words, words};
  }
  return {"part", "parts"};
}

ObjectWords just_received(const Noun& noun) {
  return that("the " + noun.one, "the " + noun.several, "received last", "received last", true);
}

std::string amount(const StepLink& link, std::string_view piece) {
  return link.chunks > 0 ? some(link.chunks, piece) : some(link.elements, "element");
}

ObjectWords own_summand(const StepLink& link) {
  if (link.whole) return {"its whole vector", "their whole vectors"};
  if (link.half) return {"half of its vector", "half of their vectors"};
  if (link.chunks == 1) return {"one of its own chunks", "one of their own chunks each"};
  if (link.chunks > 1)
    return {fmt::format("{} of its own chunks", link.chunks),
            fmt::format("{} of their own chunks each", link.chunks)};
  return {some(link.elements, "element") + " of its vector",
          some(link.elements, "element") + " of their vectors each"};
}

ObjectWords partial_sum(const StepLink& link, const OperatorWords& op) {
  const Noun noun = noun_of(link, "chunk");
  const bool added = link.last_act == StepLink::Act::adds;
  if (link.whole)
    return {fmt::format("its partial {}", op.result), fmt::format("their partial {}s", op.result)};
  if (link.past == Past::last && added)
    return that("the " + noun.one, "the " + noun.several, fmt::format("has just {}", op.added),
                fmt::format("have just {}", op.added), true);
  if (link.past == Past::last) return just_received(noun);
  if (link.past == Past::half && added)
    return {fmt::format("half of what it has just {}", op.added),
            fmt::format("half of what they have just {}", op.added)};
  return {fmt::format("the partial {} of {}", op.result, amount(link, "chunk")),
          fmt::format("the partial {}s of {} each", op.result, amount(link, "chunk"))};
}

ObjectWords whole_sum(const StepLink& link, const OperatorWords& op) {
  const Noun noun = noun_of(link, "chunk");
  if (link.whole) return same(fmt::format("the {}", op.whole));
  if (link.past == Past::last && link.last_act == StepLink::Act::adds)
    return that("the " + noun.one, "the " + noun.several, "has just completed",
                "have just completed", true);
  if (link.past == Past::all && link.chunks != 1) {
    if (link.half)
      return {fmt::format("its half of the {}", op.result),
              fmt::format("their halves of the {}", op.result)};
    return {fmt::format("its {} finished {}s", link.chunks > 0 ? link.chunks : link.elements,
                        link.chunks > 0 ? "chunk" : "element"),
            fmt::format("their {} finished {}s", link.chunks > 0 ? link.chunks : link.elements,
                        link.chunks > 0 ? "chunk" : "element")};
  }
  if (link.past == Past::all) return {"its finished chunk", "their finished chunks"};
  if (link.past == Past::last) return just_received(noun);
  return {fmt::format("{} of the {}", amount(link, "chunk"), op.result),
          fmt::format("{} of the {} each", amount(link, "chunk"), op.result)};
}

ObjectWords summand(const StepLink& link, ReduceOp op) {
  if (link.content == Content::own) return own_summand(link);
  if (link.content == Content::complete) return whole_sum(link, words_of(op));
  return partial_sum(link, words_of(op));
}

ObjectWords one_ranks_data(const StepLink& link) {
  if (link.whole) return {"the data", "the data", link.past == Past::last};
  if (link.past == Past::last) return just_received(noun_of(link, "chunk"));
  if (link.half) return {"half of the data", "half of the data each"};
  return {amount(link, "chunk") + " of the data", amount(link, "chunk") + " of the data each"};
}

ObjectWords blocks(const StepLink& link) {
  if (link.past == Past::last) return just_received(noun_of(link, "block"));
  if (link.content == Content::own && link.chunks == 1)
    return {"its own block", "their own blocks"};
  if (link.past == Past::all && link.chunks == 2)
    return {"both of its blocks", "both of their blocks"};
  if (link.past == Past::all && link.chunks > 2)
    return {fmt::format("all {} of its blocks", link.chunks),
            fmt::format("all {} of their blocks", link.chunks)};
  return {amount(link, "block"), amount(link, "block") + " each"};
}

ObjectWords plain(const StepLink& link) {
  const std::string what = amount(link, "chunk");
  const std::string the = what.starts_with("one ") ? what.substr(4) : what;
  if (link.past == Past::last && link.last_act == StepLink::Act::adds)
    return that("the " + the, "the " + the, "has just added to", "have just added to", true);
  if (link.past == Past::last)
    return that("the " + the, "the " + the, "received last", "received last", true);
  if (link.whole) return {"all of its data", "all of their data"};
  return {amount(link, "chunk"), amount(link, "chunk") + " each"};
}

}  // namespace

ObjectWords object_of(const StepLink& link, Motion motion, ReduceOp op) {
  if (link.empty()) return {"an empty message", "empty messages"};
  if (link.content == Content::unknown) return plain(link);
  switch (motion) {
    case Motion::combines: return summand(link, op);
    case Motion::spreads:
    case Motion::deals: return one_ranks_data(link);
    case Motion::gathers:
    case Motion::collects: return blocks(link);
    case Motion::regroups: return {amount(link, "block"), amount(link, "block") + " each"};
    case Motion::moves:
      if (link.past == Past::last)
        return that("the data", "the data", "received last", "received last", true);
      if (link.content == Content::own && link.whole) return {"its data", "their data"};
      return plain(link);
    default: return plain(link);
  }
}

}  // namespace rankscope::narration
