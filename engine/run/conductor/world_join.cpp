// Brings the ranks of a world together: keys, addresses, hello and welcome.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/conductor/local_socket.h"
#include "engine/run/conductor/world.h"
#include "transports/factory.h"
#include "transports/zeromq/curve_gate.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kInterruptGrace{500};

StartFailure interrupted() {
  return StartFailure("interrupted while the ranks were being started");
}

// A starting rank that has no process group of its own yet may be ended by Ctrl-C before we notice the interrupt.
bool interrupt_comes(int interrupt_fd) {
  return wait_readable(interrupt_fd, Deadline::in(kInterruptGrace));
}

struct Address {
  std::string host;
  int port = 0;
};

Address parse_join(const std::string& text) {
  constexpr std::string_view kScheme = "tcp://";
  const auto colon = text.rfind(':');
  Address address;
  bool good = text.starts_with(kScheme) && colon > kScheme.size() && colon + 1 < text.size();
  if (good) {
    address.host = text.substr(kScheme.size(), colon - kScheme.size());
    address.port = as_number<int>(std::string_view(text).substr(colon + 1)).value_or(-1);
    good = address.port >= 0 && address.port <= 65'535;
  }
  if (!good)
    throw UserError(
        fmt::format("ranks cannot join at '{}': it should read tcp://ADDRESS:PORT, with "
                    "an address of this machine (port 0 picks a free one)",
                    text));
  return address;
}

}  // namespace

JobResult StartFailure::result() const {
  JobResult result;
  result.status = lost ? JobResult::Status::failed : JobResult::Status::interrupted;
  result.message = what();
  if (lost) result.failures.push_back(*lost);
  return result;
}

void World::make_keys() {
  if (options_.join.empty()) return;
  rendezvous_.keys = make_curve_keys();
  curve_ = std::make_unique<CurveGate>(zmq_, rendezvous_.keys->public_key);
}

void World::bind_sockets() {
  control_ = make_plane_socket(zmq_, zmq::socket_type::router, rendezvous_, Side::server);
  events_ = make_plane_socket(zmq_, zmq::socket_type::pull, rendezvous_, Side::server);
  if (!options_.join.empty()) return bind_join();
  rendezvous_.control = bind_ipc(control_, directory_.path() / "control");
  events_endpoint_ = bind_ipc(events_, directory_.path() / "events");
}

void World::bind_join() {
  const Address address = parse_join(options_.join);
  const bool all = address.host == "*" || address.host == "0.0.0.0" || address.host == "[::]";
  const std::string name = all ? host_name() : "";
  curve_->watch(control_);
  curve_->watch(events_);
  rendezvous_.control = bind_tcp(control_, address.host, address.port, true, name);
  events_endpoint_ = bind_tcp(events_, address.host, 0, true, name);
  write_key_file();
  notice(
      fmt::format("waiting for {} ranks on {}; start each with\n  rankscope worker --key-file {}",
                  options_.world_size, rendezvous_.control, key_file_.string()));
}

