// The command race.
#include "gui/state/app/race_commands.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/race.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/collective.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/settings.h"
#include "gui/state/run/question_parser.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

bool has_race(const AppState& state) { return !state.race.runs.empty(); }

double end_of(const Document& document, ClockBase clock) { return document.end(clock); }

struct RaceWords {
  std::vector<std::string> algorithms;
  std::string rest;  ///< The other words: ranks, data.
};

/// Returns the algorithm that a word means in this job, or empty.
std::string algorithm_said(const JobSpec& job, const std::string& word) {
  if (find_algorithm(word) != nullptr) return word;
  if (word.find_first_not_of("0123456789") == std::string::npos) return {};
  const auto* now = find_algorithm(job.call.algorithm);
  if (now != nullptr && now->short_name() == word) return job.call.algorithm;
  // A word means an algorithm if it makes the same of two jobs with different ones.
  JobSpec other = job;
  const auto another = ranges::find_if(algorithms(), [&](const Algorithm& one) {
    return now != nullptr && one.collective == now->collective && one.name != now->name;
  });
  if (another == algorithms().end()) return {};
  other.call.algorithm = another->name;
  try {
    const std::string said = parse_job(job, word).job.call.algorithm;
    return said == parse_job(other, word).job.call.algorithm ? said : "";
  } catch (const UserError&) {  // not understood without the other words
    return {};
  }
}

RaceWords race_words(const JobSpec& job, std::string_view words) {
  std::string text = ascii_lower(words);
  ranges::replace(text, ',', ' ');
  std::istringstream in(text);
  RaceWords out;
  JobSpec before = job;
  for (std::string word; in >> word;) {
    if (word == "and" || word == "against" || word == "vs") continue;
    const bool place = out.rest.ends_with("on") && is_topology(word);
    if (!place && find_collective(word) != nullptr) {
      before = parse_job(before, word).job;
    } else if (const std::string name = place ? "" : algorithm_said(before, word); !name.empty()) {
      out.algorithms.push_back(name);
      before.call.algorithm = name;
    } else {
      out.rest += (out.rest.empty() ? "" : " ") + word;
    }
  }
  return out;
}

bool is_among(const std::vector<DocumentPtr>& runs, const DocumentPtr& document) {
  return ranges::find(runs, document) != runs.end();
}

}  // namespace

std::vector<JobSpec> jobs_of_race(const JobSpec& job, std::string_view words) {
  const RaceWords said = race_words(job, words);
  if (said.algorithms.size() == 1 && !said.rest.empty())
    (void)parse_job(job, said.rest);  // throws for words that are not understood
  if (said.algorithms.size() < 2 || said.algorithms.size() > kMostRacers)
    throw UserError(fmt::format(
        "name 2 to {} algorithms of one collective, for example: race ring bde", kMostRacers));
  JobSpec base = job;
  base.call.algorithm = said.algorithms.front();
  if (!said.rest.empty()) base = parse_job(base, said.rest).job;
  const Algorithm& first = require_algorithm(said.algorithms.front());
  std::vector<JobSpec> jobs;
  for (const std::string& name : said.algorithms) {
    const Algorithm& one = require_algorithm(name);
    if (ranges::any_of(jobs, [&](const JobSpec& other) { return other.call.algorithm == name; }))
      throw UserError(
          fmt::format("{} cannot race against itself: name another algorithm", one.name));
    if (first.collective != one.collective)
      throw UserError(fmt::format("a race is of one collective: {} is of {}, {} of {}", first.name,
                                  to_string(first.collective), one.name,
                                  to_string(one.collective)));
    jobs.push_back(base);
    jobs.back().call.algorithm = name;
  }
  return jobs;
}

// ---- The commands ----

constexpr Row<Texts> cmd::race(
    "race ALGORITHM ALGORITHM [ALGORITHM [ALGORITHM]]|off",
    "Runs two to four algorithms of one collective, and shows them on one clock", "", 1, kAnyNumber,
    Curtain::opens, does<&RaceCommands::race>, kMovesCursor,
    menu(item(Menu::compare, 2, "Race algorithms …"),
         item(Menu::compare, 2, "End the race", "off", has_race)),
    box("Which algorithms race?", "ring bde",
        "Two to four of one collective, with the ranks and the data of the sentence."),
    also("versus, against, which is faster"));

void RaceCommands::race(const Arguments& words) { start(words.rest(0)); }

void RaceCommands::start(const std::string& text) {
  if (text == "off") return leave();
  // After a what-if, the job that it started from races.
  const auto& asked = state_.asked;
  const bool changed = asked.any && state_.settings.job == asked.job;
  start(jobs_of_race(changed ? asked.base : state_.settings.job, text));
}

