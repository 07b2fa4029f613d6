// The C functions: convert exceptions into codes and texts, and keep handles alive.
#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <thread>

#include "engine/capi/arrays.h"
#include "engine/capi/guarded_port.h"
#include "engine/capi/handles.h"
#include "engine/capi/program_end.h"
#include "engine/capi/sanitized_memory.h"
#include "engine/capi/watched.h"
#include "engine/core/base/reduce.h"

using rankscope::CallSite;
using rankscope::Deadline;
using rankscope::Site;
using rankscope::UserError;
using namespace rankscope::capi;

namespace {

thread_local std::string last_error;
thread_local int last_failure = RS_OK;
thread_local int last_reason = RS_REASON_OTHER;

// A polling program would keep its processor for a whole time slice (milliseconds), while the rank that it polls for,
// or the thread that brings its message, waits for that processor.
int after_a_look(int code, int found) {
  if (code == 0 && found == 0) std::this_thread::yield();
  return code;
}

}  // namespace

namespace rankscope::capi {

int failed(int code, const char* what, int reason) noexcept {
  last_failure = code;
  last_reason = reason;
  try {
    last_error = what;
  } catch (const std::bad_alloc&) {
    last_error.clear();
  }
  return code;
}

int last_code() noexcept { return last_failure; }

const char* kept(const char* text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  const std::lock_guard lock(mutex);
  const auto known = texts.find(std::string_view(text == nullptr ? "" : text));
  return known != texts.end() ? known->c_str()
                              : texts.emplace(text == nullptr ? "" : text).first->c_str();
}

}  // namespace rankscope::capi

namespace {

/// The caller's lines for the duration of one call.
class Place {
 public:
  explicit Place(const rs_stack* stack) {
    for (std::uint32_t i = 0; stack != nullptr && i < stack->depth && i < RS_STACK; ++i)
      calls_[depth_++] = {kept(stack->place[i].file), kept(stack->place[i].function),
                          stack->place[i].line};
    if (depth_ == 0) calls_[depth_++] = {"", "program", 0};
  }
  Site site() const { return Site(std::span<const CallSite>(calls_.data(), depth_)); }

