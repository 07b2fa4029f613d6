// Copies a lesson's folder without answers, notes and anything not known to be harmless.
#include "lessons/handout/student_copy.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/toml/toml_source.h"
#include "engine/toml/toml_text.h"
#include "lessons/course/read_lesson.h"
#include "lessons/grading/grade.h"
#include "lessons/handout/giveaways.h"
#include "lessons/text/sealing.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The keys that a student's copy keeps. A list of these is safer than one of omissions: a new key is left out until somebody
// has thought about it. KindKey::students says which keys of a kind stay.
constexpr const char* kOfLesson[] = {"title", "summary",       "minutes", "goals",
                                     "step",  "prerequisites", "figure"};
constexpr const char* kOfQuestion[] = {"id",     "kind",      "title", "points", "covers",
                                       "prompt", "variables", "where", "hints",  "attempts"};
constexpr const char* kOfCoding[] = {"id",      "title",  "points", "covers", "contract",
                                     "starter", "repair", "hints",  "file",   "cpp_file"};
// A program is judged by its exercise's rules, which the contract says in words; no right answer is in them.
constexpr const char* kOfProgram[] = {"id",      "title",  "points",  "covers", "contract",
                                      "starter", "repair", "hints",   "file",   "cpp_file",
                                      "call",    "rule",   "defining"};
constexpr const char* kOfHandIn[] = {"deadline", "closes"};
constexpr const char* kOfCourse[] = {"title", "summary", "part", "feedback", "file"};

template <std::size_t N>
json only(const json& table, const char* const (&keys)[N]) {
  json out = json::object();
  for (const char* key : keys)
    if (table.contains(key)) out[key] = table[key];
  return out;
}

json as_list(const json& table, const char* key) {
  if (!table.contains(key)) return json::array();
  return table[key].is_array() ? table[key] : json::array({table[key]});
}

json for_students(const json& table, std::span<const KindKey> keys) {
  json out = json::object();
  for (const KindKey& key : keys) {
    const std::string name(key.name);
    if (key.students && key.in_copy != nullptr) out[name] = key.in_copy(table);
    if (!key.students || key.in_copy != nullptr || !table.contains(name)) continue;
    if (key.parts.empty()) {
      out[name] = table[name];
      continue;
    }
    out[name] = json::array();
    for (const json& one : as_list(table, name.c_str()))
      if (one.is_object()) out[name].push_back(for_students(one, key.parts));
  }
  return out;
}

// The formulas in a student's copy: "{N}" and "{=2*N}" in texts, values "=2*N". Words of a text do not count,
// nor does the domain of an answer, which has its own variables.
std::string formulas_in(const json& value) {
  std::string out;
  if (value.is_structured()) {
    for (const auto& [key, item] : value.items())
      if (!value.is_object() || (key != "domain" && key != "condition")) out += formulas_in(item);
    return out;
  }
  if (!value.is_string()) return out;
  const std::string& text = value.get_ref<const std::string&>();
  if (text.starts_with("=")) return text + " ";
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find('}', open);
    if (close == std::string::npos) break;
    const std::string inside = text.substr(open + 1, close - open - 1);
    const bool name = !inside.empty() && ranges::all_of(inside, in_name);
    if (name || inside.starts_with("=")) out += inside + " ";
  }
  return out;
}

int least_of(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// Reduces the values of each variable to the drawn one, so that the copy has no neighbour's numbers.
void fix_numbers(json& copy, const Question& question, std::uint64_t seed) {
  if (!copy.contains("variables") || !copy["variables"].is_object()) return;
  const Variant variant = variant_of(question, seed);
  for (auto& [name, values] : copy["variables"].items()) {
    const auto drawn = variant.values.find(name);
    if (drawn == variant.values.end()) continue;
    const double value = drawn->second;
    constexpr double kMostWhole = 0x1p53;
    const bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
    values = json::array({whole ? json(static_cast<std::int64_t>(value)) : json(value)});
  }
}

// Adds attempts, hints and seals as the lecturer allows.
void add_feedback(json& copy, const Question& question, const std::vector<SealedGroup>* groups,
                  const CopySettings& settings) {
  if (!settings.feedback) return;
  const CourseFeedback& feedback = *settings.feedback;
  if (const int attempts = least_of(question.attempts, feedback.attempts); attempts > 0)
    copy["attempts"] = attempts;
  if (feedback.hints >= 0 && copy.contains("hints") && copy["hints"].is_array())
    while (copy["hints"].size() > static_cast<std::size_t>(feedback.hints))
      copy["hints"].erase(copy["hints"].size() - 1);
  if (groups != nullptr && !groups->empty())
    copy["sealed"] = sealed_json(*groups, settings.cost, settings.own);
}

// The computed variables that the copy needs; the others may tell the answer.
json needed(const json& let, std::string formulas) {
  json out = json::object();
  if (!let.is_object()) return out;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [name, rule] : let.items()) {
      if (out.contains(name) || !has_name(formulas, name)) continue;
      out[name] = rule;
      formulas += " " + dump_json(rule);
      more = true;
    }
  }
  return out;
}

