// Explains in the platform's words why no partner fits, and what to change.
#include "engine/analysis/matching/diagnosis_words.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"

namespace rankscope::matching {
namespace {

constexpr std::size_t kMostNamed = 4;

const PostedVerb& of(const Situation& known, std::uint32_t verb) { return known.verbs[verb]; }

std::string peers_text(const Situation& known, const std::vector<Change>& changes,
                       std::string_view preposition) {
  std::string text;
  for (std::size_t i = 0; i < std::min(changes.size(), kMostNamed); ++i) {
    const Change& change = changes[i];
    text += fmt::format("{}{} rank {} on rank {}", i == 0 ? "" : ", ", preposition,
                        of(known, change.other).rank, of(known, change.verb).rank);
  }
  if (changes.size() > kMostNamed) text += " and so on";
  return text;
}

std::string sent(const Situation& known, std::uint32_t verb) {
  const std::string at = known.at(verb);
  return at.empty() ? "" : fmt::format(" (sent{})", at);
}

/// Returns whether a message has a tag that other receives take, and the receive one that no send has.
bool sent_with_another(const Situation& known, const Change& change) {
  const PostedVerb &receive = of(known, change.verb), &send = of(known, change.other);
  return ranges::none_of(known.verbs,
                         [&](auto& one) { return one.send && one.tag == receive.tag; }) &&
         ranges::any_of(known.verbs, [&](auto& one) { return !one.send && one.tag == send.tag; }) &&
         ranges::none_of(known.verbs, [&](auto& one) {
           return one.send && one.site == send.site &&
                  ranges::any_of(known.verbs, [&](auto& other) {
                    return !other.send && other.rank == one.peer && other.tag == one.tag;
                  });
         });
}

void explain_tags(const Situation& known, const Change& change, Diagnosis& out) {
  const PostedVerb &receive = of(known, change.verb), &send = of(known, change.other);
  out.why = fmt::format(
      "The tags differ: the message from rank {} to rank {} has tag {}{}, and the receive{} takes "
      "tag {} only.",
      send.rank, receive.rank, send.tag, sent(known, change.other), known.at(change.verb),
      receive.tag);
  out.advice =
      fmt::format("Give both the same tag: a receive of tag {} gets this message.", send.tag);
  if (sent_with_another(known, change)) {
    out.blamed = change.other;
    out.why += fmt::format(" No send has tag {}, and tag {} has receives of its own.", receive.tag,
                           send.tag);
    out.advice = fmt::format("Give both the same tag: send tag {}{}, or receive tag {}.",
                             receive.tag, known.at(change.other), send.tag);
  }
  // Another rank may have sent what the receive asks for.
  const auto asked = [&](const PostedVerb& one) {
    return one.tag == receive.tag && one.context == receive.context;
  };
  for (std::uint32_t other = 0; other < known.verbs.size(); ++other)
    if (!of(known, other).send && other != change.verb && of(known, other).rank == receive.rank &&
        (asked(of(known, other)) || of(known, other).wild()))
      return;
  for (std::uint32_t other = 0; other < known.verbs.size(); ++other) {
    const PostedVerb& one = of(known, other);
    if (!one.send || !asked(one) || one.peer != receive.rank || one.rank == receive.peer) continue;
    out.why = fmt::format(
        "The message with tag {} comes from rank {}{}, not from rank {}, whose message has tag {}.",
        receive.tag, one.rank, sent(known, other), receive.peer, send.tag);
    out.advice =
        fmt::format("Receive tag {} from rank {}, or from any rank.", receive.tag, one.rank);
    return;
  }
}

void explain_order(const Situation& known, const Change& change, Diagnosis& out) {
  const PostedVerb &receive = of(known, change.verb), &send = of(known, change.other);
  out.why = fmt::format(
      "The tags come in another order on the two sides: rank {} sends tag {} first{}, rank {} "
      "receives tag {} "
      "first{}, and each waits for the other.",
      send.rank, send.tag, known.at(change.other), receive.rank, receive.tag,
      known.at(change.verb));
  out.advice = fmt::format(
      "Receive in the order of the sends, tag {} first; or start the sends with {}, and wait for "
      "them afterwards.",
      send.tag, platform_of(known.platform).isend);
}

void explain_communicators(const Situation& known, const Change& change, Diagnosis& out) {
  const PostedVerb &receive = of(known, change.verb), &send = of(known, change.other);
  out.why = fmt::format(
      "The communicators differ: the message from rank {} to rank {}{} and the receive{} belong to "
      "two of them.",
      send.rank, receive.rank, sent(known, change.other), known.at(change.verb));
  out.advice = "Pass the same communicator (group) to both.";
}

void explain_sources(const Situation& known, const std::vector<Change>& changes, Diagnosis& out) {
  const Change& first = changes.front();
  const PostedVerb &receive = of(known, first.verb), &send = of(known, first.other);
  out.why = fmt::format(
      "The receive names the wrong source: rank {} waits for a message from rank {}{}, but the "
      "message that has come for it is from rank {}{}.",
      receive.rank, receive.peer, known.at(first.verb), send.rank, sent(known, first.other));
  const std::string shift = shift_of(known, changes);
  out.advice = fmt::format("Receive {}{}.", peers_text(known, changes, "from"),
                           shift.empty() ? "" : fmt::format(" (source = {})", shift));
}

void explain_destinations(const Situation& known, const std::vector<Change>& changes,
                          Diagnosis& out) {
  const Change& first = changes.front();
  const PostedVerb &send = of(known, first.verb), &receive = of(known, first.other);
  for (const Change& change : changes) out.misdirected.push_back(change.verb);
  out.why = fmt::format(
      "The send names the wrong destination: rank {} sends to rank {}{}, where no receive takes "
      "it, and rank {} waits for a message from rank {}{}.",
      send.rank, send.peer, known.at(first.verb), receive.rank, send.rank, known.at(first.other));
  const std::string shift = shift_of(known, changes);
  out.advice = fmt::format("Send {}{}.", peers_text(known, changes, "to"),
                           shift.empty() ? "" : fmt::format(" (destination = {})", shift));
}

/// The number of sends to (receives from) another rank that a rank has posted.
std::size_t count(const Situation& known, Rank from, Rank to, bool sends) {
  return static_cast<std::size_t>(ranges::count_if(known.verbs, [&](const PostedVerb& one) {
    return !one.in_call && one.send == sends && one.rank == (sends ? from : to) &&
           one.peer == (sends ? to : from);
  }));
}

std::string times(std::size_t n) {
  return n == 0 ? "never" : n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n);
}

}  // namespace

