// Finds signs of mistakes in a run of any program; all except numbers of bytes may be intended.
#include "engine/analysis/meant/hints.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/event.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::Report;
using finder::TraceOperations;
using Kind = Finding::Kind;

constexpr std::size_t kMostLooked = 400;        // messages whose contents are looked at
constexpr std::uint64_t kMostEvents = 100'000;  // of a trace that is gone back in for them
constexpr std::size_t kMostSource = 400'000;

bool is_message(const Operation& one) { return !one.sync; }

Finding hint_at(Kind kind, std::vector<Rank> ranks, std::string site) {
  Finding out(kind);
  out.events.assign(ranks.size(), kNoEvent);
  out.ranks = std::move(ranks);
  out.site = std::move(site);
  return out;
}

// ---- Ranks without data ----

void find_silent(const TraceOperations& facts, Report& report) {
  const int ranks = facts.trace.world_size();
  if (ranks < 2) return;
  std::set<Rank> busy;
  for (const Operation& one : facts.operations)
    if (is_message(one) && one.bytes > 0) {
      busy.insert(one.rank);
      if (one.peer >= 0) busy.insert(one.peer);
    }
  std::vector<Rank> silent;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (!busy.contains(rank)) silent.push_back(rank);
  if (silent.empty()) return;
  std::string site;
  for (const BuiltInCall& call : facts.calls)
    if (site.empty()) site = facts.site(call.begins);
  Finding out = hint_at(Kind::no_data_sent, silent, busy.empty() ? site : "");
  out.what = busy.empty() ? fmt::format("all {} ranks joined and sent nothing", ranks)
                          : fmt::format("{} joined, sent nothing and received nothing",
                                        finder::rank_list(silent));
  out.why = busy.empty()
                ? "No message has any data, so each rank's result is made of its own data alone."
                : "No data of theirs are in any other rank's result.";
  out.advice = "If they should take part: send their data, or call the collective on every rank.";
  report.add(std::move(out));
}

// ---- Contents ----

/// The contents of a message; empty where they are not known.
std::vector<std::byte> content_of(const Trace& trace, const Operation& send) {
  const auto* buffer = trace.definition(Definition::Kind::buffer, send.buffer);
  if (buffer == nullptr) return {};
  for (const BufferState& state : trace.seek(send.posted + 1)) {
    if (state.buffer != send.buffer) continue;
    const Count count = count_of(*buffer);
    const Range samples = Sampling(count).within(elements_at(*buffer, send.offset, send.bytes));
    const auto size = static_cast<Count>(dtype_size(buffer->dtype));
    if (samples.count <= 0 || samples.end() > std::ssize(state.known)) return {};
    for (Count s = samples.offset; s < samples.end(); ++s)
      if (!state.known[static_cast<std::size_t>(s)]) return {};
    return {state.samples.begin() + samples.offset * size,
            state.samples.begin() + samples.end() * size};
  }
  return {};
}

struct Sent {
  const Operation* operation;
  std::vector<std::byte> content;
};

/// The program's own sends with their contents; empty where some are not known, or too large.
std::vector<Sent> contents(const TraceOperations& facts) {
  std::vector<Sent> out;
  if (facts.trace.size() > kMostEvents) return {};
  for (const Operation& one : facts.operations) {
    if (!one.send || one.sync || one.built_in) continue;
    if (out.size() == kMostLooked) return {};
    out.push_back({&one, content_of(facts.trace, one)});
    if (out.back().content.empty()) return {};
  }
  return out;
}

/// The number that all elements equal; nothing where they differ.
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
  if (first.operation->dtype == DType::uint8) return;  // bytes of whatever
  const auto size = dtype_size(first.operation->dtype);
  const bool zero =
      std::all_of(first.content.begin(), first.content.begin() + static_cast<std::ptrdiff_t>(size),
                  [](std::byte b) { return b == std::byte{0}; });
  const bool long_enough =
      ranges::any_of(all, [&](const Sent& one) { return one.content.size() > size; });
  if (!zero && !long_enough) return;  // a number that all ranks have may well be one
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

