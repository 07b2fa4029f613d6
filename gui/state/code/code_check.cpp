// Runs `rankscope exercise` in the background and reads its progress and verdict.
#include "gui/state/code/code_check.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/text.h"
#include "gui/state/command/arguments.h"

namespace rankscope::gui {
namespace {

using nlohmann::json;
constexpr int kInterrupted = 130, kWrong = 1;

/// "3 of 24"
bool read_count(std::string_view line, int& done, int& all) {
  const auto of = line.find(" of ");
  if (of == std::string_view::npos) return false;
  const auto first = as_number<int>(line.substr(0, of)),
             second = as_number<int>(line.substr(of + 4));
  if (!first || !second) return false;
  done = *first;
  all = *second;
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
  rule.kind = row.value("kind", "");
  if (!row.contains("first")) return rule;
  rule.says = row["first"].value("says", "");
  rule.run = row["first"].value("case", "");
  rule.run_number = row["first"].value("run", 0);
  rule.failure = row["first"].value("failure", "");
  rule.right_with = row["first"].value("right_with", "");
  rule.event = row["first"].value("event", std::int64_t{-1});
  if (!row["first"].value("site_in_says", false)) rule.site = row["first"].value("site", "");
  return rule;
}

}  // namespace

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
  code_state.verdict = verdict;
  code_state.state = CodeState::State::graded;
}

void CodeCheck::start(CodeOrder order) {
  if (running())
    throw UserError(fmt::format("a program for {} is being graded: wait for it, or `stop-grading`",
                                order_.exercise));
  order_ = std::move(order);
  done_ = all_ = 0;
  std::vector<std::string> words{program_,
                                 "--json",
                                 "exercise",
                                 order_.exercise,
                                 order_.file,
                                 "--trace",
                                 order_.traces.string(),
                                 "--for-parent"};
  if (order_.no_sandbox) words.emplace_back("--no-sandbox");
  child_.start(std::move(words), [this](std::string_view line) { return read_progress(line); });
}

bool CodeCheck::read_progress(std::string_view line) {
  int done = 0, all = 0;
  if (!read_count(line, done, all)) return false;
  const std::lock_guard lock(mutex_);
  done_ = done;
  all_ = all;
  return true;
}

bool CodeCheck::update(CodeState& code_state) {
  if (!running()) return false;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    news = code_state.done != done_ || code_state.all != all_;
    code_state.done = done_;
    code_state.all = all_;
  }
  const auto ended = child_.take_end();
  if (!ended) return news;
  if (ended->was_stopped) code_state.state = CodeState::State::stopped;
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
    const json verdict = parse_json_or_none(out);
    if ((status == 0 || status == kWrong) && verdict.is_object() && verdict.contains("rules"))
      return take_verdict(code_state, verdict);
  } catch (const json::exception&) {  // of another version
  }
  ChildFailure failure = child_failure(errors);
  code_state.state = CodeState::State::failed;
  code_state.problem = std::move(failure.problem);
  code_state.no_boxes = failure.no_boxes;
  if (code_state.problem.empty())
    code_state.problem = fmt::format("the grader ended with code {} and said nothing", status);
}

}  // namespace rankscope::gui
