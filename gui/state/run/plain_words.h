// A question or an order cut into words: in lower case, numbers apart from their units, without words that change nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope::gui {

struct PlainWord {
  std::string text;      ///< In lower case, as rankscope calls it: "bde" for "butterfly".
  std::string typed;     ///< As it was typed.
  bool follows = false;  ///< No mark and no word that is left out is between it and the one before.
  int clause = 0;        ///< Counts clauses: "on a torus, is that slower" has two.
  bool asks = false;     ///< In a clause that asks for a result: "4 times faster" is a guess.
  bool compared = false;  ///< Stands behind "than" or "beats".
  bool operator==(std::string_view other) const { return text == other; }
};

/// Stands where words were that have been understood, so that their neighbours do not become each other's.
inline constexpr std::string_view kTaken = "|";

/// Returns the text with plain letters, and with names of several words as one: "all reduce" is "allreduce".
std::string plain_text(std::string_view text);
/// Numbers are words of their own: "1GiB" is "1" and "gib". "ten" is "10"; "what if", "the" and the like are left out.
std::vector<PlainWord> plain_words(std::string_view text);

bool is_number(std::string_view word);
/// "2x4x8".
bool is_shape(std::string_view word);
/// Returns the two ranks of "0-1".
std::optional<std::pair<std::string, std::string>> pair_of(std::string_view word);
/// Returns the bytes of a unit such as "gib" or "gigabytes"; 0 if it is none.
double bytes_of_unit(std::string_view unit);
/// Returns the seconds of "10" and "us", the bytes per second of "10" and "Gb/s"; nothing for other units.
std::optional<double> time_of(const std::string& number, const std::string& unit);
std::optional<double> bandwidth_of(const std::string& number, const std::string& unit);
/// Returns 3 for "triple" and "3x"; 1 for a word that is no factor.
double factor_of(std::string_view word);
/// Returns whether the word is in a list of words separated by spaces.
bool is_one_of(std::string_view word, std::string_view list);

// ---- Words by what they mean, in lists for is_one_of() ----

/// Networks as people call them, and those that come with rankscope.
inline constexpr std::pair<std::string_view, std::string_view> kNetworks[] = {
    {"torus", "torus-2d"}, {"tori", "torus-2d"},          {"mesh", "mesh-2d"},
    {"grid", "mesh-2d"},   {"fat-tree", "fat-tree"},      {"fattree", "fat-tree"},
    {"clos", "fat-tree"},  {"crossbar", "star"},          {"switch", "star"},
    {"cube", "hypercube"}, {"clique", "fully-connected"}, {"cluster", "hosts"},
    {"line", "ring"},      {"daisy-chain", "ring"}};
inline constexpr std::string_view kLinkWords = "link links cable cables wire connection edge";
inline constexpr std::string_view kCutWords =
    "without cut cuts break breaks broken fail fails failed failing down gone missing removed "
    "remove no lost unplugged unplug dead disconnected disconnect off dies breaking pulled pull "
    "pulls severed snaps snapped torn";
inline constexpr std::string_view kMendWords =
    "fine repaired repair fixed fix mended restored healthy whole intact";
inline constexpr std::string_view kSlowWords =
    "slow slower late later lags lagging behind delayed straggler straggles sluggish lame sleeps "
    "sleep stalls pauses slowly overloaded weaker throttled asleep";
inline constexpr std::string_view kFastWords = "fast faster quick quicker";
inline constexpr std::string_view kLargerWords = "larger large bigger big more longer long much";
inline constexpr std::string_view kSmallerWords = "smaller small less fewer shorter short";
inline constexpr std::string_view kDataWords =
    "data size message messages bytes elements payload vector vectors array buffer";
inline constexpr std::string_view kRankWords =
    "ranks rank processes process workers worker tasks task gpus gpu nodes node computers machines "
    "servers devices accelerators chips cards people participants";
inline constexpr std::string_view kReceivedWords =
    "receive receives received receiver recv taken got";
inline constexpr std::string_view kOtherWords =
    "other another different opposite reverse reversed random new shuffled mixed inverse";
inline constexpr std::string_view kRootWords =
    "has have had having holds hold owns own knows know starts start begins begin sends send root "
    "source data";
/// An order of ranks that puts neighbours in the ring beside each other.
inline constexpr std::string_view kSmartWords =
    "smarter smart smartly clever cleverly cleverer better best optimal good neighbours neighbors "
    "adjacent snake";

/// Without these words a question would ask the opposite: none is ever left out, except where a question begins with it.
inline constexpr std::string_view kNegations =
    "not dont doesnt didnt never without nobody none no nothing except unless wont cannot cant "
    "couldnt wouldnt shouldnt isnt arent wasnt werent hasnt havent neither nor";

/// Returns whether it is an ordinary word of a question ("does that work", "everybody"), which names no change.
bool is_ordinary(std::string_view word);
/// Returns whether people call a network so, or an algorithm, by its short name.
bool is_network(std::string_view name);
bool is_algorithm(std::string_view name);

struct UnknownWord : UserError {
  UnknownWord(const std::string& says, std::string word_, std::vector<std::string> nearest_)
      : UserError(says), word(std::move(word_)), nearest(std::move(nearest_)) {}
  std::string word;                  ///< As it was typed, in lower case.
  std::vector<std::string> nearest;  ///< Words that look like it, the nearest first.
};

/// Throws UnknownWord, with the words that are understood and look like it.
[[noreturn]] void refuse_word(const std::string& typed);
/// Returns the known word of which this one is a slip of the keys ("bandwith", "twise"); empty if there is none.
std::string spelled(const std::string& word);

}  // namespace rankscope::gui
