// Compiles a user's C++ program unless it was kept, and finds the MPI library that a binary needs.
#include "cli/program/compiled_program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <wordexp.h>

#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMost = 32;

/// Returns the command with the working folder, on which its relative names depend.
std::string key_of(const std::vector<std::string>& command) {
  std::error_code error;
  return fmt::format("{} {}", fs::current_path(error).string(), fmt::join(command, "\x1f"));
}

std::string name_of(const std::string& key) {
  return fmt::format("{:016x}", std::hash<std::string>()(key));
}

/// Returns the files of a rule "program: ring.cpp /usr/include/stdio.h \".
std::vector<std::string> files_of_rule(const fs::path& rule) {
  const std::string text = read_or_nothing(rule);
  std::vector<std::string> out(1);
  for (auto at = std::min(text.find(": "), text.size() - 1) + 1; at < text.size(); ++at) {
    const bool escaped = text[at] == '\\' && at + 1 < text.size();
    if (escaped && text[at + 1] == ' ') out.back() += text[++at];
    else if (text[at] != ' ' && text[at] != '\n' && !(escaped && text[at + 1] == '\n'))
      out.back() += text[at];
    else if (!out.back().empty()) out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

/// "SIZE TIME FILE"; empty if there is no such file.
std::string state_of(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) return {};
  const auto time = fs::last_write_time(file, error);
  return error ? "" : fmt::format("{} {} {}", size, time.time_since_epoch().count(), file);
}

void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".program")
      programs.emplace_back(entry.last_write_time(error), entry.path());
  ranges::sort(programs);
  for (std::size_t i = 0; i + kMost < programs.size(); ++i)
    for (const char* const ending : {".made-from", ".said", ".program"})
      fs::remove(fs::path(programs[i].second).replace_extension(ending), error);
}

/// The compiled programs that were used last, in $XDG_CACHE_HOME/rankscope/programs, else in ~/.cache: a file that has not
/// changed is not compiled again.
class KeptPrograms {
 public:
  KeptPrograms() {
    const fs::path cache = user_folder("XDG_CACHE_HOME", ".cache");
    if (!cache.empty()) folder_ = cache / "rankscope" / "programs";
  }

  /// The files that a compiler leaves in a folder.
  static constexpr const char *kProgram = "program", *kSaid = "said", *kMadeFrom = "made-from";

  /// Copies the program of this compiler command, with the compiler's messages, into the folder. Returns false if none is kept, or
  /// one of the files from which it was made has changed.
  bool find(const std::vector<std::string>& command, const fs::path& into) const {
    const std::string key = key_of(command);
    const fs::path kept = folder_ / name_of(key);
    std::ifstream made_from(kept.string() + ".made-from");
    std::string line;
    if (folder_.empty() || !std::getline(made_from, line) || line != key) return false;
    while (std::getline(made_from, line))
      if (const auto name = line.find(' ', line.find(' ') + 1);
          name == std::string::npos || state_of(line.substr(name + 1)) != line)
        return false;
    std::error_code error;
    fs::copy_file(kept.string() + ".program", into / kProgram, error);
    if (error) return false;
    fs::copy_file(kept.string() + ".said", into / kSaid, fs::copy_options::overwrite_existing,
                  error);
    fs::last_write_time(kept.string() + ".program", fs::file_time_type::clock::now(), error);
    return true;
  }

