// Splits paragraphs into words and sentences, and chooses among these.
#include "lessons/slides/slide_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

// Numbers of characters. A slide holds two or three key sentences.
constexpr std::size_t kShortParagraph = 280, kShortChoice = 110, kLongestChoice = 280,
                      kShortLead = 200, kLongestLead = 260, kLeadWithContext = 340;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return ranges::find(words, word) != words.end();
}

bool ends_sentence(const SlideWord& word) {
  if (word.code) return false;
  static constexpr std::array<std::string_view, 8> kAbbreviations = {
      "e.g.", "i.e.", "al.", "vs.", "etc.", "cf.", "Fig.", "Sec."};
  if (is_one_of(word.text, kAbbreviations)) return false;
  std::string_view text = word.text;
  while (!text.empty() && (text.back() == ')' || text.back() == '"' || text.back() == '\''))
    text.remove_suffix(1);
  return !text.empty() && (text.back() == '.' || text.back() == '?' || text.back() == '!');
}

bool begins_sentence(const SlideWord& word) {
  const auto first = static_cast<unsigned char>(word.text.front());
  return word.space_before && (word.code || std::islower(first) == 0);
}

std::size_t length_of(const SlideWords& words) {
  std::size_t out = 0;
  for (const SlideWord& word : words) out += word.text.size() + 1;
  return out;
}

void append(SlideWords& to, const SlideWords& words) {
  to.insert(to.end(), words.begin(), words.end());
}

bool about_picture(const SlideWords& words) {
  static constexpr std::array<std::string_view, 16> kSigns = {
      "run",  "runs",  "picture", "figure", "diagram", "table",  "look",  "watch",
      "Look", "Watch", "Compare", "Count",  "follow",  "Follow", "shows", "arrows"};
  return ranges::any_of(words, [](const SlideWord& word) {
    std::string_view text = word.text;
    while (!text.empty() && std::ispunct(static_cast<unsigned char>(text.back())) != 0)
      text.remove_suffix(1);
    return is_one_of(text, kSigns);
  });
}

constexpr std::size_t kLongestExample = 700, kLongestInContext = 420;  // letters

// "They are ..." says nothing without the sentence before.
bool refers_back(const SlideWords& sentence) {
  static constexpr std::array<std::string_view, 14> kSigns = {
      "It",  "They",  "This", "That", "These",     "Those", "Then",
      "Its", "Their", "Both", "So",   "Otherwise", "But",   "Such"};
  return is_one_of(sentence.front().text, kSigns);
}

// Adds what the chosen sentences need to be understood: a question's answer, and whatever "they" refers to.
void choose_context(const std::vector<SlideWords>& all, std::vector<bool>& chosen,
                    std::size_t length) {
  const auto choose = [&](std::size_t i) {
    if (chosen[i] || length + length_of(all[i]) > kLongestInContext) return;
    chosen[i] = true;
    length += length_of(all[i]);
  };
  for (std::size_t i = all.size(); i-- > 1;)
    if (chosen[i] && refers_back(all[i])) choose(i - 1);
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (chosen[i] && all[i].back().text.ends_with('?')) choose(i + 1);
}

// The word without the punctuation around it.
std::string_view bare(std::string_view word) {
  constexpr std::string_view kAround = "()[]\"'.,:;?!";
  const auto from = word.find_first_not_of(kAround);
  if (from == std::string_view::npos) return {};
  return word.substr(from, word.find_last_not_of(kAround) + 1 - from);
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.,") == std::string_view::npos;
}

// Returns whether a word can follow "rank" or "phase": a number, a letter of a formula, a Roman number.
bool is_symbol(std::string_view word) {
  if (word.empty() || word == "a") return false;
  const auto first = static_cast<unsigned char>(word.front());
  return word.size() == 1 || word == "II" || word == "III" || is_number(word) ||
         (word.size() <= 3 && (std::isdigit(first) != 0 || first >= 0x80));
}

// Returns how many brackets of a formula or a list of numbers open, less those that close.
int brackets_opened(std::string_view word) {
  int open = 0;
  for (const std::string_view one : {"[", "⌈", "⌊"})
    if (word.find(one) != std::string_view::npos) ++open;
  for (const std::string_view one : {"]", "⌉", "⌋"})
    if (word.find(one) != std::string_view::npos) --open;
  return open;
}

