// Reads a question although some of its words are unknown: mends slips of the keys, and leaves out what names no change.
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text_parts.h"
#include "engine/core/base/utf8.h"
#include "gui/state/run/plain_words.h"
#include "gui/state/run/said_job.h"

namespace rankscope::gui {
namespace {

/// Fewer words are an order, in which each one counts.
constexpr std::size_t kOrderWords = 3;
/// A text of more words, such as a pasted paragraph, is no question.
constexpr std::size_t kMostWords = 30;

bool bounds_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; }

/// Replaces the word wherever it stands on its own, in any case; returns false if it does not.
bool replace_word(std::string& text, const std::string& word, const std::string& by) {
  std::string lower = ascii_lower(text);
  bool found = false;
  for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at)) {
    const auto end = at + word.size();
    const bool alone =
        (at == 0 || bounds_word(lower[at - 1])) && (end == lower.size() || bounds_word(lower[end]));
    if (alone) {
      text.replace(at, word.size(), by);
      lower.replace(at, word.size(), by);
    }
    found = found || alone;
    at += alone ? by.size() : 1;
  }
  return found;
}

bool is_question(std::string_view text) {
  const std::string lower = ascii_lower(std::string(text));
  return lower.ends_with('?') || lower.starts_with("what") || lower.starts_with("how");
}

/// Without a negation, or a unit behind a number ("8 bits"), it would be another question.
bool may_leave_out(const std::vector<PlainWord>& words, const std::string& word) {
  if (is_one_of(word, kNegations) ||
      ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (ascii_lower(words[i].typed) == word)
      return !(words[i].follows && as_number<double>(words[i - 1].text));
  return true;
}

/// Returns whether the word says nothing, alone.
bool is_unknown(const JobSpec& job, const PlainWord& word) {
  try {
    (void)listen(job, {word}, word.typed);
  } catch (const UnknownWord&) {
    return true;
  } catch (const UserError&) {  // known, but not enough
  }
  return false;
}

/// "max instead of sum", "8 ranks, not 4 ranks", "not 4 but 8": what is replaced is not meant. "instead" stays in its place.
void leave_out_replaced(std::vector<PlainWord>& words) {
  const auto word = [&](std::size_t at) {
    return at < words.size() ? std::string_view(words[at].text) : "";
  };
  const bool has_other = ranges::any_of(words, [](const PlainWord& one) { return one == "but"; });
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t end = i + 1;
    if (word(end) == "rank" && is_number(word(end + 1))) ++end;
    const bool counts = is_number(word(end));
    const bool names = counts || is_algorithm(word(end)) || is_network(word(end));
    if (word(i) != "instead-of" && !(word(i) == "not" && names && (i > 0 || has_other))) continue;
    const std::string unit(word(end + 1));
    if (counts && (is_one_of(unit, kRankWords) || is_one_of(unit, kDataWords) ||
                   bytes_of_unit(unit) > 0 || time_of("1", unit)))
      ++end;
    words[i].text = "instead";
    for (std::size_t one = i + 1; one <= end && one < words.size(); ++one) words[one].text = kTaken;
  }
}

}  // namespace

Said hear(const JobSpec& job, std::string_view typed) {
  std::string text = plain_text(typed), mended, left_out;
  std::optional<UnknownWord> first;
  std::vector<std::string> seen;
  const auto leave_out = [&](const std::string& words) {
    left_out += fmt::format("{}\u201C{}\u201D", left_out.empty() ? "without " : ", ", words);
  };
  const std::size_t count = plain_words(text).size();
  if (count > kMostWords)
    throw UserError("this is too long for a question. Ask one thing, for example: rank 2 slow");
  const bool is_order = count <= kOrderWords && !is_question(typed);
  for (;;) {
    auto words = plain_words(text);
    leave_out_replaced(words);
    try {
      Said said = listen(job, words, text);
      if (!left_out.empty() && (said.whole || said.job == job)) break;
      for (const std::string& words_without_effect : said.unclear) leave_out(words_without_effect);
      said.reading = mended + (mended.empty() || left_out.empty() ? "" : ", ") + left_out;
      return said;
    } catch (const UnknownWord& unknown) {
      std::string word = unknown.word;
      const auto mend_of = [&](const std::string& one) {
        return ranges::find(seen, one) != seen.end() ? std::string() : spelled(one);
      };
      std::string meant = mend_of(word);
      // A slip elsewhere may be why this word says nothing: "half the latancy".
      for (std::size_t i = 0; i < words.size() && meant.empty(); ++i)
        if (const std::string one = ascii_lower(words[i].typed), mends = mend_of(one);
            !mends.empty() && is_unknown(job, words[i]))
          word = one, meant = mends;
      if (!first) first = unknown;
      seen.insert(seen.end(), {word, meant});
      if (meant.empty() && (is_order || !may_leave_out(words, word))) break;
      if (!replace_word(text, word, meant)) break;
      if (meant.empty()) leave_out(word);
      else
        mended += fmt::format("{}\u201C{}\u201D as \u201C{}\u201D", mended.empty() ? "" : ", ",
                              word, meant);
    } catch (const UserError&) {
      if (first) break;  // what is left makes no sense: the word that is missing is the reason
      throw;
    }
  }
  throw *first;
}

JobSpec job_said(const JobSpec& job, std::string_view text) { return hear(job, text).job; }

Said job_to_run(const JobSpec& now, std::string_view text) {
  Said said = hear(now, text);
  if (!said.whole) return said;
  JobSpec usual;
  usual.call.algorithm = now.call.algorithm;
  return hear(usual, text);
}

}  // namespace rankscope::gui
