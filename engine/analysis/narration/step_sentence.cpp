// Puts subject, verb, object and target together, one clause for each thing that ranks do in a step.
#include "engine/analysis/narration/step_sentence.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/narration/effects.h"
#include "engine/analysis/narration/words.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::narration {
namespace {

using Content = StepLink::Content;
using Past = StepLink::Past;

/// A message's load as the object of a sentence.
struct ObjectWords {
  std::string one;         ///< With one sender: "the chunk that it has just added to".
  std::string several;     ///< With several: "the chunks that they have just added to".
  bool passed_on = false;  ///< It is what they received last.
};

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

/// Returns what was received last, by what its senders did with it.
ObjectWords passed_on(const Noun& noun, std::string_view one_did, std::string_view several_did) {
  return {fmt::format("the {} that it {}", noun.one, one_did),
          fmt::format("the {} that they {}", noun.several, several_did), true};
}

ObjectWords just_received(const Noun& noun) {
  return passed_on(noun, "received last", "received last");
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
    return passed_on(noun, fmt::format("has just {}", op.added),
                     fmt::format("have just {}", op.added));
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
    return passed_on(noun, "has just completed", "have just completed");
  if (link.past == Past::all && link.chunks != 1) {
    if (link.half)
      return {fmt::format("its half of the {}", op.result),
              fmt::format("their halves of the {}", op.result)};
    const std::string finished = link.chunks > 0
                                     ? fmt::format("{} finished chunks", link.chunks)
                                     : fmt::format("{} finished elements", link.elements);
    return {"its " + finished, "their " + finished};
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
    return passed_on({the, the}, "has just added to", "have just added to");
  if (link.past == Past::last) return just_received({the, the});
  if (link.whole) return {"all of its data", "all of their data"};
  return {amount(link, "chunk"), amount(link, "chunk") + " each"};
}

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
      if (link.past == Past::last) return just_received({"data", "data"});
      if (link.content == Content::own && link.whole) return {"its data", "their data"};
      return plain(link);
    default: return plain(link);
  }
}

using Act = StepLink::Act;
using Kind = StepShape::Kind;
using Links = std::vector<const StepLink*>;

constexpr std::size_t kMostClauses = 3, kMostSingle = 3, kMostPairs = 4;

std::vector<Rank> ends_of(const Links& links, Rank StepLink::*end) {
  std::set<Rank> ranks;
  for (const StepLink* link : links) ranks.insert(link->*end);
  return {ranks.begin(), ranks.end()};
}

/// A distance as seen by the sender: "its right neighbour", "the rank 2 before it".
std::string place(int distance, int around, bool each) {
  if (around > 2 && distance == 1) return each ? "its right neighbour" : "their right neighbours";
  if (around > 2 && distance == around - 1)
    return each ? "its left neighbour" : "their left neighbours";
  if (around > 0 && 2 * distance > around) distance -= around;
  const std::string it = each ? "it" : "them";
  const std::string far = std::abs(distance) == 1 ? "" : number_word(std::abs(distance)) + " ";
  return fmt::format("the rank {}{} {}", far, distance < 0 ? "before" : "after", it);
}

/// A distance in a communicator whose ranks do not follow each other.
std::string among(int distance, int size) {
  if (distance == 1) return "the next of them";
  if (distance == size - 1) return "the one before it";
  return fmt::format("the one {} places on", number_word(distance));
}

class StepClauses {
 public:
  StepClauses(const StepFacts& facts, const StepReader& reader, Holdings& holdings, bool running,
              bool brief)
      : facts_(facts), reader_(reader), holdings_(holdings), running_(running), brief_(brief) {}

