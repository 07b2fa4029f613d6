// Finds each exercise's file by its path, its name, or the function in it.
#include "lessons/submissions/exercise_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/lesson/coding.h"
#include "lessons/submissions/submission_choice.h"
#include "lessons/text/foreign_text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kAnyNotebook = "*.ipynb";
constexpr std::uintmax_t kMostLookedAt = std::uintmax_t{1} << 20;
constexpr std::uintmax_t kMostNotebook = std::uintmax_t{32} << 20;  // its outputs hold pictures

std::string ending_of(std::string_view path) {
  return ascii_lower(fs::path(path).extension().string());
}

bool is_notebook(std::string_view path) { return ending_of(path) == ".ipynb"; }

/// Returns the text of a notebook's code cells, or of one (from 1); empty for other files.
std::string cells_of(std::string_view bytes, int only) try {
  const json book = parse_shallow_json(bytes);
  std::string out;
  int number = 0;
  for (const json& cell : book.at("cells")) {
    if (cell.at("cell_type") != "code" || (++number != only && only > 0)) continue;
    const json& source = cell.at("source");
    if (source.is_string()) out += source.get<std::string>();
    else
      for (const json& line : source) out += line.get<std::string>();
    out += '\n';
  }
  return out;
} catch (const std::exception&) {
  return "";
}

/// Returns where the function's last definition begins; npos without one.
std::size_t definition_in(std::string_view text, const std::string& function) {
  for (auto at = text.rfind("def " + function); at != text.npos && at > 0;
       at = text.rfind("def " + function, at - 1)) {
    const auto after = at + 4 + function.size();
    const bool ends = after < text.size() && (text[after] == '(' || text[after] == ' ');
    const auto line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    if (ends && trimmed(text.substr(line, at - line)).empty()) return at;
  }
  return text.starts_with("def " + function + "(") ? 0 : text.npos;
}

/// Returns whether a line that is not indented assigns to this name, as `hello = lambda rank: ...`.
bool is_assigned(std::string_view text, const std::string& name) {
  return ranges::any_of(lines_of(text), [&](std::string_view line) {
    if (!line.starts_with(name)) return false;
    line = trimmed(line.substr(name.size()));
    return line.starts_with('=') && !line.starts_with("==");
  });
}

/// Returns whether the function still ends in the starter's NotImplementedError, and returns or yields nothing before.
bool is_unwritten(std::string_view text, const std::string& function) {
  const auto at = definition_in(text, function);
  if (at == text.npos) return false;
  const auto line = text.rfind('\n', at) + 1;
  const std::size_t indent = at - line;
  const auto body = text.find('\n', text.find(')', at));
  if (body == text.npos) return false;
  std::size_t first = 0;    // the indentation of the body
  std::string_view quotes;  // the quotes that end the docstring being skipped; empty outside of one
  for (const std::string_view one : lines_of(text.substr(body + 1))) {
    const std::string_view code = trimmed(one);
    if (!quotes.empty()) {
      if (code.find(quotes) != code.npos) quotes = {};
      continue;
    }
    if (code.empty() || code.front() == '#') continue;
    for (const std::string_view opens : {"\"\"\"", "'''"})
      if (code.starts_with(opens) && code.find(opens, opens.size()) == code.npos) quotes = opens;
    if (indentation(one) <= indent) return false;
    if (first == 0) first = indentation(one);
    if (code.starts_with("return") || code.starts_with("yield")) return false;
    if (code.starts_with("raise NotImplementedError")) return indentation(one) == first;
  }
  return false;
}

/// Returns "hello.py" for "Hello (1).PY", "hello-2.py" and "copy of hello.py".
std::string plain_name(std::string name) {
  name = ascii_lower(name);
  const std::string ending = fs::path(name).extension().string();
  std::string stem = fs::path(name).stem().string();
  if (stem.starts_with("copy of ")) stem.erase(0, 8);
  const auto last = stem.find_last_not_of("0123456789()-_ .");
  stem.resize(last == std::string::npos ? 0 : last + 1);
  ranges::replace(stem, ' ', '_');
  ranges::replace(stem, '-', '_');
  return stem + ending;
}

/// Returns the function or method that identifies an exercise's file.
std::string function_of(const CodingExercise& exercise) {
  return exercise.call.harness == CodingCall::Harness::send_recv ? "do_send_recv"
                                                                 : exercise.call.function;
}

/// Returns "src.transformer" for "src/transformer.py".
std::string module_of(std::string path) {
  path.resize(path.size() - fs::path(path).extension().string().size());
  ranges::replace(path, '/', '.');
  return path;
}

