// A boxed rank's verbs, on copies of its arrays.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/capi/agent_run.h"
#include "engine/capi/guarded_port.h"
#include "engine/core/base/quantity.h"
#include "engine/core/run/platform.h"

namespace rankscope::capi {
namespace {

using nlohmann::json;

constexpr std::size_t kMostOpen = 4'000, kMostComms = 1'000, kMostArrays = 4'096;
constexpr int kLongestWaitMs = 1'000;
constexpr std::uint64_t kMostFirst = std::uint64_t{1} << 20;

}  // namespace

// The address that the rank names for its message may not be aligned.
void SentValues::add(std::span<const std::byte> message, DType dtype) noexcept {
  bytes += message.size();
  visit_dtype(dtype, [&]<class T>() {
    for (; alike && message.size() >= sizeof(T); message = message.subspan(sizeof(T))) {
      T one;
      std::memcpy(&one, message.data(), sizeof(T));
      const auto number = static_cast<double>(one);
      if (count++ == 0) value = number;
      alike = number == value || (std::isnan(number) && std::isnan(value));
    }
  });
}

namespace {

// Adds 1 to each byte, so that a message that is forwarded differs more each time.
void alter(std::span<std::byte> message) noexcept {
  for (std::byte& one : message) one = static_cast<std::byte>(std::to_integer<unsigned>(one) + 1);
}

}  // namespace

// The rank's memory is not accessible: messages use copies, kept by the addresses that it names.
rs_memory AgentRun::memory_of(const json& described) {
  rs_memory memory{};
  memory.count = field<std::uint64_t>(described, "count");
  memory.dtype = field<int>(described, "dtype");
  if (memory.dtype < 0 || memory.dtype > static_cast<int>(DType::float64))
    throw ProtocolViolation("an unknown element type");
  const auto size = dtype_size(static_cast<DType>(memory.dtype));
  std::uint64_t count = 1;
  const json shape = described.value("shape", json::array());
  for (const json& extent : shape) {
    if (!extent.is_number_unsigned() || memory.dims >= RS_DIMS ||
        extent.get<std::uint64_t>() > kMostArrayBytes)
      throw ProtocolViolation("an impossible shape");
    memory.shape[memory.dims++] = static_cast<std::int64_t>(extent.get<std::uint64_t>());
    count *= extent.get<std::uint64_t>();
    if (count > kMostArrayBytes) throw ProtocolViolation("an array that is too large");
  }
  if (memory.dims == 0) count = memory.count;
  const std::uint64_t at = memory.dims == 0 ? 0 : field<std::uint64_t>(described, "at");
  if (count > kMostArrayBytes / size || memory.count > count || at > (count - memory.count) * size)
    throw ProtocolViolation("a message that does not lie in its array, or is too large");
  if (memory.count == 0) return memory;
  const auto address = field<std::uint64_t>(described, "array");
  const std::tuple key{address, count, memory.dtype};
  if (!copies_.contains(key)) {
    if (count * size > task_.most_memory - memory_ || copies_.size() > 2 * kMostArrays)
      throw ProtocolViolation(
          fmt::format("its messages lie in more than {} arrays, or in more than {} together; send "
                      "from smaller ones, and wait for messages before you start more",
                      2 * kMostArrays, format_bytes(task_.most_memory)));
    memory_ += count * size;
  }
  auto& copy = copies_[key];
  copy.resize(count * size);
  memory.array = copy.data();
  memory.data = copy.data() + at;
  if (const auto name = described.find("name"); name != described.end() && name->is_string())
    memory.name = Lines::kept(name->get_ref<const std::string&>());
  return memory;
}

// The request holds the array, if it was sent whole, and then the message.
void AgentRun::fill(const rs_memory& memory, const WireMessage& request) {
  const auto size = dtype_size(static_cast<DType>(memory.dtype));
  const auto data = field<std::uint64_t>(request.head, "data");
  const auto whole =
      request.head.contains("whole") ? field<std::uint64_t>(request.head, "whole") : 0;
  if (data + whole != request.body.size() || (data != 0 && data != memory.count * size))
    throw ProtocolViolation("a body that does not fit its head");
  if (whole > 0) {
    std::uint64_t count = 1;
    for (std::uint32_t d = 0; d < memory.dims; ++d)
      count *= static_cast<std::uint64_t>(memory.shape[d]);
    if (memory.array == nullptr || whole != count * size)
      throw ProtocolViolation("an array that does not fit its head");
    std::memcpy(memory.array, request.body.data() + data, whole);
  }
  if (data > 0) std::memcpy(memory.data, request.body.data(), data);
}

void AgentRun::keep_message(const Slice& data) {
  if (report_.messages.size() >= AgentReport::kMostMessages) return;
  SentMessage& kept = report_.messages.emplace_back();
  kept.dtype = data.dtype();
  if (data.bytes() <= AgentReport::kMostMessageBytes)
    kept.data.assign(data.raw().begin(), data.raw().end());
}

void AgentRun::post(const WireMessage& request, bool send) {
  const json& head = request.head;
  DirectComm& comm = comm_of(head);
  // All ranks of a graded program together: each costs the agent some kilobytes.
  const auto sharing = task_.is_script() ? 1 : static_cast<std::size_t>(context().world_size());
  if (open_.size() >= kMostOpen / sharing)
    throw UserError("too many requests are open at once: wait for some before you start more");
  Open open;
  auto flags = field<unsigned>(head, "flags");
  open.any_size = (flags & RS_MESSAGE) != 0;
  open.takes = !send;
  open.memory = memory_of(object(head, "memory"));
  fill(open.memory, request);
  const auto data = plain_slice(open.memory);
  if (send) {
    report_.sent.add(data.raw(), data.dtype());
    if (!std::exchange(has_sent_, true) && data.bytes() <= kMostFirst)
      report_.first_sent.assign(data.raw().begin(), data.raw().end());
    keep_message(data);
  }
  Lines lines(head);
  const int peer = field<int>(head, "peer"), tag = field<int>(head, "tag");
  if (send && (flags & RS_RENDEZVOUS) == 0 && gate() != nullptr &&
      !context().rendezvous(data.bytes()) && comm.world_rank(peer) >= 0 &&
      gate()->waits(comm.world_rank(peer)))
    flags |= RS_RENDEZVOUS;
  open.request = send ? comm.isend(peer, open.memory, tag, flags, lines.site())
                      : comm.irecv(peer, open.memory, tag, flags, lines.site());
  open_.emplace(++next_op_, std::move(open));
  say({{"op", next_op_}});
}

AgentRun::Open& AgentRun::open_of(const json& head) {
  const auto at = open_.find(field<std::uint64_t>(head, "op"));
  if (at == open_.end()) throw UserError("this request is not open");
  return at->second;
}

// In virtual time a wait is not split: only a limit of the program's own ends it.
Deadline AgentRun::wait_limit(const json& head) {
  const int ms = std::max(0, field<int>(head, "ms"));
  if (context().virtual_rank() == nullptr)
    return Deadline::in(std::chrono::milliseconds(std::min(ms, kLongestWaitMs)));
  return ms >= AgentLine::kForEverMs ? Deadline::never()
                                     : context().deadline_in(std::chrono::milliseconds(ms));
}

void AgentRun::wait(const json& head) {
  Open& open = open_of(head);
  const auto number = field<std::uint64_t>(head, "op");
  Lines lines(head);
  rs_status status{};
  bool done = false;
  try {
    done = open.request->wait(wait_limit(head), status, lines.site());
  } catch (...) {
    open_.erase(number);
    throw;
  }
  if (!done) return say({{"done", false}});
  const std::unique_ptr<void, void (*)(void*)> message(status.message, &std::free);
  std::span<std::byte> body;
  if (open.any_size)
    body = {static_cast<std::byte*>(status.message), status.message == nullptr ? 0 : status.bytes};
  else if (open.takes) body = {static_cast<std::byte*>(open.memory.data), status.bytes};
  if (task_.altered) alter(body);
  say({{"done", true}, {"source", status.source}, {"tag", status.tag}, {"bytes", status.bytes}},
      body);
  open_.erase(number);
}

void AgentRun::wait_any(const json& head) {
  const auto ops = head.find("ops");
  if (ops == head.end() || !ops->is_array() || ops->size() > kMostOpen)
    throw ProtocolViolation("a wait for nothing");
  std::vector<PortRequest*> list;
  for (const json& op : *ops) {
    const auto at = op.is_number_unsigned() ? open_.find(op.get<std::uint64_t>()) : open_.end();
    list.push_back(at == open_.end() ? nullptr : at->second.request.get());
  }
  Lines lines(head);
  const auto done = any_done(list, wait_limit(head), lines.site());
  if (!done && field<int>(head, "ms") <= 0) {
    poll_found_nothing();
    if (VirtualRank* const here = context().virtual_rank()) here->poll_found_nothing();
  }
  say({{"index", done.value_or(-1)}});
}

void AgentRun::collective(const WireMessage& request) {
  const json& head = request.head;
  DirectComm& comm = comm_of(head);
  const auto name = field<std::string>(head, "collective");
  const auto algorithm = head.contains("algorithm") ? field<std::string>(head, "algorithm") : "";
  rs_call call{};
  call.collective = name.c_str();
  call.algorithm = algorithm.empty() ? nullptr : algorithm.c_str();
  call.op = field<int>(head, "op");
  call.root = field<int>(head, "root");
  call.in = memory_of(object(head, "in"));
  call.out = memory_of(object(head, "out"));
  const auto in = plain_slice(call.in), out = plain_slice(call.out);
  if (request.body.size() != in.bytes() + out.bytes())
    throw ProtocolViolation("a body that does not fit its head");
  // If both are one array, the second copy is the same memory.
  if (!in.empty()) std::memcpy(in.data(), request.body.data(), in.bytes());
  report_.sent.add(in.raw(), in.dtype());
  if (task_.altered) alter(in.raw());
  if (!out.empty() && out.data() != in.data())
    std::memcpy(out.data(), request.body.data() + in.bytes(), out.bytes());
  Lines lines(head);
  const bool async = field<bool>(head, "async");
  auto work = comm.collective(call, async, lines.site());
  if (!async) return say(json::object(), out.raw());
  open_.emplace(++next_op_, Open{std::move(work), call.out, false, true});
  say({{"op", next_op_}});
}

void AgentRun::split(const json& head) {
  if (comms_.size() >= kMostComms) throw UserError("too many communicators");
  Lines lines(head);
  const char* const call = Lines::kept(field<std::string>(head, "call"));
  auto made =
      comm_of(head).split(field<int>(head, "color"), field<int>(head, "key"), call, lines.site());
  if (!made) return say({{"comm", 0}});
  add_comm(std::move(made));
}

void AgentRun::group(const json& head) {
  if (comms_.size() >= kMostComms) throw UserError("too many communicators");
  Lines lines(head);
  const char* const call = Lines::kept(field<std::string>(head, "call"));
  std::vector<int> ranks;
  for (const json& rank : head.value("ranks", json::array())) {
    if (!rank.is_number_integer()) throw ProtocolViolation("a rank that is no integer");
    ranks.push_back(static_cast<int>(rank.get<std::int64_t>()));
  }
  add_comm(comm_of(head).group(ranks, field<std::string>(head, "key"), call, lines.site()));
}

void AgentRun::add_comm(std::unique_ptr<PortComm> made) {
  const int number = ++next_comm_;
  auto& comm = comms_[number];
  comm.reset(static_cast<DirectComm*>(made.release()));
  say(describe(*comm, number));
}

// Between requests, of which one may be about two arrays.
void AgentRun::forget_arrays() {
  if (!open_.empty() || (copies_.size() < kMostArrays && memory_ < task_.most_memory / 2)) return;
  copies_.clear();
  memory_ = 0;
}

void AgentRun::carry_out(const WireMessage& request) {
  forget_arrays();
  const json& head = request.head;
  const auto what = field<std::string>(head, "do");
  Lines lines(head);
  if (what == "isend" || what == "irecv") return post(request, what == "isend");
  if (what == "wait") return wait(head);
  if (what == "any") return wait_any(head);
  if (what == "changed") {
    auto* const sent = dynamic_cast<DirectRequest*>(open_of(head).request.get());
    if (sent == nullptr) throw ProtocolViolation("memory that no message is in");
    sent->report_changed_data(lines.site());
    return say(json::object());
  }
  if (what == "test") {
    const bool done = open_of(head).request->test();
    if (!done) poll_found_nothing();
    return say({{"done", done}});
  }
  if (what == "collective") return collective(request);
  if (what == "split") return split(head);
  if (what == "group") return group(head);
  if (what == "probe") {
    rs_status status{};
    const bool found =
        comm_of(head).probe(field<int>(head, "peer"), field<int>(head, "tag"), status);
    if (!found) poll_found_nothing();
    return say({{"found", found},
                {"source", status.source},
                {"tag", status.tag},
                {"bytes", status.bytes}});
  }
  if (what == "idle") {
    const int idle = field<int>(head, "idle");
    if (!task_.is_script() || idle < 0 || idle > static_cast<int>(Idle::waiting))
      throw ProtocolViolation("a rank that cannot be idle");
    idle_ = static_cast<Idle>(idle) != Idle::awake;
    set_idle(static_cast<Idle>(idle), lines.site());
  } else if (what == "threads") {
    report_.several_threads |= field<int>(head, "count") > 1;
    // In C++ a thread is declared, and need not be there; in Python it has been seen.
    if (!platform_of(report_.platform).compiled) threads(field<int>(head, "count"));
  } else if (what == "time") return say({{"ns", context().now_ns()}});

  else if (what == "drop") open_.erase(field<std::uint64_t>(head, "op"));
  else if (what == "phase")
    comm_of(head).phase_begin(Lines::kept(field<std::string>(head, "name")), lines.site());
  else if (what == "phase_end") comm_of(head).phase_end();
  else if (what == "note")
    comm_of(head).note(field<int>(head, "note"), field<int>(head, "peer"), lines.site());
  else if (what == "watch") {
    const rs_memory memory = memory_of(object(head, "memory"));
    fill(memory, request);
    comm_of(head).watch(memory, lines.site());
  } else throw ProtocolViolation(fmt::format("there is no request \"{}\"", what.substr(0, 40)));
  say(json::object());
}

}  // namespace rankscope::capi
