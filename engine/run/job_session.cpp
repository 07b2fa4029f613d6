#include "engine/run/job_session.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/run/job_json.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kFlush{250};
constexpr milliseconds kProgress{100};
constexpr milliseconds kStepTick{5};
constexpr milliseconds kSettle{1'000};  ///< For the other ranks, once the run is being stopped.
constexpr milliseconds kLastEvents{150};

Verb verb_named(const std::string& name) {
  for (int v = 0; v < kVerbCount; ++v)
    if (to_string(static_cast<Verb>(v)) == name) return static_cast<Verb>(v);
  return Verb::wait;
}

}  // namespace

JobSession::JobSession(World& world, const JobSpec& spec, EventSink& sink,
                       const RunnerOptions& options)
    : world_(world),
      spec_(spec),
      sink_(sink),
      options_(options),
      step_(options.step),
      epoch_(static_cast<std::uint32_t>(world.next_epoch())),
      parts_(static_cast<std::size_t>(world.size())) {
  for (const Member& member : world_.members()) result_.pids.push_back(member.pid);
}

double JobSession::delay_of(Rank rank) const {
  const auto index = static_cast<std::size_t>(rank);
  return index < spec_.delays_us.size() ? spec_.delays_us[index] : 0.0;
}

void JobSession::send_job() {
  requested_ns_ = now_ns();
  ControlMessage job{"job", {{"epoch", epoch_}, {"spec", json_of(spec_)}}};
  for (const Member& member : world_.members()) {
    GateOrders orders;
    orders.delay_us = delay_of(member.rank);
    if (step_ != nullptr) {
      orders.closed = step_->closed();
      orders.breakpoints = step_->breakpoints();
    }
    job.body["gate"] = json_of(orders);
    world_.send(member, job);
  }
}

JobResult JobSession::run() {
  result_.status = JobResult::Status::ok;
  if (step_ != nullptr) step_->begin(world_.size(), *this);
  last_tick_ = Clock::now();
  send_job();
  conduct();
  if (stopping_) settle();
  if (step_ != nullptr) step_->end();
  finish();
  return std::move(result_);
}

bool JobSession::all_ended() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.answered || part.lost; });
}

bool JobSession::complete() const {
  return std::ranges::all_of(parts_, [](const Part& part) {
    return part.lost || (part.answered && part.received >= part.expected);
  });
}

void JobSession::conduct() {
  while (!complete() && !stopping_) {
    const bool stepping = step_ != nullptr && step_->busy();
    const auto deadline = Deadline::in(stepping ? kStepTick : milliseconds(50));
    if (!world_.pump(deadline, *this, step_ == nullptr ? -1 : step_->wake_fd())) {
      result_.status = JobResult::Status::interrupted;
      result_.message = "interrupted";
      return stop_all("the run was interrupted");
    }
    if (step_ != nullptr && !step_->advance()) {
      result_.status = JobResult::Status::interrupted;
      result_.message = "ended at the step prompt";
      return stop_all("the run was ended at the step prompt");
    }
    tick();
  }
}

// Time does not count while a rank is held at the gate.
double JobSession::running_time() {
  const auto now = Clock::now();
  if (step_ == nullptr || !step_->any_held()) running_ += now - last_tick_;
  last_tick_ = now;
  return running_.count();
}

void JobSession::tick() {
  const auto now = Clock::now();
  const double running = running_time();
  if (running > spec_.timeout_s && !stopping_ && !all_ended()) {
    result_.status = JobResult::Status::timeout;
    result_.message = fmt::format("the run took longer than {:g} s", spec_.timeout_s);
    for (const Member& member : world_.members()) {
      const Part& part = parts_[static_cast<std::size_t>(member.rank)];
      if (!part.answered)
        result_.failures.push_back({member.rank, "did not end in time", member.describe(), 0});
    }
    stop_all(result_.message);
  }
  if (now >= next_flush_) {
    next_flush_ = now + kFlush;
    sink_.flush();
  }
  if (options_.on_progress && now >= next_progress_) {
    next_progress_ = now + kProgress;
    RunProgress progress;
    progress.elapsed_s = running;
    progress.world_size = world_.size();
    progress.events = result_.events;
    for (const Part& part : parts_) progress.ranks_done += part.answered ? 1 : 0;
    for (const Member& member : world_.members()) progress.ranks.push_back(member.describe());
    options_.on_progress(progress);
  }
}

void JobSession::stop_all(const std::string& reason) {
  if (stopping_) return;
  stopping_ = true;
  world_.send_all({"stop", {{"epoch", epoch_}, {"reason", reason}}});
}

