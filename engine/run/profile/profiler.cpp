// Runs the rounds of a profile: calibrates repetitions, alternates competitors, sums up the times.
#include "engine/run/profile/profiler.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/model/statistics.h"
#include "engine/run/conductor/local_socket.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kOsuSmall = 8192;
constexpr std::uint64_t kCalibrationSmall = std::uint64_t{1} << 20;
constexpr Repetitions kCalibration{2, 8}, kLargeCalibration{1, 2};
constexpr int kCalibrations = 2;

}  // namespace

Repetitions osu_repetitions(std::uint64_t bytes) noexcept {
  return bytes <= kOsuSmall ? Repetitions{100, 1000} : Repetitions{10, 100};
}

Repetitions repetitions_of(const ProfilePlan& plan, std::uint64_t bytes, double once_s) noexcept {
  const Repetitions osu = osu_repetitions(bytes);
  const auto a_round = [&](int all) { return (all + plan.rounds - 1) / plan.rounds; };
  Repetitions fit{a_round(osu.warmup), a_round(osu.iterations)};
  if (once_s > 0) {
    const double affordable = plan.budget_s / plan.rounds / once_s;
    if (affordable < fit.iterations) fit.iterations = std::max(1, static_cast<int>(affordable));
    fit.warmup = std::min(fit.warmup, std::max(1, fit.iterations / 4));
  }
  if (plan.iterations > 0) fit.iterations = a_round(plan.iterations);
  if (plan.warmup >= 0) fit.warmup = a_round(plan.warmup);
  return fit;
}

Count count_of(Collective collective, std::uint64_t bytes, int n, DType dtype) noexcept {
  const std::uint64_t unit = bytes_of(collective, 1, n, dtype);
  return std::max<Count>(1, static_cast<Count>((bytes + unit - 1) / unit));
}

Collective collective_of(const std::string& algorithm) {
  const auto chosen = collective_of_auto(algorithm);
  return chosen ? *chosen : require_algorithm(algorithm).collective;
}

void ProfilePlan::validate() const {
  if (algorithms.empty() || sizes.empty() || world_sizes.empty() || transports.empty())
    throw UserError("there is nothing to measure: name algorithms, sizes, ranks and transports");
  if (rounds < 1) throw UserError("at least one round is needed");
  if (!(budget_s > 0)) throw UserError("the time budget must be positive");
  const auto collective = to_string(collective_of(algorithms.front()));
  for (const auto& name : algorithms)
    if (to_string(collective_of(name)) != collective)
      throw UserError(fmt::format("{} and {} do different things: profile one collective at a time",
                                  algorithms.front(), name));
  for (const auto& name : baselines) require_baseline(name);
}

struct Profiler::Competitor {
  ProfileRecord record;
  Collective collective = {};
  std::string name() const {
    return record.baseline ? record.algorithm
                           : fmt::format("{} over {}", record.algorithm, record.transport);
  }
  Count count = 0;
  Repetitions repetitions;
  double once_s = 0;  ///< In the trial.
  bool given_up = false;
  std::vector<double> times_s;  ///< In all rounds.
  std::vector<double> last_s;   ///< In the last launch.
};

Profiler::Profiler(Options options) : options_(std::move(options)) {}
Profiler::~Profiler() = default;

bool Profiler::interrupted() const {
  return interrupted_ || wait_readable(options_.runner.interrupt_fd, Deadline::now());
}

void Profiler::use_ranks(int np) {
  if (np == np_) return;
  runners_.clear();
  peers_.clear();
  np_ = np;
}

Profiler::Point Profiler::competitors(const ProfilePlan& plan, int np, std::uint64_t bytes) {
  const Collective collective = collective_of(plan.algorithms.front());
  std::vector<Competitor> all;
  const auto add = [&](const std::string& name, std::string_view transport, bool baseline) {
    Competitor one;
    one.record.algorithm = name;
    one.collective = collective;
    one.record.collective = to_string(collective);
    one.record.transport = transport;
    one.record.baseline = baseline;
    one.record.np = np;
    one.count = count_of(collective, bytes, np, plan.dtype);
    one.record.bytes = bytes_of(collective, one.count, np, plan.dtype);
    all.push_back(std::move(one));
  };
  for (const auto& transport : plan.transports)
    for (const auto& name : plan.algorithms) add(name, transport, false);
  if (baseline_collective(collective).empty() || plan.dtype != DType::float32) return all;
  for (const auto& name : plan.baselines)
    if (what_is_missing(require_baseline(name)).empty())
      add(name, require_baseline(name).transport, true);
  return all;
}

Profile Profiler::run(const ProfilePlan& plan) {
  plan.validate();
  Profile profile;
  for (const auto& name : plan.baselines)
    if (auto missing = what_is_missing(require_baseline(name)); !missing.empty())
      profile.notes.push_back(std::move(missing));
  if (!plan.baselines.empty() && plan.dtype != DType::float32)
    profile.notes.emplace_back("the baselines only do float32: none was measured");
  progress_ = {};
  progress_.total = plan.sizes.size() * plan.world_sizes.size();
  if (plan.interleave_sizes) progress_.total *= static_cast<std::size_t>(plan.rounds);
  progress_.rounds = plan.rounds;
  for (const int np : plan.world_sizes) {
    use_ranks(np);
    const std::span sizes(plan.sizes);
    if (plan.interleave_sizes) measure(plan, np, sizes, profile);
    else
      for (std::size_t i = 0; i < sizes.size(); ++i)
        measure(plan, np, sizes.subspan(i, 1), profile);
  }
  profile.interrupted = interrupted();
  return profile;
}

