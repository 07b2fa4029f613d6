// Implements a boxed rank's verbs as requests over its socket to the agent.
#include "engine/capi/guarded_port.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "engine/capi/arrays.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/message/before_sleep.h"
#include "engine/run/conductor/local_socket.h"

namespace rankscope::capi {
namespace {

using nlohmann::json;

/// Arrays up to this size are sent whole, so that the trace shows how the program changed them.
constexpr std::size_t kWholeArray = 4096;

/// Returns the calling thread's processor time; its value at the last answer is kept.
std::uint64_t cpu_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}
thread_local std::uint64_t cpu_at_answer = 0;

json memory_json(const rs_memory& memory) {
  json shape = json::array();
  for (std::uint32_t d = 0; d < memory.dims && d < RS_DIMS; ++d) shape.push_back(memory.shape[d]);
  json out{{"count", memory.count}, {"dtype", memory.dtype}, {"shape", shape}};
  if (memory.dims > 0 && memory.array != nullptr) {
    out["array"] = reinterpret_cast<std::uintptr_t>(memory.array);
    out["at"] = static_cast<const char*>(memory.data) - static_cast<const char*>(memory.array);
  } else {
    out["array"] = reinterpret_cast<std::uintptr_t>(memory.data);
  }
  if (memory.name != nullptr) out["name"] = std::string(memory.name).substr(0, 200);
  return out;
}

json site_json(const Site& where) {
  json out = json::array();
  for (const CallSite& call : where.stack())
    out.push_back({std::string(call.file).substr(0, 500), std::string(call.function).substr(0, 200),
                   call.line});
  return out;
}

std::string text_of(const json& head, const char* name) {
  const auto at = head.find(name);
  return at != head.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::span<const std::byte> bytes_of(const rs_memory& memory) { return plain_slice(memory).raw(); }

/// Returns the message's bytes, then those of a small array that contains it.
std::vector<std::byte> body_of(const rs_memory& memory, json& head, bool with_data) {
  std::vector<std::byte> body;
  if (with_data) {
    const auto data = bytes_of(memory);
    body.assign(data.begin(), data.end());
  }
  head["data"] = body.size();
  if (memory.dims == 0 || memory.array == nullptr) return body;
  std::uint64_t count = 1;
  for (std::uint32_t d = 0; d < memory.dims && d < RS_DIMS; ++d)
    count *= static_cast<std::uint64_t>(std::max<std::int64_t>(0, memory.shape[d]));
  const std::size_t bytes = count * dtype_size(static_cast<DType>(memory.dtype));
  if (count > kWholeArray || bytes > kWholeArray) return body;
  const auto* const first = static_cast<const std::byte*>(memory.array);
  body.insert(body.end(), first, first + bytes);
  head["whole"] = bytes;
  return body;
}

class GuardedRequest : public PortRequest {
 public:
  GuardedRequest(std::shared_ptr<AgentLine> line, std::uint64_t number, const rs_memory& memory,
                 bool any_size, bool takes, bool watched = false)
      : line_(std::move(line)),
        number_(number),
        memory_(memory),
        any_size_(any_size),
        takes_(takes),
        watched_(watched),
        contents_(watched ? fingerprint(plain_slice(memory)) : 0) {}
  ~GuardedRequest() override {
    if (number_ == 0) return;
    try {
      line_->ask({{"do", "drop"}, {"op", number_}});
    } catch (const std::exception&) {  // the agent sees that nobody waited
    }
  }
  bool wait(Deadline deadline, rs_status& status, const Site& where) override {
    if (number_ == 0) return true;
    const int ms = deadline.poll_ms();
    look_for_changes(where);
    WireMessage answer;
    do {
      const json request{{"do", "wait"},
                         {"op", number_},
                         {"ms", ms < 0 ? line_->longest_ms() : std::min(ms, line_->longest_ms())},
                         {"site", site_json(where)}};
      try {
        answer = line_->ask(request);
      } catch (...) {
        number_ = 0;
        throw;
      }
    } while (!answer.head.value("done", false) && !line_->in_virtual_time() && !deadline.passed());
    if (!answer.head.value("done", false)) return false;
    number_ = 0;
    take(answer, status);
    return true;
  }
  bool test() override {
    return number_ == 0 || line_->ask({{"do", "test"}, {"op", number_}}).head.value("done", false);
  }
  std::uint64_t number() const noexcept { return number_; }

 private:
  // The agent has the message as it was posted; only this side sees later changes of its memory.
  void look_for_changes(const Site& where) {
    if (!watched_ || fingerprint(plain_slice(memory_)) == contents_) return;
    watched_ = false;
    line_->ask({{"do", "changed"}, {"op", number_}, {"site", site_json(where)}});
  }
  void take(WireMessage& answer, rs_status& status) {
    status.source = answer.head.value("source", -1);
    status.tag = answer.head.value("tag", 0);
    status.bytes = answer.head.value("bytes", std::uint64_t{0});
    status.message = nullptr;
    if (any_size_ && !answer.body.empty()) {
      status.message = std::malloc(answer.body.size());
      if (status.message == nullptr) throw std::bad_alloc();
      std::memcpy(status.message, answer.body.data(), answer.body.size());
    } else if (takes_ && !answer.body.empty()) {
      const auto into = plain_slice(memory_);
      std::memcpy(into.data(), answer.body.data(), std::min(into.bytes(), answer.body.size()));
    }
  }

  const std::shared_ptr<AgentLine> line_;
  std::uint64_t number_;  ///< 0: done.
  const rs_memory memory_;
  const bool any_size_, takes_;
  bool watched_;  ///< A send whose memory must not change until it was waited for.
  const std::uint64_t contents_;
};

class GuardedComm : public PortComm {
 public:
  GuardedComm(std::shared_ptr<AgentLine> line, const json& made)
      : line_(std::move(line)),
        number_(made.value("comm", 0)),
        rank_(made.value("rank", -1)),
        members_(made.value("members", std::vector<int>())) {}
  ~GuardedComm() override = default;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }
  int world_rank(int rank) const override {
    return rank < 0 || rank >= size() ? -1 : members_[static_cast<std::size_t>(rank)];
  }
  PortRequestPtr isend(int to, const rs_memory& memory, int tag, unsigned flags,
                       const Site& where) override {
    return post("isend", to, memory, tag, flags, where);
  }
  PortRequestPtr irecv(int from, const rs_memory& memory, int tag, unsigned flags,
                       const Site& where) override {
    return post("irecv", from, memory, tag, flags, where);
  }
  bool probe(int from, int tag, rs_status& status) override {
    const auto answer =
        line_->ask({{"do", "probe"}, {"comm", number_}, {"peer", from}, {"tag", tag}});
    if (!answer.head.value("found", false)) return false;
    status = {answer.head.value("source", -1), answer.head.value("tag", 0),
              answer.head.value("bytes", std::uint64_t{0}), nullptr};
    return true;
  }
  PortRequestPtr collective(const rs_call& call, bool async, const Site& where) override {
    json head = request("collective", where);
    head["collective"] = call.collective == nullptr ? "" : call.collective;
    if (call.algorithm != nullptr) head["algorithm"] = call.algorithm;
    head["op"] = call.op;
    head["root"] = call.root;
    head["async"] = async;
    head["in"] = memory_json(call.in);
    head["out"] = memory_json(call.out);
    const auto in = bytes_of(call.in), out = bytes_of(call.out);
    std::vector<std::byte> body(in.begin(), in.end());
    body.insert(body.end(), out.begin(), out.end());
    const auto answer = line_->ask(head, body);
    if (async)
      return std::make_unique<GuardedRequest>(line_, answer.head.value("op", std::uint64_t{0}),
                                              call.out, false, true);
    const auto into = plain_slice(call.out);
    std::memcpy(into.data(), answer.body.data(), std::min(into.bytes(), answer.body.size()));
    return nullptr;
  }
  std::unique_ptr<PortComm> split(int color, int key, const char* call,
                                  const Site& where) override {
    json head = request("split", where);
    head["color"] = color;
    head["key"] = key;
    head["call"] = call == nullptr ? "split" : call;
    const auto answer = line_->ask(head);
    if (answer.head.value("comm", 0) == 0) return nullptr;
    return std::make_unique<GuardedComm>(line_, answer.head);
  }
  std::unique_ptr<PortComm> group(const std::vector<int>& ranks, const std::string& key,
                                  const char* call, const Site& where) override {
    json head = request("group", where);
    head["ranks"] = ranks;
    head["key"] = key;
    head["call"] = call == nullptr ? "split" : call;
    return std::make_unique<GuardedComm>(line_, line_->ask(head).head);
  }
  void phase_begin(const char* name, const Site& where) override {
    json head = request("phase", where);
    head["name"] = name == nullptr ? "phase" : name;
    line_->ask(head);
  }
  void phase_end() override { line_->ask({{"do", "phase_end"}, {"comm", number_}}); }
  void watch(const rs_memory& memory, const Site& where) override {
    json head = request("watch", where);
    head["memory"] = memory_json(memory);
    line_->ask(head, body_of(memory, head, true));
  }
  void note(int note, int peer, const Site& where) override {
    json head = request("note", where);
    head["note"] = note;
    head["peer"] = peer;
    line_->ask(head);
  }

 private:
  json request(const char* what, const Site& where) const {
    return {{"do", what}, {"comm", number_}, {"site", site_json(where)}};
  }
  PortRequestPtr post(const char* what, int peer, const rs_memory& memory, int tag, unsigned flags,
                      const Site& where) {
    const bool send = std::string_view(what) == "isend";
    json head = request(what, where);
    head["peer"] = peer;
    head["tag"] = tag;
    head["flags"] = flags;
    head["memory"] = memory_json(memory);
    const auto body = body_of(memory, head, send);
    const auto answer = line_->ask(head, body);
    return std::make_unique<GuardedRequest>(line_, answer.head.value("op", std::uint64_t{0}),
                                            memory, (flags & RS_MESSAGE) != 0, !send,
                                            send && (flags & RS_BLOCKING) == 0);
  }

  const std::shared_ptr<AgentLine> line_;
  const int number_, rank_;
  const std::vector<int> members_;
};

class GuardedPort : public Port {
 public:
  GuardedPort(std::shared_ptr<AgentLine> line, const rs_join_options& options)
      : line_(std::move(line)) {
    // Without a size: who asks for tasks only.
    if (options.size <= 0) return;
    const auto answer =
        line_->ask({{"do", "join"},
                    {"rank", options.rank},
                    {"size", options.size},
                    {"platform", options.platform == nullptr ? "" : options.platform}});
    full_ = answer.head.value("full", false);
    script_ = answer.head.value("script", false);
    world_ = std::make_unique<GuardedComm>(line_, answer.head);
  }
  ~GuardedPort() override = default;
  PortComm& world() override {
    if (!world_) throw UserError("this session was made for tasks alone: join a run first");
    return *world_;
  }
  bool has_world() const override { return world_ != nullptr; }
  bool full_trace() const override { return full_; }
  bool runs_program() const override { return script_; }
  void threads(int count) override {
    line_->set_several(count > 1);
    if (world_) line_->ask({{"do", "threads"}, {"count", count}});
  }
  std::optional<int> any_done(std::span<PortRequest* const> requests, Deadline deadline,
                              const Site& where) override {
    json ops = json::array();
    bool some = false;
    for (PortRequest* request : requests) {
      auto* const one = dynamic_cast<GuardedRequest*>(request);
      ops.push_back(one == nullptr ? 0 : one->number());
      some |= one != nullptr;
      if (one != nullptr && one->number() == 0) return static_cast<int>(ops.size()) - 1;
    }
    if (!some) return -1;
    const int ms = deadline.poll_ms();
    while (true) {
      const auto answer =
          line_->ask({{"do", "any"},
                      {"ops", ops},
                      {"ms", ms < 0 ? line_->longest_ms() : std::min(ms, line_->longest_ms())},
                      {"site", site_json(where)}});
      if (const int index = answer.head.value("index", -1); index >= 0) return index;
      if (line_->in_virtual_time() || deadline.passed()) return std::nullopt;
    }
  }
  void leave(bool ok, const std::string& error) override {
    if (world_) line_->ask({{"do", "leave"}, {"ok", ok}, {"error", error}});
  }
  void stopped(const std::string&) noexcept override {}
  void set_idle(Idle idle, const Site& where) override {
    if (world_)
      line_->ask({{"do", "idle"}, {"idle", static_cast<int>(idle)}, {"site", site_json(where)}});
  }
  std::int64_t time_ns() override {
    if (!line_->in_virtual_time()) return now_ns();
    return line_->ask({{"do", "time"}}).head.value("ns", std::int64_t{0});
  }
  std::optional<std::string> next_task() override {
    const auto answer = line_->ask({{"do", "next_task"}});
    const auto task = text_of(answer.head, "task");
    return task.empty() ? std::nullopt : std::optional(task);
  }
  void task_input(int index, const rs_memory& memory) override {
    const auto answer = line_->ask({{"do", "input"}, {"index", index}});
    const auto into = plain_slice(memory);
    if (answer.body.size() != into.bytes())
      throw UserError(
          fmt::format("input {} has {} bytes, not {}", index, answer.body.size(), into.bytes()));
    std::memcpy(into.data(), answer.body.data(), into.bytes());
  }
  void task_result(const rs_memory* memory, const std::string& error) override {
    json head{{"do", "result"}};
    if (!error.empty()) head["error"] = error.substr(0, 8000);
    if (memory == nullptr) {
      line_->ask(head);
      return;
    }
    head["memory"] = memory_json(*memory);
    line_->ask(head, bytes_of(*memory));
  }

