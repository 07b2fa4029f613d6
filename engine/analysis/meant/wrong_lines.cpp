// Finds the line that makes a result wrong: by the messages, and in C++ by the text.
#include "engine/analysis/meant/wrong_lines.h"

#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/findings/source_lines.h"
#include "engine/analysis/findings/source_peers.h"
#include "engine/analysis/meant/hints.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"
#include "engine/core/trace/event.h"

namespace rankscope::meant {
namespace {

using finder::Operation;
using finder::SourceText;
using finder::TraceOperations;

void move_to(Finding& finding, const std::string& site, const std::string& addition) {
  const std::string old = "at " + finding.site;
  if (finding.what.starts_with(old)) finding.what.replace(0, old.size(), "at " + site);
  finding.what += "; " + addition;
  finding.site = site;
}

/// Returns the program's only place for which `say` returns something; nothing if there are several.
template <class Say>
Guess only_line(const Trace& trace, const Say& say) {
  Guess found;
  std::set<std::string> files;
  for (const Definition& site : trace.definitions(Definition::Kind::site)) {
    if (!files.insert(site.file).second) continue;
    const SourceText text(trace, site.id);
    for (std::size_t line = 1; line <= text.size(); ++line)
      if (Guess one = say(text, line)) {
        if (found) return std::nullopt;
        found = std::move(one);
        found->site = text.site(line);
      }
  }
  return found;
}

bool is_all_zero(const Verdict& verdict) {
  return verdict.lacking.size() == verdict.inputs.size() &&
         ranges::all_of(verdict.wrong, [](const auto& one) { return one.got == 0; });
}

Guess quotient_is_zero(const TraceOperations& facts, const Verdict& verdict) {
  if (!is_all_zero(verdict)) return std::nullopt;
  constexpr std::string_view kBefore = "=(<,*";
  return only_line(facts.trace, [&](const SourceText& text, std::size_t line) -> Guess {
    const std::string code = text.code(line);
    for (auto at = code.find_first_of(kBefore); at != code.npos;
         at = code.find_first_of(kBefore, at + 1))
      if (const auto one = finder::division_in(text, std::string_view(code).substr(at + 1), 0,
                                               facts.trace.world_size());
          one && as_number<int>(one->dividend) && one->total > 0 && one->total < one->parts)
        return Place{{},
                     fmt::format("{} / {} is 0 there", one->dividend, one->divisor),
                     "Both are whole numbers, and the quotient loses its fraction.",
                     fmt::format("Divide {}.0 by {}.", one->dividend, one->divisor)};
    return std::nullopt;
  });
}

/// A division of an element of whole numbers by the number of ranks.
Guess divides_whole(const SourceText& text, std::size_t line, int size) {
  static const std::regex kDivision(R"([=(,{]\s*((\w+)(\[\w+\])?) / ([^;]+);)");
  static const std::regex kWhole(
      R"((^|\W)(unsigned|short|int|long|(std::)?(u?int\d+_t|size_t))>?$)");
  const std::string code = text.code(line);
  std::smatch found;
  if (!std::regex_search(code, found, kDivision) ||
      finder::known_value_of(text, found[4].str(), 0, size) != size)
    return std::nullopt;
  const std::string name = found[2].str();
  const std::regex declared(R"(([\w:]+(?:<[\w: ]+>)?)[&>]* )" + name + R"(\b)");
  const std::string type = finder::line_above(text, line, declared).second;
  if (!std::regex_search(type, kWhole)) return std::nullopt;
  return Place{{},
               fmt::format("{} is {} there, and is divided as whole numbers are", name, type),
               {},
               fmt::format("Divide as a double: static_cast<double>({}) / {}.", found[1].str(),
                           found[4].str())};
}

Guess sum_is_whole(const TraceOperations& facts, const Verdict& verdict) {
  const auto is_whole = [](double value) { return value == static_cast<double>(Count(value)); };
  if (is_all_zero(verdict) || ranges::any_of(verdict.wrong, [&](const auto& one) {
        return !is_whole(one.got) || is_whole(one.expected);
      }))
    return std::nullopt;
  return only_line(facts.trace, [&](const SourceText& text, std::size_t line) -> Guess {
    constexpr std::string_view kSum = "accumulate";
    const std::string code = text.code(line);
    const auto at = find_name(code, kSum);
    if (at == code.npos) return divides_whole(text, line, facts.trace.world_size());
    const auto arguments = finder::arguments_of(std::string_view(code).substr(at + kSum.size()));
    if (arguments.empty() || !as_number<int>(arguments.back())) return std::nullopt;
    return Place{
        {},
        fmt::format("the sum begins there with {}, an int", arguments.back()),
        {},
        fmt::format("Begin it with {}.0: std::accumulate adds in the type that it begins with.",
                    arguments.back())};
  });
}

Guess begins_unwritten(const TraceOperations& facts, const Verdict& verdict) {
  static const std::regex kNew(R"(\b(new \w+\[[^\]]+\])[^({]|\b(malloc)\()");
  if (!verdict.unwritten) return std::nullopt;
  return only_line(facts.trace, [](const SourceText& text, std::size_t line) -> Guess {
    const std::string code = text.code(line);
    std::smatch found;
    if (!std::regex_search(code, found, kNew)) return std::nullopt;
    const bool is_new = found[1].matched;
    return Place{{},
                 fmt::format("{} sets nothing there", is_new ? found[1].str() : "malloc()"),
                 {},
                 is_new
                     ? fmt::format("Write {}() there: the brackets set zeros.", found[1].str())
                     : "Set the elements to zero there, as calloc() does, or use a std::vector."};
  });
}

// A sum of what came that begins with zeros, and whose values the result takes: the rank's own data are not in it.
Guess sums_others_only(const TraceOperations& facts, const Verdict& verdict) {
  static const std::regex kMade(R"(vector<[^;]*> (\w+)\([^;{}]+, 0(\.0?)?[fFL]?\);)");
  if (!verdict.repeated.empty() || verdict.lacking != std::vector{verdict.wrong.front().rank})
    return std::nullopt;
  return only_line(facts.trace, [&](const SourceText& text, std::size_t line) -> Guess {
    const std::string code = text.code(line);
    std::smatch found;
    const auto function = finder::function_at(text, line);
    if (!function || !std::regex_search(code, found, kMade) ||
        ranges::none_of(facts.operations, [&](const Operation& one) {
          const SourceText call(facts.trace, one.site);
          return !one.send && call.file() == text.file() &&
                 finder::function_at(call, call.line_number()) == function;
        }))
      return std::nullopt;
    const std::string name = found[1].str();
    const std::regex adds("\\b" + name + R"(\[[^;=]*\] \+= )"),
        taken("[^-+*/=!<>]= " + name + "\\b");
    bool is_added = false, is_taken = false;
    for (std::size_t at = line + 1; at <= text.size(); ++at) {
      const std::string next = text.code(at);
      is_added = is_added || std::regex_search(next, adds);
      is_taken = is_taken || (is_added && std::regex_search(next, taken));
    }
    if (!is_taken) return std::nullopt;
    return Place{{},
                 name + " begins with zeros there",
                 {},
                 fmt::format("Let {} begin with the rank's own data.", name)};
  });
}

// Looks for a loop over all ranks on the rank whose sum begins with its own data.
Guess adds_itself(const TraceOperations& facts, const Verdict& verdict) {
  static const std::regex kLoop(R"(for \(int (\w+) = 0; \1 < ([^;]+); )");
  if (verdict.repeated.size() != 1) return std::nullopt;
  const int size = facts.trace.world_size();
  return only_line(facts.trace, [&](const SourceText& text, std::size_t line) -> Guess {
    const std::string head = text.code(line);
    std::smatch loop;
    if (!std::regex_search(head, loop, kLoop) ||
        finder::known_value_of(text, loop[2].str(), 0, size) != size)
      return std::nullopt;
    std::string body = head;
    for (auto at = line + 1; indentation(text.line(at)) > indentation(head); ++at)
      body += text.code(at);
    // A condition may leave the rank out, and a send adds nothing.
    if (!has_name(body, verdict.data) || has_name(body, "if") || has_name(body, "send") ||
        body.find('?') != body.npos)
      return std::nullopt;
    const auto turns = body.find(") ", std::min(body.find("++" + loop[1].str()), body.size()));
    if (turns != body.npos && !has_name(body.substr(turns), loop[1].str()))
      return Place{{},
                   "this loop makes as many turns as there are ranks",
                   {},
                   "Let it make one turn less: with the last one, a rank's own data come back."};
    return Place{
        {},
        "this loop goes through all ranks, also the one whose own data the sum begins with",
        {},
        fmt::format("Leave rank {} out of the loop: its data are in {} before it begins.",
                    verdict.repeated.front(), verdict.data)};
  });
}

Guess sends_the_same(const TraceOperations& facts, const Verdict& verdict) {
  const Operation* const again = verdict.repeated.empty() ? nullptr : sent_again(facts);
  if (again == nullptr) return std::nullopt;
  const SourceText text(facts.trace, again->site);
  Place place{facts.site(again->posted),
              "every rank sends the same data in each step",
              {},
              "Send in the next step what was received in this one."};
  const std::string name(first_name(finder::call_text_of(text, text.line_number(), true).data));
  const auto loop = text.loop_of(text.line_number());
  for (auto line = text.line_number(); loop > 0 && line-- > loop + 1;) {
    const std::string code = text.code(line);
    const auto at = find_name(code, name);
    if (at == code.npos ||
        !finder::assigns(trimmed(std::string_view(code).substr(at + name.size()))))
      continue;
    place.site = text.site(line);
    place.words += fmt::format(": {} is set again there in each turn", name);
    place.advice =
        fmt::format("Give {} that value once, before the loop; in it, send what came in.", name);
    break;
  }
  return place;
}

Guess same_partner_again(const TraceOperations& facts, const Verdict& verdict) {
  if (verdict.repeated.empty()) return std::nullopt;
  const Operation *first = nullptr, *second = nullptr;
  for (Rank rank = 0; rank < facts.trace.world_size(); ++rank) {
    const auto sends = own_sends(facts, rank);
    if (sends.size() < 2 ||
        ranges::any_of(sends, [&](const auto* one) { return one->peer != sends[0]->peer; }))
      return std::nullopt;
    first = sends[0], second = sends[1];
  }
  if (first == nullptr) return std::nullopt;
  const SourceText text(facts.trace, first->site), other(facts.trace, second->site);
  auto lines = finder::calls_of(text, text.line_number());
  if (first->site != second->site) lines = {text.line_number(), other.line_number()};
  if (lines.size() != 2 || text.file() != other.file()) return std::nullopt;
  return Place{
      text.site(lines.back()),
      "every rank sends there to the same rank as at " + text.site(lines.front()),
      "What comes from that rank the second time has data that came the first time, too.",
      "Exchange with another rank in the second step: one whose data are not in the sum yet."};
}

// Looks for a rank that collects the data of all while another, which has received nothing, sends out its own.
Guess other_root(const TraceOperations& facts, const Verdict& verdict) {
  const int size = facts.trace.world_size();
  if (size < 3 || std::ssize(verdict.lacking) + 1 != size) return std::nullopt;
  std::map<Rank, std::map<Rank, const Operation*>> received;  // the first from each rank
  for (const Operation& one : facts.operations)
    if (!one.send && !one.sync && !one.built_in && one.partner != finder::kNone)
      received[one.rank].emplace(facts.operations[one.partner].rank, &one);
  const auto collects = ranges::find_if(
      received, [&](const auto& one) { return std::ssize(one.second) + 1 == size; });
  if (collects == received.end()) return std::nullopt;
  for (const auto& [source, data] : verdict.inputs) {
    const auto sends = own_sends(facts, source);
    if (ranges::find(verdict.lacking, source) != verdict.lacking.end() || sends.empty() ||
        received.contains(source))
      continue;
    const auto called = [&](const Operation& one) {
      const SourceText text(facts.trace, one.site);
      const auto lines = finder::calls_of(text, text.line_number());
      return text.site(lines.size() == 1 ? lines[0] : text.line_number());
    };
    return Place{
        called(*sends.back()),
        fmt::format("rank {} hands out its own data there; rank {} has those of all, from {}",
                    source, collects->first, called(*collects->second.begin()->second)),
        "The two have different roots.",
        fmt::format("Hand out from rank {}, which has the result: give both the same root.",
                    collects->first)};
  }
  return std::nullopt;
}

// Looks for blocks of different lengths that begin where blocks of equal length would.
Guess blocks_overlap(const TraceOperations& facts, const Verdict& verdict) {
  std::set<std::pair<Count, Count>> blocks;  // of elements: the first, and the one behind the last
  for (const Operation& one : facts.operations) {
    const auto* const buffer = facts.trace.definition(Definition::Kind::buffer, one.buffer);
    if (!one.send || one.sync || one.built_in || buffer == nullptr || buffer->name != verdict.data)
      continue;
    const Range sent = elements_at(*buffer, one.offset, one.bytes);
    blocks.emplace(sent.offset, sent.end());
  }
  const auto two = std::ranges::adjacent_find(blocks, [](const auto& one, const auto& next) {
    return one.first < next.first && next.first < one.second && one.second < next.second;
  });
  if (two == blocks.end()) return std::nullopt;
  // The line that multiplies by a quotient: "index * (count / parts)", "index * base_" with "base_(count / parts)".
  static const std::regex kQuotient(R"((\w+)(?: = |\()[^;()]* / )"),
      kInLine(R"(\* \([^()+]+ / [^()+]+\))");
  const auto begins = only_line(facts.trace, [&](const SourceText& text, std::size_t line) {
    const std::string code = text.code(line);
    std::smatch quotient;
    if (std::regex_search(code, kInLine)) return Guess(Place{});
    for (std::size_t other = 1; code.find("* ") != code.npos && other <= text.size(); ++other)
      if (const std::string made = text.code(other);
          std::regex_search(made, quotient, kQuotient) &&
          code.find("* " + quotient[1].str()) != code.npos)
        return Guess(Place{});
    return Guess();
  });
  const auto& [one, next] = std::pair(*two, *std::next(two));
  return Place{
      begins ? begins->site : std::string(),
      fmt::format("blocks that are sent overlap: elements {} to {}, and {} to {}", one.first,
                  one.second - 1, next.first, next.second - 1),
      "Where blocks have different lengths, each has to begin where the one before ends.",
      "Let block r begin at r * (count / ranks) + min(r, count % ranks), if the first blocks "
      "are longer by one."};
}

// ---- Ranks whose data are missing ----

/// Returns the place in the judged function from which a message was sent, directly or by a helper; else the message's own.
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
std::size_t condition_of(const SourceText& text) {
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

/// The loop over distances 1, 2, 4 ... around a condition that ends before some ranks send there, though there are ranks at
/// the next distance.
Guess ends_too_near(const SourceText& text, std::size_t condition, const std::vector<Rank>& silent,
                    int size) {
  static const std::regex kLoop(
      R"(for \(\w+ (\w+) = 1; ([^;]+) < ([^;]+); (?:\1 \*= 2|\1 <<= 1)\))"),
      kCondition(R"(if \((.+) == (.+)\) ?\{?$)");
  const std::size_t line = text.loop_of(condition);
  const std::string head = text.code(line), test = text.code(condition);
  std::smatch loop, asks;
  if (!std::regex_search(head, loop, kLoop) || !std::regex_search(test, asks, kCondition))
    return std::nullopt;
  const std::regex name("\\b" + loop[1].str() + "\\b");
  int distance = 1;
  const auto value = [&](const auto& expression, Rank rank) {
    return finder::known_value_of(
        text, std::regex_replace(expression.str(), name, std::to_string(distance)), rank, size);
  };
  for (; distance < size; distance *= 2) {
    const auto left = value(loop[2], 0), right = value(loop[3], 0);
    if (!left || !right) return std::nullopt;
    if (*left >= *right) break;
  }
  if (distance >= size || ranges::any_of(silent, [&](Rank rank) {
        const auto left = value(asks[1], rank);
        return !left || left != value(asks[2], rank);
      }))
    return std::nullopt;
  return Place{
      text.site(line),
      fmt::format("the loop ends there before {} is {}, with which {} would send", loop[1].str(),
                  distance, rank_list(silent)),
      {},
      fmt::format("Let it go on as long as {} is less than the number of ranks.", loop[1].str())};
}

/// Returns a first send at the place where most of the other ranks send first; null if none sends.
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

/// Moves a wrong result of a watched array to the only line of the program that changes it, if there is one.
void name_only_write(const TraceOperations& facts, const Verdict& verdict, Finding& finding) {
  if (!platform_of(facts.platform).compiled || !verdict.lacking.empty()) return;
  const std::string watch = "watch(\"" + verdict.data + "\", ";
  for (const Definition& place : facts.trace.definitions(Definition::Kind::site)) {
    const SourceText text(facts.trace, place.id);
    const auto at = text.here().find(watch);
    if (at == std::string_view::npos) continue;
    const auto array = first_name(text.here().substr(at + watch.size()));
    const std::size_t line = array.empty() ? 0 : finder::only_write(text, array);
    // A line that only takes another variable's values is right if that variable is.
    const std::string code = text.code(line);
    const auto taken = trimmed(std::string_view(code).substr(code.find('=') + 1));
    if (!taken.empty() && std::ranges::all_of(taken.substr(0, taken.size() - 1), in_name)) return;
    const std::string site = text.site(line);
    if (line > 0 && site != finding.site)
      move_to(finding, site,
              fmt::format("this is the only line that changes {} after its watch", array));
    return;
  }
}

/// Moves a wrong result of too few steps to the loop around its line.
void name_loop(const TraceOperations& facts, Finding& finding) {
  for (const Definition& place : facts.trace.definitions(Definition::Kind::site)) {
    const SourceText text(facts.trace, place.id);
    if (!text.known() || text.site(text.line_number()) != finding.site) continue;
    if (const auto loop = text.loop_of(text.line_number()); loop > 0)
      move_to(finding, text.site(loop), "this loop makes too few steps");
    return;
  }
}

/// Moves the finding on a wrong result to the place where a rank whose data are missing sends only zeros, or should send and
/// does not, if the trace shows one.
void name_silent_send(const TraceOperations& facts, const Verdict& verdict, Finding& finding) {
  std::vector<Rank> silent, blank;
  const Operation* zeros = nullptr;
  for (const Rank rank : verdict.lacking) {
    const auto sends = own_sends(facts, rank);
    // A rank's own data reach its result without a message.
    const bool to_itself = finding.ranks == std::vector<Rank>{rank};
    if (sends.empty() && !to_itself) silent.push_back(rank);
    const auto input = verdict.inputs.find(rank);
    const bool has_data = input != verdict.inputs.end() && !is_blank(input->second);
    if (sends.empty() || !has_data || !sends_only_zeros(facts, sends)) continue;
    blank.push_back(rank);
    zeros = sends.front();
  }
  if (zeros != nullptr) {
    const SourceText text(facts.trace, site_in(facts, zeros->site, verdict.function));
    if (!text.known()) return;
    move_to(finding, text.site(text.line_number()),
            fmt::format("{} only zeros there",
                        rank_list(blank) + (blank.size() == 1 ? " sends" : " send")));
    finding.why = "The array is sent before the data are in it.";
    finding.advice = "Fill the array before this send, or send the one that has the data.";
    return;
  }
  const Operation* const others = silent.empty() ? nullptr : first_send_of_others(facts, silent);
  if (others == nullptr || silent.size() + 1 >= verdict.inputs.size()) return;
  const SourceText text(facts.trace, site_in(facts, others->site, verdict.function));
  if (!text.known()) return;
  const std::size_t condition = condition_of(text);
  if (const auto loop = ends_too_near(text, condition, silent, facts.trace.world_size())) {
    move_to(finding, loop->site, loop->words);
    finding.advice = loop->advice;
    return;
  }
  const std::string ranks = rank_list(silent);
  move_to(finding, text.site(condition > 0 ? condition : text.line_number()),
          fmt::format("{} {} nothing, but other ranks send at {}", ranks,
                      silent.size() == 1 ? "sends" : "send", text.site(text.line_number())));
  finding.advice = condition > 0 ? fmt::format(
                                       "Check the condition at {}: {} should send there "
                                       "too, and another rank should receive it.",
                                       finding.site, ranks)
                                 : fmt::format("Add a send on {}, and its receive.", ranks);
}

}  // namespace

void name_line(const TraceOperations& facts, const Verdict& verdict, Finding& finding) {
  if (platform_of(facts.platform).compiled && !verdict.wrong.empty())
    for (auto* const search :
         {&quotient_is_zero, &begins_unwritten, &sum_is_whole, &blocks_overlap, &sends_the_same,
          &same_partner_again, &other_root, &adds_itself, &sends_partial, &stores_elsewhere,
          &begins_empty, &sums_others_only, &meets_itself, &starts_elsewhere})
      if (const Guess place = search(facts, verdict)) {
        move_to(finding, place->site.empty() ? finding.site : place->site, place->words);
        if (!place->why.empty()) finding.why = place->why;
        finding.advice = place->advice;
        return;
      }
  name_silent_send(facts, verdict, finding);
  name_only_write(facts, verdict, finding);
  if (verdict.in_loop) name_loop(facts, finding);
}

}  // namespace rankscope::meant
