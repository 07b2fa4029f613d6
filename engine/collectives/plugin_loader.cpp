// Opens a plug-in, checks it, and appends its algorithms and their sources to the tables.
#include "engine/collectives/plugin_loader.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>

#include <dlfcn.h>
#include <fmt/format.h>

#include "engine/collectives/append_only.h"
#include "engine/collectives/embedded_sources.h"
#include "engine/collectives/plugin.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

std::string_view plugin_abi() noexcept;  // of the headers of this build (plugin_header.cmake)

namespace {

namespace fs = std::filesystem;

struct Plugin {
  std::string file;
  std::vector<std::string_view> names;
};

/// The plug-ins of this process, and what their rows refer to.
struct Plugins {
  std::mutex mutex;
  std::vector<Plugin> loaded;
  std::deque<std::string> names;  ///< A deque keeps their addresses.
};
Plugins& plugins() {
  static Plugins all;
  return all;
}

AppendOnly<Algorithm>& table() {
  static AppendOnly<Algorithm> rows(built_in_algorithms());
  return rows;
}

struct Closed {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};
using Library = std::unique_ptr<void, Closed>;

std::string said_by_dlopen(const std::string& file) {
  const char* const said = ::dlerror();
  std::string text = said == nullptr ? "unknown error" : said;
  if (text.starts_with(file + ": ")) text.erase(0, file.size() + 2);
  return text;
}

[[noreturn]] void refuse(const std::string& file, std::string_view why) {
  throw UserError(fmt::format("plug-in {}: {}", file, why));
}

PluginExports exports_of(const std::string& asked, void* library) {
  auto* const function =
      reinterpret_cast<PluginExports (*)()>(::dlsym(library, "rankscope_plugin"));
  constexpr std::string_view kNone =
      "it has no algorithm: its source includes <rankscope_algorithm.hpp> and has "
      "RANKSCOPE_ALGORITHM(allreduce, mine) after the function allreduce_mine";
  if (function == nullptr) refuse(asked, kNone);
  const PluginExports exports = function();
  if (exports.abi != plugin_abi())
    refuse(asked, fmt::format("it was compiled for another rankscope ({}; this one has {}): "
                              "compile it again, against the headers of this one",
                              exports.abi, plugin_abi()));
  if (exports.first == exports.last) refuse(asked, kNone);
  return exports;
}

/// Opens the library and binds all that it calls at once: ranks in virtual time have too small stacks to do it later.
Library open_library(const std::string& asked, const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) refuse(asked, "there is no such file");
  if (fs::is_directory(file, error)) refuse(asked, "it is a folder");
  Library library(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library) return library;
  const std::string said = said_by_dlopen(file);
  // A plug-in of another version may call functions that are not here: its `abi` is then the better reason.
  if (const Library foreign(::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL)); foreign) {
    exports_of(asked, foreign.get());
    refuse(asked, fmt::format(
                      "{}: it may call what <rankscope_algorithm.hpp> declares, and libraries that "
                      "it is linked with",
                      said));
  }
  refuse(asked,
         fmt::format("{}; compile it: g++ -std=c++20 -O2 -shared -fPIC mine.cpp -o mine.so", said));
}

std::string name_of(const std::string& asked, const Algorithm& row) {
  const bool plain = ranges::all_of(row.name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  std::string name = fmt::format("{}.{}", to_string(row.collective), row.name);
  if (!plain) refuse(asked, fmt::format("{}: names have small letters, digits and _", name));
  const std::string_view reserved[] = {"auto", "schedule"};  // what chooses, and what runs a table
  if (ranges::find(reserved, row.name) != std::end(reserved) || find_algorithm(name) != nullptr)
    refuse(asked, fmt::format("there is an algorithm {} already: give yours another name", name));
  return name;
}

}  // namespace

std::vector<std::string_view> load_plugin(const std::string& asked) {
  Plugins& all = plugins();
  const std::lock_guard lock(all.mutex);
  std::error_code error;
  const fs::path whole = fs::canonical(asked, error);
  const std::string file = error ? asked : whole.string();
  const auto known = ranges::find(all.loaded, file, &Plugin::file);
  if (known != all.loaded.end()) return known->names;
  Library library = open_library(asked, file);
  const PluginExports exports = exports_of(asked, library.get());
  const std::span rows(exports.first, exports.last);
  std::vector<std::string> names;
  for (const PluginAlgorithm* row : rows) {
    names.push_back(name_of(asked, row->algorithm));
    if (ranges::find(names, names.back()) != names.end() - 1)
      refuse(asked, fmt::format("it has two algorithms {}", names.back()));
  }
  if (!table().has_room(rows.size())) refuse(asked, "too many algorithms are loaded");
  Plugin& plugin = all.loaded.emplace_back(Plugin{file, {}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PluginAlgorithm& row = *rows[i];
    const std::string& name = all.names.emplace_back(std::move(names[i]));
    plugin.names.push_back(name);
    const std::string& source = all.names.emplace_back(short_file(row.file));
    add_source({.file = source,
                .text = {row.text, static_cast<std::size_t>(row.text_end - row.text)},
                .sha256_hex = {},
                .algorithm = name});
    Algorithm algorithm = row.algorithm;
    algorithm.name = name;
    if (algorithm.title.empty()) algorithm.title = name;
    if (algorithm.best_use.empty()) algorithm.best_use = "a plug-in";
    table().add(algorithm);
  }
  static_cast<void>(library.release());  // never closed: runs may still use it at the end
  return plugin.names;
}

std::vector<std::string> plugin_options() {
  Plugins& all = plugins();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> out;
  for (const Plugin& one : all.loaded) out.insert(out.end(), {"--plugin", one.file});
  return out;
}

std::span<const Algorithm> with_plugins() { return table().rows(); }

}  // namespace rankscope
