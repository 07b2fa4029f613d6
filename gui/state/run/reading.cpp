// Reads a question although some of its words are unknown: mends slips of the keys, and leaves out what names no change.
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/run/plain_words.h"
#include "gui/state/run/question_parser.h"
#include "gui/state/run/question_words.h"
#include "gui/state/run/sentence.h"

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

/// Without a negation, a unit behind a number ("8 bits"), or a verb before one ("split in 3"), it would be another question.
bool may_leave_out(const std::vector<PlainWord>& words, const std::string& word) {
  if (is_one_of(word, kNegations) ||
      ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  const std::size_t at = static_cast<std::size_t>(
      ranges::find(words, word, [](const PlainWord& one) { return ascii_lower(one.typed); }) -
      words.begin());
  const auto is_bare = [&](std::size_t i) {
    return i < words.size() && as_number<double>(words[i].text);
  };
  const bool ends = at + 2 >= words.size() || words[at + 2].clause != words[at].clause;
  return at >= words.size() ||
         !((at > 0 && words[at].follows && is_bare(at - 1)) ||
           (ends && is_bare(at + 1) && words[at + 1].clause == words[at].clause));
}

/// Returns whether the word says nothing, alone.
bool is_unknown(const JobSpec& job, const PlainWord& word) {
  try {
    (void)parse_words(job, {word}, word.typed);
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
    const bool ends = end == words.size() || words[end].clause != words[i].clause;
    // "rank 6 lags and 2 doesn't"
    if (i > 1 && ends && is_one_of(word(i), "not doesnt didnt isnt wasnt") &&
        is_number(word(i - 1))) {
      words[i].text = "instead";
      words[i - 1].text = kTaken;
      continue;
    }
    if (word(end) == "rank" && is_number(word(end + 1))) ++end;
    const bool counts = is_number(word(end));
    const bool names =
        counts || pair_of(word(end)) || is_algorithm(word(end)) || is_network(word(end));
    if (word(i) != "instead-of" && !(word(i) == "not" && names && (i > 0 || has_other))) continue;
    while (counts && is_one_of(word(end + 1), "and to or") && is_number(word(end + 2))) end += 2;
    const std::string unit(word(end + 1));
    if (counts && (is_one_of(unit, kRankWords) || is_one_of(unit, kDataWords) ||
                   bytes_of_unit(unit) > 0 || time_of("1", unit)))
      ++end;
    words[i].text = "instead";
    for (std::size_t one = i + 1; one <= end && one < words.size(); ++one) words[one].text = kTaken;
  }
}

/// Takes out words that change nothing, such as the guess in "is it 4 times faster".
class Guesses : QuestionWords {
 public:
  /// Numbers without a noun are ranks only in an order.
  Guesses(const std::vector<PlainWord>& words, bool is_order) : QuestionWords(words) {
    for (at_ = 0; at_ < words_.size(); ++at_) {
      take_empty_clause();
      if (!is_order) take_list();
      take_hop();
      parse_receipt();
      if (words_[at_].asks) take_guess();
    }
    const auto is_taken = [](const PlainWord& one) { return one == kTaken; };
    if (!words_.empty() && ranges::all_of(words_, is_taken)) refuse_word(words_.front().typed);
  }

  const std::vector<PlainWord>& words() const { return words_; }

  std::vector<std::string> left_out;  ///< As they were typed.
  std::string against;                ///< The algorithm behind "than" or "beats".
  bool compares = false;              ///< Asks for what is faster, or needs less.

 private:
  bool has(int clause, std::string_view list) const {
    return ranges::any_of(words_, [&](const PlainWord& one) {
      return one.clause == clause && is_one_of(one.text, list);
    });
  }
  void take(std::size_t from, std::size_t end, bool is_said) {
    std::string typed = take_out(from, end);
    if (is_said) left_out.push_back(std::move(typed));
  }

  // "does that change nothing", beside a clause that says a change
  void take_empty_clause() {
    if (!words_[at_].asks || !is(at_, kNegations)) return;
    bool is_only = true;
    for (const PlainWord& one : words_) {
      if (one == kTaken) continue;
      if (one.clause != words_[at_].clause) is_only = false;
      else if (!is_ordinary(one.text) && !is_one_of(one.text, kNegations)) return;
    }
    if (!is_only) take(at_, at_ + 1, false);
  }

  // "3 to 2 to 1" says nothing, "0 1 2 3 7 6 5 4" is an order.
  void take_list() {
    const int clause = words_[at_].clause;
    const bool has_noun = at_ > 0 && (is(at_ - 1, kRankWords) || is(at_ - 1, "order | between"));
    if (!is_number(word(at_)) || has_noun || has(clause, kLinkWords) || has(clause, kCutWords) ||
        has(clause, kSlowWords))
      return;
    std::size_t end = at_ + 1, count = 1;
    for (; is_number(word(end)) || (is(end, "to and or") && is_number(word(end + 1))); ++end)
      count += is_number(word(end)) ? 1 : 0;
    const bool is_plain = end - at_ == count;
    const bool of_something = joined(at_, end) && word(end) != "..." && !is_ordinary(word(end));
    if (count < 2 || of_something) return;
    if (is_plain && count > 3)
      words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_),
                    {"order", "order", false, clause});
    else if (!is_plain) take(at_, end, true);
    at_ = end - 1;
  }

  // "rank 3 sends to rank 4" describes the run.
  void take_hop() {
    if (word(at_) != "rank" || !is_number(word(at_ + 1)) || has(words_[at_].clause, kLinkWords) ||
        has(words_[at_].clause, kSlowWords))
      return;
    std::size_t to = at_ + 2;
    while (to < words_.size() && is_ordinary(word(to))) ++to;
    if (word(to) == "to" && is(to + 1, "rank") && is_number(word(to + 2))) take(at_, to + 3, true);
  }

  // "A send only comes back after the other side has received it."
  void parse_receipt() {
    constexpr std::string_view kPartners =
        "other receiver neighbour neighbor neighbours partner peer";
    if (!is(at_, "after until once till")) return;
    bool by_partner = false;
    for (std::size_t i = at_ + 1; joined(at_, i); ++i) {
      by_partner = by_partner || is(i, kPartners);
      if (!by_partner || !is(i, kReceivedWords) || is(i, "receiver")) continue;
      take(at_ + 1, i + 1, false);
      words_[at_].text = "rendezvous";
      return;
    }
  }

  // "4 times faster", "one more step", "fewer messages", "than the torus", "come out right"
  void take_guess() {
    constexpr std::string_view kMore =
        "slower faster quicker longer shorter cheaper better worse more less fewer larger bigger "
        "smaller higher lower later sooner";
    constexpr std::string_view kResults =
        "step steps round rounds message messages time times work hop hops traffic bytes";
    if (words_[at_].compared) {
      if (against.empty() && is_algorithm(word(at_))) against = word(at_);
      compares = true;
      return take(at_, at_ + 1, false);
    }
    if (word(at_) == "right" && (at_ == 0 || word(at_ - 1) != "to"))
      return take(at_, at_ + 1, false);
    std::size_t end = at_;
    const bool is_count =
        (is_number(word(end)) && (at_ == 0 || !is(at_ - 1, kRankWords))) || word(end) == "one";
    const bool is_factor = is_count ? is(end + 1, "times x") : factor_of(word(end)) != 1;
    end += is_count && is_factor ? 2 : is_count || is_factor ? 1 : 0;
    const bool counts = end > at_;
    while (counts && is(end, "as many much")) ++end;
    if (is_factor && !joined(at_, end)) return take(at_, end, true);  // "twice as long"
    if (at_ > 0 && is(at_ - 1, kRankWords) && is(at_, "more less fewer")) return;
    const bool is_more = is(end, kMore);
    const bool results = is(end, kResults) || is(end + (is_more ? 1 : 0), kResults);
    // "faster links" names a change.
    const bool is_noun = is_more && end + 1 < words_.size() && words_[end + 1].follows &&
                         !words_[end + 1].compared &&
                         (is(end + 1, kRankWords) || is(end + 1, kLinkWords) ||
                          is(end + 1, "network latency bandwidth data vector vectors") ||
                          (is(end + 1, "message messages") && !is(end, "more less fewer")));
    if (is_noun ||
        !(is_more || (counts && results) || (is_factor && is(end, "fast quick long slow good"))))
      return;
    compares = compares || is_more;
    if (is_more && results && words_[end + 1].follows) ++end;
    if (counts && is(end + 1, "or") && is_number(word(end + 2))) end += 2;  // "3 steps or 7"
    take(at_, end + 1, counts);
  }

  std::size_t at_ = 0;
};

}  // namespace

ParsedJob parse_job(const JobSpec& job, std::string_view typed) {
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
    try {
      leave_out_replaced(words);
      const Guesses guesses(words, is_order);
      ParsedJob parsed = parse_words(job, guesses.words(), text);
      if (!left_out.empty() && (parsed.whole || parsed.job == job)) break;
      if (guesses.compares) {
        const auto* const other =
            algorithm_called(guesses.against, traits_of_job(parsed.job), false);
        parsed.against = other == nullptr ? job.call.algorithm : std::string(other->name);
      }
      for (const std::string& guess : guesses.left_out) leave_out(guess);
      for (const std::string& words_without_effect : parsed.unclear)
        leave_out(words_without_effect);
      parsed.reading = mended + (mended.empty() || left_out.empty() ? "" : ", ") + left_out;
      return parsed;
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

ParsedJob job_to_run(const JobSpec& now, std::string_view text) {
  ParsedJob parsed = parse_job(now, text);
  if (!parsed.whole) return parsed;
  JobSpec usual;
  usual.call.algorithm = now.call.algorithm;
  return parse_job(usual, text);
}

}  // namespace rankscope::gui