std::string shift_of(const Situation& known, const std::vector<Change>& changes) {
  const int size = static_cast<int>(known.ended.size());
  if (changes.size() < 2 || size < 3) return {};
  int shift = 0;
  for (const Change& change : changes) {
    const Rank from = of(known, change.verb).rank, to = of(known, change.other).rank;
    const int here = (to - from + size) % size;
    if (shift != 0 && here != shift) return {};
    shift = here;
  }
  if (shift <= size / 2) return fmt::format("(rank + {}) % size", shift);
  // In C++ the remainder of -1 is -1.
  const bool cpp = known.at(changes.front().verb).find(".c") != std::string::npos;
  return fmt::format("(rank - {}{}) % size", size - shift, cpp ? " + size" : "");
}

std::string verb_text(const Situation& known, std::uint32_t verb) {
  const PostedVerb& one = of(known, verb);
  const char* const name = one.in_call ? "waits for" : one.send ? "sends to" : "receives from";
  const bool plain = one.in_call || one.tag == 0 || one.tag == kAnyTag;
  const std::string tag = plain ? "" : fmt::format(" with tag {}", one.tag);
  return fmt::format("rank {} {} {}{}{}", one.rank, name, rank_name(one.peer), tag, known.at(verb));
}

void explain_changes(const Situation& known, const std::vector<Change>& changes, Diagnosis& out) {
  using Cause = Diagnosis::Cause;
  if (out.cause == Cause::tag) explain_tags(known, changes.front(), out);
  else if (out.cause == Cause::order) explain_order(known, changes.front(), out);
  else if (out.cause == Cause::communicator) explain_communicators(known, changes.front(), out);
  else if (out.cause == Cause::source) explain_sources(known, changes, out);
  else explain_destinations(known, changes, out);
  if (!out.or_missing) return;
  const PostedVerb &changed = of(known, changes.front().verb),
                   &other = of(known, changes.front().other);
  const std::string at = known.at(changes.front().verb), there = known.at(changes.front().other);
  if (changed.send) {
    out.why = fmt::format(
        "Either the send names the wrong destination, or rank {} lacks its receive: rank {} "
        "calls nothing more and takes no message from rank {} (sent{}), while rank {} waits for "
        "one from rank {}{}.",
        changed.peer, changed.peer, changed.rank, at, other.rank, changed.rank, there);
    out.advice = fmt::format(
        "Send it to rank {} instead; or, if rank {} is right, add the receive "
        "to rank {}.",
        other.rank, changed.peer, changed.peer);
  } else {
    out.why = fmt::format(
        "Either the receive names the wrong source, or rank {} lacks its send: rank {} calls "
        "nothing more and sends nothing to rank {}, for which a message from rank {} has come{}.",
        changed.peer, changed.peer, changed.rank, other.rank, sent(known, changes.front().other));
    out.advice = fmt::format(
        "Receive from rank {} instead; or, if rank {} is right, add the send to "
        "rank {}.",
        other.rank, changed.peer, changed.peer);
  }
}