  /// Keeps the folder's program and messages. Its kMadeFrom is the rule that -MD writes. Keeps nothing if a file has changed since
  /// `began`.
  void keep(const std::vector<std::string>& command, const fs::path& from,
            fs::file_time_type began) const {
    std::error_code error;
    if (folder_.empty() || (fs::create_directories(folder_, error), error)) return;
    const std::string key = key_of(command);
    auto files = files_of_rule(from / kMadeFrom);
    if (files.empty()) return;
    // The rule names the files of one source. CXXFLAGS may name other sources, objects and archives.
    std::size_t sources = 0;
    for (const std::string& word : command) {
      if (!fs::is_regular_file(word, error)) continue;
      files.push_back(word);
      const auto ending = fs::path(word).extension();
      sources += ending == ".cpp" || ending == ".cc" || ending == ".cxx" ? 1 : 0;
    }
    if (sources > 1) return;  // the headers of the others are not known
    if (const auto compiler = program_on_path(command.front())) files.push_back(*compiler);
    std::string states = key + '\n';
    for (const std::string& file : files) {
      if (fs::last_write_time(file, error) >= began || error) return;
      states += state_of(file) + '\n';
    }
    // The list of files is written last and renamed, since the others are found by it alone.
    const std::string kept = (folder_ / name_of(key)).string();
    const std::string mine = fmt::format("{}.{}", kept, ::getpid());
    fs::remove(kept + ".made-from", error);
    for (const auto& [name, ending] : {std::pair{kProgram, ".program"}, {kSaid, ".said"}}) {
      fs::copy_file(from / name, mine, fs::copy_options::overwrite_existing, error);
      if (!error) fs::rename(mine, kept + ending, error);
      if (error) return;
    }
    if (!(std::ofstream(mine) << states).flush()) return;
    fs::rename(mine, kept + ".made-from", error);
    remove_oldest(folder_);
  }

 private:
  fs::path folder_;  ///< Empty if there is nowhere to keep them.
};

/// Returns the words of a variable such as CXX="g++ -g", as a shell reads them.
std::vector<std::string> words_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return {};
  wordexp_t words{};
  if (::wordexp(text, &words, WRDE_NOCMD) != 0)
    throw UserError(fmt::format("{} cannot be read: {}", variable, text));
  std::vector<std::string> out(words.we_wordv, words.we_wordv + words.we_wordc);
  ::wordfree(&words);
  return out;
}

void refuse_mpi_source(const std::string& source) {
  std::ifstream in(source);
  int number = 1;
  for (std::string line; std::getline(in, line); ++number) {
    std::erase_if(line, [](char one) { return one == ' ' || one == '\t'; });
    if (line.starts_with("#include<mpi.h>") || line.starts_with("#include\"mpi.h\""))
      throw UserError(fmt::format(
          "{}:{}: there is no <mpi.h> here. Include <rankscope.hpp>: auto comm = rankscope::join() "
          "has send, recv, sendrecv, isend, irecv and the collectives. MPI in Python (mpi4py) runs "
          "as it is",
          source, number));
  }
}

/// Passes on what the compiler said.
void show(const fs::path& said) { std::fputs(read_or_nothing(said).c_str(), stderr); }

/// Returns the line and words of the first static assertion (rankscope.hpp has some), else that the compiler has said it.
std::string reason_in(const fs::path& file, const std::string& source, const std::string& cxx) {
  std::ifstream in(file);
  constexpr std::string_view kFailed = "static assertion failed: ", kFrom = "required from here";
  std::string place, line;
  while (std::getline(in, line)) {
    static const std::regex kColours("\x1b\\[[0-9;]*[mK]");
    line = std::regex_replace(line, kColours, "");
    if (line.starts_with(source + ":") && line.find(kFrom) != std::string::npos)
      place = line.substr(0, line.find(':', source.size() + 1));
    if (const auto at = line.find(kFailed); at != std::string::npos)
      return fmt::format("{}{}", place.empty() ? "" : place + ": ",
                         line.substr(at + kFailed.size()));
  }
  return cxx + " says above what is wrong";
}

}  // namespace