class FileSearch {
 public:
  explicit FileSearch(const fs::path& folder) : folder_(folder) {
    Complaints ignored;
    std::vector<FoundFile> found;
    if (!folder.empty()) list_student(folder, {}, found, ignored);
    for (FoundFile& one : found)
      if (!one.folder && one.fault.empty()) paths_.push_back(std::move(one.path));
  }

  ExerciseFile find(const CodingExercise& exercise, const std::vector<std::string>& places,
                    const std::string& accepted, const std::set<std::string>& names) {
    ExerciseFile out;
    out.exercise = &exercise;
    std::vector<std::string> own{exercise.file};
    if (const auto cpp = cpp_contract(exercise)) own.push_back(cpp->file);
    out.wanted = wanted_words(own, places);
    if (is_there(accepted) && suits(exercise, accepted)) out.file = accepted;
    for (const std::string& name : own)
      if (out.file.empty() && is_there(name) && !is_unwritten(text_of(name), function_of(exercise)))
        out.file = name;
    if (out.file.empty()) choose(exercise, own, places, out);
    for (const std::string& name : own)
      if (out.file.empty() && is_there(name)) out.file = name;
    for (const std::string& place : places)
      if (file_name(place) == file_name(out.file)) out.module = module_of(place);
    if (out.file.empty()) out.nearest = nearest_to(exercise, own, places, names);
    else out.unwritten = is_unwritten(text_of(out.file), function_of(exercise));
    return out;
  }

 private:
  static std::string wanted_words(std::vector<std::string> own,
                                  const std::vector<std::string>& places) {
    std::vector<std::string> all = places;
    std::erase_if(all, [](const std::string& one) { return one == kAnyNotebook; });
    if (all.size() < places.size()) all.emplace_back("a notebook");
    std::ranges::move(own, std::back_inserter(all));
    return fmt::format("{}", fmt::join(all, " or "));
  }

  bool is_there(const std::string& path) const {
    std::error_code error;  // of very many files, paths_ does not list all
    return !path.empty() && (ranges::find(paths_, path) != paths_.end() ||
                             fs::is_regular_file(fs::symlink_status(folder_ / path, error)));
  }

  static bool suits(const CodingExercise& exercise, const std::string& path) {
    return !is_cpp(path) || cpp_contract(exercise).has_value();
  }

  const std::string& text_of(const std::string& path) {
    const auto known = texts_.find(path);
    if (known != texts_.end()) return known->second;
    std::string fault;
    return texts_[path] = program_text(folder_ / path, fault);
  }

  bool has_function(const CodingExercise& exercise, const std::string& path) {
    const std::string function = function_of(exercise);
    if (is_cpp(path)) return text_of(path).find(function + "(") != std::string::npos;
    return !function.empty() &&
           (is_defined(exercise, path) || is_assigned(text_of(path), function));
  }

  bool is_defined(const CodingExercise& exercise, const std::string& path) {
    return definition_in(text_of(path), function_of(exercise)) != std::string::npos;
  }

  // Prefers a file whose function is written, then one whose function is still empty or only assigned, then any file of the right name.
  void choose(const CodingExercise& exercise, const std::vector<std::string>& own,
              const std::vector<std::string>& places, ExerciseFile& out) {
    int best = -1;
    const auto consider = [&](const std::string& path, bool needs_function) {
      const bool has = has_function(exercise, path);
      if (needs_function && !has) return;
      const bool written = has && (is_cpp(path) || is_defined(exercise, path)) &&
                           !is_unwritten(text_of(path), function_of(exercise));
      const int worth = !has ? 0 : written ? 2 : 1;
      if (worth <= best) return;
      best = worth;
      out.file = path;
    };
    const auto all_named = [&](std::string_view name) {
      for (const std::string& path : paths_)
        if (path == name || path.ends_with(fmt::format("/{}", name))) consider(path, false);
    };
    for (const std::string& place : places) all_named(place);
    for (const std::string& place : places) all_named(file_name(place));
    for (const std::string& name : own) all_named(name);
    if (exercise.file.empty()) return;
    for (const std::string& path : paths_)
      if (is_notebook(path)) consider(path, true);
  }

