// Writes programs' results into results.json, and reads those of an earlier grading.
#include "lessons/reports/kept_programs.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The limits of copy_submission().
constexpr std::size_t kMostHashedFiles = 2000;
constexpr std::uintmax_t kMostHashedBytes = std::uintmax_t{64} << 20;
constexpr int kMostHashedDepth = 16;

bool left_out(const fs::path& name, bool at_top) {
  if (name == ".git" || name == "__pycache__") return true;
  return at_top && (name == "answers.toml" || name == "answers.json");
}

/// Lists files by their paths in the folder; returns false if they are too many, too deep or unreadable.
bool list_files(const fs::path& folder, const fs::path& inside, int depth,
                std::map<std::string, fs::path>& to) {
  std::error_code error;
  if (depth > kMostHashedDepth) return false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    std::error_code ignored;
    const fs::file_status status = at->symlink_status(ignored);
    if (left_out(name, depth == 0) || fs::is_symlink(status)) continue;
    if (fs::is_directory(status) && !list_files(at->path(), inside / name, depth + 1, to))
      return false;
    if (fs::is_regular_file(status)) to.emplace((inside / name).string(), at->path());
    if (to.size() > kMostHashedFiles) return false;
  }
  return !error;
}

}  // namespace

json kept_programs_json(const std::vector<KeptProgram>& programs) {
  json results = json::array();
  for (const KeptProgram& one : programs) {
    results.push_back({{"exercise", one.exercise},
                       {"digest", one.digest},
                       {"files", one.files},
                       {"points", one.result.points},
                       {"most", one.result.most},
                       {"says", one.result.says},
                       {"why", one.result.why}});
    if (one.result.bonus > 0) results.back()["bonus"] = one.result.bonus;
    if (!one.result.printed.empty()) results.back()["printed"] = one.result.printed;
    if (const ShownRun& run = one.result.smallest; !run.text.empty())
      results.back()["smallest"] = {run.text, run.explains, run.picture};
  }
  return results;
}

KeptPrograms::KeptPrograms(const json& results) {
  for (const json& one : results) {
    ShownRun smallest;
    if (one.contains("smallest")) {
      const json& run = one.at("smallest");
      smallest = {run.at(0), run.at(1), run.at(2)};
    }
    programs_.push_back({one.at("exercise"),
                         one.at("digest"),
                         one.at("files"),
                         {one.at("points"), one.at("most"), one.at("says"), true, smallest,
                          one.at("why"), one.value("printed", ""), one.value("bonus", 0.0)}});
  }
}

const CodeItem* KeptPrograms::find(std::string_view digest) const {
  const auto found = ranges::find(programs_, digest, &KeptProgram::digest);
  return found == programs_.end() || digest.empty() ? nullptr : &found->result;
}

const KeptProgram* KeptPrograms::of(std::string_view exercise) const {
  const auto found = ranges::find(programs_, exercise, &KeptProgram::exercise);
  return found == programs_.end() ? nullptr : &*found;
}

std::string files_hash(const fs::path& folder, const std::set<std::string>& without) {
  std::map<std::string, fs::path> files;
  if (folder.empty() || !list_files(folder, {}, 0, files)) return {};
  std::string all;
  std::uintmax_t bytes = 0;
  for (const auto& [name, file] : files) {
    if (without.contains(name)) continue;
    std::string fault;
    const std::string text = read_whole(file, kMostHashedBytes, fault, LinkRule::refuse);
    bytes += text.size();
    if (!fault.empty() || bytes > kMostHashedBytes) return {};
    all += fmt::format("{} {} {}\n", name.size(), name, hash_text(text));
  }
  return hash_text(all);
}

}  // namespace rankscope
