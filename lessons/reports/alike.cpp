// Finds programs that are too alike: tokens, fingerprints, common passages.
#include "lessons/reports/alike.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/reports/report_html.h"

namespace rankscope {
namespace {

using Words = std::unordered_set<std::size_t>;

constexpr std::size_t kManySpots =
    64;  // of a fingerprint in a program; more are a table of numbers

std::size_t word_of(std::string_view text) { return std::hash<std::string_view>()(text); }

bool of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class TokenReader {
 public:
  std::vector<CodeToken> read(const std::vector<std::string>& lines, CodeLanguage language) {
    const auto spans = code_spans(lines, language);
    for (line_ = 0; line_ < lines.size(); ++line_) {
      const bool only_text = ranges::all_of(spans[line_], [&](const CodeSpan& span) {
        return span.ink == CodeInk::text || span.ink == CodeInk::comment ||
               lines[line_].find_first_not_of(" \t", span.begin) >= span.end;
      });
      if (only_text) continue;
      for (const CodeSpan& span : spans[line_]) add(lines[line_], span);
    }
    return std::move(out_);
  }

 private:
  void put(std::size_t word, std::size_t begin, std::size_t end) {
    out_.push_back({word, line_, begin, end});
  }
  void add(const std::string& line, const CodeSpan& span) {
    static const std::size_t kText = word_of("\"text\""), kNumber = word_of("\"number\"");
    const std::string_view text = std::string_view(line).substr(span.begin, span.end - span.begin);
    switch (span.ink) {
      case CodeInk::comment: return;
      case CodeInk::text: return put(kText, span.begin, span.end);
      case CodeInk::number: return put(kNumber, span.begin, span.end);
      case CodeInk::keyword: return put(word_of(text), span.begin, span.end);
      case CodeInk::plain: break;
    }
    add_plain(text, span.begin);
  }
  void add_plain(std::string_view text, std::size_t at) {
    static const std::size_t kName = word_of("\"name\"");
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i + 1;
      if (of_name(text[i])) {
        while (end < text.size() && of_name(text[end])) ++end;
        put(kName, at + i, at + end);
      } else if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
        put(word_of(text.substr(i, 1)), at + i, at + end);
      }
      i = end;
    }
  }

  std::size_t line_ = 0;
  std::vector<CodeToken> out_;
};

/// A hash for each `length` tokens in a row.
std::vector<std::size_t> hashes_of(const std::vector<CodeToken>& tokens, std::size_t length) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i + length <= tokens.size(); ++i) {
    std::size_t hash = 0;
    for (std::size_t k = 0; k < length; ++k)
      hash = (hash ^ tokens[i + k].word) * 0x9E3779B97F4A7C15U + (hash >> 29);
    out.push_back(hash);
  }
  return out;
}

/// Returns the place of each window's least hash (the last of equal ones), each place once.
std::vector<std::size_t> winnowed(const std::vector<std::size_t>& hashes, std::size_t window) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + window > hashes.size() && i > 0) break;
    std::size_t least = i;
    for (std::size_t k = i; k < std::min(i + window, hashes.size()); ++k)
      if (hashes[k] <= hashes[least]) least = k;
    if (out.empty() || out.back() != least) out.push_back(least);
  }
  return out;
}

struct Fingerprints {
  std::vector<CodeToken> tokens;
  std::vector<std::size_t> hashes;
  std::vector<bool> given;  ///< By token: whether it is in a passage that everybody had.
  std::size_t own = 0;      ///< The number of tokens that are not given.
  std::map<std::size_t, std::vector<std::size_t>> places;  ///< By fingerprint.
};

/// Returns the hashes that more than half of a class have, if the class is large enough.
Words of_everybody(const std::vector<Fingerprints>& all, const AlikeOptions& options) {
  Words out;
  if (all.size() < options.large_class) return out;
  std::unordered_map<std::size_t, std::size_t> count;
  for (const Fingerprints& one : all)
    for (const std::size_t hash : std::set<std::size_t>(one.hashes.begin(), one.hashes.end()))
      if (2 * ++count[hash] > all.size()) out.insert(hash);
  return out;
}

void mark_given(Fingerprints& one, const Words& known, const AlikeOptions& options) {
  one.given.assign(one.tokens.size(), false);
  for (std::size_t i = 0; i < one.hashes.size(); ++i)
    if (known.contains(one.hashes[i]))
      std::fill_n(one.given.begin() + static_cast<std::ptrdiff_t>(i), options.least, true);
  one.own = static_cast<std::size_t>(ranges::count(one.given, false));
  for (const std::size_t at : winnowed(one.hashes, options.sure - options.least + 1))
    if (!known.contains(one.hashes[at])) one.places[one.hashes[at]].push_back(at);
}

/// The passages that two programs have in common, the longest first, no token twice.
class Tiling {
 public:
  Tiling(const Fingerprints& a, const Fingerprints& b) : a_(a), b_(b) {}

