// Starts programs as `rankscope exec` does, finds their files, and says why one made no run.
#include "gui/state/code/program_run.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "engine/analysis/meant/meaning.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/files/file_choice.h"
#include "gui/state/run/run_state.h"
#include "lessons/submissions/program_parts.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = 4 << 20, kMostCompared = 64 << 10;

std::string text_of(const fs::path& file) {
  std::string fault;
  return read_whole(file, kMostText, fault);
}

bool ends_in(const std::string& file, std::initializer_list<std::string_view> endings) {
  const std::string name = ascii_lower(file);
  return ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// The prefix of messages by `rankscope exec` itself.
constexpr std::string_view kOurs = "rankscope: ";

/// Returns whether a person writes it. The program may write its other parts, and a watch over these would start it for ever.
bool is_source(const std::string& file) {
  return ends_in(file, {".py", ".ipynb", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp"});
}
bool is_python(const std::string& file) { return ends_in(file, {".py", ".ipynb"}); }

/// Returns the number behind the file's name in "ring.cpp:12:3: error" or 'ring.py", line 12'; 0 without one.
unsigned line_named(std::string_view text, const std::string& name) {
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::string_view rest = text.substr(at + name.size());
    for (const std::string_view before : {std::string_view(":"), std::string_view("\", line ")}) {
      if (!rest.starts_with(before)) continue;
      unsigned line = 0;
      const char* const from = rest.data() + before.size();
      if (std::from_chars(from, text.data() + text.size(), line).ec == std::errc() && line > 0)
        return line;
    }
  }
  return 0;
}

/// The last thing that `rankscope exec` itself said; else all that was printed.
std::string last_words(const std::string& errors) {
  std::string_view words;
  for (const std::string_view line : lines_of(errors))
    for (const std::string_view mark :
         {std::string_view("rankscope: "), std::string_view("error: ")})
      if (line.substr(0, kOurs.size()) == kOurs) {
        const auto at = line.find(mark);
        if (at <= kOurs.size()) words = line.substr(at + mark.size());
      }
  return words.empty() ? errors : std::string(words);
}

/// The compiler's first error: "invalid conversion from ‘const char*’ to ‘int’".
std::string compiler_error(const std::string& errors) {
  constexpr std::string_view kMark = "error: ";
  for (const std::string_view line : lines_of(errors))
    if (const auto at = line.find(kMark);
        at != std::string_view::npos && at > 0 && line.substr(0, kOurs.size()) != kOurs)
      return std::string(line.substr(at + kMark.size()));
  return {};
}

Problem::Excerpt excerpt_of(const ProgramChoice& choice, unsigned line) {
  Problem::Excerpt excerpt;
  const std::string text = text_of(choice.file);
  const auto lines = lines_of(text);
  if (line > lines.size()) return excerpt;
  excerpt.title = fmt::format("{}:{}", fs::path(choice.file).filename().string(), line);
  excerpt.marked = line;
  for (unsigned at = line > 1 ? line - 1 : 1; at <= std::min<std::size_t>(line + 1, lines.size());
       ++at)
    excerpt.lines.emplace_back(at, std::string(lines[at - 1]));
  return excerpt;
}

}  // namespace

std::string_view to_string(ProgramState::State state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"none", "running", "ended", "stopped",
                                                      "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string ProgramState::running_words() const {
  return choice.ranks == 0 ? name() + " is running"
                           : fmt::format("{} is running on {}", name(),
                                         counted(static_cast<std::uint64_t>(choice.ranks), "rank"));
}

ProgramChoice usual_choice(const std::string& file) {
  std::error_code error;
  const std::string name = fs::path(file).filename().string();
  if (!fs::exists(file, error))
    throw UserError(fmt::format("there is no file {}: check its path", file));
  if (!program_kind().takes(file) || !fs::is_regular_file(file, error))
    throw UserError(
        fmt::format("{} is no program that runs here: open a .py, .cpp or .ipynb file", name));
  if (ends_in(file, {".zip"}))
    throw UserError(
        fmt::format("{} holds several files: unpack it, and open the program in it", name));
  ProgramChoice choice;
  choice.file = file;
  if (is_python(file)) {
    const std::string text = text_of(file);
    for (const std::string_view own : {"multiprocessing", "ray.init", "ray.remote"})
      if (text.find(own) != std::string::npos) choice.ranks = 0;
  }
  return choice;
}

void set_choice(ProgramChoice& choice, const std::string& key, const std::string& value) {
  if (key == "ranks") {
    const auto ranks = as_number<int>(value);
    const bool fits = ranks && *ranks >= 1 && *ranks <= kMostShownRanks;
    if (!fits && value != "own")
      throw UserError(
          fmt::format("ranks are a number from 1 to {}, or own for a program that makes them "
                      "itself, not \"{}\"",
                      kMostShownRanks, value));
    choice.ranks = fits ? *ranks : 0;
  } else if (key == "as") {
    if (!value.empty()) (void)meant::parse_meaning(value, "as");
    choice.as = value;
  } else if (key == "data") {
    choice.data = value;
  } else if (key == "python") {
    choice.python = value;
  } else {
    throw UserError(fmt::format(
        "{} is none of ranks, as, data and python: say exec ring.py ranks=4 as=allreduce", key));
  }
}

std::vector<std::string> exec_words(const ProgramChoice& choice, const std::string& trace) {
  std::vector<std::string> words{"exec", "--for-parent", "--no-findings", "-o", trace};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("-n", choice.ranks == 0 ? "" : std::to_string(choice.ranks));
  add("--as", choice.as);
  if (!choice.as.empty()) add("--data", choice.data);
  if (is_python(choice.file)) add("--python", choice.python);
  words.push_back(choice.file);
  return words;
}

std::vector<std::string> files_of_program(const std::string& file) {
  std::vector<std::string> files;
  for (const fs::path& part : program_parts(file))
    if (is_source(part.string())) files.push_back(part.string());
  return files;
}

std::string printed_difference(const std::string& before, const std::string& now) {
  const auto missing_in = [](const std::string& other, const std::string& text) {
    auto left = lines_of(other);
    for (const std::string_view line : lines_of(text)) {
      const auto found = ranges::find(left, line);
      if (found == left.end()) return std::string(line.substr(0, 60));
      left.erase(found);
    }
    return std::string();
  };
  if (std::max(before.size(), now.size()) > kMostCompared) return {};
  const std::string is = missing_in(before, now), was = missing_in(now, before);
  if (is.empty()) return was.empty() ? "" : fmt::format("no longer prints \u201C{}\u201D", was);
  return was.empty() ? fmt::format("prints \u201C{}\u201D, too", is)
                     : fmt::format("prints \u201C{}\u201D instead of \u201C{}\u201D", is, was);
}

Problem no_run_problem(const ProgramChoice& choice, const std::string& errors) {
  Problem problem;
  const std::string name = fs::path(choice.file).filename().string();
  const unsigned line = line_named(errors, name);
  const std::string compiler = is_python(choice.file) ? "" : compiler_error(errors);
  problem.what = compiler.empty() ? last_words(errors)
                 : line == 0
                     ? fmt::format("{} cannot be compiled: {}", name, compiler)
                     : fmt::format("{} cannot be compiled, line {}: {}", name, line, compiler);
  if (line > 0)
    if (auto excerpt = excerpt_of(choice, line); !excerpt.title.empty())
      problem.stands.push_back(std::move(excerpt));
  if (compiler.empty()) problem.what = capitalized(std::move(problem.what));
  problem.advice =
      "Mend the file and save it: it runs again by itself. Output has all that was printed.";
  if (is_python(choice.file))
    problem.advice += " Another Python runs it after `exec python=FILE` (Ctrl+P).";
  return problem;
}

}  // namespace rankscope::gui