  std::string nearest_to(const CodingExercise& exercise, const std::vector<std::string>& own,
                         const std::vector<std::string>& places,
                         const std::set<std::string>& names) {
    std::vector<std::string> wanted = places;
    wanted.insert(wanted.end(), own.begin(), own.end());
    std::vector<std::string> by_name, by_function, others;
    for (const std::string& path : paths_) {
      const std::string name(file_name(path));
      const auto same_ending = [&](const std::string& one) {
        return ending_of(one) == ending_of(name);
      };
      if (names.contains(name) || !ranges::any_of(wanted, same_ending)) continue;
      const bool named = ranges::any_of(wanted, [&](const std::string& one) {
        return plain_name(name) == plain_name(std::string(file_name(one)));
      });
      (named ? by_name : has_function(exercise, path) ? by_function : others).push_back(path);
    }
    for (const auto* found : {&by_name, &by_function})
      if (!found->empty()) return found->size() == 1 ? found->front() : "";
    for (const std::string& one : wanted)
      if (const auto near = nearest(std::string(file_name(one)), others, 1); !near.empty())
        return near.front();
    return "";
  }

  fs::path folder_;
  std::vector<std::string> paths_;  ///< Those near the top first.
  std::map<std::string, std::string> texts_;
};

template <class Take>
void each_program(const LessonLibrary& library, const Course& course, const Take& take) {
  for (const CoursePart& part : course.parts)
    for (const CourseItem& item : part.items) {
      const Lesson* const lesson = item.later.empty() ? library.find(item.lesson) : nullptr;
      const CodingExercise* const exercise =
          lesson != nullptr ? lesson->find_coding(item.id) : nullptr;
      if (exercise != nullptr && exercise->graded()) take(item, *exercise);
    }
}

}  // namespace

bool is_begun_in(const CodingExercise& exercise, const fs::path& file) {
  std::string fault;
  const std::string text = program_text(file, fault), function = function_of(exercise);
  if (is_cpp(file.string())) return text.find(function + "(") != std::string::npos;
  return definition_in(text, function) != std::string::npos && !is_unwritten(text, function);
}

CodingExercise ExerciseFile::to_grade() const {
  CodingExercise out = *exercise;
  out.file = file;
  out.module = module;
  if (is_cpp(file)) out.cpp_file = file;
  return out;
}

std::string ExerciseFile::says() const {
  if (unwritten)
    return fmt::format("{} in {} is not written yet: it still raises NotImplementedError.",
                       function_of(*exercise), escaped(file));
  if (!file.empty()) return "";
  return fmt::format("{} was not handed in.{}", wanted,
                     nearest.empty() ? "" : fmt::format(" Is it '{}'?", escaped(nearest)));
}

std::vector<ExerciseFile> exercise_files(const LessonLibrary& library, const Course& course,
                                         const fs::path& folder,
                                         const std::map<std::string, std::string>& accepted) {
  std::vector<ExerciseFile> out;
  FileSearch files(folder);
  const std::set<std::string> names = program_names(library, course);
  each_program(library, course, [&](const CourseItem& item, const CodingExercise& exercise) {
    std::vector<std::string> places;
    for (const CourseFile& one : course.files)
      if (ranges::find(one.holds, item.key()) != one.holds.end()) places.push_back(one.path);
    const auto by_hand = accepted.find(item.key());
    out.push_back(
        files.find(exercise, places, by_hand == accepted.end() ? "" : by_hand->second, names));
    out.back().key = item.key();
  });
  return out;
}

ExerciseFile exercise_file(const CodingExercise& exercise, const fs::path& folder) {
  return FileSearch(folder).find(exercise, {}, "", {});
}

std::vector<std::string> answer_like_files(const fs::path& folder) {
  std::vector<FoundFile> found;
  Complaints ignored;
  if (!folder.empty()) list_student(folder, {}, found, ignored);
  std::vector<std::string> out;
  for (const FoundFile& one : found)
    if (!one.folder && one.fault.empty() && is_answer_like(one.path)) out.push_back(one.path);
  return out;
}

std::string program_text(const fs::path& file, std::string& fault, int cell) {
  const bool notebook = is_notebook(file.string());
  std::string text =
      read_whole(file, notebook ? kMostNotebook : kMostLookedAt, fault, LinkRule::refuse);
  if (DecodedText decoded = decoded_text(text); decoded.fault.empty()) text = decoded.text;
  return notebook ? cells_of(text, cell) : text;
}

std::set<std::string> program_names(const LessonLibrary& library, const Course& course) {
  std::set<std::string> out;
  each_program(library, course, [&](const CourseItem&, const CodingExercise& exercise) {
    out.insert(exercise.file);
    if (const auto cpp = cpp_contract(exercise)) out.insert(cpp->file);
    out.emplace(kAnyNotebook);
  });
  for (const CourseFile& one : course.files) {
    out.insert(one.path);
    out.emplace(file_name(one.path));
  }
  return out;
}

}  // namespace rankscope