// The texts of `key` as the question shows them, before their numbers are filled in.
json shuffled(const Question& question, const std::string& key, LessonRuns& runs) {
  Question numbered = question;
  json& items = numbered.data[key];
  const json texts = items;
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::to_string(i);
  json out = json::array();
  const AnswerForm form = question.kind->form(numbered, variant_of(question, 0), runs);
  for (const std::string& number : form.fields.front().options)
    out.push_back(texts.at(std::stoul(number)));
  return out;
}

json copy_of_question(const json& table, const Lesson& lesson, const json& all_runs,
                      LessonRuns& runs) {
  json out = only(table, kOfQuestion);
  const Question* question = lesson.find_question(table.value("id", ""));
  if (question == nullptr || question->kind == nullptr)
    throw UserError("the lesson has mistakes: `rankscope lesson check` lists them");
  const auto keys = question->kind->row().keys;
  out.update(for_students(table, keys));
  for (const KindKey& key : keys) {
    if (!key.in_order) continue;
    out[std::string(key.name)] = shuffled(*question, std::string(key.name), runs);
    out["shuffled"] = true;
  }
  const auto close = [&](const char* key, std::string_view text) {
    out[key] = closed_text(text, lesson.slug + "/" + question->id + "/" + key);
  };
  if (table.contains("let")) {
    std::string formulas = formulas_in(out) + out.value("where", "");
    if (out.contains("run") && all_runs.is_object() && all_runs.contains(out["run"]))
      formulas += " " + formulas_in(all_runs[out["run"].get<std::string>()]);
    const json let = needed(table["let"], std::move(formulas));
    if (!let.empty()) close("let", dump_json(let));
  }
  if (out.contains("domain")) close("domain", dump_json(out["domain"]));
  // "k < 2*(N-1)" says how many messages there are. So may a domain, "0..log2(N)-1", and what is computed.
  if (out.contains("where")) close("where", out.value("where", ""));
  return out;
}

std::set<std::string> runs_needed(const json& copy, const Lesson& lesson) {
  std::set<std::string> out;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks)
      if (block.kind == Block::Kind::run) out.insert(block.id);
  for (const LessonFigure& figure : lesson.figures) out.insert(figure.run);
  for (const json& question : copy["question"])
    if (question.contains("run") && question["run"].is_string())
      out.insert(question["run"].get<std::string>());
  return out;
}

void write_file(const fs::path& folder, const fs::path& name, std::string_view text) {
  if (!stays_inside(folder, name.string()))
    throw UserError(fmt::format("'{}' must lie in the lesson's folder", name.string()));
  const fs::path path = folder / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out || error) throw UserError(fmt::format("cannot write '{}'", path.string()));
}

// An exercise whose words do not tell what a question of its lesson asks for. Its rules are closed: "xor", or a limit of
// 2*ceil(log2(N)), is an answer.
json copy_of_program(json out, const Lesson& lesson) {
  const auto clean = [&](json& text) {
    if (text.is_string()) text = without_asked_formulas(text.get<std::string>(), lesson);
  };
  for (const char* key : {"contract", "title"})
    if (out.contains(key)) clean(out[key]);
  if (out.contains("hints") && out["hints"].is_array())
    for (json& hint : out["hints"]) clean(hint);
  if (!out.contains("rule") || !out["rule"].is_array()) return out;
  for (json& rule : out["rule"])
    if (rule.contains("says")) clean(rule["says"]);
  json rules = {{"rule", out["rule"]}};
  out.erase("rule");
  if (out.contains("defining")) rules["defining"] = out["defining"];
  out.erase("defining");
  out["rules"] = closed_text(dump_json(rules), lesson.slug + "/" + out.value("id", "") + "/rules");
  return out;
}

/// Returns whether the block is a text or drawing that opens with an answer, which a copy cannot keep closed.
bool is_withheld(const Lesson& lesson, const Block& block) {
  if (block.after.empty() || block.kind == Block::Kind::run) return false;
  const LessonFigure* const figure = lesson.find_figure(block.id);
  return block.kind == Block::Kind::reveal || (figure != nullptr && !figure->file.empty());
}

