// The command take-off, and what-ifs: which run a question changes, and its answer.
#include "gui/state/app/change_commands.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/run/run_difference.h"
#include "gui/state/app/groups.h"
#include "gui/state/run/question_parser.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

bool has_changes(const AppState& s) {
  return s.asked.any && !changes_between(s.asked.base, s.asked.job).empty();
}

std::string asked_words(const std::string& text) {
  return capitalized(text.substr(0, text.find_last_not_of("?. ") + 1));
}

/// "50 µs instead of 30 µs by the model"; nothing where the model has no answer, or the same.
std::optional<std::string> said_by_model(const JobSpec& base, const JobSpec& job) {
  const auto then = seconds_by_model(base), now = seconds_by_model(job);
  if (!then || !now || base.is_simulated() != job.is_simulated() ||
      std::abs(*now - *then) < 0.005 * *then)
    return std::nullopt;
  return fmt::format("{} instead of {} by the model", format_seconds(*now), format_seconds(*then));
}

std::string links_of(const JobSpec& job) {
  return job.is_simulated() ? "these links" : usual_links();
}

/// For a question about more ranks than the window shows.
std::string picture_note(const JobSpec& shown) {
  return fmt::format("the picture still shows {}",
                     counted(static_cast<std::uint64_t>(shown.world.size), "rank"));
}

/// "Read as: 10 ranks (without “friendly”)"
std::string reading_of(const JobSpec& base, const ParsedJob& parsed) {
  const auto changes = changes_of(base, parsed.job);
  return fmt::format("Read as: {} ({})",
                     changes.empty() || parsed.whole ? sentence_text(parsed.job)
                                                     : fmt::format("{}", fmt::join(changes, ", ")),
                     parsed.reading);
}

/// "16 ranks: 6 steps"
std::string answer_text(const JobSpec& base, const JobSpec& job, const std::string& comes) {
  const auto changes = changes_of(base, job);
  return capitalized(
      fmt::format("{}{}{}", fmt::join(changes, ", "), changes.empty() ? "" : ": ", comes));
}

