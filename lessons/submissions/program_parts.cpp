// Follows a program's imports and the file names in its text.
#include "lessons/submissions/program_parts.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostPart = std::uintmax_t{64} << 20;
constexpr std::size_t kMostParts = 200;
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kMostNames = 10'000;  // of a file

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

/// Modules as a program's text imports them ("ways.ring", ".ring" where it is relative), and what stands between quotes.
struct Names {
  std::set<std::string> modules, quoted;
};

/// Adds what "import a.b, c as d" imports, or with `from` "a import b, c": "a", "a.b", "a.c".
void add_imported(std::string line, bool from, Names& to) {
  std::string base;
  if (from) {
    const auto at = line.find(" import ");
    base = std::string(trimmed(line.substr(0, at)));
    to.modules.insert(base);
    if (at == line.npos) return;
    line.erase(0, at + 8);
    if (!base.ends_with('.')) base += '.';
  }
  for (char& one : line)
    if (one == '(' || one == ')' || one == '\\') one = ' ';
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find(',', begin), line.size());
    const std::string_view name = trimmed(std::string_view(line).substr(begin, end - begin));
    begin = end + 1;
    if (!name.empty()) to.modules.insert(base + std::string(name.substr(0, name.find(' '))));
  }
}

void add_quoted(std::string_view line, Names& to) {
  for (auto begin = line.find_first_of("\"'"); begin != line.npos;) {
    const auto end = line.find(line[begin], begin + 1);
    if (end == line.npos) return;
    const std::string_view inside = line.substr(begin + 1, end - begin - 1);
    if (!inside.empty() && inside.size() <= kLongestName && to.quoted.size() < kMostNames)
      to.quoted.emplace(inside);
    begin = line.find_first_of("\"'", end + 1);
  }
}

Names names_in(std::string_view text) {
  Names out;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    const bool from = line.starts_with("from ");
    if (from || line.starts_with("import ")) {
      // A list in brackets continues on the next lines.
      if (line.find('(') != line.npos && line.find(')') == line.npos) {
        end = std::min(text.find(')', end), text.size());
        line = trimmed(text.substr(0, end));
      }
      std::string one(line.substr(line.find(' ') + 1, kLongestName * 10));
      ranges::replace(one, '\n', ' ');
      one.resize(std::min(one.find('#'), one.size()));
      if (out.modules.size() < kMostNames) add_imported(std::move(one), from, out);
    } else {
      add_quoted(line, out);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

class Parts {
 public:
  explicit Parts(const fs::path& program) : top_(program.parent_path()) {
    add(program);
    for (std::size_t at = 0; at < all_.size(); ++at) follow(fs::path(all_[at]));
  }
  std::vector<fs::path> take() { return std::move(all_); }

 private:
  void add(const fs::path& file) {
    const fs::path plain = file.lexically_normal();
    if (all_.size() < kMostParts && seen_.insert(plain).second) all_.push_back(plain);
  }

  void follow(const fs::path& file) {
    std::string fault;
    const Names names = names_in(program_text(file, fault));
    for (const std::string& module : names.modules) add_module(module, file.parent_path());
    for (const std::string& quoted : names.quoted) add_named(quoted, file.parent_path());
  }

  void add_module(std::string name, const fs::path& importer) {
    const auto dots = std::min(name.find_first_not_of('.'), name.size());
    name.erase(0, dots);
    ranges::replace(name, '.', '/');
    if (dots > 0) {  // one dot is the importer's own folder
      fs::path from = importer;
      for (std::size_t i = 1; i < dots; ++i) from = from.parent_path();
      add_below(from, name);
      return;
    }
    add_below(top_, name);
    if (importer != top_) add_below(importer, name);
    // "src.helper" in src/main.py
    const std::string own = top_.filename().string() + "/";
    if (own.size() > 1 && name.starts_with(own)) add_below(top_, name.substr(own.size()));
  }

  /// "ways/ring": ways.py, ways/ring.py, or all of the package ways.
  void add_below(const fs::path& folder, const std::string& name) {
    const fs::path inside = folder.lexically_normal().lexically_relative(top_.lexically_normal());
    if (inside.empty() || *inside.begin() == "..") return;
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (!part.empty()) {
        if (const fs::path module = folder / (part + ".py"); is_file(module)) add(module);
        add_package(folder / part);
      }
      if (end == name.npos) return;
    }
  }

  void add_package(const fs::path& package) {
    if (!is_file(package / "__init__.py")) return;
    std::vector<fs::path> files;
    std::error_code error;
    for (auto at = fs::recursive_directory_iterator(package, error);
         !error && at != fs::recursive_directory_iterator() && files.size() < kMostParts;
         at.increment(error))
      if (at->path().extension() == ".py" && is_file(at->path())) files.push_back(at->path());
    ranges::sort(files);
    for (const fs::path& one : files) add(one);
  }

  /// #include "tree.h", open("weights.bin"), import_module("helper")
  void add_named(const std::string& quoted, const fs::path& folder) {
    const fs::path name(quoted);
    if (name.is_absolute() || quoted.find('\0') != quoted.npos ||
        ranges::find(name, fs::path("..")) != name.end())
      return;
    for (const fs::path& from : {top_, folder})
      for (const fs::path& file : {from / name, from / (quoted + ".py")})
        if (is_file(file)) add(file);
  }

  fs::path top_;
  std::vector<fs::path> all_;
  std::set<fs::path> seen_;
};

}  // namespace