  /// The sentence without capital and full stop.
  std::string words() {
    const auto groups = alike();
    if (groups.size() > kMostClauses) return counts();
    if (groups.size() > 1) {
      Links all;
      for (const StepLink& link : facts_.links) all.push_back(&link);
      const StepShape shape = reader_.shape(all);
      if (shape.kind == Kind::shift && shape.groups == 1) around_ = shape;
    }
    std::string text;
    for (const Links& links : with_pairs_apart(groups)) {
      const std::string clause = this->clause(links);
      if (clause.empty()) return counts();
      text += (text.empty() ? "" : "; ") + clause;
    }
    return text + empty_note();
  }
  /// A sentence that is always exact: each message, or their number.
  std::string counts() const {
    if (facts_.links.size() <= kMostSingle && !brief_) {
      std::string text;
      for (const StepLink& link : facts_.links)
        text += (text.empty() ? "" : "; ") +
                fmt::format("rank {} sends {} to rank {}", link.from, object(link).one, link.to) +
                fate({&link}, false, false);
      return text;
    }
    std::map<Rank, int> received;
    std::size_t messages = 0;
    for (const StepLink& link : facts_.links) {
      received[link.to] += static_cast<int>(link.messages.size());
      messages += link.messages.size();
    }
    const auto busiest =
        ranges::max_element(received, {}, [](const auto& one) { return one.second; });
    if (busiest->second > 1)
      return fmt::format("{} ranks send {} messages; the busiest receiver, rank {}, gets {}",
                         facts_.senders.size(), messages, busiest->first, busiest->second);
    return fmt::format("{} ranks send one message each to {} ranks", facts_.senders.size(),
                       facts_.receivers.size());
  }

 private:
  int world() const { return holdings_.world(); }
  OperatorWords op() const { return words_of(holdings_.op()); }
  ObjectWords object(const StepLink& link) const {
    return object_of(link, holdings_.motion(), holdings_.op());
  }

  /// Links that do the same, the most first. Empty messages among others are only counted.
  std::vector<Links> alike() {
    const bool all_empty = ranges::all_of(facts_.links, &StepLink::empty);
    std::map<std::pair<std::string, Act>, Links> by_words;
    for (const StepLink& link : facts_.links) {
      for (const std::uint32_t m : link.messages) {
        ++messages_;
        if (reader_.is_empty(m)) ++empties_;
      }
      if (all_empty || !link.empty()) by_words[{object(link).one, link.act}].push_back(&link);
    }
    std::vector<Links> groups;
    for (auto& [words, links] : by_words) groups.push_back(std::move(links));
    if (all_empty) empties_ = 0;
    if (groups.size() == 1 && empties_ > 0) {
      groups.front().clear();
      for (const StepLink& link : facts_.links) groups.front().push_back(&link);
    }
    const auto order = [](const Links& links) {
      return std::pair(-static_cast<int>(links.size()), links.front()->from);
    };
    ranges::sort(groups, {}, order);
    return groups;
  }

  /// Splits groups into ranks that exchange and ranks that only send.
  std::vector<Links> with_pairs_apart(const std::vector<Links>& groups) const {
    if (around_) return groups;
    std::vector<Links> apart;
    for (const Links& links : groups) {
      const Kind kind = reader_.shape(links).kind;
      Links both_ways, others;
      for (const StepLink* link : links) {
        const bool back = ranges::any_of(links, [&](const StepLink* other) {
          return other->from == link->to && other->to == link->from;
        });
        (back ? both_ways : others).push_back(link);
      }
      if ((kind != Kind::path && kind != Kind::scattered) || both_ways.empty() || others.empty()) {
        apart.push_back(links);
        continue;
      }
      apart.push_back(std::move(others));
      apart.push_back(std::move(both_ways));
    }
    return apart;
  }

  std::string empty_note() const {
    if (empties_ == 0) return {};
    return fmt::format(" ({} of the {} messages {} empty)", empties_, messages_,
                       empties_ == 1 ? "is" : "are");
  }

  static const StepLink& example(const Links& links) {
    const auto full = ranges::find_if(links, [](const StepLink* one) { return !one->empty(); });
    return full == links.end() ? *links.front() : **full;
  }

  /// ", which adds it".
  std::string fate(const Links& links, bool several_receivers, bool several_things) const {
    const StepLink& link = example(links);
    const std::string it = several_things ? "them" : "it";
    if (link.act == Act::adds && holdings_.motion() == Motion::combines)
      return fmt::format(", which {} {}", several_receivers ? op().add : op().adds, it);
    return unreceived(link);
  }

