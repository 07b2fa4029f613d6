// Finds signs of mistakes in a run of any program; all except numbers of bytes may be intended.
#include "engine/analysis/meant/hints.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/account/numbers.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/meant/wrong_lines.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"
#include "engine/core/trace/event.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::Report;
using finder::TraceOperations;
using Kind = Finding::Kind;

constexpr std::size_t kMostSource = 400'000;

// ---- Ranks without data ----

/// Returns whether the program's source has a call that moves data.
bool may_move_data(const Trace& trace) {
  static const std::regex kData(
      R"(\w*(send|recv|reduce|gather|scatter|bcast|broadcast|all_?to_?all|scan|parallel|fully_shard)\w*\s*\()",
      std::regex::icase);
  return ranges::any_of(trace.meta().sources, [](const auto& source) {
    return source.second.size() >= kMostSource || std::regex_search(source.second, kData);
  });
}

/// Returns whether the source names each of these ranks by number ("rank == 1", "dest=1"), so that the others are idle
/// on purpose.
bool are_named(const Trace& trace, const std::set<Rank>& ranks) {
  return ranges::all_of(ranks, [&](Rank rank) {
    const std::regex number(fmt::format(R"(\w\s*={{1,2}}\s*{}\b)", rank));
    return ranges::any_of(trace.meta().sources, [&](const auto& source) {
      return source.second.size() < kMostSource && std::regex_search(source.second, number);
    });
  });
}

/// Returns whether none of these ranks is in a communicator in which data moved.
bool are_outside(const TraceOperations& facts, const std::vector<Rank>& silent) {
  return ranges::all_of(facts.operations, [&](const Operation& one) {
    const auto* const comm = facts.trace.definition(Definition::Kind::comm, facts.posted(one).comm);
    return one.sync || one.bytes == 0 ||
           (comm != nullptr && !comm->extents.empty() && ranges::none_of(silent, [&](Rank rank) {
              return ranges::find(comm->extents, std::int64_t{rank}) != comm->extents.end();
            }));
  });
}

void find_silent(const TraceOperations& facts, Report& report) {
  const int ranks = facts.trace.world_size();
  if (ranks < 2) return;
  std::set<Rank> busy;
  for (const Operation& one : facts.operations)
    if (!one.sync && one.bytes > 0) {
      busy.insert(one.rank);
      if (one.peer >= 0) busy.insert(one.peer);
    }
  // In C++ an empty message is a signal: one that should have data meets a receive with room for it.
  if (busy.empty() && platform_of(facts.platform).compiled &&
      ranges::any_of(facts.operations,
                     [](const Operation& one) { return !one.sync && !one.built_in; }))
    return;
  std::vector<Rank> silent;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (!busy.contains(rank)) silent.push_back(rank);
  if (silent.empty() || (busy.empty() ? !may_move_data(facts.trace)
                                      : are_named(facts.trace, busy) || are_outside(facts, silent)))
    return;
  std::string site;
  for (const BuiltInCall& call : facts.calls)
    if (site.empty()) site = facts.site(call.begins);
  Finding out = hint_at(Kind::no_data_sent, silent, busy.empty() ? site : "");
  out.what = busy.empty()
                 ? fmt::format("all {} ranks joined and sent nothing", ranks)
                 : fmt::format("{} joined, sent nothing and received nothing", rank_list(silent));
  out.why = busy.empty()
                ? "No message carries data, so each rank's result contains only its own data."
                : "No other rank's result contains their data.";
  out.advice = "If they should take part: send their data, or call the collective on every rank.";
  report.add(std::move(out));
}

}  // namespace

Finding hint_at(Kind kind, std::vector<Rank> ranks, std::string site) {
  Finding out(kind);
  out.events.assign(ranks.size(), kNoEvent);
  out.ranks = std::move(ranks);
  out.site = std::move(site);
  return out;
}

std::vector<std::byte> content_of(const Trace& trace, const Operation& send) {
  const auto* buffer = trace.definition(Definition::Kind::buffer, send.buffer);
  if (buffer == nullptr) return {};
  const Range sent = elements_at(*buffer, send.offset, send.bytes);
  return account::known_samples(trace, *buffer, Sampling(count_of(*buffer)).within(sent),
                                send.posted + 1);
}