void RaceCommands::start(const std::vector<JobSpec>& jobs) {
  for (const JobSpec& job : jobs) RunCommands::require(job);
  if (state_.race.running) throw UserError("a race goes on: wait for its end, or `race off`");
  if (session_ && session_->running())
    throw UserError("the runs of the last race are still ending: try again in a moment");
  jobs_.assign(jobs.begin(), jobs.end());
  all_ = jobs_.size();
  next_runs_.clear();
  next_files_.clear();
  asked_by_ = app_.group<ScriptCommands>().line_now();
  state_.race.running = true;
  start_next();
}

void RaceCommands::start_next() {
  newest_ = nullptr;
  result_.reset();
  // The open run need not run again.
  while (!jobs_.empty() && state_.has_trace() && !state_.document->large() && state_.result &&
         state_.result->ok() && state_.document->trace().meta().job == jobs_.front()) {
    next_runs_.push_back(state_.document);
    next_files_.push_back(app_.group<RunCommands>().trace_file());
    jobs_.pop_front();
  }
  if (jobs_.empty()) return finish();
  if (!session_)
    session_ = std::make_unique<Session>(app_.options().worker_program, app_.options().changed);
  session_->start(jobs_.front(), false);
  show_message(fmt::format("race: {} runs ({} of {})", jobs_.front().call.algorithm,
                           next_runs_.size() + 1, all_));
}

void RaceCommands::fail(const std::string& why) {
  jobs_.clear();
  state_.race.running = false;
  app_.group<ScriptCommands>().report(asked_by_, why);
}

void RaceCommands::take_run(DocumentPtr document) {
  if (document->large())
    return fail("a run of this many messages is too long for a race: choose less data");
  next_runs_.push_back(std::move(document));
  next_files_.push_back(session_->trace_file());
  jobs_.pop_front();
  start_next();
}

void RaceCommands::finish() {
  runs_ = std::move(next_runs_);
  files_ = std::move(next_files_);
  state_.race = {runs_, false, "", ""};
  std::vector<RaceFigures> figures;
  for (const DocumentPtr& run : runs_) figures.push_back(race_figures(run->analysis()));
  state_.race.verdict = race_verdict(figures);
  if (const auto differ = first_round_difference(runs_[0]->analysis(), runs_[1]->analysis()))
    state_.race.difference = differ->words;
  app_.group<RunCommands>().make_way();
  show_longest(false);
  app_.group<PlaybackCommands>().begin_from(0, state_.settings.motion && !state_.opens_still());
  state_.bookmarks.clear();
  app_.group<EditCommands>().forget_bookmarks();
  app_.group<ViewCommands>().bring_in("race", Slot::main);
  show_message(state_.race.difference.empty() ? state_.race.verdict : state_.race.difference);
}

void RaceCommands::show_longest(bool same_run) {
  const auto clock = state_.playback.clock;
  const auto longest = *ranges::max_element(
      state_.race.runs, {}, [&](const DocumentPtr& run) { return end_of(*run, clock); });
  const bool as_long = is_among(state_.race.runs, state_.document) &&
                       end_of(*state_.document, clock) >= end_of(*longest, clock);
  if (!as_long) app_.group<FileCommands>().show(longest, same_run);
}

bool RaceCommands::stop() {
  if (!state_.race.running) return false;
  session_->stop();
  jobs_.clear();
  state_.race.running = false;
  show_message("the race was stopped");
  return true;
}

void RaceCommands::leave() {
  stop();
  state_.race.runs.clear();
  state_.race.verdict.clear();
  state_.race.difference.clear();
  leave_view(state_.settings.layout, "race");
}

void RaceCommands::bring_back(const std::string& words) {
  if (words.empty()) {
    if (state_.race.runs.empty() && !state_.race.running)
      leave_view(state_.settings.layout, "race");
  } else if (!state_.race.running && words != race_words_of(state_.race.runs)) {
    start(words);
  }
}

std::string RaceCommands::trace_file(const Document& document) const {
  for (std::size_t i = 0; i < runs_.size() && i < files_.size(); ++i)
    if (runs_[i]->id() == document.id()) return files_[i];
  return {};
}

void RaceCommands::update(double /*seconds*/, bool& news) {
  if (state_.race.running) {
    if (auto document = session_->take_document()) newest_ = std::move(document);
    if (auto result = session_->take_result()) result_ = std::move(result);
    if (const auto error = session_->take_error()) {
      news = true;
      return fail(*error);
    }
    if (!result_) return;
    news = true;
    if (!result_->ok()) return fail(result_->message);
    if (newest_ && newest_->trace().meta().complete) take_run(std::exchange(newest_, nullptr));
    return;
  }
  if (session_) {  // discard results of a stopped race
    (void)session_->take_document();
    (void)session_->take_result();
    (void)session_->take_error();
  }
  if (state_.race.runs.empty()) return;
  if (!is_among(state_.race.runs, state_.document)) {  // another run is open
    leave();
    news = true;
  } else {
    const auto before = state_.document;
    show_longest(true);
    news = news || before != state_.document;
  }
}

}  // namespace rankscope::gui
