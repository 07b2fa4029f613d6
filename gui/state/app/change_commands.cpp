// The command take-off, and what-ifs: which run a question changes, and its answer.
#include "gui/state/app/change_commands.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/run/run_difference.h"
#include "gui/state/app/groups.h"
#include "gui/state/run/said_job.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

bool has_changes(const AppState& s) {
  return s.asked.any && !changes_between(s.asked.base, s.asked.job).empty();
}

}  // namespace

constexpr Row<Text> cmd::take_off(
    "take-off CHANGE|all", "Takes a change of a what-if off, and runs it again without", "", 1, 1,
    Curtain::keeps, does<&ChangeCommands::take_off>, kUndoable | kMovesCursor,
    menu(item(Menu::run, 0, "As it was before the what-ifs", "all", has_changes, nullptr, true)),
    also("what if, undo the change, back"));

std::optional<JobSpec> ChangeCommands::shown_job() const {
  if (!state_.has_trace() || !state_.race.runs.empty()) return std::nullopt;
  if (state_.live.running && app_.group<RunCommands>().running_in_view()) return std::nullopt;
  const TraceMeta& meta = state_.document->trace().meta();
  if (!meta.complete || !meta.job || meta.job->is_program() || !meta.job->call.program.empty() ||
      find_algorithm(meta.job->call.algorithm) == nullptr)
    return std::nullopt;
  return meta.job;
}

void ChangeCommands::say(const std::string& text) {
  const bool steps = state_.live.running && state_.live.stepping;
  const auto shown = shown_job();
  auto& asked = state_.asked;
  if (!shown) {
    forget();
    return app_.group<RunCommands>().start(job_to_run(state_.settings.job, text).job, steps);
  }
  const bool goes_on = asked.any && asked.run == state_.document->run_id();
  if (!goes_on) forget();
  const JobSpec base = goes_on ? asked.base : *shown;
  const DocumentPtr base_run = goes_on ? asked.base_run : state_.document;
  Said said = said_of(asked, *shown, text);
  const bool of_shown = said.of_shown;
  if (!said.whole)
    said = hear(app_.group<NetworkCommands>().as_it_stands(of_shown ? *shown : base), text);
  RunCommands::require(said.job);
  const auto *was = traits_of_job(*shown), *is = traits_of_job(said.job);
  if (was != is) {
    forget();
    return app_.group<RunCommands>().start(std::move(said.job), steps);
  }
  asked = {};
  asked.any = true;
  asked.words = capitalized(text.substr(0, text.find_last_not_of("?. ") + 1));
  asked.base = said.whole ? said.job : base;
  asked.base_run = said.whole ? nullptr : base_run;
  const bool beside_shown = of_shown || said.whole;
  start(std::move(said.job), beside_shown ? state_.document : base_run,
        beside_shown ? *shown : base);
}

// `compared`: the job of `before`, in place of which its simulated twin is made where only the new one is simulated.
void ChangeCommands::start(JobSpec job, DocumentPtr before, const JobSpec& compared) {
  auto& asked = state_.asked;
  asked.job = job;
  asked.waits = true;
  shown_at_start_ = state_.document->run_id();
  asked.before = std::move(before);
  if (job.is_simulated() && !compared.is_simulated()) {
    JobSpec twin = simulated_base(compared, job);
    asked.before = twin_run_ && twin_of_ == twin ? twin_run_ : nullptr;
    asked.note = twin.network.topology.empty() ? "both simulated; before: a link for each pair"
                                               : "both simulated";
    if (!asked.before) {
      twin_run_ = nullptr;
      twin_of_ = twin;
      twin_.start(std::move(twin), app_.options().changed);
    }
  } else if (const auto model = said_by_model(compared, job)) {
    const auto changes = changes_of(compared, job);
    asked.model = changes.empty()
                      ? capitalized(*model)
                      : capitalized(fmt::format("{}: {}", fmt::join(changes, ", "), *model));
  }
  const bool steps = state_.live.running && state_.live.stepping;
  app_.group<RunCommands>().start(std::move(job), steps);
}

void ChangeCommands::take_off(const Arguments& words) {
  auto& asked = state_.asked;
  if (!asked.any || changes_between(asked.base, asked.job).empty())
    throw UserError("nothing is changed: ask something first, such as \"what if rank 2 is slow\"");
  const JobSpec before = asked.job;
  JobSpec job = words[0] == "all" ? asked.base : gui::take_off(asked.base, asked.job, words[0]);
  RunCommands::require(job);
  WhatIfRun next;
  next.any = true;
  next.words = words[0] == "all" ? "as it was" : "without this change";
  next.base = asked.base;
  next.base_run = asked.base_run;
  const DocumentPtr shown = asked.waits ? asked.before : state_.document;
  asked = std::move(next);
  start(std::move(job), shown, before);
}

void ChangeCommands::answer() {
  auto& asked = state_.asked;
  asked.answer =
      asked.before->large() || state_.document->large()
          ? capitalized(fmt::format("{}: {}", fmt::join(changes_of(asked.base, asked.job), ", "),
                                    microseconds_text(state_.document->end(ClockBase::measured))))
      : is_repetition(*asked.before, *state_.document)
          ? "The same steps; times of real processes vary"
          : difference_in_words(asked.before->analysis(), state_.document->analysis());
  asked.model.clear();
  asked.waits = false;
  asked.run = state_.document->run_id();
  if (!asked.base_run)
    asked.base_run = state_.document;  // a run of its own: the next questions are of it
  state_.other = asked.before;
  if (!state_.curtain()) app_.show_message(asked.answer);
}

void ChangeCommands::answer_of(const DocumentPtr& before, const std::string& words) {
  const auto &base = before->trace().meta().job, &job = state_.document->trace().meta().job;
  if (!base || !job || base->is_program() || job->is_program()) return;
  auto& asked = state_.asked;
  asked = {};
  asked.any = true;
  asked.words = words;
  asked.base = *base;
  asked.job = *job;
  asked.base_run = asked.before = before;
  if (base->network.topology.empty() && !job->network.topology.empty())
    asked.note = "both simulated; before: a link for each pair";
  answer();
}

void ChangeCommands::update(double /*seconds*/, bool& news) {
  if (twin_.ready()) {
    news = true;
    if (const std::string problem = twin_.take(); !problem.empty()) app_.report(problem);
    else twin_run_ = Document::make(TraceReader::open(twin_.trace()), "");
    if (state_.asked.any && state_.asked.waits && !state_.asked.before) {
      state_.asked.before = twin_run_;
      if (!twin_run_) forget();
    }
  }
  auto& asked = state_.asked;
  if (!asked.any || asked.of_program) return;
  if (asked.waits) {
    const bool elsewhere = state_.has_trace() && state_.document->run_id() != shown_at_start_ &&
                           state_.document->trace().meta().job != asked.job;
    if (elsewhere && !app_.group<RunCommands>().running_in_view()) {
      forget();  // another run was opened meanwhile
      news = true;
      return;
    }
    // The result may come before the last picture of the run does.
    if (!asked.before || !state_.has_trace() || !state_.result || state_.live.running) return;
    const TraceMeta& meta = state_.document->trace().meta();
    if (!meta.complete || meta.job != asked.job || state_.document == asked.before) return;
    answer();
    news = true;
  } else if (!state_.document || state_.document->run_id() != asked.run) {
    forget();  // another run is shown
    news = true;
  }
}

}  // namespace rankscope::gui
