// Cuts what people type into words.
#include "gui/state/run/plain_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Letters that are typed or pasted in place of plain ones.
constexpr Word kLetters[] = {
    {" per second", "/s"}, {" a second", "/s"}, {"/sec", "/s"},  {"\u2019s ", " "},
    {"'s ", " "},          {"\u00D7", "x"},     {"\u2013", "-"}, {"\u2014", "-"},
    {"\u2011", "-"},       {"\u2212", "-"},     {"\u2194", "-"}, {"\u00B5", "u"},
    {"\u03BC", "u"},       {"\u2019", ""},      {"'", ""},       {"\u2026", "..."}};

// Names of several words, joined before the text is cut into words.
constexpr Word kJoined[] = {
    {"what if",
     "why not|why dont|why doesnt|why cant|why wouldnt|why shouldnt|dont we|dont they|doesnt it"},
    {"float64", "64-bit floats|64 bit floats|64-bit|double precision"},
    {"double_tree", "double binary tree|double tree"},
    {"two_level_ring", "two level ring|two-level ring"},
    {"one_shot", "one shot|one-shot"},
    {"two_shot", "two shot|two-shot"},
    {"p2p", "point-to-point|point to point"},
    {"alltoall", "all to all|all-to-all"},
    {"allreduce", "all reduce|all-reduce"},
    {"allgather", "all gather|all-gather"},
    {"reduce_scatter", "reduce scatter|reduce-scatter"},
    {"rabenseifner", "halving-doubling|reduce-scatter and allgather|reduce_scatter and allgather"},
    {"halving", "recursive halving"},
    {",", "i mean"},
    {"recursive-doubling", "recursive doubling"},
    {"two-level", "two level"},
    {"binomial", "binomial tree"},
    {"added", "added up"},
    {"fattree", "fat tree"},
    {"fully-connected", "fully connected|full mesh"},
    {"hypercube", "hyper cube"},
    {"torus-2d", "2d torus"},
    {"torus-3d", "3d torus"},
    {"counterclockwise", "counter-clockwise|anti-clockwise|counter clockwise|anti clockwise"},
    {"from last",
     "last one has|last rank has|last one starts|last rank starts|last one begins|last rank begins|"
     "last one sends|last rank sends"},
    {"nonblocking", "non blocking|non-blocking"},
    {"ranks =", "world size"},
    {"mesh",
     "torus without wrap-around|torus without wraparound|without the wrap-around links|without the "
     "wraparound links|without wrap-around links|without wraparound links|without wrap-around|"
     "without wraparound"},
    {"odd-number", "odd number of ranks|odd number of processes"},
    {"no-power",
     "not a power of two|no power of two|isnt a power of two|not a power of 2|no power of 2|"
     "isnt a power of 2|not powers of two|not powers of 2"},
    {"instead-of", "instead of|rather than|as opposed to|in place of"},
    {"other direction", "which way|which direction|either way|either direction|both ways"},
    {"renumber", "number the ranks|number them|number the processes"},
};

// Names here (a collective, an algorithm's short name, an operator, a mode, a number), and common words for each.
constexpr Word kSynonyms[] = {
    {"broadcast", "bcast"},
    {"flat", "star naive naively"},
    {"bde", "butterfly recursive-doubling hypercube"},
    {"hierarchical", "two-level"},
    {"sum", "added add"},
    {"product", "multiplied multiply multiplying prod"},
    {"max", "maximum greatest"},
    {"min", "minimum least"},
    {"avg", "average averaged mean"},
    {"rendezvous", "synchronous synchronously ready handshake acknowledged acknowledgement ack"},
    {"float32", "float floats"},
    {"int32", "int ints"},
    {"inproc", "threads"},
    {"simulated", "simulate simulation"},
    {"buffered", "eager asynchronous async nonblocking"},
    {"left", "anticlockwise counterclockwise leftwards leftward"},
    {"right", "clockwise rightwards rightward"},
    {"1", "single"},
    {"2", "couple"},
};

