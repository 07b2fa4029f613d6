// Reads translations of lessons, puts them in the place of the English texts, and finds those that are out of date.
#include "lessons/course/translation.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/toml/toml_source.h"
#include "engine/toml/toml_text.h"
#include "lessons/text/encodings.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Visit = std::function<void(const std::string& key, std::string& text)>;

/// Visits the texts in the data of a question's kind; in objects only the members for readers.
void visit_data(json& data, const std::string& key, const Visit& visit) {
  if (data.is_string()) {
    visit(key, *data.get_ptr<json::string_t*>());
    return;
  }
  if (data.is_array())
    for (std::size_t i = 0; i < data.size(); ++i)
      visit_data(data[i], fmt::format("{}.{}", key, i + 1), visit);
  if (data.is_object())
    for (const char* member : {"text", "says"})
      if (data.contains(member)) visit_data(data[member], key + "." + member, visit);
}

/// Returns the places that a text fills in, sorted: "{N}", "{=N-1}".
std::vector<std::string> filled_in(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
    const auto end = text.find('}', at);
    if (end == text.npos) break;
    out.emplace_back(text.substr(at, end - at + 1));
  }
  ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Returns what a page shows besides text: ids, notes and reveals.
std::vector<std::string> pointers_of(const std::vector<Block>& blocks) {
  std::vector<std::string> out;
  for (const Block& block : blocks)
    if (!block.id.empty()) out.push_back(block.id);
    else if (block.kind == Block::Kind::note) out.emplace_back("note");
    else if (block.kind == Block::Kind::reveal) out.emplace_back("reveal");
  return out;
}

fs::path settings_file() { return user_config_file("language"); }

bool is_language(std::string_view name) {
  return name.size() >= 2 && name.size() <= 16 && ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-';
         });
}

/// Returns the folders for a locale or language tag (BCP 47), from the nearest to the widest: "de_DE.UTF-8" and "de-DE"
/// as "de_de" and "de".
/// Chinese is distinguished by its script in tags, and by a country in locales.
std::vector<std::string> languages_in(std::string_view tag) {
  std::string name(tag.substr(0, tag.find_first_of(".@")));
  if (!is_language(name) || name == "C" || name == "POSIX") return {};
  name = ascii_lower(name);
  ranges::replace(name, '-', '_');
  std::vector<std::string> out{name};
  if (name == "zh" || name.starts_with("zh_hans")) out.emplace_back("zh_cn");
  if (name.starts_with("zh_hant")) out.emplace_back("zh_tw");
  if (const auto cut = name.find('_'); cut != std::string::npos) out.push_back(name.substr(0, cut));
  return out;
}

/// Returns the known language that a tag means; empty if none.
std::string meant_language(const std::vector<std::string>& known, std::string_view tag) {
  for (const std::string& one : languages_in(tag)) {
    if (one == kEnglish) return one;
    for (const std::string& folder : known)
      if (ascii_lower(folder) == one) return folder;
  }
  return {};
}

}  // namespace

std::string text_mark(std::string_view english) { return hash_text(english).substr(0, 8); }

void for_each_text(Lesson& lesson, const Visit& visit_any) {
  const Visit visit = [&](const std::string& key, std::string& text) {
    if (!text.empty()) visit_any(key, text);
  };
  visit("title", lesson.title);
  visit("summary", lesson.summary);
  for (std::size_t i = 0; i < lesson.goals.size(); ++i)
    visit(fmt::format("goal.{}", i + 1), lesson.goals[i]);
  for (Step& step : lesson.steps) visit("step." + step.file + ".title", step.title);
  for (LessonRun& run : lesson.runs) visit("run." + run.id + ".caption", run.caption);
  for (LessonFigure& figure : lesson.figures)
    visit("figure." + figure.id + ".caption", figure.caption);
  for (Question& question : lesson.questions) {
    const std::string key = "question." + question.id + ".";
    visit(key + "title", question.title);
    visit(key + "prompt", question.prompt);
    for (std::size_t i = 0; i < question.hints.size(); ++i)
      visit(fmt::format("{}hint.{}", key, i + 1), question.hints[i]);
    visit(key + "explanation", question.explanation);
    for (Misconception& one : question.misconceptions)
      visit(key + "misconception." + one.id, one.says);
    for (const char* part : {"options", "items", "rubric", "right", "also", "model"})
      if (question.data.contains(part)) visit_data(question.data[part], key + part, visit);
  }
  for (CodingExercise& exercise : lesson.coding) {
    const std::string key = "coding." + exercise.id + ".";
    visit(key + "title", exercise.title);
    visit(key + "contract", exercise.contract);
    for (CodingRule& rule : exercise.rules) {
      const auto number = &rule - exercise.rules.data() + 1;
      visit(fmt::format("{}rule.{}", key, number), rule.says);
    }
  }
}

std::vector<std::string> languages_of(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "texts.toml", error))
      out.push_back(entry.path().filename().string());
  ranges::sort(out);
  return out;
}

Translation read_translation(const Lesson& lesson, const std::string& language,
                             Complaints& complaints) {
  Translation out;
  out.language = language;
  const fs::path folder = lesson.folder / language;
  const std::string name = (lesson.folder.filename() / language / "texts.toml").string();
  const auto source = read_toml(folder / "texts.toml", name, complaints);
  if (!source) return out;
  TomlNode root(source, complaints);
  out.name = root.required_text("language");
  TomlNode texts = root.at("texts"), of = root.at("of");
  for (const std::string& key : texts.keys()) out.texts[key] = texts.text(key);
  for (const std::string& key : of.keys()) out.of[key] = of.text(key);
  root.finish();
  for (const Step& step : lesson.steps)
    if (std::error_code error; !step.file.empty() && fs::exists(folder / step.file, error))
      out.texts[step.file] = read_lesson_file(lesson.folder, language + "/" + step.file);
  return out;
}

