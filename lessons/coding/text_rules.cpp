// Checks imports and calls in submitted Python and C++ texts against an exercise's rules.
#include "lessons/coding/text_rules.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/box/submission_folder.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostText = std::uintmax_t{4} << 20;

constexpr BoxLimits kLookLimits{.wall = std::chrono::seconds(30),
                                .cpu_seconds = 10,
                                .memory = std::uint64_t{512} << 20,
                                .processes = 16,
                                .disk = std::uint64_t{1} << 20};

const CodingRule* rule_of(const CodingExercise& exercise, CodingRule::Judge judge) {
  const auto rule = ranges::find(exercise.rules, judge, &CodingRule::judge);
  return rule == exercise.rules.end() ? nullptr : &*rule;
}

/// Returns an exercise's rules on the text of programs; null if there are none.
struct TextRules {
  explicit TextRules(const CodingExercise& exercise)
      : imports(rule_of(exercise, CodingRule::Judge::imports)),
        calls(rule_of(exercise, CodingRule::Judge::calls)) {}
  bool any() const noexcept { return imports != nullptr || calls != nullptr; }
  /// The faults when there is no text to look at.
  TextFaults all(const std::string& fault) const {
    TextFaults out;
    if (imports != nullptr) out.imports = fault;
    if (calls != nullptr) out.calls = fault;
    return out;
  }
  const CodingRule *imports, *calls;
};

BoxSpec look_at(const CodingExercise& exercise, const TextRules& rules,
                const CodeBoxesOptions& options, const fs::path& copy) {
  BoxSpec spec;
  spec.name = "the look at the program's text";
  spec.argv = {options.python, "-I",         "-B", "/rankscope/python/rankscope/check_text.py",
               "/submission",  exercise.file};
  if (!exercise.module.empty()) spec.argv.push_back("--module=" + exercise.module);
  if (!exercise.call.function.empty()) spec.argv.push_back("--function=" + exercise.call.function);
  const auto add = [&](const char* option, const std::vector<std::string>& names) {
    spec.argv.emplace_back(option);
    spec.argv.insert(spec.argv.end(), names.begin(), names.end());
  };
  if (rules.imports != nullptr) add("--allow", rules.imports->allow);
  if (rules.calls != nullptr) add("--forbid", rules.calls->forbid);
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

std::string called_words(const std::string& place, const std::string& name) {
  return fmt::format("{}: {} is not for this exercise; take it out", place, name);
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
  if (why == "call") return called_words(place_of(fault), text);
  return fmt::format(
      "{}: {}. Allowed are {}: take the line out, and let data travel by send and receive",
      place_of(fault), text, allowed_words(rule));
}

/// The first fault by one rule in what the box printed; empty if there is none.
std::string fault_in(const json& said, const char* what, const CodingRule& rule) {
  if (!said.is_object() || !said.contains(what) || !said[what].is_array())
    return "its text cannot be looked at";
  const json& faults = said[what];
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

/// The header on a line that includes one; empty for other lines.
std::string_view included(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line = trimmed(line.substr(1));
  return line.starts_with("include") ? trimmed(line.substr(7)) : std::string_view();
}

/// Says why a line's header is not allowed; empty if it is.
std::string include_fault(std::string_view line) {
  const std::string_view what = included(line);
  if (what.empty()) return {};
  const auto name = what.substr(1);
  const bool plain = what[0] == '<' || what[0] == '"';
  const bool other = ranges::any_of(kOtherWays, [&](std::string_view way) {
    return name.starts_with(way) && !name.starts_with("rankscope.hpp");
  });
  if (plain && !other) return {};
  return fmt::format("#include {}. {}", escaped(what.substr(0, 80)),
                     plain
                         ? "The standard library's headers and rankscope.hpp are enough: take the "
                           "line out, and let data travel by send and recv"
                         : "Write the header's name");
}

}  // namespace

TextFaults cpp_text_faults(const CodingExercise& exercise, const fs::path& file) {
  const TextRules rules(exercise);
  if (!rules.any()) return {};
  const std::string of = file.filename().string();
  std::string fault;
  const std::string text = read_whole(file, kMostText, fault, LinkRule::refuse);
  if (!fault.empty()) return rules.all(fmt::format("{} {}", of, fault));
  TextFaults out = rules.all("");
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end;
    const std::string place = fmt::format("{}, line {}", of, ++number);
    if (out.imports && out.imports->empty())
      if (const auto words = include_fault(line); !words.empty())
        out.imports = place + ": " + words;
    if (out.calls && out.calls->empty())
      for (const std::string& name : rules.calls->forbid)
        if (has_name(line.substr(0, line.find("//")), name)) out.calls = called_words(place, name);
  }
  return out;
}

TextFaults python_text_faults(const CodingExercise& exercise, const CodeBoxesOptions& options) {
  const TextRules rules(exercise);
  if (!rules.any()) return {};
  const ScratchFolder folder("text", ScratchFolder::For::everybody);
  BoxGroup group(options.support, kLookLimits);
  const CopyReport copied = copy_submission(options.submission, folder.path() / "submission", {},
                                            CopyOwner{group.uid(), group.gid()});
  if (!copied.refused.empty()) return rules.all("the submission " + copied.refused);
  group.start({look_at(exercise, rules, options, folder.path() / "submission")});
  while (!group.wait(std::chrono::seconds(1))) {
  }
  const BoxOutcome& box = group.outcome().boxes.front();
  if (box.end == BoxEnd::could_not_start)
    throw UserError(fmt::format("the program's text could not be looked at: {}", box.words));
  if (box.end != BoxEnd::ended || box.exit_code != 0)
    return rules.all(fmt::format("its text cannot be looked at: the look at it {}", box.words));
  const json said = parse_json_or_none(box.out);
  TextFaults out;
  if (rules.imports != nullptr) out.imports = fault_in(said, "imports", *rules.imports);
  if (rules.calls != nullptr) out.calls = fault_in(said, "calls", *rules.calls);
  return out;
}

}  // namespace rankscope