// Numbers that stand for a kind of numbers, unless the words say one: "an odd number of ranks, like 7".
constexpr Word kExamples[] = {{"odd-number", "5"}, {"no-power", "6"}};

// Numbers in words: those that are added to tens ("sixty four"), tens, and those that multiply ("four thousand").
constexpr std::string_view kUnits[] = {"",        "one",     "two",       "three",    "four",
                                       "five",    "six",     "seven",     "eight",    "nine",
                                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::string_view kTens[] = {"twenty", "thirty",  "forty",  "fifty",
                                      "sixty",  "seventy", "eighty", "ninety"};
constexpr std::pair<std::string_view, double> kMultiples[] = {{"dozen", 12},     {"hundred", 100},
                                                              {"thousand", 1e3}, {"k", 1e3},
                                                              {"million", 1e6},  {"billion", 1e9}};

// Words that change nothing.
constexpr std::string_view kNoise =
    "theyre thats whats whos youre weve theyve id wed youd theyd im ive what if how long does do "
    "did would will be is are was were gets get becomes have had has we they there theres it its "
    "takes take i you the a an about happens when only just now please for each using use uses run "
    "runs compare compares compared show me could can should let lets make this that these those "
    "of at in by over with which every our give sends send sent try put taking suppose say comes "
    "come goes go going ran need needs still number count per swap replace replaced ethernet "
    "infiniband precision change changes changed really so here hear happen possible connected "
    "computer machine always why than others rest look looks seem seems start starting begin turn "
    "turned ones maybe might may my itself directly yes ok";

// These begin a clause that asks for a result, alone or before a pronoun: "is that slower", "wasn't it".
constexpr std::string_view kAuxiliaries =
    "is are was were do does did would will isnt arent wasnt werent dont doesnt didnt wouldnt wont";
constexpr std::string_view kPronouns = "it that this they we you there i those these";
// These begin a clause, which says something of its own.
constexpr std::string_view kConjunctions = "if when like say so but";

// At the beginning of a clause these words are no negations: "isn't a tree faster?"
constexpr std::string_view kAsking =
    "isnt arent wasnt werent cant couldnt wouldnt shouldnt hasnt havent didnt";

// Words that may stand beside a word that names a change; alone they are refused.
constexpr std::string_view kOrdinary =
    "work works worked better worse best good bad also already again all any both everyone "
    "everybody anybody everything anything something someone somebody whole entire total same "
    "costs cost until till while before after during between because since once ever often receive "
    "receives received receiver receivers recv matching match other another one hang hangs sit "
    "sits sitting attached plugged wired lies live lives stay stays keep keeps kept made makes "
    "help helps matter matters scale scales hold holds held own owns know knows knew think means "
    "see seen want wants wanted like likely useful worth pay pays win wins lose loses beat beats "
    "finish finishes finished done end ends first last next time times second actually simply "
    "truly quite rather very pretty even yet probably exactly steps step rounds round difference "
    "differences differ differs result results outcome effect effects impact affect affects "
    "influence upgrade upgraded install installed require requires required become named numbered "
    "called as well easy hard into reach reaches speedup case version thing things kind sort way "
    "part parts stuff question answer algorithm collective program job example system setup "
    "machines server servers data-center datacenter communicate communicates communication talk "
    "talks exchange exchanges pass passes passed forward forwards transfer transfers transmit "
    "arrive arrives overall instead their them him her his mine your who whom whose where much "
    "many some few lot lots huge tiny real realistic normal usual typical modern old today out up "
    "form forms simple easier person master rack racks";

struct SizeUnit {
  std::string_view names;
  double bytes;
};
constexpr std::array<SizeUnit, 9> kSizes = {{{"b byte bytes", 1},
                                             {"kb k kilobyte kilobytes", 1e3},
                                             {"mb m meg megs megabyte megabytes", 1e6},
                                             {"gb g gigabyte gigabytes gig gigs", 1e9},
                                             {"kib kibibyte kibibytes", 1024},
                                             {"mib mebibyte mebibytes", 1048576},
                                             {"gib gibibyte gibibytes", 1073741824},
                                             {"tb terabyte terabytes", 1e12},
                                             {"tib tebibyte tebibytes", 1099511627776}}};

// Offered in place of words that are not understood, beside all names.
constexpr std::string_view kKnown =
    "ranks rank slow slower fast faster direction left order without link latency bandwidth larger "
    "smaller twice elements bytes root rendezvous";

constexpr std::string_view kMarks = ", : ; ? ! ( ) \" =";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Returns the names of changes, and what people call them.
std::vector<std::string> known_words() {
  std::vector<std::string> known;
  for (const auto word : split_at(kKnown, " ")) known.emplace_back(word);
  for (const auto& [name, said] : kSynonyms)
    for (const auto word : split_at(said, " ")) known.emplace_back(word);
  for (const auto& one : collectives()) known.emplace_back(one.name);
  for (const auto& one : algorithms()) known.emplace_back(one.short_name());
  for (const auto& [said, name] : kNetworks) known.emplace_back(said);
  for (const auto& name : known_topologies()) known.push_back(name);
  ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  return known;
}

/// Cuts at blanks and punctuation; a mark is a part of its own.
std::vector<std::string> cut(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    const bool is_mark = is_one_of(std::string_view(&c, 1), kMarks);
    if (is_mark || c == ' ' || c == '\t') {
      if (!parts.back().empty()) parts.emplace_back();
      if (is_mark) parts.back() = c, parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  for (std::string& part : parts)
    while (part.size() > 1 && part.ends_with('.')) part.pop_back();
  return parts;
}

/// Makes "8 by 8" and "4 x 4" one part; "number 2" is a rank.
std::vector<std::string> joined_shapes(std::vector<std::string> parts) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (ascii_lower(parts[i]) == "number" && is_number(parts[i + 1])) parts[i] = "rank";
    while (i + 2 < parts.size() && (is_number(parts[i]) || is_shape(parts[i])) &&
           is_one_of(parts[i + 1], "by x") && is_number(parts[i + 2])) {
      parts[i] += "x" + parts[i + 2];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  parts.begin() + static_cast<std::ptrdiff_t>(i) + 3);
    }
  }
  return parts;
}

