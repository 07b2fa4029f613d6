// Opens a rank's connection to its run, and ends it: joining, tasks, leaving, clean-up of requests.
#include "engine/capi/direct_port.h"

#include "engine/analysis/events/built_in_calls.h"
#include "engine/capi/direct_comm.h"
#include "engine/capi/program_threads.h"
#include "engine/core/base/error.h"
#include "engine/run/conductor/program_host.h"
#include "engine/run/job/execute.h"

namespace rankscope::capi {
namespace {

ProgramApplication application_of(const rs_join_options& options) {
  const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  ProgramApplication out;
  out.rank = options.rank;
  out.size = options.size;
  out.key = text(options.key);
  out.platform = text(options.platform);
  out.program = text(options.program);
  const char* const test = std::getenv("RANKSCOPE_TEST");
  out.test = text(test);
  if (const char* const copy = std::getenv("RANKSCOPE_COPY")) out.copy = std::atoi(copy);
  return out;
}

RankContext& begun(RankSession& session, const RankSession::Job& job) {
  session.context().begin_job(job.epoch, settings_of(job.spec, job.spec.recording.trace));
  return session.context();
}

DirectPort::JoinedSession join_run(const std::string& host, const rs_join_options& options) {
  RankAssignment assignment = request_rank(host, application_of(options));
  SessionOptions session;
  session.rendezvous = Rendezvous::parse(assignment.rendezvous);
  session.rank = assignment.rank;
  session.world_size = assignment.size;
  session.in_program = true;
  session.other_thread_may_act = other_thread_may_act;
  session.own_thread_begins = name_own_thread;
  session.lifeline_fd = assignment.lifeline.release();
  session.status_fd = assignment.status.release();
  session.memory_fd = assignment.memory.release();
  DirectPort::JoinedSession out;
  // Before the session: ZeroMQ's threads are to have it, too. Over shared memory, where no thread sends, it would cost a
  // little.
  if (session.memory_fd < 0 && must_share_processors(assignment.size))
    out.turns = std::make_unique<BatchScheduling>();
  out.session = std::make_shared<RankSession>(session);
  if (out.session->join())
    throw UserError(out.session->complaint().empty() ? "the run was ended"
                                                     : out.session->complaint());
  auto job = out.session->next_job();
  if (!job) throw UserError("the run was ended before it began");
  out.job = std::move(*job);
  return out;
}

}  // namespace

ContextPort::ContextPort(RankContext& rank, TraceLevel trace, std::shared_ptr<void> owner)
    : owner_(std::move(owner)),
      rank_(rank),
      trace_(trace),
      before_(rank.link().counters()),
      began_ns_(rank.now_ns()) {
  world_ = std::make_unique<DirectComm>(*this, Communicator(rank));
  world_->comm().mark_job(Verb::job_begin, 0);
  outside_.emplace(rank, world_->comm().definition());
  rank.set_state(RankState::running);
}

ContextPort::~ContextPort() = default;

PortComm& ContextPort::world() { return *world_; }

void ContextPort::threads(int count) {
  Gate* const gate = rank_.gate();
  if (gate == nullptr || (count > 1) == (others_ != 0)) return;
  if (count > 1) {
    others_ = rank_.new_strand();
    gate->strand_begins(others_);
  } else {
    gate->strand_ends(std::exchange(others_, std::uint16_t{0}));
  }
}

void ContextPort::set_idle(Idle idle, const Site& where) {
  if (!over_.empty() || others_ != 0) return;
  if (outside_->set_idle(idle, where)) stopped("the run was ended while the rank waited");
}

void ContextPort::watch_work(const std::function<void(const Told&)>& ask) {
  outside_->watch_work(ask);
}

void ContextPort::need_open() const {
  if (!over_.empty())
    throw CommError(CommError::Reason::stopped, rank_.rank(), kAnyRank, {}, over_);
}

void ContextPort::begins_call(Communicator& comm, const Site& where) {
  need_open();
  thread_local const char own = 0;  // its address names the thread
  const char* first = first_thread_.load(std::memory_order_relaxed);
  if (first == &own || (first == nullptr && first_thread_.compare_exchange_strong(first, &own)))
    return;
  if (!several_threads_.exchange(true)) comm.note(kSeveralThreads, nullptr, kAnyRank, where);
}

void ContextPort::drop_requests() {
  const auto open = requests_;
  for (DirectRequest* request : open) request->drop();
  for (DirectWork* work : works_) work->drop();
}

RankOutcome ContextPort::outcome(bool ok, const std::string& error) {
  RankOutcome out;
  out.rank = rank_.rank();
  out.ok = ok;
  out.error = error;
  out.cause = stopped_ ? Cause::stopped : cause_of(rank_.rank(), error);  // a program's words
  out.began_ns = began_ns_;
  out.times_s = {static_cast<double>(rank_.now_ns() - began_ns_) * 1e-9};
  out.events = rank_.recorder().recorded();
  count_traffic(rank_, before_, out);
  return out;
}

void ContextPort::end(bool ok, const std::string& error) {
  threads(1);
  outside_->set_idle(Idle::awake, Site(std::source_location()));
  outside_->ends();
  drop_requests();
  if (reported_) return;
  reported_ = true;
  // A rank whose run was ended has not finished, even if it leaves without an error.
  world_->comm().mark_job(Verb::job_end, ok && !rank_.progress().stopped() ? 0 : 1);
  rank_.set_state(ok ? RankState::done : RankState::failed);
  rank_.recorder().flush();
  report(ok, error);
}

void ContextPort::stopped(const std::string& why) noexcept try {
  if (!over_.empty()) return;
  over_ = why;
  stopped_ = true;
  end(false, why);
} catch (const std::exception&) {  // leaving says it again
}

void ContextPort::leave(bool ok, const std::string& error) {
  outside_->leave();
  set_idle(Idle::awake,
           Site(std::source_location()));  // ends this rank's part if the run was ended meanwhile
  if (over_.empty()) over_ = "this rank has left the run";
  end(ok, error);
}

std::optional<int> ContextPort::any_done(std::span<PortRequest* const> requests, Deadline deadline,
                                         const Site& where) {
  need_open();
  std::vector<Request*> list;
  Communicator* comm = nullptr;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto* const direct = dynamic_cast<DirectRequest*>(requests[i]);
    list.push_back(direct == nullptr ? nullptr : direct->request());
    if (direct != nullptr) comm = &direct->comm();
    if (requests[i] != nullptr && requests[i]->test()) return static_cast<int>(i);
  }
  if (comm == nullptr) return -1;
  const auto done = comm->any_done(deadline, list, where);
  if (!done) return std::nullopt;
  return *done == list.size() ? -1 : static_cast<int>(*done);
}

