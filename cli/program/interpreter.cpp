// Asks Pythons for the modules that a script imports (lessons/python/rankscope/_imports.py).
#include "cli/program/interpreter.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

/// One Python's version, the script's modules that it lacks, and those that a stem can load.
struct Imports {
  std::string version;
  std::vector<std::string> missing, loads;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the Pythons of this machine, the active environment's first, whose folder may not be on the PATH (in some editors).
std::vector<std::string> pythons() {
  std::vector<std::string> out;
  const auto add = [&](const fs::path& folder) {
    const std::string file = (folder / "python3").string();
    if (::access(file.c_str(), X_OK) == 0 && ranges::find(out, file) == out.end())
      out.push_back(file);
  };
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = variable(name); !folder.empty()) add(fs::path(folder) / "bin");
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (!folder.empty()) add(folder);
  add("/usr/bin");
  return out;
}

std::optional<Imports> imports_of(const std::string& script, const std::string& python) {
  const std::string text = output_of(
      {.words = {python, (python_files() / "rankscope" / "_imports.py").string(), script}},
      Deadline::in(std::chrono::seconds(20)));
  const auto said = nlohmann::json::parse(text, nullptr, false);
  if (!said.is_object()) return std::nullopt;
  Imports out{"Python " + said.value("python", ""),
              said.value("missing", std::vector<std::string>{}),
              said.value("loads", std::vector<std::string>{})};
  for (const auto& [name, version] : said["versions"].items())
    out.version += fmt::format(", {} {}", name, version.get<std::string>());
  return out;
}

}  // namespace

Interpreter interpreter_for(const std::string& script, const std::string& named) {
  const std::string asked = named.empty() ? variable("RANKSCOPE_PYTHON") : named;
  const auto there = pythons();
  Interpreter out{!asked.empty() ? asked : there.empty() ? "python3" : there.front(), ""};
  const auto imports = imports_of(script, out.program);
  if (!imports) return out;  // running it will show what is wrong with it, or with the script
  out.version = imports->version;
  out.loads = imports->loads;
  if (imports->missing.empty()) return out;
  for (const std::string& other : there) {
    if (other == out.program) continue;
    const auto its = imports_of(script, other);
    if (!its || !its->missing.empty()) continue;
    const std::string missing = fmt::format("{}", fmt::join(imports->missing, ", "));
    if (asked.empty() && variable("VIRTUAL_ENV").empty() && variable("CONDA_PREFIX").empty())
      return {other, fmt::format("{}; {} lacks {}", its->version, out.program, missing),
              its->loads};
    throw UserError(
        fmt::format("{0} imports {1}, which {2} does not have; {3} has it: rankscope exec "
                    "--python {3} … (or set RANKSCOPE_PYTHON={3})",
                    script, missing, out.program, other));
  }
  return out;
}

std::vector<std::string> loads_of(const std::string& script, const std::string& python) {
  const auto imports = imports_of(script, python);
  return imports ? imports->loads : std::vector<std::string>{};
}

}  // namespace rankscope::cli
