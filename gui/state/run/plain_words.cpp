// Cuts what people type into words.
#include "gui/state/run/plain_words.h"

#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/rate_text.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/text_parts.h"
#include "engine/core/base/utf8.h"
#include "engine/network/files/topology_file.h"

namespace rankscope::gui {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

// Letters that are typed or pasted in place of plain ones.
constexpr std::array<Word, 12> kLetters = {{{"\u2019s ", " "},
                                            {"'s ", " "},
                                            {"\u00D7", "x"},
                                            {"\u2013", "-"},
                                            {"\u2014", "-"},
                                            {"\u2011", "-"},
                                            {"\u2212", "-"},
                                            {"\u2194", "-"},
                                            {"\u00B5", "u"},
                                            {"\u03BC", "u"},
                                            {"\u2019", ""},
                                            {"'", ""}}};

// Names of several words, joined before the text is cut into words.
constexpr Word kJoined[] = {
    {"what if", "why not"},
    {"float64", "64-bit floats|64 bit floats|64-bit"},
    {"double_tree", "double binary tree|double tree"},
    {"two_level_ring", "two level ring|two-level ring"},
    {"one_shot", "one shot|one-shot"},
    {"two_shot", "two shot|two-shot"},
    {"p2p", "point-to-point|point to point"},
    {"alltoall", "all to all|all-to-all"},
    {"allreduce", "all reduce|all-reduce"},
    {"allgather", "all gather|all-gather"},
    {"reduce_scatter", "reduce scatter|reduce-scatter"},
    {"recursive-doubling", "recursive doubling"},
    {"two-level", "two level"},
    {"binomial", "binomial tree"},
    {"added", "added up"},
    {"fattree", "fat tree"},
    {"fully-connected", "fully connected|full mesh"},
    {"hypercube", "hyper cube"},
    {"torus-2d", "2d torus"},
    {"torus-3d", "3d torus"},
    {"counterclockwise", "counter-clockwise|anti-clockwise"},
    {"nonblocking", "non blocking|non-blocking"},
    {"ranks =", "world size"},
    {"mesh",
     "torus without wrap-around|torus without wraparound|without the wrap-around links|without the "
     "wraparound links|without wrap-around links|without wraparound links|without wrap-around|"
     "without wraparound"},
    {"odd-number", "odd number of ranks|odd number of processes"},
    {"no-power", "not a power of two|no power of two|isnt a power of two"},
    {"instead-of", "instead of|rather than"},
    {"flat",
     "to everybody itself|to everyone itself|to all itself|to all ranks itself|"
     "to everybody directly|to everyone directly|to all directly|to all ranks directly|"
     "directly to everybody|directly to everyone|directly to all ranks|directly to all"},
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
    {"rendezvous", "synchronous"},
    {"float32", "float floats"},
    {"int32", "int ints"},
    {"inproc", "threads"},
    {"simulated", "simulate simulation"},
    {"buffered", "eager asynchronous async nonblocking"},
    {"left", "anticlockwise counterclockwise leftwards leftward"},
    {"right", "clockwise rightwards rightward"},
    {"1", "single"},
    {"2", "two"},
    {"3", "three"},
    {"4", "four"},
    {"5", "five odd-number"},
    {"6", "six no-power"},
    {"7", "seven"},
    {"8", "eight"},
    {"9", "nine"},
    {"10", "ten"},
    {"12", "twelve"},
    {"16", "sixteen"},
    {"100", "hundred"},
    {"1000", "thousand"},
    {"1000000", "million"},
};

// Words that change nothing.
constexpr std::string_view kNoise =
    "what if how long does do did would will be is are was were gets get becomes have had has we "
    "they there theres it its takes take i you the a an about happens when only just now please "
    "for "
    "each using use uses run runs compare compares compared show me could can should let lets make "
    "this that these those of at in by over with which every our give sends send sent try put "
    "taking suppose say comes come goes go going ran need needs still number count per swap "
    "replace replaced ethernet infiniband precision change changes changed really so here hear "
    "happen possible connected computer machine always why than others rest look looks seem seems "
    "start starting begin "
    "turn turned ones maybe might may me my itself directly yes ok";

// Words that may stand beside a word that names a change; alone they are refused.
constexpr std::string_view kOrdinary =
    "work works worked better worse best good bad also already again all any both everyone "
    "everybody anybody everything anything something someone somebody whole entire total same "
    "costs cost until till while before after during between because since once ever often "
    "receive receives received receiver receivers recv matching match other another one hang "
    "hangs sit sits sitting attached plugged wired lies live lives stay stays keep keeps kept "
    "made makes help helps matter matters scale scales hold holds held own owns know knows knew "
    "think means see seen want wants wanted like likely useful worth pay pays win wins lose "
    "loses beat beats finish finishes finished done end ends first last next time times second "
    "actually simply truly quite rather very pretty even yet probably exactly steps step rounds "
    "round difference differences differ differs result results outcome effect effects impact "
    "affect affects influence upgrade upgraded install installed require requires required "
    "become named numbered called as well easy hard into reach reaches speedup case version "
    "thing things kind sort way part parts stuff question answer algorithm collective program "
    "job example system setup machines server servers data-center datacenter communicate "
    "communicates communication talk talks exchange exchanges pass passes passed forward "
    "forwards transfer transfers transmit arrive arrives overall instead their them him her his "
    "mine your who whom whose where much many some few lot lots huge tiny real realistic normal "
    "usual typical modern old today";

struct SizeUnit {
  std::string_view names;
  double bytes;
};
constexpr std::array<SizeUnit, 8> kSizes = {{{"b byte bytes", 1},
                                             {"kb kilobyte kilobytes", 1e3},
                                             {"mb megabyte megabytes", 1e6},
                                             {"gb gigabyte gigabytes gig gigs", 1e9},
                                             {"kib kibibyte kibibytes", 1024},
                                             {"mib mebibyte mebibytes", 1048576},
                                             {"gib gibibyte gibibytes", 1073741824},
                                             {"tb terabyte terabytes", 1e12}}};

constexpr std::array<std::string_view, 22> kKnown = {
    "ranks", "rank",     "slow",  "slower", "fast",       "faster",    "direction", "left",
    "order", "without",  "link",  "torus",  "latency",    "bandwidth", "larger",    "smaller",
    "twice", "elements", "bytes", "root",   "rendezvous", "doubling"};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Cuts at blanks and at what ends a sentence or a part of it.
std::vector<std::string> cut(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (is_one_of(std::string_view(&c, 1), ", : ; ? ! ( ) \" =") || c == ' ' || c == '\t') {
      if (!parts.back().empty()) parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  for (std::string& part : parts)
    while (part.size() > 1 && part.ends_with('.')) part.pop_back();
  return parts;
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
  if (is_one_of(ascii_lower(name), "gbit mbit gbits mbits")) name = name.substr(0, 4) + "/s";
  if (name.ends_with("bps")) name = name.substr(0, name.size() - 3) + "b/s";
  if (!as_number<double>(number) || !name.ends_with("/s") || name.size() < 3) return std::nullopt;
  return parse_bandwidth(number + name, "the bandwidth");
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
  std::vector<std::string> known(kKnown.begin(), kKnown.end());
  for (const auto& [name, said] : kSynonyms)
    for (const auto word : split_at(said, " ")) known.emplace_back(word);
  for (const auto& one : collectives()) known.emplace_back(one.name);
  for (const auto& one : algorithms()) known.emplace_back(one.short_name());
  for (const auto& [said, name] : kNetworks) known.emplace_back(said);
  for (const auto& name : known_topologies()) known.push_back(name);
  ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  const std::string word = ascii_lower(typed);
  std::erase(known, word);  // it is one, but says nothing here
  auto close = nearest(word, known);
  const auto guess = did_you_mean(word, close);
  throw UnknownWord(fmt::format("\"{}\" is not understood{} Say for example: ring 16; rank 2 slow; "
                                "64 on a torus; without link 0-1; 1 GiB",
                                typed, guess.empty() ? "." : ": " + guess),
                    word, std::move(close));
}

std::vector<PlainWord> plain_words(std::string_view text) {
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
  std::vector<PlainWord> words;
  const auto add = [&](std::string typed) {
    std::string word = ascii_lower(typed);
    if (!is_one_of(word, kNoise)) words.push_back({std::move(word), std::move(typed)});
  };
  for (const std::string& part : cut(plain)) {
    const auto unit = unit_of(part);
    if (unit == 0) {
      add(part);
      continue;
    }
    add(part.substr(0, unit));
    add(part.substr(unit + (part[unit] == '-' ? 1 : 0)));
  }
  // "an odd number of ranks, like 7": the number says it.
  if (ranges::any_of(words, [](const PlainWord& one) { return is_number(one.text); }))
    std::erase_if(words,
                  [](const PlainWord& one) { return one == "odd-number" || one == "no-power"; });
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* known = ranges::find_if(
        kSynonyms, [&](const Word& one) { return is_one_of(words[i].text, one.second); });
    // Behind "on" a name is a network's, elsewhere an algorithm's.
    if (known == std::end(kSynonyms) || (i > 0 && words[i - 1] == "on")) continue;
    words[i].text = known->first;
  }
  return words;
}

}  // namespace rankscope::gui