  AlikePair of(std::size_t least) {
    find();
    ranges::stable_sort(found_, std::greater<>(), &Stretch::length);
    taken_a_.assign(a_.tokens.size(), false);
    taken_b_.assign(b_.tokens.size(), false);
    for (const Stretch& one : found_) take(one, least);
    out_.share_a = share(taken_a_, a_);
    out_.share_b = share(taken_b_, b_);
    out_.tokens = std::min(own(taken_a_, a_), own(taken_b_, b_));
    ranges::stable_sort(out_.passages, std::greater<>(), &AlikePassage::tokens);
    return std::move(out_);
  }

 private:
  struct Stretch {
    std::size_t a, b, length;
  };

  bool same(std::size_t i, std::size_t j) const { return a_.tokens[i].word == b_.tokens[j].word; }

  void find() {
    std::set<std::pair<std::size_t, std::size_t>> seen;  // where stretches begin
    for (const auto& [hash, places] : a_.places) {
      const auto other = b_.places.find(hash);
      if (other == b_.places.end() || places.size() * other->second.size() > kManySpots) continue;
      for (std::size_t i : places)
        for (std::size_t j : other->second) {
          std::size_t x = i, y = j;
          while (x > 0 && y > 0 && same(x - 1, y - 1)) --x, --y;
          if (!seen.insert({x, y}).second) continue;
          std::size_t length = 0;
          while (x + length < a_.tokens.size() && y + length < b_.tokens.size() &&
                 same(x + length, y + length))
            ++length;
          found_.push_back({x, y, length});
        }
    }
  }

  // Marks the parts of a stretch that are still free in both programs, if they have `least` tokens.
  void take(Stretch one, std::size_t least) {
    while (one.length >= least) {
      std::size_t length = 0;
      while (length < one.length && !taken_a_[one.a + length] && !taken_b_[one.b + length])
        ++length;
      if (length >= least) mark({one.a, one.b, length});
      one = {one.a + length + 1, one.b + length + 1,
             one.length > length ? one.length - length - 1 : 0};
    }
  }

  void mark(const Stretch& one) {
    AlikePassage passage{a_.tokens[one.a].line, a_.tokens[one.a + one.length - 1].line,
                         b_.tokens[one.b].line, b_.tokens[one.b + one.length - 1].line, 0};
    for (std::size_t k = 0; k < one.length; ++k) {
      taken_a_[one.a + k] = taken_b_[one.b + k] = true;
      passage.tokens += !a_.given[one.a + k];
    }
    if (passage.tokens > 0) out_.passages.push_back(passage);
  }

  static std::size_t own(const std::vector<bool>& taken, const Fingerprints& of) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) out += taken[i] && !of.given[i];
    return out;
  }
  static double share(const std::vector<bool>& taken, const Fingerprints& of) {
    return of.own == 0 ? 0 : static_cast<double>(own(taken, of)) / static_cast<double>(of.own);
  }

  const Fingerprints &a_, &b_;
  std::vector<Stretch> found_;
  std::vector<bool> taken_a_, taken_b_;
  AlikePair out_;
};

}  // namespace

std::vector<CodeToken> code_tokens(const std::vector<std::string>& lines, CodeLanguage language) {
  return TokenReader().read(lines, language);
}

std::vector<AlikePair> alike_pairs(const std::vector<AlikeProgram>& programs,
                                   const std::vector<AlikeProgram>& given,
                                   const AlikeOptions& options) {
  std::vector<Fingerprints> all;
  for (const AlikeProgram& program : programs) {
    Fingerprints& one = all.emplace_back();
    one.tokens = code_tokens(program.lines, program.language);
    one.hashes = hashes_of(one.tokens, options.least);
  }
  Words known = of_everybody(all, options);
  for (const AlikeProgram& text : given)
    for (const std::size_t hash : hashes_of(code_tokens(text.lines, text.language), options.least))
      known.insert(hash);
  for (Fingerprints& one : all) mark_given(one, known, options);

  std::map<std::size_t, std::vector<std::size_t>> who;  // has a fingerprint
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& [hash, places] : all[i].places) who[hash].push_back(i);
  std::set<std::pair<std::size_t, std::size_t>> candidates;
  for (const auto& [hash, some] : who)
    for (std::size_t i = 0; i < some.size(); ++i)
      for (std::size_t j = i + 1; j < some.size(); ++j) candidates.insert({some[i], some[j]});

  std::vector<AlikePair> out;
  for (const auto& [a, b] : candidates) {
    if (std::min(all[a].own, all[b].own) < options.tokens) continue;
    AlikePair pair = Tiling(all[a], all[b]).of(options.least);
    if (pair.share() < options.share || pair.tokens < options.tokens) continue;
    pair.a = a;
    pair.b = b;
    out.push_back(std::move(pair));
  }
  ranges::stable_sort(out, std::greater<>(), &AlikePair::share);
  return out;
}