  std::string clause(const Links& links) {
    const StepShape shape = reader_.shape(links);
    if (around_ && shape.kind != Kind::shift) return shift(links, *around_);
    switch (shape.kind) {
      case Kind::exchange: return exchange(links, shape);
      case Kind::shift: return shift(links, shape);
      case Kind::pairs: return pairs(links, shape);
      case Kind::path: return path(links, shape);
      case Kind::fan_out: return fan_out(links);
      case Kind::fan_in: return fan_in(links);
      case Kind::scattered: break;
    }
    return {};
  }

  std::string in_groups(const StepShape& shape, const Links& links) const {
    const auto members = ends_of(links, &StepLink::from).size();
    if (shape.groups < 2 || shape.group_size < 2 || shape.group_size >= world() ||
        members != static_cast<std::size_t>(shape.groups * shape.group_size))
      return {};
    return fmt::format("in each group of {}, ", shape.group_size);
  }

  std::string exchange(const Links& links, const StepShape& shape) const {
    const StepLink& link = example(links);
    const ObjectWords what = object(link);
    const auto ranks = ends_of(links, &StepLink::from);
    const bool adds = link.act == Act::adds;
    if (ranks.size() == 2) {
      const std::string who = world() == 2 ? "both ranks" : ranks_text(ranks);
      return fmt::format("{} exchange {}{}", who, what.several,
                         adds ? fmt::format(" and {} what they get", op().add) : "") +
             unreceived(link);
    }
    const Subject subject = subject_of(ranks, world(), true, brief_);
    return in_groups(shape, links) +
           fmt::format("{} exchanges {} with {}{}", subject.text, what.one, partner(links, shape),
                       adds ? fmt::format(" and {} what it gets", op().adds) : "") +
           unreceived(link);
  }
  std::string unreceived(const StepLink& link) const {
    if (link.act != Act::stays) return {};
    return running_ ? ", still on the way" : ", which nobody receives";
  }

  std::string partner(const Links& links, const StepShape& shape) const {
    if (shape.distance)
      return *shape.distance == 1 ? "the rank next to it"
                                  : fmt::format("the rank {} away", number_word(*shape.distance));
    std::vector<std::string> some_pairs;
    for (const StepLink* link : links)
      if (link->from < link->to)
        some_pairs.push_back(fmt::format("{} and {}", link->from, link->to));
    if (some_pairs.size() > kMostPairs || brief_) {
      some_pairs.resize(std::min<std::size_t>(some_pairs.size(), 2));
      some_pairs.emplace_back("…");
    }
    return fmt::format("a partner ({})", fmt::join(some_pairs, ", "));
  }

  std::string shift(const Links& links, const StepShape& shape) const {
    const StepLink& link = example(links);
    const ObjectWords what = object(link);
    const auto ranks = ends_of(links, &StepLink::from);
    const std::string groups = in_groups(shape, links);
    Subject subject = subject_of(ranks, world(), true, brief_);
    if (!groups.empty()) subject = {"every rank", false};
    const std::string where = !shape.distance                ? "another one"
                              : around_ && links.size() == 1 ? ranks_text({links.front()->to})
                              : shape.spaced ? among(*shape.distance, shape.group_size)
                                             : place(*shape.distance, shape.group_size, true);
    const bool neighbour = where.ends_with("neighbour");
    std::string text =
        groups + subject.text + (what.passed_on ? " passes on " : " sends ") + what.one;
    if (!what.passed_on || !neighbour) text += " to " + where;
    if (!what.passed_on || link.act == Act::stays) text += fate(links, false, false);
    return text;
  }

  /// Words for ranks that send on data of which they have all; empty where that is not the case.
  std::string spreading(const Links& links, std::string& to) {
    if (holdings_.motion() != Motion::spreads || !holdings_.known() ||
        !ranges::all_of(links, [](const StepLink* one) { return one->whole; }))
      return {};
    const auto senders = ends_of(links, &StepLink::from), receivers = ends_of(links, &StepLink::to);
    const auto holders = supplied(holdings_, facts_.step - 1, world());
    if (holders != senders || senders.size() < 2) return {};
    if (senders.size() + receivers.size() == static_cast<std::size_t>(world()) &&
        receivers.size() > 1)
      to = fmt::format("the other {}", receivers.size());
    return fmt::format("the {} ranks that have the data send it on", senders.size());
  }

