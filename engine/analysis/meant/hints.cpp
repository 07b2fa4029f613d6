// Finds signs of mistakes in a run of any program; all except numbers of bytes may be intended.
#include "engine/analysis/meant/hints.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_lines.h"
#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text_parts.h"
#include "engine/core/base/utf8.h"
#include "engine/core/run/platform.h"
#include "engine/core/trace/event.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::Report;
using finder::TraceOperations;
using Kind = Finding::Kind;

constexpr std::size_t kMostLooked = 400;        // messages whose contents are read
constexpr std::uint64_t kMostEvents = 100'000;  // of a trace that is replayed to read contents
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
    if (!one.send || one.sync || one.built_in) continue;
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

/// Reports a run in which every rank keeps sending the same data to one peer, although it also receives.
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
  for (const auto& [rank, sends] : by_rank) every.push_back(rank);
  Finding out = hint_at(Kind::not_passed_on, every, facts.site(again.posted));
  out.what = fmt::format("every rank sends the same data in each step{}", facts.at(again.posted));
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

// ---- Calls that the platform carries out otherwise ----

/// Adds the ranks' own remarks on calls that their platform carries out differently than intended.
void add_remarks(const TraceOperations& facts, const Handed& observed, Report& report) {
  std::map<std::tuple<std::string, int, std::string>, std::vector<const Handed::Remark*>> places;
  for (const Handed::Remark& one : observed.remarks)
    if (one.rank >= 0 && one.rank < facts.trace.world_size())
      places[{one.file, one.line, one.why}].push_back(&one);
  for (auto& [place, group] : places) {
    const Handed::Remark& first = *group.front();
    // Where all ranks noted the same state, the call had no effect on the result.
    if (!first.state.empty() &&
        ranges::all_of(group, [&](const auto* one) { return one->state == first.state; }))
      continue;
    std::set<Rank> ranks;
    for (const Handed::Remark* one : group) ranks.insert(one->rank);
    Finding out =
        hint_at(Kind::misused_call, {ranks.begin(), ranks.end()},
                fmt::format("{}:{}", first.file.substr(first.file.rfind('/') + 1), first.line));
    if (first.harmless) out.severity = Finding::Severity::hint;
    if (first.harmless && platform_of(facts.platform).compiled) out.kind = Kind::doubtful_numbers;
    out.what = fmt::format("at {} on {}: {}", out.site, rank_list(out.ranks), first.what);
    out.why = first.why;
    out.advice = first.advice;
    report.add(std::move(out));
  }
}

// ---- Ranks whose data are missing in a result ----

std::vector<const Operation*> own_sends(const TraceOperations& facts, Rank rank) {
  std::vector<const Operation*> out;
  for (const Operation& one : facts.operations)
    if (one.rank == rank && one.send && !one.sync && !one.built_in && one.bytes > 0)
      out.push_back(&one);
  return out;
}

/// The place in the judged function from which a message was sent, perhaps by a helper; else its own.
std::uint32_t site_in(const TraceOperations& facts, std::uint32_t site,
                      const std::string& function) {
  const Definition* const place =
      find_around(facts.trace, Definition::Kind::site, site, [&](const Definition& one) {
        return one.name == (function.empty() ? "<module>" : function);
      });
  return place == nullptr ? site : place->id;
}

bool sends_only_zeros(const TraceOperations& facts, const std::vector<const Operation*>& sends) {
  return facts.trace.size() <= kMostEvents && sends.size() <= kMostLooked &&
         ranges::all_of(sends, [&](const Operation* one) {
           const auto content = content_of(facts.trace, *one);
           return !content.empty() &&
                  ranges::all_of(content, [](std::byte b) { return b == std::byte{0}; });
         });
}

/// Returns the line of the `if` or `elif` directly around the text's line; 0 if there is none.
std::size_t condition_of(const finder::SourceText& text) {
  if (!text.known()) return 0;
  const std::size_t inside = indentation(text.here());
  for (std::size_t line = text.line_number(); line-- > 1;) {
    const std::size_t here = indentation(text.line(line));
    if (here >= inside || text.line(line).substr(here).starts_with('#')) continue;
    const auto word = text.line(line).substr(here);
    return word.starts_with("if ") || word.starts_with("elif ") ? line : 0;
  }
  return 0;
}

/// Where most of the other ranks begin to send; nothing where none does.
const Operation* first_send_of_others(const TraceOperations& facts, const std::vector<Rank>& but) {
  std::map<std::uint32_t, std::pair<int, const Operation*>> by_site;
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank) {
    if (ranges::find(but, rank) != but.end()) continue;
    const auto sends = own_sends(facts, rank);
    if (sends.empty()) continue;
    auto& [times, one] = by_site[sends.front()->site];
    ++times;
    one = sends.front();
  }
  const auto most =
      std::ranges::max_element(by_site, {}, [](const auto& row) { return row.second.first; });
  return most == by_site.end() ? nullptr : most->second.second;
}

