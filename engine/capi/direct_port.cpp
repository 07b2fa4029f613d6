#include "engine/capi/direct_port.h"

#include <fmt/format.h>

#include "engine/capi/direct_comm.h"
#include "engine/core/error.h"
#include "engine/run/program_host.h"

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
  return out;
}

}  // namespace

DirectPort::DirectPort(const std::string& host, const rs_join_options& options) {
  ProgramSeat seat = apply_for_seat(host, application_of(options));
  SessionOptions session;
  session.rendezvous = Rendezvous::parse(seat.rendezvous);
  session.rank = seat.rank;
  session.world_size = seat.size;
  session.guest = true;
  const int lifeline = std::exchange(seat.lifeline, Fd()).release();
  session.lifeline_fd = lifeline;
  session.status_fd = std::exchange(seat.status, Fd()).release();
  session_ = std::make_unique<RankSession>(session);
  if (session_->join())
    throw UserError(session_->complaint().empty() ? "the run was ended" : session_->complaint());
  job_ = session_->next_job();
  if (!job_) throw UserError("the run was ended before it began");
  begin();
}

void DirectPort::begin() {
  before_ = session_->link().counters();
  RankContext& rank = context();
  rank.begin_job(job_->epoch, settings_of(job_->spec, job_->spec.trace));
  world_ = std::make_unique<DirectComm>(*this, Communicator(rank));
  began_ns_ = now_ns();
  world_->comm().mark_job(Verb::job_begin, 0);
  rank.set_state(RankState::running);
}

DirectPort::~DirectPort() {
  if (session_ && !reported_) {
    try {
      leave(true, {});
    } catch (const std::exception&) {  // the conductor sees that this rank is gone
    }
  }
}

PortComm& DirectPort::world() { return *world_; }

bool DirectPort::full_trace() const { return job_->spec.trace == TraceLevel::full; }

void DirectPort::need_open() const {
  if (!over_.empty())
    throw CommError(CommError::Reason::stopped, session_->context().rank(), kAnyRank, {}, over_);
}

void DirectPort::drop_requests() {
  const auto open = requests_;
  for (DirectRequest* request : open) request->drop();
}

void DirectPort::report(bool ok, const std::string& error) {
  if (reported_) return;
  reported_ = true;
  RankContext& rank = context();
  world_->comm().mark_job(Verb::job_end, ok ? 0 : 1);
  rank.set_state(ok ? RankState::done : RankState::failed);
  rank.recorder().flush();
  RankOutcome outcome;
  outcome.rank = rank.rank();
  outcome.ok = ok;
  outcome.error = error;
  outcome.began_ns = began_ns_;
  outcome.times_s = {static_cast<double>(now_ns() - began_ns_) * 1e-9};
  outcome.events = rank.recorder().recorded();
  const LinkCounters now = session_->link().counters();
  outcome.frames_sent = now.frames_sent - before_.frames_sent;
  outcome.bytes_sent = now.bytes_sent - before_.bytes_sent;
  outcome.frames_received = now.frames_received - before_.frames_received;
  outcome.bytes_received = now.bytes_received - before_.bytes_received;
  outcome.malformed = now.malformed - before_.malformed;
  outcome.wrong_secret = now.wrong_secret - before_.wrong_secret;
  outcome.stale = rank.progress().stale_frames();
  session_->report(*job_, outcome);
}

void DirectPort::stopped(const std::string& why) noexcept try {
  if (!over_.empty()) return;
  over_ = why;
  drop_requests();
  report(false, why);
} catch (const std::exception&) {  // leaving says it again
}

void DirectPort::leave(bool ok, const std::string& error) {
  drop_requests();
  if (over_.empty()) over_ = "this rank has left the run";
  report(ok, error);
  session_->leave();
}

std::optional<int> DirectPort::any_done(std::span<PortRequest* const> requests, Deadline deadline,
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

void DirectPort::task_input(int, const rs_memory&) {
  throw UserError("this rank has no task: tasks are given by the grader");
}

void DirectPort::task_result(const rs_memory*, const std::string&) {
  throw UserError("this rank has no task: tasks are given by the grader");
}

std::unique_ptr<Port> open_direct(const std::string& host, const rs_join_options& options) {
  return std::make_unique<DirectPort>(host, options);
}

}  // namespace rankscope::capi