std::string bytes_to_hand_in(const fs::path& file) {
  std::string fault;
  std::string out = read_whole(file, kMostPart, fault);
  if (!fault.empty())
    throw UserError(fmt::format("{} {}: it cannot be handed in", escaped(file.string()), fault));
  return out;
}

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << bytes;
  out.close();
  if (!out) throw UserError(fmt::format("cannot write {}", escaped(file.string())));
}

std::vector<fs::path> program_parts(const fs::path& program) {
  return Parts(fs::absolute(program).lexically_normal()).take();
}

std::set<std::string> unused_programs(const fs::path& folder, const std::string& program,
                                      const std::set<std::string>& programs) {
  std::set<fs::path> used;
  std::string text;
  for (const fs::path& part : program_parts(folder / program)) {
    std::string fault;
    text += program_text(part, fault);
    if (!fault.empty()) return {};
    used.insert(part);
  }
  std::set<std::string> out;
  for (const std::string& other : programs) {
    const fs::path file = fs::absolute(folder / other).lexically_normal();
    if (!used.contains(file) && text.find(file.stem().string()) == text.npos) out.insert(other);
  }
  return out;
}

std::string program_hash(const fs::path& program) {
  const std::vector<fs::path> parts = program_parts(program);
  const fs::path top = parts.front().parent_path();
  std::string all;
  for (const fs::path& part : parts) {
    std::string fault;
    const std::string bytes = read_whole(part, kMostPart, fault);
    if (!fault.empty()) return {};
    if (parts.size() == 1) return hash_text(bytes);  // as earlier versions have it in their files
    const bool own = all.empty();
    all += fmt::format("{} {}\n", own ? "" : part.lexically_relative(top).generic_string(),
                       hash_text(bytes));
  }
  return hash_text(all);
}

void copy_program(const fs::path& program, const fs::path& to) {
  const std::vector<fs::path> parts = program_parts(program);
  const fs::path top = parts.front().parent_path();
  write_bytes(to, bytes_to_hand_in(parts.front()));
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const fs::path place = to.parent_path() / parts[i].lexically_relative(top);
    std::error_code error;
    if (!fs::exists(place, error)) write_bytes(place, bytes_to_hand_in(parts[i]));
    else if (bytes_to_hand_in(place) != bytes_to_hand_in(parts[i]))
      throw UserError(
          fmt::format("two of your programs have a file {} of their own, which differ: rename one, "
                      "or hand in a folder with --from",
                      escaped(parts[i].filename().string())));
  }
}

}  // namespace rankscope
