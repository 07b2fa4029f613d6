// Pumps the planes of a world and watches its workers for exits, stops and silence.
#include "engine/run/conductor/world.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/run/conductor/process_runner.h"
#include "transports/zeromq/curve_gate.h"
#include "transports/zeromq/zmq_util.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kWatch{50}, kRings{15};
constexpr milliseconds kSilence{1'500};       // of a rank on another host
constexpr milliseconds kLocalSilence{8'000};  // local ones are watched by the operating system too
constexpr milliseconds kQuitGrace{1'000}, kShortGrace{100};
constexpr int kEventsAtOnce = 64, kControlAtOnce = 1024;  // then the others have their turn
constexpr int kMostComplaints = 20;
constexpr std::size_t kPlaneItems = 4;  // of poll_items(); the processes' lifelines follow

// A conductor's own descriptors, and per rank: lifeline, status page, connections of both planes. A
// worker has two connections to each peer, and inherits the limit.
constexpr std::size_t kDescriptors = 64, kDescriptorsOfRank = 6;

}  // namespace

void need_descriptors_for(int world_size) {
  need_descriptors(kDescriptors + kDescriptorsOfRank * static_cast<std::size_t>(world_size));
}

std::uint64_t Member::recorded_events(std::uint32_t epoch) const {
  if (!process) return reported_epoch == epoch ? reported_events : 0;
  const RankStatus status = process->status();
  return status.epoch == epoch ? status.events : 0;
}

World::World(WorldOptions options) : options_(std::move(options)), zmq_(make_zmq_context()) {
  const auto count = static_cast<std::size_t>(options_.world_size);
  need_descriptors_for(options_.world_size);
  rendezvous_.secret = random_hex();
  members_.resize(count);
  for (std::size_t r = 0; r < count; ++r) members_[r].rank = static_cast<Rank>(r);
  try {
    make_keys();
    bind_sockets();
    if (!options_.adopted.empty()) adopt();
    else if (options_.join.empty()) spawn();
    greet();
    measure_clocks();
    short_grace_ = false;
  } catch (...) {
    shut_down();
    throw;
  }
}

World::~World() { shut_down(); }

void World::notice(const std::string& text) const {
  if (options_.notice) options_.notice(text);
}

// A stranger must not be able to flood the user's terminal.
void World::complain(const std::string& text) {
  ++refused_;
  if (++complaints_ < kMostComplaints) notice(text);
  if (complaints_ == kMostComplaints) notice(text + " (further ones are only counted)");
}

void World::send(const Member& member, const ControlMessage& message) {
  if (!member.identity.empty()) send(member.identity, message);
}

void World::send(const std::string& identity, const ControlMessage& message) {
  control_.send(zmq::buffer(identity), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  send_text(control_, message.encode());
}

void World::send_all(const ControlMessage& message) {
  for (const Member& member : members_) send(member, message);
}

Member* World::member_of(const std::string& identity) {
  const auto found = ranges::find(members_, identity, &Member::identity);
  return found == members_.end() ? nullptr : &*found;
}

void World::drain_control(Listener& listener) {
  for (int i = 0; i < kControlAtOnce; ++i) {
    const auto parts = receive_waiting(control_);
    if (parts.empty()) return;
    const auto message =
        parts.size() == 2 ? ControlMessage::decode(parts[1].to_string_view()) : std::nullopt;
    if (!message) {
      complain("dropped a malformed message on the control plane");
      continue;
    }
    try {
      on_message(parts[0].to_string(), *message, listener);
    } catch (const nlohmann::json::exception&) {
      complain("dropped a control message with a malformed body");
    } catch (const FormatError& e) {
      complain(fmt::format("dropped a control message: {}", e.what()));
    }
  }
}

void World::on_message(const std::string& identity, const ControlMessage& message,
                       Listener& listener) {
  if (message.type == "hello") return on_hello(identity, message);
  Member* const member = member_of(identity);
  if (member == nullptr) return complain("dropped a message of a process that did not join");
  member->last_seen = Clock::now();
  if (message.type != "heartbeat") {
    read_ring(*member, listener);  // the message is about events that are still in the ring
    return listener.on_control(*member, message);
  }
  member->last_status = message.body.value("status", "");
  member->reported_events = message.body.value("events", std::uint64_t{0});
  member->reported_epoch = message.body.value("epoch", std::uint32_t{0});
}

void World::drain_events(Listener& listener) {
  for (int i = 0; i < kEventsAtOnce; ++i) {
    const auto parts = receive_waiting(events_);
    if (parts.empty()) return;
    std::uint64_t secret = 0;
    const bool form = parts.size() == 2 && parts[0].size() == sizeof(secret);
    if (form) std::memcpy(&secret, parts[0].data(), sizeof(secret));
    if (!form || secret != rendezvous_.secret_number()) {
      complain("dropped events that are not of this run");
      continue;
    }
    take_batch({static_cast<const std::byte*>(parts[1].data()), parts[1].size()}, nullptr,
               listener);
  }
}

// `of` is the only sender accepted; if null, everyone who belongs to the run is.
void World::take_batch(std::span<const std::byte> data, const Member* of, Listener& listener) {
  EventBatch batch;
  try {
    batch = decode_batch(data);
    const bool known = batch.rank >= 0 && batch.rank < size();
    if (!known || (of != nullptr && batch.rank != of->rank))
      throw FormatError("a rank that does not exist");
  } catch (const FormatError& e) {
    return complain(fmt::format("dropped a malformed event batch: {}", e.what()));
  }
  listener.on_events(std::move(batch));
}

// Returns whether the ring has more events.
bool World::read_ring(Member& member, Listener& listener) {
  for (int i = 0; i < kEventsAtOnce && member.process; ++i) {
    std::span<const std::byte> record;
    try {
      record = member.process->events().next();
    } catch (const FormatError& e) {
      complain(fmt::format("reads no more events of rank {}: {}", member.rank, e.what()));
    }
    if (record.empty()) return false;
    take_batch(record, &member, listener);
  }
  return true;
}

// Events wake nobody: the rings are read every 15 ms.
void World::read_rings(Listener& listener) {
  bool more = false;
  for (Member& member : members_) more |= read_ring(member, listener);
  next_rings_ = Clock::now() + (more ? milliseconds(0) : kRings);
}

std::vector<PollItem> World::poll_items(int extra) {
  std::vector<PollItem> items{{&control_, -1},
                              {&events_, -1},
                              {nullptr, watches_interrupt_ ? options_.interrupt_fd : -1},
                              {nullptr, extra}};
  for (const Member& member : members_)
    if (member.process && member.process->running())  // a dead one's stays readable for ever
      items.push_back({nullptr, member.process->lifeline()});
  return items;
}

// Silence counts while we listen: not while the listener was busy (a slow disk), or this process
// itself was stopped (Ctrl-Z).
void World::discount_pause(Clock::time_point before) {
  const auto now = Clock::now();
  const auto listened = std::min<Clock::duration>(now - before, 2 * kWatch);
  const auto paused = (now - last_pump_) - listened;
  last_pump_ = now;
  for (Member& member : members_) member.last_seen = std::min(now, member.last_seen + paused);
}

bool World::pump(Deadline deadline, Listener& listener, int extra) {
  const auto before = Clock::now();
  const auto ready =
      poll_sockets(poll_items(extra),
                   earlier(deadline, earlier(Deadline::in(kWatch), Deadline::at(next_rings_))));
  if (ready[0]) drain_control(listener);
  if (ready[1]) drain_events(listener);
  if (Clock::now() >= next_rings_) read_rings(listener);
  discount_pause(before);
  const bool someone_ended =
      std::find(ready.begin() + kPlaneItems, ready.end(), true) != ready.end();
  if (someone_ended || Clock::now() >= next_watch_) {
    next_watch_ = Clock::now() + kWatch;
    watch_processes(listener);
    watch_silence(listener);
    watch_gate();
  }
  return !ready[2];
}

void World::watch_processes(Listener& listener) {
  for (Member& member : members_) {
    if (!member.process) continue;
    const ProcessState state = member.process->poll();
    if (state.running && !state.stopped) continue;
    read_ring(member, listener);  // its last events
    listener.on_lost(member, state.what, state.loss);
  }
}

void World::watch_silence(Listener& listener) {
  for (Member& member : members_) {
    if (member.identity.empty()) continue;
    if (member.process && member.process->debugged()) member.last_seen = Clock::now();
    const auto silent = Clock::now() - member.last_seen;
    if (silent > (member.process ? kLocalSilence : kSilence))
      listener.on_lost(member,
                       fmt::format("has not answered for {:.1f} s",
                                   std::chrono::duration<double>(silent).count()),
                       RankLoss::unknown);
  }
}

// CurveGate has its own thread; the user is notified from this one.
void World::watch_gate() {
  if (!curve_ || curve_->refused() == refused_by_gate_) return;
  const auto addresses = curve_->refused_peers();
  for (; refused_reported_ < addresses.size(); ++refused_reported_)
    notice(fmt::format("refused a peer without the key of this run from {}",
                       addresses[refused_reported_]));
  refused_by_gate_ = curve_->refused();
}

bool World::debugged() const {
  return ranges::any_of(
      members_, [](const Member& member) { return member.process && member.process->debugged(); });
}

std::string World::describe_failed_rank() {
  for (Member& member : members_) {
    if (!member.process) continue;
    const ProcessState state = member.process->poll();
    if (!state.running || state.stopped) return fmt::format("rank {} {}", member.rank, state.what);
  }
  return {};
}

void World::measure_clocks() {
  struct Pong : Listener {
    void on_control(Member& member, const ControlMessage& message) override {
      if (message.type != "pong") return;
      const auto back = now_ns();
      const auto sent = message.body.at("t0").get<std::int64_t>();
      const auto theirs = message.body.at("t").get<std::int64_t>();
      auto& shortest = best[static_cast<std::size_t>(member.rank)];
      ++answers;
      if (sent > back || back - sent >= shortest) return;
      shortest = back - sent;
      member.clock_offset_ns = (sent + back) / 2 - theirs;
    }
    void on_events(EventBatch&&) override {}
    void on_lost(Member&, const std::string&, RankLoss) override {}
    std::vector<std::int64_t> best;
    int answers = 0;
  } pong;
  pong.best.assign(members_.size(), std::numeric_limits<std::int64_t>::max());
  constexpr int kTries = 8;
  const std::string here = boot_id();
  for (Member& member : members_) {
    if (member.process) continue;  // ours: its clock is this one
    for (int i = 0; i < kTries; ++i) {
      const int before = pong.answers;
      const auto limit = Deadline::in(milliseconds(100));
      send(member, {"ping", {{"t0", now_ns()}}});
      while (pong.answers == before && !limit.passed()) pump(limit, pong);
    }
    // On the same boot, a difference below our precision means that it is the same clock.
    const auto shortest = pong.best[static_cast<std::size_t>(member.rank)];
    if (member.boot == here && std::abs(member.clock_offset_ns) <= shortest)
      member.clock_offset_ns = 0;
  }
}

void World::shut_down() noexcept {
  if (closing_) return;
  closing_ = true;
  watches_interrupt_ = false;
  struct IgnoreAll : Listener {
    void on_control(Member&, const ControlMessage&) override {}
    void on_events(EventBatch&&) override {}
    void on_lost(Member& member, const std::string&, RankLoss) override { member.process.reset(); }
  } ignore_all;
  try {
    send_all({"quit", {}});
    const auto grace = Deadline::in(short_grace_ ? kShortGrace : kQuitGrace);
    const auto alive = [](const Member& member) { return member.process.has_value(); };
    while (ranges::any_of(members_, alive) && !grace.passed()) pump(grace, ignore_all);
    if (!options_.join.empty()) pump(Deadline::in(kWatch), ignore_all);
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
  std::error_code ignored;
  if (!key_file_.empty()) std::filesystem::remove(key_file_, ignored);
}

}  // namespace rankscope
