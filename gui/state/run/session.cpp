// Runs jobs in a thread and passes their progress, results and gate orders to the window.
#include "gui/state/run/session.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/run/conductor/process_runner.h"
#include "engine/run/job/auto_algorithm.h"
#include "engine/run/job/transports.h"
#include "engine/run/make_runner.h"
#include "engine/run/step/live_delays.h"
#include "gui/state/run/gate_orders.h"
#include "gui/state/run/recording.h"

namespace rankscope::gui {
namespace {

/// A pipe that is readable while a run is to be stopped.
class StopPipe {
 public:
  StopPipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    out_ = Fd(ends[0]);
    in_ = Fd(ends[1]);
  }
  void stop() noexcept {
    while (::write(in_.get(), "x", 1) < 0 && errno == EINTR) {  // when it is full, it is readable
    }
  }
  void reset() noexcept {
    char rest[64];
    while (::read(out_.get(), rest, sizeof rest) > 0 || errno == EINTR) {
    }
  }
  int fd() const noexcept { return out_.get(); }
  bool asked() const noexcept {
    pollfd look{fd(), POLLIN, 0};
    return ::poll(&look, 1, 0) > 0;
  }

 private:
  Fd out_, in_;
};

struct Run {
  JobSpec spec;
  std::shared_ptr<StepController> step;  ///< Null if not held.
  Session::Source source;                ///< Empty for a run of ours.
};

/// Returns the facts of a held run whose change needs a new picture; the time alone needs none.
std::string places_of(const StepController& step) {
  std::string text;
  for (const auto& view : step.ranks()) text += describe(view) + "\n";
  return text;
}

constexpr double kMostBytes = 16e6, kMostSeconds = 1;
constexpr int kMostPlanned = 64;

bool can_be_planned(const JobSpec& spec) {
  const auto known = algorithms();
  const bool ours = ranges::find(known, spec.call.algorithm, &Algorithm::name) != known.end();
  if (!ours || spec.is_program() || spec.recording.iterations != 1 ||
      spec.world.size > kMostPlanned)
    return false;
  double bytes =
      static_cast<double>(dtype_size(spec.call.dtype)) * spec.world.size * spec.world.size;
  for (const Count extent : spec.call.shape) bytes *= static_cast<double>(extent);
  return bytes <= kMostBytes && spec.recording.trace != TraceLevel::off;
}

}  // namespace

bool is_watched(const JobSpec& spec, bool held) {
  if (spec.is_simulated()) return false;  // it ends at once
  return held || ranges::any_of(spec.world.delays_us, [](double delay) { return delay > 0; });
}

std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd) {
  if (!can_be_planned(spec)) return std::nullopt;
  JobSpec job = spec;
  job.transport.name = "inproc";
  job.world.delays_us.clear();
  job.data.check = false;
  job.recording.timeout_s = std::min(job.recording.timeout_s, kMostSeconds);
  try {
    RunnerOptions options;
    options.interrupt_fd = interrupt_fd;
    InprocRunner threads(std::move(options));
    auto meta = meta_of(job);
    TraceBuilder events(meta);
    const JobResult result = threads.run(job, events);
    if (!result.ok()) return std::nullopt;
    add_outcome(meta, threads, result);
    events.set_meta(std::move(meta));
    TraceAnalysis analysis(events.finish());
    if (analysis.large()) return std::nullopt;
    return analysis;
  } catch (const std::exception&) {  // there is no plan then
    return std::nullopt;
  }
}

