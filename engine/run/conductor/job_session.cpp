// Conducts one job: sends it, collects outcomes and events, handles time-outs, failures and stops.
#include "engine/run/conductor/job_session.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/step/live_delays.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kFlush{250};
constexpr milliseconds kProgress{100};
constexpr milliseconds kStepTick{5};
// Time that the other ranks get to stop once one has failed. A failure should be reported within 2 s.
constexpr milliseconds kSettle{700};
constexpr milliseconds kLastEvents{150};
constexpr milliseconds kLastWords{400};
constexpr milliseconds kMissingEvents{3'000};

}  // namespace

JobSession::JobSession(World& world, const JobSpec& spec, EventSink& sink,
                       const RunnerOptions& options)
    : world_(world),
      spec_(spec),
      sink_(sink),
      options_(options),
      step_(options.step),
      epoch_(static_cast<std::uint32_t>(world.next_epoch())),
      parts_(static_cast<std::size_t>(world.size())),
      delays_us_(spec.world.delays_us),
      deadlock_(world.size(), spec.call.platform) {
  for (const Member& member : world_.members()) result_.pids.push_back(member.pid);
}

JobSession::~JobSession() {
  if (step_ != nullptr) step_->end();
  world_.watch_interrupt(true);
}

double JobSession::delay_of(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return index < delays_us_.size() ? delays_us_[index] : 0.0;
}

GateOrders JobSession::orders_for(Rank rank) const {
  GateOrders orders;
  if (step_ != nullptr) orders = step_->orders();
  orders.delay_us = delay_of(rank);
  return orders;
}

// The other orders are sent again unchanged.
void JobSession::change_delays() {
  auto news = options_.delays == nullptr ? std::nullopt : options_.delays->take();
  if (!news || stopping_) return;
  delays_us_ = std::move(*news);
  for (const Member& member : world_.members())
    world_.send(member, {"gate", orders_for(member.rank)});
}

void JobSession::send_job() {
  requested_ns_ = now_ns();
  ControlMessage job{"job", {{"epoch", epoch_}, {"spec", spec_}}};
  for (const Member& member : world_.members()) {
    job.body["gate"] = orders_for(member.rank);
    world_.send(member, job);
  }
}

JobResult JobSession::run() {
  const BatchScheduling reading;
  result_.status = JobResult::Status::ok;
  if (step_ != nullptr) step_->begin(world_.size(), *this);
  last_tick_ = Clock::now();
  send_job();
  conduct();
  if (stopping_) settle();
  if (step_ != nullptr) step_->end();
  finish();
  if (broken_) world_.shorten_grace();
  return std::move(result_);
}

bool JobSession::all_ended() const {
  return ranges::all_of(parts_, [](const Part& part) { return part.answered || part.lost; });
}

bool JobSession::complete() const {
  return ranges::all_of(parts_, [](const Part& part) {
    return part.lost || (part.answered && part.received >= part.expected);
  });
}

void JobSession::conduct() {
  while (!complete() && !stopping_) {
    const bool stepping = step_ != nullptr && step_->busy();
    const auto deadline = Deadline::in(stepping ? kStepTick : milliseconds(50));
    if (!world_.pump(deadline, *this, step_ == nullptr ? -1 : step_->wake_fd()))
      return fail(JobResult::Status::interrupted, "interrupted", "the run was interrupted");
    if (step_ != nullptr && !step_->advance())
      return fail(JobResult::Status::interrupted, "ended at the step prompt",
                  "the run was ended at the step prompt");
    tick();
  }
}

void JobSession::fail(JobResult::Status status, const std::string& message,
                      const std::string& reason) {
  if (stopping_) return;
  result_.status = status;
  result_.message = message;
  stop_all(reason);
}

// Time does not count while a rank is held, at the gate or by a debugger.
double JobSession::running_time() {
  const auto now = Clock::now();
  const bool held = (step_ != nullptr && step_->any_held()) || world_.debugged();
  if (!held) running_ += now - last_tick_;
  last_tick_ = now;
  return running_.count();
}

void JobSession::tick() {
  const auto now = Clock::now();
  change_delays();
  if (running_time() > spec_.recording.timeout_s && !all_ended()) time_out();
  if (all_ended()) give_up_on_events();
  if (now >= next_flush_) {
    next_flush_ = now + kFlush;
    keep([this] { sink_.flush(); });
  }
  if (options_.on_progress && now >= next_progress_) {
    next_progress_ = now + kProgress;
    show_progress();
  }
}

