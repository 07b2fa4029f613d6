// Carries out one rank's part of a job: inputs, the algorithm, the check.
#include "engine/run/job/execute.h"

#include <optional>

#include <xxhash.h>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"

namespace rankscope {
namespace {

class RankJob {
 public:
  RankJob(RankContext& rank, const JobSpec& spec, std::uint32_t epoch)
      : rank_(rank),
        spec_(spec),
        epoch_(epoch),
        algorithm_(require_algorithm(spec.call.algorithm)),
        before_(rank.link().counters()) {}

  void run(RankOutcome& outcome) {
    rank_.begin_job(epoch_, settings_of(spec_, spec_.recording.trace_every ? spec_.recording.trace
                                                                           : TraceLevel::off));
    allocate();
    for (int i = 0; i < spec_.recording.warmup + spec_.recording.iterations; ++i) {
      const bool last = i + 1 == spec_.recording.warmup + spec_.recording.iterations;
      if (i == 0 || spec_.data.check || last) {
        if (i > 0) barrier();  // filling would slow down ranks that are still in the last iteration
        fill();
      }
      // Unrecorded data is prepared before the barrier; otherwise the ranks that it releases first would wait for the
      // others.
      const bool ready_before = !last && !rank_.recorder().recording();
      if (ready_before) make_ready(last);
      // One iteration needs no barrier; when timing, all start together.
      if (spec_.recording.warmup + spec_.recording.iterations > 1) barrier();
      if (i == 0) outcome.began_ns = rank_.now_ns();
      if (!ready_before) make_ready(last);
      const double time = iterate(last);
      if (i >= spec_.recording.warmup) outcome.times_s.push_back(time);
    }
    check(outcome);
  }

  void count(RankOutcome& outcome) { count_traffic(rank_, before_, outcome); }

 private:
  void allocate() {
    args_ = args_of(spec_, rank_.rank(), &rank_);
    schedule_ = parse_schedule(spec_.call.schedule);
    if (!spec_.call.schedule.empty()) args_.schedule = &schedule_;
  }

  void fill() {
    if (spec_.network.ghost) return;
    fill_input(args_.in, spec_.data.input, spec_.data.seed, rank_.rank(), rank_.world_size(),
               spec_.call.op, spec_.data.values);
    if (args_.in.bytes() == args_.out.bytes() && args_.in.bytes() > 0)
      std::memcpy(args_.out.data(), args_.in.data(), args_.in.bytes());
  }

  // One communicator for all barriers: each new one would be defined in the trace again.
  void barrier() {
    if (!before_iterations_) before_iterations_.emplace(rank_);
    start_together(*before_iterations_, algorithm_.collective);
  }

  struct Iteration {
    Communicator comm;
    Args args;
  };

  // If only the last iteration is traced, it starts with new names and numbers, so that the trace holds it alone; if all
  // are, the first one's names stay.
  void make_ready(bool last) {
    if (last && !spec_.recording.trace_every)
      rank_.recorder().begin_job(epoch_, spec_.recording.trace);
    const bool named = spec_.recording.trace_every && iteration_;
    if (!named) iteration_.emplace(Iteration{Communicator(rank_), args_});
    if (!last && !spec_.recording.trace_every) return;
    auto& [comm, args] = *iteration_;
    comm.mark_job(Verb::job_begin, 0);
    if (named) return;
    if (args.in.bytes() > 0 && args.in.bytes() != args.out.bytes()) comm.watch("in", args.in);
    if (args.out.bytes() > 0) comm.watch("data", args.out);
  }

  double iterate(bool last) {
    rank_.set_state(RankState::running);
    const auto begin = rank_.now_ns();
    run_algorithm(iteration_->comm, algorithm_, iteration_->args);
    const auto end = rank_.now_ns();
    if (last || spec_.recording.trace_every) iteration_->comm.mark_job(Verb::job_end, 0);
    return static_cast<double>(end - begin) * 1e-9;
  }

  void check(RankOutcome& outcome) {
    outcome.ok = true;
    if (spec_.network.ghost) return;
    outcome.digest = XXH3_64bits(args_.out.data(), args_.out.bytes());
    if (!spec_.data.check) return;
    OracleJob job;
    job.collective = algorithm_.collective;
    job.shape = spec_.input_shape();
    job.dtype = spec_.call.dtype;
    job.op = spec_.call.op;
    job.root = spec_.call.root;
    job.n = rank_.world_size();
    job.scatter_dim = spec_.call.scatter_dim;
    job.gather_dim = spec_.call.gather_dim;
    job.pattern = spec_.data.input;
    job.seed = spec_.data.seed;
    job.values = spec_.data.values;
    outcome.mismatch = check_output(job, rank_.rank(), args_.out);
    outcome.checked = true;
    outcome.ok = outcome.mismatch.ok();
  }