CompiledProgram::CompiledProgram(const std::string& source, const std::string& sanitizers,
                                 bool debugged) {
  std::error_code error;
  if (!fs::is_regular_file(source, error))
    throw UserError(fmt::format("there is no file {}", source));
  refuse_mpi_source(source);
  const fs::path library = library_path();
  auto words = words_in("CXX");
  if (words.empty()) words = {"g++"};
  const std::string cxx = words.front();
  for (const char* word : {"-std=c++20", "-g", debugged ? "-O0" : "-O1", "-Wall", "-Wextra",
                           "-D_GLIBCXX_ASSERTIONS", "-I"})
    words.emplace_back(word);
  words.push_back(include_folder().string());
  std::istringstream kinds(sanitizers);
  for (std::string one; std::getline(kinds, one, ',');) {
    if (one != "address" && one != "undefined" && one != "thread")
      throw UserError(fmt::format(
          "--sanitize: there is no sanitizer '{}': choose address, undefined or thread", one));
    words.push_back("-fsanitize=" + one);
    words.push_back("-fno-sanitize-recover=" + one);
  }
  for (std::string& flag : words_in("CXXFLAGS")) words.push_back(std::move(flag));
  for (const std::string& word :
       {source, library.string(), "-Wl,-rpath," + library.parent_path().string(),
        std::string("-pthread")})
    words.push_back(word);
  if (::isatty(STDERR_FILENO) != 0) words.emplace_back("-fdiagnostics-color=always");
  const KeptPrograms kept;
  const fs::path said = folder_.path() / KeptPrograms::kSaid;
  if (kept.find(words, folder_.path())) {
    show(said);
    return;
  }
  auto command = words;
  for (const std::string& word :
       {std::string("-o"), binary(), std::string("-MD"), std::string("-MF"),
        (folder_.path() / KeptPrograms::kMadeFrom).string()})
    command.push_back(word);
  const auto began = fs::file_time_type::clock::now();
  Subprocess compile(
      {.words = command,
       .descriptors = {{.theirs = 2, .file = said.string(), .flags = O_WRONLY | O_CREAT}}});
  const auto code = compile.wait(Deadline::never());
  show(said);
  if (code == 0) kept.keep(words, folder_.path(), began);
  else
    throw UserError(fmt::format("{} cannot be compiled: {}", source, reason_in(said, source, cxx)));
}

// Our library is not compiled with sanitizers: they would report false leaks, and do not see its locks.
std::vector<std::string> sanitizer_environment() {
  std::vector<std::string> out;
  for (const auto& [name, value] :
       {std::pair{"ASAN_OPTIONS", "detect_leaks=0"},
        {"UBSAN_OPTIONS", "print_stacktrace=1"},
        {"TSAN_OPTIONS", "halt_on_error=1:ignore_noninstrumented_modules=1:report_thread_leaks=0"}})
    if (std::getenv(name) == nullptr) out.push_back(fmt::format("{}={}", name, value));
  return out;
}

namespace {

/// A file that may be damaged.
class ElfFile {
 public:
  explicit ElfFile(const std::string& name) : in_(name, std::ios::binary) {}

  template <class T>
  bool read(std::uint64_t offset, T& out) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(in_.read(reinterpret_cast<char*>(&out), sizeof out));
  }
  std::string text(std::uint64_t offset) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    std::string name;
    constexpr std::size_t kLongest = 4'096;
    for (char c = 0; name.size() < kLongest && in_.get(c) && c != '\0';) name += c;
    return name;
  }

 private:
  std::ifstream in_;
};

/// Reads a 64-bit file of this machine's byte order; others cannot be started here.
std::vector<std::string> needed_by(const std::string& file) {
  ElfFile elf(file);
  Elf64_Ehdr header;
  if (!elf.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (!elf.read(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i])) return {};
  const auto dynamic = ranges::find(segments, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
  if (dynamic == segments.end()) return {};
  std::vector<std::uint64_t> names;
  std::uint64_t strings = 0;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (!elf.read(dynamic->p_offset + at, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
  }
  std::vector<std::string> needed;
  for (const Elf64_Phdr& one : segments)  // the strings lie at an address, the file has offsets
    if (one.p_type == PT_LOAD && strings >= one.p_vaddr && strings - one.p_vaddr < one.p_filesz)
      for (const std::uint64_t name : names)
        needed.push_back(elf.text(one.p_offset + (strings - one.p_vaddr) + name));
  return needed;
}

/// libmpi.so.40 (Open MPI), libmpich.so.12, libmpi_cxx.so.40, libmpifort.so.12 ...
bool is_mpi(const std::string& library) { return library.starts_with("libmpi"); }

}  // namespace

std::string mpi_library_of(const std::string& program) {
  const auto needed = needed_by(program_on_path(program).value_or(program));
  const auto found = ranges::find_if(needed, is_mpi);
  return found == needed.end() ? std::string() : *found;
}

void refuse_mpi_binary(const std::string& program) {
  const std::string library = mpi_library_of(program);
  if (library.empty()) return;
  throw UserError(fmt::format(
      "{} is linked against an MPI library ({}), whose ranks rankscope cannot join: each process "
      "would be a world of its own. Run it with mpirun, or write it with mpi4py or rankscope.hpp: "
      "rankscope exec -n 4 program.py",
      program, library));
}

}  // namespace rankscope::cli
