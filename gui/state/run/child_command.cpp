// Runs the command in the background, reads its two outputs and ends it when asked to.
#include "gui/state/run/child_command.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/subprocess.h"

namespace rankscope::gui {
namespace {

using std::chrono::milliseconds;
/// The first signal lets the command end its ranks, and kill those that ignore it after 6 s; the second ends it at once.
constexpr std::array<std::pair<milliseconds, int>, 3> kEndings{
    {{milliseconds(0), SIGTERM}, {milliseconds(9'000), SIGTERM}, {milliseconds(10'000), SIGKILL}}};
/// When reading stops: a process that it left behind may hold the outputs open.
constexpr milliseconds kGivenUp{11'000};
constexpr milliseconds kPeekEvery{50}, kNewsEvery{300};
constexpr std::size_t kMostOutput = std::size_t{4} << 20;

/// Returns false at the end of the output.
bool read_some(Fd& from, std::string& into) {
  std::array<char, 8192> buffer{};
  const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  if (into.size() < kMostOutput) into.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

}  // namespace

ChildCommand::~ChildCommand() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void ChildCommand::start(std::vector<std::string> words, TakeLine take_line) {
  if (thread_.joinable()) thread_.join();
  words_ = std::move(words);
  take_line_ = std::move(take_line);
  stopping_ = false;
  running_ = true;
  ended_.reset();
  // The thread lives as long as the process, which ends with its parent's thread.
  thread_ = std::thread([this] { work(); });
}

void ChildCommand::work() {
  Ended ended;
  try {
    ended = carry_out();
  } catch (const std::exception& e) {
    ended.status = -1;
    ended.errors = e.what();
  }
  ended.was_stopped = stopping_;
  {
    const std::lock_guard lock(mutex_);
    ended_ = std::move(ended);
  }
  changed_();
}

// Takes out whole lines that are news.
void ChildCommand::take_lines(std::string& errors) {
  if (!take_line_) return;
  bool news = false;
  for (std::size_t from = 0;;) {
    const auto end = errors.find('\n', from);
    if (end == std::string::npos) break;
    if (take_line_(std::string_view(errors).substr(from, end - from))) {
      errors.erase(from, end + 1 - from);
      news = true;
    } else {
      from = end + 1;
    }
  }
  if (news) changed_();
}

ChildCommand::Ended ChildCommand::carry_out() {
  Ended ended;
  FdPair out = pipe_pair("the command"), errors = pipe_pair("the command");
  Subprocess child({.words = words_,
                    .descriptors = {{.theirs = STDOUT_FILENO, .ours = out.theirs.get()},
                                    {.theirs = STDERR_FILENO, .ours = errors.theirs.get()}}});
  out.theirs.reset();
  errors.theirs.reset();
  std::size_t asked = 0;
  auto since = Clock::now(), told = since;
  while (out.ours || errors.ours) {
    std::array<pollfd, 2> fds{{{out.ours.get(), POLLIN, 0}, {errors.ours.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), static_cast<int>(kPeekEvery.count()));
    if (fds[0].revents != 0 && !read_some(out.ours, ended.out)) out.ours.reset();
    if (fds[1].revents != 0) {
      if (!read_some(errors.ours, ended.errors)) errors.ours.reset();
      take_lines(ended.errors);
    }
    const auto now = Clock::now();
    if (now - told >= kNewsEvery) {
      told = now;
      changed_();
    }
    if (!stopping_) since = now;
    while (stopping_ && asked < kEndings.size() && now - since >= kEndings[asked].first)
      child.signal(kEndings[asked++].second);
    if (stopping_ && now - since >= kGivenUp) break;
  }
  ended.status = child.wait(Deadline::never()).value_or(-1);
  return ended;
}

std::optional<ChildCommand::Ended> ChildCommand::take_end() {
  if (!running_) return std::nullopt;
  std::optional<Ended> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(ended_, std::nullopt);
  }
  if (!ended) return std::nullopt;
  thread_.join();
  running_ = false;
  return ended;
}

ChildFailure child_failure(const std::string& errors) {
  const auto report = parse_json_or_none(errors);
  if (!report.is_object() || !report.contains("error") || !report["error"].is_object())
    return {.problem = errors};
  const auto& error = report["error"];
  const std::string hint = error.value("hint", "");
  return {.problem = error.value("message", "") + (hint.empty() ? "" : ". " + hint),
          .no_boxes = error.value("no_boxes", false)};
}

}  // namespace rankscope::gui
