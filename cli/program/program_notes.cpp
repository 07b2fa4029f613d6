// Collects what a program's processes note, and runs a program a second time with telling inputs.
#include "cli/program/program_notes.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/core/base/error.h"
#include "engine/run/conductor/child_process.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kSecondTimeout = 20;  // seconds
constexpr std::chrono::milliseconds kPoll{10}, kToEnd{2'000};
constexpr std::size_t kMostKept = 8 << 20;  // bytes of notes in a trace

std::string read_from(const fs::path& file, std::size_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The notes of the program's run with telling inputs; empty where it did not end well.
json telling_notes(const MeantOptions& meant, int ranks, const SecondRun& again) {
  ProgramNotes notes(meant, true);
  ProgramHostOptions options;
  options.base = again.base;
  options.base.trace = TraceLevel::off;
  options.base.timeout_s = std::min(options.base.timeout_s, kSecondTimeout);
  options.copies = again.copies;
  options.open = [](const ProgramRun&) { return nullptr; };
  options.ended = [](const ProgramRun&, EventSink&) {};
  ProgramHost host(std::move(options));
  Children children;
  for (int copy = 0; copy < std::max(1, again.copies); ++copy) {
    auto environment = again.environment(host.variable(), copy);
    for (std::string& one : notes.environment()) environment.push_back(std::move(one));
    children.start({without_output(again.command), std::move(environment), again.copies > 0});
  }
  const Deadline limit = Deadline::in(std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(kSecondTimeout)));
  std::optional<Deadline> to_end;
  for (children.poll(); children.running(); children.poll()) {
    if (!to_end && (limit.passed() || again.interrupted())) {
      host.interrupt();
      to_end = Deadline::in(kToEnd);
    }
    if (to_end && to_end->passed()) children.signal(SIGKILL);
    std::this_thread::sleep_for(kPoll);
  }
  host.finish();
  return notes.take(ranks);
}

}  // namespace

void MeantOptions::check() const {
  if (asked()) meant::parse_meaning(as);
  else if (!data.empty())
    throw UserError("--data names the data of the collective that is meant: give --as, too");
}

void add_meant_options(OptionList options, MeantOptions& meant) {
  options.add_option(
      "--as", "COLLECTIVE[:OPERATOR][:ROOT]", meant.as,
      "Compare what each rank ends with against this collective of what the ranks began "
      "with: allreduce:mean, gather:2");
  options.add_option(
      "--data", "NAME", meant.data,
      "With --as: the variable, or the function, that has the data; else what the messages carry");
}

ProgramNotes::ProgramNotes(const MeantOptions& meant, bool telling)
    : meant_(meant), telling_(telling), folder_("notes") {}

std::vector<std::string> ProgramNotes::environment() const {
  std::vector<std::string> out{"RANKSCOPE_NOTES=" + folder_.path().string(),
                               "RANKSCOPE_AS=" + meant_.as, "RANKSCOPE_DATA=" + meant_.data};
  if (telling_) out.emplace_back("RANKSCOPE_TELLING=1");
  return out;
}

json ProgramNotes::take(int ranks) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_.path(), error))
    files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    auto known =
        std::ranges::find(read_, file.string(), &std::pair<std::string, std::size_t>::first);
    if (known == read_.end()) known = read_.insert(read_.end(), {file.string(), 0});
    std::string text = read_from(file, known->second);
    text.resize(text.rfind('\n') + 1);  // a line that is being written is for the next time
    known->second += text.size();
    for (json& note : meant::parse_notes(text)) pool_.push_back(std::move(note));
  }
  json taken = json::array(), left = json::array();
  for (json& note : pool_) {
    const int size = note.value("size", 0);
    (size == ranks || size == 0 ? taken : left).push_back(std::move(note));
  }
  pool_ = std::move(left);
  return taken;
}

json observe(ProgramNotes& notes, const MeantOptions& meant, int ranks, bool ended_well,
             const SecondRun& again) {
  json kept{{"as", meant.as}, {"data", meant.data}, {"notes", notes.take(ranks)}};
  if (!meant.asked()) return kept["notes"].empty() ? json() : kept;
  if (!ended_well) return kept;
  const auto observed = meant::observations_of(kept, ranks);
  const auto verdict = meant::judge(observed, meant::parse_meaning(meant.as), meant.data);
  if (verdict.state == meant::Verdict::State::wrong && !verdict.data.empty() &&
      !again.interrupted())
    kept["telling"] = telling_notes({meant.as, verdict.data}, ranks, again);
  if (kept.dump(-1, ' ', false, json::error_handler_t::replace).size() > kMostKept)
    for (const char* list : {"notes", "telling"})
      if (kept.contains(list))
        for (json& note : kept[list]) note.erase("history");
  return kept;
}

std::vector<std::string> without_output(const std::vector<std::string>& command) {
  std::vector<std::string> out{"/bin/sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace rankscope::cli