namespace {

struct Sent {
  const Operation* operation;
  std::vector<std::byte> content;
};

/// Returns the program's own sends with their contents; empty if a content is unknown or there are too many sends.
std::vector<Sent> contents(const TraceOperations& facts) {
  std::vector<Sent> out;
  if (facts.trace.size() > kMostEvents) return {};
  for (const Operation& one : facts.operations) {
    if (!one.send || one.inside()) continue;
    if (out.size() == kMostLooked) return {};
    out.push_back({&one, content_of(facts.trace, one)});
    if (out.back().content.empty()) return {};
  }
  return out;
}

/// Returns whether all elements of all messages are the same number.
bool all_one(const std::vector<Sent>& all) {
  const Sent& first = all.front();
  const auto size = dtype_size(first.operation->dtype);
  if (first.content.size() < size) return false;
  for (const Sent& sent : all) {
    if (sent.operation->dtype != first.operation->dtype || sent.content.size() % size != 0)
      return false;
    for (std::size_t at = 0; at < sent.content.size(); at += size)
      if (std::memcmp(sent.content.data() + at, first.content.data(), size) != 0) return false;
  }
  return true;
}

void find_one_value(const TraceOperations& facts, const std::vector<Sent>& all, Report& report) {
  std::set<Rank> senders;
  for (const Sent& sent : all) senders.insert(sent.operation->rank);
  if (senders.size() < 2 || !all_one(all)) return;
  const Sent& first = all.front();
  if (first.operation->dtype == DType::uint8) return;  // raw bytes may encode anything
  const auto size = dtype_size(first.operation->dtype);
  const bool zero =
      std::all_of(first.content.begin(), first.content.begin() + static_cast<std::ptrdiff_t>(size),
                  [](std::byte b) { return b == std::byte{0}; });
  const bool long_enough =
      ranges::any_of(all, [&](const Sent& one) { return one.content.size() > size; });
  if (!zero && !long_enough) return;  // all ranks may rightly send one and the same number
  Finding out = hint_at(Kind::one_value, {senders.begin(), senders.end()},
                        facts.site(first.operation->posted));
  out.what = zero ? "only zeros travelled, in all messages"
                  : "one and the same number travelled, in all elements of all messages";
  out.why = "A mistake in what is sent, or in where it is put, cannot be seen in such a result.";
  out.advice = zero ? "Check that the array is filled before it is sent; test with numbers that "
                      "differ by rank and by element."
                    : "Test with numbers that differ by rank and by element.";
  report.add(std::move(out));
}

/// See sent_again(). `all`: the messages of the run.
const Operation* sent_again_in(const TraceOperations& facts, const std::vector<Sent>& all) {
  const int ranks = facts.trace.world_size();
  if (ranks < 3) return nullptr;
  std::map<Rank, std::vector<const Sent*>> by_rank;
  std::map<Rank, int> received;
  std::set<std::vector<std::byte>> different;
  for (const Sent& sent : all) {
    by_rank[sent.operation->rank].push_back(&sent);
    different.insert(sent.content);
  }
  for (const Operation& one : facts.operations)
    if (!one.send && !one.sync && !one.built_in && one.matched != kNoEvent) ++received[one.rank];
  if (std::ssize(by_rank) != ranks || different.size() < 2) return nullptr;
  for (const auto& [rank, sends] : by_rank) {
    if (sends.size() < 2 || received[rank] < 2) return nullptr;
    for (const Sent* one : sends)
      if (one->content != sends.front()->content ||
          one->operation->peer != sends.front()->operation->peer)
        return nullptr;
  }
  return by_rank.begin()->second[1]->operation;
}

void find_not_passed_on(const TraceOperations& facts, const std::vector<Sent>& all,
                        Report& report) {
  const Operation* const again = sent_again_in(facts, all);
  if (again == nullptr) return;
  std::vector<Rank> every;
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank) every.push_back(rank);
  Finding out = hint_at(Kind::not_passed_on, every, facts.site(again->posted));
  out.what = fmt::format("every rank sends the same data in each step{}", facts.at(again->posted));
  out.why =
      "If the steps are those of one collective, each rank's data reach only its neighbour, which "
      "receives them again in every step.";
  out.advice =
      "If so, send in the next step what was received in this one (or the chunk that was just "
      "added to).";
  report.add(std::move(out));
}

// ---- Bytes that a program prints ----

struct Counts {
  std::uint64_t elements = 0, bytes = 0;
};

/// Returns the counts that a program may print as bytes: per message, per rank and in total.
std::vector<Counts> countable(const TraceOperations& facts) {
  std::map<std::pair<Rank, bool>, Counts> ranks;
  std::vector<Counts> out;
  for (const Operation& one : facts.operations) {
    if (one.sync || one.bytes == 0) continue;
    const Counts now{one.bytes / dtype_size(one.dtype), one.bytes};
    out.push_back(now);
    for (const Rank key : {one.rank, Rank{-1}}) {
      ranks[{key, one.send}].elements += now.elements;
      ranks[{key, one.send}].bytes += now.bytes;
    }
  }
  for (const auto& [key, counts] : ranks) out.push_back(counts);
  return out;
}