// The ranks that are well end their part and send their last events; the others are given up.
void JobSession::settle() {
  const auto deadline = Deadline::in(kSettle);
  while (!complete() && !deadline.passed()) world_.pump(deadline, *this);
  if (!all_ended()) broken_ = true;
  if (broken_) {  // what a dead rank had sent may still be on its way
    const auto last = Deadline::in(kLastEvents);
    while (!last.passed()) world_.pump(last, *this);
  }
}

void JobSession::finish() {
  for (const Member& member : world_.members()) {
    const Part& part = parts_[static_cast<std::size_t>(member.rank)];
    const std::uint64_t recorded =
        part.answered ? part.expected
                      : (member.process ? member.status().events : member.reported_events);
    const std::uint64_t missing = recorded > part.received ? recorded - part.received : 0;
    result_.lost_events += missing;
    for (RankFailure& failure : result_.failures)
      if (failure.rank == member.rank) failure.lost_events = missing;
  }
  std::ranges::sort(result_.ranks, {}, &RankOutcome::rank);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const RankOutcome& outcome : result_.ranks) {
    const auto& member = world_.members()[static_cast<std::size_t>(outcome.rank)];
    if (outcome.began_ns > 0) first = std::min(first, outcome.began_ns + member.clock_offset_ns);
  }
  if (first != std::numeric_limits<std::int64_t>::max())
    result_.start_s = static_cast<double>(first - requested_ns_) * 1e-9;
  result_.elapsed_s = static_cast<double>(now_ns() - requested_ns_) * 1e-9;
  sink_.flush();
  judge(result_, spec_);
}

void JobSession::on_events(EventBatch&& batch) {
  if (batch.epoch != epoch_) return;
  Part& part = parts_[static_cast<std::size_t>(batch.rank)];
  part.received += batch.events.size();
  result_.events += batch.events.size();
  sink_.deliver(std::move(batch));
}

void JobSession::on_control(Member& member, const ControlMessage& message) {
  if (message.type == "outcome") return on_outcome(member, message);
  if (step_ == nullptr) return;
  const auto& body = message.body;
  const auto completed = body.value("completed", std::vector<OpId>{});
  if (message.type == "held") {
    RankView view;
    view.rank = member.rank;
    view.verb = verb_named(body.value("verb", ""));
    view.peer = body.value("peer", -1);
    view.tag = body.value("tag", 0);
    view.bytes = body.value("bytes", std::uint64_t{0});
    view.op = body.value("op", OpId{0});
    view.file = body.value("file", "");
    view.function = body.value("function", "");
    view.line = body.value("line", 0u);
    view.phase = body.value("phase", "");
    view.hit = body.value("hit", false);
    step_->on_held(std::move(view), completed);
  } else if (message.type == "blocked") {
    step_->on_blocked(member.rank, verb_named(body.value("verb", "")), body.value("peer", -1),
                      body.value("op", OpId{0}), completed);
  }
}

void JobSession::on_outcome(Member& member, const ControlMessage& message) {
  if (message.body.at("epoch").get<std::uint32_t>() != epoch_) return;
  RankOutcome outcome = outcome_of(message.body.at("outcome"));
  Part& part = parts_[static_cast<std::size_t>(member.rank)];
  part.answered = true;
  part.expected = outcome.events;
  if (step_ != nullptr) step_->on_end(member.rank, false);
  if (!outcome.error.empty() && !stopping_) {
    result_.status = JobResult::Status::failed;
    result_.message = outcome.error;
    stop_all(fmt::format("rank {} failed", member.rank));
  }
  result_.ranks.push_back(std::move(outcome));
}

void JobSession::on_lost(Member& member, const std::string& what) {
  Part& part = parts_[static_cast<std::size_t>(member.rank)];
  if (part.lost || part.answered) return;  // it had done its part
  part.lost = true;
  broken_ = true;
  if (step_ != nullptr) step_->on_end(member.rank, true);
  const std::string where = member.describe();
  result_.failures.push_back({member.rank, what, where, 0});
  if (stopping_) return;
  result_.status = JobResult::Status::failed;
  result_.message = fmt::format("rank {} {}; it was {}", member.rank, what, where);
  stop_all(fmt::format("rank {} {}", member.rank, what));
}

void JobSession::set_gate(Rank rank, bool closed, const std::vector<Breakpoint>& breakpoints) {
  world_.send(world_.members()[static_cast<std::size_t>(rank)],
              {"gate", json_of(GateOrders{closed, delay_of(rank), breakpoints})});
}

void JobSession::permit(Rank rank) {
  world_.send(world_.members()[static_cast<std::size_t>(rank)], {"permit", {{"count", 1}}});
}

}  // namespace rankscope