void explain_swapped(const Situation& known, const Change& change, Diagnosis& out) {
  const PostedVerb &send = of(known, change.verb), &receive = of(known, change.other);
  out.why = fmt::format(
      "The destination and the tag of the send seem to be swapped: rank {} sends to rank {} with "
      "tag {}{}, and rank {} waits for a message with tag {}{}.",
      send.rank, send.peer, send.tag, known.at(change.verb), receive.rank, receive.tag,
      known.at(change.other));
  out.advice =
      fmt::format("Send to rank {} with tag {}{}.", receive.rank, receive.tag,
                  platform_of(known.platform).compiled ? ": send(destination, data, tag)" : "");
}

void explain_taken(const Situation& known, std::uint32_t receive, std::uint32_t taker,
                   Diagnosis& out) {
  const PostedVerb& wants = of(known, receive);
  out.why = fmt::format(
      "The message from rank {} that it waits for was taken by another receive of rank {}, which "
      "takes any message{}.",
      wants.peer, wants.rank, known.at(taker));
  out.advice = "Name the source (or a tag of its own) in that receive, too.";
}

void explain_itself(const Situation& known, std::uint32_t verb, std::string& why,
                    std::string& advice) {
  const PostedVerb& one = of(known, verb);
  why = one.send ? "A rank that waits until its message is received cannot receive it."
                 : "A rank that waits for a message from itself cannot send it.";
  // Returns the ranks that have sent to a rank which receives nothing from them.
  const auto unheard = [&](Rank to) {
    std::vector<Rank> senders;
    for (Rank from = 0; from < std::ssize(known.ended); ++from)
      if (from != one.rank && from != to && count(known, from, to, true) > 0 &&
          count(known, from, to, false) == 0)
        senders.push_back(from);
    return senders;
  };
  bool others = false, right = true, to_others = false;
  for (const PostedVerb& other : known.verbs) {
    if (other.send != one.send || other.site != one.site || one.site == 0) continue;
    to_others |= other.rank == one.rank && other.peer != one.rank;
    if (other.rank == one.rank || other.peer != one.peer) continue;
    others = true;
    right = right && (one.send || unheard(other.rank).empty());
  }
  if (others && right) {
    why += fmt::format(" Other ranks {} rank {} in this line, too, where it is right.",
                       one.send ? "send to" : "receive from", one.rank);
    advice = fmt::format("Leave rank {0} out of this {1}: if rank != {0}.", one.rank,
                         one.send ? "send" : "receive");
    return;
  }
  if (one.send && to_others) {
    why += " The same line sends to other ranks, too: its loop goes through all ranks.";
    advice = fmt::format("Leave rank {0} out of the loop: {1}.", one.rank,
                         one.rank == 0 ? "range(1, size)" : fmt::format("if peer != {}", one.rank));
    return;
  }
  if (const auto senders = unheard(one.rank); !one.send && !senders.empty()) {
    why += fmt::format(" Rank {} has received nothing of what {} sent to it.", one.rank,
                       rank_list(senders));
    advice = senders.size() == 1
                 ? fmt::format("Name rank {} as the source.", senders.front())
                 : "Name these as the source, each in its turn: the number that the loop counts.";
    return;
  }
  advice = fmt::format(
      "Check how the {} is computed: is it another rank on each rank? For data of the rank itself, "
      "copy instead of sending.",
      one.send ? "destination" : "source");
}

