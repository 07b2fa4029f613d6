// Compiles a submitted C++ program in a box and explains the compiler's errors.
#include "lessons/coding/cpp_program.h"

#include <iterator>
#include <ranges>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/box/submission_folder.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/coding/loaded_libraries.h"
#include "lessons/kinds/kind.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr int kBinaryNumber = 3;  // of the descriptor through which the binary comes
constexpr std::size_t kMostBinary = std::size_t{64} << 20;
constexpr std::size_t kMostLines = 30, kMostOfLine = 300;
constexpr int kNoSuchProgram = 127;

constexpr BoxLimits kCompileLimits{.wall = std::chrono::seconds(180),
                                   .cpu_seconds = 30,
                                   .memory = std::uint64_t{1} << 30,
                                   .processes = 32,
                                   .output = std::uint64_t{4} << 20,
                                   .disk = std::uint64_t{160} << 20,
                                   .files = 200};

std::string_view cpp_name(DType dtype) {
  switch (dtype) {
    case DType::uint8: return "std::uint8_t";
    case DType::int32: return "std::int32_t";
    case DType::int64: return "std::int64_t";
    case DType::float32: return "float";
    case DType::float64: break;
  }
  return "double";
}

std::string types_of(const CodingExercise& exercise) {
  std::set<std::string_view> out{"double"};  // as telling inputs are (result_words.h)
  for (const DType dtype : exercise.call.dtypes) out.insert(cpp_name(dtype));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string quoted(std::string text) {
  replace_all(text, "\\", "\\\\");
  replace_all(text, "\"", "\\\"");
  replace_all(text, "\n", " ");
  return '"' + text + '"';
}

constexpr std::string_view kAsksFor = "The exercise asks for: ";  // contract.cpp says it

std::string shown_line(std::string_view text) {
  std::string line(text);
  ranges::replace(line, '\t', ' ');
  return shortened(escaped(line), kMostOfLine);
}

/// "my_broadcast.cpp:12:5" of a line that begins with a place in the student's file; otherwise empty.
std::string_view own_place(std::string_view line, std::string_view file) {
  if (!line.starts_with(file) || line.size() == file.size() || line[file.size()] != ':') return {};
  const auto end = line.find(": ");
  return end == line.npos ? std::string_view() : line.substr(0, end);
}

/// Returns the errors, each with the student's line and its text. A template's "required from" lines are used only to
/// find that line.
std::vector<std::string> errors_of(std::string_view said, std::string_view file) {
  constexpr std::string_view kError = "error: ";
  std::vector<std::string> out;
  std::string_view used_at;
  int excerpt = 0;
  for (const std::string_view line : lines_of(said)) {
    const auto place = own_place(line, file);
    const auto error = line.find(kError);
    if (error != line.npos && line.find(": ") < error) {
      const std::string_view at = !place.empty() ? place : used_at;
      if (at.empty()) out.push_back(shown_line(line));
      else out.push_back(shown_line(fmt::format("{}: {}", at, line.substr(error))));
      excerpt = place.empty() ? 0 : 2;  // the text, and a mark below it
      used_at = {};
    } else if (!place.empty() && line.find("required from") != line.npos) {
      used_at = place;
    } else if (excerpt > 0 && line.find(" | ") != line.npos) {
      out.push_back(shown_line(line));
      --excerpt;
    } else {
      excerpt = 0;
    }
  }
  return out;
}

/// The lines that a student can do something about.
std::vector<std::string> useful_lines(std::string_view said, std::string_view file) {
  if (auto errors = errors_of(said, file); !errors.empty()) return errors;
  std::vector<std::string> out;
  for (const std::string_view line : lines_of(said))
    if (!line.starts_with("In file included from ") && !line.starts_with("                 from "))
      out.push_back(shown_line(line));
  return out;
}

}  // namespace

std::string without_library_text(const std::string& said) {
  constexpr std::string_view kCheck = "Assertion '", kEnd = "' failed";
  const auto check = said.find(kCheck);
  if (check == std::string::npos) return said;
  const auto begin = check + kCheck.size();
  return fmt::format(
      "a check of the standard library failed: {}; is an index beyond the end, or the array empty?",
      said.substr(begin, said.find(kEnd, begin) - begin));
}