void move_to(Finding& finding, const std::string& site, const std::string& addition) {
  const std::string old = "at " + finding.site;
  if (finding.what.starts_with(old)) finding.what.replace(0, old.size(), "at " + site);
  finding.what += "; " + addition;
  finding.site = site;
}

/// Moves a wrong result of a watched array to the only line of the program that changes it, where there is one.
void name_only_write(const TraceOperations& facts, const Verdict& verdict, Finding& finding) {
  if (!platform_of(facts.platform).compiled || !verdict.lacking.empty()) return;
  const std::string watch = "watch(\"" + verdict.data + "\", ";
  for (const Definition& place : facts.trace.definitions(Definition::Kind::site)) {
    const finder::SourceText text(facts.trace, place.id);
    const auto at = text.here().find(watch);
    if (at == std::string_view::npos) continue;
    const auto array = first_name(text.here().substr(at + watch.size()));
    const std::size_t line = array.empty() ? 0 : finder::only_write(text, array);
    // A line that only takes another variable's values is right if that variable is.
    const std::string code = text.code(line);
    const auto taken =
        trimmed(std::string_view(code).substr(std::min(code.find('=') + 1, code.size())));
    if (!taken.empty() && std::ranges::all_of(taken.substr(0, taken.size() - 1), in_name)) return;
    const std::string site = fmt::format("{}:{}", text.file(), line);
    if (line > 0 && site != finding.site)
      move_to(finding, site,
              fmt::format("this is the only line that changes {} after its watch", array));
    return;
  }
}

/// Moves a wrong result of too few steps to the loop around its line.
void name_loop(const TraceOperations& facts, Finding& finding) {
  for (const Definition& place : facts.trace.definitions(Definition::Kind::site)) {
    const finder::SourceText text(facts.trace, place.id);
    if (!text.known() || fmt::format("{}:{}", text.file(), text.line_number()) != finding.site)
      continue;
    if (const auto loop = text.loop_of(text.line_number()); loop > 0)
      move_to(finding, fmt::format("{}:{}", text.file(), loop), "this loop makes too few steps");
    return;
  }
}

/// Moves the finding on a wrong result to where a rank whose data are missing sends only zeros, or would have to send and
/// does not, if the trace shows that.
void name_silent_send(const TraceOperations& facts, const Verdict& verdict, Finding& finding) {
  std::vector<Rank> silent, blank;
  const Operation* zeros = nullptr;
  for (const Rank rank : verdict.lacking) {
    const auto sends = own_sends(facts, rank);
    // A rank's own data come into its own result without a message.
    const bool to_itself = finding.ranks == std::vector<Rank>{rank};
    if (sends.empty() && !to_itself) silent.push_back(rank);
    const auto input = verdict.inputs.find(rank);
    const bool has_data = input != verdict.inputs.end() && !is_blank(input->second);
    if (sends.empty() || !has_data || !sends_only_zeros(facts, sends)) continue;
    blank.push_back(rank);
    zeros = sends.front();
  }
  const auto shown = [&](std::uint32_t site, std::size_t line) {
    const finder::SourceText text(facts.trace, site);
    return fmt::format("{}:{}", text.file(), line > 0 ? line : text.line_number());
  };
  if (zeros != nullptr) {
    const std::uint32_t site = site_in(facts, zeros->site, verdict.function);
    if (!finder::SourceText(facts.trace, site).known()) return;
    move_to(finding, shown(site, 0),
            fmt::format("{} only zeros there",
                        rank_list(blank) + (blank.size() == 1 ? " sends" : " send")));
    finding.why = "The array is sent before the data are in it.";
    finding.advice = "Fill the array before this send, or send the one that has the data.";
    return;
  }
  const Operation* const others = silent.empty() ? nullptr : first_send_of_others(facts, silent);
  if (others == nullptr || silent.size() + 1 >= verdict.inputs.size()) return;
  const std::uint32_t site = site_in(facts, others->site, verdict.function);
  const finder::SourceText text(facts.trace, site);
  if (!text.known()) return;
  const std::size_t condition = condition_of(text);
  move_to(finding, shown(site, condition),
          fmt::format("{} {} nothing, but other ranks send at {}", rank_list(silent),
                      silent.size() == 1 ? "sends" : "send", shown(site, 0)));
  finding.advice =
      condition > 0 ? fmt::format(
                          "Check the condition at {}: {} should send there too, and another rank "
                          "should receive it.",
                          shown(site, condition), rank_list(silent))
                    : fmt::format("Add a send on {}, and its receive.", rank_list(silent));
}

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
    meant::add_remarks(facts, *observed, report);
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
        meant::name_silent_send(facts, *verdict, finding);
        meant::name_only_write(facts, *verdict, finding);
        if (verdict->in_loop) meant::name_loop(facts, finding);
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