EndedWords ended_words(const Situation& known, std::uint32_t verb) {
  const PostedVerb& one = of(known, verb);
  if (one.peer < 0)
    return {"All other ranks have ended or wait themselves: nobody is left who could send.",
            "Count the messages: receive as many as the others send."};
  const Rank from = one.send ? one.rank : one.peer, to = one.send ? one.peer : one.rank;
  EndedWords out;
  out.why = fmt::format(
      "Rank {} has ended. Rank {} sends to rank {} {}, and rank {} receives from "
      "rank {} {}.",
      one.peer, from, to, times(count(known, from, to, true)), to, from,
      times(count(known, from, to, false)));
  const std::string_view missing = one.send ? "receive" : "send";
  out.advice = fmt::format(
      "Add the {} to rank {}, or leave this {} out; does a loop end one step too early, or a "
      "condition leave that rank out?",
      missing, one.peer, one.send ? "send" : "receive");
  const bool again = ranges::any_of(known.verbs, [&](const PostedVerb& other) {
    return !other.open && !other.send && other.rank == one.rank && other.site == one.site &&
           other.site != 0;
  });
  if (!one.send && again)
    out.advice += fmt::format(
        " If rank {} goes on until no work is left, let rank {} send it a last message that says "
        "so, and leave the loop there.",
        one.rank, one.peer);
  for (std::uint32_t other = 0; other < known.verbs.size(); ++other) {
    const PostedVerb& half = of(known, other);
    const bool too = half.open && half.rank == one.rank && half.send != one.send &&
                     half.peer >= 0 && known.ended[static_cast<std::size_t>(half.peer)];
    if (!too) continue;
    out.advice += fmt::format(
        " Its {} rank {}{} has no partner either: does rank {} make one step more than the others?",
        half.send ? "send to" : "receive from", half.peer, known.at(other), one.rank);
    break;
  }
  return out;
}

void explain_one_sided(const Situation& known, const std::vector<std::uint32_t>& receives,
                       Diagnosis& out) {
  std::vector<std::string> pairs, adding, leaving;
  for (const std::uint32_t verb : receives) {
    const PostedVerb& one = of(known, verb);
    pairs.push_back(fmt::format("rank {0} exchanges with rank {1}, but rank {1} not with rank {0}",
                                one.rank, one.peer));
    adding.push_back(fmt::format("rank {} to those of rank {}", one.rank, one.peer));
    leaving.push_back(fmt::format("rank {} out of those of rank {}", one.peer, one.rank));
  }
  out.why = fmt::format("The ranks' neighbours do not agree{}: {}.", known.at(receives.front()),
                        fmt::join(pairs, "; "));
  out.advice =
      fmt::format("Add {}; or take {}.", fmt::join(adding, ", "), fmt::join(leaving, ", "));
}

void explain_partners(const Situation& known, const OddPair& pair, Diagnosis& out) {
  const PostedVerb &one = of(known, pair.odd), &other = of(known, pair.partner);
  const auto size = static_cast<unsigned>(known.ended.size());
  const std::string when =
      known.verbs[pair.odd].open ? "" : fmt::format(" in their exchange {}", pair.step + 1);
  out.why = fmt::format(
      "The ranks do not form pairs{}:{} rank {}'s partner is rank {}, but rank {}'s partner is "
      "rank {}.",
      when, known.at(pair.odd), one.rank, one.peer, other.rank, other.peer);
  const unsigned below = std::bit_floor(size);
  out.advice = fmt::format(
      "Give every rank a partner whose partner it is{}",
      below == size ? ". Of each two partners one adds the distance, and the other subtracts it."
                    : fmt::format(". {} is no power of two, so halving or doubling leaves ranks "
                                  "over: let these hand their part to another rank first, or run "
                                  "it on {} or {} ranks.",
                                  size, below, 2 * below));
}

