#include "lessons/coding/imports.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/box/submission_folder.h"
#include "engine/core/error.h"
#include "engine/core/scratch_folder.h"
#include "engine/core/utf8.h"
#include "lessons/whole_file.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostSource = std::uintmax_t{4} << 20;

BoxLimits look_limits() {
  BoxLimits limits;
  limits.wall = std::chrono::seconds(30);
  limits.cpu_seconds = 10;
  limits.memory = std::uint64_t{512} << 20;
  limits.processes = 16;
  limits.disk = std::uint64_t{1} << 20;
  return limits;
}

BoxSpec look_at(const CodingExercise& exercise, const CodingRule& rule,
                const CodeBoxesOptions& options, const fs::path& copy) {
  BoxSpec spec;
  spec.name = "the look at the imports";
  spec.argv = {options.python, "-I",         "-B", "/rankscope/python/rankscope/check_imports.py",
               "/submission",  exercise.file};
  spec.argv.insert(spec.argv.end(), rule.allow.begin(), rule.allow.end());
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  spec.binds = {{options.python_files, "/rankscope/python"}, {copy, "/submission"}};
  return spec;
}

std::string place_of(const json& fault) {
  const int line = fault.value("line", 0);
  const std::string file = escaped(fault.value("file", ""));
  return line > 0 ? fmt::format("{}, line {}", file, line) : file;
}

std::string allowed_words(const CodingRule& rule) {
  std::vector<std::string> modules;
  for (const std::string& entry : rule.allow)
    modules.push_back(entry == "standard" ? "what is harmless of the standard library" : entry);
  return fmt::format("{}", fmt::join(modules, ", "));
}

std::string words_of(const json& fault, const CodingRule& rule) {
  const std::string why = fault.value("why", ""), text = escaped(fault.value("text", ""));
  if (why == "syntax") return place_of(fault) + " cannot be read by Python: a mistake of syntax";
  if (why == "unreadable") return place_of(fault) + " cannot be read by Python's parser";
  if (why == "dynamic")
    return fmt::format(
        "{}: {} can import or run what nobody sees in the text; write plain import lines, and the "
        "code itself",
        place_of(fault), text);
  return fmt::format(
      "{}: {}. Allowed are {}: take the line out, and let data travel by send and receive",
      place_of(fault), text, allowed_words(rule));
}

/// Of what the box printed.
std::string fault_in(const std::string& printed, const CodingRule& rule) {
  const json said = json::parse(printed, nullptr, false);
  if (!said.is_object() || !said.contains("faults") || !said["faults"].is_array())
    return "its imports cannot be looked at";
  const json& faults = said["faults"];
  if (faults.empty()) return {};
  std::string out = words_of(faults[0], rule);
  if (faults.size() > 1) out += fmt::format(" (and {} more)", faults.size() - 1);
  return out;
}

// Processes, sockets, memory of others, foreign code; and rankscope's own ways below send and receive.
constexpr std::string_view kOtherWays[] = {
    "arpa/",         "dlfcn.h",   "fcntl.h",      "linux/",      "mpi.h",     "mqueue.h",
    "netdb.h",       "netinet/",  "rankscope.h",  "semaphore.h", "spawn.h",   "sys/ipc.h",
    "sys/mman.h",    "sys/msg.h", "sys/ptrace.h", "sys/sem.h",   "sys/shm.h", "sys/socket.h",
    "sys/syscall.h", "sys/uio.h", "sys/un.h",     "zmq"};

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// What stands behind `#include` on a line; empty: it is none.
std::string_view included(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return {};
  line = without_blanks(line.substr(1));
  return line.starts_with("include") ? without_blanks(line.substr(7)) : std::string_view();
}

}  // namespace

std::optional<std::string> include_fault(const CodingExercise& exercise, const fs::path& file) {
  const bool asked = std::ranges::any_of(exercise.rules, [](const CodingRule& rule) {
    return rule.judge == CodingRule::Judge::imports;
  });
  if (!asked) return std::nullopt;
  std::string fault;
  const std::string text = read_whole(file, kMostSource, fault, LinkRule::refuse);
  if (!fault.empty()) return fmt::format("{} {}", file.filename().string(), fault);
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const std::string_view what = included(std::string_view(text).substr(begin, end - begin));
    begin = end;
    ++number;
    if (what.empty()) continue;
    const auto name = what.substr(1);
    const bool plain = what[0] == '<' || what[0] == '"';
    const bool other = std::ranges::any_of(kOtherWays, [&](std::string_view way) {
      return name.starts_with(way) && !name.starts_with("rankscope.hpp");
    });
    if (plain && !other) continue;
    return fmt::format("{}, line {}: #include {}. {}", file.filename().string(), number,
                       escaped(what.substr(0, 80)),
                       plain ? "The standard library's headers and rankscope.hpp are enough: take "
                               "the line out, and let "
                               "data travel by send and recv"
                             : "Write the header's name");
  }
  return "";
}

std::optional<std::string> import_fault(const CodingExercise& exercise,
                                        const CodeBoxesOptions& options) {
  const auto rule =
      std::ranges::find(exercise.rules, CodingRule::Judge::imports, &CodingRule::judge);
  if (rule == exercise.rules.end()) return std::nullopt;
  const ScratchFolder folder("imports", ScratchFolder::For::everybody);
  BoxGroup group(options.support, look_limits());
  const CopyReport copied = copy_submission(options.submission, folder.path() / "submission", {},
                                            CopyOwner{group.uid(), group.gid()});
  if (!copied.refused.empty()) return "the submission " + copied.refused;
  std::vector<BoxSpec> specs;
  specs.push_back(look_at(exercise, *rule, options, folder.path() / "submission"));
  group.start(std::move(specs));
  while (!group.wait(std::chrono::seconds(1))) {
  }
  const BoxOutcome& box = group.outcome().boxes.front();
  if (box.end == BoxEnd::could_not_start)
    throw UserError(fmt::format("the program's imports could not be looked at: {}", box.words));
  if (box.end != BoxEnd::ended || box.exit_code != 0)
    return fmt::format("its imports cannot be looked at: the look at them {}", box.words);
  return fault_in(box.out, *rule);
}

}  // namespace rankscope
