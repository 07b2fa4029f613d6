// Keeps programs with the times and sizes of the files from which they were made.
#include "cli/program/kept_programs.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "engine/core/base/program_search.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/user_folder.h"
#include "engine/core/base/whole_file.h"

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

}  // namespace

KeptPrograms::KeptPrograms() {
  const fs::path cache = user_folder("XDG_CACHE_HOME", ".cache");
  if (!cache.empty()) folder_ = cache / "rankscope" / "programs";
}

bool KeptPrograms::find(const std::vector<std::string>& command, const fs::path& into) const {
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
  fs::copy_file(kept.string() + ".said", into / kSaid, fs::copy_options::overwrite_existing, error);
  fs::last_write_time(kept.string() + ".program", fs::file_time_type::clock::now(), error);
  return true;
}

void KeptPrograms::keep(const std::vector<std::string>& command, const fs::path& from,
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

}  // namespace rankscope::cli