void ContextPort::task_input(int, const rs_memory&) {
  throw UserError("this rank has no task: tasks are given by the grader");
}

void ContextPort::task_result(const rs_memory*, const std::string&) {
  throw UserError("this rank has no task: tasks are given by the grader");
}

DirectPort::DirectPort(JoinedSession joined)
    : ContextPort(begun(*joined.session, joined.job), joined.job.spec.recording.trace,
                  joined.session),
      session_(std::move(joined.session)),
      job_(std::move(joined.job)),
      turns_(std::move(joined.turns)) {}

DirectPort::~DirectPort() {
  try {
    if (!reported()) leave(true, {});
  } catch (const std::exception&) {  // the conductor sees that this rank is gone
  }
}

void DirectPort::report(bool ok, const std::string& error) {
  session_->report(job_, outcome(ok, error));
}

void DirectPort::leave(bool ok, const std::string& error) {
  ContextPort::leave(ok, error);
  session_->leave();
  turns_.reset();
}

void DirectPort::fail(const std::string& error) {
  ContextPort::leave(false, error);
  session_->await_end();
}

std::unique_ptr<Port> open_direct(const std::string& host, const rs_join_options& options) {
  return std::make_unique<DirectPort>(join_run(host, options));
}

}  // namespace rankscope::capi