/// Returns whether the figure is a drawing that each page withholds.
bool is_withheld(const Lesson& lesson, const LessonFigure& figure) {
  bool withheld = false;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks) {
      if (block.kind != Block::Kind::figure || block.id != figure.id) continue;
      withheld = is_withheld(lesson, block);
      if (!withheld) return false;
    }
  return withheld;
}

// A lesson.toml without keys: neither answers, explanations, known mistakes, stored answers nor rubrics. Items to be
// ordered are shuffled, as everybody sees them.
json student_copy_of(const json& table, const Lesson& lesson, LessonRuns& runs,
                     const CopySettings& settings, const SealedKeys& keys) {
  if (lesson.student_copy && settings.seed != 0)
    throw UserError(
        fmt::format("the lesson {} is a student's copy: pack the whole lesson", lesson.slug));
  if (lesson.student_copy) return table;
  json out = only(table, kOfLesson);
  out["student_copy"] = true;
  for (const LessonFigure& figure : lesson.figures)
    if (is_withheld(lesson, figure)) out["figure"].erase(figure.id);
  const json all_runs = table.value("run", json::object());
  json questions = json::array(), coding = json::array();
  for (const json& one : as_list(table, "question")) {
    questions.push_back(copy_of_question(one, lesson, all_runs, runs));
    json& copy = questions.back();
    const std::string id = copy.value("id", "");
    const auto groups = keys.find(lesson.slug + "/" + id);
    add_feedback(copy, *lesson.find_question(id), groups == keys.end() ? nullptr : &groups->second,
                 settings);
    if (settings.seed != 0) fix_numbers(copy, *lesson.find_question(id), settings.seed);
  }
  if (settings.seed != 0) out["copy"] = {{"student", settings.student}, {"seed", settings.seed}};
  const bool programs = !settings.feedback || settings.feedback->programs;
  for (const json& one : as_list(table, "coding"))
    coding.push_back(
        copy_of_program(programs ? only(one, kOfProgram) : only(one, kOfCoding), lesson));
  if (settings.feedback && !settings.feedback->from.empty())
    out["feedback"]["from"] = settings.feedback->from;
  out["question"] = questions;
  if (!coding.empty()) out["coding"] = coding;
  json shown = json::object();
  for (const std::string& id : runs_needed(out, lesson))
    if (all_runs.contains(id)) shown[id] = all_runs[id];
  // The best placement of the ranks is an answer.
  if (!shown.empty()) out["runs"] = closed_text(dump_json(shown), lesson.slug + "//runs");
  return out;
}

/// Returns the page's text without the lecturer's notes and what is withheld.
std::string page_for_students(const Lesson& lesson, const Step& step) {
  const std::string text_of_page = read_lesson_file(lesson.folder, step.file);
  std::string_view markdown = text_of_page;
  std::string out;
  bool in_note = false, in_code = false;
  for (int number = 1; !markdown.empty(); ++number) {
    const bool withheld = ranges::any_of(step.blocks, [&](const Block& block) {
      return block.line == number && is_withheld(lesson, block);
    });
    const auto end = std::min(markdown.find('\n'), markdown.size() - 1);
    const std::string_view line = markdown.substr(0, end + 1);
    markdown.remove_prefix(end + 1);
    const auto first = line.find_first_not_of(" \t\r\n");
    const std::string_view text = first == std::string_view::npos ? "" : line.substr(first);
    if (text.starts_with("```") || text.starts_with("~~~")) in_code = !in_code;
    const bool fence = !in_code && text.starts_with(":::");
    const auto word = fence ? text.find_first_not_of(" \t\r\n", 3) : std::string_view::npos;
    if (fence && word != std::string_view::npos &&
        (withheld || text.substr(word).starts_with("note")))
      in_note = true;
    if (!in_note && !withheld) out += line;
    if (fence && word == std::string_view::npos) in_note = false;
  }
  return out;
}

void pack_lesson(const Lesson& lesson, const fs::path& into, LessonRuns& runs,
                 const CopySettings& settings, const SealedKeys& keys) {
  Complaints complaints;
  read_lesson(lesson.folder, complaints);
  const auto source = read_toml(lesson.folder / "lesson.toml", "lesson.toml", complaints);
  if (!source || !complaints.empty())
    throw UserError(fmt::format("the lesson {} has mistakes, so no copy of it is made:\n{}",
                                lesson.slug, complaints.to_string()));
  runs.know(lesson.runs);
  write_file(into, "lesson.toml",
             to_toml(student_copy_of(source->root, lesson, runs, settings, keys)));
  const auto copy = [&](const std::string& file) {
    if (!file.empty()) write_file(into, file, read_lesson_file(lesson.folder, file));
  };
  for (const Step& step : lesson.steps)
    write_file(into, step.file, page_for_students(lesson, step));
  for (const LessonFigure& figure : lesson.figures)
    if (!is_withheld(lesson, figure)) copy(figure.file);
  for (const CodingExercise& exercise : lesson.coding) copy(exercise.starter);
}