// Returns whether `who` takes part in this round, and shows it as the next one.
bool Profiler::step(Competitor& who, int round) {
  if (interrupted() || !who.record.error.empty() || who.given_up) return false;
  progress_.round = round;
  progress_.what =
      fmt::format("{}, {} ranks, {} bytes", who.name(), who.record.np, who.record.bytes);
  if (options_.on_progress) options_.on_progress(progress_);
  return true;
}

// Runs two trials of each competitor, which check the result and find how many iterations fit the budget. They are some
// time apart, so that no competitor is given up for a moment's disturbance.
void Profiler::calibrate(const ProfilePlan& plan, Point& all, std::uint64_t bytes) {
  for (int trial = 0; trial < kCalibrations; ++trial)
    for (Competitor& who : all) {
      if (!step(who, 0)) continue;
      launch(plan, who, bytes <= kCalibrationSmall ? kCalibration : kLargeCalibration, trial == 0);
      // Takes the fastest, because the first ones also make connections and fault memory in.
      who.times_s.insert(who.times_s.end(), who.last_s.begin(), who.last_s.end());
      if (!who.times_s.empty()) who.once_s = *ranges::min_element(who.times_s);
    }
  double best_s = std::numeric_limits<double>::max();
  for (const Competitor& who : all)
    if (who.once_s > 0) best_s = std::min(best_s, who.once_s);
  for (Competitor& who : all) {
    if (who.once_s <= 0) continue;
    who.repetitions = repetitions_of(plan, bytes, who.once_s);
    who.given_up = plan.give_up_beyond > 0 && who.once_s > plan.give_up_beyond * best_s;
    if (who.given_up) who.record.launches = kCalibrations;
    else who.times_s.clear();
  }
}

void Profiler::run_round(const ProfilePlan& plan, Point& all, int round) {
  for (Competitor& who : all) {
    if (!step(who, round)) continue;
    launch(plan, who, who.repetitions, false);
    if (who.last_s.empty()) continue;
    ++who.record.launches;
    who.record.round_median_s.push_back(median(who.last_s));
    who.times_s.insert(who.times_s.end(), who.last_s.begin(), who.last_s.end());
  }
}

void Profiler::measure(const ProfilePlan& plan, int np, std::span<const std::uint64_t> sizes,
                       Profile& profile) {
  std::vector<Point> points;
  for (const auto bytes : sizes) {
    if (interrupted()) return;
    points.push_back(competitors(plan, np, bytes));
    calibrate(plan, points.back(), bytes);
  }
  for (int round = 1; round <= plan.rounds; ++round)
    for (Point& all : points) {
      run_round(plan, all, round);
      if (plan.interleave_sizes) ++progress_.done;
    }
  if (interrupted()) return;  // half a point compares nothing
  for (Point& all : points)
    for (Competitor& who : all) {
      who.record.warmup = who.repetitions.warmup;
      who.record.iterations = who.repetitions.iterations;
      summarize_into(who.record, who.times_s);
      if (options_.on_record) options_.on_record(who.record);
      profile.records.push_back(std::move(who.record));
    }
  if (!plan.interleave_sizes) ++progress_.done;
}

void Profiler::launch(const ProfilePlan& plan, Competitor& who, Repetitions repetitions,
                      bool check) {
  who.last_s.clear();
  try {
    if (who.record.baseline) launch_baseline(plan, who, repetitions);
    else launch_ours(plan, who, repetitions, check);
  } catch (const UserError& e) {  // a size that this algorithm or machine cannot do
    who.record.error = e.what();
  }
  if (who.record.error.empty() && who.last_s.empty() && !interrupted_)
    who.record.error = "gave no times";
}

void Profiler::launch_ours(const ProfilePlan& plan, Competitor& who, Repetitions repetitions,
                           bool check) {
  auto& runner = runners_[who.record.transport];
  if (!runner) runner = std::make_unique<ProcessRunner>(options_.runner);
  JobSpec spec;
  spec.call.algorithm = who.record.algorithm;
  spec.world.size = who.record.np;
  spec.call.shape = {who.count};
  spec.call.dtype = plan.dtype;
  spec.call.op = plan.op;
  spec.call.segment_bytes = plan.segment_bytes;
  spec.call.radix = plan.radix;
  spec.transport.name = who.record.transport;
  spec.recording.trace = plan.trace;
  spec.recording.trace_every = true;
  spec.data.check = check;
  spec.recording.warmup = repetitions.warmup;
  spec.recording.iterations = repetitions.iterations;
  spec.recording.timeout_s = plan.timeout_s;
  if (const Algorithm* one = find_algorithm(spec.call.algorithm); one && runs_schedule(*one))
    spec.call.schedule = plan.schedule;
  if (is_auto(spec.call.algorithm)) {
    spec = resolve_auto(spec);
    who.record.chosen = spec.call.algorithm;
  }
  NoEvents sink;  // the workers count the events
  const JobResult result = runner->run(spec, sink);
  if (result.status == JobResult::Status::interrupted) interrupted_ = true;
  else if (!result.ok()) who.record.error = result.message;
  else who.last_s = result.times_s();
}

void Profiler::launch_baseline(const ProfilePlan& plan, Competitor& who, Repetitions repetitions) {
  auto& peer = peers_[who.record.algorithm];
  if (!peer || !peer->usable())
    peer = std::make_unique<BaselinePeer>(require_baseline(who.record.algorithm), who.record.np,
                                          options_.runner.interrupt_fd);
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan.timeout_s));
  auto answer = peer->measure(baseline_collective(who.collective), who.record.bytes,
                              repetitions.warmup, repetitions.iterations, Deadline::in(limit));
  if (answer.interrupted) interrupted_ = true;
  else if (!answer.ok()) who.record.error = answer.error;
  else who.last_s = std::move(answer.times_s);
}

}  // namespace rankscope
