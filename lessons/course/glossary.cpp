// Reads the glossary, checks it against the lessons, and links its words in HTML.
#include "lessons/course/glossary.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "engine/toml/toml_source.h"
#include "lessons/course/course.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

bool is_letter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80 || c == '_' || c == '-';
}

/// Returns where a text has this whole word first; npos if nowhere.
std::size_t find_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_letter(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !is_letter(text[end]))) return at;
  }
  return std::string::npos;
}

std::vector<std::string> forms_of(const GlossaryWord& word) {
  std::vector<std::string> out{ascii_lower(word.name)};
  for (const std::string& form : word.also) out.push_back(ascii_lower(form));
  return out;
}

/// Returns a lesson's main texts in lower case: no hints, captions of figures or words on known mistakes.
std::string text_of(const Lesson& lesson) {
  std::string out = lesson.title + "\n" + lesson.summary + "\n";
  for (const std::string& goal : lesson.goals) out += goal + "\n";
  for (const Step& step : lesson.steps) {
    out += step.title + "\n";
    for (const Block& block : step.blocks) out += block.title + "\n" + block.text + "\n";
  }
  for (const Question& question : lesson.questions) {
    out += question.title + "\n" + question.prompt + "\n" + question.explanation + "\n";
    for (const std::string& hint : question.hints) out += hint + "\n";
    for (const Misconception& one : question.misconceptions) out += one.says + "\n";
  }
  for (const CodingExercise& exercise : lesson.coding) out += exercise.contract + "\n";
  for (const LessonRun& run : lesson.runs) out += run.caption + "\n";
  for (const LessonFigure& figure : lesson.figures) out += figure.caption + "\n";
  return ascii_lower(out);
}

/// Returns the end of a part without links: a tag, or all of a heading, code, a link, a summary.
std::size_t end_of_tag(const std::string& html, const std::string& low, std::size_t at) {
  for (const std::string_view name :
       {"h1", "h2", "h3", "h4", "code", "pre", "a", "summary", "th", "svg"}) {
    const std::string open = fmt::format("<{}", name);
    if (low.compare(at, open.size(), open) != 0) continue;
    const char next = at + open.size() < low.size() ? low[at + open.size()] : '>';
    if (next != '>' && next != ' ') continue;
    const auto end = low.find(fmt::format("</{}>", name), at);
    if (end != std::string::npos) return end;
  }
  const auto end = html.find('>', at);
  return end == std::string::npos ? html.size() : end + 1;
}

/// Returns the place and length of the first use outside of tags.
std::optional<std::pair<std::size_t, std::size_t>> first_use(const std::string& html,
                                                             const std::string& low,
                                                             const GlossaryWord& word) {
  const auto forms = forms_of(word);
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '<') {
      at = end_of_tag(html, low, at);
      continue;
    }
    const std::size_t end = std::min(html.find('<', at), html.size());
    const std::string text = low.substr(at, end - at);
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (const std::string& form : forms)
      if (const auto found = find_word(text, form);
          found != std::string::npos && (!best || at + found < best->first))
        best = std::pair(at + found, form.size());
    if (best) return best;
    at = end;
  }
  return std::nullopt;
}

}  // namespace

std::vector<GlossaryWord> read_glossary(const fs::path& content, Complaints& complaints) {
  std::error_code error;
  if (!fs::exists(content / "glossary.toml", error)) return {};
  const auto source = read_toml(content / "glossary.toml", "glossary.toml", complaints);
  if (!source) return {};
  TomlNode root(source, complaints);
  std::vector<GlossaryWord> out;
  for (TomlNode& node : root.at("word").elements()) {
    GlossaryWord word;
    word.line = node.line();
    word.name = node.required_text("name");
    word.also = node.texts("also");
    word.says = node.required_text("says");
    word.lesson = node.required_text("lesson");
    word.see = node.texts("see");
    word.link = node.flag("link", true);
    node.finish();
    out.push_back(std::move(word));
  }
  root.finish();
  ranges::stable_sort(out, {}, [](const GlossaryWord& one) { return ascii_lower(one.name); });
  return out;
}

const GlossaryWord& glossary_word(const std::vector<GlossaryWord>& words, std::string_view name) {
  const std::string wanted = ascii_lower(name);
  std::vector<std::string> known;
  for (const GlossaryWord& word : words) {
    known.push_back(word.name);
    if (ascii_lower(word.name) == wanted) return word;
  }
  for (const GlossaryWord& word : words)
    if (const auto forms = forms_of(word); ranges::find(forms, wanted) != forms.end()) return word;
  for (const GlossaryWord& word : words)
    known.insert(known.end(), word.also.begin(), word.also.end());
  throw UserError(fmt::format("the glossary has no word '{}'{}; `rankscope glossary` lists them",
                              escaped(name), nearest_hint(name, known)));
}

void check_glossary(const LessonLibrary& library, Complaints& complaints) {
  const auto words = read_glossary(library.root() / "content", complaints);
  std::set<std::string> names;
  for (const GlossaryWord& word : words) names.insert(ascii_lower(word.name));
  std::set<std::string> seen;
  for (const GlossaryWord& word : words) {
    const auto complain = [&](const std::string& text) {
      complaints.add("glossary.toml", word.line, fmt::format("word '{}': {}", word.name, text));
    };
    if (!seen.insert(ascii_lower(word.name)).second) complain("is there twice");
    for (const std::string& other : word.see)
      if (!names.contains(ascii_lower(other)))
        complain(fmt::format("see: there is no word '{}'", other));
    const Lesson* const lesson = library.find(word.lesson);
    if (lesson == nullptr) {
      if (!word.lesson.empty()) complain(fmt::format("there is no lesson '{}'", word.lesson));
      continue;
    }
    const std::string text = text_of(*lesson);
    const auto forms = forms_of(word);
    if (ranges::none_of(forms, [&](const std::string& form) {
          return find_word(text, form) != std::string::npos;
        }))
      complain(fmt::format("the lesson '{}' never uses it: name the one that introduces it",
                           word.lesson));
  }
}

std::string link_words(std::string html, const std::vector<GlossaryWord>& words,
                       std::vector<const GlossaryWord*>& used) {
  // Longer names first: "world size" before "size".
  std::vector<const GlossaryWord*> order;
  for (const GlossaryWord& word : words)
    if (word.link && ranges::find(used, &word) == used.end()) order.push_back(&word);
  ranges::stable_sort(order, std::greater{}, [](const auto* one) { return one->name.size(); });
  for (const GlossaryWord* word : order) {
    const auto use = first_use(html, ascii_lower(html), *word);
    if (!use) continue;
    const std::string link =
        fmt::format("<a class=\"word\" href=\"#word-{}\" title=\"{}\">{}</a>", word->line,
                    xml_escaped(word->says), html.substr(use->first, use->second));
    html.replace(use->first, use->second, link);
    used.push_back(word);
  }
  return html;
}

}  // namespace rankscope
