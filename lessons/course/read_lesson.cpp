// Reads a lesson's folder: lesson.toml, the Markdown of its pages, and the files that it names.
#include "lessons/course/read_lesson.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/course/locks.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/date_time.h"
#include "lessons/text/encodings.h"
#include "lessons/text/sealing.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Directive {
  std::string_view word;
  Block::Kind kind;
};
constexpr Directive kPointers[] = {{"@run", Block::Kind::run},
                                   {"@figure", Block::Kind::figure},
                                   {"@question", Block::Kind::question},
                                   {"@coding", Block::Kind::coding}};
constexpr Directive kFences[] = {{"note", Block::Kind::note}, {"reveal", Block::Kind::reveal}};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view part : split_at(text, " ,\t"))
    if (!part.empty()) words.emplace_back(part);
  return words;
}

class Splitter {
 public:
  Splitter(const std::string& file, Complaints& complaints)
      : file_(file), complaints_(complaints) {}

  void line(std::string_view raw) {
    ++number_;
    const std::string_view text = trimmed(raw);
    if (text.starts_with("```") || text.starts_with("~~~")) in_code_ = !in_code_;
    if (!in_code_ && text.starts_with(":::")) return fence(trimmed(text.substr(3)));
    if (!in_code_ && !fenced_ && text.starts_with("@") && pointer(text)) return;
    add_text(raw);
  }

  std::vector<Block> finish() {
    if (fenced_) complaints_.add(file_, fence_line_, "this ::: is not closed");
    end_text();
    return std::move(blocks_);
  }

 private:
  void fence(std::string_view rest) {
    end_text();
    if (rest.empty()) {
      if (!fenced_) complaints_.add(file_, number_, "::: closes nothing");
      fenced_.reset();
      return;
    }
    if (fenced_) complaints_.add(file_, number_, "::: inside of :::; close the first one");
    const std::string_view word = rest.substr(0, rest.find(' '));
    const auto found = ranges::find(kFences, word, &Directive::word);
    if (found == std::end(kFences))
      return complaints_.add(file_, number_,
                             fmt::format("'::: {}' is neither note nor reveal", word));
    fenced_ = Block{found->kind, "", "", std::string(trimmed(rest.substr(word.size()))), number_};
    fence_line_ = number_;
  }

  bool pointer(std::string_view text) {
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const auto found = ranges::find(kPointers, word, &Directive::word);
    if (found == std::end(kPointers)) return false;
    end_text();
    Block block{found->kind, "", "", "", number_};
    std::vector<std::string> words = words_of(text.substr(word.size()));
    if (words.empty()) complaints_.add(file_, number_, fmt::format("{} needs an id", word));
    else block.id = words.front();
    if (words.size() > 1) block.after = locked_by(block.kind, word, words);
    blocks_.push_back(std::move(block));
    return true;
  }

  // Reads the questions of "@run ID after QUESTION …".
  std::vector<std::string> locked_by(Block::Kind kind, std::string_view word,
                                     const std::vector<std::string>& words) {
    const bool opens = kind == Block::Kind::run || kind == Block::Kind::figure;
    if (opens && words[1] == "after" && words.size() > 2) return {words.begin() + 2, words.end()};
    complaints_.add(file_, number_,
                    opens ? fmt::format("\"{0} {1}\" may only go on with the questions that open "
                                        "it: \"{0} {1} after QUESTION\"",
                                        word, words[0])
                          : fmt::format("\"{} {}\" ends with its id", word, words[0]));
    return {};
  }

  void add_text(std::string_view raw) {
    if (text_.empty()) {
      if (trimmed(raw).empty()) return;
      text_line_ = number_;
    }
    text_ += raw;
    text_ += '\n';
  }

  void end_text() {
    while (text_.ends_with("\n\n")) text_.pop_back();
    if (!text_.empty()) {
      Block block = fenced_.value_or(Block{});
      block.text = std::move(text_);
      if (!fenced_) block.line = text_line_;
      blocks_.push_back(std::move(block));
    }
    text_.clear();
  }

  const std::string& file_;
  Complaints& complaints_;
  std::vector<Block> blocks_;
  std::optional<Block> fenced_;
  std::string text_;
  int number_ = 0, text_line_ = 0, fence_line_ = 0;
  bool in_code_ = false;
};