  RankContext& rank_;
  const JobSpec& spec_;
  const std::uint32_t epoch_;
  const Algorithm& algorithm_;
  const LinkCounters before_;
  Args args_;
  Schedule schedule_;
  std::optional<Communicator> before_iterations_;
  std::optional<Iteration> iteration_;
};

}  // namespace

Args args_of(const JobSpec& spec, Rank rank, RankContext* owner) {
  const Extents extents = extents_of(require_algorithm(spec.call.algorithm).collective,
                                     spec.input_shape(), spec.world.size, rank, spec.call.root,
                                     spec.call.scatter_dim, spec.call.gather_dim);
  Args args{.op = spec.call.op,
            .root = spec.call.root,
            .scatter_dim = spec.call.scatter_dim,
            .gather_dim = spec.call.gather_dim,
            .segment_bytes = spec.call.segment_bytes,
            .group_size = spec.call.group_size,
            .radix = spec.call.radix,
            .left_ring = spec.call.left_ring};
  const auto buffer = [&](const Shape& shape, bool fill) {
    if (spec.network.ghost) return Buffer::ghost(spec.call.dtype, shape);
    return owner == nullptr ? Buffer::allocate(spec.call.dtype, shape, fill)
                            : owner->buffer(spec.call.dtype, shape, fill);
  };
  args.in = buffer(extents.in, false);
  args.out = buffer(extents.out, true);
  return args;
}

void count_traffic(RankContext& rank, const LinkCounters& before, RankOutcome& outcome) {
  const LinkCounters now = rank.link().counters();
  outcome.frames_sent = now.frames_sent - before.frames_sent;
  outcome.bytes_sent = now.bytes_sent - before.bytes_sent;
  outcome.frames_received = now.frames_received - before.frames_received;
  outcome.bytes_received = now.bytes_received - before.bytes_received;
  outcome.malformed = now.malformed - before.malformed;
  outcome.wrong_secret = now.wrong_secret - before.wrong_secret;
  outcome.bytes_copied = now.bytes_copied - before.bytes_copied;
  outcome.stale = rank.progress().stale_frames();
}

RankSettings settings_of(const JobSpec& spec, TraceLevel trace) {
  RankSettings settings;
  settings.mode = spec.transport.mode;
  settings.eager_limit = spec.transport.eager_limit;
  settings.trace = trace;
  settings.every_wait = spec.recording.every_wait;
  settings.ghost = spec.network.ghost;
  return settings;
}

void take_error(RankOutcome& outcome, const std::exception& error) {
  outcome.ok = false;
  outcome.error = error.what();
  outcome.cause = cause_of(error);
  if (const auto* const comm = dynamic_cast<const CommError*>(&error)) {
    if (comm->site().line != 0) outcome.site = short_location(comm->site());
    outcome.reason = comm->words();
  }
}

void start_together(Communicator& comm, Collective collective) {
  constexpr int kMostAtOneRoot = 16;
  const CollectiveTraits& what = traits(collective);
  const bool all_hear_of_all = !what.rooted && (what.reduces || what.in != what.out);
  if (all_hear_of_all && comm.size() <= kMostAtOneRoot) barrier_flat(comm, {});
  else barrier_dissemination(comm, {});
}

RankOutcome execute(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept {
  RankOutcome outcome;
  outcome.rank = rank.rank();
  try {
    RankJob job(rank, spec, epoch);
    try {
      job.run(outcome);
      rank.set_state(RankState::done);
    } catch (const std::exception& e) {
      take_error(outcome, e);
      rank.set_state(RankState::failed);
    }
    job.count(outcome);
  } catch (const std::exception& e) {
    take_error(outcome, e);
  } catch (...) {  // by a plug-in
    take_error(outcome, std::runtime_error("threw something that is no std::exception"));
    rank.set_state(RankState::failed);
  }
  rank.recorder().flush();
  outcome.events = rank.recorder().recorded();
  return outcome;
}

}  // namespace rankscope