/// Makes "four thousand" and "sixty-four" a number in digits.
void join_numbers(std::vector<PlainWord>& words) {
  const auto unit_in = [](std::string_view word) {
    const auto* const found = ranges::find(kUnits, word);
    return word.empty() || found == std::end(kUnits) ? 0 : static_cast<int>(found - kUnits);
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::optional<double> value = as_number<double>(words[i].text);
    const auto is_next = [&](const auto& says) {
      return i + 1 < words.size() && says(words[i + 1].text);
    };
    const auto join = [&] { words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1); };
    const std::string text = words[i].text;
    const auto dash = text.find('-');
    const auto* const tens = ranges::find(kTens, std::string_view(text).substr(0, dash));
    const int after =
        dash == std::string::npos ? 0 : unit_in(std::string_view(text).substr(dash + 1));
    if (tens != std::end(kTens) && (dash == std::string::npos || after > 0)) {
      value = 20 + 10 * (tens - kTens) + after;
      if (dash == std::string::npos &&
          is_next([&](const auto& next) { return unit_in(next) > 0 && unit_in(next) < 10; })) {
        *value += unit_in(words[i + 1].text);
        join();
      }
    } else if (const int unit = unit_in(text); unit > 1) {
      value = unit;
    }
    for (const auto& [name, times] : kMultiples) {
      // "64 k" of data are bytes, "64 k elements" are not.
      const bool counts =
          name != "k" || (i + 2 < words.size() &&
                          is_one_of(words[i + 2].text, "elements numbers values floats ranks"));
      if (!value && text == name && name != "k") value = times;
      else if ((value || text == "one") && counts &&
               is_next([&, said = name](const auto& next) { return next == said; })) {
        value = value.value_or(1) * times;
        join();
      }
    }
    if (value && !as_number<double>(text)) words[i].text = fmt::format("{:.0f}", *value);
    else if (value && *value != as_number<double>(text))
      words[i].text = fmt::format("{:.15g}", *value);
  }
}

