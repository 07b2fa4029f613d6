// `rankscope exec`: any program, whose ranks are those of a run that can be watched.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <poll.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exec_traces.h"
#include "cli/findings_text.h"
#include "cli/interrupt.h"
#include "cli/job_options.h"
#include "cli/sizes.h"
#include "cli/text.h"
#include "engine/analysis/findings.h"
#include "engine/core/error.h"
#include "engine/core/trace_file.h"
#include "engine/run/child_process.h"
#include "lessons/lesson.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kLook{20};
/// For what is left of a program whose run was ended: its ranks raise an error and end by themselves.
constexpr milliseconds kAfterStop{3'000};

struct ExecOptions {
  std::string ranks, output, trace = "full", send_mode, eager_limit, timeout = "600", python;
  std::vector<std::string> delays, command;
  bool no_findings = false;
  OptionList app;

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

std::string extension(const std::string& word) { return fs::path(word).extension().string(); }

/// What starts Python: that of the system has the packages that courses use.
std::string python_of(const ExecOptions& options) {
  if (!options.python.empty()) return options.python;
  if (const char* named = std::getenv("RANKSCOPE_PYTHON"); named != nullptr && *named != '\0')
    return named;
  return ::access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
}

/// A script alone is enough: how it is started is known.
std::vector<std::string> command_of(const ExecOptions& options) {
  auto command = options.command;
  if (command.empty())
    throw UserError("say what to run: rankscope exec -n 4 -- python3 student.py");
  const std::string first = command.front();
  if (extension(first) == ".py") command.insert(command.begin(), python_of(options));
  if (extension(first) == ".ipynb")
    command.insert(command.begin(), {python_of(options), "-m", "rankscope.notebook"});
  return command;
}

bool runs_pytest(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    const auto name = fs::path(word).filename().string();
    return name == "pytest" || name == "py.test" || name == "pytest-3";
  });
}

std::string library_path() {
  std::error_code error;
  const fs::path program = fs::path(own_program()).parent_path();
  for (const char* folder : {"../lib", "../" RANKSCOPE_LIBDIR, "."})
    if (const auto file = program / folder / "librankscope.so"; fs::exists(file, error))
      return fs::weakly_canonical(file).string();
  throw UserError("librankscope.so is not there: build the target rankscope_capi, or install rankscope whole");
}

int free_port() { return 29'500; }  // nothing listens there: worlds meet by the text alone

class Exec {
 public:
  Exec(const Console& console, const ExecOptions& options);
  int run();

 private:
  ProgramHostOptions host_options();
  JobSpec base_spec() const;
  std::vector<std::string> environment(int copy, int copies) const;
  void start(Children& children);
  bool wait_for(Children& children);
  std::string file_for(const ProgramRun& run) const;
  void on_end(const ProgramRun& run, EventSink& sink);
  void report(const ProgramRun& run, const std::string& file, std::uint64_t bytes,
              const std::vector<Finding>& found, const TraceCounts& counts);
  int exit_code(const Children& children) const;

  const Console& console_;
  const ExecOptions& options_;
  const std::vector<std::string> command_;
  const int copies_;  ///< 0: one, which makes its ranks itself.
  Interrupt interrupt_;
  std::mutex mutex_;  ///< Of what the runs' threads touch: the next ones, and the screen.
  bool failed_ = false, stopped_ = false;
  Clock::time_point stopped_at_{};
  json runs_ = json::array();
  std::unique_ptr<ProgramHost> host_;
};

}  // namespace

}  // namespace rankscope::cli