struct Session::Impl {
  Impl(std::string worker_program, std::function<void()> on_change)
      : program(std::move(worker_program)),
        changed(on_change ? std::move(on_change) : [] {}),
        maker(changed, [this](std::string text) { set_error(std::move(text)); }),
        orders(changed),
        thread([this] { work(); }) {}

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      quit = true;
      forget_pending_locked();
      if (active) stop_pipe.stop();
    }
    wake.notify_all();
    maker.give_up();
    thread.join();
  }

  void start(Run run) {
    {
      const std::lock_guard lock(mutex);
      forget_pending_locked();
      if (active) maker.give_up();
      orders.begin(run.step);
      if (run.step && !breakpoints.empty()) orders.set_breakpoints(breakpoints);
      pending = std::move(run);
      if (active) stop_pipe.stop();
    }
    wake.notify_all();
  }

  // The conductor's sockets and processes belong to this thread, from the first run to the end.
  void work() {
    RunnerOptions options;
    options.program = program;
    options.interrupt_fd = stop_pipe.fd();
    options.delays = &delays;
    ProcessRunner processes(std::move(options));
    for (;;) {
      Run run;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [this] { return quit || pending; });
        if (quit) return;
        run = std::move(*pending);
        pending.reset();
        stop_pipe.reset();
        delays.take();  // those of the run before
        active = true;
        step = run.step;
        live = {};
        shown_places.clear();
      }
      changed();
      carry_out(run, processes);
    }
  }

  void carry_out(const Run& run, ProcessRunner& processes) {
    std::optional<JobResult> outcome;
    std::vector<RankView> places;
    std::string failure;
    try {
      auto meta = meta_of(run.spec);
      const bool recorded = run.spec.recording.trace != TraceLevel::off;
      auto events = std::make_shared<Recording>(meta, recorded ? cache.next_file() : "",
                                                [this] { maker.grown(); });
      {
        const std::lock_guard lock(mutex);
        recording = events;
      }
      const bool watched = !run.source && is_watched(run.spec, run.step != nullptr);
      maker.begin(events, watched ? planned_run(run.spec, stop_pipe.fd()) : std::nullopt);
      outcome = run_job(run, *events, processes, meta);
      // The places at the failure are later than the last event.
      if (run.step && !outcome->ok()) places = run.step->ranks();
      {
        const std::lock_guard lock(mutex);
        live.pids.clear();  // the numbers may belong to other processes by now
      }
      events->close(std::move(meta));
      maker.finish();
    } catch (const std::exception& e) {
      failure = e.what();
    }
    if (run.step) run.step->end();
    end_run(std::move(outcome), std::move(places), std::move(failure));
  }

  JobResult run_job(const Run& run, Recording& events, ProcessRunner& processes, TraceMeta& meta) {
    RunnerOptions options;
    options.interrupt_fd = stop_pipe.fd();
    options.delays = &delays;
    options.on_progress = [this, step_of_run = run.step.get()](const RunProgress& progress) {
      on_progress(progress, step_of_run);
    };
    JobResult outcome;
    if (run.source) {
      outcome = run.source(events, [this] { return stop_pipe.asked(); });
      meta.outcome = outcome;
      meta.complete = true;
      return outcome;
    }
    if (!transport_can(run.spec.transport.name, &Transport::processes)) {
      const auto runner = make_runner(run.spec.transport.name, std::move(options));
      outcome = runner->run(run.spec, events);
      add_outcome(meta, *runner, outcome);
      return outcome;
    }
    processes.options().step = run.step.get();
    processes.options().on_progress = std::move(options.on_progress);
    outcome = processes.run(run.spec, events);
    add_outcome(meta, processes, outcome);
    return outcome;
  }

  void on_progress(const RunProgress& progress, const StepController* of_step) {
    auto places = of_step != nullptr ? places_of(*of_step) : std::string();
    {
      const std::lock_guard lock(mutex);
      const bool news = of_step == nullptr || places != shown_places ||
                        live.events != progress.events || live.ranks_done != progress.ranks_done ||
                        live.ranks != progress.ranks || live.pids != progress.pids;
      live.elapsed_s = progress.elapsed_s;
      live.events = progress.events;
      live.ranks_done = progress.ranks_done;
      live.ranks = progress.ranks;
      live.pids = progress.pids;
      shown_places = std::move(places);
      if (!news) return;  // a held run with no news needs no new picture
    }
    changed();
  }

  // The result, the whole document and the end of the run appear together.
  void end_run(std::optional<JobResult> outcome, std::vector<RankView> places,
               std::string failure) {
    {
      const std::lock_guard lock(mutex);
      active = false;
      step.reset();
      live.pids.clear();
      live.places = std::move(places);
      if (outcome) {
        live.last_pids = outcome->pids;
        // The last report of a short run may be older than its end.
        if (outcome->status == JobResult::Status::ok)
          live.ranks.assign(outcome->pids.size(), "done");
        live.elapsed_s = outcome->elapsed_s;
        live.events = outcome->events;
        live.ranks_done = static_cast<int>(outcome->ranks.size());
        result = std::move(outcome);
      } else {
        error = std::move(failure);
      }
    }
    changed();
  }

  // Opens the pending run's gates, so that nobody waits for ever.
  void forget_pending_locked() {
    if (pending && pending->step) pending->step->end();
    pending.reset();
  }

  void set_error(std::string text) {
    {
      const std::lock_guard lock(mutex);
      error = std::move(text);
    }
    changed();
  }

  const std::string program;
  const std::function<void()> changed;
  StopPipe stop_pipe;
  LiveDelays delays;
  RunCache cache;
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::optional<Run> pending;
  bool active = false, quit = false;
  std::shared_ptr<StepController> step;  ///< The current run's.
  std::shared_ptr<Recording> recording;  ///< The current or last run's.
  std::vector<Breakpoint> breakpoints;
  LiveState live;
  std::string shown_places;
  std::optional<JobResult> result;
  std::optional<std::string> error;
  DocumentMaker maker;
  GateOrderLine orders;
  std::thread thread;  ///< Last, as it uses all the others.
};