/// Makes a percentage a factor: "50% slower" is "1.5x slower", "20 percent less" "1.25x less", "50% speed" "0.5x speed", and
/// "bandwidth grows by 50%" "1.5x bandwidth".
void parse_percents(std::vector<PlainWord>& words) {
  constexpr std::string_view kMore = "slower later faster quicker more larger bigger longer higher";
  constexpr std::string_view kGrows =
      "increase increases increased grow grows rise rises raise raised";
  constexpr std::string_view kShrinks =
      "decrease decreases decreased shrink shrinks drop drops dropped fall falls";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const bool sign = text.ends_with('%');
    const auto value = as_number<double>(sign ? text.substr(0, text.size() - 1) : text);
    if (!value || !(sign || (i + 1 < words.size() && words[i + 1] == "percent"))) continue;
    if (!sign) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1].text) : "";
    const bool less = is_one_of(next, kSmallerWords);
    const double part = *value / 100;
    double factor = less ? 1 / (1 - part) : is_one_of(next, kMore) ? 1 + part : part;
    for (std::size_t verb = 0; verb < i; ++verb) {
      const bool grows = is_one_of(words[verb].text, kGrows);
      if (!grows && !is_one_of(words[verb].text, kShrinks)) continue;
      factor = grows ? 1 + part : 1 - part;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(verb));
      if (--i > 0) --i, std::swap(words[i], words[i + 1]);
      break;
    }
    if (std::isfinite(factor) && factor > 0) words[i].text = fmt::format("{:.6g}x", factor);
  }
}

/// Returns where the unit of "1GiB" or "16-rank" begins; 0 if the word is not a number with a unit.
std::size_t unit_of(std::string_view word) {
  std::size_t digits = 0;
  while (digits < word.size() && (is_digit(word[digits]) || (digits > 0 && word[digits] == '.')))
    ++digits;
  if (digits == 0 || digits == word.size() || is_shape(word)) return 0;
  const std::string_view unit = word.substr(digits);
  if (unit == "x" || unit == "d") return 0;
  if (is_letter(unit[0])) return digits;
  return unit[0] == '-' && unit.size() > 1 && is_letter(unit[1]) ? digits : 0;
}

}  // namespace

bool is_number(std::string_view word) { return !word.empty() && ranges::all_of(word, is_digit); }

bool is_shape(std::string_view word) {
  return word.find('x') != std::string_view::npos && word.front() != 'x' && word.back() != 'x' &&
         ranges::all_of(word, [](char c) { return is_digit(c) || c == 'x'; });
}

std::optional<std::pair<std::string, std::string>> pair_of(std::string_view word) {
  const auto dash = word.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view a = word.substr(0, dash), b = word.substr(dash + 1);
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  return std::pair{std::string(a), std::string(b)};
}

double bytes_of_unit(std::string_view unit) {
  const auto found =
      ranges::find_if(kSizes, [&](const SizeUnit& one) { return is_one_of(unit, one.names); });
  return found == kSizes.end() ? 0 : found->bytes;
}

std::optional<double> time_of(const std::string& number, const std::string& unit) {
  if (!as_number<double>(number)) return std::nullopt;
  const std::string_view name = is_one_of(unit, "microsecond microseconds")   ? "us"
                                : is_one_of(unit, "millisecond milliseconds") ? "ms"
                                : is_one_of(unit, "second seconds")           ? "s"
                                                                              : unit;
  if (!is_one_of(name, "ns us ms s")) return std::nullopt;
  return parse_seconds(number + std::string(name), "the time");
}