 private:
  const std::shared_ptr<AgentLine> line_;
  std::unique_ptr<GuardedComm> world_;
  bool full_ = false, script_ = false;
};

}  // namespace

AgentLine::AgentLine(int socket)
    : virtual_(std::getenv("RANKSCOPE_VIRTUAL_TIME") != nullptr),
      reports_cpu_(std::getenv("RANKSCOPE_CPU_TIME") != nullptr),
      wire_(socket) {}

WireMessage AgentLine::ask(const json& request, std::span<const std::byte> body) {
  about_to_sleep();
  const std::lock_guard lock(mutex_);
  if (reports_cpu_) {
    json with_time = request;
    with_time["cpu_ns"] = cpu_ns() - std::exchange(cpu_at_answer, 0);
    wire_.send(with_time, body);
  } else {
    wire_.send(request, body);
  }
  auto answer = wire_.receive(Deadline::never());
  if (reports_cpu_) cpu_at_answer = cpu_ns();
  const int code = answer->head.value("code", 0);
  if (code == 0) return std::move(*answer);
  const std::string error = text_of(answer->head, "error");
  if (code == RS_USAGE) throw UserError(error);
  // The agent's texts already begin with the rank.
  const auto reason = code == RS_STOPPED                       ? CommError::Reason::stopped
                      : answer->head.value("truncated", false) ? CommError::Reason::truncated
                                                               : CommError::Reason::mismatch;
  throw CommError(reason, answer->head.value("rank", -1), kAnyRank, {}, error);
}