void JobSession::time_out() {
  for (const Member& member : world_.members())
    if (const Part& part = parts_[static_cast<std::size_t>(member.rank)]; !part.lost)
      result_.failures.push_back(timeout_failure(member.rank, part.answered, member.describe()));
  const auto message = fmt::format("the run took longer than {:g} s", spec_.recording.timeout_s);
  fail(JobResult::Status::timeout, message, message);
}

// A rank reported more events than arrived, and no more come: its connection is broken.
void JobSession::give_up_on_events() {
  if (complete() || Clock::now() - last_event_ < kMissingEvents) return;
  broken_ = true;
  fail(JobResult::Status::failed, "events of ranks that had ended did not arrive",
       "events are missing");
}

void JobSession::show_progress() {
  RunProgress progress;
  progress.elapsed_s = running_.count();
  progress.world_size = world_.size();
  progress.events = result_.events;
  for (const Part& part : parts_) progress.ranks_done += part.answered ? 1 : 0;
  for (const Member& member : world_.members()) progress.ranks.push_back(member.describe());
  progress.pids = result_.pids;
  options_.on_progress(progress);
}

void JobSession::stop_all(const std::string& reason) {
  if (stopping_) return;
  stopping_ = true;
  world_.watch_interrupt(false);
  world_.send_all({"stop", {{"epoch", epoch_}, {"reason", reason}}});
}

// Healthy ranks end their part and send their last events; the others are abandoned.
void JobSession::settle() {
  const auto deadline = Deadline::in(kSettle);
  while (!complete() && !deadline.passed()) world_.pump(deadline, *this);
  for (const Member& member : world_.members()) {
    const Part& part = parts_[static_cast<std::size_t>(member.rank)];
    if (part.answered || part.lost) continue;
    broken_ = true;
    const auto known = ranges::find(result_.failures, member.rank, &RankFailure::rank);
    if (known == result_.failures.end())
      result_.failures.push_back({member.rank, "did not stop when asked", member.describe(), 0});
  }
  if (!complete()) broken_ = true;
  if (broken_) {  // what a dead rank had sent may still be on its way
    const auto last = Deadline::in(kLastEvents);
    while (!last.passed()) world_.pump(last, *this);
  }
}

void JobSession::count_lost_events() {
  for (const Member& member : world_.members()) {
    const Part& part = parts_[static_cast<std::size_t>(member.rank)];
    const std::uint64_t recorded = part.answered ? part.expected : member.recorded_events(epoch_);
    const std::uint64_t missing = recorded > part.received ? recorded - part.received : 0;
    result_.lost_events += missing;
    for (RankFailure& failure : result_.failures)
      if (failure.rank == member.rank) failure.lost_events = missing;
  }
  if (result_.lost_events == 0) return;
  if (result_.ok()) result_.status = JobResult::Status::failed;
  result_.message += fmt::format("{}{} of {} events were lost", result_.message.empty() ? "" : "; ",
                                 result_.lost_events, result_.events + result_.lost_events);
}

void JobSession::finish() {
  count_lost_events();
  ranges::sort(result_.ranks, {}, &RankOutcome::rank);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const RankOutcome& outcome : result_.ranks) {
    const auto& member = world_.members()[static_cast<std::size_t>(outcome.rank)];
    if (outcome.began_ns > 0) first = std::min(first, outcome.began_ns + member.clock_offset_ns);
  }
  if (first != std::numeric_limits<std::int64_t>::max())
    result_.start_s = static_cast<double>(first - requested_ns_) * 1e-9;
  result_.elapsed_s = static_cast<double>(now_ns() - requested_ns_) * 1e-9;
  keep([this] { sink_.flush(); });
  judge(result_, spec_);
}

void JobSession::on_events(EventBatch&& batch) {
  if (batch.epoch != epoch_) return;
  last_event_ = Clock::now();
  Part& part = parts_[static_cast<std::size_t>(batch.rank)];
  if (!batch.events.empty()) {
    if (batch.events.front().seq < part.next_seq) return;  // delivered twice
    part.next_seq = batch.events.back().seq + std::uint64_t{1};
  }
  part.received += batch.events.size();
  result_.events += batch.events.size();
  keep([&] { sink_.deliver(std::move(batch)); });
}