// Returns the complaint about a file that a lesson names; empty if it can be read and passed on.
std::string file_problem(const fs::path& folder, const std::string& name) {
  if (name.empty()) return "a file's name is empty";
  if (!stays_inside(folder, name)) return fmt::format("'{}' must lie in the lesson's folder", name);
  std::error_code error;
  const fs::path path = folder / name;
  if (!fs::exists(path, error))
    return fmt::format("there is no file '{}' in the lesson's folder", name);
  if (!fs::is_regular_file(path, error)) return fmt::format("'{}' is no file", name);
  const auto size = fs::file_size(path, error);
  if (error || size > kMostOfLessonFile)
    return fmt::format("'{}' has more than {} bytes: make it smaller", name, kMostOfLessonFile);
  if (!std::ifstream(path, std::ios::binary)) return fmt::format("'{}' cannot be read", name);
  return {};
}

// Returns "ring-allreduce" for "12-ring-allreduce".
std::string slug_of(const fs::path& folder) {
  const std::string name =
      folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
  const auto end = name.find_first_not_of("0123456789");
  return end != std::string::npos && end > 0 && name[end] == '-' ? name.substr(end + 1) : name;
}

class LessonReader {
 public:
  LessonReader(const fs::path& folder, Complaints& complaints)
      : folder_(folder), complaints_(complaints) {
    lesson_.folder = folder;
    lesson_.slug = slug_of(folder);
  }

  Lesson read() {
    const std::string name = (folder_.filename() / "lesson.toml").string();
    const auto source = read_toml(folder_ / "lesson.toml", name, complaints_);
    if (!source) return std::move(lesson_);
    TomlNode root(source, complaints_);
    head(root);
    runs(root.at("run"));
    if (lesson_.student_copy) closed_runs(root);
    figures(root.at("figure"));
    for (TomlNode& node : root.at("question").elements()) question(node);
    for (TomlNode& node : root.at("coding").elements()) coding(node);
    for (TomlNode& node : root.at("step").elements()) step(node);
    root.finish();
    for (Step& one : lesson_.steps) lock_reveals(one);
    check_pointers(name);
    close_later_pages(lesson_);
    return std::move(lesson_);
  }

 private:
  void head(TomlNode& root) {
    lesson_.title = root.required_text("title");
    lesson_.summary = root.text("summary");
    lesson_.minutes = root.whole("minutes", 0);
    lesson_.edition = root.whole("edition", 1);
    if (lesson_.edition < 1 || lesson_.edition > kNewestEdition)
      root.at("edition").complain(fmt::format(
          "'edition' is 1 to {}: the rules by which the lesson is checked", kNewestEdition));
    lesson_.goals = root.texts("goals");
    lesson_.prerequisites = root.texts("prerequisites");
    lesson_.prerequisites_line = root.at("prerequisites").line();
    lesson_.student_copy = root.flag("student_copy", false);
    if (lesson_.student_copy) copy(root);
  }

  // Reads a student's copy: its owner, seed and feedback.
  void copy(TomlNode& root) {
    TomlNode feedback = root.at("feedback");
    if (feedback && feedback.has("from")) feedback_from_ = time_of(feedback.text("from"));
    TomlNode personal = root.at("copy");
    if (!personal) return;
    lesson_.copy_of = personal.text("student");
    const json seed = personal.value("seed");
    if (seed.is_number_integer() && seed.get<std::int64_t>() >= 0)
      lesson_.copy_seed = seed.get<std::uint64_t>();
  }

  void runs(TomlNode table) {
    if (table && !table.json().is_object()) table.complain("runs are tables: [run.NAME]");
    for (const std::string& id : table.keys()) {
      TomlNode node = table.at(id);
      if (!node.json().is_object()) {
        node.complain(fmt::format("a run is a table: [run.{}]", id));
        continue;
      }
      LessonRun run;
      run.id = id;
      run.line = node.line();
      run.at = node.text("at");
      if (!start_round(run.at))
        node.at("at").complain(
            fmt::format(R"('at' is "end" or a round, such as "round 2", not '{}')", run.at));
      run.view = node.text("view");
      if (const std::string problem = view_problem(run.view); !problem.empty())
        node.at("view").complain(problem);
      run.caption = node.text("caption");
      const std::string algorithm = node.required_text("algorithm");
      for (const std::string_view field : LessonRuns::job_fields()) node.at(field);
      node.finish();
      run.job = node.json();
      run.job["algorithm"] = algorithm;  // a text, whatever the file has
      for (const char* own : {"at", "view", "caption"}) run.job.erase(own);
      run.closed = lesson_.student_copy;
      lesson_.runs.push_back(std::move(run));
    }
  }