std::optional<double> bandwidth_of(const std::string& number, const std::string& unit) {
  std::string name = unit;
  const std::string lower = ascii_lower(name);
  if (is_one_of(lower, "gbit gbits gigabit gigabits gigabit/s gigabits/s gbe")) name = "Gbit/s";
  if (is_one_of(lower, "mbit mbits megabit megabits megabit/s megabits/s")) name = "Mbit/s";
  if (is_one_of(lower, "gigabyte/s gigabytes/s gigs/s")) name = "GB/s";
  if (is_one_of(lower, "megabyte/s megabytes/s")) name = "MB/s";
  if (name.ends_with("bps")) name = name.substr(0, name.size() - 3) + "b/s";
  if (!as_number<double>(number) || !name.ends_with("/s") || name.size() < 3) return std::nullopt;
  return parse_bandwidth(number + name, "the bandwidth");
}

double factor_of(std::string_view word) {
  constexpr std::pair<std::string_view, double> kFactors[] = {{"half", 0.5},
                                                              {"twice twofold", 2},
                                                              {"triple thrice threefold", 3},
                                                              {"quadruple fourfold", 4},
                                                              {"tenfold", 10}};
  for (const auto& [names, factor] : kFactors)
    if (is_one_of(word, names)) return factor;
  if (word.size() < 2 || !word.ends_with('x')) return 1;
  return as_number<double>(word.substr(0, word.size() - 1)).value_or(1);
}