/// Keeps how the question was read, and what else it could mean.
void keep_reading(WhatIfRun& asked, const ParsedJob& parsed) {
  if (!parsed.reading.empty()) asked.read_as = reading_of(asked.base, parsed);
  if (!parsed.bare_number.empty() && !parsed.whole) asked.near = parsed.bare_number + " elements";
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

// Nothing that was asked stays for the next run.
void ChangeCommands::forget() {
  const auto& asked = state_.asked;
  if (asked.any && !asked.of_program && state_.settings.job == asked.job)
    state_.settings.job = asked.base;
  state_.asked = {};
}

void ChangeCommands::say_of_held(const std::string& text) {
  auto& asked = state_.asked;
  const JobSpec base = asked.any && !asked.of_program ? asked.base : state_.settings.job;
  const ParsedJob parsed = job_to_run(base, text);
  RunCommands::require(parsed.job);
  asked = {};
  if (!parsed.whole && traits_of_job(base) == traits_of_job(parsed.job)) {
    asked.any = true;
    asked.words = asked_words(text);
    asked.base = base;
    keep_reading(asked, parsed);
    start(parsed.job, nullptr, base);
  } else {
    app_.group<RunCommands>().start(parsed.job, true);
  }
}

void ChangeCommands::say(const std::string& text) {
  if (!state_.race.runs.empty() && say_of_race(text)) return;
  const bool steps = state_.live.running && state_.live.stepping;
  const auto shown = shown_job();
  auto& asked = state_.asked;
  if (!shown && state_.holds()) return say_of_held(text);
  if (!shown) {
    forget();
    const ParsedJob parsed = job_to_run(state_.settings.job, text);
    app_.group<RunCommands>().start(parsed.job, steps);
    if (!parsed.reading.empty()) app_.show_message(reading_of(state_.settings.job, parsed));
    return;
  }
  const bool goes_on = asked.any && asked.run == state_.document->run_id();
  if (!goes_on) forget();
  const JobSpec base = goes_on ? asked.base : *shown;
  const DocumentPtr base_run = goes_on ? asked.base_run : state_.document;
  ParsedJob parsed = parse_what_if(asked, *shown, text);
  const bool beside_shown = parsed.of_shown || parsed.whole;
  const JobSpec& compared = beside_shown ? *shown : base;
  if (!parsed.whole) parsed = parse_job(app_.group<NetworkCommands>().as_it_stands(compared), text);
  const auto by_model =
      parsed.job.world.size > kMostShownRanks ? said_by_model(compared, parsed.job) : std::nullopt;
  if (!by_model) RunCommands::require(fit_to_memory(parsed.job));
  const auto *was = traits_of_job(*shown), *is = traits_of_job(parsed.job);
  if (was != is) {
    forget();
    return app_.group<RunCommands>().start(std::move(parsed.job), steps);
  }
  asked = {};
  asked.any = true;
  asked.words = asked_words(text);
  asked.base = parsed.whole ? parsed.job : base;
  asked.base_run = parsed.whole ? nullptr : base_run;
  keep_reading(asked, parsed);
  if (by_model) {
    asked.answer = answer_text(compared, parsed.job, *by_model);
    return answer_by_model(*shown, std::move(parsed.job));
  }
  // "Does doubling beat the ring at 1 KB": both have 1 KB, in virtual time.
  JobSpec rival = parsed.job;
  if (!parsed.whole && !parsed.against.empty()) rival.call.algorithm = parsed.against;
  if (rival != parsed.job && rival != compared && traits_of_job(rival) == is) {
    for (JobSpec* const one : {&parsed.job, &rival})
      if (!one->is_simulated()) *one = in_virtual_time(std::move(*one));
    return start(std::move(parsed.job), nullptr, rival);
  }
  start(std::move(parsed.job), beside_shown ? state_.document : base_run, compared);
}

void ChangeCommands::answer_by_model(const JobSpec& shown, JobSpec job) {
  auto& asked = state_.asked;
  asked.job = std::move(job);
  asked.model = asked.answer;
  asked.note = fmt::format("on {}; {}", links_of(asked.job), picture_note(shown));
  asked.run = state_.document->run_id();
  app_.show_message(asked.answer);
}

// `compared`: the job of `before`, in place of which its simulated twin is made where only the new one is simulated.
void ChangeCommands::start(JobSpec job, DocumentPtr before, const JobSpec& compared) {
  auto& asked = state_.asked;
  if (const auto model = has_much_data(job) ? said_by_model(compared, job) : std::nullopt)
    asked.model = answer_text(compared, job, fmt::format("{}, on {}", *model, links_of(job)));
  job = fit_to_memory(std::move(job));
  asked.job = job;
  asked.waits = true;
  shown_at_start_ = state_.document->run_id();
  asked.before = std::move(before);
  if (job.is_simulated() && (!asked.before || !compared.is_simulated())) {
    JobSpec twin = compared.is_simulated() ? compared : simulated_base(compared, job);
    asked.before = twin_run_ && twin_of_ == twin ? twin_run_ : nullptr;
    if (compared.is_simulated()) asked.note = "before: " + sentence_text(twin);
    else
      asked.note = twin.network.topology.empty() ? "both simulated; before: a link for each pair"
                                                 : "both simulated";
    if (!asked.before) {
      twin_run_ = nullptr;
      twin_of_ = twin;
      twin_.start(std::move(twin), app_.options().changed);
    }
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
  if (asked.of_race) {
    std::vector<std::string> racers;
    for (const JobSpec& one : racers_) racers.push_back(one.call.algorithm);
    asked = std::move(next);
    return start_race(std::move(job), std::move(racers));
  }
  const DocumentPtr shown = asked.waits ? asked.before : state_.document;
  asked = std::move(next);
  start(std::move(job), shown, before);
}

bool ChangeCommands::say_of_race(const std::string& text) {
  auto& asked = state_.asked;
  const auto& now = state_.race.runs.front()->trace().meta().job;
  if (!now) return false;
  const JobSpec base = asked.of_race ? asked.base : *now;
  ParsedJob parsed = parse_job(base, text);
  if (parsed.whole || traits_of_job(parsed.job) != traits_of_job(base)) return false;
  std::vector<std::string> racers;
  for (const DocumentPtr& run : state_.race.runs)
    racers.push_back(run->trace().meta().job->call.algorithm);
  if (ranges::find(racers, parsed.job.call.algorithm) == racers.end() &&
      racers.size() < kMostRacers)
    racers.push_back(parsed.job.call.algorithm);
  parsed.job.call.algorithm = base.call.algorithm;
  asked = {};
  asked.words = asked_words(text);
  asked.base = base;
  keep_reading(asked, parsed);
  start_race(std::move(parsed.job), std::move(racers));
  return true;
}

// Data for which processes would take a while travel in virtual time.
void ChangeCommands::start_race(JobSpec job, std::vector<std::string> algorithms) {
  auto& asked = state_.asked;
  asked.any = asked.of_race = asked.waits = true;
  asked.job = job;
  if (is_long(job)) {
    job = in_virtual_time(std::move(job));
    asked.note = "simulated, on " + usual_links();
  }
  racers_.clear();
  for (std::string& name : algorithms) {
    racers_.push_back(job);
    racers_.back().call.algorithm = std::move(name);
  }
  if (job.world.size > kMostShownRanks &&
      ranges::all_of(racers_, [](const JobSpec& one) { return seconds_by_model(one).has_value(); }))
    return answer_race();
  try {
    app_.group<RaceCommands>().start(racers_);
  } catch (...) {
    forget();
    throw;
  }
}

void ChangeCommands::follow_race(bool& news) {
  const auto& asked = state_.asked;
  const auto& runs = state_.race.runs;
  if (state_.race.running) return;
  const bool there = asked.waits
                         ? !runs.empty() && runs.front()->trace().meta().job == racers_.front() &&
                               runs.size() == racers_.size()
                         : !runs.empty() && runs.front()->run_id() == asked.run;
  if (there && !asked.waits) return;
  news = true;
  if (there) answer_race();
  else forget();
}

// "100 MB: ring 17.5 ms, bde 30 ms by the model; ring is 1.7 times as fast".
void ChangeCommands::answer_race() {
  auto& asked = state_.asked;
  std::vector<std::pair<double, std::string>> times;  // µs and name, in the race's order
  std::vector<std::string> parts = changes_of(asked.base, asked.job), all;
  const bool shown = asked.job.world.size <= kMostShownRanks;
  const bool simulated = racers_.front().is_simulated() && shown;
  for (std::size_t i = 0; i < racers_.size(); ++i) {
    const auto model = seconds_by_model(racers_[i]);
    const auto* const algorithm = find_algorithm(racers_[i].call.algorithm);
    if (!simulated && !model) continue;
    times.emplace_back(simulated ? state_.race.runs[i]->end(ClockBase::measured) : *model * 1e6,
                       algorithm->short_name());
    all.push_back(fmt::format("{} {}", times.back().second, microseconds_text(times.back().first)));
  }
  asked.answer = fmt::format("{}", fmt::join(parts, ", "));
  if (times.size() == racers_.size() && times.size() > 1) {
    asked.answer += fmt::format("{}{}{}", parts.empty() ? "" : ": ", fmt::join(all, ", "),
                                simulated ? "" : " by the model");
    ranges::sort(times);
    if (const double ratio = times[1].first / times[0].first; ratio >= 1.05)
      asked.answer += fmt::format("; {} is {:.1f} times as fast", times[0].second, ratio);
  }
  if (asked.answer.empty()) asked.answer = "the same race";
  asked.answer = capitalized(std::move(asked.answer));
  if (!simulated)
    asked.note =
        fmt::format("on {}{}", links_of(asked.job), shown ? "" : "; " + picture_note(asked.base));
  asked.waits = false;
  asked.run = state_.race.runs.front()->run_id();
  if (!state_.curtain()) app_.show_message(asked.answer);
}

void ChangeCommands::answer() {
  auto& asked = state_.asked;
  if (!asked.before) {  // held from its start: there is no run without the change
    const auto steps = counted(static_cast<std::uint64_t>(state_.document->rounds().count), "step");
    asked.answer = answer_text(asked.base, asked.job, steps);
    asked.waits = false;
    asked.run = state_.document->run_id();
    return;
  }
  asked.answer = asked.before->large() || state_.document->large()
                     ? answer_text(asked.base, asked.job,
                                   microseconds_text(state_.document->end(ClockBase::measured)))
                 : is_repetition(*asked.before, *state_.document)
                     ? "The same steps; times of real processes vary"
                     : difference_in_words(asked.before->analysis(), state_.document->analysis());
  const auto& compared = asked.before->trace().meta().job;
  // Times of tiny runs vary too much to compare, so the model says what costs more.
  if (compared && !asked.before->large() && !state_.document->large() &&
      has_varying_times(asked.before->analysis(), state_.document->analysis()))
    if (const auto model = said_by_model(*compared, asked.job)) {
      asked.answer += "; " + *model;
      asked.note = "on " + usual_links();
    }
  const auto counts_messages = [](const std::string& text) {
    return has_name(text, "messages") || has_name(text, "message");
  };
  if (counts_messages(asked.words) && !counts_messages(asked.answer)) {
    const auto then = asked.before->analysis().statistics().total.messages,
               all = state_.document->analysis().statistics().total.messages;
    if (then != all)
      asked.answer += fmt::format("; {} instead of {}", counted(all, "message"), then);
  }
  asked.waits = false;
  asked.run = state_.document->run_id();
  if (!asked.base_run)
    asked.base_run = state_.document;  // an unrelated run: later questions refer to it
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
  if (asked.of_race) return follow_race(news);
  if (asked.waits) {
    const bool elsewhere = state_.has_trace() && state_.document->run_id() != shown_at_start_ &&
                           state_.document->trace().meta().job != asked.job;
    if (elsewhere && !app_.group<RunCommands>().running_in_view()) {
      forget();  // another run was opened meanwhile
      news = true;
      return;
    }
    // The result may come before the last picture of the run does.
    if (twin_.running() || !state_.has_trace() || !state_.result || state_.live.running) return;
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