  void closed_runs(TomlNode& root) {
    auto source = std::make_shared<TomlSource>();
    source->name = root.file();
    source->root = opened(root, "", "runs");
    if (!source->root.is_null()) runs(TomlNode(source, complaints_));
  }

  void figures(TomlNode table) {
    for (const std::string& id : table.keys()) {
      TomlNode node = table.at(id);
      LessonFigure figure{id, node.text("run"), node.text("diagram"), node.text("file"),
                          node.text("caption")};
      if (figure.run.empty() == figure.file.empty())
        node.complain("a figure has either a 'run' (with a 'diagram') or a 'file'");
      if (!figure.run.empty() && lesson_.find_run(figure.run) == nullptr)
        node.at("run").complain(
            fmt::format("figure '{}': there is no run '{}'", figure.id, figure.run));
      if (!figure.run.empty() && !picture_problem(figure.diagram).empty())
        node.complain(picture_problem(figure.diagram));
      if (!figure.file.empty()) need_file(node, figure.file);
      node.finish();
      lesson_.figures.push_back(std::move(figure));
    }
  }

  // A refused name is dropped, so that nothing is read or written there.
  void need_file(const TomlNode& node, std::string& name) {
    const std::string problem = file_problem(folder_, name);
    if (problem.empty()) return;
    node.complain(problem);
    name.clear();
  }