namespace {

constexpr std::size_t kMostPairsShown = 100;

// Okabe and Ito's colours, which people who do not see all colours tell apart; each passage also has its number.
constexpr std::array<std::string_view, 6> kMarks = {"230,159,0",   "86,180,233", "0,158,115",
                                                    "204,121,167", "240,228,66", "213,94,0"};

constexpr std::string_view kAlikeStyle = R"(<style>
body{max-width:100rem}
.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.code{font:12px/1.45 "JetBrains Mono",ui-monospace,monospace;font-variant-ligatures:none;overflow-x:auto;background:var(--panel);
border:1px solid var(--line);border-radius:8px;padding:.5rem 0;margin:.25rem 0}
.code div{white-space:pre;min-height:1.45em;padding-right:.75rem;border-left:4px solid transparent}
.code i{display:inline-block;width:3rem;padding-right:.6rem;text-align:right;color:var(--muted);font-style:normal;
user-select:none}
.code b{display:inline-block;width:2.2rem;user-select:none}
@media print{.code div{white-space:pre-wrap}}
</style>
)";

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string name_of(const AlikeProgram& program) {
  return program.student.empty() ? program.folder : program.student;
}

/// Returns the number of each line's passage, from 1, in the first program or in the second.
std::map<std::size_t, std::size_t> passages_by_line(const AlikePair& pair, bool first) {
  std::map<std::size_t, std::size_t> out;
  for (std::size_t i = 0; i < pair.passages.size(); ++i) {
    const AlikePassage& one = pair.passages[i];
    for (std::size_t line = first ? one.first_a : one.first_b;
         line <= (first ? one.last_a : one.last_b); ++line)
      out.emplace(line, i + 1);  // the longest has the lines that two share
  }
  return out;
}

std::string program_html(const AlikeProgram& program, double share,
                         const std::map<std::size_t, std::size_t>& passages) {
  std::string out =
      fmt::format("<div><p><strong>{}</strong> · {} · {} in common</p>\n<div class=\"code\">\n",
                  xml_escaped(name_of(program)), xml_escaped(program.file), percent(share));
  std::size_t before = 0;
  for (std::size_t i = 0; i < program.lines.size(); ++i) {
    const auto found = passages.find(i);
    const std::size_t number = found == passages.end() ? 0 : found->second;
    std::string style;
    if (number > 0) {
      const std::string_view color = kMarks[(number - 1) % kMarks.size()];
      style = fmt::format(" style=\"background:rgba({0},.22);border-color:rgb({0})\"", color);
    }
    const bool begins = number > 0 && number != before;
    out += fmt::format("<div{}><i>{}</i><b>{}</b>{}</div>\n", style, i + 1,
                       begins ? fmt::format("[{}]", number) : "",
                       xml_escaped(with_directions_shown(program.lines[i])));
    before = number;
  }
  return out + "</div></div>\n";
}

std::string pair_html(const AlikeExercise& exercise, const AlikePair& pair, std::size_t number) {
  const AlikeProgram& a = exercise.programs[pair.a];
  const AlikeProgram& b = exercise.programs[pair.b];
  return fmt::format(
      "<h3 id=\"p{0}\"><span>{0}. {1} and {2}</span><span>{3}</span></h3>\n<div class=\"two\">\n"
      "{4}{5}</div>\n",
      number, xml_escaped(name_of(a)), xml_escaped(name_of(b)), xml_escaped(exercise.title),
      program_html(a, pair.share_a, passages_by_line(pair, true)),
      program_html(b, pair.share_b, passages_by_line(pair, false)));
}

}  // namespace

std::string alike_html(const std::vector<AlikeExercise>& exercises, std::string_view course) {
  std::string table, pairs;
  std::size_t number = 0, left_out = 0;
  for (const AlikeExercise& exercise : exercises)
    for (const AlikePair& pair : exercise.pairs) {
      if (number >= kMostPairsShown) {
        ++left_out;
        continue;
      }
      ++number;
      table += fmt::format(
          "<tr><td><a href=\"#p{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td class=\"n\">{3}</td>"
          "<td>{4}</td><td class=\"n\">{5}</td><td class=\"n\">{6}</td></tr>\n",
          number, xml_escaped(exercise.title), xml_escaped(name_of(exercise.programs[pair.a])),
          percent(pair.share_a), xml_escaped(name_of(exercise.programs[pair.b])),
          percent(pair.share_b), pair.tokens);
      pairs += pair_html(exercise, pair, number);
    }
  std::string out = fmt::format(
      "{}<h1>{}: programs that are alike</h1>\n"
      "<p>This is a list to look at, and no verdict. Two people who follow the same book write "
      "similar programs, and a short program leaves little choice. Names, numbers, texts, "
      "comments and layout do not count; what the starter has and what more than half of the class "
      "has is left out. Marked lines are in both programs; a number in brackets names the same "
      "passage on both sides.</p>\n",
      kAlikeStyle, xml_escaped(course));
  if (number == 0) return html_page(course, out + "<p>No pair is as alike as that.</p>\n");
  out +=
      "<div class=\"wide\"><table>\n<tr><th></th><th>exercise</th><th>program</th><th "
      "class=\"n\">in common</th><th>program</th><th class=\"n\">in common</th><th "
      "class=\"n\">words</th></tr>\n" +
      table + "</table></div>\n";
  if (left_out > 0) out += fmt::format("<p>{} more pairs are not shown.</p>\n", left_out);
  return html_page(course, out + pairs);
}

}  // namespace rankscope