void JobSession::keep(const std::function<void()>& write) {
  if (sink_failed_) return;
  try {
    write();
  } catch (const UserError& e) {  // for example, the disk is full
    sink_failed_ = true;
    fail(JobResult::Status::failed, e.what(), "the events cannot be kept");
  }
}

void JobSession::on_control(Member& member, const ControlMessage& message) {
  if (message.type == "outcome") on_outcome(member, message);
  else if (message.type == "standstill") on_standstill(member, message);
  else if (step_ != nullptr && message.type == "standing")
    step_->on_report(step_report_of(message.body, member.rank, world_.size()));
}

void JobSession::on_standstill(const Member& member, const ControlMessage& message) {
  Standstill report = standstill_of(message.body, member.rank, world_.size());
  if (report.epoch != epoch_ || stopping_) return;
  deadlock_.add_report(std::move(report), message.body.value("round", std::uint64_t{0}));
  seek_deadlock();
}

void JobSession::seek_deadlock() {
  for (const Rank rank : deadlock_.take_questions())
    world_.send(world_.members()[static_cast<std::size_t>(rank)],
                {"asleep", {{"round", deadlock_.round()}}});
  const auto found = deadlock_.verdict();
  if (!found || stopping_) return;
  result_.failures = found->failures;
  result_.deadlock = found->text;
  fail(JobResult::Status::deadlock, found->text.message(), "the ranks waited for each other");
}

void JobSession::on_outcome(Member& member, const ControlMessage& message) {
  if (message.body.at("epoch").get<std::uint32_t>() != epoch_) return;
  RankOutcome outcome = message.body.at("outcome").get<RankOutcome>();
  outcome.rank = member.rank;
  Part& part = parts_[static_cast<std::size_t>(member.rank)];
  if (part.answered || part.lost) return;
  part.answered = true;
  part.expected = outcome.events;
  last_event_ = Clock::now();
  if (!message.body.value("usable", true)) broken_ = true;
  if (step_ != nullptr) step_->on_end(member.rank, false);
  deadlock_.ended(member.rank, traffic_of(message.body.value("traffic", nlohmann::json::array()),
                                          world_.size()));
  seek_deadlock();
  if (!outcome.error.empty()) {
    if (!stopping_) result_.failed_rank = member.rank;
    // The conductor did not stop it, so its caller has ended.
    const bool ended = outcome.cause == Cause::stopped;
    fail(ended ? JobResult::Status::interrupted : JobResult::Status::failed, outcome.error,
         ended ? outcome.error : fmt::format("rank {} failed", member.rank));
  }
  result_.ranks.push_back(std::move(outcome));
}

void JobSession::on_lost(Member& member, const std::string& what, RankLoss loss) {
  Part& part = parts_[static_cast<std::size_t>(member.rank)];
  if (part.lost) return;
  broken_ = true;
  // The rank did its part if all its events are here, or on the way: it exits only after sending them.
  if (part.answered && part.received >= part.expected) return;
  if (part.answered && Clock::now() - last_event_ < kLastEvents) return;  // another report comes
  // A rank's end is noticed at once, but its report may be delayed on a busy machine.
  if (part.missed == Clock::time_point{}) part.missed = Clock::now();
  if (!part.answered && loss == RankLoss::unknown && Clock::now() - part.missed < kLastWords)
    return;
  part.lost = true;
  if (step_ != nullptr) step_->on_end(member.rank, true);
  const std::string where = member.describe();
  const auto known = ranges::find(result_.failures, member.rank, &RankFailure::rank);
  if (known == result_.failures.end())
    result_.failures.push_back({member.rank, what, where, 0, loss});
  fail(JobResult::Status::failed, fmt::format("rank {} {}; it was {}", member.rank, what, where),
       fmt::format("rank {} {}", member.rank, what));
}

void JobSession::set_gate(Rank rank, GateOrders orders) {
  orders.delay_us = delay_of(rank);
  world_.send(world_.members()[static_cast<std::size_t>(rank)], {"gate", orders});
}

void JobSession::permit(Rank rank, OpId op) {
  world_.send(world_.members()[static_cast<std::size_t>(rank)], {"permit", {{"op", op}}});
}

}  // namespace rankscope