namespace {

/// A session's own connection: a process may join several groups, one after the other.
class OwnedLine : public AgentLine {
 public:
  explicit OwnedLine(Fd socket) : AgentLine(socket.get()), socket_(std::move(socket)) {}

 private:
  const Fd socket_;
};

}  // namespace

std::unique_ptr<Port> open_explored(const std::string& path, const rs_join_options& options) {
  const auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  const Fd connection = connect_to(path);
  const char* const test = std::getenv("RANKSCOPE_TEST");
  const json hello{{"rank", options.rank},
                   {"size", options.size},
                   {"key", text(options.key)},
                   {"platform", text(options.platform)},
                   {"program", text(options.program)},
                   {"test", text(test)}};
  send_message(connection, dump_json(hello));
  auto answer = receive_message(connection, Deadline::never());
  if (!answer || answer->text.empty())
    throw UserError("the run was ended before all ranks had come");
  const json seat = parse_json_or_none(answer->text);
  if (const auto why = text_of(seat, "refuse"); !why.empty()) throw UserError(why);
  if (answer->descriptors.size() != 1) throw UserError("rankscope's answer was not understood");
  rs_join_options seated = options;
  seated.rank = seat.value("rank", options.rank);
  return std::make_unique<GuardedPort>(
      std::make_shared<OwnedLine>(std::move(answer->descriptors[0])), seated);
}

std::unique_ptr<Port> open_guarded(int socket, const rs_join_options& options) {
  static const auto line = std::make_shared<AgentLine>(socket);
  return std::make_unique<GuardedPort>(line, options);
}

}  // namespace rankscope::capi