CppProgram::CppProgram(const CodingExercise& exercise, const CodeBoxesOptions& options) {
  BoxGroup group(options.support, kCompileLimits);
  const CopyReport copied = copy_submission(options.submission, folder_.path() / "submission", {},
                                            CopyOwner{group.uid(), group.gid()});
  if (!copied.refused.empty()) {
    diagnostics_ = "the submission " + copied.refused;
    return;
  }
  // Without a box there is no /tmp of its own.
  if (!options.support.sandbox)
    make_folder_of(folder_.path() / "made", {group.uid(), group.gid()}, 0700);
  FdPair pipe = pipe_pair("the compiler");
  group.start({spec(exercise, options, pipe.theirs.get())});
  pipe.theirs.reset();
  const bool whole =
      take_file(pipe.ours.get(), options.interrupt_fd, kMostBinary, binary(), interrupted_);
  pipe.ours.reset();
  if (!whole) group.stop("the program is too large");
  while (!group.wait(std::chrono::seconds(1))) {
  }
  judge(exercise, options, group.outcome(), whole);
  fs::permissions(binary(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                fs::perms::others_read | fs::perms::others_exec);
}

BoxSpec CppProgram::spec(const CodingExercise& exercise, const CodeBoxesOptions& options,
                         int pipe) const {
  const auto contract = cpp_contract(exercise);
  if (!contract) throw UserError(fmt::format("the exercise {} is for Python alone", exercise.id));
  const bool boxed = options.support.sandbox;
  const auto at = [&](const fs::path& outside, const char* inside) {
    return boxed ? std::string(inside) : outside.string();
  };
  const std::string submission = at(folder_.path() / "submission", "/submission");
  const std::string library = at(options.library, "/rankscope/lib/librankscope.so");
  // The shell in the box writes the binary out, so that no link which a program puts in its place is followed outside.
  const std::string out = at(folder_.path() / "made/program", "/tmp/program");
  BoxSpec spec;
  spec.name = "the compiler";
  spec.argv = {"/bin/sh", "-c", R"("$@" -o "$0" && exec cat "$0" >&3)", out};
  for (std::string& word : cpp_compiler_words(options)) spec.argv.push_back(std::move(word));
  const fs::path made = options.headers ? options.headers->folder(options) : fs::path();
  std::vector<std::string> more = {
      "-fmacro-prefix-map=" + submission + "/=",
      "-DRANKSCOPE_FILE=" + quoted(contract->file),
      "-DRANKSCOPE_FUNCTION=" + exercise.call.function,
      "-DRANKSCOPE_ARGUMENTS=" + contract->arguments,
      "-DRANKSCOPE_TYPES=" + types_of(exercise),
      "-DRANKSCOPE_EXPECTED=" + quoted(std::string(kAsksFor) + contract->signature),
      "-iquote",
      submission,
      "-I",
      fs::path(CppHeaders::kInBox).parent_path().string(),
      "-I",
      at(options.include, "/rankscope/include"),
      "-I",
      at(options.cpp_files, "/rankscope/cpp"),
      at(options.cpp_files, "/rankscope/cpp") + "/contract.cpp",
      made.empty() ? "-DRANKSCOPE_WITH_MAIN" : CppHeaders::kMainInBox,
      library,
      "-pthread"};
  // It takes a third of the time that the usual linker takes.
  if (fs::exists("/usr/bin/ld.gold")) more.emplace_back("-fuse-ld=gold");
  std::ranges::move(more, std::back_inserter(spec.argv));
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + at(folder_.path(), "/tmp")};
  // In a build tree the folder holds links.
  for (const char* header : kCppHeaders)
    spec.binds.push_back(
        {fs::canonical(options.include / header), std::string("/rankscope/include/") + header});
  spec.binds.push_back({options.cpp_files, "/rankscope/cpp"});
  if (!made.empty()) {
    spec.binds.push_back({made / "made", CppHeaders::kInBox});
    spec.binds.push_back({made / "main", CppHeaders::kMainInBox});
  }
  spec.binds.push_back({options.library, "/rankscope/lib/librankscope.so"});
  spec.binds.push_back({folder_.path() / "submission", "/submission"});
  spec.descriptors = {{pipe, kBinaryNumber}};
  spec.tmp_size = std::uint64_t{128} << 20;
  return spec;
}

void CppProgram::judge(const CodingExercise& exercise, const CodeBoxesOptions& options,
                       const BoxGroupOutcome& outcome, bool whole) {
  const BoxOutcome& box = outcome.boxes.front();
  const CppContract contract = *cpp_contract(exercise);
  if (outcome.end != BoxEnd::ended && outcome.end != BoxEnd::stopped) {
    diagnostics_ = fmt::format("the compiler was ended: it {}", outcome.words);
    ended_by_ = outcome.end == BoxEnd::wall_time ? Cause::late : Cause::limit;
    return;
  }
  if (box.end == BoxEnd::could_not_start)
    throw UserError(fmt::format("the compiler could not be started: {}", box.words));
  if (box.end == BoxEnd::ended && box.exit_code == kNoSuchProgram)
    throw UserError(fmt::format(
        "there is no C++ compiler here ({}): install g++, or name one by CXX", options.compiler));
  if (whole && box.end == BoxEnd::ended && box.exit_code == 0) return;
  std::string said = box.err;
  const std::string submission = (folder_.path() / "submission").string() + "/";
  for (const auto& [from, to] : {std::pair<std::string, const char*>{"/submission/", ""},
                                 {submission, ""},
                                 {"/rankscope/include/", ""},
                                 {options.include.string() + "/", ""},
                                 {"/rankscope/cpp/", ""},
                                 {options.cpp_files.string() + "/", ""}})
    replace_all(said, from, to);
  if (said.find("static assertion failed") != std::string::npos &&
      said.find(kAsksFor) != std::string::npos) {
    diagnostics_ = fmt::format("{} cannot be called as the exercise calls it. It asks for\n{}",
                               exercise.call.function, contract.signature);
    return;
  }
  const std::vector<std::string> lines = useful_lines(said, contract.file);
  diagnostics_ = fmt::format("{}", fmt::join(lines | std::views::take(kMostLines), "\n"));
  if (lines.size() > kMostLines)
    diagnostics_ += fmt::format("\n... and {} more lines", lines.size() - kMostLines);
  if (diagnostics_.empty())
    diagnostics_ = whole ? fmt::format("the compiler {}", box.words) : "the program is too large";
}

}  // namespace rankscope