bool is_one_of(std::string_view word, std::string_view list) {
  for (std::size_t at = 0; !word.empty() && (at = list.find(word, at)) != std::string_view::npos;
       at += word.size()) {
    const auto end = at + word.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

bool is_ordinary(std::string_view word) { return is_one_of(word, kOrdinary); }

bool is_network(std::string_view name) {
  return ranges::find(kNetworks, name, [](const auto& one) { return one.first; }) !=
         std::end(kNetworks);
}

bool is_algorithm(std::string_view name) {
  return find_algorithm(name) != nullptr || ranges::any_of(algorithms(), [&](const Algorithm& one) {
           return ascii_lower(std::string(one.short_name())) == name;
         });
}

void refuse_word(const std::string& typed) {
  std::vector<std::string> known = known_words();
  const std::string word = ascii_lower(typed);
  std::erase(known, word);  // it is known, but makes no sense here
  auto close = nearest(word, known);
  const auto guess = did_you_mean(word, close);
  throw UnknownWord(fmt::format("\"{}\" is not understood{} Say for example: ring 16; rank 2 slow; "
                                "64 on a torus; without link 0-1; 1 GiB",
                                typed, guess.empty() ? "." : ": " + guess),
                    word, std::move(close));
}

std::string spelled(const std::string& word) {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> all = known_words();
    for (const auto list : {kLinkWords, kCutWords, kSlowWords, kFastWords, kLargerWords,
                            kSmallerWords, kDataWords, kRankWords, kOtherWords, kReceivedWords})
      for (const auto one : split_at(list, " ")) all.emplace_back(one);
    all.emplace_back("instead");
    return all;
  }();
  const bool is_word = is_ordinary(word) || is_one_of(word, kNoise) || is_one_of(word, kNegations);
  if (word.size() < 4 || is_word || !ranges::all_of(word, is_letter)) return {};
  if (ranges::find(kWords, word) != kWords.end()) return {};
  const std::string* best = nullptr;
  for (const std::string& one : kWords) {
    if (one.front() != word.front()) continue;
    const int edits = edit_distance(word, one);
    const bool same_letters = std::ranges::is_permutation(word, one);
    const bool same_end = one.back() == word.back();
    const bool is_slip = edits == 1 && (same_letters || (word.size() > 4 && same_end));
    if (same_letters && is_slip) return one;
    if (is_slip || (edits == 2 && word.size() > 7 && same_end))
      best = best == nullptr ? &one : best;
  }
  return best == nullptr ? "" : *best;
}

std::string plain_text(std::string_view text) {
  std::string plain(text);
  for (const auto& [from, to] : kLetters) replace_all(plain, from, to);
  std::string lower = ascii_lower(plain);
  for (const auto& [name, all_said] : kJoined)
    for (const auto said : split_at(all_said, "|"))
      for (auto at = lower.find(said); at != std::string::npos; at = lower.find(said, at + 1))
        if ((at == 0 || !is_letter(lower[at - 1])) &&
            (at + said.size() == lower.size() || !is_letter(lower[at + said.size()]))) {
          lower.replace(at, said.size(), name);
          plain.replace(at, said.size(), name);
        }
  return plain;
}

std::vector<PlainWord> plain_words(std::string_view text) {
  const std::string plain = plain_text(text);
  std::vector<PlainWord> words;
  bool follows = false, begins = true, asks = false, compared = false;
  bool to_all = false, directly = false;  // "to every other rank by itself": flat
  int clause = 0;
  const auto begin_clause = [&](bool is_question) {
    ++clause;
    begins = true;
    asks = is_question;
    compared = to_all = directly = false;
  };
  const auto add = [&](std::string typed) {
    std::string word = ascii_lower(typed);
    const bool counts = !is_one_of(word, kNoise) && !(begins && is_one_of(word, kAsking));
    begins = begins && is_one_of(word, "why and or then ok so but");
    if (counts)
      words.push_back({std::move(word), std::move(typed), follows, clause, asks, compared});
    follows = counts;
  };
  const std::vector<std::string> parts = joined_shapes(cut(plain));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (is_one_of(part, kMarks) || is_one_of(part, "- .")) {
      // "0 1 2 3 7 6 ...": and so on.
      if (part == "." && !words.empty() && is_number(words.back().text)) add("...");
      follows = false;
      if (part != "=" && part != "\"") begin_clause(false);
      continue;
    }
    const std::string now = ascii_lower(part),
                      next = i + 1 < parts.size() ? ascii_lower(parts[i + 1]) : "";
    if (is_one_of(next, kPronouns) &&
        (is_one_of(now, kAuxiliaries) || (i > 0 && is_one_of(now, "make makes")))) {
      // "The torus was quicker, wasn't it": the clause before asks.
      const bool is_tag = i + 2 >= parts.size() || is_one_of(parts[i + 2], kMarks);
      for (PlainWord& one : words) one.asks = one.asks || (is_tag && one.clause == clause);
      begin_clause(true);
      follows = false;
      ++i;
      continue;
    }
    if (is_one_of(now, kConjunctions) ||
        (asks && is_one_of(now, "with on for at") && !is_one_of(next, "more less fewer")))
      begin_clause(false);
    else if (begins && (is_one_of(now, kAuxiliaries) || is_one_of(now, "how who which")) &&
             next != "about")
      asks = true;
    const bool was_flat = to_all && directly;
    to_all = to_all || (now == "to" && is_one_of(next, "all each every everybody everyone"));
    directly = directly || is_one_of(now, "itself directly");
    if (to_all && directly && !was_flat) add("flat");
    compared = (compared && now != "by") || is_one_of(now, "beat beats") ||
               (now == "than" && !is_number(next));
    const auto unit = unit_of(part);
    if (unit == 0) {
      add(part);
      continue;
    }
    add(part.substr(0, unit));
    add(part.substr(unit + (part[unit] == '-' ? 1 : 0)));
  }
  join_numbers(words);
  parse_percents(words);
  const bool has_number =
      ranges::any_of(words, [](const PlainWord& one) { return is_number(one.text); });
  for (const auto& [kind, number] : kExamples) {
    if (has_number) std::erase(words, kind);
    for (PlainWord& one : words)
      if (one == kind) one.text = number;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* known = ranges::find_if(
        kSynonyms, [&](const Word& one) { return is_one_of(words[i].text, one.second); });
    // Behind "on" a name is a network's, elsewhere an algorithm's.
    if (known == std::end(kSynonyms) || (i > 0 && words[i - 1] == "on")) continue;
    words[i].text = known->first;
  }
  // "halving first and then doubling"
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    for (std::size_t end = i + 1; words[i] == "halving" && end < std::min(i + 5, words.size());
         ++end)
      if (is_one_of(words[end].text, "doubling bde")) {
        words[i].text = "rabenseifner";
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    words.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      } else if (!is_ordinary(words[end].text) && !is_one_of(words[end].text, "and then")) {
        break;
      }
  return words;
}

}  // namespace rankscope::gui