/// Numbers of bytes in a line of text.
std::vector<std::uint64_t> bytes_in(const std::string& text) {
  static const std::regex kPattern(
      R"((\d[\d_,]*)\s*[Bb]ytes?\b|[Bb]ytes?\b[^\d\n]{0,24}?(\d[\d_,]*)(?![\d.]))");
  std::vector<std::uint64_t> out;
  for (std::sregex_iterator at(text.begin(), text.end(), kPattern), end; at != end; ++at) {
    std::string digits;
    for (const char c : (*at)[1].matched ? (*at)[1].str() : (*at)[2].str())
      if (std::isdigit(static_cast<unsigned char>(c)) != 0) digits += c;
    if (!digits.empty() && digits.size() < 19) out.push_back(std::stoull(digits));
  }
  return out;
}

void find_wrong_units(const TraceOperations& facts, const Handed& observed, Report& report) {
  if (observed.printed.empty()) return;
  const auto counts = countable(facts);
  for (const Handed::PrintedBytes& line : observed.printed)
    for (const std::uint64_t said : bytes_in(line.text)) {
      const auto has = [&](auto member) { return ranges::find(counts, said, member); };
      if (said < 2 || has(&Counts::bytes) != counts.end()) continue;
      const auto elements = has(&Counts::elements);
      if (elements == counts.end()) continue;
      const int at = line.counted.empty() ? line.line : line.counted.front();
      Finding out = hint_at(Kind::wrong_units, {std::max(line.rank, 0)},
                            fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), at));
      out.what = fmt::format(
          "at {0}: the program prints {1} bytes, but {1} is the number of elements, which take {2} "
          "bytes",
          out.site, said, elements->bytes);
      out.why = fmt::format("It prints: \"{}\".", line.text.substr(0, 80));
      out.advice = "Count bytes: in torch t.numel() * t.element_size(), in NumPy a.nbytes.";
      report.add(std::move(out));
      return;
    }
}

// ---- A built-in where an own function was meant ----

/// A function of the program's text.
struct OwnFunction {
  std::string name;
  bool sends = false;   ///< Its text has a send or a receive.
  bool method = false;  ///< A method, or nested in another function.
};

std::vector<OwnFunction> own_functions(const Trace& trace) {
  static const std::regex kFunction(R"((?:^|\n)([ \t]*)def (\w+)\()");
  static const std::regex kMessage(R"((send|recv)\w*\()", std::regex::icase);
  std::vector<OwnFunction> own;
  for (const auto& [file, text] : trace.meta().sources) {
    if (text.size() >= kMostSource) continue;
    for (std::sregex_iterator at(text.begin(), text.end(), kFunction), end; at != end; ++at) {
      const auto inside = static_cast<std::size_t>((*at)[1].length());
      auto last = text.find('\n', static_cast<std::size_t>(at->position(2)));
      while (last != std::string::npos) {  // up to the next line that is not indented more
        const auto word = text.find_first_not_of(" \t", last + 1);
        if (word != std::string::npos && text[word] != '\n' && word - last - 1 <= inside) break;
        last = text.find('\n', last + 1);
      }
      const auto begin = text.begin() + at->position(2);
      const auto until =
          last == std::string::npos ? text.end() : text.begin() + static_cast<std::ptrdiff_t>(last);
      own.push_back({(*at)[2], std::regex_search(begin, until, kMessage), inside > 0});
    }
  }
  return own;
}

void find_own_not_used(const TraceOperations& facts, Report& report) {
  if (facts.calls.empty()) return;
  const std::vector<OwnFunction> own = own_functions(facts.trace);
  std::set<std::string> run;  // functions that send by themselves, and those that call them
  for (const Operation& one : facts.operations)
    if (!one.built_in && !one.sync)
      for (auto& caller : callers_of(facts.trace, one.site)) run.insert(std::move(caller.function));
  for (const Delegation& one : delegations(facts.trace)) {
    // A barrier moves no data, so there is no algorithm of the student's to miss.
    const CollectiveTraits* const built_in = find_collective(one.name);
    if (one.callers.empty() || (built_in != nullptr && built_in->in == Extent::nothing)) continue;
    const auto fits = [&](const std::string& name) {
      return letters(name).find(letters(one.name)) != std::string::npos;
    };
    const auto caller = ranges::find(own, one.callers.front().function, &OwnFunction::name);
    const bool inside = caller != own.end() && fits(caller->name);
    // Names of functions that demonstrate the built-in, or apply it to a model's tensors.
    static const std::regex kShown(
        "^(do|run|test|demo|example|try|show|call|use|simple|basic)|(model|param|grad|weight|"
        "buffer|"
        "state|loss)[a-z]*$");
    if (inside && std::regex_search(letters(caller->name), kShown)) continue;
    // A function named after the platform, or a method named like the collective, is meant to call the built-in.
    if (inside && (letters(caller->name).find(letters(facts.platform)) != std::string::npos ||
                   (caller->method && letters(caller->name) == letters(one.name))))
      continue;
    // The student's own algorithm would send; a function that does not send only wraps the built-in.
    const auto function = inside ? caller : ranges::find_if(own, [&](const OwnFunction& each) {
      return each.sends && fits(each.name);
    });
    if (function == own.end() || (!inside && ranges::any_of(own, [&](const OwnFunction& each) {
          return fits(each.name) && run.contains(each.name);
        })))
      continue;
    const std::string& name = function->name;
    Finding out = hint_at(Kind::own_not_used, one.ranks, one.callers.front().site);
    out.what =
        inside ? fmt::format("{} calls the built-in {} at {}", name, one.name, out.site)
               : fmt::format("the built-in {} is called at {}, though the file has a function {}",
                             one.name, out.site, name);
    out.why = inside ? "The library's algorithm runs, not the program's own."
                     : "The function in the file is not used there.";
    out.advice = inside ? "If the task is to write the algorithm, use send and recv."
                        : fmt::format("To test {0}, call {0} there.", name);
    report.add(std::move(out));
    if (!inside) return;
  }
}

}  // namespace