  void new_id(const TomlNode& node, const std::string& id) {
    const bool fits = ranges::all_of(id, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    });
    if (!fits)
      node.complain(fmt::format("id '{}' has characters other than a-z, 0-9, - and _", id));
    if (!ids_.insert(id).second) node.complain(fmt::format("id '{}' is used twice", id));
  }

  void question(TomlNode& node) {
    Question out;
    out.line = node.line();
    out.student_copy = lesson_.student_copy;
    out.feedback_from = feedback_from_;
    out.id = node.required_text("id");
    new_id(node, out.id);
    out.title = node.text("title");
    out.prompt = node.required_text("prompt");
    out.covers = node.texts("covers");
    out.points = node.points("points", 1);
    out.hints = node.texts("hints");
    out.explanation = node.text("explanation");
    out.attempts = node.whole("attempts", 0);
    if (out.attempts < 0)
      node.at("attempts").complain("'attempts' is how often one may try; 0: as often as one likes");
    out.rules = {node.value("variables"), opened(node, out.id, "let"), node.text("where")};
    out.rules.where =
        opened_text(out.rules.where, place_of(out.id, "where")).value_or(out.rules.where);
    for (json* rule : {&out.rules.variables, &out.rules.let})
      if (rule->is_null()) *rule = json::object();
    const std::string kind = node.required_text("kind");
    out.kind = find_kind(kind);
    if (out.kind == nullptr) {
      std::vector<std::string> known;
      for (const auto kind_of : kQuestionKinds) known.emplace_back(kind_of().name());
      node.complain(
          fmt::format("there is no kind '{}'{}", kind,
                      nearest_hint(kind, known, fmt::format("use {}", fmt::join(known, ", ")))));
    }
    for (TomlNode& one : node.at("misconception").elements()) misconception(one, out);
    for (TomlNode& one : node.at("stored").elements()) stored(one, out);
    out.data = node.json();
    if (out.data.contains("domain")) out.data["domain"] = opened(node, out.id, "domain");
    if (out.kind != nullptr && !lesson_.student_copy) {
      out.kind->check(node);
      read_files(node, out);
      node.finish();
    }
    out.digest = digest_of(out);
    lesson_.questions.push_back(std::move(out));
  }

  std::string place_of(std::string_view id, std::string_view key) const {
    return fmt::format("{}/{}/{}", lesson_.slug, id, key);
  }

  // A student's copy has such tables as one closed text.
  json opened(TomlNode& node, std::string_view id, std::string_view key) const {
    json value = node.value(key);
    if (!lesson_.student_copy || !value.is_string()) return value;
    if (const auto text = opened_text(value.get_ref<const std::string&>(), place_of(id, key)))
      return parse_json_or_none(*text);
    node.at(key).complain(
        fmt::format("another version of rankscope wrote '{}': use the course's version", key));
    return {};
  }

  // Replaces the names of files in the question's data by their texts.
  void read_files(TomlNode& node, Question& question) const {
    for (const KindKey& key : question.kind->row().keys) {
      if (key.is != KindKey::Is::file || !node.has(key.name)) continue;
      const std::string name = node.text(key.name), problem = file_problem(folder_, name);
      if (!problem.empty()) node.at(key.name).complain(problem);
      question.data[std::string(key.name)] = problem.empty() ? read_lesson_file(folder_, name) : "";
    }
  }

  std::string digest_of(const Question& question) const {
    std::string all = dump_json(question.data);
    for (const LessonRun& run : lesson_.runs)
      if (all.find(dump_json(json(run.id))) != std::string::npos) all += dump_json(run.job);
    return fmt::format("{:016x}", stable_hash(all));
  }

  static void misconception(TomlNode& node, Question& question) {
    Misconception out;
    out.id = node.required_text("id");
    out.answer = node.value("answer");
    out.says = node.required_text("says");
    out.share = node.number("share", 0);
    if (!(out.share >= 0 && out.share < 1)) {
      node.at("share").complain("a mistake's 'share' of the points is at least 0 and less than 1");
      out.share = 0;
    }
    if (out.answer.is_null()) node.complain("'answer' is missing");
    node.finish();
    question.misconceptions.push_back(std::move(out));
  }

  static void stored(TomlNode& node, Question& question) {
    StoredAnswer out;
    out.line = node.line();
    out.name = node.required_text("name");
    out.answer = node.value("answer");
    out.share = node.value("share");
    out.says = node.text("says");
    if (out.answer.is_null()) node.complain("'answer' is missing");
    node.finish();
    question.stored.push_back(std::move(out));
  }

  void coding(TomlNode& node) {
    CodingExercise out;
    out.id = node.required_text("id");
    new_id(node, out.id);
    out.line = node.line();
    out.title = node.required_text("title");
    out.contract = node.required_text("contract");
    out.covers = node.texts("covers");
    out.points = node.points("points", 0);
    out.repair = node.has("repair");
    if (out.repair && node.has("starter"))
      node.at("starter").complain("a program to repair has no other starter: take 'starter' out");
    out.starter = node.text(out.repair ? "repair" : "starter");
    out.hints = node.texts("hints");
    if (!out.starter.empty()) need_file(node, out.starter);
    read_coding_rules(node, lesson_.slug, out);
    node.finish();
    lesson_.coding.push_back(std::move(out));
  }

  void step(TomlNode& node) {
    Step out;
    out.title = node.required_text("title");
    out.file = node.required_text("text");
    node.finish();
    if (!out.file.empty()) need_file(node, out.file);
    if (!out.file.empty())
      out.blocks = split_blocks(read_lesson_file(folder_, out.file),
                                (folder_.filename() / out.file).string(), complaints_);
    lesson_.steps.push_back(std::move(out));
  }

  void check_pointers(const std::string& name) {
    std::set<std::string> shown;
    for (const Step& step : lesson_.steps)
      for (const Block& block : step.blocks) check_pointer(step, block, shown);
    for (const Question& question : lesson_.questions)
      if (!shown.contains(question.id))
        complaints_.add(
            name, question.line,
            fmt::format("no step shows question '{}' (write \"@question {}\" in a text)",
                        question.id, question.id));
    for (const CodingExercise& exercise : lesson_.coding)
      if (!shown.contains(exercise.id))
        complaints_.add(name, exercise.line,
                        fmt::format("no step shows coding exercise '{}'", exercise.id));
    if (lesson_.steps.empty()) complaints_.add(name, 0, "the lesson has no [[step]]");
  }

  // "::: reveal TITLE after QUESTION …": other titles may have the word, too.
  void lock_reveals(Step& step) const {
    constexpr std::string_view kAfter = " after ";
    for (Block& block : step.blocks) {
      const auto at =
          block.kind == Block::Kind::reveal ? block.title.rfind(kAfter) : std::string::npos;
      if (at == std::string::npos) continue;
      auto ids = words_of(std::string_view(block.title).substr(at + kAfter.size()));
      if (!ranges::all_of(ids,
                          [&](const auto& id) { return lesson_.find_question(id) != nullptr; }))
        continue;
      block.after = std::move(ids);
      block.title.resize(at);
    }
  }

  void check_pointer(const Step& step, const Block& block, std::set<std::string>& shown) {
    const bool exercise = block.kind == Block::Kind::question || block.kind == Block::Kind::coding;
    const auto complain = [&](const std::string& text) {
      complaints_.add((folder_.filename() / step.file).string(), block.line, text);
    };
    for (const std::string& id : block.after) {
      if (!shown.contains(id) || lesson_.find_question(id) == nullptr)
        complain(fmt::format("'after {}': no question of this id stands above it", id));
    }
    const auto need = [&](const void* known, std::string_view what) {
      if (known == nullptr) complain(fmt::format("there is no {} '{}'", what, block.id));
      if (exercise && !shown.insert(block.id).second)
        complain(fmt::format("{} '{}' is shown twice", what, block.id));
    };
    switch (block.kind) {
      case Block::Kind::run: return need(lesson_.find_run(block.id), "run");
      case Block::Kind::figure: return need(lesson_.find_figure(block.id), "figure");
      case Block::Kind::question: return need(lesson_.find_question(block.id), "question");
      case Block::Kind::coding: return need(lesson_.find_coding(block.id), "coding exercise");
      default: return;
    }
  }

  const fs::path folder_;
  Complaints& complaints_;
  Lesson lesson_;
  std::optional<std::chrono::sys_seconds> feedback_from_;
  std::set<std::string> ids_;
};

}  // namespace

