// Runs `rankscope exercise` in the background and reads its progress and verdict.
#include "gui/state/code/code_check.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "engine/core/base/deadline.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd_pair.h"
#include "engine/core/base/subprocess.h"
#include "gui/state/app/arguments.h"

namespace rankscope::gui {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
/// Asked to end, it ends its boxes in order; asked twice, at once; and what then still is, is killed.
constexpr std::array<std::pair<milliseconds, int>, 3> kEndings{
    {{milliseconds(0), SIGTERM}, {milliseconds(4'000), SIGTERM}, {milliseconds(5'000), SIGKILL}}};
constexpr milliseconds kPeekEvery{50};
constexpr std::size_t kMostOutput = std::size_t{4} << 20;
constexpr int kInterrupted = 130, kWrong = 1;

/// False: there is no more to come.
bool read_some(Fd& from, std::string& into) {
  std::array<char, 8192> buffer{};
  const ssize_t n = ::read(from.get(), buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  if (into.size() < kMostOutput) into.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

/// "3 of 24"
bool read_count(std::string_view line, int& done, int& all) {
  const auto of = line.find(" of ");
  if (of == std::string_view::npos) return false;
  const auto number = [](std::string_view text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
  };
  int first = 0, second = 0;
  if (!number(line.substr(0, of), first) || !number(line.substr(of + 4), second)) return false;
  done = first;
  all = second;
  return true;
}

CodeState::Rule rule_from(const json& row) {
  CodeState::Rule rule;
  rule.title = row.value("title", "");
  using State = RuleVerdict::State;
  constexpr std::array kStates = {State::kept, State::partly, State::broken, State::unearned,
                                  State::not_judged};
  rule.state = named(kStates, row.value("state", "")).value_or(State::not_judged);
  rule.points = row.value("points", 0.0);
  rule.most = row.value("most", 0.0);
  if (!row.contains("first")) return rule;
  rule.says = row["first"].value("says", "");
  rule.run = row["first"].value("case", "");
  if (!row["first"].value("site_in_says", false)) rule.site = row["first"].value("site", "");
  return rule;
}

void take_verdict(CodeState& code_state, const json& verdict) {
  code_state.points = verdict.value("points", 0.0);
  code_state.most = verdict.value("most", 0.0);
  code_state.capped = verdict.value("capped", "");
  code_state.trouble = verdict.value("trouble", "");
  code_state.trace = verdict.value("trace", "");
  code_state.diagnostics = verdict.value("diagnostics", "");
  code_state.remarks = verdict.value("remarks", std::vector<std::string>());
  code_state.rules.clear();
  for (const json& row : verdict.value("rules", json::array()))
    code_state.rules.push_back(rule_from(row));
  code_state.state = CodeState::State::graded;
}

/// What the command says of its failure: JSON, or whatever there is.
void take_failure(CodeState& code_state, const std::string& errors) {
  code_state.state = CodeState::State::failed;
  code_state.problem = errors;
  const json report = json::parse(errors, nullptr, false);
  if (!report.is_object() || !report.contains("error") || !report["error"].is_object()) return;
  const auto& error = report["error"];
  const std::string hint = error.value("hint", "");
  code_state.problem = error.value("message", "") + (hint.empty() ? "" : ". " + hint);
  code_state.no_boxes = error.value("no_boxes", false);
}

}  // namespace

std::string_view to_string(CodeState::State state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"none", "running", "stopped", "failed",
                                                      "graded"};
  return kNames[static_cast<std::size_t>(state)];
}

CodeCheck::CodeCheck(std::string program, std::function<void()> changed)
    : program_(std::move(program)), changed_(std::move(changed)) {}

CodeCheck::~CodeCheck() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void CodeCheck::start(CodeOrder order) {
  if (running_)
    throw UserError(fmt::format("a program for {} is being graded: wait for it, or `stop-grading`",
                                order_.exercise));
  if (thread_.joinable()) thread_.join();
  order_ = std::move(order);
  stopping_ = false;
  running_ = true;
  done_ = all_ = 0;
  ended_.reset();
  // It lives as long as the process that it starts: that ends with its parent's thread.
  thread_ = std::thread([this] { work(); });
}

void CodeCheck::work() {
  Ended ended;
  try {
    ended = carry_out();
  } catch (const std::exception& e) {
    ended.status = -1;
    ended.errors = e.what();
  }
  {
    const std::lock_guard lock(mutex_);
    ended_ = std::move(ended);
  }
  changed_();
}

// Whole lines that tell how far it is are taken out; the others stay.
void CodeCheck::read_progress(std::string& errors) {
  bool news = false;
  for (std::size_t from = 0;;) {
    const auto end = errors.find('\n', from);
    if (end == std::string::npos) break;
    int done = 0, all = 0;
    if (!read_count(errors.substr(from, end - from), done, all)) {
      from = end + 1;
      continue;
    }
    errors.erase(from, end + 1 - from);
    const std::lock_guard lock(mutex_);
    done_ = done;
    all_ = all;
    news = true;
  }
  if (news) changed_();
}

CodeCheck::Ended CodeCheck::carry_out() {
  Ended ended;
  FdPair out = pipe_pair("the grader"), errors = pipe_pair("the grader");
  std::vector<std::string> words{program_,
                                 "--json",
                                 "exercise",
                                 order_.exercise,
                                 order_.file,
                                 "--trace",
                                 order_.traces.string(),
                                 "--for-parent"};
  if (order_.no_sandbox) words.emplace_back("--no-sandbox");
  Subprocess grader({.words = std::move(words),
                     .descriptors = {{.theirs = STDOUT_FILENO, .ours = out.theirs.get()},
                                     {.theirs = STDERR_FILENO, .ours = errors.theirs.get()}}});
  out.theirs.reset();
  errors.theirs.reset();
  std::size_t asked = 0;
  auto since = Clock::now();
  while (out.ours || errors.ours) {
    std::array<pollfd, 2> fds{{{out.ours.get(), POLLIN, 0}, {errors.ours.get(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), static_cast<int>(kPeekEvery.count()));
    if (fds[0].revents != 0 && !read_some(out.ours, ended.out)) out.ours.reset();
    if (fds[1].revents != 0) {
      if (!read_some(errors.ours, ended.errors)) errors.ours.reset();
      read_progress(ended.errors);
    }
    if (!stopping_) since = Clock::now();
    while (stopping_ && asked < kEndings.size() && Clock::now() - since >= kEndings[asked].first)
      grader.signal(kEndings[asked++].second);
  }
  ended.status = grader.wait(Deadline::never()).value_or(-1);
  return ended;
}

bool CodeCheck::update(CodeState& code_state) {
  if (!running_) return false;
  std::optional<Ended> ended;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    news = code_state.done != done_ || code_state.all != all_;
    code_state.done = done_;
    code_state.all = all_;
    ended = std::exchange(ended_, std::nullopt);
  }
  if (!ended) return news;
  thread_.join();
  running_ = false;
  if (stopping_) code_state.state = CodeState::State::stopped;
  else take_grading(code_state, ended->status, ended->out, ended->errors);
  return true;
}

void take_grading(CodeState& code_state, int status, const std::string& out,
                  const std::string& errors) {
  code_state.problem.clear();
  code_state.no_boxes = false;
  if (status == kInterrupted) {
    code_state.state = CodeState::State::stopped;
    return;
  }
  try {
    const json verdict = json::parse(out, nullptr, false);
    if ((status == 0 || status == kWrong) && verdict.is_object() && verdict.contains("rules"))
      return take_verdict(code_state, verdict);
  } catch (const json::exception&) {  // of another version
  }
  take_failure(code_state, errors);
  if (code_state.problem.empty())
    code_state.problem = fmt::format("the grader ended with code {} and said nothing", status);
}

}  // namespace rankscope::gui