bool belongs_together(const SlideWord& left, const SlideWord& right) {
  static constexpr std::array<std::string_view, 16> kOperators = {
      "+", "−", "·", "×", "/", "=", "<", ">", "≤", "≥", "≈", "→", "…", "mod", "xor", "XOR"};
  static constexpr std::array<std::string_view, 18> kUnits = {
      "s",  "ms", "µs", "μs", "ns",   "B",    "KiB",  "MiB",  "GiB",
      "kB", "KB", "MB", "GB", "GB/s", "KB/s", "Gbit", "byte", "bytes"};
  static constexpr std::array<std::string_view, 11> kNumbered = {
      "rank", "chunk", "step", "round",     "phase", "worker",
      "line", "stage", "page", "dimension", "expert"};
  if (left.line_end || left.code != right.code) return false;
  if (left.code) return true;
  if (is_one_of(left.text, kOperators) || is_one_of(right.text, kOperators)) return true;
  const std::string_view noun = left.text, behind = bare(right.text);
  if (noun.ends_with(',') && is_number(bare(noun))) return is_number(behind) || behind == "…";
  if (is_number(bare(noun))) return noun.ends_with(bare(noun)) && is_one_of(behind, kUnits);
  return is_one_of(noun, kNumbered) && !right.text.starts_with('(') && is_symbol(behind);
}

// Ties the words of formulas, of lists of numbers, and numbers to their units and nouns.
void tie(SlideWords& words) {
  constexpr int kLongestTied = 8;  // words in brackets
  int open = 0, since = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0)
      words[i].tied =
          (open > 0 && since < kLongestTied) || belongs_together(words[i - 1], words[i]);
    open = words[i].code ? 0 : std::max(0, open + brackets_opened(words[i].text));
    since = open > 0 ? since + 1 : 0;
  }
}

}  // namespace

SlideWords slide_words(const MarkdownLine& line) {
  SlideWords out;
  bool space = true;  // between this span and the one before
  for (const MarkdownSpan& span : line) {
    if (span.line_break) {
      if (!out.empty()) out.back().line_end = true;
      continue;
    }
    space = space || span.text.starts_with(' ') || span.text.starts_with('\n');
    for (const std::string_view word : split_at(span.text, " \n")) {
      if (!word.empty())
        out.push_back({std::string(word), span.strong || span.emphasis, span.code, span.strong,
                       space, false});
      if (!word.empty()) space = true;
    }
    space = span.text.ends_with(' ') || span.text.ends_with('\n');
  }
  tie(out);
  return out;
}

std::string text_of(const SlideWords& words) {
  std::string out;
  for (const SlideWord& word : words) {
    if (!out.empty() && !out.ends_with('\n') && word.space_before) out += ' ';
    out += word.text;
    if (word.line_end) out += '\n';
  }
  return out;
}

std::vector<SlideWords> sentences_of(const SlideWords& words) {
  std::vector<SlideWords> out;
  bool fresh = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (fresh) out.emplace_back();
    out.back().push_back(words[i]);
    fresh = ends_sentence(words[i]) && i + 1 < words.size() && begins_sentence(words[i + 1]);
  }
  return out;
}

SlideWords key_sentences(const SlideWords& words) {
  if (length_of(words) <= kShortParagraph) return words;
  const std::vector<SlideWords> all = sentences_of(words);
  // The first sentence of a worked example says little: "**A small example.** Two ranks, two tokens each. ..."
  if (ranges::all_of(all.front(), &SlideWord::strong) && length_of(words) <= kLongestExample)
    return words;
  std::vector<bool> chosen(all.size(), false);
  std::size_t length = 0, last = 0;
  const auto choose = [&](std::size_t i) {
    if (chosen[i] || (length > 0 && length + length_of(all[i]) > kLongestChoice)) return;
    chosen[i] = true;
    length += length_of(all[i]);
    last = i;
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (ranges::any_of(all[i], &SlideWord::key)) choose(i);
  if (length == 0) choose(0);
  if (length < kShortChoice && last + 1 < all.size()) choose(last + 1);
  if (!all.empty() && all.back().back().text.ends_with(':')) chosen.back() = true;
  choose_context(all, chosen, length);
  SlideWords out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) append(out, all[i]);
  return out;
}

bool goes_on(const SlideWords& words) {
  return !words.empty() && !words.front().code && words.front().text.size() > 1 &&
         std::islower(static_cast<unsigned char>(words.front().text.front())) != 0;
}

SlideWords sentences_before(const SlideWords& words, const SlideWords& lead) {
  SlideWords out;
  const std::string said = text_of(lead);
  for (const SlideWords& sentence : sentences_of(words)) {
    if (said.find(text_of(sentence)) != std::string::npos) break;
    append(out, sentence);
  }
  return out;
}

SlideWords sentences_for_picture(const SlideWords& words) {
  if (length_of(words) <= kShortLead) return words;
  SlideWords out;
  for (const SlideWords& sentence : sentences_of(words))
    if (about_picture(sentence) && length_of(out) + length_of(sentence) <= kLongestLead)
      append(out, sentence);
  // Short sentences before these come along, or else they would be alone on a slide.
  SlideWords whole = sentences_before(words, out);
  if (out.empty() || length_of(whole) + length_of(out) > kLeadWithContext) return out;
  append(whole, out);
  return whole;
}

}  // namespace rankscope