bool stays_inside(const fs::path& folder, const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == "..") return false;
  std::error_code error;
  const fs::path root = fs::weakly_canonical(folder, error);
  if (error) return false;
  const fs::path real = fs::weakly_canonical(folder / path, error);
  if (error) return false;
  const fs::path below = real.lexically_relative(root);
  return !below.empty() && *below.begin() != "..";
}

std::string read_lesson_file(const fs::path& folder, const std::string& name) {
  if (const std::string problem = file_problem(folder, name); !problem.empty())
    throw UserError(problem);
  return read_or_nothing(folder / name);
}

std::vector<Block> split_blocks(std::string_view markdown, const std::string& file,
                                Complaints& complaints) {
  Splitter splitter(file, complaints);
  for (const std::string_view line : lines_of(markdown)) splitter.line(line);
  return splitter.finish();
}

Lesson read_lesson(const fs::path& folder, Complaints& complaints) {
  try {
    return LessonReader(folder, complaints).read();
  } catch (const std::exception& error) {  // a broken folder must not hide the others
    complaints.add((folder.filename() / "lesson.toml").string(), 0,
                   fmt::format("the lesson cannot be read: {}", error.what()));
    Lesson out;
    out.folder = folder;
    out.slug = slug_of(folder);
    return out;
  }
}

std::vector<fs::path> lesson_folders(const fs::path& root) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error))
    if (fs::exists(entry.path() / "lesson.toml", error)) out.push_back(entry.path());
  ranges::sort(out);
  return out;
}

fs::path lessons_folder() {
  std::error_code error;
  if (const char* named = std::getenv("RANKSCOPE_LESSONS"); named != nullptr && *named != '\0') {
    if (!fs::is_directory(named, error))
      throw UserError(fmt::format("RANKSCOPE_LESSONS names '{}', which is not a folder", named));
    return named;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& at : {program / "../share/rankscope/lessons", program / "../lesson-files"})
    if (fs::is_directory(at / "content", error)) return at.lexically_normal();
  throw UserError(
      "the lessons are not there: install rankscope with its share/rankscope/lessons, or name "
      "their folder in RANKSCOPE_LESSONS");
}

}  // namespace rankscope