// Tells the student how to begin, and how to hand in.
std::string letter(const fs::path& folder, const std::vector<fs::path>& courses) {
  const std::string name = folder.string();
  const std::string course = courses.size() == 1 ? courses.front().stem().string() : "";
  std::string out = fmt::format(
      "A student's copy of lessons, for rankscope.\n\n"
      "In the window, from the folder above this one:\n\n    rankscope-gui \"{0}\"\n\n"
      "In a terminal:\n\n    export RANKSCOPE_LESSONS=\"$PWD/{0}\"\n    rankscope lesson {1}\n",
      name, course.empty() ? "list" : "run " + course);
  if (!course.empty())
    out += fmt::format(
        "\nTo hand in: Lesson > Hand in in the window, or\n\n    rankscope lesson hand-in {}\n",
        course);
  return out;
}

}  // namespace

SealedKeys seal_keys(const std::vector<const Lesson*>& lessons, const SealCost& cost,
                     const std::function<bool(std::size_t done, std::size_t all)>& done) {
  std::vector<std::pair<std::string, const Question*>> all;
  for (const Lesson* lesson : lessons)
    for (const Question& question : lesson->questions)
      if (question.kind == &formula_kind() && !question.student_copy)
        all.emplace_back(lesson->slug + "/" + question.id, &question);
  std::vector<std::vector<SealedGroup>> groups(all.size());
  std::atomic<std::size_t> next{0}, ready{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::string fault;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size() && !stop; i = next++) {
      try {
        groups[i] = seal_formula(*all[i].second, cost);
      } catch (const UserError& error) {
        const std::lock_guard lock(mutex);
        fault = error.what();
        stop = true;
      }
      ++ready;
    }
  };
  std::vector<std::thread> threads;
  // Each thread needs the memory of a guess.
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1U, 4U); ++i)
    threads.emplace_back(work);
  while (ready < all.size() && !stop) {
    if (done && !done(ready, all.size())) stop = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (std::thread& thread : threads) thread.join();
  if (!fault.empty()) throw UserError(fault);
  if (stop) throw UserError("stopped: nothing was written");
  SealedKeys out;
  for (std::size_t i = 0; i < all.size(); ++i) out[all[i].first] = std::move(groups[i]);
  return out;
}

void pack_for_students(const std::vector<const Lesson*>& lessons,
                       const std::vector<fs::path>& courses, const fs::path& folder,
                       LessonRuns& runs, const CopySettings& settings, const SealedKeys& keys) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw UserError(fmt::format("'{}' is there already: choose another folder, or remove it first",
                                folder.string()));
  NewFolder draft(folder);
  fs::create_directories(draft.path(), error);
  std::set<fs::path> names;
  const auto once = [&](const fs::path& name) {
    if (!names.insert(name).second)
      throw UserError(fmt::format("two of them are called '{}': give one another name",
                                  name.filename().string()));
    return draft.path() / name;
  };
  for (const Lesson* lesson : lessons)
    pack_lesson(*lesson, once("content" / lesson->folder.filename()), runs, settings, keys);
  if (!lessons.empty()) {
    const fs::path words = lessons.front()->folder.parent_path() / "glossary.toml";
    if (fs::exists(words, error)) fs::copy_file(words, draft.path() / "content/glossary.toml");
  }
  for (const fs::path& course : courses) {
    Complaints complaints;  // written again: comments are the lecturer's
    const auto source = read_toml(course, course.filename().string(), complaints);
    if (!source) throw UserError(complaints.to_string());
    once("courses" / course.filename());
    json copy = only(source->root, kOfCourse);
    if (source->root.contains("hand_in"))  // the dates are the student's, too
      copy["hand_in"] = only(source->root["hand_in"], kOfHandIn);
    write_file(draft.path() / "courses", course.filename(), to_toml(copy));
  }
  if (!settings.answers.empty()) write_file(draft.path(), "answers.toml", settings.answers);
  write_file(draft.path(), "README.txt", letter(folder.filename(), courses));
  draft.finish(draft.path());
}

}  // namespace rankscope