void translate(Lesson& lesson, const std::string& language) {
  if (language.empty() || language == kEnglish) return;
  const auto known = languages_of(lesson.folder);
  if (!is_language(language) || ranges::find(known, language) == known.end())
    throw UserError(fmt::format("the lesson {} is not there in '{}'; it is in {}{}", lesson.slug,
                                escaped(language), kEnglish,
                                known.empty() ? "" : fmt::format(", {}", fmt::join(known, ", "))));
  Complaints complaints;
  const Translation translation = read_translation(lesson, language, complaints);
  for_each_text(lesson, [&](const std::string& key, std::string& text) {
    if (const auto at = translation.texts.find(key); at != translation.texts.end())
      text = at->second;
  });
  for (Step& step : lesson.steps)
    if (const auto at = translation.texts.find(step.file); at != translation.texts.end())
      step.blocks = split_blocks(at->second, language + "/" + step.file, complaints);
  if (!complaints.empty()) throw UserError(complaints.to_string());
  lesson.language = language;
}

std::string remembered_language() {
  const fs::path file = settings_file();
  std::ifstream in(file);
  std::string language;
  if (file.empty() || !std::getline(in, language) || !is_language(language)) return {};
  return language;
}

void remember_language(const std::string& language) {
  if (!is_language(language))
    throw UserError(
        fmt::format("'{}' is no language: write it as \"de\" or \"zh_CN\"", escaped(language)));
  const fs::path file = settings_file();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file);
  if (file.empty() || !(out << language << '\n').flush())
    throw UserError(
        fmt::format("the language cannot be remembered in '{}': is HOME set, and may "
                    "you write there?",
                    file.string()));
}

std::string language_for(const Lesson& lesson, const std::string& asked) {
  const auto known = languages_of(lesson.folder);
  if (!asked.empty()) {
    const std::string meant = meant_language(known, asked);
    return meant.empty() ? asked : meant;  // translate() names the known ones
  }
  if (const std::string kept = meant_language(known, remembered_language()); !kept.empty())
    return kept;
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') continue;
    if (const std::string meant = meant_language(known, value); !meant.empty()) return meant;
    break;  // the first variable that is set decides
  }
  return std::string(kEnglish);
}

void check_translations(const Lesson& english, Complaints& complaints) {
  for (const std::string& language : languages_of(english.folder)) {
    const std::string file = (english.folder.filename() / language / "texts.toml").string();
    const Translation translation = read_translation(english, language, complaints);
    std::map<std::string, std::string> originals;
    Lesson copy = english;
    for_each_text(copy, [&](const std::string& key, std::string& text) { originals[key] = text; });
    for (const Step& step : english.steps)
      if (!step.file.empty()) originals[step.file] = read_lesson_file(english.folder, step.file);
    for (const auto& [key, text] : translation.texts) {
      const auto complain = [&](const std::string& words) {
        complaints.add(file, 0, fmt::format("'{}' {}", key, words));
      };
      const auto original = originals.find(key);
      if (original == originals.end()) {
        complain("is no text of the lesson");
        continue;
      }
      const auto mark = translation.of.find(key);
      const std::string now = text_mark(original->second);
      if (mark == translation.of.end() || mark->second != now)
        complain(
            fmt::format("was translated from another English text: compare them, and write "
                        "\"{}\" = \"{}\" under [of]",
                        key, now));
      if (!key.ends_with(".md") && filled_in(text) != filled_in(original->second))
        complain(fmt::format("fills in {}, and the English text {}",
                             dump_json(json(filled_in(text))),
                             dump_json(json(filled_in(original->second)))));
    }
    for (const Step& step : english.steps) {
      const auto page = translation.texts.find(step.file);
      if (page == translation.texts.end()) continue;
      const std::string name = (english.folder.filename() / language / step.file).string();
      if (pointers_of(split_blocks(page->second, name, complaints)) != pointers_of(step.blocks))
        complaints.add(name, 0, "shows other runs, questions or notes than the English page");
    }
  }
}

std::string translation_template(const Lesson& english, const std::string& language) {
  Complaints ignored;
  Translation translation;
  std::error_code error;
  if (fs::exists(english.folder / language / "texts.toml", error))
    translation = read_translation(english, language, ignored);
  json texts = json::object(), of = json::object();
  Lesson copy = english;
  for_each_text(copy, [&](const std::string& key, std::string& text) {
    const auto at = translation.texts.find(key);
    texts[key] = at == translation.texts.end() ? text : at->second;
    of[key] = text_mark(text);
  });
  for (const Step& step : english.steps)
    if (!step.file.empty()) of[step.file] = text_mark(read_lesson_file(english.folder, step.file));
  return to_toml({{"language", translation.name.empty() ? language : translation.name},
                  {"texts", std::move(texts)},
                  {"of", std::move(of)}});
}

FixedWords::FixedWords(const fs::path& content, const std::string& language) {
  std::error_code error;
  const fs::path file = content / "words" / (language + ".toml");
  if (language.empty() || !is_language(language) || !fs::exists(file, error)) return;
  Complaints complaints;
  const auto source = read_toml(file, file.filename().string(), complaints);
  if (!source) return;
  for (const auto& [english, text] : source->root.items())
    if (text.is_string()) words_[english] = text.get<std::string>();
}

std::string FixedWords::operator()(const std::string& english) const {
  const auto at = words_.find(english);
  return at == words_.end() ? english : at->second;
}

}  // namespace rankscope