// Writes under another name first, so that nobody has the file open or reads half of it.
void World::write_key_file() {
  namespace fs = std::filesystem;
  const fs::path file = options_.key_file.empty() ? "rankscope.key" : options_.key_file;
  const fs::path fresh = file.string() + "." + random_hex();
  const std::string text = rendezvous_.to_string() + "\n";
  const Fd key(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool written =
      key && ::write(key.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::rename(fresh.c_str(), file.c_str()) == 0;
  if (!written) {
    const int error = errno;
    if (key) ::unlink(fresh.c_str());
    throw UserError(
        fmt::format("cannot write the key file {}: {}", file.string(), std::strerror(error)));
  }
  std::error_code ignored;
  key_file_ = fs::absolute(file, ignored);
}

// Adopted processes are not ended with the run.
void World::adopt() {
  const Transport& transport = require_transport(options_.transport);
  if (transport.make_memory != nullptr) memory_ = transport.make_memory(size());
  for (std::size_t r = 0; r < members_.size(); ++r) {
    members_[r].process.emplace(std::move(options_.adopted[r]));
    members_[r].pid = static_cast<int>(members_[r].process->pid());
  }
  if (options_.on_open) options_.on_open(rendezvous_, memory_.get());
}

void World::spawn() {
  const Transport& transport = require_transport(options_.transport);
  if (transport.make_memory != nullptr) memory_ = above_inherited(transport.make_memory(size()));
  const std::string program = options_.program.empty() ? own_program() : options_.program;
  std::vector<std::string> words{program, "worker", "--spawned"};
  words.insert(words.end(), options_.plugins.begin(), options_.plugins.end());
  for (Member& member : members_) {
    member.process.emplace(words,
                           std::vector<std::string>{
                               "RANKSCOPE_RENDEZVOUS=" + rendezvous_.to_string(),
                               fmt::format("RANKSCOPE_RANK={}", member.rank),
                               fmt::format("RANKSCOPE_LOCAL_RANKS={}", options_.pin ? size() : 0)},
                           memory_.get());
    member.pid = static_cast<int>(member.process->pid());
  }
}

struct World::JoinListener : World::Listener {
  explicit JoinListener(World& w) : world(w) {}

  void on_control(Member& member, const ControlMessage& message) override {
    if (message.type != "ready" || member.ready) return;
    member.endpoint = message.body.at("endpoint").get<std::string>();
    try {  // else the other ranks would fail on it
      if (!world.memory_) check_endpoint(member.endpoint, world.rendezvous_.keys.has_value());
    } catch (const UserError& e) {
      return leave(member, e.what());
    }
    member.ready = true;
    ++ready;
  }
  void on_events(EventBatch&&) override {}
  void on_lost(Member& member, const std::string& what, RankLoss loss) override {
    if (!member.process) return leave(member, fmt::format("rank {} {}", member.rank, what));
    const int interrupt_fd = world.options_.interrupt_fd;
    if (loss == RankLoss::killed && interrupt_fd >= 0 && interrupt_comes(interrupt_fd))
      throw interrupted();
    StartFailure failure(
        fmt::format("rank {} {} while the ranks were being started", member.rank, what));
    failure.lost = {member.rank, what, "not started yet", 0, loss};
    throw failure;
  }
  // A rank that joined may leave before all are there, which frees its seat.
  void leave(Member& member, const std::string& why) {
    world.refuse(member.identity, why);
    if (member.ready) --ready;
    member.identity.clear();
    member.endpoint.clear();
    member.ready = false;
  }
  World& world;
  int ready = 0;
};

void World::greet() {
  JoinListener join_listener(*this);
  constexpr double kLongest = 1e8;  // seconds; a clock's duration is limited
  const double limit_s = std::min(options_.start_timeout_s, kLongest);
  const auto deadline =
      limit_s > 0 ? Deadline::in(milliseconds(std::llround(limit_s * 1e3))) : Deadline::never();
  while (join_listener.ready < size()) {
    if (!pump(deadline, join_listener)) throw interrupted();
    if (!deadline.passed()) continue;
    throw UserError(fmt::format("{} of {} ranks came within {:g} s; missing: {}",
                                join_listener.ready, size(), options_.start_timeout_s,
                                missing_ranks()));
  }
  std::vector<std::string> endpoints;
  for (const Member& member : members_) endpoints.push_back(member.endpoint);
  send_all({"peers", {{"endpoints", endpoints}}});
}

// Names a few by number.
std::string World::missing_ranks() const {
  constexpr int kNamed = 8;
  std::string text;
  int missing = 0;
  for (const Member& member : members_)
    if (!member.ready && ++missing <= kNamed)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", member.rank);
  if (missing > kNamed) text += fmt::format(" and {} more", missing - kNamed);
  return text;
}

void World::refuse(const std::string& identity, const std::string& reason) {
  complain("refused a worker: " + reason);
  send(identity, {"refuse", {{"reason", reason}}});
}

// Returns why a process cannot be a rank here; empty if it can.
std::string World::objection(const std::string& who, const ControlMessage& hello) const {
  const auto& body = hello.body;
  if (body.value("version", -1) != kProtocolVersion)
    return fmt::format(
        "{} speaks protocol {}, this is protocol {}: use the same version of "
        "rankscope everywhere",
        who, body.value("version", -1), kProtocolVersion);
  if (body.value("secret", "") != rendezvous_.secret)
    return fmt::format("{} has the wrong secret: it belongs to another run", who);
  const int wanted_size = body.value("world_size", -1);
  if (wanted_size >= 0 && wanted_size != size())
    return fmt::format("{} was started for {} ranks, this run has {}", who, wanted_size, size());
  const Rank rank = body.value("rank", -1);
  if (rank >= size())
    return fmt::format("{} asks for rank {}, which does not exist (0 to {})", who, rank,
                       size() - 1);
  const auto taken = [](const Member& member) { return !member.identity.empty(); };
  if (rank >= 0 && taken(members_[static_cast<std::size_t>(rank)]))
    return fmt::format("{} asks for rank {}, which is taken", who, rank);
  if (rank < 0 && ranges::all_of(members_, taken))
    return fmt::format("{} came too late: all {} ranks are there", who, size());
  return {};
}

void World::on_hello(const std::string& identity, const ControlMessage& hello) {
  const auto& body = hello.body;
  const auto who = fmt::format("process {} on {}", body.value("pid", 0), body.value("host", "?"));
  if (closing_ && options_.join.empty())  // one of ours that was on its way
    return send(identity, {"quit", {}});
  if (closing_) return refuse(identity, "the run is over");
  if (member_of(identity) != nullptr)
    return complain(fmt::format("dropped a second hello of {}", who));
  if (const auto reason = objection(who, hello); !reason.empty()) return refuse(identity, reason);
  const Rank rank = body.value("rank", -1);
  const auto seat =
      rank >= 0
          ? members_.begin() + rank
          : ranges::find_if(members_, [](const Member& member) { return member.identity.empty(); });
  seat->identity = identity;
  seat->pid = body.value("pid", 0);
  seat->host = body.value("host", "?");
  seat->boot = body.value("boot", "");
  seat->last_seen = Clock::now();
  if (!options_.join.empty()) notice(fmt::format("rank {} joined: {}", seat->rank, who));
  welcome(*seat);
}

void World::welcome(Member& member) {
  send(member,
       {"welcome",
        {{"rank", member.rank},
         {"world_size", size()},
         {"transport", options_.join.empty() ? options_.transport : joining_transport().name},
         {"directory", options_.join.empty() ? directory_.path().string() : ""},
         {"events", events_endpoint_}}});
}

}  // namespace rankscope
