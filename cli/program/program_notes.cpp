// Collects what a program's processes note, and runs a program again with telling inputs.
#include "cli/program/program_notes.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

/// The second run's folder for notes; unset in the first run.
constexpr const char* kTelling = "RANKSCOPE_TELLING_NOTES";
constexpr double kSecondTimeout = 20;  // seconds
constexpr std::chrono::milliseconds kPoll{10}, kSecondLimit{30'000}, kToEnd{8'000};
constexpr std::size_t kMostKept = 8 << 20;  // bytes of notes in a trace

std::string read_from(const fs::path& file, std::size_t offset) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(offset));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns whether a process has ended, also if another thread has reaped it.
bool has_ended(pid_t pid) {
  pid_t got = 0;
  while ((got = ::waitpid(pid, nullptr, WNOHANG)) < 0 && errno == EINTR) {
  }
  return got != 0;
}

/// Returns the calls of a run with telling inputs.
std::vector<Handed::Call> telling_calls(const MeantOptions& meant, int ranks,
                                        const SecondRun& again) {
  ProgramNotes notes(meant);
  std::vector<std::string> words{
      own_program(), "exec",      "--trace",
      "off",         "--timeout", fmt::format("{:g}", std::min(again.timeout_s, kSecondTimeout)),
      "--as",        meant.as,    "--data",
      meant.data};
  if (again.copies > 0) words.insert(words.end(), {"-n", fmt::to_string(again.copies)});
  words.emplace_back("--");
  words.insert(words.end(), again.command.begin(), again.command.end());
  pid_t pid = 0;
  if (start_process({.words = without_output(words),
                     .environment = {std::string(kTelling) + "=" + notes.folder()}},
                    pid) != 0)
    return {};
  const auto limit = Deadline::in(kSecondLimit);
  std::optional<Deadline> to_end;
  while (!has_ended(pid)) {
    if (!to_end && (limit.passed() || again.interrupted())) {
      ::kill(-pid, SIGINT);
      to_end = Deadline::in(kToEnd);
    }
    if (to_end && to_end->passed()) ::kill(-pid, SIGKILL);
    std::this_thread::sleep_for(kPoll);
  }
  return notes.take(ranks).calls;
}

/// Moves the notes of worlds of this size, and of processes that are no ranks, from one list to another.
template <class Note>
void take_notes(std::vector<Note>& from, std::vector<Note>& to, int ranks) {
  const auto others = std::stable_partition(from.begin(), from.end(), [&](const Note& note) {
    return note.size == ranks || note.size == 0;
  });
  to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(others));
  from.erase(from.begin(), others);
}

}  // namespace

void MeantOptions::check() const {
  if (asked()) meant::parse_meaning(as);
  else if (!data.empty())
    throw UserError("--data names the data of the collective that is meant: give --as, too");
}

void add_meant_options(OptionList options, MeantOptions& meant) {
  options.add_option("--as", "COLLECTIVE[:OPERATOR][:ROOT]", meant.as,
                     "Compare what each rank ends with against this collective of what the ranks "
                     "began with: allreduce:mean, gather:2");
  options.add_option(
      "--data", "NAME", meant.data,
      "With --as: the variable that holds the data, or a function whose first array does; default: "
      "the data of the messages");
}

ProgramNotes::ProgramNotes(const MeantOptions& meant) : meant_(meant) {
  if (const char* const other = std::getenv(kTelling); other != nullptr) told_ = other;
  if (told_.empty()) folder_.emplace("notes");
}

std::string ProgramNotes::folder() const { return folder_ ? folder_->path().string() : told_; }

std::vector<std::string> ProgramNotes::environment() const {
  std::vector<std::string> out{"RANKSCOPE_NOTES=" + folder(), "RANKSCOPE_AS=" + meant_.as,
                               "RANKSCOPE_DATA=" + meant_.data};
  out.emplace_back(told_.empty() ? "RANKSCOPE_TELLING" : "RANKSCOPE_TELLING=1");
  return out;
}

Handed ProgramNotes::take(int ranks) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder(), error)) files.push_back(entry.path());
  ranges::sort(files);
  for (const fs::path& file : files) {
    auto known = ranges::find(read_, file.string(), &std::pair<std::string, std::size_t>::first);
    if (known == read_.end()) known = read_.insert(read_.end(), {file.string(), 0});
    std::string text = read_from(file, known->second);
    text.resize(text.rfind('\n') + 1);  // an unfinished line is read next time
    known->second += text.size();
    parse_notes(text, pool_);
  }
  Handed taken;
  taken.ranks = ranks;
  take_notes(pool_.calls, taken.calls, ranks);
  take_notes(pool_.printed, taken.printed, ranks);
  take_notes(pool_.remarks, taken.remarks, ranks);
  take_notes(pool_.advice, taken.advice, ranks);
  return taken;
}

std::optional<Handed> observe(ProgramNotes& notes, const MeantOptions& meant, int ranks,
                              bool ended_well, const SecondRun& again) {
  Handed kept = notes.take(ranks);
  if (!meant.asked() && kept.empty()) return std::nullopt;
  kept.as = meant.as;
  kept.data = meant.data;
  if (!meant.asked() || !ended_well) return kept;
  const auto verdict = meant::judge(kept, meant::parse_meaning(meant.as), meant.data);
  // A right result is tried with other numbers, too: a constant may be right by chance.
  if (verdict.state != meant::Verdict::State::unknown && !verdict.certain &&
      !verdict.data.empty() && !again.interrupted())
    kept.telling = telling_calls({meant.as, verdict.data}, ranks, again);
  if (dump_json(json_of(kept)).size() > kMostKept)
    for (auto* const calls : {&kept.calls, &kept.telling})
      for (Handed::Call& call : *calls) call.history.clear();
  return kept;
}

std::vector<std::string> without_output(const std::vector<std::string>& command) {
  std::vector<std::string> out{"/bin/sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"};
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace rankscope::cli
