// Orders broken rules by what explains the others.
#include "gui/state/code/code_state.h"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

using Rule = CodeState::Rule;

bool is_broken(const Rule& rule) {
  return (rule.state == RuleVerdict::State::broken || rule.state == RuleVerdict::State::partly) &&
         !rule.says.empty();
}

struct Advice {
  std::string_view kind, words;
  bool on_run = false;  ///< Follows the button that shows the run.
};

std::string advice_for(const Rule& rule, bool has_run) {
  static constexpr std::array<Advice, 10> kAdvice = {
      {{"ends", "the run stops at the lines that wait for each other, or at the error.", true},
       {"timeout",
        "each rank stands at its last message. Which one computes on, or sleeps, after that?",
        true},
       {"values", "go through the run step by step. Which chunk is wrong first?", true},
       {"imports", "Remove the import, and do its part with sends and receives."},
       {"calls", "Replace the call with sends and receives of your own."},
       {"no_built_in", "Take the call out, and do its part with sends and receives of your own."},
       {"argument", "Work on a copy of the argument, and return that."},
       {"log", "Compare what is printed with the lines of the task, one by one."},
       {"shards", "Print the shape of each rank's shard, and compare it with the task's."},
       {"accuracy", "Compare the loss of the first steps with a run on one rank."}}};
  static constexpr Advice kOther = {
      "", "the cursor stands at the first message that differs from what is asked.", true};
  if (!has_run && !rule.failure.empty())
    return "Mend the line that is named, and grade again: the program ends there.";
  const auto named = ranges::find(
      kAdvice, rule.failure == to_string(CaseRun::Status::timeout) ? "timeout" : rule.kind,
      &Advice::kind);
  const Advice& advice = named == kAdvice.end() ? kOther : *named;
  if (!advice.on_run) return std::string(advice.words);
  return has_run ? fmt::format("{}: {}", kShowFault, advice.words) : "";
}

}  // namespace

std::string_view to_string(CodeState::State state) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"none", "running", "stopped", "failed",
                                                      "graded"};
  return kNames[static_cast<std::size_t>(state)];
}

RootCause find_root_cause(const std::vector<Rule>& rules, bool has_run) {
  RootCause found;
  std::vector<const Rule*> broken;
  for (const Rule& rule : rules)
    if (is_broken(rule)) broken.push_back(&rule);
  if (broken.empty()) return found;
  const auto fail_alike = [](const Rule& a, const Rule& b) {
    return !a.failure.empty() && a.failure == b.failure;
  };
  const auto is_repeated = [&](const Rule& one) {
    return ranges::count_if(broken, [&](const Rule* rule) { return fail_alike(*rule, one); }) > 1;
  };
  // A failure that breaks several rules is the cause of all of them; text is wrong whatever the run.
  const auto order = [&](const Rule* rule) {
    const bool text = rule->kind == "imports" || rule->kind == "calls";
    return std::tuple(!is_repeated(*rule), !text, rule->kind != "ends", rule->event < 0,
                      rule->run_number);
  };
  found.rule = *ranges::min_element(broken, {}, order);
  found.advice = advice_for(*found.rule, has_run);
  for (const Rule* rule : broken) {
    if (rule == found.rule) continue;
    const bool same = fail_alike(*rule, *found.rule);
    // Wrong values in a run whose messages went wrong.
    const bool later = found.rule->event >= 0 && rule->event < 0 && rule->kind == "values";
    const bool broke_off = found.rule->kind == "ends" && rule->event < 0;
    (same || later || broke_off ? found.follows : found.others).push_back(rule);
  }
  return found;
}

}  // namespace rankscope::gui