/// Whether every rank sends the same data to one peer again and again, though it receives as often.
void find_not_passed_on(const TraceOperations& facts, const std::vector<Sent>& all,
                        Report& report) {
  const int ranks = facts.trace.world_size();
  if (ranks < 3) return;
  std::map<Rank, std::vector<const Sent*>> by_rank;
  std::map<Rank, int> received;
  std::set<std::vector<std::byte>> different;
  for (const Sent& sent : all) {
    by_rank[sent.operation->rank].push_back(&sent);
    different.insert(sent.content);
  }
  for (const Operation& one : facts.operations)
    if (!one.send && !one.sync && !one.built_in && one.matched != kNoEvent) ++received[one.rank];
  if (std::ssize(by_rank) != ranks || different.size() < 2) return;
  for (const auto& [rank, sends] : by_rank) {
    if (sends.size() < 2 || received[rank] < 2) return;
    for (const Sent* one : sends)
      if (one->content != sends.front()->content ||
          one->operation->peer != sends.front()->operation->peer)
        return;
  }
  const Operation& again = *by_rank.begin()->second[1]->operation;
  std::vector<Rank> every;
  for (Rank rank = 0; rank < ranks; ++rank) every.push_back(rank);
  Finding out = hint_at(Kind::not_passed_on, every, facts.site(again.posted));
  out.what = fmt::format(
      "every rank sends the same data in each step{}: what it receives and adds is never passed on",
      facts.at(again.posted));
  out.why =
      "So no rank's data come further than to its neighbour, which gets them again in each step.";
  out.advice =
      "Send in the next step what was received in this one (or the chunk that was just added to).";
  report.add(std::move(out));
}

// ---- Bytes that a program prints ----

struct Counts {
  std::uint64_t elements = 0, bytes = 0;
};

/// The numbers that a program may mean by "bytes": of each message, of each rank, of all.
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
          "at {}: the program prints {} bytes; that many elements were counted, and they have {} "
          "bytes",
          out.site, said, elements->bytes);
      out.why = fmt::format("The line that it prints: \"{}\".", line.text.substr(0, 80));
      out.advice = "Count bytes: in torch t.numel() * t.element_size(), in NumPy a.nbytes.";
      report.add(std::move(out));
      return;
    }
}

// ---- A built-in where an own function was meant ----

std::string bare(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

void find_own_not_used(const TraceOperations& facts, Report& report) {
  if (facts.calls.empty()) return;
  static const std::regex kFunction(R"((?:^|\n)[ \t]*def (\w+)\()");
  std::vector<std::string> own;
  for (const auto& [file, text] : facts.trace.meta().sources)
    if (text.size() < kMostSource)
      for (std::sregex_iterator at(text.begin(), text.end(), kFunction), end; at != end; ++at)
        own.push_back((*at)[1]);
  std::set<std::string> run;  // functions that send by themselves, and those that call them
  for (const Operation& one : facts.operations)
    if (!one.built_in && !one.sync)
      for (auto& caller : callers_of(facts.trace, one.site)) run.insert(std::move(caller.function));
  for (const Delegation& one : delegations(facts.trace)) {
    if (one.callers.empty()) continue;
    const auto fits = [&](const std::string& name) {
      return bare(name).find(bare(one.name)) != std::string::npos;
    };
    const auto caller = ranges::find(own, one.callers.front().function);
    const bool inside = caller != own.end() && fits(*caller);
    // One that is named for the platform is meant to be the built-in.
    if (inside && bare(*caller).find(bare(facts.platform)) != std::string::npos) continue;
    const auto function = inside ? caller : ranges::find_if(own, fits);
    if (function == own.end() || (!inside && ranges::any_of(own, [&](const std::string& name) {
          return fits(name) && run.contains(name);
        })))
      continue;
    Finding out = hint_at(Kind::own_not_used, one.ranks, one.callers.front().site);
    out.what =
        inside ? fmt::format("{} is made of the built-in {} at {}", *function, one.name, out.site)
               : fmt::format("the built-in {} is called at {}, though the file has a function {}",
                             one.name, out.site, *function);
    out.why = inside ? "So it is the library's algorithm that runs, not one of its own."
                     : "So the file's own function does not run there.";
    out.advice =
        inside ? "Write it with send and recv, if the algorithm itself is what is to be written."
               : fmt::format("Call {} there, if that is what is to be tried.", *function);
    report.add(std::move(out));
    if (!inside) return;
  }
}

}  // namespace

void add_hints(const TraceOperations& facts, const Handed* observed, Report& report) {
  if (facts.platform.empty()) return;  // an algorithm of ours
  if (observed != nullptr) find_wrong_units(facts, *observed, report);
  if (!report.has(Kind::wrong_result)) find_silent(facts, report);
  if (const auto all = contents(facts); all.size() >= 2) {
    find_one_value(facts, all, report);
    find_not_passed_on(facts, all, report);
  }
  find_own_not_used(facts, report);
}

}  // namespace rankscope::meant

namespace rankscope::finder {

void find_meant(const TraceOperations& facts, Report& report) {
  const auto& observed = facts.trace.meta().handed;
  if (const auto verdict = meant::judge(facts.trace.meta()))
    for (const Finding& finding : verdict->findings) report.add(finding);
  meant::add_hints(facts, observed ? &*observed : nullptr, report);
}

}  // namespace rankscope::finder
