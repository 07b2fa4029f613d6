// Implements the verbs, requests and collectives of a rank on a RankContext of this process.
#include "engine/capi/direct_comm.h"

#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/message/before_sleep.h"
#include "engine/model/auto_choice.h"
#include "engine/run/job/transports.h"

namespace rankscope::capi {
namespace {

Tag any_tag(int tag) { return tag < 0 ? kAnyTag : tag; }

void check_tag(int tag) {
  if (tag < 0) throw UserError(fmt::format("a send needs a tag of 0 or more, not {}", tag));
}

ReduceOp op_of(int code) {
  if (code < 0 || code > static_cast<int>(ReduceOp::bxor))
    throw UserError(fmt::format("there is no reduce operation {} (0 to 7)", code));
  return static_cast<ReduceOp>(code);
}

/// Errors inside of a built-in name the line that called it.
template <class Body>
void at_callers_line(const Site& where, Body&& body) {
  try {
    body();
  } catch (const CommError& e) {
    throw CommError(e.reason(), e.rank(), e.peer(), where.call_site(), e.words());
  }
}

/// Returns the memory as its own buffer, because an algorithm's slices count from its beginning.
Buffer whole(ContextPort& port, Communicator& comm, const rs_memory& memory, const Site& where) {
  const Slice plain = plain_slice(memory);
  Buffer buffer = Buffer::borrow(plain.data(), plain.dtype(), Shape::flat(plain.count()));
  if (plain.empty()) return buffer;
  rs_memory as_array = memory;
  const bool part = memory.dims > 0 && memory.array != memory.data;
  if (part) as_array.dims = 0;
  buffer.set_id(port.arrays().slice(comm, as_array, where).buffer());
  return buffer;
}

/// Returns the requested algorithm, else one that suits this many bytes on this many ranks.
const Algorithm& algorithm_of(const rs_call& call, int ranks, std::uint64_t bytes) {
  const std::string collective = call.collective == nullptr ? "" : call.collective;
  if (call.algorithm != nullptr) return require_algorithm(collective + "." + call.algorithm);
  const auto chosen = ChoiceTable::built_in().choose(collective, kDefaultTransport, ranks, bytes);
  if (!chosen.empty()) return require_algorithm(chosen);
  for (const Algorithm& one : built_in_algorithms())
    if (to_string(one.collective) == collective) return one;
  throw UserError(fmt::format("there is no built-in collective \"{}\"", collective));
}

}  // namespace

DirectRequest::DirectRequest(ContextPort& port, Communicator& comm, Request request, Slice data,
                             bool send, bool blocking)
    : port_(port),
      comm_(comm),
      request_(std::move(request)),
      data_(data),
      send_(send),
      blocking_(blocking) {
  if (blocking) request_.as_blocking();
  else if (send) contents_ = fingerprint(data_);
  port_.opened(this);
}

DirectRequest::~DirectRequest() {
  drop();
  port_.closed(this);
}

void DirectRequest::drop() noexcept {
  if (!request_.pending()) return;
  if (!blocking_) comm_.note(Note::request_dropped, &request_);
  request_ = Request();
}

void DirectRequest::look_for_changes(const Site& where) {
  if (!send_ || blocking_ || !request_.pending() || fingerprint(data_) == contents_) return;
  contents_ = fingerprint(data_);
  report_changed_data(where);
}

void DirectRequest::report_changed_data(const Site& where) {
  if (send_ && request_.pending()) comm_.note(Note::buffer_changed, &request_, kAnyRank, where);
}

bool DirectRequest::wait(Deadline deadline, rs_status& status, const Site& where) {
  port_.need_open();
  look_for_changes(where);
  Message message;
  const auto received = comm_.wait_until(deadline, request_, &message, where);
  if (!received) return false;
  if (!send_) port_.arrays().settle(data_);
  status.source = send_ ? -1 : received->source;
  status.tag = received->tag;
  status.bytes = received->bytes;
  status.message = nullptr;
  if (message.size() > 0) {
    status.message = std::malloc(message.size());
    if (status.message == nullptr) throw UserError("there is no memory for a message");
    std::memcpy(status.message, message.data(), message.size());
  }
  return true;
}

bool DirectRequest::test() {
  port_.need_open();
  return comm_.test(request_);
}

DirectWork::DirectWork(ContextPort& port, Communicator& comm, Work work, Slice out,
                       BuiltInRecord call, std::string name, std::vector<CallSite> stack)
    : port_(port),
      comm_(comm),
      work_(std::move(work)),
      out_(out),
      call_(call),
      name_(std::move(name)),
      stack_(std::move(stack)) {
  port_.opened(this);
}

DirectWork::~DirectWork() {
  drop();
  port_.closed(this);
}

void DirectWork::drop() noexcept {
  if (std::exchange(waited_, true) || stack_.empty()) return;
  const Site where{std::span<const CallSite>(stack_)};
  const auto phase = comm_.phase(name_, where);  // says which call it was
  comm_.note(Note::request_dropped, nullptr, kAnyRank, where);
}

bool DirectWork::wait(Deadline deadline, rs_status& status, const Site& where) {
  port_.need_open();
  // A strand that waits for another one is known as such only while it does, so there are no parts
  // once it does not end by itself soon.
  (void)deadline;
  about_to_sleep();
  waited_ = true;
  at_callers_line(where, [&] { work_.wait(where); });
  if (!std::exchange(recorded_, true))
    comm_.record_call(true, call_.number, call_.data, call_.op, call_.root, where);
  port_.arrays().settle(out_);
  status = {-1, 0, out_.bytes(), nullptr};
  return true;
}

bool DirectWork::test() {
  const bool done = work_.test();
  waited_ |= done;
  return done;
}

bool DirectWork::when_done(const std::function<void(bool failed)>& then) {
  work_.when_done(then);
  return true;
}

PortRequestPtr DirectComm::isend(int to, const rs_memory& memory, int tag, unsigned flags,
                                 const Site& where) {
  port_.begins_call(comm_, where);
  check_tag(tag);
  const Slice data = port_.arrays().slice(comm_, memory, where);
  Request request = (flags & RS_RENDEZVOUS) != 0 ? comm_.issend(to, data, tag, where)
                                                 : comm_.isend(to, data, tag, where);
  return std::make_unique<DirectRequest>(port_, comm_, std::move(request), data, true,
                                         (flags & RS_BLOCKING) != 0);
}

PortRequestPtr DirectComm::irecv(int from, const rs_memory& memory, int tag, unsigned flags,
                                 const Site& where) {
  port_.begins_call(comm_, where);
  const Rank source = from < 0 ? kAnyRank : from;
  const bool any_size = (flags & RS_MESSAGE) != 0;
  const Slice into = any_size ? Slice() : port_.arrays().slice(comm_, memory, where);
  Request request = any_size ? comm_.irecv_message(source, any_tag(tag), where)
                             : comm_.irecv(source, into, any_tag(tag), where);
  return std::make_unique<DirectRequest>(port_, comm_, std::move(request), into, false,
                                         (flags & RS_BLOCKING) != 0);
}

bool DirectComm::probe(int from, int tag, rs_status& status) {
  port_.need_open();
  const auto found = comm_.probe(from < 0 ? kAnyRank : from, any_tag(tag));
  if (found) status = {found->source, found->tag, found->bytes, nullptr};
  return found.has_value();
}

PortRequestPtr DirectComm::collective(const rs_call& call, bool async, const Site& where) {
  port_.begins_call(comm_, where);
  const int number = calls_++;
  Args args;
  args.in = whole(port_, comm_, call.in, where);
  args.out = whole(port_, comm_, call.out, where);
  const Slice in = args.in, out = args.out;
  const Slice& larger = in.bytes() > out.bytes() ? in : out;
  const Algorithm& algorithm = algorithm_of(call, comm_.size(), larger.bytes());
  args.op = op_of(call.op);
  args.root = call.root;
  const bool rooted = has_root(algorithm.collective);
  const Rank root = rooted && call.root >= 0 && call.root < comm_.size() ? call.root : kAnyRank;
  const std::string name = fmt::format("{}{}", kBuiltIn, to_string(algorithm.collective));
  const auto phase = comm_.phase(name, where);
  comm_.record_call(false, number, larger, args.op, root, where);
  if (in.bytes() == out.bytes() && in.data() != out.data() && in.bytes() > 0)
    std::memmove(out.data(), in.data(), in.bytes());
  if (async) {
    const std::vector<CallSite> stack(where.stack().begin(), where.stack().end());
    auto body = [&algorithm, args, name, stack](Communicator& comm) {
      const Site called{std::span<const CallSite>(stack)};
      const auto inside = stack.empty() ? comm.phase(name) : comm.phase(name, called);
      run_algorithm(comm, algorithm, args);
    };
    return std::make_unique<DirectWork>(
        port_, comm_, comm_.start(std::move(body), where, comm_.context_of_call(number)), out,
        BuiltInRecord{number, larger, args.op, root}, name, stack);
  }
  if (!built_in_) built_in_.emplace(comm_.duplicate_for_built_in());
  built_in_->begin_call(comm_.context_of_call(number));
  at_callers_line(where, [&] { run_algorithm(*built_in_, algorithm, args); });
  comm_.record_call(true, number, larger, args.op, root, where);
  port_.arrays().settle(out);
  return nullptr;
}

std::unique_ptr<PortComm> DirectComm::split(int color, int key, const char* call,
                                            const Site& where) {
  port_.begins_call(comm_, where);
  const int number = calls_++;
  const auto phase =
      comm_.phase(fmt::format("{}{}", kBuiltIn, call == nullptr ? "split" : call), where);
  comm_.record_call(false, number, {}, ReduceOp::sum, kAnyRank, where);
  auto made = comm_.split(color, key, where);
  comm_.record_call(true, number, {}, ReduceOp::sum, kAnyRank, where);
  return made ? std::make_unique<DirectComm>(port_, std::move(*made)) : nullptr;
}

std::unique_ptr<PortComm> DirectComm::group(const std::vector<int>& ranks, const std::string& key,
                                            const char* call, const Site& where) {
  port_.need_open();
  std::set<int> named;
  for (const int rank : ranks)
    if (rank < 0 || rank >= size() || !named.insert(rank).second)
      throw UserError(fmt::format("a group of the ranks {}: each of 0 to {} at most once",
                                  fmt::join(ranks, ", "), size() - 1));
  if (!named.contains(comm_.rank()))
    throw UserError("a group is made by its members, and this rank is not among them");
  auto made = std::make_unique<DirectComm>(port_, comm_.group(ranks, key));
  made->split(-1, 0, call, where);  // waits for all members
  return made;
}

void DirectComm::phase_begin(const char* name, const Site& where) {
  port_.need_open();
  // The contents of such a phase would be taken for our own.
  if (name != nullptr && std::string_view(name).starts_with(kBuiltIn))
    throw UserError(fmt::format(
        "a phase must not be called \"{}\": names that begin with \"{}\" are those of built-in "
        "collectives",
        name, kBuiltIn));
  phases_.push_back(comm_.phase(name == nullptr ? "phase" : name, where));
}

void DirectComm::phase_end() {
  if (phases_.empty()) throw UserError("a phase ends that has not begun");
  phases_.pop_back();
}

void DirectComm::watch(const rs_memory& memory, const Site& where) {
  port_.need_open();
  port_.arrays().slice(comm_, memory, where);
}

void DirectComm::note(int note, int peer, const Site& where) {
  port_.need_open();
  if (note != RS_SELF_SEND && note != RS_NOT_CONTIGUOUS && note != RS_GROUP_MADE)
    throw UserError(fmt::format("there is no note {}", note));
  const bool known = peer >= 0 && peer < comm_.size();
  comm_.note(static_cast<Note>(note), nullptr, known ? peer : kAnyRank, where);
}

}  // namespace rankscope::capi
