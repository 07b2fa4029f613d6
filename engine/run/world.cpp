#include "engine/run/world.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/error.h"
#include "transports/zeromq/curve_gate.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kWatch{50};
constexpr milliseconds kSilence{1'500};       // of a rank on another host
constexpr milliseconds kLocalSilence{8'000};  // local ones are watched by the operating system too
constexpr milliseconds kQuitGrace{1'000};
constexpr int kEventsAtOnce = 64;

}  // namespace

World::World(WorldOptions options) : options_(std::move(options)), zmq_(make_zmq_context()) {
  rendezvous_.secret = random_hex();
  members_.resize(static_cast<std::size_t>(options_.world_size));
  for (int r = 0; r < options_.world_size; ++r) members_[static_cast<std::size_t>(r)].rank = r;
  try {
    make_keys();
    bind_sockets();
    if (options_.join.empty()) spawn();
    greet();
    measure_clocks();
    up_ = true;
  } catch (...) {
    shut_down();
    throw;
  }
}

World::~World() { shut_down(); }

void World::notice(const std::string& text) const {
  if (options_.notice) options_.notice(text);
}

void World::make_keys() {
  if (options_.join.empty()) return;
  rendezvous_.keys = make_curve_keys();
  curve_ = std::make_unique<CurveGate>(
      zmq_, rendezvous_.keys->public_key, [this](const std::string& address) {
        ++refused_;
        notice(fmt::format("refused a peer without the key from {}", address));
      });
}

void World::bind_sockets() {
  control_ = make_plane_socket(zmq_, zmq::socket_type::router, rendezvous_, Side::server);
  events_ = make_plane_socket(zmq_, zmq::socket_type::pull, rendezvous_, Side::server);
  if (options_.join.empty()) {
    rendezvous_.control = directory_.endpoint("control");
    events_endpoint_ = directory_.endpoint("events");
    control_.bind(rendezvous_.control);
    events_.bind(events_endpoint_);
    return;
  }
  try {
    control_.bind(options_.join);
    rendezvous_.control = control_.get(zmq::sockopt::last_endpoint);
    const auto host = rendezvous_.control.substr(0, rendezvous_.control.rfind(':'));
    events_.bind(host + ":*");
    events_endpoint_ = events_.get(zmq::sockopt::last_endpoint);
  } catch (const zmq::error_t& e) {
    throw UserError(fmt::format(
        "cannot listen on {}: {}. Give an address of this machine and a free port (0 picks one)",
        options_.join, e.what()));
  }
  const std::string file = options_.key_file.empty() ? "rankscope.key" : options_.key_file;
  const Fd key(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::string text = rendezvous_.to_string() + "\n";
  if (!key || ::fchmod(key.get(), 0600) != 0 ||
      ::write(key.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw UserError(fmt::format("cannot write the key file {}: {}", file, std::strerror(errno)));
  notice(
      fmt::format("waiting for {} ranks on {}; start each with\n  rankscope worker --key-file {}",
                  options_.world_size, rendezvous_.control, file));
}

void World::spawn() {
  const std::string program = options_.program.empty() ? own_program() : options_.program;
  for (Member& member : members_) {
    member.process.emplace(std::vector<std::string>{program, "worker", "--spawned"},
                           std::vector<std::string>{
                               "RANKSCOPE_RENDEZVOUS=" + rendezvous_.to_string(),
                               fmt::format("RANKSCOPE_RANK={}", member.rank),
                               fmt::format("RANKSCOPE_PROCESSOR={}",
                                           options_.pin ? processor_of(member.rank, size()) : -1)});
    member.pid = static_cast<int>(member.process->pid());
  }
}

struct World::Greeter : World::Listener {
  explicit Greeter(World& w) : world(w) {}
  void on_control(Member& member, const ControlMessage& message) override {
    if (message.type != "ready" || member.ready) return;
    member.endpoint = message.body.at("endpoint").get<std::string>();
    member.ready = true;
    ++ready;
  }
  void on_events(EventBatch&&) override {}
  void on_lost(Member& member, const std::string& what) override {
    throw UserError(
        fmt::format("rank {} {} while the ranks were being started", member.rank, what));
  }
  World& world;
  int ready = 0;
};

void World::greet() {
  Greeter greeter(*this);
  const auto deadline =
      Deadline::in(milliseconds(static_cast<std::int64_t>(options_.start_timeout_s * 1e3)));
  while (greeter.ready < size()) {
    if (!pump(deadline, greeter)) throw UserError("interrupted while the ranks were being started");
    if (!deadline.passed()) continue;
    std::string missing;
    for (const Member& member : members_)
      if (!member.ready) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", member.rank);
    throw UserError(fmt::format("{} of {} ranks came within {:g} s; missing: {}", greeter.ready,
                                size(), options_.start_timeout_s, missing));
  }
  std::vector<std::string> endpoints;
  for (const Member& member : members_) endpoints.push_back(member.endpoint);
  send_all({"peers", {{"endpoints", endpoints}}});
}

void World::refuse(const std::string& identity, const std::string& reason) {
  ++refused_;
  notice("refused a worker: " + reason);
  control_.send(zmq::buffer(identity), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  send_text(control_, ControlMessage{"refuse", {{"reason", reason}}}.encode());
}

void World::on_hello(const std::string& identity, const ControlMessage& hello) {
  const auto& body = hello.body;
  const auto who = fmt::format("process {} on {}", body.value("pid", 0), body.value("host", "?"));
  const int version = body.value("version", -1);
  if (version != kProtocolVersion)
    return refuse(identity, fmt::format("{} speaks protocol {}, this is protocol {}: use the same "
                                        "version of rankscope everywhere",
                                        who, version, kProtocolVersion));
  if (body.value("secret", "") != rendezvous_.secret)
    return refuse(identity, fmt::format("{} has the wrong secret: it belongs to another run", who));
  const int wanted_size = body.value("world_size", -1);
  if (wanted_size >= 0 && wanted_size != size())
    return refuse(identity, fmt::format("{} was started for {} ranks, this run has {}", who,
                                        wanted_size, size()));
  Rank rank = body.value("rank", -1);
  if (rank < 0) {
    const auto free = std::ranges::find_if(
        members_, [](const Member& member) { return member.identity.empty(); });
    rank = free == members_.end() ? size() : free->rank;
  }
  if (rank >= size() || !members_[static_cast<std::size_t>(rank)].identity.empty())
    return refuse(identity, fmt::format("{} asks for rank {}, which {}", who, rank,
                                        rank >= size() ? "does not exist" : "is taken"));
  Member& member = members_[static_cast<std::size_t>(rank)];
  member.identity = identity;
  member.pid = body.value("pid", 0);
  member.host = body.value("host", "?");
  member.boot = body.value("boot", "");
  member.last_seen = Clock::now();
  if (!options_.join.empty()) notice(fmt::format("rank {} joined: {}", rank, who));
  send(member, {"welcome",
                {{"rank", rank},
                 {"world_size", size()},
                 {"transport", options_.join.empty() ? options_.transport : "tcp"},
                 {"directory", directory_.path().string()},
                 {"events", events_endpoint_}}});
}

void World::send(const Member& member, const ControlMessage& message) {
  if (member.identity.empty()) return;
  control_.send(zmq::buffer(member.identity), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  send_text(control_, message.encode());
}

void World::send_all(const ControlMessage& message) {
  for (const Member& member : members_) send(member, message);
}

Member* World::member_of(const std::string& identity) {
  const auto found = std::ranges::find(members_, identity, &Member::identity);
  return found == members_.end() ? nullptr : &*found;
}

void World::drain_control(Listener& listener) {
  while (true) {
    const auto parts = receive_waiting(control_);
    if (parts.empty()) return;
    const auto message =
        parts.size() == 2 ? ControlMessage::decode(parts[1].to_string_view()) : std::nullopt;
    if (!message) {
      ++refused_;
      notice("dropped a malformed message on the control plane");
      continue;
    }
    const std::string identity = parts[0].to_string();
    try {
      if (message->type == "hello") {
        on_hello(identity, *message);
      } else if (Member* member = member_of(identity)) {
        member->last_seen = Clock::now();
        if (message->type == "heartbeat") {
          member->last_status = message->body.value("status", "");
          member->reported_events = message->body.value("events", std::uint64_t{0});
        } else {
          listener.on_control(*member, *message);
        }
      } else {
        ++refused_;
      }
    } catch (const nlohmann::json::exception&) {
      ++refused_;
      notice(fmt::format("dropped a malformed '{}' message", message->type));
    }
  }
}

void World::drain_events(Listener& listener) {
  for (int i = 0; i < kEventsAtOnce; ++i) {  // then control has its turn
    const auto parts = receive_waiting(events_);
    if (parts.empty()) return;
    std::uint64_t secret = 0;
    if (parts.size() == 2 && parts[0].size() == sizeof(secret))
      std::memcpy(&secret, parts[0].data(), sizeof(secret));
    if (secret != rendezvous_.secret_number()) {
      ++refused_;
      continue;
    }
    try {
      EventBatch batch =
          decode_batch({static_cast<const std::byte*>(parts[1].data()), parts[1].size()});
      if (batch.rank < 0 || batch.rank >= size()) throw FormatError("a rank that does not exist");
      listener.on_events(std::move(batch));
    } catch (const FormatError& e) {
      ++refused_;
      notice(fmt::format("dropped a malformed event batch: {}", e.what()));
    }
  }
}

std::vector<PollItem> World::poll_items(int extra) {
  std::vector<PollItem> items{
      {&control_, -1}, {&events_, -1}, {nullptr, options_.interrupt_fd}, {nullptr, extra}};
  for (const Member& member : members_)
    if (member.process) items.push_back({nullptr, member.process->lifeline()});
  return items;
}

bool World::pump(Deadline deadline, Listener& listener, int extra) {
  const auto ready = poll_sockets(poll_items(extra), earlier(deadline, Deadline::in(kWatch)));
  if (ready[2]) return false;
  if (ready[0]) drain_control(listener);
  if (ready[1]) drain_events(listener);
  const bool someone_ended = std::find(ready.begin() + 4, ready.end(), true) != ready.end();
  if (someone_ended || Clock::now() >= next_watch_) {
    next_watch_ = Clock::now() + kWatch;
    watch_processes(listener);
    watch_silence(listener);
  }
  return true;
}

void World::watch_processes(Listener& listener) {
  for (Member& member : members_) {
    if (!member.process) continue;
    const ProcessState state = member.process->poll();
    if (!state.running || state.stopped) listener.on_lost(member, state.what);
  }
}

void World::watch_silence(Listener& listener) {
  for (Member& member : members_) {
    if (member.identity.empty()) continue;
    const auto silent = Clock::now() - member.last_seen;
    if (silent > (member.process ? kLocalSilence : kSilence))
      listener.on_lost(member, fmt::format("has not answered for {:.1f} s",
                                           std::chrono::duration<double>(silent).count()));
  }
}

void World::measure_clocks() {
  const std::string here = boot_id();
  struct Pong : Listener {
    void on_control(Member& member, const ControlMessage& message) override {
      if (message.type != "pong") return;
      const auto back = now_ns();
      const auto sent = message.body.at("t0").get<std::int64_t>();
      if (back - sent >= best) return;
      best = back - sent;
      member.clock_offset_ns = (sent + back) / 2 - message.body.at("t").get<std::int64_t>();
    }
    void on_events(EventBatch&&) override {}
    void on_lost(Member&, const std::string&) override {}
    std::int64_t best = 0;
  };
  constexpr int kTries = 8;
  for (Member& member : members_) {
    if (member.boot == here) continue;
    Pong pong;
    pong.best = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < kTries; ++i) {
      send(member, {"ping", {{"t0", now_ns()}}});
      pump(Deadline::in(milliseconds(100)), pong);
    }
  }
}

void World::shut_down() noexcept {
  try {
    send_all({"quit", {}});
    struct Deaf : Listener {
      void on_control(Member&, const ControlMessage&) override {}
      void on_events(EventBatch&&) override {}
      void on_lost(Member& member, const std::string&) override {
        if (member.process && !member.process->poll().running) member.process.reset();
        else if (member.process) member.process->kill();
      }
    } deaf;
    const auto grace = Deadline::in(kQuitGrace);
    const auto alive = [](const Member& member) { return member.process.has_value(); };
    options_.interrupt_fd = -1;  // already on the way out
    while (std::ranges::any_of(members_, alive) && !grace.passed()) pump(grace, deaf);
    if (up_ && !options_.join.empty()) pump(Deadline::in(milliseconds(50)), deaf);
  } catch (...) {  // the sockets are unusable: only killing is left
  }
  for (Member& member : members_) member.process.reset();
  try {
    control_.set(zmq::sockopt::linger, 200);
    control_.close();
    events_.close();
  } catch (const zmq::error_t&) {
  }
  curve_.reset();
}

}  // namespace rankscope