 private:
  std::array<CallSite, RS_STACK> calls_{};
  std::size_t depth_ = 0;
};

Deadline deadline_in(int ms) {
  return ms < 0 ? Deadline::never() : Deadline::in(std::chrono::milliseconds(ms));
}

void opened(std::unique_ptr<Port> port, rs_session** out) {
  auto session = std::make_unique<rs_session>();
  session->port = std::move(port);
  session->world.port = session->port;
  session->world.comm = session->port->has_world() ? &session->port->world() : nullptr;
  *out = session.release();
}

rs_memory or_nothing(const rs_memory* memory) {
  return memory == nullptr ? rs_memory{} : located(*memory);
}

/// The handle of a new communicator; null where this rank has none.
rs_comm* owned(const rs_comm& parent, std::unique_ptr<PortComm> made) {
  if (!made) return nullptr;
  auto handle = std::make_unique<rs_comm>();
  handle->port = parent.port;
  handle->comm = made.get();
  handle->own = std::move(made);
  return handle.release();
}

char* copied(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  text.copy(copy, text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace

extern "C" {

int rs_version(void) { return RS_VERSION; }
const char* rs_error(void) { return last_error.c_str(); }
int rs_error_reason(void) { return last_reason; }

int rs_join(const rs_join_options* options, rs_session** out) {
  if (const char* const agent = std::getenv("RANKSCOPE_AGENT"); agent != nullptr && *agent != '\0')
    return guarded(nullptr, [&] { opened(open_guarded(std::atoi(agent), *options), out); });
  if (const char* const agents = std::getenv("RANKSCOPE_AGENTS");
      agents != nullptr && *agents != '\0')
    return guarded(nullptr, [&] { opened(open_explored(agents, *options), out); });
  const char* const host = std::getenv("RANKSCOPE_EXEC");
  if (host == nullptr || *host == '\0')
    return failed(
        RS_NO_RUN,
        "this program does not run under rankscope: start it by `rankscope exec -n 4 -- ...`");
  return guarded(nullptr, [&] { opened(open_direct(host, *options), out); });
}

int rs_leave(rs_session* session, int ok, const char* error) {
  if (session == nullptr) return RS_OK;
  const std::unique_ptr<rs_session> owned(session);
  if (!take_over_end(session)) return RS_OK;
  const int code = guarded(nullptr, [&] {
    std::string why = error == nullptr ? "" : error;
    if (ok == 0 && error == nullptr && last_code() != RS_STOPPED) why = last_exception();
    if (const auto* const comm = session->world.comm; ok != 0 && comm != nullptr) {
      note_caught(*session);
      write_watched(comm->rank(), comm->size());
    }
    owned->port->leave(ok != 0, why);
  });
  has_left(session);
  return code;
}

int rs_report_end(rs_session* session) {
  return guarded(nullptr, [&] { report_end_of(session); });
}

void rs_threads(rs_session* session, int count) {
  guarded(nullptr, [&] { session->port->threads(count); });
}

void rs_ended(rs_session* session, const char* why, const rs_stack* where) {
  guarded(nullptr, [&] {
    if (where != nullptr && where->depth > 0) session->port->was_at(Place(where).site());
    session->port->stopped(why);
  });
}

void rs_idle(rs_session* session, int idle, const rs_stack* where) {
  guarded(nullptr, [&] {
    const Place place(where);
    session->port->set_idle(static_cast<Port::Idle>(idle), place.site());
  });
}

void rs_watch_work(rs_session* session, void (*ask)(rs_stack* where)) {
  const std::shared_ptr<Port> port = session->port;
  ask(nullptr);  // the session may be gone from now on
  guarded(nullptr, [&] {
    port->watch_work([&](const Port::Told& tell) {
      rs_stack where{};
      ask(&where);
      if (where.depth > 0) tell(Place(&where).site());
    });
  });
}

int rs_full_trace(const rs_session* session) { return session->port->full_trace() ? 1 : 0; }
rs_comm* rs_world(rs_session* session) {
  return session->world.comm == nullptr ? nullptr : &session->world;
}
int rs_rank(const rs_comm* comm) { return comm->comm->rank(); }
int rs_size(const rs_comm* comm) { return comm->comm->size(); }
int rs_world_rank(const rs_comm* comm, int rank) { return comm->comm->world_rank(rank); }

int rs_isend(rs_comm* comm, int to, const rs_memory* memory, int tag, unsigned flags,
             const rs_stack* where, rs_request** out) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    check_memory(memory, nullptr);
    note_verb((flags & RS_BLOCKING) != 0 ? "send" : "isend", place.site(), memory, nullptr);
    *out = new rs_request{comm->port,
                          comm->comm->isend(to, or_nothing(memory), tag, flags, place.site())};
    if (memory != nullptr) open_memory(*out, *memory, false, place.site().call_site());
  });
}

int rs_irecv(rs_comm* comm, int from, const rs_memory* memory, int tag, unsigned flags,
             const rs_stack* where, rs_request** out) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    check_memory(nullptr, memory);
    note_verb((flags & RS_BLOCKING) != 0 ? "recv" : "irecv", place.site(), nullptr, memory);
    *out = new rs_request{comm->port,
                          comm->comm->irecv(from, or_nothing(memory), tag, flags, place.site())};
    if (memory != nullptr) open_memory(*out, *memory, true, place.site().call_site());
  });
}

int rs_wait(rs_request** request, int ms, rs_status* status, const rs_stack* where) {
  if (*request == nullptr) return RS_OK;
  rs_status ignored{};
  const Place place(where);
  const int code = guarded((*request)->port.get(), [&] {
    check_memory(nullptr, nullptr);
    return (*request)->request->wait(deadline_in(ms), status == nullptr ? ignored : *status,
                                     place.site())
               ? RS_OK
               : RS_PENDING;
  });
  if (code != RS_PENDING) rs_drop(request);
  if (status == nullptr) std::free(ignored.message);
  return code;
}

int rs_wait_any(rs_request** requests, int count, int ms, int* index, rs_status* status,
                const rs_stack* where) {
  *index = -1;
  const int code = guarded(nullptr, [&] {
    std::vector<PortRequest*> list;
    Port* port = nullptr;
    for (int i = 0; i < count; ++i) {
      list.push_back(requests[i] == nullptr ? nullptr : requests[i]->request.get());
      if (requests[i] != nullptr) port = requests[i]->port.get();
    }
    if (port == nullptr) return RS_OK;
    const Place place(where);
    check_memory(nullptr, nullptr);
    const auto done = port->any_done(list, deadline_in(ms), place.site());
    if (!done) return RS_PENDING;
    *index = *done;
    return RS_OK;
  });
  if (code != RS_OK || *index < 0) return code;
  return rs_wait(&requests[*index], -1, status, where);
}