void explain_no_wait(const Situation& known, Diagnosis& out) {
  const PostedVerb& request = of(known, out.partner);
  out.why = fmt::format("Rank {} began this {} and ended without a wait for it: only the wait {}.",
                        request.rank, request.send ? "send" : "receive",
                        request.send ? "lets the message go"
                                     : "says that the message is there, and lets its sender go on");
  out.advice =
      fmt::format("Keep the request, and wait for it before its memory is used or the rank ends{}.",
                  platform_of(known.platform).waits_by);
}

/// Explains a circle of sends: each may begin without its receive; another order is advised only where a replay ended.
std::string mended_sends(const Situation& known, const Diagnosis& circle) {
  const std::string_view begun = platform_of(known.platform).sends_first;
  if (!begun.empty())
    return fmt::format("{}{}.", begun,
                       circle.one_in_other_order ? "; or let one of the ranks receive first" : "");
  const std::string_view half = circle.half_in_other_order ? " (in a ring: every second one)" : "";
  const std::string_view none = "ray.util.collective has no isend";
  if (circle.one_in_other_order)
    return fmt::format("Let one of the ranks receive first{}; {}.", half, none);
  return fmt::format("One of these ranks has to receive first, before it sends: {}.", none);
}

std::string mended_receives(const Situation& known, const Diagnosis& circle) {
  if (!circle.one_in_other_order)
    return "At least one of them has to send before it receives: look for its send, and move it "
           "up.";
  const std::string_view begun = platform_of(known.platform).receives_first;
  if (!begun.empty()) return fmt::format("{}, or let one of the ranks send first.", begun);
  return fmt::format("Let one of the ranks send first{}.",
                     circle.half_in_other_order ? " (in a ring: every second one)" : "");
}

/// Returns whether, in a circle of sends, the receive behind each names the rank that is sent to, which sends to another one.
std::string source_behind(const Situation& known, const Diagnosis& circle) {
  if (!known.partner_name || !known.next_partner_name || circle.cycle.size() < 3) return {};
  std::string name;
  std::vector<Change> changes;
  std::uint32_t before = circle.cycle.back();
  for (const std::uint32_t verb : circle.cycle) {
    name = known.partner_name(verb);
    if (!of(known, verb).send || name.empty() || known.next_partner_name(verb) != name) return {};
    changes.push_back({verb, before});
    before = verb;
  }
  const std::string shift = shift_of(known, changes);
  return fmt::format(
      "The receive behind the send names {}, too, the rank that is sent to, and that sends to "
      "another one: receive from {}. ",
      name, shift.empty() ? "the rank that sends to this one" : shift);
}

/// Names the first rank of a circle of receives that has sent to others, but not to the rank that waits for it.
void explain_left_out(const Situation& known, Diagnosis& out) {
  for (const std::uint32_t verb : out.cycle) {
    const PostedVerb& wants = of(known, verb);
    const auto sends = [&](const PostedVerb& one) {
      return one.send && !one.in_call && one.rank == wants.peer;
    };
    const auto other = ranges::find_if(known.verbs, sends);
    if (wants.peer < 0 || other == known.verbs.end() ||
        ranges::any_of(known.verbs,
                       [&](const PostedVerb& one) { return sends(one) && one.peer == wants.rank; }))
      continue;
    out.why +=
        fmt::format(" So far, rank {} has sent to rank {}{}, and nothing to rank {}.", wants.peer,
                    other->peer, known.at(std::uint32_t(&*other - known.verbs.data())), wants.rank);
    out.advice = fmt::format(
        "Let rank {} send to rank {} before it receives: add that send, or move it up; or leave "
        "the receive out on rank {}.",
        wants.peer, wants.rank, wants.rank);
    return;
  }
}

