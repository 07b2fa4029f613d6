// Indexes a trace for the views: rounds, stops, phases, code lines, and cursors between them.
#include "gui/state/run/document.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/phase_spans.h"
#include "engine/analysis/run_plan.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/run/job/job_fields.h"

namespace rankscope::gui {
namespace {

constexpr double kPerMicrosecond = 1e-3;
/// A fraction of a nanosecond: moments made from whole nanoseconds may be a little less.
constexpr double kSlack = 0.01;
/// More stops than this are thinned out: there are too many to step through.
constexpr std::size_t kMostStops = 200'000;
/// The most sources in which the ranks' lines are searched.
constexpr std::size_t kMostSources = 8;

/// Keeps the numbers of runs apart from those of documents.
constexpr std::uint64_t kPartOf = std::uint64_t{1} << 63;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool is_simulated(const Trace& trace) {
  return trace.meta().job && trace.meta().job->is_simulated();
}

/// "14.2700–14.2857 s", with as many digits as tell its ends apart.
std::string part_text(const TracePart& part) {
  const Unit unit = Unit::of_moments(static_cast<double>(part.run_ns) * kPerMicrosecond);
  const double begin = static_cast<double>(part.begin_ns) / unit.size,
               end = static_cast<double>(std::min(part.end_ns, part.run_ns)) / unit.size;
  const int digits =
      std::clamp(static_cast<int>(std::ceil(1 - std::log10(std::max(end - begin, 1e-9)))), 0, 9);
  return fmt::format("{:.{}f}–{:.{}f} {}", begin, digits, end, digits, unit.name);
}

std::string headline_of(const Trace& trace) {
  const auto& meta = trace.meta();
  std::vector<std::string> parts{meta.algorithm.empty() ? "run" : meta.algorithm};
  parts.push_back(fmt::format("{} rank{}", trace.world_size(), trace.world_size() == 1 ? "" : "s"));
  if (const auto& job = meta.job) {
    // The shape in a program's job is only the default.
    parts.push_back(job->is_program() ? job->call.platform
                                      : fmt::format("{} × {}", fmt::join(job->call.shape, "×"),
                                                    to_string(job->call.dtype)));
    parts.push_back(job->is_simulated() ? network_text(*job) : job->transport.name);
  }
  if (const TracePart* part = trace.part()) {
    parts.push_back(fmt::format("{} events", grouped(part->run_events)));
    parts.push_back("held: " + part_text(*part));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

void sort_and_thin(std::vector<double>& stops) {
  ranges::sort(stops);
  stops.erase(std::ranges::unique(stops).begin(), stops.end());
  if (stops.size() <= kMostStops) return;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostStops; ++i)
    kept.push_back(stops[i * (stops.size() - 1) / (kMostStops - 1)]);
  stops = std::move(kept);
}

}  // namespace

std::shared_ptr<const Document> Document::make(Trace trace, std::string path,
                                               const TraceAnalysis* plan) {
  return std::shared_ptr<const Document>(new Document(std::move(trace), std::move(path), plan));
}

std::shared_ptr<const Document> Document::make_part(std::shared_ptr<const StreamedTrace> run,
                                                    double moment_us, std::string path) {
  const auto at = static_cast<std::int64_t>(moment_us / kPerMicrosecond);
  // With few events in memory, a part is smaller.
  const auto events = std::clamp<std::uint64_t>(most_events_held() / 4, 1, kPartEvents);
  Trace trace = run->part_around(at, events);
  return std::shared_ptr<const Document>(
      new Document(std::move(trace), std::move(path), nullptr, std::move(run)));
}

PhaseBand Document::part() const {
  const TracePart* part = trace_.part();
  if (part == nullptr) return {"", 0, duration_us_};
  return {"", static_cast<double>(part->begin_ns) * kPerMicrosecond,
          std::min(static_cast<double>(part->end_ns) * kPerMicrosecond, duration_us_)};
}

bool Document::has_around(double moment_us) const noexcept {
  if (trace_.part() == nullptr) return true;
  constexpr double kBeside = 0.05;  // a share of the part
  const double begin = static_cast<double>(trace_.part()->begin_ns) * kPerMicrosecond,
               end = static_cast<double>(trace_.part()->end_ns) * kPerMicrosecond;
  const double margin = kBeside * (end - begin);
  return (begin <= 0 || moment_us >= begin + margin) &&
         (end >= duration_us_ || moment_us <= end - margin);
}

Document::Document(Trace trace, std::string path, const TraceAnalysis* plan,
                   std::shared_ptr<const StreamedTrace> run)
    : analysis_(std::move(trace)),
      trace_(analysis_.trace()),
      by_message_(large() ? TraceAnalysis() : analysis_),
      rounds_(by_message_.rounds()),
      cuts_(by_message_.cuts()),
      plan_(plan != nullptr && !large() ? match_plan(*plan, analysis_) : nullptr),
      path_(std::move(path)),
      headline_(headline_of(trace_)),
      outcome_(run_outcome(trace_)),
      simulated_(is_simulated(trace_)),
      id_(next_id()),
      run_(std::move(run)),
      run_id_(run_ ? kPartOf | run_->number() : id_) {
  if (trace_.part() != nullptr)
    duration_us_ = static_cast<double>(trace_.part()->run_ns) * kPerMicrosecond;
  else if (!empty())
    duration_us_ = static_cast<double>(trace_.time_ns(trace_.size() - 1)) * kPerMicrosecond;
  (void)findings();  // computed here, outside of the window's thread
  find_code();
  find_stops();
  find_phases();
  find_ends_of_rounds();
}

int Document::chunks() const noexcept {
  if (large() || analysis_.pieces().whole() == 0) return world_size();
  return static_cast<int>(std::min<Count>(world_size(), analysis_.pieces().whole()));
}

void Document::find_code() {
  const auto& sources = trace_.meta().sources;
  if (sources.empty()) return;
  // The file named like the algorithm is shown; a trace without one ("allreduce.ring") shows its first file.
  const auto named = ranges::find_if(sources, [&](const auto& source) {
    return file_name(source.first) == file_name(trace_.meta().algorithm);
  });
  if (named != sources.end()) main_source_ = static_cast<std::size_t>(named - sources.begin());
  code_.clear();
  for (std::size_t i = 0; i < sources.size(); ++i)
    code_.push_back(i == main_source_ || i < kMostSources ? CodePlaces(trace_, sources[i].first)
                                                          : CodePlaces());
}

std::optional<Document::SourceLine> Document::source_line(std::uint64_t event) const {
  if (event >= trace_.size()) return std::nullopt;
  const auto& sources = trace_.meta().sources;
  auto source = sources.end();
  const auto* site =
      find_around(trace_, Definition::Kind::site, trace_[event].site, [&](const Definition& one) {
        source = ranges::find_if(
            sources, [&](const auto& known) { return same_file(known.first, one.file); });
        return source != sources.end();
      });
  if (site == nullptr) return std::nullopt;
  return SourceLine{static_cast<std::size_t>(source - sources.begin()), site->line};
}

std::string Document::line_name(std::uint64_t event) const {
  const auto at = source_line(event);
  if (!at) return {};
  return fmt::format("{}:{}", file_name(trace_.meta().sources[at->source].first), at->line);
}

void Document::find_ends_of_rounds() {
  round_ends_.assign(static_cast<std::size_t>(rounds_.count), 0);
  for (std::size_t i = 0; i < rounds_.messages.size(); ++i)
    if (rounds_.round[i] > 0) {
      double& end = round_ends_[static_cast<std::size_t>(rounds_.round[i]) - 1];
      end = std::max(end, arrives(ClockBase::measured, i));
    }
  for (std::size_t i = 1; i < round_ends_.size(); ++i)
    round_ends_[i] = std::max(round_ends_[i], round_ends_[i - 1]);
}

int Document::rounds_done(ClockBase clock, double moment) const noexcept {
  if (clock == ClockBase::rounds) return static_cast<int>(std::floor(moment + 1e-9));
  return static_cast<int>(ranges::upper_bound(round_ends_, moment) - round_ends_.begin());
}

void Document::find_stops() {
  round_stops_ = {0};
  for (int round = 1; round <= rounds_.count; ++round) round_stops_.push_back(round);
  time_stops_ = {0, duration_us_};
  if (trace_.part() != nullptr)  // a part has no rounds
    for (std::uint64_t k = 0; k < trace_.size(); ++k)
      if (trace_[k].kind == EventKind::completed && is_recv(trace_[k].verb))
        time_stops_.push_back(static_cast<double>(trace_.time_ns(k)) * kPerMicrosecond);
  for (std::size_t i = 0; i < rounds_.messages.size(); ++i)
    if (rounds_.round[i] > 0) time_stops_.push_back(arrives(ClockBase::measured, i));
  sort_and_thin(time_stops_);
}

void Document::find_phases() {
  if (trace_.part() != nullptr) return;  // the phases reach beyond this part of the trace
  for (const auto& phase : statistics().phases)
    time_phases_.push_back({phase.name, static_cast<double>(phase.first_ns) * kPerMicrosecond,
                            static_cast<double>(phase.last_ns) * kPerMicrosecond});
  // Includes planned phases.
  const Rounds& rounds = plan_ ? plan_->run.rounds() : rounds_;
  const Trace& trace = plan_ ? plan_->run.trace() : trace_;
  const auto when = [&](std::size_t i) -> std::optional<std::pair<double, double>> {
    if (rounds.round[i] == 0) return std::nullopt;
    return std::pair{rounds.round[i] - 1.0, static_cast<double>(rounds.round[i])};
  };
  for (PhaseSpan& span : phase_spans(trace, rounds, when))
    round_phases_.push_back({std::move(span.name), span.begin, span.end});
}

double Document::end(ClockBase clock) const noexcept {
  return clock == ClockBase::rounds ? rounds_.count : duration_us_;
}

double Document::axis_end(ClockBase clock) const noexcept {
  const bool planned = plan_ && clock == ClockBase::rounds;
  return planned ? std::max(plan_->run.rounds().count, rounds_.count) : end(clock);
}

double Document::leaves(ClockBase clock, std::size_t message) const noexcept {
  if (clock == ClockBase::rounds) return std::max(rounds_.round[message] - 1, 0);
  const auto sent = rounds_.messages[message].sent;
  return sent == kNoEvent ? 0 : static_cast<double>(trace_.time_ns(sent)) * kPerMicrosecond;
}

double Document::arrives(ClockBase clock, std::size_t message) const noexcept {
  if (clock == ClockBase::rounds) return rounds_.round[message];
  const auto& record = rounds_.messages[message];
  const auto at = record.received != kNoEvent ? record.received : record.matched;
  return at == kNoEvent ? duration_us_ : static_cast<double>(trace_.time_ns(at)) * kPerMicrosecond;
}

const std::vector<double>& Document::stops(ClockBase clock) const noexcept {
  return clock == ClockBase::rounds ? round_stops_ : time_stops_;
}

std::vector<double> Document::stops_of(ClockBase clock, Rank rank) const {
  std::vector<double> stops{0};
  for (std::size_t i = 0; i < rounds_.messages.size(); ++i) {
    const auto& message = rounds_.messages[i];
    if (rounds_.round[i] == 0) continue;
    if (message.from == rank && clock == ClockBase::measured) stops.push_back(leaves(clock, i));
    if (message.to == rank || (message.from == rank && clock == ClockBase::rounds))
      stops.push_back(arrives(clock, i));
  }
  sort_and_thin(stops);
  return stops;
}

const std::vector<PhaseBand>& Document::phases(ClockBase clock) const noexcept {
  return clock == ClockBase::rounds ? round_phases_ : time_phases_;
}

std::vector<Cursor> Document::cursors(ClockBase clock, double moment) const {
  std::vector<Cursor> cursors(static_cast<std::size_t>(std::max(world_size(), 0)),
                              cursor(ClockBase::measured, moment));
  if (clock == ClockBase::measured || large()) return cursors;
  const auto done = static_cast<std::size_t>(std::max(0.0, std::floor(moment + 1e-9)));
  for (std::size_t rank = 0; rank < cursors.size() && rank < cuts_.cut.size(); ++rank) {
    const auto& cut = cuts_.cut[rank];
    // At the end, events behind the last message have happened, too.
    const std::size_t at =
        moment >= rounds_.count ? cut.size() - 1 : std::min(done, cut.size() - 1);
    cursors[rank] = cut.empty() ? 0 : cut[at];
  }
  return cursors;
}

Cursor Document::cursor(ClockBase clock, double moment) const noexcept {
  if (clock == ClockBase::measured && moment >= duration_us_) return trace_.size();
  if (clock == ClockBase::measured)
    return trace_.at_time(static_cast<std::int64_t>(std::floor(moment / kPerMicrosecond + kSlack)) +
                          1);
  if (moment >= rounds_.count) return trace_.size();
  Cursor furthest = 0;
  for (const Cursor cursor : cursors(clock, moment)) furthest = std::max(furthest, cursor);
  return furthest;
}

double Document::moment_of(ClockBase clock, std::uint64_t event) const noexcept {
  if (event >= trace_.size()) return clock == ClockBase::measured ? part().end : end(clock);
  if (clock == ClockBase::measured)
    return static_cast<double>(trace_.time_ns(event)) * kPerMicrosecond;
  const auto rank = static_cast<std::size_t>(trace_[event].rank);
  if (rank >= cuts_.cut.size()) return 0;
  const auto& cut = cuts_.cut[rank];  // the first round whose end lies behind the event
  const auto at = ranges::upper_bound(cut, event) - cut.begin();
  return std::min<double>(static_cast<double>(at), rounds_.count);
}

bool is_repetition(const Document& one, const Document& other) {
  const auto &job = one.trace().meta().job, &again = other.trace().meta().job;
  return job && job == again && !one.simulated() && !other.simulated() && !one.large() &&
         !other.large() && one.rounds().count == other.rounds().count &&
         one.rounds().messages.size() == other.rounds().messages.size();
}

namespace {

/// Returns when the last rank of a deadlock was blocked, in measured time; -1 without one.
double stuck_from(const Document& document) {
  double last = -1;
  for (const Finding& found : document.findings()) {
    if (found.kind != Finding::Kind::deadlock) continue;
    for (const std::uint64_t event : found.events)
      if (event < document.trace().size())
        last = std::max(last, document.moment_of(ClockBase::measured, event));
  }
  return last;
}

double measured_in_rounds(const Document& document, double moment, int done) {
  if (const double stuck = stuck_from(document); stuck >= 0 && moment >= stuck)
    return document.rounds().count + 1;
  const int count = document.rounds().count;
  if (done >= count) return moment >= document.end(ClockBase::measured) ? count + 1 : count;
  const double begin = document.end_of_round(done), end = document.end_of_round(done + 1);
  if (end <= begin || moment <= begin) return done;
  return done + std::min((moment - begin) / (end - begin), 0.999);
}

}  // namespace

ShownStep shown_step(const Document& document, ClockBase clock, double moment) {
  ShownStep step;
  step.count = document.rounds().count;
  step.done = document.rounds_done(clock, moment);
  step.at = clock == ClockBase::rounds ? moment
            : document.large()         ? step.done  // it has no rounds
                                       : measured_in_rounds(document, moment, step.done);
  step.going = std::clamp(static_cast<int>(std::ceil(step.at - 1e-9)), 0, step.count);
  return step;
}

}  // namespace rankscope::gui
