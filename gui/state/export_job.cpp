#include "gui/state/export_job.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace rankscope::gui {
namespace {

// What the command calls it; data files take no diagram.
std::string diagram_of(const ExportJob& job) {
  for (const std::string_view data : {".jsonl", ".csv", ".json"})
    if (job.output.ends_with(data)) return "";
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames = {
      {{"buffers", "grid"},
       {"table", "grid"},
       {"graph", "graph"},
       {"matrix", "matrix"},
       {"statistics", "statistics"},
       {"schematic", "schematic"}}};
  for (const auto& [view, diagram] : kNames)
    if (job.diagram == view) return std::string(diagram);
  return job.diagram == "grid" || job.diagram == "strip" ? job.diagram : "spacetime";
}

struct Output {
  int status = -1;
  std::string errors;
};

Output run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) return {-1, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  ::posix_spawn_file_actions_addclose(&actions, ends[0]);
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Output output;
  if (failed != 0) {
    ::close(ends[0]);
    return {-1, fmt::format("cannot start {}: {}", words.front(), std::strerror(failed))};
  }
  std::array<char, 4096> buffer{};
  for (ssize_t n;
       (n = ::read(ends[0], buffer.data(), buffer.size())) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) output.errors.append(buffer.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return output;
}

}  // namespace

std::pair<bool, std::string> carry_out(const ExportJob& job) {
  std::vector<std::string> words{job.program, "export", job.trace, "-o", job.output, "--quiet"};
  const std::string diagram = diagram_of(job);
  if (!diagram.empty()) {
    words.insert(words.end(), {"--diagram", diagram});
    if (!job.theme.empty() && !job.output.ends_with(".pdf"))
      words.insert(words.end(), {"--theme", job.theme});
    if (diagram == "spacetime" && job.measured) words.insert(words.end(), {"--time", "measured"});
  }
  const Output output = run(std::move(words));
  if (output.status == 0) return {true, fmt::format("written: {}", job.output)};
  std::string message = output.errors;
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return {false, message.empty() ? fmt::format("{} was not written", job.output) : message};
}

}  // namespace rankscope::gui