Session::Session(std::string worker_program, std::function<void()> changed)
    : impl_(std::make_unique<Impl>(std::move(worker_program), std::move(changed))) {}

Session::~Session() = default;

void Session::start(const JobSpec& spec, bool stepping) {
  validate(spec);
  const Transport& transport = require_transport(spec.transport.name);
  if (stepping && !transport.stepped)
    throw UserError(
        fmt::format("only processes can be held at their gates: choose the transport {}",
                    transport_names(" or ", &Transport::stepped)));
  if (transport.processes) need_descriptors_for(spec.world.size);
  Run run{resolve_auto(spec), stepping ? std::make_shared<StepController>() : nullptr, {}};
  impl_->start(std::move(run));
}

void Session::start(const JobSpec& spec, Source source) {
  impl_->start({spec, nullptr, std::move(source)});
}

void Session::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->forget_pending_locked();
    if (impl_->active) impl_->stop_pipe.stop();
  }
  impl_->changed();
}

bool Session::running() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->active || impl_->pending.has_value();
}

void Session::release_message(Rank sender, int strand) {
  impl_->orders.push([=](StepController& step) { return step.release_message(sender, strand); });
}

void Session::step_rank(Rank rank) {
  impl_->orders.push([rank](StepController& step) {
    const bool known = rank >= 0 && rank < step.world_size();
    return known || step.finished() ? step.step(rank) : "there is no rank " + std::to_string(rank);
  });
}

void Session::release_round() {
  impl_->orders.push([](StepController& step) { return step.round(); });
}

void Session::pause() { impl_->orders.pause(); }
void Session::resume() { impl_->orders.resume(); }

void Session::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  const std::lock_guard lock(impl_->mutex);
  impl_->breakpoints = std::move(breakpoints);
  const bool held = impl_->pending ? impl_->pending->step != nullptr : impl_->step != nullptr;
  if (held) impl_->orders.set_breakpoints(impl_->breakpoints);
}

void Session::set_delays(std::vector<double> delays_us) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->active) impl_->delays.set(std::move(delays_us));
}

bool Session::kill_rank(Rank rank) {
  const std::lock_guard lock(impl_->mutex);
  const auto& pids = impl_->live.pids;
  if (!impl_->active || rank < 0 || static_cast<std::size_t>(rank) >= pids.size()) return false;
  const int pid = pids[static_cast<std::size_t>(rank)];
  return pid > 0 && ::kill(pid, SIGKILL) == 0;
}

LiveState Session::live() const {
  const std::lock_guard lock(impl_->mutex);
  LiveState live = impl_->live;
  live.running = impl_->active || impl_->pending.has_value();
  live.stepping = impl_->step != nullptr && !impl_->step->finished();
  if (live.stepping) live.places = impl_->step->ranks();
  const auto orders = impl_->orders.state();
  live.ordered = live.stepping && orders.busy;
  live.resumed = live.stepping && orders.resumed;
  live.answer = orders.answer;
  return live;
}

std::optional<JobResult> Session::take_result() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->result, std::nullopt);
}

std::optional<std::string> Session::take_error() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->error, std::nullopt);
}

DocumentPtr Session::take_document() { return impl_->maker.take(); }
bool Session::up_to_date() const { return impl_->maker.up_to_date(); }

std::string Session::trace_file() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->recording ? impl_->recording->file() : std::string();
}

}  // namespace rankscope::gui