void add_remarks(const std::vector<Handed::Remark>& remarks, Rank world, bool compiled,
                 Report& report) {
  std::map<std::tuple<std::string, int, std::string>, std::vector<const Handed::Remark*>> places;
  for (const Handed::Remark& one : remarks)
    if (one.rank < world) places[{one.file, one.line, one.why}].push_back(&one);
  for (auto& [place, group] : places) {
    const Handed::Remark& first = *group.front();
    // The call had no effect on the result if all ranks noted the same state.
    if (!first.state.empty() &&
        ranges::all_of(group, [&](const auto* one) { return one->state == first.state; }))
      continue;
    std::set<Rank> ranks;
    for (const Handed::Remark* one : group)
      if (one->rank >= 0) ranks.insert(one->rank);
    Finding out =
        hint_at(Kind::misused_call, {ranks.begin(), ranks.end()},
                fmt::format("{}:{}", first.file.substr(first.file.rfind('/') + 1), first.line));
    if (first.harmless) out.severity = Finding::Severity::hint;
    if (first.harmless && compiled) out.kind = Kind::doubtful_numbers;
    out.what =
        fmt::format("at {}{}: {}", out.site,
                    ranks.empty() ? std::string() : " on " + rank_list(out.ranks), first.what);
    out.why = first.why;
    out.advice = first.advice;
    report.add(std::move(out));
  }
}

const Operation* sent_again(const TraceOperations& facts) {
  return sent_again_in(facts, contents(facts));
}

namespace {

/// Adds hints, and a warning for numbers of bytes that are numbers of elements.
void add_hints(const TraceOperations& facts, const Handed* observed, Report& report) {
  if (facts.platform.empty()) return;  // an algorithm of ours
  if (observed != nullptr) find_wrong_units(facts, *observed, report);
  if (!report.has(Kind::wrong_result)) find_silent(facts, report);
  if (const auto all = contents(facts); all.size() >= 2) {
    find_one_value(facts, all, report);
    find_not_passed_on(facts, all, report);
  }
  find_own_not_used(facts, report);
  add_doubtful_numbers(facts, report);
}

}  // namespace
}  // namespace rankscope::meant

namespace rankscope::finder {

void find_misused(const TraceOperations& facts, Report& report) {
  if (const auto& observed = facts.trace.meta().handed)
    meant::add_remarks(observed->remarks, facts.trace.world_size(),
                       platform_of(facts.platform).compiled, report);
}

void find_meant(const TraceOperations& facts, Report& report) {
  const auto& observed = facts.trace.meta().handed;
  const Finding* const misused = report.first_error(Finding::Kind::misused_call);
  const std::string site = misused == nullptr ? "" : misused->site;
  // Results of calls that do not agree are wrong for that reason.
  if (const auto verdict = report.has(Finding::Kind::mismatched_call)
                               ? std::nullopt
                               : meant::judge(facts.trace.meta()))
    for (Finding finding : verdict->findings) {
      if (finding.kind == Finding::Kind::wrong_result) {
        meant::name_line(facts, *verdict, finding);
        if (!site.empty()) {  // what that call loses explains it better than where it is missing
          if (verdict->lacking.empty()) continue;
          finding.why = fmt::format("The misused call at {} came before.", site);
          finding.advice = fmt::format("Correct {} first, and run again.", site);
        }
      }
      report.add(std::move(finding));
    }
  meant::add_hints(facts, observed ? &*observed : nullptr, report);
}

}  // namespace rankscope::finder