  std::string pairs(const Links& links, const StepShape& shape) {
    const StepLink& link = example(links);
    const ObjectWords what = object(link);
    const auto senders = ends_of(links, &StepLink::from), receivers = ends_of(links, &StepLink::to);
    const bool several = links.size() > 1;
    std::string to = ranks_text(receivers, brief_);
    const bool listed = receivers.size() <= 4 && !brief_;
    if (!listed && shape.distance) to = "each to " + place(*shape.distance, 0, true);
    else if (!listed) to = "as many others";
    std::string others = to;
    const std::string spread = spreading(links, others);
    if (!spread.empty()) return spread + (others.starts_with("each to") ? ", " : " to ") + others;
    const std::string connect = !listed && others == to && shape.distance ? ", " : " to ";
    const Subject subject = subject_of(senders, world(), false, brief_);
    return subject.text + (several ? " send " : " sends ") + (several ? what.several : what.one) +
           connect + to + fate(links, several && listed, several && listed);
  }

  std::string path(const Links& links, const StepShape& shape) const {
    const StepLink& link = example(links);
    const ObjectWords what = object(link);
    const auto senders = ends_of(links, &StepLink::from);
    const Subject subject = subject_of(senders, world(), true, brief_);
    const std::string where =
        shape.distance ? *shape.distance == 1 ? "the next rank" : place(*shape.distance, 0, true)
                       : "another rank";
    return fmt::format("{} {} {} to {}", subject.text, what.passed_on ? "passes on" : "sends",
                       what.one, where) +
           fate(links, false, false);
  }

  std::string fan_out(const Links& links) const {
    const auto receivers = ends_of(links, &StepLink::to);
    const ObjectWords what = object(example(links));
    return fmt::format("rank {} sends {} to each of {}", links.front()->from, what.one,
                       ranks_text(receivers, brief_)) +
           fate(links, true, false);
  }

  std::string fan_in(const Links& links) const {
    const auto senders = ends_of(links, &StepLink::from);
    const ObjectWords what = object(example(links));
    const Subject subject = subject_of(senders, world(), false, brief_);
    return fmt::format("{} send {} to rank {}", subject.text, what.several, links.front()->to) +
           fate(links, false, true);
  }

  const StepFacts& facts_;
  const StepReader& reader_;
  Holdings& holdings_;
  const bool running_, brief_;
  std::size_t messages_ = 0, empties_ = 0;
  std::optional<StepShape> around_;  ///< All links together are a shift.
};

std::string idle_note(const StepFacts& facts, int world) {
  std::vector<Rank> idle;
  for (Rank rank = 0; rank < world; ++rank)
    if (!std::ranges::binary_search(facts.senders, rank) &&
        !std::ranges::binary_search(facts.receivers, rank))
      idle.push_back(rank);
  if (idle.empty() || idle.size() > 8) return {};
  return fmt::format("; {} {} idle", ranks_text(idle), idle.size() == 1 ? "is" : "are");
}

}  // namespace

std::string step_sentence(const StepFacts& facts, const StepReader& reader, Holdings& holdings,
                          const std::string& effect, bool running, std::size_t longest) {
  if (facts.links.empty()) return "No message is sent.";
  const std::string full = StepClauses(facts, reader, holdings, running, false).words();
  const std::string brief = StepClauses(facts, reader, holdings, running, true).words();
  const std::string idle = idle_note(facts, holdings.world());
  std::vector<std::string> candidates;
  if (!effect.empty()) candidates = {full + ": " + effect, brief + ": " + effect};
  else candidates = {full + idle};
  candidates.push_back(full);
  candidates.push_back(brief);
  candidates.push_back(StepClauses(facts, reader, holdings, running, true).counts());
  for (const std::string& text : candidates)
    if (length_of(text) < longest) return capitalized(text) + ".";
  return fmt::format("{} ranks send messages to {} ranks.", facts.senders.size(),
                     facts.receivers.size());
}

}  // namespace rankscope::narration