int rs_test(rs_request* request, int* done) {
  *done = 0;
  const int code = guarded(nullptr, [&] {
    check_memory(nullptr, nullptr);
    *done = request == nullptr || request->request->test() ? 1 : 0;
    if (*done != 0) close_memory(request);
  });
  return after_a_look(code, *done);
}

int rs_when_done(rs_request* request, void (*done)(void*, int), void* with) {
  bool called = false;
  const int code = guarded(request->port.get(), [&] {
    called = request->request->when_done([done, with](bool failed) { done(with, failed ? 1 : 0); });
  });
  return code == RS_OK && !called ? RS_PENDING : code;
}

void rs_drop(rs_request** request) {
  close_memory(*request);
  delete *request;
  *request = nullptr;
}

int rs_probe(rs_comm* comm, int from, int tag, int* found, rs_status* status) {
  *found = 0;
  const int code =
      guarded(comm->port.get(), [&] { *found = comm->comm->probe(from, tag, *status) ? 1 : 0; });
  return after_a_look(code, *found);
}

void rs_free(void* message) { std::free(message); }

int rs_collective(rs_comm* comm, const rs_call* call, const rs_stack* where, rs_request** out) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    check_memory(&call->in, &call->out);
    note_verb(call->collective, place.site(), &call->in, &call->out);
    rs_call known = *call;
    known.in = located(call->in);
    known.out = located(call->out);
    auto request = comm->comm->collective(known, out != nullptr, place.site());
    if (out != nullptr) *out = request ? new rs_request{comm->port, std::move(request)} : nullptr;
  });
}

int rs_split(rs_comm* comm, int color, int key, const char* call, const rs_stack* where,
             rs_comm** out) {
  *out = nullptr;
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    *out = owned(*comm, comm->comm->split(color, key, call, place.site()));
  });
}

int rs_group(rs_comm* comm, const int32_t* ranks, int count, const char* key, const char* call,
             const rs_stack* where, rs_comm** out) {
  *out = nullptr;
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    *out = owned(*comm, comm->comm->group({ranks, ranks + count}, key, call, place.site()));
  });
}

void rs_free_comm(rs_comm* comm) {
  if (comm != nullptr && comm->own) delete comm;
}

int rs_phase_begin(rs_comm* comm, const char* name, const rs_stack* where) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    comm->comm->phase_begin(name, place.site());
  });
}

int rs_phase_end(rs_comm* comm) {
  return guarded(nullptr, [&] { comm->comm->phase_end(); });
}

int rs_watch(rs_comm* comm, const rs_memory* memory, const rs_stack* where) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    watch_memory(*memory);
    comm->comm->watch(*memory, place.site());
  });
}

int rs_watch_values(rs_comm* comm, const rs_memory* memory, const char* type,
                    const rs_stack* where) {
  return guarded(comm->port.get(), [&] {
    watch_values(*memory, type, Place(where).site(), comm->comm->world_rank(comm->comm->rank()));
  });
}

int rs_note(rs_comm* comm, int note, int peer, const rs_stack* where) {
  return guarded(comm->port.get(), [&] {
    const Place place(where);
    comm->comm->note(note, peer, place.site());
  });
}

int rs_combine(const rs_memory* into, const rs_memory* from, int op) {
  return guarded(nullptr, [&] {
    const auto target = plain_slice(*into), source = plain_slice(*from);
    if (target.count() != source.count() || target.dtype() != source.dtype())
      throw UserError("only arrays of one length and element type can be combined");
    if (op < 0 || op > RS_BXOR) throw UserError("there is no such reduce operation");
    const auto reduce = static_cast<rankscope::ReduceOp>(op);
    rankscope::check_reduce(target.dtype(), reduce);
    rankscope::reduce_into(target.data(), source.data(), target.count(), target.dtype(), reduce);
  });
}

int64_t rs_now(void) { return rankscope::now_ns(); }

int64_t rs_time(rs_session* session) {
  int64_t ns = 0;
  guarded(nullptr, [&] { ns = session->port->time_ns(); });
  return ns;
}

int rs_next_task(rs_session* session, char** task) {
  *task = nullptr;
  return guarded(nullptr, [&] {
    if (const auto next = session->port->next_task()) *task = copied(*next);
  });
}

int rs_task_input(rs_session* session, int index, const rs_memory* memory) {
  return guarded(nullptr, [&] { session->port->task_input(index, or_nothing(memory)); });
}

int rs_task_result(rs_session* session, const rs_memory* memory, const char* error) {
  return guarded(nullptr,
                 [&] { session->port->task_result(memory, error == nullptr ? "" : error); });
}

}  // extern "C"