void explain_missing(const Situation& known, std::uint32_t verb, std::uint32_t in_call,
                     Diagnosis& out) {
  const PostedVerb& one = of(known, verb);
  const std::string call = known.at(in_call);
  const char* const half = one.send ? "receive" : "send";
  out.why = fmt::format(
      "Rank {} is in a collective already{}, which rank {} calls only after this {}: the {} that "
      "rank {} lacks has not been called, and cannot come any more.",
      one.peer, call, one.rank, one.send ? "send" : "receive", half, one.peer);
  out.advice =
      fmt::format("Add the {} to rank {} before its collective{}, or leave the {} out on rank {}.",
                  half, one.peer, call, one.send ? "send" : "receive", one.rank);
}

/// Returns whether a receive from any rank has an earlier one of the same rank and tag that got a message.
bool has_received(const Situation& known, std::uint32_t verb) {
  const PostedVerb& one = of(known, verb);
  return !one.send && one.peer < 0 && ranges::any_of(known.verbs, [&](const PostedVerb& other) {
    return !other.send && !other.open && !other.in_call && other.rank == one.rank &&
           other.tag == one.tag &&
           known.at(static_cast<std::uint32_t>(&other - known.verbs.data())) == known.at(verb);
  });
}

/// If no rank has sent to ranks that receive from any rank, names the send of an ended rank that goes to others.
void explain_unsent(const Situation& known, Diagnosis& out) {
  std::vector<Rank> waiting, reached;
  for (const std::uint32_t verb : out.cycle) {
    if (of(known, verb).peer >= 0) return;
    waiting.push_back(of(known, verb).rank);
  }
  std::uint32_t first = kNoVerb;
  for (std::uint32_t verb = 0; verb < known.verbs.size(); ++verb) {
    const PostedVerb& one = of(known, verb);
    if (!one.send || one.in_call) continue;
    if (ranges::find(waiting, one.peer) != waiting.end() ||
        ranges::find(waiting, one.rank) != waiting.end())
      return;
    if (first == kNoVerb) first = verb;
    if (one.rank == of(known, first).rank && ranges::find(reached, one.peer) == reached.end())
      reached.push_back(one.peer);
  }
  if (first == kNoVerb) return;
  ranges::sort(waiting), ranges::sort(reached);
  const Rank from = of(known, first).rank;
  out.why = fmt::format(
      "Each of these receives takes a message of any rank, but nobody has sent to {}: rank {} "
      "sends to {} only{}.",
      rank_list(waiting), from, rank_list(reached), known.at(first));
  out.advice = fmt::format(
      "Let rank {} send to {}, too, in a loop over the ranks, or leave the receive out there.",
      from, rank_list(waiting));
}

void explain_cycle(const Situation& known, Diagnosis& out) {
  using Cause = Diagnosis::Cause;
  switch (out.cause) {
    case Cause::itself: return explain_itself(known, out.roots.front(), out.why, out.advice);
    case Cause::call:
      out.why = "A collective ends when all ranks of its communicator have come to it.";
      out.advice =
          "Let all ranks make the same calls, in the same order, with no message between "
          "them that waits for a rank that is in the call already.";
      return;
    case Cause::sends:
      out.why =
          "A send waits until its receive has begun (rendezvous), and each of these ranks sends "
          "before it receives.";
      out.advice = source_behind(known, out) + mended_sends(known, out);
      return;
    case Cause::receives:
      out.why = "Each of these ranks waits for a message before it has sent its own.";
      out.advice = mended_receives(known, out);
      if (!out.one_in_other_order) explain_left_out(known, out);
      if (ranges::all_of(out.cycle,
                         [&](std::uint32_t verb) { return has_received(known, verb); })) {
        out.why =
            "Each of these receives takes a message of any rank, has taken one before, and waits "
            "for one more: every message that was sent to it has been received.";
        out.advice =
            "Count the messages: receive as many as the others send, or let a last message say "
            "that no more will come.";
      } else {
        explain_unsent(known, out);
      }
      return;
    default: break;
  }
  out.why = "None of these sends and receives fits another one.";
  out.advice =
      "The recording does not tell the cause: compare, line by line, whom each rank sends to "
      "and receives from.";
}

}  // namespace rankscope::matching
